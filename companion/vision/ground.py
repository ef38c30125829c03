"""The ground of the box: which pixels are felt or wall, and how far the others are from being so.

Theory. Light and shadow move a surface's colour along the line from black through its own colour. The distance of
a pixel from the felt's line is therefore blind to shadows and still large for every die that is not felt green,
even in the dark corner under a wall. The same holds for the four inner walls, each with a line of its own. Every
other pixel is enough to see where anything is at all; only there the picture is measured pixel by pixel.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.tray import Tray
from companion.vision.types import Floats, Image, Mask, Places

# A wall that shows fewer pixels than this has no colour of its own.
_LEAST_WALL_PX = 50
# Cosine between the colours of lit and shaded felt; below it the dark part is something else.
_SAME_FELT = 0.93
# Squared sine between two colours below which they are one.
_ONE_LINE = 1e-4
# From this share of the lit felt's light on felt is no shadow.
_LIT_SHARE = 0.5
# So many pixels tell the colour of a surface.
_ENOUGH = 600
# Side of the square, at half size, within which a body must stand out by some pixels.
_CROWD_PX = 5
# So many of them always do: where a mm is many px the square lies within a body, and no more than all of it stands out.
_MOST_CROWD = _CROWD_PX**2 / 2
_ONES = np.ones(3, dtype=np.float32)
_SUM = np.ones((1, 3), dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Where the box lies in every picture of one camera: worked out once, used for all pictures.

    Attributes:
        tray: The camera over the box.
        window: Rows and columns of the picture that hold the box.
        floor: Inside the inner floor as projected at floor height, shape of the window.
        inside: Inside the walls' upper inner edge, less a few pixels: floor and inner walls.
        walls: One mask per inner wall that is seen.
        seams: The line where each of these walls meets the floor.
        coarse_floor: Some places of the floor at half size, as indices into the flattened picture.
        coarsest_floor: The same at a quarter of the size.
        coarse_inside: The inside at half size.
        coarse_walls: The places of each wall at half size, as indices.
        coarse_seams: The places of each seam at half size, as indices.
    """

    tray: Tray
    window: tuple[slice, slice]
    floor: Mask
    inside: Mask
    walls: tuple[Mask, ...]
    seams: tuple[Mask, ...]
    coarse_floor: Places
    coarsest_floor: Places
    coarse_inside: Mask
    coarse_walls: tuple[Places, ...]
    coarse_seams: tuple[Places, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The part of a picture that holds the box, and how far its pixels are from being felt or wall.

    Attributes:
        origin_px: Left and top of the part in the whole picture.
        smooth: The part, BGR, with the grain taken off.
        lines: Unit colours of the felt, lit and in shadow.
        far: Distance from the colour line of the ground under each pixel, shape (rows, cols), float32; worked out
            within `windows`, zero elsewhere.
        noise: Robust standard deviation of `far` on bare ground.
        limit: From this `far` on a pixel is no ground.
        lit: How light the felt is where no shadow falls, along its first colour.
        least_px: Pixels of a quarter of the smallest die's face.
        half: The part at half size.
        open_floor: Some places of the floor at a quarter of the size, as indices.
        floor: Inside the inner floor as projected at floor height.
        inside: Inside the walls' upper inner edge: floor and inner walls.
        windows: Rows and columns around everything that is no ground.
    """

    origin_px: tuple[int, int]
    smooth: Image
    lines: list[Floats]
    far: Floats
    noise: float
    limit: float
    lit: float
    least_px: float
    half: Image
    open_floor: Places
    floor: Mask
    inside: Mask
    windows: tuple[tuple[slice, slice], ...]

    def is_lit_felt(self, places: Floats, most: float) -> Mask:
        """Which places, px of the whole picture, shape (n, 2), show plain felt on which light falls.

        Args:
            places: The places.
            most: How far they may be from the felt's colour; the limit at most counts.
        """
        rows, columns = self.far.shape
        column, row = np.round(places - self.origin_px).astype(int).T
        inside = (row >= 0) & (column >= 0) & (row < rows) & (column < columns)
        row, column = row * inside, column * inside
        felt = self.floor[row, column] & (self.far[row, column] < min(most, self.limit)) & inside
        return np.asarray(felt & (self.smooth[row, column] @ self.lines[0] > _LIT_SHARE * self.lit))

    def light_of(self, part: Image) -> Floats:
        """How much of the felt's own colour each pixel of a part holds, shape (rows, cols), float32."""
        return np.asarray(cv2.transform(part.astype(np.float32), np.array(self.lines[:1], dtype=np.float32)))

    def bare(self) -> float:
        """What `far` of a softer picture is on bare ground."""
        softer: Floats = _halved(cv2.GaussianBlur(self.half, (5, 5), 0.8)).astype(np.float32)
        return _share(off_lines(softer, self.lines).ravel()[self.open_floor], 0.4)


def _polygon(shape: tuple[int, int], points: Floats) -> Mask:
    mask = np.zeros(shape, dtype=np.uint8)
    cv2.fillPoly(mask, [np.round(points).astype(np.int32)], 1)
    return mask.astype(bool)


def _rim(tray: Tray, z_mm: float, out_mm: float = 0.0) -> Floats:
    x, y = tray.geometry.floor_mm[0] / 2 + out_mm, tray.geometry.floor_mm[1] / 2 + out_mm
    return tray.project(np.array([[-x, y, z_mm], [x, y, z_mm], [x, -y, z_mm], [-x, -y, z_mm]]))


def _share(values: Floats, share: float) -> float:
    """The value below which a share of all values lies; some times as quick as the general quantile."""
    place = min(len(values) - 1, int(share * len(values)))
    return float(np.partition(values, place)[place])


def line_of(colours: Floats) -> Floats:
    """Unit colour of the bright half of pixels of one surface, shape (3,)."""
    colours = colours[:: max(1, len(colours) // _ENOUGH)]
    bright = colours @ _ONES
    chosen = colours[bright >= _share(bright, 0.5)]
    units = chosen / np.maximum(np.sqrt(np.einsum("ij,ij->i", chosen, chosen)), 1.0)[:, None]
    line = np.partition(np.ascontiguousarray(units.T), len(units) // 2, axis=1)[:, len(units) // 2]
    return np.asarray(line / max(float(np.sqrt(line @ line)), 1e-6))


def off_lines(image: Floats, lines: list[Floats]) -> Floats:
    """Distance of each pixel from the nearest of some lines through black, shape (rows, cols), float32."""
    # One line at a time: a reduction over a short last axis is the slowest way through an array.
    along = cv2.transform(image, np.array(lines[:1], dtype=np.float32))
    for line in lines[1:]:
        along = cv2.max(along, cv2.transform(image, np.array([line], dtype=np.float32)))
    square = cv2.transform(cv2.multiply(image, image), _SUM)
    return np.asarray(cv2.sqrt(cv2.max(cv2.subtract(square, cv2.multiply(along, along)), 0.0)))


def _felt_lines(colours: Floats) -> list[Floats]:
    """The felt's own colour, and that of felt in shadow, where the light has another tint."""
    bright = colours @ _ONES
    dark = colours[bright < 0.6 * _share(bright, 0.5)]
    lines = [line_of(colours)]
    if len(dark) > 0.01 * len(colours):
        shaded = line_of(dark)
        if float(shaded @ lines[0]) > _SAME_FELT:
            lines.append(shaded)
    return lines


def plan(tray: Tray, margin_mm: float = 12.0) -> Plan:
    """Where the box lies in every picture of a camera."""
    corners = np.concatenate([_rim(tray, tray.geometry.wall_height_mm, margin_mm), _rim(tray, 0.0, margin_mm)])
    left, top = np.maximum(np.floor(corners.min(0)).astype(int), 0)
    right, bottom = np.minimum(np.ceil(corners.max(0)).astype(int) + 1, tray.size_px)
    # An even number of rows and columns is halved without a margin.
    right, bottom = right - (right - left) % 2, bottom - (bottom - top) % 2
    shift = np.array([left, top], dtype=np.float64)
    shape = (int(bottom - top), int(right - left))
    low, high = _rim(tray, 0.0) - shift, _rim(tray, tray.geometry.wall_height_mm) - shift
    floor, inside = _polygon(shape, low), _polygon(shape, high)
    walls, seams = [], []
    for side in range(4):
        after = (side + 1) % 4
        wall = _polygon(shape, np.array([low[side], low[after], high[after], high[side]])) & ~floor
        if wall.sum() < _LEAST_WALL_PX:
            continue
        seam = np.zeros(shape, dtype=np.uint8)
        ends = np.round(low[[side, after]]).astype(int)
        cv2.line(seam, ends[0].tolist(), ends[1].tolist(), 1, 3)
        walls.append(wall)
        seams.append(seam > 0)
    inside &= cv2.erode(inside.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    return Plan(
        tray=tray,
        window=(slice(int(top), int(bottom)), slice(int(left), int(right))),
        floor=floor,
        inside=inside,
        walls=tuple(walls),
        seams=tuple(seams),
        coarse_floor=np.flatnonzero(floor[::2, ::2])[::17],
        coarsest_floor=np.flatnonzero(floor[::4, ::4])[::5],
        coarse_inside=np.ascontiguousarray(inside[::2, ::2]),
        coarse_walls=tuple(np.flatnonzero(wall[::2, ::2]) for wall in walls),
        coarse_seams=tuple(np.flatnonzero(seam[::2, ::2]) for seam in seams),
    )


@dataclass(frozen=True, slots=True)
class _Wall:
    """The colour of one inner wall beside the felt.

    Attributes:
        line: Its unit colour.
        rough: How rough it is beside the felt.
        most: The most of it that a pixel of the seam holds.
        mixed: Unit colours of felt and wall, as columns, shape (3, 2).
        parts: From a colour to how much of each it holds, shape (2, 3).
    """

    line: Floats
    rough: float
    most: float
    mixed: Floats
    parts: Floats


def _parts_of(pair: Floats) -> Floats:
    """From a colour to how much of each of two unit colours it holds: the pseudo-inverse of these, shape (2, 3)."""
    fine = pair.astype(np.float64)
    both = fine.T @ fine
    det = float(both[0, 0] * both[1, 1] - both[0, 1] * both[1, 0])
    if det < _ONE_LINE:
        # Felt and wall may have the same line: in the dark, or where the picture is blown out.
        return np.asarray(np.linalg.pinv(pair))
    turned = np.array([[both[1, 1], -both[0, 1]], [-both[1, 0], both[0, 0]]])
    return np.asarray((turned @ fine.T / det).astype(pair.dtype))


class _Measure:
    """How far pixels are from felt and walls, for any part of the box."""

    def __init__(self, coarse: Image, plan: Plan) -> None:
        half: Floats = coarse.astype(np.float32)
        colours = half.reshape(-1, 3)
        self.plan = plan
        felt = colours[plan.coarse_floor]
        self.lines = _felt_lines(felt)
        self.lit = _share(felt @ self.lines[0], 0.5)
        far = off_lines(half, self.lines)
        self.noise = max(0.6, _share(far.ravel()[plan.coarse_floor], 0.3) / 0.85)
        self.limit = max(6.0 * self.noise, 7.0)
        self.walls = [self._wall(colours[places[:: max(1, len(places) // _ENOUGH)]]) for places in plan.coarse_walls]
        self.coarse = far
        flat = far.ravel()
        for wall, whole, line in zip(self.walls, plan.coarse_walls, plan.coarse_seams, strict=True):
            # What is felt already need not be wall too.
            on, seam = whole[flat[whole] > self.limit], line[flat[line] > self.limit]
            flat[on] = self._off_wall(flat[on], colours[on], wall)
            flat[seam] = self._off_seam(flat[seam], colours[seam], wall)

    def _wall(self, colours: Floats) -> _Wall:
        line = line_of(colours)
        rough = max(1.0, _share(_off_line(colours, line), 0.6) / (1.6 * self.noise))
        pair = np.column_stack([self.lines[0], line])
        return _Wall(line, rough, 1.25 * _share(colours @ line, 0.5), pair, _parts_of(pair))

    def _off_wall(self, far: Floats, colours: Floats, wall: _Wall) -> Floats:
        return np.asarray(np.minimum(far, _off_line(colours, wall.line) / wall.rough))

    def _off_seam(self, far: Floats, colours: Floats, wall: _Wall) -> Floats:
        """Where felt and wall meet, a pixel holds some of each: so much of either as there is light on it, no more."""
        parts = colours @ wall.parts.T
        rest = colours - parts @ wall.mixed.T
        mixed = (parts[:, 0] > -4.0) & (parts[:, 1] > -4.0) & (parts[:, 1] < wall.most)
        return np.asarray(np.where(mixed, np.minimum(far, np.sqrt(np.einsum("ij,ij->i", rest, rest))), far))

    def fine(self, smooth: Image, part: tuple[slice, slice]) -> Floats:
        """Distances at full size within one part."""
        colours: Floats = smooth[part].astype(np.float32)
        far = off_lines(colours, self.lines)
        for wall, mask, seam in zip(self.walls, self.plan.walls, self.plan.seams, strict=True):
            on, here = mask[part], seam[part]
            if on.any():
                far[on] = self._off_wall(far[on], colours[on], wall)
            if here.any():
                far[here] = self._off_seam(far[here], colours[here], wall)
        return far


def _off_line(colours: Floats, line: Floats) -> Floats:
    """Distance of colours, shape (n, 3), from a line through black, shape (n,)."""
    along = colours @ line
    return np.asarray(np.sqrt(np.maximum(np.einsum("ij,ij->i", colours, colours) - along * along, 0.0)))


def _halved(image: Image) -> Image:
    """Every other pixel of every other row; quicker than a slice that is made whole again."""
    rows, columns = image.shape[:2]
    odd = rows % 2 or columns % 2
    even = cv2.copyMakeBorder(image, 0, rows % 2, 0, columns % 2, cv2.BORDER_REPLICATE) if odd else image
    half = ((columns + 1) // 2, (rows + 1) // 2)
    return np.asarray(cv2.resize(even, half, interpolation=cv2.INTER_NEAREST), dtype=np.uint8)


def look(image: Image, plan: Plan, smallest_mm: float) -> Ground:
    """The box part of a picture, measured against its own felt and walls.

    Every other pixel tells where anything is at all; only there the picture is measured pixel by pixel.
    """
    part = image[plan.window]
    smooth = np.asarray(cv2.GaussianBlur(part, (5, 5), 0.8), dtype=np.uint8)
    half = _halved(smooth)
    measure = _Measure(half, plan)
    size_px = smallest_mm * plan.tray.px_per_mm
    strong = (measure.coarse > measure.limit) & plan.coarse_inside
    crowd = min(0.25 * size_px**2 / 32, _MOST_CROWD)
    windows = _windows(strong, crowd, int(0.5 * size_px), plan.floor.shape)
    far: Floats = np.zeros(plan.floor.shape, dtype=np.float32)
    for window in windows:
        far[window] = measure.fine(smooth, window)
    return Ground(
        origin_px=(plan.window[1].start, plan.window[0].start),
        smooth=smooth,
        lines=measure.lines,
        far=far,
        noise=measure.noise,
        limit=measure.limit,
        lit=measure.lit,
        least_px=0.25 * size_px**2,
        half=half,
        open_floor=plan.coarsest_floor,
        floor=plan.floor,
        inside=plan.inside,
        windows=windows,
    )


def _windows(strong: Mask, least: float, room_px: int, shape: tuple[int, ...]) -> tuple[tuple[slice, slice], ...]:
    """Rectangles at full size around what stands out at half size, none touching another."""
    # Grain is scattered, a body is not: where few neighbours stand out too, nothing does.
    dense = cv2.boxFilter(strong.astype(np.uint8), -1, (_CROWD_PX, _CROWD_PX), normalize=False) >= least
    room = room_px // 2 * 2 + 1
    mask = cv2.dilate(dense.astype(np.uint8), np.ones((room, room), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    boxes: list[tuple[int, int, int, int]] = []
    for contour in contours:
        x, y, w, h = cv2.boundingRect(contour)
        box = (x, y, x + w, y + h)
        # Two rectangles that touch make one that is wider than both, which may touch a third.
        while met := [other for other in boxes if _touch(box, other)]:
            boxes = [other for other in boxes if other not in met]
            left, top, right, bottom = zip(box, *met, strict=True)
            box = (min(left), min(top), max(right), max(bottom))
        boxes.append(box)
    return tuple(
        (slice(2 * top, min(2 * bottom, shape[0])), slice(2 * left, min(2 * right, shape[1])))
        for left, top, right, bottom in sorted(boxes, key=lambda b: (b[1], b[0]))
    )


def _touch(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> bool:
    """Whether rectangles (left, top, right, bottom) overlap or touch, if only at a corner."""
    across = one[0] <= other[2] and other[0] <= one[2]
    return across and one[1] <= other[3] and other[1] <= one[3]
