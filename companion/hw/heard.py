"""Up to when a button's edges have surely been heard. Pure: levels and time come in.

Theory: an edge has the kernel's stamp, but comes by way of queues and threads, and on a busy machine a thread may be
late by a second. Whoever decides from the time of day alone then takes a button for held whose opening is on its way:
a press of 120 ms becomes a long one. What may be decided by time is decided only up to the moment up to which every
edge has come in, and for that the line itself can be asked:

* a line that is not as its last edge left it owes an edge: nothing after that edge is certain;
* a line that changed between two looks owes an edge with a stamp later than the first of them, although it may have
  changed back since. Edges come in their order, so one with such a stamp pays for all before it;
* what changed and changed back between two looks was not seen. So a look is believed only when for `GRACE_NS` after it
  no edge came in: a thread that was held up together with the one that looks has had its turn by then, and an edge that
  has just come in may be the first of many.

Edges can get lost in a busy kernel: after `LOST_NS` in which the line was as its last edge left it, the debt is
forgotten. So a late thread delays what time decides, and makes nothing up. What the next edge decides by its own stamp
waits for none of this.
"""

from __future__ import annotations

from companion.hw.clock import NS_PER_MS, NS_PER_S

GRACE_NS = 30 * NS_PER_MS
"""How long nothing may speak against a look before it is believed."""

LOST_NS = 2 * NS_PER_S
"""An edge that a line owes and that has not come in by then is lost."""


_SKEW_NS = NS_PER_MS
"""Stamps of edges come from another clock than looks: this far they may disagree."""


class Heard:
    """One button's line: what came in of it, and what is seen of it."""

    def __init__(self) -> None:
        self._told: bool | None = None
        self._told_ns = 0
        self._edges = 0
        self._seen: bool | None = None
        self._seen_ns = 0
        self._owes_after_ns = -1
        self._right_ns: int | None = None
        self._look_ns = 0
        self._until_ns = 0

    @property
    def edges(self) -> int:
        """How many edges came in so far."""
        return self._edges

    def came_in(self, *, pressed: bool, at_ns: int) -> None:
        """An edge was handed over, with this stamp."""
        self._told, self._told_ns = pressed, at_ns
        self._edges += 1
        self._right_ns = None

    def looked(self, *, pressed: bool, at_ns: int, edges: int) -> int:
        """The line was looked at.

        Args:
            pressed: How it was.
            at_ns: When, boot-clock ns; read before the line was.
            edges: `edges` from before the look: one that came in meanwhile makes the look worthless.

        Returns:
            The moment up to which all edges of this line have come in, boot-clock ns; it never goes back.
        """
        if edges != self._edges:
            return self._until_ns
        if self._seen not in (None, pressed):
            self._owes_after_ns = self._seen_ns - _SKEW_NS
        self._seen, self._seen_ns = pressed, at_ns
        if self._told not in (None, pressed):
            self._right_ns = None
            return self._until_ns
        if self._right_ns is None:
            self._right_ns = self._look_ns = at_ns
        if self._told_ns <= self._owes_after_ns and at_ns - self._right_ns < LOST_NS:
            return self._until_ns
        if at_ns - self._look_ns >= GRACE_NS:
            self._until_ns = max(self._until_ns, self._look_ns)
            self._look_ns = at_ns
        return self._until_ns
