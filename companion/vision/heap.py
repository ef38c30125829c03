"""Dice in a heap: leaning on a wall or on each other, or standing on each other.

Theory. Whatever leans or stands on top is seen whole; what lies below is hidden in part. So the topmost die is looked
for first, in any pose. Its upper face shows a whole number in the plane of that face: the spots are laid into a fan
of tilted planes, and in each plane they must make a number just as flat ones do. That proposes place, turn and tilt
together. The fit then takes in the spots of its side faces too, which measure the lean far better than any outline:
every spot inside the silhouette must lie on a site of a visible face, each face must show a number, and neighbouring
faces numbers that may be neighbours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from companion.vision import face, lean, pose, solve
from companion.vision.cubes import Cubes
from companion.vision.find import Body
from companion.vision.fitting import Task, closeness, fit_all
from companion.vision.pose import DiePose
from companion.vision.solve import Solid, Spots
from companion.vision.tray import Tray
from companion.vision.types import Floats, Mask, Places

_LEANS_DEG = {0.0: 1, 13.0: 12, 26.0: 12, 39.0: 18, 50.0: 24}
# How many proposals of one body are fitted.
_MOST = 40
_RIVALS, _RIVALS_FEW, _FEW = 8, 30, 3
# How many of these are fitted again with all spots inside them, and what a spot more is worth in choosing them.
_FITTED, _PER_SPOT = 20, 0.1
# Ends of fits so near to each other are one.
_SAME_MM, _SAME_DEG = 0.1, 0.5
# Starts so near to each other, with the same spots, end in one place.
_NEAR_MM, _NEAR_DEG = 0.5, 3.0
# A die rests on the floor if it closes there as honest noise lets it, or unless it looks clearly better up to so many
# edges above it.
_CLOSES, _HANGS, _HIGHEST = 1.0, 0.7, 1.1
# What scores less is no die wherever it is put.
_LEAST_SCORE = -4.0
# A side in shadow shows weaker spots than the upper face; a spot weaker than the second share is no sign of anything.
_FAINT, _SHOWN, STRONG = 0.13, 0.2, 0.3
_ALIKE = 0.36
_ON_SITE = 0.17
_SEEN, _WELL_SEEN, _PLAINLY_SEEN = 0.15, 0.4, 0.5
# A silhouette lies off its body by so much of itself because its edge is rough.
_OFF_BY_NOISE = 0.03


def _planes() -> Floats:
    """Rotations that lay the floor's plane into each tilted one, shape (n, 3, 3)."""
    return np.array(
        [
            lean.tilt(float(azimuth), math.radians(degrees))
            for degrees, ways in _LEANS_DEG.items()
            for azimuth in np.arange(ways) * 2 * math.pi / ways
        ]
    )


PLANES = _planes()


@dataclass(frozen=True, slots=True)
class Pile:
    """A body with its spots, under a camera, and the edge of the dice that it is made of."""

    body: Body
    spots: Spots
    tray: Tray
    size_mm: float

    def off_body(self, found: pose.Fit) -> float:
        """Share of a die's silhouette that lies off the body, as much of it as tells against the die.

        Where a body hardly differs from the ground some of it is not seen.
        """
        off = max(0.0, solve.spill(self.body, found, self.tray) - _OFF_BY_NOISE)
        return off * min(1.0, self.body.plain)


