"""One sealed length judged: is it proved, did it lie in its range, and did the game end by it?

Theory. Whoever gave the signal, the game is to end when the sealed length and the time added have gone. A table that
plays by a hall's length may have stood still, or got time of its own, while the hall played on; then the hall's signal
comes earlier on its own clock, by no more than that, and the sentence says so. Anything else is a length that somebody
chose during play, unless the referee had just ruled, with a reason, that the game ends.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from companion.journal.ticking import clock_text
from companion.session.seal import seal_of, seal_text

_MS_PER_MIN = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """The signal that ended a game.

    Attributes:
        seq: Its record.
        source: clock, organiser or referee.
        elapsed_ms: Game time gone, as its record says.
        added_ms: Time added to the game.
        own_added_ms: That part of it that was added at the table alone.
        stood_ms: How long the table stood for reasons of its own.
        was_cut: Whether a power cut hides how long it stood.
        was_late: Whether a pause of the hall, or its end, had reached the table late.
        ruling: Record and reason of a ruling just before it, or None.
        absent_ms: From and to which game time the service last did not run, or None.
    """

    seq: int
    source: str
    elapsed_ms: int
    added_ms: int
    own_added_ms: int
    stood_ms: float
    was_cut: bool
    was_late: bool
    ruling: tuple[int, str] | None
    absent_ms: tuple[float, float] | None


@dataclass(slots=True, kw_only=True)
class Sealed:
    """A length that was sealed, and what came of it.

    Attributes:
        seq: Its record.
        seal: Its hash.
        game: The game.
        least_min: Shortest length that the rules allow.
        most_min: Longest length that the rules allow.
        source: table or hub.
        off_ms: By how much game time the signal may miss it.
        lost: Record and reason, where the table lost it.
        revealed: Record, minutes and salt of each time that it was told.
        signal: The signal of the game that was played by it, or None.
        is_over: Whether its game has ended.
        is_past: Whether the table has begun a later game.
        was_early: Whether it was told while it was played by.
        faults: Code, whether it is a problem, and sentence of what was wrong where it was sealed.
    """

    seq: int
    seal: str
    game: str
    least_min: int
    most_min: int
    source: str
    off_ms: float
    lost: tuple[int, str] | None = None
    revealed: list[tuple[int, int, str]] = field(default_factory=list)
    signal: Signal | None = None
    is_over: bool = False
    is_past: bool = False
    was_early: bool = False
    faults: list[tuple[str, bool, str]] = field(default_factory=list)


def judged(sealed: Sealed) -> Iterator[tuple[str, bool, str]]:
    """What can be said of one seal.

    Yields:
        A code, whether it is a problem, and the sentence.
    """
    about = f"game {sealed.game}: the length that was sealed in record {sealed.seq} ({sealed.seal[:16]}...)"
    for code, is_problem, told in sealed.faults:
        yield code, is_problem, f"{about}: {told}"
    if sealed.lost is not None:
        seq, why = sealed.lost
        yield "seal-lost", False, f"{about} was lost by the table in record {seq} ({why}): people gave the signal"
    if not sealed.revealed:
        yield from _hidden(sealed, about)
        return
    if sealed.was_early:
        yield "seal-early", True, f"{about} was told in record {sealed.revealed[0][0]}, while it was still played by"
    for seq, minutes, salt in sealed.revealed:
        if seal_of(minutes, salt) != sealed.seal:
            text = seal_text(minutes, salt)
            yield "seal-broken", True, f"{about} is not the one of record {seq}: the SHA-256 of '{text}' is another"
            return
    seq, minutes, salt = sealed.revealed[0]
    yield (
        "seal-proved",
        False,
        f"{about} is the one that was revealed in record {seq}: {minutes} minutes, the SHA-256 of "
        f"'{seal_text(minutes, salt)}' is the seal",
    )
    if not sealed.least_min <= minutes <= sealed.most_min:
        yield (
            "seal-out-of-range",
            True,
            f"{about} lies outside its range: {minutes} minutes, allowed are {sealed.least_min} to {sealed.most_min}",
        )
    if sealed.signal is not None:
        yield from _ended(sealed, sealed.signal, minutes, about)


def _hidden(sealed: Sealed, about: str) -> Iterator[tuple[str, bool, str]]:
    if not sealed.is_over and not sealed.is_past:
        yield "seal-open", False, f"{about} is not revealed yet: nobody can check it before that"
    elif sealed.lost is not None:
        signal = sealed.signal
        when = "" if signal is None else f", and the {signal.source} ended the game at {clock_text(signal.elapsed_ms)}"
        yield "seal-unproved", True, f"{about} was never told{when}: nothing proves that this was the length"
    elif sealed.source == "hub" and not sealed.is_past:
        yield (
            "seal-waits",
            False,
            f"{about} is not revealed although this game is over: it is the hall's, and whether the hall's last table "
            "has ended is not known here; ask the director",
        )
    else:
        yield (
            "seal-hidden",
            True,
            f"{about} was never revealed although the game is over: nothing proves that it was kept",
        )


def _ended(sealed: Sealed, signal: Signal, minutes: int, about: str) -> Iterator[tuple[str, bool, str]]:
    due_ms = minutes * _MS_PER_MIN + signal.added_ms
    if abs(signal.elapsed_ms - due_ms) <= sealed.off_ms:
        return
    added = "" if not signal.added_ms else f" and {clock_text(signal.added_ms)} added"
    told = f"{about}: ended by {signal.source} at {clock_text(signal.elapsed_ms)}, sealed {minutes}:00{added}"
    gone_ms, back_ms = signal.absent_ms or (math.inf, -math.inf)
    if gone_ms - sealed.off_ms <= due_ms <= back_ms and abs(signal.elapsed_ms - back_ms) <= sealed.off_ms:
        away = f"from {clock_text(gone_ms)} to {clock_text(back_ms)}"
        yield (
            "seal-absent",
            False,
            f"{told}; the table's program did not run {away}, and gave the signal when it was back",
        )
        return
    if signal.source != "clock" and sealed.source == "hub" and signal.was_late:
        yield "seal-out-of-step", False, f"{told}; a pause of the hall, or its end, had reached the table late"
        return
    if signal.source != "clock" and sealed.source == "hub":
        earliest_ms = due_ms - signal.own_added_ms - signal.stood_ms - sealed.off_ms
        if signal.elapsed_ms < due_ms and (signal.was_cut or signal.elapsed_ms >= earliest_ms):
            cut = "a power cut hides how long" if signal.was_cut else f"for {clock_text(signal.stood_ms)}"
            yield (
                "seal-out-of-step",
                False,
                f"{told}; the table had stood still ({cut}) or had got time of its own while the hall played on",
            )
            return
    if signal.source != "clock" and signal.ruling is not None:
        seq, reason = signal.ruling
        yield "seal-overruled", False, f"{told}; just before, record {seq} gives the reason: {reason}"
        return
    yield "seal-not-kept", True, told
