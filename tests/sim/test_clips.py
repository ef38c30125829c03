"""Films of throws: what is said of them is what is seen."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from companion.hw.clock import NS_PER_MS
from companion.sim import clips


@pytest.mark.parametrize("kind", clips.KINDS)
def test_a_clip_holds_all_that_it_tells_of(kind: str) -> None:
    """Throws and happenings follow one another within the film, and what a throw came to is true at its rest."""
    (clip,) = clips.clips(3, 1, kind)
    end_ns = clip.start_ns + int(clip.frames / 30 * 1000) * NS_PER_MS
    moments = sorted(
        [(throw.start_ns, throw.settled_ns) for throw in clip.throws]
        + [(event.start_ns, event.end_ns) for event in clip.happenings]
    )

    assert all(earlier[1] < later[0] for earlier, later in pairwise(moments))
    assert clip.start_ns < moments[0][0]
    assert moments[-1][1] < end_ns
    for throw in clip.throws:
        there = {die.id: die for die in clip.rig.box.truth(throw.settled_ns)}
        assert list(throw.dice) == [there[die.id] for die in throw.dice]


def test_nothing_moves_outside_of_throws_and_happenings() -> None:
    """Between the throws of a film consecutive frames differ by noise alone, during them by more."""
    (clip,) = clips.clips(5, 1, "two_sided")
    moving: list[float] = []
    still: list[float] = []
    before = None
    for at_ns, picture in clip.film():
        gray = picture[::4, ::4].astype(np.float32).mean(axis=2)
        if before is not None:
            change = float((np.abs(gray - before) > 25).mean())
            inside = [throw for throw in clip.throws if throw.start_ns + 200e6 < at_ns < throw.settled_ns - 150e6]
            near = [throw for throw in clip.throws if throw.start_ns - 1 <= at_ns <= throw.settled_ns + 40e6]
            (moving if inside else still if not near else []).append(change)
        before = gray

    assert max(still) < min(moving)
    assert len(still) > 40


def test_second_sides_knock_dice_where_physics_is_at_work() -> None:
    """In each of these films the defence's dice push one of the attack's."""
    for clip in clips.clips(2, 3, "knock"):
        first, second = clip.throws
        after = {die.id: die for die in clip.rig.box.truth(second.settled_ns + 500 * NS_PER_MS)}
        gaps = [np.subtract(die.position_mm, after[die.id].position_mm) for die in first.dice]

        assert any(np.linalg.norm(gap) > 1.0 for gap in gaps)


def test_a_kind_of_clip_that_is_not_there_is_refused() -> None:
    """Unknown kinds are named together with the known."""
    with pytest.raises(ValueError, match="two_sided"):
        next(clips.clips(1, 1, "upside_down"))
