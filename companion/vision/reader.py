"""Pictures in, readings out: the tray is found and kept, the dice of the box are read against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from companion.vision import (
    colour,
    explain,
    find,
    frame,
    ground,
    judge,
    photo,
    pose,
    rig,
    solve,
    things,
    unmarked,
    unseen,
)
from companion.vision.anchor import Anchor
from companion.vision.beside import BesideSearch
from companion.vision.corners import fit_covered
from companion.vision.heap import Pile
from companion.vision.judge import Judged, Known, View
from companion.vision.mirrored import MirrorSearch
from companion.vision.outside import OutsideSearch
from companion.vision.second import FaceNet
from companion.vision.settings import ReaderSettings, RigGeometry
from companion.vision.tray import Tray, find_markers, fit_tray
from companion.vision.types import DieReading, Floats, Image, Places, Reading

# Edge of a die where nothing tells it: the scale of a photograph.
_USUAL_MM = 16.0
# So many valid dice in one picture settle the size of this rig's dice.
_AGREED = 2
# What lies nearer to each other, in edges, is one die.
_ONE_DIE = 0.7
# How light the felt is at least in what is read, codes: a darker picture is brightened so much, as far as nearly
# nothing is cut off.
_LEAST_LIT, _MOST_CODES = 32.0, 245.0
# From this quality on a die surely lies flat and free.
_LIES_FLAT = 0.7

__all__ = ["BoxReader", "ReaderSettings", "RigGeometry"]


class BoxReader:
    """Reads the dice of one rig, picture by picture.

    The tray is searched in the first picture and again after `settings.markers_every` readings, when the size of the
    picture changes, and when nothing in a picture shows that the box is still where it was (`anchor.py`).
    """

    def __init__(self, settings: ReaderSettings) -> None:
        self._settings = settings
        self._tray: Tray | None = None
        self._anchor: Anchor | None = None
        self._refusal: str | None = None
        self._plan: ground.Plan | None = None
        self._gain = 1.0
        self._view: View | None = None
        self._net = FaceNet()
        self._around_markers: tuple[Tray, Places] | None = None
        self._photo: photo.PhotoReader | None = None
        self._searches: dict[float, OutsideSearch] = {}
        self._sight: tuple[BesideSearch, MirrorSearch] | None = None
        self._reads_left = 0
        self._size_mm = settings.die_mm
        self._last_size_mm = settings.die_mm or settings.die_sizes_mm[-1]
        self._common_px = 0.0

    @property
    def tray(self) -> Tray | None:
        """The tray in use, None before the first picture with markers."""
        return self._tray

    @property
    def refusal(self) -> str | None:
        """What was wrong with the rig when its markers were last searched (see `rig.REFUSALS`), or None."""
        return self._refusal

    def place(self, image: Image) -> Tray | None:
        """Search the tray in a picture and keep it; None when its markers are not seen or the rig is refused."""
        found = self._search(image)
        if found is not None:
            self._tray, self._anchor = found, Anchor.of(image, found)
            self._reads_left = self._settings.markers_every
        return found

    def keep(self, tray: Tray) -> None:
        """Read against this tray from now on; the next picture must show that it lies there."""
        self._tray, self._anchor = tray, None

    def forget(self) -> None:
        """Search the tray anew in the next picture, and choose the size of the dice anew."""
        self._tray, self._anchor, self._refusal, self._view = None, None, None, None
        self._reads_left = 0
        self._size_mm = self._settings.die_mm
        self._common_px = 0.0

    def read(self, image: Image, *, expect: int | None = None, look_outside: bool = True) -> Reading:
        """Everything that can be said about one picture.

        Args:
            image: The picture, shape (rows, cols, 3), BGR, uint8.
            expect: How many dice should lie in the box, when known.
            look_outside: Search the table around the box too; that takes longer than the box itself.

        Returns:
            The reading; it never raises for what the picture shows.
        """
        warnings: list[str] = []
        why = frame.fault(image)
        if why is not None:
            return _nothing(why)
        if self._tray is not None and self._tray.size_px != (image.shape[1], image.shape[0]):
            self.forget()
            return _nothing("size-changed")
        tray = self._placed(image)
        if self._refusal is not None:
            return _nothing(self._refusal)
        if tray is None:
            return self._photograph(image, expect)
        if self._plan is None or self._plan.tray is not tray:
            self._plan = ground.plan(tray)
        seen = ground.look(image, self._plan, min(self._settings.die_sizes_mm))
        white = self._paper(image, tray)
        why = things.floor_fault(seen, white)
        if why is not None:
            return _nothing(why, tray)
        # What is cut off at white looks larger.
        self._gain = max(
            1.0, min(_LEAST_LIT / seen.lit, _MOST_CODES / max(1.0, float(np.percentile(seen.half, 99.95))))
        )
        if self._gain > 1.0:
            image, white = self._brightened(image), white * self._gain
            seen = ground.look(image, self._plan, min(self._settings.die_sizes_mm))
        bodies = find.bodies(seen)
        self._last_size_mm, known = (
            self._vote(bodies, image, tray) if self._size_mm is None else (self._size_mm, Known())
        )
        size_mm = self._last_size_mm
        dice: list[DieReading] = []
        view = View(image=image, tray=tray, settings=self._settings, size_mm=size_mm, net=self._net, ground=seen)
        judged, strange = self._judged(bodies, seen, view, known)
        off_mm = _size_off_mm(judged, tray)
        if abs(off_mm) > rig.MOST_SIZE_OFF_MM and self._settings.die_mm is None:
            self._size_mm = None
            size_mm = self._last_size_mm = min(self._settings.die_sizes_mm, key=lambda s: abs(s - size_mm - off_mm))
            judged, strange = self._judged(bodies, seen, replace(view, size_mm=size_mm), Known())
            off_mm = _size_off_mm(judged, tray)
        warnings.extend(strange)
        if abs(off_mm) > rig.MOST_SIZE_OFF_MM or self._are_others(judged, bodies, image, tray):
            warnings.append("die-size")
            judged = [_of_other_size(one) for one in judged]
        if self._size_mm is None:
            judged = judge.doubt_size(judged, tray)
        judged = judge.doubt_leant_on(judge.doubt_heights(judged, tray, self._common_px, seen.noise))
        self._common_px = judge.common_growth_px(judged, tray) or self._common_px
        dice.extend(self._reading(one, image, tray, white) for one in judged)
        self._view = view
        if look_outside:
            dice = self.joined(dice, self._outside(image, is_known=bool(dice)))
            dice.extend(self.unheard(dice))
        dice.sort(key=lambda d: d.center_px)
        if expect is not None and len(dice) != expect:
            warnings.append("count-differs")
        if len(dice) > self._settings.most_dice:
            warnings.append("dice-many")
        if self._size_mm is None and sum(d.verdict == "valid" for d in dice) >= _AGREED:
            self._size_mm = size_mm
        doubt = bool(warnings) or any(d.verdict != "valid" for d in dice)
        if len(tray.seen) < len(self._settings.rig.marker_ids):
            # Three markers place the box as well as four, and free corners of others as well as whole ones; it is said,
            # and nobody need come for it.
            warnings.append("marker-hidden")
        return Reading(
            dice=tuple(dice),
            needs_referee=doubt,
            scale_px_per_mm=tray.px_per_mm,
            tray_found=True,
            warnings=tuple(warnings),
        )

    def _judged(
        self, bodies: list[find.Body], seen: ground.Ground, view: View, known: Known
    ) -> tuple[list[Judged], tuple[str, ...]]:
        """The dice of one picture, taken for one size, and the codes of what is no die."""
        size_px = view.size_mm * view.tray.px_per_mm * 1.03
        scene = [(body, known.spots.get(id(body)) or solve.spots_of(body, view.image, size_px)) for body in bodies]
        found = list(zip(bodies, judge.judge(scene, view, known), strict=True))
        judged, codes = things.sorted_out(found, seen, view.tray, view.size_mm)
        largest_px = max(self._settings.die_sizes_mm) * view.tray.px_per_mm
        bare = unseen.bare_floor(seen, bodies)
        squares, pieces = things.by_size(unseen.squares(seen, bare, largest_px), size_px)
        places = np.concatenate([unseen.lone_pips(seen, bare, largest_px), squares])
        return judged + judge.around_pips(places, view), things.each_once([*codes, *pieces])

    def _are_others(self, judged: list[Judged], bodies: list[find.Body], image: Image, tray: Tray) -> bool:
        """Whether nothing can be read because the dice are not of the size that was set at calibration."""
        told, lost = self._settings.die_mm, sum(one.verdict == "unreadable" for one in judged)
        if told is None or 2 * lost <= len(judged) or any(one.verdict == "valid" for one in judged):
            return False
        return self._vote(bodies, image, tray)[0] != told

    def outside(self, image: Image, *, is_known: bool) -> list[DieReading]:
        """Dice on the table or the rim.

        Args:
            image: The picture; the tray must have been found in it or before it.
            is_known: Whether dice that were read in the box tell the size.
        """
        return self._outside(self._brightened(image), is_known=is_known)

    def _outside(self, image: Image, *, is_known: bool) -> list[DieReading]:
        tray = self._tray
        if tray is None:
            return []
        white = self._paper(image, tray)
        sizes = (self._last_size_mm,) if is_known or self._settings.die_mm else self._settings.die_sizes_mm
        trials = [(self._around(tray, size).dice(image), size) for size in sizes]
        best, size_mm = max(trials, key=lambda trial: sum(d.number * d.sure for d in trial[0]))
        for search in self._by_sight(tray, size_mm):
            best += search.dice(image, best)
        return [self._reading(die.judged(), image, tray, white) for die in best]

    def unheard(self, told: Sequence[DieReading]) -> list[DieReading]:
        """Dice in the box of the last picture of which only pips are seen, by their light, apart from those told."""
        view, plan = self._view, self._plan
        if view is None or plan is None:
            return []
        places = unseen.pips_by_light(view.image, plan, [die.center_px for die in told], view.size_mm)
        white = self._paper(view.image, view.tray)
        return [self._reading(one, view.image, view.tray, white) for one in judge.around_pips(places, view)]

    def joined(self, inside: Sequence[DieReading], outside: Sequence[DieReading]) -> list[DieReading]:
        """Dice that were read in the box and those found around it, each once.

        What hangs from the rim over the floor is seen in the box, too, but not read there.
        """
        reach_px = _ONE_DIE * self._last_size_mm * (self._tray.px_per_mm if self._tray else 0.0)

        def is_near(die: DieReading, others: Sequence[DieReading]) -> bool:
            return any(np.hypot(*np.subtract(die.center_px, other.center_px)) < reach_px for other in others)

        posed = [die for die in outside if die.lean_deg is not None]
        kept = [die for die in inside if die.why != "no-pattern" or not is_near(die, posed)]
        return [*kept, *(die for die in outside if not is_near(die, kept))]

    def _around(self, tray: Tray, size_mm: float) -> OutsideSearch:
        """The search of the table for one size, kept for as long as the box stays where it is."""
        kept = self._searches.get(size_mm)
        if kept is None or kept.tray is not tray:
            kept = self._searches[size_mm] = OutsideSearch(tray, size_mm, self._net)
        return kept

    def _by_sight(self, tray: Tray, size_mm: float) -> tuple[BesideSearch, MirrorSearch]:
        """The searches for dice whose pips do not tell, for one size, kept for as long as the box stays where it is."""
        kept = self._sight
        if kept is None or kept[0].tray is not tray or kept[0].size_mm != size_mm:
            kept = self._sight = BesideSearch(tray, size_mm, self._net), MirrorSearch(tray, size_mm)
        return kept

    def _photograph(self, image: Image, expect: int | None) -> Reading:
        """A picture without markers: the dice give the scale, and the reading says so.

        What lies in the rig's box must be measured against it, also where none of its markers is in the picture.
        """
        if self._photo is None:
            self._photo = photo.PhotoReader()
        dice, size_px = self._photo.read(image)
        if unmarked.shows_box(image, dice, self._settings):
            return _nothing("markers-few")
        warnings = ["no-tray", *(["scale-from-dice"] if dice else [])]
        if expect is not None and len(dice) != expect:
            warnings.append("count-differs")
        scale = size_px / _USUAL_MM if size_px else None
        doubt = "count-differs" in warnings or any(d.verdict != "valid" for d in dice)
        return Reading(
            dice=dice, needs_referee=doubt, scale_px_per_mm=scale, tray_found=False, warnings=tuple(warnings)
        )

    def _placed(self, image: Image) -> Tray | None:
        held = self._anchor is not None and self._anchor.holds(image)
        if held and self._reads_left > 0:
            self._refusal = None
        elif self.place(image) is None and self._tray is not None:
            if held and self._refusal == "markers-few":
                # Something covers markers that were seen before: the box is where it was.
                self._refusal = None
            elif not held and self._refusal is None:
                self._refusal = "markers-few"
            self._reads_left = self._settings.markers_every
        self._reads_left -= 1
        return self._tray

    def _search(self, image: Image) -> Tray | None:
        markers = find_markers(image, self._settings.rig)
        found = fit_tray(markers, (image.shape[1], image.shape[0]), self._settings.rig)
        self._refusal = rig.refusal(image, found, markers, self._settings.rig)
        if self._refusal == "markers-few" and markers and not (self._anchor is not None and self._anchor.holds(image)):
            # A box that is where it was needs no new tray from less than the old one was made of.
            found = fit_covered(image, markers, self._settings.rig)
            self._refusal = rig.refusal(image, found, markers, self._settings.rig)
        return found if self._refusal is None else None

    def _vote(self, bodies: list[find.Body], image: Image, tray: Tray) -> tuple[float, Known]:
        """The size that the dice of this picture agree on, and what was worked out for it."""
        least = 0.8 * (min(self._settings.die_sizes_mm) * tray.px_per_mm) ** 2
        alone = sorted((b for b in bodies if b.mask.sum() > least), key=lambda b: int(b.mask.sum()))[:6]
        scores: dict[float, float] = {}
        sure: set[float] = set()
        known: dict[float, Known] = {}
        for size in self._settings.die_sizes_mm:
            scene = [(body, solve.spots_of(body, image, size * tray.px_per_mm * 1.03)) for body in alone]
            guessed = solve.guesses(scene, tray, size)
            first = [found[0] for found in guessed if found]
            scores[size] = sum(
                max(0.0, 1.5 + solid.quality - 0.07 * solid.strain - 0.5 * min(solid.fit.cost, 2.0)) for solid in first
            )
            if any(solid.quality > _LIES_FLAT for solid in first):
                sure.add(size)
            known[size] = Known(
                spots={id(body): spots for body, spots in scene},
                solids={id(body): solids for body, solids in zip(alone, guessed, strict=True)},
            )
        if sure or not alone:
            best = max(sure or scores, key=lambda s: scores[s])
            return best, known[best]
        # Nothing lies flat and free: the size that explains the largest heap best.
        heap = alone[-1]
        for size, its in known.items():
            its.ways[id(heap)] = explain.explain(Pile(heap, its.spots[id(heap)], tray, size), its.solids[id(heap)])
        best = min(known, key=lambda s: known[s].ways[id(heap)][0].cost)
        return best, known[best]

    def _brightened(self, image: Image) -> Image:
        """A dim picture as brighter light would show it: what the least differences are is told in codes."""
        return image if self._gain == 1.0 else np.asarray(cv2.convertScaleAbs(image, alpha=self._gain))

    def _paper(self, image: Image, tray: Tray) -> Floats:
        """Colour of the markers' white paper, BGR."""
        if self._around_markers is None or self._around_markers[0] is not tray:
            self._around_markers = (tray, colour.paper_places(tray))
        return colour.paper(image, self._around_markers[1])

    def _reading(self, judged: Judged, image: Image, tray: Tray, white: Floats) -> DieReading:
        at = judged.pose
        hull = pose.silhouette_px(at, tray)
        low, high = hull.min(0), hull.max(0)
        center = tray.project(at.center_mm)
        half_x, half_y = self._settings.rig.floor_mm[0] / 2, self._settings.rig.floor_mm[1] / 2
        verdict, value, why = judged.verdict, judged.value, judged.why
        if abs(at.center_mm[0]) > half_x or abs(at.center_mm[1]) > half_y:
            verdict, value, why = "off_box", None, "outside-floor"
        known = judged.why not in {"no-pattern", "hidden"}
        name = None
        if judged.light_pips is not None:
            bare = judge.bare_colour(image, at, tray)
            name = colour.name_of(bare, white, light_pips=judged.light_pips)
        return DieReading(
            value=value if verdict == "valid" else None,
            verdict=verdict,
            colour=name,
            center_px=(round(float(center[0]), 1), round(float(center[1]), 1)),
            box_px=(int(low[0]), int(low[1]), int(high[0] - low[0]) + 1, int(high[1] - low[1]) + 1),
            outline_px=tuple((round(float(x), 1), round(float(y), 1)) for x, y in hull[::4]),
            lean_deg=round(at.lean_deg, 1) if known else None,
            height_mm=round(at.reach_mm[1], 1) if known else None,
            confidence=round(judged.confidence, 3),
            why=why,
        )


def _size_off_mm(judged: list[Judged], tray: Tray) -> float:
    return rig.size_off_mm([one.pose for one in judged if one.verdict == "valid"], tray)


def _of_other_size(die: Judged) -> Judged:
    """A die that is not of the size that was agreed on: nothing about it is vouched for."""
    if die.verdict != "valid":
        return die
    return replace(die, verdict="unreadable", value=None, confidence=0.3, why="die-size")


def _nothing(why: str, tray: Tray | None = None) -> Reading:
    """The reading of a picture in which no die is vouched for, with the code of why."""
    return Reading(
        dice=(),
        needs_referee=True,
        scale_px_per_mm=None if tray is None else tray.px_per_mm,
        tray_found=tray is not None,
        warnings=(why,),
    )
