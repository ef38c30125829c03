"""The marker sheet: what a volunteer prints, cuts out and lays around the box.

Everything on it is to scale, and it carries a ruler, because a printer that "fits to page" makes markers that
look right and measure wrong: the camera would take its millimetres from them.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.paper.page import MARGIN_MM, Page, Say

CELLS = 6

PATTERNS = (
    ("......", ".X.XX.", "..X.X.", "...XX.", "...X..", "......"),
    ("......", "......", ".XXXX.", ".X..X.", ".X.X..", "......"),
    ("......", "...XX.", "...XX.", "...X..", ".XX.X.", "......"),
    ("......", ".X..X.", ".X..X.", "..X...", "..XX..", "......"),
)
"""Ids 0 to 3 of the ArUco dictionary 4x4_50 with their black frame, row by row; X is white.

Kept as data because this package must draw them on machines without OpenCV; a test compares them with OpenCV's.

Source: S. Garrido-Jurado et al., "Automatic generation and detection of highly reliable fiducial markers under
occlusion", Pattern Recognition 47 (2014); the dictionary as OpenCV 4 and 5 hold it.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxPlan:
    """Measures of the box and its markers, in mm; the defaults are the standard rig.

    Attributes:
        floor_mm: Inner floor, width and depth.
        wall_mm: Thickness of the walls.
        marker_mm: Side of a marker's black square.
        border_mm: White border around it.
        out_mm: How far a marker's centre lies outside the inner corner, along both axes.
    """

    floor_mm: tuple[float, float] = (240.0, 180.0)
    wall_mm: float = 8.0
    marker_mm: float = 30.0
    border_mm: float = 6.0
    out_mm: float = 40.0

    @property
    def piece_mm(self) -> float:
        """Side of the white square that is cut out."""
        return self.marker_mm + 2 * self.border_mm

    def centres_mm(self) -> tuple[tuple[float, float], ...]:
        """Centres of markers 0 to 3 from the middle of the floor, x right and y down as seen from above."""
        x, y = self.floor_mm[0] / 2 + self.out_mm, self.floor_mm[1] / 2 + self.out_mm
        return ((-x, -y), (x, -y), (x, y), (-x, y))


CORNERS = ("top_left", "top_right", "bottom_right", "bottom_left")
GAP_MM = 4.0
FLAP_MM = 11.0
RULER_MM = 100
PLAN_SCALE = 1 / 3


def marker_sheet(say: Say, plan: BoxPlan | None = None) -> bytes:
    """The sheet as a PDF of one A4 page.

    Args:
        say: The words.
        plan: Measures of the box; the standard rig by default.

    Raises:
        FontMissing: No typeface on this machine has the letters of this language.
    """
    plan = plan or BoxPlan()
    page = Page(say("paper.markers.title"))
    page.text(MARGIN_MM, 22, say("paper.markers.title"), size=18)
    y = page.paragraph(MARGIN_MM, 31, 180, say("paper.markers.scale"), size=10)
    y = page.paragraph(MARGIN_MM, y, 180, say("paper.markers.cut"), size=10)
    y = _pieces(page, y + 1, plan, say)
    y = _ruler(page, y + 10, say)
    _placement(page, y + 12, plan, say)
    return page.finish()


def _pieces(page: Page, top: float, plan: BoxPlan, say: Say) -> float:
    for number, corner in enumerate(CORNERS):
        x = MARGIN_MM + number * (plan.piece_mm + GAP_MM)
        page.box(x, top, plan.piece_mm, plan.piece_mm + FLAP_MM, dashed=True)
        draw_marker(page, x + plan.border_mm, top + plan.border_mm, plan.marker_mm, number)
        # The name hangs below the white border: inside it, it would be part of what the camera looks at.
        middle = x + plan.piece_mm / 2
        page.text(middle, top + plan.piece_mm + 3, f"{number}", size=10, align="middle", grey=0.45)
        page.text(
            middle,
            top + plan.piece_mm + 8,
            say(f"paper.markers.{corner}"),
            size=8,
            align="middle",
            grey=0.45,
        )
    return top + plan.piece_mm + FLAP_MM


