"""Is a camera still looking? Pure: told of each frame and of the time, it says what is wrong.

Two ways to die look alive. A driver may hang and deliver nothing, and it may deliver the same picture again and again.
The first shows as silence. The second shows as pictures that are equal in every sampled bit: a real sensor's noise
makes that impossible, a black frame under a lens cap included, unless the picture is burnt out or clipped to black
throughout; such a picture is not called frozen, since it can't be told.
"""

from __future__ import annotations

import zlib

from companion.hw.ports import Image

_NS_PER_MS = 1_000_000
_STRIDE = 16


class Liveness:
    """Watches one camera.

    Args:
        silent_ms: Without a frame for that long, the camera is silent.
        frozen_ms: With equal pictures for that long, it is frozen.
        now_ns: The boot clock at the start.
    """

    def __init__(self, *, silent_ms: float, frozen_ms: float, now_ns: int) -> None:
        self._silent_ns = int(silent_ms * _NS_PER_MS)
        self._frozen_ns = int(frozen_ms * _NS_PER_MS)
        self._frame_ns = now_ns
        self._print: int | None = None
        self._changed_ns = now_ns

    def saw(self, image: Image, now_ns: int) -> None:
        """A frame came in."""
        sample = image[::_STRIDE, ::_STRIDE]
        flat = int(sample.min()) == int(sample.max())
        print_ = None if flat else zlib.crc32(sample.tobytes())
        if print_ is None or print_ != self._print:
            self._changed_ns = now_ns
        self._print = print_
        self._frame_ns = now_ns

    def fault(self, now_ns: int) -> str | None:
        """'silent', 'frozen', or None while all is well."""
        if now_ns - self._frame_ns >= self._silent_ns:
            return "silent"
        if self._frame_ns - self._changed_ns >= self._frozen_ns:
            return "frozen"
        return None
