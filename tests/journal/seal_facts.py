"""Journals of secret lengths written fact by fact, each so many minutes after the start of the game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from companion.journal import Head, NewRecord
from companion.journal.lines import line_of
from companion.journal.records import START, chained
from companion.session.seal import Secret

SECRET = Secret(113, "0123456789abcdef" * 2)
OTHER = Secret(95, "fedcba9876543210" * 2)
MIN_MS = 60_000
MIN_NS = 60_000_000_000
BEGAN_MIN = 10.0
"""When the game starts on the boot clock."""

Fact = tuple[float, str, dict[str, Any], str]


def at(minute: float, kind: str, by: str = "clock", **data: Any) -> Fact:
    """A fact so many minutes after the start of the game."""
    return minute, kind, data, by


def sealed(minute: float = 0, secret: Secret = SECRET, **other: Any) -> Fact:
    """A length sealed."""
    data = {"seal": secret.seal, "least_min": 90, "most_min": 120, "source": "table", "why": "start"}
    return at(minute, "tijd.sealed", **(data | other))


def sounded(minute: float, source: str = "clock", elapsed: float | None = None) -> Fact:
    """The signal; `elapsed` is what its record says."""
    return at(
        minute, "tijd.sounded", source=source, elapsed_ms=round((minute if elapsed is None else elapsed) * MIN_MS)
    )


def revealed(minute: float, secret: Secret = SECRET, **other: Any) -> Fact:
    """A length told."""
    return at(
        minute, "tijd.revealed", **({"seal": secret.seal, "minutes": secret.minutes, "salt": secret.salt} | other)
    )


def paused(minute: float, elapsed: float, by: str = "referee") -> Fact:
    """The clock stands."""
    return at(minute, "clock.paused", by, elapsed_ms=round(elapsed * MIN_MS), reason="a glass fell over")


def resumed(minute: float, elapsed: float, by: str = "referee") -> Fact:
    """The clock runs on."""
    return at(minute, "clock.resumed", by, elapsed_ms=round(elapsed * MIN_MS))


def added(minute: float, ms: int = 5 * MIN_MS, by: str = "referee") -> Fact:
    """Extra time."""
    return at(minute, "time.added", by, ms=ms, reason="a long ruling")


def cut(minute: float, elapsed: float, away_ms: int | None = None) -> Fact:
    """Back after a power cut."""
    return at(
        minute,
        "service.recovered",
        "rig",
        same_boot=False,
        away_ms=away_ms,
        elapsed_ms=round(elapsed * MIN_MS),
        events=9,
    )


def came_back(minute: float, away: float | None) -> Fact:
    """The table's program runs again on a machine that never stopped, so many minutes after it last did."""
    away_ms = None if away is None else round(away * MIN_MS)
    elapsed_ms = round(minute * MIN_MS)
    return at(minute, "service.recovered", "rig", same_boot=True, away_ms=away_ms, elapsed_ms=elapsed_ms, events=9)


def ruled(minute: float, about: str = "other") -> Fact:
    """The referee rules, with a reason."""
    return at(minute, "ruling.made", "referee", number=1, about=about, player=None, armies=0, reason="the hall closes")


OPENED = at(
    -5,
    "table.opened",
    game="r1-t7",
    scale=1.0,
    system="risiko",
    options={},
    phase="first_phase",
    players=["a", "b", "c"],
)
BEGUN = at(0, "game.started")
SEALED = sealed()
HALL = sealed(source="hub", hall="hall1")
LOST = at(50, "tijd.lost", seal=SECRET.seal, why="altered")
CLOSED = at(130, "table.closed", results={})
CLAIMED = at(30, "board.frozen", why="mission")


def lines(folder: Path, *facts: Fact) -> Path:
    """A file of lines, properly chained, with these facts."""
    head, text = START, ""
    for minute, kind, data, by in facts:
        new = NewRecord(type=kind, v=1, by=by, at_ns=round((BEGAN_MIN + minute) * MIN_NS), data=data)
        record, _ = chained(new, head, boot="b", wall="2026-11-30T20:00:00.000Z")
        head = Head(seq=record.seq, hash=record.hash)
        text += line_of(record) + "\n"
    path = folder / "journal.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


PLAY = (OPENED, SEALED, BEGUN)
IN_HALL = (OPENED, HALL, BEGUN)
BACK = at(40, "mission.claim_withdrawn", "referee", reason="not yet")
