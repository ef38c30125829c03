"""Setting up the camera and doubting a throw, pressed through as people do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from companion.ui.blocks import LIVE, Block, Button, Buttons, DiceRow, Do, Picture, Screen, Send, Text
from companion.ui.clock import Link
from companion.ui.desk import Desk
from companion.ui.follow import Follower, ScreenClient
from companion.ui.model import view
from companion.ui.presses import answered, press
from companion.vision.calibration import PROBLEMS
from companion.words import LANGUAGES
from tests.ui import looked, states


def shown(state: dict[str, Any], desk: Desk) -> Screen:
    """The screen of a state."""
    return view(state, desk, Link(heard_s=5.0, clock=state.get("clock"), clock_s=5.0), 5.0)


def blocks(screen: Screen) -> Iterator[Block]:
    """Everything on it."""
    yield from (*screen.top, *screen.main, *screen.side, *screen.foot)


def texts(screen: Screen) -> list[str]:
    """Its sentences."""
    return [block.text for block in blocks(screen) if isinstance(block, Text)]


def buttons(screen: Screen) -> dict[str, Button]:
    """Its buttons by their words."""
    return {one.text: one for block in blocks(screen) if isinstance(block, Buttons) for one in block.buttons}


CAMERA = Desk(lang="en", page="calibrate")


def test_one_button_measures_and_the_page_stays() -> None:
    """The answer is looked at where it was asked for."""
    state = looked.unmeasured()
    measure = buttons(shown(state, CAMERA))["MEASURE"]
    step = press(CAMERA, measure.does or Do(verb="close"), may=state["may"])
    while_measuring = shown(state, step.desk)

    assert (Send(command="calibrate", then=Do(verb="open", args=("calibrate",))), "calibrate") == (
        step.send,
        answered(step.desk).page,
    )
    assert any("touch nothing" in text for text in texts(while_measuring))
    assert buttons(while_measuring)["MEASURE"].does is None


def test_a_rig_that_is_not_ready_says_the_first_thing_to_put_right() -> None:
    """Never ready with a cross on any line."""
    screen = shown(looked.measured("print-off", "glare", print_scale=0.97), CAMERA)
    told = texts(screen)

    assert "✗ Camera: NOT READY" in told
    assert ["✗ Light: 150 to 221, flicker 1 %", "✗ Scale: 2.4 px a mm, sheet at 97 %"] == [
        text for text in told if text.startswith("✗ ") and "Camera" not in text
    ]
    assert any("printed at 97 %" in text and "100 %" in text for text in told)


def test_a_ready_rig_says_so_and_a_missing_marker_by_its_place() -> None:
    """What was not measured is no tick."""
    good = texts(shown(looked.measured(), CAMERA))
    missing = looked.measured("marker-missing", markers=[0, 1], missing=[2, 3], print_scale=None, edge_px=None)
    told = texts(shown(missing, CAMERA))

    assert "✓ Camera: READY" in good
    assert not [text for text in good if text.startswith(("✗", "–"))]
    assert ["– Focus: – px", "– Scale: 2.4 px a mm, sheet at – %"] == [text for text in told if text.startswith("–")]
    assert any("bottom right and bottom left" in text for text in told)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_problem_has_a_line_and_a_way_out(lang: str) -> None:
    """Whatever stands in the way, one line has the cross and one sentence says what to do."""
    for code in PROBLEMS:
        told = texts(shown(looked.measured(code, flicker=0.2), replace(CAMERA, lang=lang)))

        assert [] == [text for text in told if "⟨" in text or "{" in text]
        assert 2 <= sum(text.startswith("✗") for text in told)


def test_a_blind_camera_vouches_for_no_box() -> None:
    """Not measurable is not empty; a box with something in it is neither."""
    blind = looked.measured("dark", px_per_mm=None, edge_px=None, paper=None, error_px=None, print_scale=None)

    assert "✗ Box: not measurable" in texts(shown(blind, CAMERA))
    assert "✗ Box: not empty" in texts(shown(looked.measured("not-empty", bodies=1), CAMERA))
    assert "✗ Box: its floor has no colour" in texts(shown(looked.measured("no-colour"), CAMERA))


async def test_the_page_shows_what_the_camera_sees_now() -> None:
    """The live picture, not a stored one."""

    class Client(ScreenClient):
        async def live(self) -> bytes:
            return b"now"

        async def evidence(self, name: str) -> bytes:
            return name.encode()

    client = Client(url="http://127.0.0.1:1")
    follower = Follower(client, None)  # type: ignore[arg-type]

    assert [LIVE] == [
        block.evidence for block in blocks(shown(looked.unmeasured(), CAMERA)) if isinstance(block, Picture)
    ]
    assert (b"now", b"abc") == (await follower.picture(LIVE), await follower.picture("abc"))


def test_throws_are_offered_page_by_page_and_earlier_turns_are_marked() -> None:
    """A throw that is disputed already opens its pictures."""
    state = looked.doubted()
    first = shown(state, Desk(lang="en", page="dispute-throw"))
    step = press(Desk(lang="en", page="dispute-throw"), buttons(first)["Earlier throws"].does or Do(verb="close"))
    second = shown(state, step.desk)
    third = shown(state, replace(step.desk, picks=(16,)))

    assert Do(verb="open", args=("disputed", 17, 0)) == buttons(first)["Throw 17 · Anna"].does
    assert Do(verb="open", args=("dispute-who", 16, 0)) == buttons(first)["Throw 16 · Anna"].does
    assert ("6 4 ? – 5", "6 4 ? – 5 · with PIN") == tuple(
        buttons(first)[f"Throw {number} · Anna"].note for number in (16, 15)
    )
    assert "Throw 9 · Anna" in buttons(second)
    assert ["Throw 1 · Anna", "Back"] == list(buttons(third))
    assert ["No throw has been read yet."] == texts(
        shown(state | {"recent": []}, Desk(lang="en", page="dispute-throw"))
    )


def test_whoever_presses_disputes_and_then_sees_the_pictures() -> None:
    """One press for each seat; an earlier turn says whose it is."""
    state = looked.doubted() | {"disputes": []}
    desk = Desk(lang="en", page="dispute-who", picks=(17, 0))
    screen = shown(state, desk)
    step = press(desk, buttons(screen)["Bram"].does or Do(verb="close"), may=state["may"])
    earlier = shown(state, replace(desk, picks=(3, 0)))
    gone = shown(state, replace(desk, picks=(99, 0)))
    bare = shown(state | {"recent": [looked.thrown(17) | {"pictures": []}]}, desk)

    assert step.send is not None
    assert ("dispute_throw", {"throw": 17, "player": "p2"}) == (step.send.command, step.send.args)
    assert ("disputed", (17, 0)) == (answered(step.desk).page, answered(step.desk).picks)
    assert [looked.SHEET] == [block.evidence for block in blocks(screen) if isinstance(block, Picture)]
    assert any(text.startswith("An earlier turn") for text in texts(earlier))
    assert "dispute-throw" == gone.name
    assert not [block for block in blocks(bare) if isinstance(block, Picture)]
    assert {None} == {
        buttons(shown(state, replace(desk, sending=Send(command="dispute_throw"))))[name].does
        for name in ("Anna", "Bram", "Chiara")
    }


def disputed(at: int = 0) -> Desk:
    """The page of throw 17's pictures."""
    return Desk(lang="en", page="disputed", picks=(17, at))


