"""What a PDF of ours draws, read back from its own drawing operators."""

from __future__ import annotations

import base64
import re
import zlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

PT_PER_MM = 72 / 25.4
PAGE_MM = (210.0, 297.0)

_OPERATOR = re.compile(
    rb"(?P<grey>[\d.]+) g\b|(?P<box>(?:-?[\d.]+ ){4})re (?P<paint>[Sfn]|B)\b"
    rb"|(?P<from>(?:-?[\d.]+ ){2})m (?P<to>(?:-?[\d.]+ ){2})l S"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle, in mm from the top left of the page; grey is None where it is not filled."""

    x: float
    y: float
    width: float
    height: float
    grey: float | None


def operators(pdf: bytes) -> bytes:
    """The drawing operators of all pages, unpacked."""
    streams = re.findall(rb"/ASCII85Decode /FlateDecode.*?stream\r?\n(.*?)endstream", pdf, re.DOTALL)
    pages = []
    for stream in streams:
        text = zlib.decompress(base64.a85decode(stream.strip(), adobe=False) if b"~>" not in stream else _a85(stream))
        if b" re" in text or b" l S" in text:
            pages.append(text)
    return b"\n".join(pages)


def _a85(stream: bytes) -> bytes:
    return base64.a85decode(b"<~" + stream.strip(), adobe=True)


def boxes(pdf: bytes) -> list[Box]:
    """All rectangles in the order in which they are drawn."""
    grey, found = 0.0, []
    for match in _OPERATOR.finditer(operators(pdf)):
        if match["grey"]:
            grey = float(match["grey"])
        elif match["box"]:
            x, y, width, height = (float(number) / PT_PER_MM for number in match["box"].split())
            filled = match["paint"] in (b"f", b"B")
            found.append(
                Box(
                    x=x,
                    y=PAGE_MM[1] - y - height,
                    width=width,
                    height=height,
                    grey=grey if filled else None,
                )
            )
    return found


def lines_mm(pdf: bytes) -> list[float]:
    """Lengths of all straight lines, in mm."""
    found = []
    for match in _OPERATOR.finditer(operators(pdf)):
        if match["from"]:
            (x1, y1), (x2, y2) = (
                [float(number) / PT_PER_MM for number in match[end].split()] for end in ("from", "to")
            )
            found.append(float(np.hypot(x2 - x1, y2 - y1)))
    return found


def picture(pdf: bytes, px_per_mm: int = 4) -> npt.NDArray[np.uint8]:
    """The filled rectangles as a gray picture of the page."""
    shape = (round(PAGE_MM[1] * px_per_mm), round(PAGE_MM[0] * px_per_mm))
    image = np.full(shape, 255, np.uint8)
    for box in boxes(pdf):
        if box.grey is not None:
            rows = slice(round(box.y * px_per_mm), round((box.y + box.height) * px_per_mm))
            columns = slice(round(box.x * px_per_mm), round((box.x + box.width) * px_per_mm))
            image[rows, columns] = round(box.grey * 255)
    return image
