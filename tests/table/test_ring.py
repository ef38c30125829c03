"""What is held in memory is bounded, and what proves a throw is on the disk before it is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from companion.hw.clock import NS_PER_MS, NS_PER_S
from companion.hw.ports import Frame, Image
from companion.journal import Evidence, EvidenceError
from companion.session.events import DiceSettled
from companion.session.snapshot import SideState, ThrowState
from companion.session.transitions import ThrowStep
from companion.sim.clock import ManualClock
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings
from companion.table.keeping import Keeper
from companion.table.ring import FrameRing, Shot
from companion.vision.reader import BoxReader, ReaderSettings
from companion.vision.tray import Tray, find_tray
from companion.vision.types import Reading, ThrowRead

SETTINGS = ReaderSettings()
BARE = Reading(dice=(), needs_referee=False, scale_px_per_mm=None, tray_found=False, warnings=())


def shots(ring: FrameRing, count: int, size: int, *, first: int = 0, every_ms: int = 33) -> None:
    """Fill a ring with pictures of that many bytes."""
    for number in range(first, first + count):
        ring.add(Shot(number * every_ms * NS_PER_MS, number.to_bytes(4) * (size // 4)))


def test_the_ring_forgets_what_is_older_than_its_span() -> None:
    """Three seconds of thirty frames."""
    ring = FrameRing()
    shots(ring, 300, 1000)
    held = ring.between(0, 10 * NS_PER_S)

    assert 90 <= len(held) <= 92
    assert held[-1].at_ns - held[0].at_ns <= 3 * NS_PER_S


def test_ring_and_films_together_never_take_more_than_the_cap() -> None:
    """The oldest film gives way first, from its beginning; a shot that is in both counts once."""
    ring = FrameRing(cap_bytes=120_000, span_ns=NS_PER_S, films=3)
    for throw in range(5):
        shots(ring, 40, 1000, first=throw * 40)
        ring.cut(f"throw{throw}", throw * 40 * 33 * NS_PER_MS, 10 * NS_PER_S)
        assert ring.held_bytes <= 120_000

    assert () == ring.film("throw1")
    assert 0 < len(ring.film("throw3")) <= 40
    assert ring.film("throw4")[-1] is ring.between(0, 10 * NS_PER_S)[-1]


def test_one_picture_larger_than_the_cap_is_still_the_newest() -> None:
    """Nothing is left to give up then."""
    ring = FrameRing(cap_bytes=100)
    shots(ring, 3, 1000)

    assert 1 == len(ring.between(0, NS_PER_S))


@pytest.fixture(scope="module")
def seen() -> tuple[Image, Tray, ThrowRead]:
    """A throw of the simulated rig that was read."""
    rig = SimRig(SimSettings(), ManualClock())
    thrown = rig.box.throw([6, 5, 2])
    image = rig.camera.picture(thrown.settled_ns)
    tray = find_tray(image, SETTINGS.rig)
    assert tray is not None
    reading = BoxReader(SETTINGS).read(image)
    return image, tray, ThrowRead(number=1, started_ns=NS_PER_S, settled_ns=2 * NS_PER_S, reading=reading, image=image)


def frame(image: Image, at_ms: int) -> Frame:
    """A frame of that moment."""
    return Frame(image=image, luma=None, at_ns=at_ms * NS_PER_MS, number=at_ms)


def never(error: EvidenceError) -> None:
    """No disk refuses here."""
    raise AssertionError(error)


def settled(number: int, keeper: Keeper, read: ThrowRead, tray: Tray, *, salt: int) -> DiceSettled:
    """One throw's attack, stored and become a fact; `salt` makes its pictures unlike all others."""
    image = read.image.copy()
    image[:4, :4] = salt
    image[-40:, -40:] = salt
    kept = keeper.reading(replace(read, image=image), tray, never)
    fact = DiceSettled(
        at_ns=1, throw=number, player="anna", called=True, side="attack", dice=(), started_ns=1, settled_ns=2,
        evidence=kept.sheet, source="camera", pictures=kept.pictures,
    )  # fmt: skip
    keeper.settled(fact)
    return fact


