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
        "missions": list(load_objectives()) if system == "risiko" else [],
        "objectives": [
            {"id": o.id, "name": o.name} for o in (load_objectives().values() if system == "risiko" else ())
        ],
        "context": {"against": "armies", "choices": choices},
        "fallen": {"attack": 0, "defence": 0},
        "clock": clock(system),
        "sealed": [{"seal": SEAL, "minutes": None, "lost": None, "armed_by": "clock"}] if system == "risiko" else [],
    }
    return states.state(phase, **base) | more


def clock(system: str, **more: Any) -> dict[str, Any]:
    """A clock of that system: secret in risiko."""
    if system != "risiko":
        return states.clock(**more)
    return states.clock(public=False, length_ms=None, remaining_ms=None, **more)


def ready(system: str) -> dict[str, Any]:
    """Everybody sits at a table of that system."""
    remember = {"borders": [["greenland", "quebec"]]} if system == "risiko" else {"borders": []}
    prize = "only the honour" if system == "rebels" else ""
    return table(system, "ready", clock=clock(system, running=False), sealed=[], remember=remember, prize=prize)


MAY = [
    *states.MAY["playing"], "set_context", "say_fallen", "stop_attack", "ask_silence", "tell_rebels", "return_player",
    "propose_correction", "agree_correction", "refuse_correction", "undo", "appeal_ruling",
]  # fmt: skip
REFEREE = [
    *states.REFEREE["playing"], "reinstate_player", "amend_throw", "amend_turn", "amend_outs", "make_ruling",
    "decide_appeal",
]  # fmt: skip


def playing(system: str, seats: int | None = None, **more: Any) -> dict[str, Any]:
    """A running game of that system, three attack dice against two."""
    attack = states.side(states.die(6), states.die(4), states.die(1), counted=[6, 4, 1])
    defence = states.side(states.die(6, colour="blue"), states.die(3, colour="blue"), counted=[6, 3])
    undo = {"what": "turn.started", "event": {"type": "turn.started", "data": {"number": 4, "player": "p1"}}}
    base: dict[str, Any] = {
        "turn": {"number": 4, "player": "p1"},
        "throw": states.throw(attack, defence, warnings=[], rebels=None, against="armies"),
        "attack": {"throws": 1, "ended": None},
        "undo": undo | {"closes_too": ["throw.accepted"]},
        "rulings": [],
        "may": MAY,
        "may_referee": [*MAY, *REFEREE],
    }
    return table(system, "playing", seats, **(base | more))


def rebels() -> dict[str, Any]:
    """Three fives against rebels: the rules have no number, so people are asked; one player is out."""
    attack = states.side(*[states.die(5)] * 3, counted=[5, 5, 5])
    asked = {"face": 5, "rebels": None, "ask": True, "proposed": None}
    state = playing(
        "rebels",
        throw=states.throw(attack, against="rebels", rebels=asked, warnings=[]),
        context={"against": "rebels", "choices": ["armies", "rebels"]},
    )
    state["players"][4]["out"] = {"by": "p1", "left_before": 5}
    return state


def finishing() -> dict[str, Any]:
    """The signal was given in the middle of a combat of risiko; its notice was read."""
    may = [
        "call_throw", "enter_dice", "set_allowed", "accept_throw", "stop_attack", "say_fallen", "call_referee",
        "ask_silence", "propose_correction",
    ]  # fmt: skip
    finish = {
        "what": "combat",
        "may": {"continue_combat": True, "move_in": True, "move_to_reinforce": False, "new_combat": False},
        "reasons": [],
        "said": [],
    }
    tijd = states.frozen()["tijd"] | {"throw": "stands", "board": "as_it_is"}
    told = playing("risiko", finish=finish, tijd=tijd, may=may, may_referee=[*may, "rule_signal", "annul_throw"])
    return told | {"phase": "finishing", "clock": clock("risiko", running=False)}


def agreeing() -> dict[str, Any]:
    """Somebody says that a five was a four; the opponent agreed."""
    agreement = {
        "throw": 17, "side": "attack", "position": 1, "before": {"value": 4, "verdict": "valid"},
        "after": {"value": 5, "verdict": "valid"}, "thrower": "p1", "agreed": ["p2"], "waiting_for": ["thrower"],
        "left_ms": 14_000,
    }  # fmt: skip
    return playing("risiko", agreement=agreement)


def tried() -> dict[str, Any]:
    """A table whose panel is being tried out: two buttons were pressed."""
    buttons = [f"seat{at}" for at in range(1, 7)]
    rig = {
        "camera": "picamera2", "panel": "gpio", "buttons": [*buttons, "referee"],
        "pressed": dict.fromkeys(buttons, 0) | {"seat1": 1, "seat2": 2, "referee": 0}, "buzzer": True, "silent": False,
    }  # fmt: skip
    return states.idle() | {"rig": rig}


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
    result = states.scored()["result"] | {"places": places, "unresolved": [], "at_stake": [], "signed": ["p1", "p3"]}
    stopped = clock(system, running=False)
    return table(system, "scored", result=result, clock=stopped, frozen={"why": "mission", "claim": None})


def row(
    player: str, place: int, result: str, code: str, clause: str, *, score: float | None = None, **values: Any
) -> dict[str, Any]:
    """One place of a result."""
    reason = {"code": code, "clause": clause, "values": values}
    return {"player": player, "place": place, "result": result, "said": "", "score": score, "reason": reason}
