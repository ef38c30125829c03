"""States and drafts of tables that play by the other four systems."""

from __future__ import annotations

from typing import Any

from companion.rules.board import load_board
from companion.rules.objectives import load_objectives
from companion.rules.ruleset import load_ruleset
from tests.ui import states

PEOPLE = (
    ("p1", "Anna", "red"),
    ("p2", "Bram", "blue"),
    ("p3", "Chiara", "black"),
    ("p4", "Dana", "yellow"),
    ("p5", "Emil", "green"),
    ("p6", "Franka", "white"),
)
SEATS = {"nl1996": 3, "risiko": 4, "classic": 4, "apoikia": 4, "rebels": 5}
SEAL = "4be1c09a7d3f" + "0" * 52
NEED: dict[str, dict[str, Any]] = {
    "risiko": {"armies": True, "hands": True, "also": ["objectives"], "code": "need-score", "clause": "24"},
    "classic": {"armies": True, "hands": False, "also": [], "code": "need-territories", "clause": ""},
    "rebels": {"armies": True, "hands": False, "also": [], "code": "need-territories", "clause": ""},
    "apoikia": {"armies": False, "hands": False, "also": [], "code": "need-cities", "clause": "winnaar"},
}


def table(system: str, phase: str, seats: int | None = None, **more: Any) -> dict[str, Any]:
    """A table of that system in a phase."""
    rules = load_ruleset(system)
    people = PEOPLE[: seats or SEATS[system]]
    players = [
        states.player(id_, name, at, colour, start_dice=[6], bound=True)
        for at, (id_, name, colour) in enumerate(people, 1)
    ]
    choices = {"rebels": ["armies", "rebels"], "apoikia": ["armies", "fleet"]}.get(system, [])
    base: dict[str, Any] = {
        "system": system,
        "ruleset": {"name": system, "hash": rules.hash},
        "options": dict(rules.options),
        "board": {"id": rules.board, "edition": rules.edition()},
        "players": players,
        "missions": [],
        "objectives": [
            {"id": o.id, "name": o.name} for o in (load_objectives().values() if system == "risiko" else ())
        ],
        "context": {"against": "armies", "choices": choices},
        "fallen": {"attack": 0, "defence": 0},
        "clock": clock(system),
    }
    return states.state(phase, **base) | more


def clock(system: str, **more: Any) -> dict[str, Any]:
    """A clock of that system: secret in risiko."""
    if system != "risiko":
        return states.clock(**more)
    return states.clock(public=False, length_ms=None, remaining_ms=None, seal=SEAL, **more)


def frozen(system: str, seats: int | None = None, **more: Any) -> dict[str, Any]:
    """A frozen board of that system, the signal read."""
    wanted = NEED[system]
    need = {
        "board": True, "armies": wanted["armies"], "hands": wanted["hands"], "also": wanted["also"], "next": "board",
        "players": [], "why": wanted["code"],
        "reason": {"code": wanted["code"], "clause": wanted["clause"], "values": {}},
    }  # fmt: skip
    found = table(system, "frozen", seats, need=need, tijd=states.frozen()["tijd"], frozen=states.frozen()["frozen"])
    return found | more


def draft(system: str, seats: int | None = None, **more: Any) -> dict[str, Any]:
    """A whole board of that system as the table keeps its draft."""
    people = [id_ for id_, _, _ in PEOPLE[: seats or SEATS[system]]]
    lands = list(load_board(load_ruleset(system).board).territories)
    hand = {"infantry": 1, "artillery": 0, "cavalry": 2, "joker": 0}
    return {
        "game": "r2-t7",
        "owners": {land: people[at * len(people) // len(lands)] for at, land in enumerate(lands)},
        "armies": {player: 31 - at for at, player in enumerate(people)},
        "hands": dict.fromkeys(people, hand) if system == "risiko" else {},
        "objectives": dict(zip(people, load_objectives(), strict=False)) if system == "risiko" else {},
        "tijd_seen_ns": 99,
    } | more


def scored(system: str) -> dict[str, Any]:
    """The result of a table of that system."""
    if system == "risiko":
        places = [
            row("p1", 1, "win", "objective-first", "23", score=118.5, objective="letto"),
            row("p2", 2, "6", "score", "24", score=131.0, own=131.0, other=96.5, other_player="p3"),
            row("p3", 3, "3", "score", "24", score=96.5, own=96.5, other=131.0, other_player="p2"),
            row("p4", 4, "1", "score", "24", score=71.0, own=71.0, other=96.5, other_player="p3"),
        ]
    else:
        places = [
            row("p1", 1, "win", "win-cities", "winnaar", cities=20, wanted=20),
            *(row(p, 2, "loss", "beaten", "winnaar", by="p1") for p in ("p2", "p3", "p4")),
        ]
    result = states.result() | {"places": places, "unresolved": [], "at_stake": [], "signed": ["p1", "p3"]}
    stopped = clock(system, running=False)
    return table(system, "scored", result=result, clock=stopped, frozen={"why": "mission", "claim": None})


def row(
    player: str, place: int, result: str, code: str, clause: str, *, score: float | None = None, **values: Any
) -> dict[str, Any]:
    """One place of a result."""
    reason = {"code": code, "clause": clause, "values": values}
    return {"player": player, "place": place, "result": result, "said": "", "score": score, "reason": reason}