def test_a_still_box_is_filmed_seldom_and_a_moving_one_wholly(
    seen: tuple[Image, Tray, ThrowRead], tmp_path: Path
) -> None:
    """Two pictures a second at rest; each frame of a motion, and the one before it; none before the box is found."""
    image, tray, _ = seen
    keeper = Keeper(Evidence(tmp_path))
    keeper.saw(frame(image, -500), None, is_moving=True)
    for at_ms in range(0, 2000, 33):
        keeper.saw(frame(image, at_ms), tray, is_moving=False)
    still = len(keeper.ring.between(0, 9 * NS_PER_S))
    for at_ms in range(2013, 2500, 33):
        keeper.saw(frame(image, at_ms), tray, is_moving=True)
    times = [shot.at_ns // NS_PER_MS for shot in keeper.ring.between(0, 9 * NS_PER_S)]

    assert still in {3, 4}
    assert 1980 in times
    assert all(at_ms in times for at_ms in range(2013, 2500, 33))


def test_whole_pictures_of_the_last_three_throws_stay_and_all_sheets(
    seen: tuple[Image, Tray, ThrowRead], tmp_path: Path
) -> None:
    """What was let go is written down, so that nobody takes it for removed."""
    _, tray, read = seen
    evidence = Evidence(tmp_path)
    keeper = Keeper(evidence)
    facts = [settled(number, keeper, read, tray, salt=number * 20) for number in range(1, 7)]
    keeper.tidy()
    frames = [fact.pictures[0].evidence for fact in facts]

    assert {fact.evidence for fact in facts} <= evidence.names()
    assert (set(frames[3:]), set(frames[:3])) == (evidence.names() & set(frames), evidence.given_up() & set(frames))


def test_readings_that_became_no_throw_leave_no_whole_pictures_behind(
    seen: tuple[Image, Tray, ThrowRead], tmp_path: Path
) -> None:
    """Dice that were ignored, start dice: the last few may still become a throw."""
    _, tray, read = seen
    evidence = Evidence(tmp_path)
    keeper = Keeper(evidence)
    kept = []
    for salt in range(10):
        image = read.image.copy()
        image[:4, :4] = salt * 20
        kept.append(keeper.reading(replace(read, image=image), tray, never).pictures[0].evidence)
    keeper.tidy()

    assert set(kept[-4:]) == evidence.names() & set(kept)


def test_throws_of_the_game_before_make_room_like_any_other(
    seen: tuple[Image, Tray, ThrowRead], tmp_path: Path
) -> None:
    """A new game counts its throws from one again."""
    _, tray, read = seen
    evidence = Evidence(tmp_path)
    keeper = Keeper(evidence)
    old = settled(1, keeper, read, tray, salt=10).pictures[0].evidence
    keeper.new_game()
    new = [settled(number, keeper, read, tray, salt=number * 30).pictures[0].evidence for number in (1, 2)]
    keeper.tidy()
    assert old in evidence.names()
    for salt in range(5):
        settled(3, keeper, read, tray, salt=200 + salt)
    keeper.tidy()

    assert set(new) <= evidence.names()


def throw_of(*facts: DiceSettled) -> ThrowState:
    """A throw with these sides."""
    sides = {fact.side: SideState(settled=fact) for fact in facts}
    return ThrowState(id=1, player="anna", called=True, called_ns=None, step=ThrowStep.RULED, **sides)


def test_a_doubted_throw_has_all_its_pictures_on_the_disk_for_good(
    seen: tuple[Image, Tray, ThrowRead], tmp_path: Path
) -> None:
    """Sheet, whole picture and the film of the roll; a picture that is gone is left out and nothing else."""
    image, tray, read = seen
    evidence = Evidence(tmp_path)
    keeper = Keeper(evidence)
    for at_ms in range(500, 2100, 33):
        moved = image.copy()
        moved[300:400, 500:600] = at_ms % 250
        keeper.saw(frame(moved, at_ms), tray, is_moving=True)
    fact = settled(1, keeper, read, tray, salt=10)
    missing = replace(fact, side="defence", evidence="0" * 64, pictures=())
    by_hand = replace(fact, side="defence", evidence=None, pictures=(), source="hand")
    pictures = keeper.pictures_of(throw_of(fact, missing))
    for picture in pictures:
        evidence.give_up(picture.evidence)

    kinds = [picture.kind for picture in pictures]
    assert (["sheet", "frame"], {"film"}) == (kinds[:2], set(kinds[2:]))
    assert len(kinds) > 30
    assert {picture.evidence for picture in pictures} <= evidence.names()
    assert [picture.at_ns for picture in pictures[2:]] == sorted(p.at_ns or 0 for p in pictures[2:])
    assert pictures == keeper.pictures_of(throw_of(fact, by_hand))


def test_frames_on_both_sides_of_a_moment_are_kept(seen: tuple[Image, Tray, ThrowRead], tmp_path: Path) -> None:
    """All that are near, some that are farther off, none that are far."""
    image, tray, _ = seen
    evidence = Evidence(tmp_path)
    keeper = Keeper(evidence)
    for at_ms in range(0, 3000, 33):
        moved = image.copy()
        moved[300:400, 500:600] = at_ms % 250
        keeper.saw(frame(moved, at_ms), tray, is_moving=True)
    times = [(picture.at_ns or 0) // NS_PER_MS for picture in keeper.around(1500 * NS_PER_MS)]

    near = [at_ms for at_ms in range(0, 3000, 33) if abs(at_ms - 1500) <= 400]
    assert times == sorted(times)
    assert set(near) <= set(times)
    assert min(times) < 900
    assert max(times) > 2100
    assert len(times) <= len(near) + 6


def test_a_full_disk_costs_the_picture_and_not_the_throw(
    seen: tuple[Image, Tray, ThrowRead], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First the whole picture, then the sheet too: each refusal is told."""
    _, tray, read = seen
    evidence = Evidence(tmp_path)
    keeper = Keeper(evidence)
    put = evidence.put
    refused: list[str] = []

    def only_small(picture: bytes) -> str:
        if len(picture) > 100_000:
            raise EvidenceError("no room", why="cap")
        return put(picture)

    def nothing(picture: bytes) -> str:
        raise EvidenceError("no room", why="cap")

    monkeypatch.setattr(evidence, "put", only_small)
    small = keeper.reading(read, tray, lambda error: refused.append(error.code))
    monkeypatch.setattr(evidence, "put", nothing)
    none = keeper.reading(read, tray, lambda error: refused.append(error.code))

    assert (True, (), None, ["evidence"] * 2) == (small.sheet is not None, small.pictures, none.sheet, refused)
    assert len(read.reading.dice) == len(none.dice)


def test_without_a_box_the_picture_itself_is_the_sheet(tmp_path: Path) -> None:
    """The places of the dice are then those of the picture."""
    image = np.full((480, 640, 3), 90, np.uint8)
    evidence = Evidence(tmp_path)
    event = ThrowRead(number=1, started_ns=1, settled_ns=2, reading=BARE, image=image)
    kept = Keeper(evidence).reading(event, None, never)

    assert kept.sheet is not None
    assert b"\xff\xd8" == evidence.get(kept.sheet)[:2]


def test_a_game_of_three_hundred_throws_takes_what_the_page_says(
    seen: tuple[Image, Tray, ThrowRead], tmp_path: Path
) -> None:
    """Two sheets a throw and six whole pictures: less than 30 MB, as docs/journal.md says."""
    _, tray, read = seen
    evidence = Evidence(tmp_path)
    fact = settled(1, Keeper(evidence), read, tray, salt=10)
    assert fact.evidence is not None
    sheet, whole = len(evidence.get(fact.evidence)), len(evidence.get(fact.pictures[0].evidence))

    assert 600 * sheet + 6 * whole < 30_000_000
    assert sheet > 10_000
