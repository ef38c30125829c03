"""The last seconds of the box, and the films of the last throws, in memory and bounded in bytes.

Theory. Pictures of a roll are wanted only when somebody doubts it, and a card would wear out if each were written down.
So they are held here, compressed, for as long as a doubt is likely: everything of the last three seconds, and of the
last three throws the part from their first motion to the reading. A shot that is in the ring and in a film is held
once and counted once. When all together would take more than the cap, the oldest film loses its beginning first.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from dataclasses import dataclass

from companion.hw.clock import NS_PER_S

CAP_BYTES = 40 * 1024 * 1024
SPAN_NS = 3 * NS_PER_S
FILMS = 6
"""Two sides of each of the last three throws."""


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """One picture of the box, as JPEG, with its own time on the boot clock."""

    at_ns: int
    jpeg: bytes


class FrameRing:
    """Shots of the box, the newest for ever, the older ones as long as there is room.

    Args:
        cap_bytes: Most that all shots together may take.
        span_ns: How far back the ring reaches.
        films: How many films are held besides.
    """

    def __init__(self, *, cap_bytes: int = CAP_BYTES, span_ns: int = SPAN_NS, films: int = FILMS) -> None:
        self._cap_bytes = cap_bytes
        self._span_ns = span_ns
        self._most_films = films
        self._ring: deque[Shot] = deque()
        self._films: OrderedDict[str, deque[Shot]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def held_bytes(self) -> int:
        """What all shots together take, each counted once."""
        with self._lock:
            return self._sum()

    def add(self, shot: Shot) -> None:
        """Take in the newest shot; what is older than the span, or too much, goes."""
        with self._lock:
            self._ring.append(shot)
            while self._ring[0].at_ns < shot.at_ns - self._span_ns:
                self._ring.popleft()
            self._make_room()

    def cut(self, name: str, from_ns: int, to_ns: int) -> None:
        """Hold the shots of that time as a film; the oldest film makes room for it."""
        with self._lock:
            self._films[name] = deque(shot for shot in self._ring if from_ns <= shot.at_ns <= to_ns)
            while len(self._films) > self._most_films:
                self._films.popitem(last=False)

    def film(self, name: str) -> tuple[Shot, ...]:
        """The film of that name, oldest shot first; nothing when it is no longer held."""
        with self._lock:
            return tuple(self._films.get(name, ()))

    def between(self, from_ns: int, to_ns: int) -> tuple[Shot, ...]:
        """Shots of that time that the ring still holds."""
        with self._lock:
            return tuple(shot for shot in self._ring if from_ns <= shot.at_ns <= to_ns)

    def _sum(self) -> int:
        once = {id(shot): len(shot.jpeg) for part in (self._ring, *self._films.values()) for shot in part}
        return sum(once.values())

    def _make_room(self) -> None:
        while self._sum() > self._cap_bytes:
            oldest = next((film for film in self._films.values() if film), None)
            if oldest is not None:
                oldest.popleft()
            elif len(self._ring) > 1:
                self._ring.popleft()
            else:
                return
