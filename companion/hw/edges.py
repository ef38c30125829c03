"""What a finger meant, from the raw edges of a button's line. Pure: time comes in with the edges.

Theory: a contact that closes or opens bounces for some milliseconds. Filters that wait until the line is quiet are
late, and filters that go deaf for a while after an edge swallow the second of two quick presses. Neither is needed,
because bounce and press differ in one thing: before a real press the contact has been open for a while. So

* the first closing edge after the line was open for `settle_ms` is a press, and counts at once, with its own stamp;
* every edge that follows within the chatter is bounce, whichever way it goes;
* a release is believed when the line has stayed open for `settle_ms`, and then carries the stamp of its last edge.

A finger needs some 40 ms to let go and press again, a contact bounces for less than 7 (Ganssle, A Guide to Debouncing,
2004: 18 kinds of switch, mean 1.6 ms, longest 6.2 ms but for one broken design). Any `settle_ms` between the two
neither invents a press nor loses one.

On a busy machine edges come in late, with their own stamps. So `advance` takes not the time of day but the moment up to
which a button's edges have come in (`companion.hw.heard`): until then nobody knows whether it is still held. Where a
closing that ends a bounce comes even so after its release was believed, its stamp lies within the chatter: it is the
same press, which goes on being held, and no second one is told, and no second release.

Edges can get lost in a busy kernel, and it tells by the line's level a moment later which way an edge went: the first
opening of a contact that bounces may be told as a closing. So two closings with more than `settle_ms` between them and
no opening are two presses, the opening was lost and not the finger, but only once the line has stayed closed for
another `settle_ms`: if it opens, the second closing was the bounce of letting go. An opening of a line that was open
all along means that a closing was lost: that too is a press, and says by `exact=False` that its stamp is the opening's.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from companion.hw.ports import Edge

_NS_PER_MS = 1_000_000
_NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed:
    """A button was pressed.

    Attributes:
        button: Its name.
        at_ns: When the contact first closed, boot-clock ns.
        gap_ns: Since the latest earlier press of any button, or None for the first: how close a race was.
        exact: False when the closing edge was lost and the stamp is that of the opening.
    """

    button: str
    at_ns: int
    gap_ns: int | None
    exact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldLong:
    """A button has been held for as long as a long press takes; it may still be down.

    Attributes:
        button: Its name.
        at_ns: When it had been held that long.
    """

    button: str
    at_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A button was let go.

    Attributes:
        button: Its name.
        at_ns: The last edge of the opening contact.
        held_ms: How long it was down.
        long: Whether that was a long press.
    """

    button: str
    at_ns: int
    held_ms: float
    long: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Stuck:
    """A button is held longer than anybody holds one: it is stuck or something lies on it.

    Attributes:
        button: Its name.
        at_ns: When that was noticed.
    """

    button: str
    at_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Noisy:
    """A line chatters faster than a finger can: a loose wire. Its presses don't count until it has been quiet.

    Attributes:
        button: Its name.
        at_ns: When that was noticed.
    """

    button: str
    at_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Healed:
    """A stuck or noisy button is well again.

    Attributes:
        button: Its name.
        at_ns: When that was noticed.
    """

    button: str
    at_ns: int


Result = Pressed | HeldLong | Released | Stuck | Noisy | Healed


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What tells bounce, presses and faults apart.

    Attributes:
        settle_ms: How long a line must be open before a closing is a new press, 1 to 40.
        long_ms: From when on a press is long.
        stuck_ms: From when on a button is stuck.
        noisy_presses: More presses than this within a second are no finger's.
        quiet_ms: How long a noisy line must be quiet to count again.
    """

    settle_ms: float = 12.0
    long_ms: float = 800.0
    stuck_ms: float = 15_000.0
    noisy_presses: int = 14
    quiet_ms: float = 2_000.0

    def __post_init__(self) -> None:
        if not 1 <= self.settle_ms <= 40:
            raise ValueError(f"settle_ms must lie in 1..40, got {self.settle_ms!r}: bounce is shorter, fingers slower")
        if not self.settle_ms < self.long_ms < self.stuck_ms:
            raise ValueError(
                f"settle_ms < long_ms < stuck_ms must hold, got {self.settle_ms!r}, {self.long_ms!r}, {self.stuck_ms!r}"
            )
        if self.noisy_presses < 2 or self.quiet_ms <= 0:
            raise ValueError(
                f"noisy_presses must be 2 or more and quiet_ms above 0, got {self.noisy_presses!r}, {self.quiet_ms!r}"
            )


@dataclass(slots=True)
class _Line:
    """What is known of one button's line."""

    closed: bool = False
    edge_ns: int | None = None
    down_ns: int | None = None
    again_ns: int | None = None
    let_go_ns: int | None = None
    said_long: bool = False
    stuck: bool = False
    noisy: bool = False
    recent: deque[int] = field(default_factory=deque)


