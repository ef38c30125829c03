"""Does what was revealed fit what was sealed? The part of `companion journal verify` that a player asks for.

A chain proves that the seal was written before the game and not changed since. Here the revealed length is hashed again
with its salt and compared with that seal, looked at against the range of its phase, and against the moment at which the
table's own clock gave the signal. Each answer is a sentence that somebody can check by hand: docs/clock.md shows how.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from companion.journal.records import Record
from companion.session.seal import seal_of, seal_text

OFF_MS = 1000
"""Real time by which a clock's signal may miss the sealed length."""


@dataclass(slots=True, kw_only=True)
class _Sealed:
    seq: int
    seal: str
    game: str
    least_min: int
    most_min: int
    off_ms: float
    rings: bool = False
    lost: tuple[int, str] | None = None
    revealed: tuple[int, int, str] | None = None
    sounded_ms: int | None = None
    added_ms: int = 0


@dataclass(slots=True)
class Seals:
    """The secret lengths of one journal, collected record by record."""

    _all: list[_Sealed] = field(default_factory=list)
    _game: str = ""
    _added_ms: int = 0
    _scale: float = 1.0
    _current: _Sealed | None = None
    _strange: list[int] = field(default_factory=list)

    def take(self, record: Record) -> None:
        """Take in the next record; one in a strange form is a finding and not a fault of whoever checks."""
        try:
            self._take(record)
        except (KeyError, TypeError, ValueError):
            self._strange.append(record.seq)

    def _take(self, record: Record) -> None:
        data, now = record.data, self._current
        match record.type:
            case "table.opened":
                self._game, self._current, self._added_ms = str(data["game"]), None, 0
                self._scale = float(data["scale"])
            case "tijd.sealed":
                self._current = _Sealed(
                    seq=record.seq, seal=str(data["seal"]), game=self._game, least_min=int(data["least_min"]),
                    most_min=int(data["most_min"]), off_ms=OFF_MS * max(1.0, self._scale),
                )  # fmt: skip
                self._all.append(self._current)
            case "tijd.armed" if now is not None:
                now.rings = data["by"] == "clock"
            case "time.added":
                self._added_ms += int(data["ms"])
            case "tijd.sounded" if now is not None and now.rings and data["source"] == "clock":
                now.sounded_ms, now.added_ms = int(data["elapsed_ms"]), self._added_ms
            case "tijd.lost":
                for sealed in self._of(str(data["seal"])):
                    sealed.lost = (record.seq, str(data["why"]))
            case "tijd.revealed":
                for sealed in self._of(str(data["seal"])):
                    sealed.revealed = (record.seq, int(data["minutes"]), str(data["salt"]))

    def _of(self, seal: str) -> list[_Sealed]:
        return [sealed for sealed in self._all if sealed.seal == seal]

    def findings(self) -> Iterator[tuple[str, bool, str]]:
        """What can be said of each seal.

        Yields:
            A code, whether it is a problem, and the sentence.
        """
        for sealed in self._all:
            yield from _judged(sealed)
        for seq in self._strange:
            yield "seal-strange", True, f"record {seq} tells of a length in a form that no table of this version writes"


def _judged(sealed: _Sealed) -> Iterator[tuple[str, bool, str]]:
    about = f"game {sealed.game}: the length that was sealed in record {sealed.seq} ({sealed.seal[:16]}...)"
    if sealed.lost is not None:
        seq, why = sealed.lost
        yield "seal-lost", False, f"{about} was lost by the table in record {seq} ({why}): people gave the signal"
    if sealed.revealed is None:
        yield "seal-open", False, f"{about} is not revealed yet: nobody can check it before that"
        return
    seq, minutes, salt = sealed.revealed
    text = seal_text(minutes, salt)
    if seal_of(minutes, salt) != sealed.seal:
        yield "seal-broken", True, f"{about} is not the one of record {seq}: the SHA-256 of '{text}' is another"
        return
    yield (
        "seal-proved",
        False,
        f"{about} is the one that was revealed in record {seq}: {minutes} minutes, the SHA-256 of '{text}' is the seal",
    )
    if not sealed.least_min <= minutes <= sealed.most_min:
        yield (
            "seal-out-of-range",
            True,
            f"{about} lies outside its range: {minutes} minutes, allowed were {sealed.least_min} to {sealed.most_min}",
        )
    due_ms = minutes * 60_000 + sealed.added_ms
    if sealed.sounded_ms is not None and abs(sealed.sounded_ms - due_ms) > sealed.off_ms:
        yield (
            "seal-not-kept",
            True,
            f"{about} was {minutes} minutes and {sealed.added_ms // 1000} s were added, "
            f"but the clock gave the signal after {sealed.sounded_ms // 1000} s",
        )
