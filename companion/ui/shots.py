"""Pictures of the screen, read back from the frame that was just drawn.

Theory. A label whose text has changed gets its letters only before the next frame, in the clock's last round, and what
Kivy's own rules draw takes them over later still, when the waiting changes of the canvas are flushed. Whoever draws in
between shows old letters, or none, in new places. So a picture first does what comes before every frame, in its order.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

from kivy.clock import Clock
from kivy.core.window import Window
from kivy.graphics.opengl import GL_RGB, GL_UNSIGNED_BYTE, glFinish, glReadPixels
from kivy.lang import Builder


def shoot(path: Path) -> None:
    """Write what the window shows now as a PNG.

    The window is drawn once more first: after a flip the buffer that can be read holds nothing that was promised.

    Raises:
        OSError: The file cannot be written.
    """
    Clock.tick_draw()
    Builder.sync()
    Window.dispatch("on_draw")
    glFinish()
    width, height = (int(side) for side in Window.system_size)
    pixels = bytes(glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(png(width, height, pixels))


def png(width: int, height: int, pixels: bytes) -> bytes:
    """Pixels as a PNG file.

    Args:
        width: In px.
        height: In px.
        pixels: RGB, 8 bits each, rows from the bottom, as OpenGL hands them out.

    Source:
        PNG specification, third edition, sections 5 and 11.
    """
    stride = width * 3
    rows = b"".join(b"\0" + pixels[at * stride : (at + 1) * stride] for at in reversed(range(height)))

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