class Debounce:
    """Turns the raw edges of all buttons into presses.

    Feed it each edge as it comes, and call `advance` now and then for the buttons that wait (twenty times a second is
    plenty): long presses, releases and stuck buttons are known only when time has passed.

    Args:
        limits: What tells bounce, presses and faults apart.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = Limits() if limits is None else limits
        self._settle_ns = int(self._limits.settle_ms * _NS_PER_MS)
        self._lines: dict[str, _Line] = {}
        self._pressed_ns: int | None = None

    def feed(self, edge: Edge) -> tuple[Result, ...]:
        """What an edge means, together with what the time up to it has settled for that button."""
        line = self._lines.setdefault(edge.button, _Line())
        results = self._settle(edge.button, line, edge.at_ns)
        quiet = line.edge_ns is None or edge.at_ns - line.edge_ns >= self._settle_ns
        if edge.pressed and line.closed and quiet and line.down_ns is not None:
            line.again_ns = edge.at_ns
        if edge.pressed and line.down_ns is None and line.let_go_ns is not None and not quiet:
            line.down_ns = line.let_go_ns
        elif edge.pressed and line.down_ns is None:
            results += self._press(edge.button, edge.at_ns, line, exact=True)
        elif not edge.pressed and not line.closed and line.down_ns is None and quiet and line.edge_ns is not None:
            results += self._press(edge.button, edge.at_ns, line, exact=False)
        line.closed = edge.pressed
        line.edge_ns = edge.at_ns
        return results

    def advance(self, button: str, until_ns: int) -> tuple[Result, ...]:
        """What the time that passed has made certain of a button.

        Args:
            button: Its name.
            until_ns: The moment up to which all its edges have been fed; one before the last of them settles nothing.
        """
        line = self._lines.get(button)
        return () if line is None else self._settle(button, line, until_ns)

    def waiting(self) -> tuple[str, ...]:
        """The buttons of which time alone will tell more."""
        return tuple(name for name, line in self._lines.items() if line.down_ns is not None or line.noisy)

    def down(self) -> frozenset[str]:
        """The buttons that are held down as far as is known: one whose contact has opened is none of them."""
        return frozenset(name for name, line in self._lines.items() if line.down_ns is not None and line.closed)

    def _settle(self, name: str, line: _Line, now_ns: int) -> tuple[Result, ...]:
        results: tuple[Result, ...] = ()
        edge_ns = line.edge_ns
        if edge_ns is None:
            return results
        again_ns = line.again_ns
        if again_ns is not None and line.closed and now_ns - again_ns >= self._settle_ns:
            results += self._release(name, line, again_ns) + self._press(name, again_ns, line, exact=True)
        if line.down_ns is not None and line.closed:
            results += self._held(name, line, now_ns)
        if line.down_ns is not None and not line.closed and now_ns - edge_ns >= self._settle_ns:
            results += self._release(name, line, edge_ns)
        if line.noisy and now_ns - edge_ns >= self._limits.quiet_ms * _NS_PER_MS:
            line.noisy = False
            line.recent.clear()
            results += (Healed(button=name, at_ns=now_ns),)
        return results

    def _held(self, name: str, line: _Line, now_ns: int) -> tuple[Result, ...]:
        results: tuple[Result, ...] = ()
        if line.down_ns is None or line.noisy:
            return results
        long_at_ns = line.down_ns + int(self._limits.long_ms * _NS_PER_MS)
        if not line.said_long and now_ns >= long_at_ns:
            line.said_long = True
            results += (HeldLong(button=name, at_ns=long_at_ns),)
        if not line.stuck and now_ns - line.down_ns >= self._limits.stuck_ms * _NS_PER_MS:
            line.stuck = True
            results += (Stuck(button=name, at_ns=now_ns),)
        return results

    def _press(self, name: str, at_ns: int, line: _Line, *, exact: bool) -> tuple[Result, ...]:
        line.down_ns = at_ns
        line.let_go_ns = None
        line.said_long = False
        line.recent.append(at_ns)
        while at_ns - line.recent[0] > _NS_PER_S:
            line.recent.popleft()
        if line.noisy:
            return ()
        if len(line.recent) > self._limits.noisy_presses:
            line.noisy = True
            return (Noisy(button=name, at_ns=at_ns),)
        gap_ns = None if self._pressed_ns is None else at_ns - self._pressed_ns
        self._pressed_ns = at_ns if self._pressed_ns is None else max(at_ns, self._pressed_ns)
        return (Pressed(button=name, at_ns=at_ns, gap_ns=gap_ns, exact=exact),)

    def _release(self, name: str, line: _Line, at_ns: int) -> tuple[Result, ...]:
        if line.down_ns is None:
            return ()
        held_ms = (at_ns - line.down_ns) / _NS_PER_MS
        was_told = line.let_go_ns == line.down_ns
        line.let_go_ns, line.down_ns, line.again_ns = line.down_ns, None, None
        results: tuple[Result, ...] = ()
        if not line.noisy and not was_told:
            results += (Released(button=name, at_ns=at_ns, held_ms=held_ms, long=held_ms >= self._limits.long_ms),)
        if line.stuck:
            line.stuck = False
            results += (Healed(button=name, at_ns=at_ns),)
        return results