def draw_marker(page: Page, x: float, y: float, side_mm: float, number: int) -> None:
    """Draw the black square of one marker with its top left corner at (x, y)."""
    cell = side_mm / CELLS
    page.box(x, y, side_mm, side_mm, fill_grey=0.0, outline=False)
    for row, bits in enumerate(PATTERNS[number]):
        for column, bit in enumerate(bits):
            if bit == "X":
                page.box(x + column * cell, y + row * cell, cell, cell, fill_grey=1.0, outline=False)


def _ruler(page: Page, y: float, say: Say) -> float:
    x = MARGIN_MM
    page.line(x, y, x + RULER_MM, y, width_pt=0.8)
    for tick in range(RULER_MM + 1):
        length = 4.0 if tick % 10 == 0 else 2.8 if tick % 5 == 0 else 1.6
        page.line(x + tick, y, x + tick, y + length, width_pt=0.8 if tick in (0, RULER_MM) else 0.3)
        if tick % 10 == 0:
            page.text(x + tick, y + 8, str(tick), size=7, align="middle")
    page.paragraph(x + RULER_MM + 8, y + 3, 72, say("paper.markers.ruler", length=RULER_MM), size=9)
    return y + 10


def _placement(page: Page, top: float, plan: BoxPlan, say: Say) -> None:
    page.text(MARGIN_MM, top, say("paper.markers.placement"), size=13)
    centres = plan.centres_mm()
    half_piece = plan.piece_mm / 2
    wide = 2 * (centres[1][0] + half_piece) * PLAN_SCALE
    deep = 2 * (centres[2][1] + half_piece) * PLAN_SCALE
    middle_x, middle_y = MARGIN_MM + wide / 2, top + 7 + deep / 2

    def centred(x_mm: float, y_mm: float, width_mm: float, depth_mm: float, **style: float) -> None:
        page.box(
            middle_x + (x_mm - width_mm / 2) * PLAN_SCALE,
            middle_y + (y_mm - depth_mm / 2) * PLAN_SCALE,
            width_mm * PLAN_SCALE,
            depth_mm * PLAN_SCALE,
            fill_grey=style.get("fill_grey"),
        )

    width, depth = plan.floor_mm
    centred(0, 0, width + 2 * plan.wall_mm, depth + 2 * plan.wall_mm, fill_grey=0.8)
    centred(0, 0, width, depth, fill_grey=0.95)
    for number, (x, y) in enumerate(centres):
        centred(x, y, plan.piece_mm, plan.piece_mm)
        side = plan.marker_mm * PLAN_SCALE
        draw_marker(page, middle_x + x * PLAN_SCALE - side / 2, middle_y + y * PLAN_SCALE - side / 2, side, number)
    page.text(middle_x, middle_y - 1, say("paper.markers.floor"), size=9, align="middle")
    page.text(middle_x, middle_y + 4, f"{width:g} × {depth:g} mm", size=9, align="middle")
    _distances(page, middle_x, middle_y, plan)
    x = MARGIN_MM + wide + 6
    page.paragraph(x, top + 12, 210 - MARGIN_MM - x, say("paper.markers.place", out=f"{plan.out_mm:g}"), size=9)


def _distances(page: Page, middle_x: float, middle_y: float, plan: BoxPlan) -> None:
    """The two lengths that matter when laying: from the inner corner to the centre of marker 0."""
    corner_x = middle_x - plan.floor_mm[0] / 2 * PLAN_SCALE
    corner_y = middle_y - plan.floor_mm[1] / 2 * PLAN_SCALE
    out = plan.out_mm * PLAN_SCALE
    page.line(corner_x, corner_y, corner_x, corner_y - out, dashed=True)
    page.line(corner_x - out, corner_y - out, corner_x, corner_y - out, dashed=True)
    page.line(corner_x - out, corner_y, corner_x, corner_y, dashed=True)
    page.line(corner_x - out, corner_y - out, corner_x - out, corner_y, dashed=True)
    page.text(corner_x + 1, corner_y - out / 2 - 3, f"{plan.out_mm:g} mm", size=7)
    page.text(corner_x - out - 1, corner_y - 1.5, f"{plan.out_mm:g} mm", size=7, align="right")
