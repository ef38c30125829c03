"""Game time worked out anew from the stamps of the records, without a word that the records say about it.

Theory. A record says how much game time had gone when it was written, and whoever writes a journal can write what they
like there. The boot clock's stamps say the same once more: from the start to the signal, less what the clock stood.
Whoever bends one has to bend all stamps in between, of throws and pictures too. What stamps cannot say is how long a
table without power had played on before the cut; that is told as what it is, the table's own word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from companion.journal.records import Record

_MS_PER_NS = 1e-6
_THAWS = frozenset({"player.reinstated", "player.returned", "outs.amended"})
"""What can bring a game back into play that had ended with its last player."""


def whole(value: object) -> int:
    """A whole number out of a record.

    Raises:
        TypeError: It is none: text, or true, would be read as one by accident.
    """
    if type(value) is not int:
        raise TypeError(f"no whole number: {value!r}")
    return value


@dataclass(slots=True, kw_only=True)
class Ticking:
    """The clock of one game.

    Attributes:
        scale: Game seconds per real second.
        off_ms: By how much game time may be off before it is told.
        stood_ms: How long it stood for the table's own reasons, game time.
        was_cut: Whether a power cut hides how long it stood.
        untold_ms: Game time that the table alone vouches for.
        absent_ms: From and to which game time the service last did not run while the clock went on, or None.
        wrong: Record, what it says, and what the stamps say, ms.
    """

    scale: float
    off_ms: float
    gone_ms: float = 0.0
    stood_ms: float = 0.0
    was_cut: bool = False
    untold_ms: float = 0.0
    absent_ms: tuple[float, float] | None = None
    wrong: list[tuple[int, int, int]] = field(default_factory=list)
    _since_ns: int | None = None
    _stands_ns: int | None = None
    _is_own_stop: bool = False
    _last_ns: int = 0
    _frozen: str = ""
    _paused: str = ""
    _away_ms: int | None = None

    def at(self, at_ns: int) -> float:
        """Game time gone at a stamp, ms."""
        return self.gone_ms if self._since_ns is None else self.gone_ms + self._real(at_ns - self._since_ns)

    def stood_at(self, at_ns: int) -> float:
        """How long it had stood for the table's own reasons at a stamp, ms."""
        stops = self._stands_ns is not None and self._is_own_stop
        return self.stood_ms + (self._real(at_ns - (self._stands_ns or 0)) if stops else 0.0)

    def _real(self, ns: int) -> float:
        return ns * self.scale * _MS_PER_NS

    def take(self, record: Record) -> None:
        """Take in the next record of the game.

        Raises:
            KeyError: It lacks what such a record has.
            TypeError: It has it in another form.
        """
        data, at_ns = record.data, record.at_ns
        match record.type:
            case "game.started":
                self._since_ns = at_ns
            case "clock.paused":
                self._stop(at_ns, is_own=record.by != "hub")
                self._compare(record, whole(data["elapsed_ms"]))
                self._paused = str(data["reason"])
            case "clock.resumed":
                self._resume(record)
            case "service.recovered":
                self._recover(record)
            case "absence.told":
                self._away_ms = whole(data["away_ms"])
            case "board.frozen":
                self._stop(at_ns, is_own=True)
                self._frozen = str(data["why"])
            case "mission.claim_withdrawn":
                self._thaw(at_ns)
            case kind if kind in _THAWS and self._frozen == "last_player":
                self._thaw(at_ns)
            case "tijd.sounded":
                self._compare(record, whole(data["elapsed_ms"]), self.at(at_ns))
        self._last_ns = at_ns

    def _stop(self, at_ns: int, *, is_own: bool) -> None:
        self.gone_ms, self._since_ns = self.at(at_ns), None
        if self._stands_ns is None:
            self._stands_ns, self._is_own_stop = at_ns, is_own

    def _run(self, at_ns: int) -> None:
        self.stood_ms, self._stands_ns, self._since_ns = self.stood_at(at_ns), None, at_ns

    def _thaw(self, at_ns: int) -> None:
        self._frozen = ""
        if not self._paused:
            self._run(at_ns)

    def _resume(self, record: Record) -> None:
        said_ms = whole(record.data["elapsed_ms"])
        with_away_ms = self.gone_ms + (self._away_ms or 0) * self.scale
        if self._paused == "power" and abs(said_ms - with_away_ms) <= self.off_ms:
            self.gone_ms = with_away_ms
        self._compare(record, said_ms)
        self._paused, self._away_ms = "", None
        self._run(record.at_ns)

    def _recover(self, record: Record) -> None:
        away_ms = record.data["away_ms"]
        if record.data["same_boot"]:
            back_ms = self.at(record.at_ns)
            least_ms = self.at(self._last_ns)
            gone_ms = least_ms if away_ms is None else back_ms - whole(away_ms) * self.scale
            self.absent_ms = max(least_ms, gone_ms), back_ms
            return
        self._away_ms, self.was_cut = None if away_ms is None else whole(away_ms), True
        runs = self._since_ns is not None
        self._stop(self._last_ns, is_own=True)
        self._stands_ns = record.at_ns
        if not runs:
            return
        said_ms, self._paused = whole(record.data["elapsed_ms"]), "power"
        if said_ms < self.gone_ms - self.off_ms:
            self._compare(record, said_ms)
        self.untold_ms += max(0.0, said_ms - self.gone_ms)
        self.gone_ms = float(said_ms)

    def _compare(self, record: Record, said_ms: int, gone_ms: float | None = None) -> None:
        gone = self.gone_ms if gone_ms is None else gone_ms
        if abs(said_ms - gone) > self.off_ms:
            self.wrong.append((record.seq, said_ms, round(gone)))

    def findings(self, about: str) -> Iterator[tuple[str, bool, str]]:
        """What is not as the stamps have it."""
        for seq, said_ms, gone_ms in self.wrong:
            yield (
                "seal-clock",
                True,
                f"{about}: record {seq} says that {clock_text(said_ms)} of the game had gone, "
                f"the stamps of the records say {clock_text(gone_ms)}",
            )
        if self.untold_ms > self.off_ms:
            yield (
                "seal-power",
                False,
                f"{about}: {clock_text(self.untold_ms)} of play before a power cut are told by the table alone",
            )


def clock_text(ms: float) -> str:
    """Minutes and seconds, as 95:07."""
    seconds = round(abs(ms) / 1000)
    return f"{'-' if ms < 0 else ''}{seconds // 60}:{seconds % 60:02}"
