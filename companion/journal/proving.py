"""Was the length fixed before play, and was it kept? The part of `companion journal verify` that a player asks for.

A chain proves that records were not changed since; it says nothing of a journal that was written dishonestly from its
first record. So here the revealed length is hashed again with its salt, looked at against the range that the *rules*
give, and against the moment of the signal, whoever gave it; and a seal counts only where it stands before the game, or
where something had just happened that makes a table seal anew. Each answer is a sentence that somebody can check by
hand: docs/clock.md shows how.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from companion.journal.kept import Sealed, Signal, judged
from companion.journal.records import Record
from companion.journal.ticking import Ticking, clock_text, whole
from companion.rules.clock import length_range
from companion.rules.errors import RulesError
from companion.rules.ruleset import load_ruleset
from companion.session.decide.tijd import table_draws
from companion.session.seal import SEAL

OFF_MS = 1000
"""Real time by which a signal may miss the sealed length: hub and table start a few ms apart, and a letter travels."""

MOST_OFF_MS = 30_000
"""Game time by which it may miss on a trial clock that runs fast: half a step of the lengths."""

CAUSE_NS = 1_000_000_000
"""How soon after what makes a table seal anew it does so."""

BACK_NS = 5_000_000_000
"""By how much a start may be stamped before what was written in front of it: a press that a busy table took late."""

ADDED_MS = (1_000, 3_600_000)
_OVERRULES = ("interpretation", "other")
_OVERRULED_NS = 600_000_000_000


@dataclass(slots=True, kw_only=True)
class _Game:
    name: str
    ticking: Ticking
    range_min: tuple[int, int] | None
    draws: bool = False
    has_started: bool = False
    last_ns: int = 0
    seals: list[Sealed] = field(default_factory=list)
    added_ms: int = 0
    own_added_ms: int = 0
    signal: Signal | None = None
    causes: dict[str, int] = field(default_factory=dict)
    was_late: bool = False
    ruling: tuple[int, int, str] | None = None
    faults: list[tuple[str, bool, str]] = field(default_factory=list)

    @property
    def current(self) -> Sealed | None:
        """The length by which it is played."""
        return self.seals[-1] if self.seals else None

    @property
    def about(self) -> str:
        """How its findings begin."""
        return f"game {self.name}"


@dataclass(slots=True)
class Seals:
    """The secret lengths of one journal, collected record by record."""

    _games: list[_Game] = field(default_factory=list)
    _strange: list[int] = field(default_factory=list)

    def take(self, record: Record) -> None:
        """Take in the next record; one in a strange form is a finding and not a fault of whoever checks."""
        try:
            if record.type == "table.opened":
                self._games.append(_opened(record.data))
            elif self._games:
                game = self._games[-1]
                game.ticking.take(record)
                self._take(record, game)
                game.last_ns = record.at_ns
        except (KeyError, TypeError, ValueError):
            self._strange.append(record.seq)

    def _take(self, record: Record, game: _Game) -> None:
        data, now = record.data, game.current
        match record.type:
            case "tijd.sealed":
                self._seal(record, game)
            case "game.started":
                if now is not None:
                    _in_order(record, game, now)
                game.has_started = True
                for earlier in self._games[:-1]:
                    for sealed in earlier.seals:
                        sealed.is_past = True
            case "time.added":
                self._add(record, game)
            case "tijd.armed":
                game.was_late |= data["why"] == "late" and _has_cause(record, game)
            case "tijd.sounded":
                self._sound(record, game)
            case "table.closed":
                for sealed in game.seals:
                    sealed.is_over = True
            case "ruling.made" if data["about"] in _OVERRULES and data["reason"]:
                game.ruling = (record.seq, record.at_ns, str(data["reason"]))
            case "tijd.lost":
                for sealed in self._of(data["seal"]):
                    sealed.lost = (record.seq, str(data["why"]))
            case "tijd.revealed":
                shown = (record.seq, whole(data["minutes"]), str(data["salt"]))
                for sealed in self._of(data["seal"]):
                    sealed.revealed.append(shown)
                    sealed.was_early |= sealed is now and not sealed.is_over
            case _:
                _causes(record, game)

    def _seal(self, record: Record, game: _Game) -> None:
        data, before = record.data, game.current
        seal = str(data["seal"])
        if SEAL.fullmatch(seal) is None:
            raise ValueError("no seal")
        least_min, most_min = game.range_min or (whole(data["least_min"]), whole(data["most_min"]))
        sealed = Sealed(
            seq=record.seq, seal=seal, game=game.name, least_min=least_min, most_min=most_min,
            source=str(data["source"]), off_ms=game.ticking.off_ms,
        )  # fmt: skip
        if game.range_min is None:
            sealed.faults.append(("seal-range-unknown", True, "no rules are known here that give this game a range"))
        elif game.range_min != (data["least_min"], data["most_min"]):
            told = f"{data['least_min']} to {data['most_min']}"
            sealed.faults.append(
                ("seal-range-changed", True, f"the record has the range {told}, the rules {least_min} to {most_min}")
            )
        if any(other.seal == seal for other in self._all()):
            sealed.faults.append(
                ("seal-reused", True, "the same seal had been used before: who saw its length knew this one")
            )
        has_cause = _has_cause(record, game)
        if game.has_started and (before is None or before.source != "hub" or game.signal is not None or not has_cause):
            sealed.faults.append(
                (
                    "seal-late",
                    True,
                    f"it was sealed {clock_text(game.ticking.at(record.at_ns))} into the game, and nothing had just "
                    "happened that makes a table seal anew",
                )
            )
        _in_order(record, game, sealed)
        game.seals.append(sealed)

    def _add(self, record: Record, game: _Game) -> None:
        ms = whole(record.data["ms"])
        game.added_ms += ms
        if record.by != "hub":
            game.own_added_ms += ms
            game.causes["extra_time"] = record.at_ns
        if not ADDED_MS[0] <= ms <= ADDED_MS[1]:
            told = f"record {record.seq} adds {clock_text(ms)} of time: no table adds less than 0:01 or more than 60:00"
            game.faults.append(("seal-added", True, f"{game.about}: {told}"))

    def _sound(self, record: Record, game: _Game) -> None:
        source, now, ticking = str(record.data["source"]), game.current, game.ticking
        elapsed_ms = whole(record.data["elapsed_ms"])
        if game.signal is not None:
            told = f"record {record.seq} signals once more, at {clock_text(elapsed_ms)}, after record {game.signal.seq}"
            game.faults.append(("seal-twice", True, f"{game.about}: {told}"))
            return
        ruling = game.ruling if game.ruling and record.at_ns - game.ruling[1] <= _OVERRULED_NS else None
        game.signal = Signal(
            seq=record.seq,
            source=source,
            elapsed_ms=elapsed_ms,
            added_ms=game.added_ms,
            own_added_ms=game.own_added_ms,
            stood_ms=ticking.stood_at(record.at_ns),
            was_cut=ticking.was_cut,
            was_late=game.was_late,
            ruling=None if ruling is None else (ruling[0], ruling[2]),
            absent_ms=ticking.absent_ms,
        )
        for sealed in game.seals:
            sealed.is_over = True
        if now is not None:
            now.signal = game.signal

    def _of(self, seal: object) -> list[Sealed]:
        return [sealed for sealed in self._all() if sealed.seal == seal]

    def _all(self) -> Iterator[Sealed]:
        return (sealed for game in self._games for sealed in game.seals)

    def findings(self) -> Iterator[tuple[str, bool, str]]:
        """What can be said of each seal.

        Yields:
            A code, whether it is a problem, and the sentence.
        """
        for sealed in self._all():
            yield from judged(sealed)
        for game in self._games:
            if game.current is None:
                if game.draws and game.has_started:
                    told = "no length was sealed, although by its rules the table draws one: nothing proves the length"
                    yield "seal-unproved", True, f"{game.about}: {told}"
                continue
            if game.ticking.scale != 1:
                yield "seal-trial", False, f"{game.about}: a trial, its clock ran {game.ticking.scale:g} times as fast"
            yield from game.ticking.findings(game.about)
            yield from game.faults
        for seq in self._strange:
            yield "seal-strange", True, f"record {seq} tells of a length in a form that no table of this version writes"


def _opened(data: Mapping[str, Any]) -> _Game:
    scale = float(data["scale"])
    off_ms = max(OFF_MS, min(OFF_MS * scale, MOST_OFF_MS))
    range_min, draws = None, False
    with suppress(RulesError):  # what is not known here is said where a length was sealed
        rules = load_ruleset(str(data["system"]), dict(data["options"]))
        draws = table_draws(rules)
        range_min = length_range(str(data.get("phase", "")), ruleset=rules)
    ticking = Ticking(scale=scale, off_ms=off_ms)
    return _Game(name=str(data["game"]), ticking=ticking, range_min=range_min, draws=draws)


def _in_order(record: Record, game: _Game, sealed: Sealed) -> None:
    """Seal and start are stamped as they are written: a start that is stamped back has its seal after it."""
    if record.at_ns < game.last_ns - BACK_NS:
        back = clock_text((game.last_ns - record.at_ns) / 1e6)
        told = f"record {record.seq} ({record.type}) is stamped {back} before the record in front of it"
        sealed.faults.append(("seal-late", True, told))


def _has_cause(record: Record, game: _Game) -> bool:
    """Whether what the record gives as its reason had just happened."""
    cause_ns = game.causes.get(str(record.data["why"]))
    return cause_ns is not None and 0 <= record.at_ns - cause_ns <= CAUSE_NS


def _causes(record: Record, game: _Game) -> None:
    """Remember what makes a table that played by the hall's length seal one of its own."""
    if record.type in ("clock.paused", "clock.resumed"):
        # Whether a pause of the hall came late the hub alone knows; that it was the hall's stands in the record.
        game.causes["late" if record.by == "hub" else "pause"] = record.at_ns
        return
    if record.by == "hub":
        return
    match record.type:
        case "service.recovered" if not record.data["same_boot"]:
            game.causes["power"] = record.at_ns
        case "mission.claim_withdrawn" | "player.reinstated" | "player.returned" | "outs.amended" | "fact.undone":
            game.causes["claim"] = record.at_ns
