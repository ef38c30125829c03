"""What speaks against a die that seems to lie flat."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest

from companion.sim import examples
from companion.vision import doubt, judge, pose
from companion.vision.case import Case, Judged, View
from companion.vision.doubt import Tilt
from companion.vision.explain import near_wall
from companion.vision.fitting import Task
from companion.vision.flat import flat_verdicts
from companion.vision.pose import DiePose, Fit
from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings
from companion.vision.tray import Tray
from companion.vision.types import Floats, Mask


class BareGround:
    """A box in whose picture no lit felt is seen where a die's sides should be."""

    def is_lit_felt(self, places: Floats, most: float) -> Mask:
        """None of the places."""
        del most
        return np.zeros(len(places), dtype=bool)


def fit(spread_px: float, cost: float, off_px: float, lean_deg: float = 0.0, *, pips: int = 5) -> Fit:
    """A die in the middle of the box that closes so."""
    rad = np.deg2rad(lean_deg)
    turn = np.array([[1, 0, 0], [0, np.cos(rad), -np.sin(rad)], [0, np.sin(rad), np.cos(rad)]])
    flat = pose.flat_pose(0.0, 0.0, 0.0, 16.0)
    at = replace(flat, spread_px=spread_px, rotation=turn @ flat.rotation)
    sites = np.zeros((pips, 2))
    return Fit(pose=at, cost=cost, outline_px=np.zeros(50), pips_px=np.zeros(pips), off_px=off_px, sites=sites)


@pytest.mark.parametrize(
    ("drowned_px", "cost", "off_px", "lean_deg", "unsure"),
    [
        (0.0, 0.3, 0.3, 9.0, False),
        # Its sides drowned, and it fits badly.
        (-0.8, 0.7, 0.3, 5.0, True),
        (-0.8, 0.7, 0.3, 4.0, False),
        (-0.8, 1.0, 0.3, 4.0, True),
        # Nothing but its upper face shows.
        (-2.4, 0.3, 0.3, 3.5, True),
        (-2.4, 0.3, 0.3, 1.0, False),
        # It fits badly, or not well and its pips are off their sites, and a lean is seen.
        (0.1, 1.0, 0.3, 3.5, True),
        (0.1, 1.0, 0.3, 2.5, False),
        (0.1, 0.85, 0.7, 3.5, True),
        (0.1, 0.85, 0.5, 3.5, False),
        (0.1, 1.0, 0.8, 2.5, True),
        # It is of no shape: not even a lean of nothing is believed.
        (0.1, 1.4, 0.3, 0.5, True),
    ],
)
def test_an_outline_may_be_too_poor_to_tell_a_lean(
    drowned_px: float, cost: float, off_px: float, lean_deg: float, *, unsure: bool
) -> None:
    """The worse a die fits lying flat, the smaller the lean that leaves it in doubt."""
    tilt = Tilt(fit=fit(0.2, 1.0, off_px, lean_deg), gain=0.0, flat_cost=cost, propped=True, away=False)

    assert unsure == doubt.untold(tilt, fit(0.2 + drowned_px, cost, off_px), 0.2)


@pytest.mark.parametrize(("lean_deg", "away", "leans"), [(8.0, True, True), (6.0, True, False), (8.0, False, False)])
def test_a_large_lean_is_no_error_of_a_flat_die(lean_deg: float, *, away: bool, leans: bool, tray: Tray) -> None:
    """One of eight degrees away from the wall is heard where it fits about as well as lying flat does."""
    view = SimpleNamespace(tray=tray, settings=ReaderSettings(), ground=BareGround())
    case = Case(SimpleNamespace(level=60.0), SimpleNamespace(fit=fit(0.2, 0.6, 0.3)), [])  # type: ignore[arg-type]
    tilt = Tilt(fit=fit(0.2, 0.62, 0.35, lean_deg), gain=0.0, flat_cost=0.6, propped=True, away=away)

    assert leans == doubt.may_lean(case, tilt, view)  # type: ignore[arg-type]


@pytest.mark.parametrize(("flat_cost", "leans"), [(1.05, True), (0.8, False)])
def test_both_poses_are_held_against_the_same_outline(flat_cost: float, *, leans: bool, tray: Tray) -> None:
    """A die at the wall that leans by six degrees fits as well flat, but on other points of its outline."""
    view = SimpleNamespace(tray=tray, settings=ReaderSettings(), ground=BareGround())
    case = Case(SimpleNamespace(level=60.0), SimpleNamespace(fit=fit(0.2, 0.75, 0.3)), [])  # type: ignore[arg-type]
    tilt = Tilt(fit=fit(0.2, 0.8, 0.3, 6.2), gain=0.0, flat_cost=flat_cost, propped=True, away=True)

    assert leans == doubt.may_lean(case, tilt, view)  # type: ignore[arg-type]


@pytest.mark.parametrize(("pips", "unsure"), [(1, True), (3, True), (4, False)])
def test_few_pips_do_not_tell_how_a_drowned_die_lies(pips: int, *, unsure: bool) -> None:
    """Its sides are not seen, and two pips lie on their sites whichever way it leans by a little."""
    tilt = Tilt(fit=fit(0.2, 0.6, 0.2, 2.0), gain=0.0, flat_cost=0.5, propped=True, away=False)
    level = replace(tilt, fit=fit(0.2, 0.6, 0.2, 1.0))

    assert unsure == doubt.untold(tilt, fit(-1.0, 0.5, 0.2, pips=pips), 0.2)
    assert not doubt.untold(level, fit(-1.0, 0.5, 0.2, pips=pips), 0.2)


def test_dice_of_other_bodies_are_leant_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A die with nothing near is not tried leaning; with one near, whatever became of that, it is."""
    asked: list[tuple[list[Case], View]] = []

    def record(cases: list[Case], view: View, beside: list[DiePose]) -> list[Judged]:
        asked.append((cases, view))
        return flat_verdicts(cases, view, beside)

    monkeypatch.setattr(judge, "flat_verdicts", record)
    (scene,) = islice(examples.scenes(96000, 5, "valid"), 1)
    BoxReader(ReaderSettings(die_mm=scene.dice[0].truth.size_mm)).read(scene.image, look_outside=False)
    cases, view = asked[-1]
    found = next(c for c in cases if doubt.tilted([c], [], view.tray) == [None])
    assert not near_wall(found.solid.fit.pose, view.tray)
    at = found.solid.fit.pose

    edge = np.array([at.size_mm, 0.0, 0.0])
    (near,) = doubt.tilted([found], [replace(at, center_mm=at.center_mm + 1.2 * edge)], view.tray)
    (far,) = doubt.tilted([found], [replace(at, center_mm=at.center_mm + 1.7 * edge)], view.tray)

    assert near is not None
    assert near.propped
    assert far is None


def test_a_small_lean_does_not_bridge_a_gap(tray: Tray) -> None:
    """What is 3.6 mm away is no prop for a lean of 4 degrees, but for one of 12; what touches is one for both."""
    flat = Task(pose=pose.flat_pose(0.0, 0.0, 0.0, 16.0), outline=np.zeros((50, 2)), pips=np.zeros((2, 2)))

    for beside_mm, propped in ((16.0, (True, True)), (19.6, (False, True)), (24.0, (False, False))):
        near = doubt.props(flat.pose, [pose.flat_pose(beside_mm, 0.0, 0.0, 16.0)], tray)
        best = [doubt.best(near, flat, [fit(0.0, 1.0, 0.3), fit(0.0, 1.0, 0.3, lean_deg)]) for lean_deg in (4.0, 12.0)]

        assert propped == tuple(tilt.propped for tilt in best)