def test_pictures_are_stepped_through_and_both_readings_stand_side_by_side() -> None:
    """No step beyond either end."""
    first, last = shown(looked.doubted(), disputed()), shown(looked.doubted(), disputed(99))
    rows = [block for block in blocks(first) if isinstance(block, DiceRow)]

    assert [[6, 4, None, 5], [6, 4, None, 5]] == [[die.value for die in row.dice] for row in rows]
    assert (None, Do(verb="open", args=("disputed", 17, 1))) == (
        buttons(first)["Picture before"].does,
        buttons(first)["Next picture"].does,
    )
    assert (Do(verb="open", args=("disputed", 17, 20)), None) == (
        buttons(last)["Picture before"].does,
        buttons(last)["Next picture"].does,
    )
    assert "Picture 22 of 22: during the roll" in texts(last)
    assert "Both readings are the same." in texts(first)
    assert "The readings DIFFER: the referee decides." in texts(shown(looked.differs(), disputed()))


def test_a_dispute_is_ended_by_the_referee_and_a_throw_not_read_again_can_be() -> None:
    """With one tap for the reason; what is over is over."""
    state = looked.doubted()
    end = buttons(shown(state, disputed()))["End the dispute"]
    unread = shown(looked.doubted(again=[], pictures=[]), disputed())
    over = shown(looked.doubted(settled={"reason": "reading-stands"}), disputed())
    unknown = shown(looked.doubted() | {"disputes": []}, disputed())

    assert Do(verb="open", args=("reason", "settle_dispute", ("throw", 17))) == end.does
    read = buttons(unread)["Read again"].does
    assert isinstance(read, Send)
    assert ("read_again", {"throw": 17}) == (read.command, read.args)
    assert "Not read again yet." in texts(unread)
    assert "Throw 17: dispute over, the reading stands" in texts(over)
    assert buttons(over)["End the dispute"].does is None
    assert "dispute-who" == unknown.name


def test_the_way_to_the_camera_draws_the_eye_until_it_is_ready() -> None:
    """On a free table, and before the start as long as it is not; a table without a camera has none."""
    rig = {"rig": {"camera": "sim", "panel": "sim", "buttons": []}}
    ready_to_start = states.ready() | {"may": [*states.MAY["ready"], "calibrate"]}
    found = {
        (name, state): buttons(shown(told, Desk(lang="en"))).get("Measure the box")
        for name, base in (("idle", looked.unmeasured()), ("ready", ready_to_start))
        for state, told in (
            ("none", base),
            ("new", base | rig),
            ("bad", base | rig | {"calibration": looked.measured("glare")["calibration"]}),
            ("good", base | rig | {"calibration": looked.measured()["calibration"]}),
        )
    }

    assert {"idle": [None, "warn", "warn", "plain"], "ready": [None, "warn", "warn", None]} == {
        name: [one.tone if one else None for key, one in found.items() if key[0] == name] for name in ("idle", "ready")
    }
    new, bad = found["idle", "new"], found["idle", "bad"]
    assert new is not None
    assert bad is not None
    assert ("Camera: not measured yet", "Camera: NOT READY") == (new.note, bad.note)


def test_the_page_that_measures_tells_no_part_twice() -> None:
    """What its lines say needs no bar above them."""
    dim = {"health": [{"part": "box", "state": "warn", "code": "too-dark", "values": {}}]}
    page, free = (shown(looked.measured("too-dark") | dim, Desk(lang="en", page=name)) for name in ("calibrate", ""))

    assert ((), 1) == (page.bars, len(free.bars))