@dataclass(frozen=True, slots=True)
class _Start:
    """Where the fit of a die begins, the spots inside it, and their polarity."""

    task: Task
    inside: list[int]
    sign: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A die in any pose, with what it explains.

    Attributes:
        solid: The die, its fit and its spots.
        stray: How many strong spots inside its silhouette lie on no site of a visible face.
        wrong: How many of its faces show no number, or one that can't be beside the others.
        spill: Share of its silhouette that lies off the body and tells against it.
        faces: How many of its faces show a whole number and are seen well enough to tell how it leans.
        start: Where its fit began.
    """

    solid: Solid
    stray: int
    wrong: int
    spill: float
    faces: int
    start: _Start

    @property
    def score(self) -> float:
        """Order in which topmost dice are tried."""
        return (
            len(self.solid.spots) - 3.0 * self.stray - 3.0 * self.wrong - 25.0 * self.spill - 2.0 * self.solid.fit.cost
        )


@dataclass(frozen=True, slots=True)
class _Proposals:
    """Poses in which some spots make a whole number on a tilted upper face.

    Attributes:
        center: Middles, mm, shape (n, 3).
        turn: Die to world, shape (n, 3, 3).
        taken: Which spots of the body make the number, shape (n, m).
        sign: Their polarity, shape (n,).
    """

    center: Floats
    turn: Floats
    taken: Mask
    sign: Floats

    def only(self, rows: Places) -> _Proposals:
        """Some of the proposals."""
        return _Proposals(self.center[rows], self.turn[rows], self.taken[rows], self.sign[rows])


def _proposals(pile: Pile) -> _Proposals:
    """Poses in which some spots make a whole number on a tilted upper face, those that explain the body best."""
    body, spots, tray, size_mm = pile.body, pile.spots, pile.tray, pile.size_mm
    x, y, w, h = body.box_px
    middle = np.append(tray.lift(np.array([[x + w / 2, y + h / 2]]), size_mm)[0], size_mm)
    to_middle, normals = middle - tray.position_mm, PLANES[:, :, 2]
    parts = []
    for sign in (1.0, -1.0):
        index = np.flatnonzero((spots.sign == sign) & (spots.contrast > _SHOWN * spots.contrast.max(initial=0.0)))
        if not len(index):
            continue
        on_floor = np.column_stack([tray.lift(spots.at_px[index], size_mm), np.full(len(index), size_mm)])
        rays = on_floor - tray.position_mm
        reach = (normals @ to_middle)[:, None] / (normals @ rays.T)
        local = (rays * reach[..., None] - to_middle) @ PLANES
        found = face.guesses(local[..., :2], spots.contrast[index], size_mm, pose.PITCH)
        taken = np.zeros((len(found.value), len(spots.sign)), dtype=bool)
        taken[:, index] = found.taken
        rows, turn = _turns(found, _alike(spots, taken))
        rows, turn = _nearest(found, rows, turn)
        plane = PLANES[found.plane[rows]]
        in_plane = np.column_stack([found.middle_mm[rows], np.full(len(rows), -size_mm / 2)])
        parts.append(
            _Proposals(
                middle + (plane @ in_plane[..., None])[..., 0],
                plane @ lean.spins(turn),
                taken[rows],
                np.full(len(rows), sign),
            )
        )
    if not parts:
        return _Proposals(np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros((0, 0), bool), np.zeros(0))
    joined = _Proposals(
        np.concatenate([p.center for p in parts]),
        np.concatenate([p.turn for p in parts]),
        np.concatenate([p.taken for p in parts]),
        np.concatenate([p.sign for p in parts]),
    )
    return _closest(joined, pile)


def _alike(spots: Spots, taken: Mask) -> Mask:
    """Rows of spots that are about of one size and one strength; `solve.alike` for many rows."""
    area, contrast = (np.where(taken, values, np.nan) for values in (spots.area_px, spots.contrast))
    alike = np.nanmax(area, axis=1) <= 2.6 * np.nanmin(area, axis=1)
    return np.asarray(alike & (np.nanmax(contrast, axis=1) <= 4.0 * np.nanmin(contrast, axis=1)))


def _turns(found: face.Guesses, wanted: Mask) -> tuple[Places, Floats]:
    """The guesses that are wanted and how the die is turned in each; where one pip leaves that open, three turns."""
    rows = np.flatnonzero(wanted)
    one = found.value[rows] == 1
    times = np.where(one, 3, 1)
    rows = np.repeat(rows, times)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(times) - times, times)
    return rows, np.where(np.repeat(one, times), place * (math.pi / 6), found.turn_rad[rows])


def _nearest(found: face.Guesses, rows: Places, turn: Floats) -> tuple[Places, Floats]:
    """Of all planes in which the same spots make a number those in which they do so best."""
    sets: dict[bytes, int] = {}
    words = np.packbits(found.taken[rows], axis=1)
    raw, width = words.tobytes(), words.shape[1]
    keys = (raw[at : at + width] for at in range(0, len(raw), width))
    label = np.array([sets.setdefault(key, len(sets)) for key in keys], dtype=np.int64)
    order = np.lexsort((found.miss[rows], label))
    rank = np.arange(len(order)) - np.searchsorted(label[order], label[order])
    kept = order[rank < np.where(found.value[rows[order]] <= _FEW, _RIVALS_FEW, _RIVALS)]
    return rows[kept], turn[kept]


def _closest(proposals: _Proposals, pile: Pile) -> _Proposals:
    """The proposals that explain the outline and all spots around them best, before any is fitted."""
    body, spots, tray, size_mm = pile.body, pile.spots, pile.tray, pile.size_mm
    count = len(proposals.sign)
    if count <= _MOST:
        return proposals
    middle = tray.project(proposals.center)
    outline = solve.near_all(body.outline, middle, size_mm, tray)
    at = spots.at_px.T
    gap = np.hypot(at[0] - middle[:, :1], at[1] - middle[:, 1:])
    near = (gap < 0.62 * size_mm * tray.px_per_mm) | proposals.taken
    near &= spots.sign == proposals.sign[:, None]
    # Half of the outline is enough to order them.
    outline &= np.cumsum(outline, axis=1) % 2 == 1
    cubes = Cubes.of(
        tray,
        center=proposals.center,
        turn=proposals.turn,
        size_mm=size_mm,
        outline=(body.outline[:: solve.THIN], outline),
        spots=(spots.at_px, near),
    )
    order = np.argsort(closeness(cubes))[:_MOST]
    return proposals.only(order)


def standings(pile: Pile) -> list[Standing]:
    """Dice in any pose that may be the topmost of a body, best first."""
    starts = _promising(pile)
    reached: list[tuple[_Start, pose.Fit]] = []
    for start, found in zip(starts, fit_all([start.task for start in starts], pile.tray, rounds=7), strict=True):
        # The same pose is reached from many starts; once is enough.
        if not any(start.inside == other.inside and _same(found, there) for other, there in reached):
            reached.append((start, found))
    return _hung(pile, _ranked([_standing(pile, found, start) for start, found in reached]))


def _ranked(found: list[Standing | None]) -> list[Standing]:
    return _distinct(sorted((one for one in found if one is not None), key=lambda one: -one.score))


def _promising(pile: Pile) -> list[_Start]:
    """Fits on the floor that are to begin where a short one led, of those that closed best."""
    body, spots, tray, size_mm = pile.body, pile.spots, pile.tray, pile.size_mm
    proposals = _proposals(pile)
    wanted = solve.near_all(body.outline, tray.project(proposals.center), size_mm, tray)
    thin = [body.outline[:: solve.THIN][near] for near in wanted]
    first = fit_all(
        [
            Task(
                pose=DiePose(center_mm=center, rotation=turn, size_mm=size_mm),
                outline=near,
                pips=spots.at_px[taken],
                free=True,
                base_mm=(0.0, _HIGHEST * size_mm),
                reach_px=4.0,
            )
            for center, turn, taken, near in zip(proposals.center, proposals.turn, proposals.taken, thin, strict=True)
        ],
        tray,
        rounds=2,
    )
    starts: list[_Start] = []
    for i in sorted(range(len(first)), key=lambda i: first[i].cost - _PER_SPOT * int(proposals.taken[i].sum())):
        sign = float(proposals.sign[i])
        inside = _inside(spots, sign, first[i].pose, tray)
        if not set(np.flatnonzero(proposals.taken[i]).tolist()) <= set(inside):
            continue
        if any(inside == other.inside and _near(first[i].pose, other.task.pose) for other in starts):
            # What many short fits led to is tried once, so that others are tried too.
            continue
        task = Task(pose=first[i].pose, outline=thin[i], pips=spots.at_px[inside], free=True, reach_px=3.0)
        starts.append(_Start(task, inside, sign))
        if len(starts) == _FITTED:
            break
    return starts


def _near(one: DiePose, other: DiePose) -> bool:
    """Whether two fits that begin in these places would end in one."""
    return bool(
        np.abs(one.center_mm - other.center_mm).max() < _NEAR_MM and abs(one.lean_deg - other.lean_deg) < _NEAR_DEG
    )


def _same(one: pose.Fit, other: pose.Fit) -> bool:
    """Whether two fits ended in the same place."""
    near = np.abs(one.pose.center_mm - other.pose.center_mm).max() < _SAME_MM
    return bool(near and abs(one.pose.lean_deg - other.pose.lean_deg) < _SAME_DEG)


def _hung(pile: Pile, found: list[Standing]) -> list[Standing]:
    """The same; of those that don't close on the floor, lifted to where they look clearly better than there."""
    ill = [one for one in found if one.solid.fit.cost > _CLOSES and one.score > _LEAST_SCORE]
    base = (0.0, _HIGHEST * pile.size_mm)
    fits = fit_all([replace(one.start.task, base_mm=base) for one in ill], pile.tray, rounds=7)
    better = {
        id(one): _standing(pile, fit, one.start)
        for one, fit in zip(ill, fits, strict=True)
        if fit.cost < _HANGS * one.solid.fit.cost
    }
    return _ranked([better.get(id(one), one) for one in found]) if better else found


