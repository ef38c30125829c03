"""One A4 page, measured as a person measures it: millimetres from the top left corner."""

from __future__ import annotations

from io import BytesIO
from typing import Literal, Protocol

from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas

from companion.paper.fonts import face_for

WIDTH_MM = 210.0
HEIGHT_MM = 297.0
MARGIN_MM = 15.0
SMALLEST_PT = 6.5
_PT_PER_MM = float(mm)


class Say(Protocol):
    """Whoever knows the words."""

    def __call__(self, key: str, /, **values: object) -> str:
        """The sentence of a key, its values filled in."""


class Page:
    """A document of A4 pages, drawn from the top left in mm; font sizes are in points, as printers count them.

    Args:
        title: Title of the document as PDF readers show it.
    """

    def __init__(self, title: str) -> None:
        self._buffer = BytesIO()
        # `invariant` leaves the date out: the same sheet is the same file, and can be compared.
        self._canvas = Canvas(self._buffer, pagesize=A4, invariant=1)
        self._canvas.setTitle(title)
        self._canvas.setAuthor("table companion")
        # A reader that shrinks the page to the printer's margins would spoil everything drawn to scale.
        self._canvas.setViewerPreference("PrintScaling", "None")

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 10,
        align: Literal["left", "middle", "right"] = "left",
        grey: float = 0.0,
    ) -> None:
        """Write one line with its baseline at y.

        Raises:
            FontMissing: No typeface here has all the letters.
        """
        self._canvas.setFont(face_for(text), size)
        self._canvas.setFillGray(grey)
        across, up = x * _PT_PER_MM, (HEIGHT_MM - y) * _PT_PER_MM
        if align == "left":
            self._canvas.drawString(across, up, text)
        elif align == "middle":
            self._canvas.drawCentredString(across, up, text)
        else:
            self._canvas.drawRightString(across, up, text)

    def paragraph(self, x: float, y: float, width: float, text: str, *, size: float = 10) -> float:
        """Write a text broken into lines.

        Returns:
            The baseline for what comes below it, in mm.
        """
        line = ""
        for word in text.split():
            longer = f"{line} {word}".strip()
            if line and text_width(longer, size=size) > width:
                self.text(x, y, line, size=size)
                y, line = y + line_height(size), word
            else:
                line = longer
        if line:
            self.text(x, y, line, size=size)
            y += line_height(size)
        return y

    def fitted(self, x: float, y: float, width: float, text: str, *, size: float = 10) -> None:
        """Write one line inside a width: smaller if need be, and cut with an ellipsis when that would be too small."""
        taken = text_width(text, size=size)
        if taken > width:
            size = max(SMALLEST_PT, size * width / taken)
        while len(text) > 1 and text_width(text, size=size) > width:
            text = text.removesuffix("…")[:-1] + "…"
        self.text(x, y, text, size=size)

    def line(self, x1: float, y1: float, x2: float, y2: float, *, dashed: bool = False, width_pt: float = 0.5) -> None:
        """Draw a straight line."""
        self._canvas.setStrokeGray(0)
        self._canvas.setLineWidth(width_pt)
        self._canvas.setDash([3, 2] if dashed else [])
        up1, up2 = HEIGHT_MM - y1, HEIGHT_MM - y2
        self._canvas.line(x1 * _PT_PER_MM, up1 * _PT_PER_MM, x2 * _PT_PER_MM, up2 * _PT_PER_MM)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill_grey: float | None = None,
        dashed: bool = False,
        outline: bool = True,
    ) -> None:
        """Draw a rectangle whose top left corner is at (x, y)."""
        self._canvas.setStrokeGray(0)
        self._canvas.setLineWidth(0.5)
        self._canvas.setDash([3, 2] if dashed else [])
        if fill_grey is not None:
            self._canvas.setFillGray(fill_grey)
        self._canvas.rect(
            x * _PT_PER_MM,
            (HEIGHT_MM - y - height) * _PT_PER_MM,
            width * _PT_PER_MM,
            height * _PT_PER_MM,
            stroke=int(outline),
            fill=int(fill_grey is not None),
        )

    def turn(self) -> None:
        """Begin the next page."""
        self._canvas.showPage()

    def finish(self) -> bytes:
        """The whole PDF; nothing can be drawn afterwards."""
        self._canvas.save()
        return self._buffer.getvalue()


def text_width(text: str, *, size: float) -> float:
    """How wide one line is, in mm."""
    return float(pdfmetrics.stringWidth(text, face_for(text), size) / _PT_PER_MM)


def line_height(size: float) -> float:
    """Distance between two baselines, in mm, for a font size in points."""
    return size * 1.35 / _PT_PER_MM