def _inside(spots: Spots, sign: float, at: DiePose, tray: Tray) -> list[int]:
    """Strong spots of one polarity within a silhouette."""
    far = pose.outside_px(spots.at_px, pose.silhouette_px(at, tray))
    return np.flatnonzero(
        (far < 0.5) & (spots.sign == sign) & (spots.contrast > _FAINT * spots.contrast.max())
    ).tolist()


def _standing(pile: Pile, found: pose.Fit, start: _Start) -> Standing | None:
    """What a fitted pose explains; None when neither its upper face nor a side that is seen plainly shows a number."""
    spots, tray, inside = pile.spots, pile.tray, start.inside
    at = found.pose
    limit = max(1.2, _ON_SITE * at.size_mm * tray.px_per_mm * at.pitch / pose.PITCH * 0.6)
    side_of, contrast = found.sites[:, 0], spots.contrast[inside]
    # The pips of one face are lit alike: a much weaker spot on it is a highlight or a corner.
    lit = np.array([contrast[(side_of == side) & (found.pips_px < limit)].max(initial=0.0) for side in range(6)])
    weak = contrast < _ALIKE * lit[side_of]
    on = (found.pips_px < limit) & ~weak
    seen = at.seen_faces(tray)
    faces: dict[int, int] = {}
    wrong = 0
    for side in np.flatnonzero(seen > _SEEN).tolist():
        here = side_of == side
        taken, number = _number(found, on & here)
        if number is None and (weak & here).any():
            # The edge of a shadow may lie across the face.
            number = _number(found, (found.pips_px < limit) & here)[1]
            on |= here & (found.pips_px < limit) & (number is not None)
        if number is not None:
            faces[side] = number
        elif side == at.top or (taken and seen[side] > _PLAINLY_SEEN):
            wrong += 1
    top = faces.get(at.top)
    if top is None and not any(seen[side] > _PLAINLY_SEEN for side in faces):
        return None
    wrong += sum(number in (top, 7 - (top or 0)) for side, number in faces.items() if side != at.top)
    return Standing(
        solid=Solid(
            fit=found,
            value=top,
            support=0.0,
            excess=0.0,
            sign=start.sign,
            spots=tuple(i for i, good in zip(inside, on | weak, strict=True) if good),
            pips_px=spots.at_px[inside][on],
        ),
        stray=int((~on & ~weak & (contrast > STRONG * spots.contrast.max())).sum()),
        wrong=wrong,
        spill=pile.off_body(found),
        faces=sum(1 for side in faces if seen[side] > _WELL_SEEN) if not wrong else 1,
        start=start,
    )


def _number(found: pose.Fit, spots: Mask) -> tuple[list[int], int | None]:
    """The sites of one face on which some spots lie, and the number that they make."""
    taken = found.sites[spots][:, 1].tolist()
    return taken, face.PATTERNS.get(frozenset(taken)) if len(set(taken)) == len(taken) else None


def _distinct(standings_: list[Standing]) -> list[Standing]:
    """The best of each pose."""
    out: list[Standing] = []
    for one in standings_:
        at = one.solid.fit.pose
        if all(
            np.hypot(*(at.center_mm - o.solid.fit.pose.center_mm)[:2]) > 0.1 * at.size_mm
            or abs(at.lean_deg - o.solid.fit.pose.lean_deg) > 6.0
            for o in out
        ):
            out.append(one)
    return out
