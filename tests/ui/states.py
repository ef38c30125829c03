"""States of a table as docs/api.md shows them, one for each moment that the screen must draw."""

from __future__ import annotations

from typing import Any

from companion.rules.board import load_board
from companion.rules.missions import mission_cards
from tests.ui import played

MAY = {
    "idle": ["set_up_table", "call_referee", "dismiss_referee"],
    "seating": ["enter_start_die", "choose_colour", "bind_button", "call_referee", "dismiss_referee"],
    "ready": ["start_game", "call_referee", "dismiss_referee"],
    "playing": [
        "call_throw", "enter_dice", "set_allowed", "accept_throw", "end_turn", "claim_mission", "declare_out",
        "call_referee", "dismiss_referee",
    ],
    "frozen": ["call_referee", "dismiss_referee", "confirm_board"],
    "scored": ["call_referee", "dismiss_referee", "sign_result", "dispute_result"],
    "closed": ["set_up_table", "call_referee", "dismiss_referee"],
}  # fmt: skip
REFEREE = {
    "playing": ["pause_clock", "resume_clock", "add_time", "annul_throw", "correct_die", "sound_tijd"],
    "frozen": ["withdraw_claim"],
    "scored": ["reopen_board", "rule_result", "close_table"],
}
EVIDENCE = "e" * 64


def player(id_: str, name: str, order: int | None, colour: str | None, **more: Any) -> dict[str, Any]:
    """One player."""
    return {
        "id": id_, "name": name, "seat": order, "order": order, "colour": colour, "start_dice": [], "bound": False,
        "out": None, "signed": False, "connected_button": None, **more,
    }  # fmt: skip


SEATED = [
    player("p1", "Anna", 1, "red", start_dice=[6], bound=True),
    player("p2", "Bram", 2, "blue", start_dice=[4, 5], bound=True),
    player("p3", "Chiara", 3, "black", start_dice=[4, 2], bound=True),
]


def state(phase: str, **more: Any) -> dict[str, Any]:
    """A table in that phase, with whatever else is given."""
    removed = {"occupy_18_with_two", "destroy_green", "destroy_white", "destroy_yellow"}
    base: dict[str, Any] = {
        "seq": 12,
        "now_ns": 81_234_000_000,
        "table": "7",
        "tournament": "Risktoernooi",
        "round": 2,
        "game": "r2-t7",
        "system": "nl1996",
        "ruleset": {"name": "nl1996", "hash": "9f" * 32},
        "options": {},
        "phase": phase,
        "players": SEATED,
        "colours": ["black", "blue", "green", "red", "white", "yellow"],
        "dice_colours": {"attack": "red", "defence": "blue"},
        "to_throw": [],
        "clock": clock(),
        "turn": None,
        "allowed": {"attack": None, "defence": None},
        "throw": None,
        "tijd": None,
        "frozen": None,
        "need": None,
        "missions": [card for card in mission_cards() if card not in removed],
        "result": None,
        "referee_called": None,
        "recovered": None,
        "pin_set": True,
        "health": [
            {"part": "camera", "state": "ok", "code": "running", "values": {"fps": 29.9, "driver": "sim"}},
            {"part": "panel", "state": "ok", "code": "running", "values": {"driver": "sim"}},
        ],
        "may": MAY[phase],
        "may_referee": [*MAY[phase], *REFEREE.get(phase, [])],
    }
    return base | more


def clock(**more: Any) -> dict[str, Any]:
    """A clock of 90 minutes, one of them gone."""
    return {
        "running": True, "public": True, "length_ms": 5_400_000, "elapsed_ms": 61_000, "remaining_ms": 5_339_000,
        "scale": 1.0, "last_phase": False, "paused": None, "attack_remaining_ms": None, **more,
    }  # fmt: skip


def idle() -> dict[str, Any]:
    """A free table that knows no hub."""
    return state("idle", players=[], clock=None, tournament="", round=None, game=None, missions=[])


def throwing() -> dict[str, Any]:
    """Anna threw a six, Bram and Chiara are equal and throw again."""
    players = [
        player("p1", "Anna", None, None, start_dice=[6]),
        player("p2", "Bram", None, None, start_dice=[4]),
        player("p3", "Chiara", None, None, start_dice=[4]),
    ]
    return state("seating", players=players, to_throw=["p2", "p3"], missions=[])


def choosing() -> dict[str, Any]:
    """The order is known; Bram chooses a colour."""
    players = [
        player("p1", "Anna", 1, "red", start_dice=[6]),
        player("p2", "Bram", 2, None, start_dice=[4, 5]),
        player("p3", "Chiara", 3, None, start_dice=[4, 2]),
    ]
    return state("seating", players=players, missions=[])


def binding() -> dict[str, Any]:
    """All have a colour, Chiara has not pressed her button."""
    return state("seating", players=[*SEATED[:2], {**SEATED[2], "bound": False}])


def ready() -> dict[str, Any]:
    """Everybody sits."""
    return state("ready", clock=clock(running=False, elapsed_ms=0, remaining_ms=5_400_000))


def die(value: int | None, verdict: str = "valid", fate: str = "counted", **more: Any) -> dict[str, Any]:
    """One die as the table tells it."""
    return {
        "value": value, "verdict": verdict, "fate": fate, "colour": "red", "lean_deg": 0.4, "height_mm": 16.1,
        "confidence": 0.99, "why": None, "rolled": True, "center_px": None, "box_px": None, **more,
    }  # fmt: skip


def throw(attack: dict[str, Any] | None, defence: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A throw of Anna's."""
    sides = {"attack": attack, "defence": defence}
    return {
        "id": 17,
        "player": "p1",
        "called": True,
        "state": "ruled",
        "sides": sides,
        "losses": None,
        "why": None,
        **more,
    }


def side(*dice: dict[str, Any], action: str = "accept", **more: Any) -> dict[str, Any]:
    """One side of a throw."""
    return {
        "dice": list(dice), "action": action, "counted": [], "dropped": [], "standing": [], "reroll": 0,
        "reasons": [], "said": [], "evidence": None, "settled_ns": 1, "source": "camera", **more,
    }  # fmt: skip


def cocked() -> dict[str, Any]:
    """Three attack dice, one of them cocked: throw that one again."""
    attack = side(
        die(6, fate="standing", box_px=[200, 150, 60, 60]),
        die(4, fate="standing", box_px=[330, 210, 60, 60]),
        die(None, "cocked", "reroll", lean_deg=21.5, box_px=[470, 120, 66, 66]),
        action="reroll_some",
        standing=[6, 4],
        reroll=1,
        reasons=[{"code": "cocked-reroll", "clause": "4.8.3", "values": {"dice": [2]}}],
        evidence=EVIDENCE,
    )
    return state("playing", turn={"number": 4, "player": "p1"}, throw=throw(attack))


def both_sides() -> dict[str, Any]:
    """Four attack dice, one too many, against two; not called; the last phase runs."""
    attack = side(
        die(6, fate="dropped"), die(5), die(3), die(2),
        counted=[5, 3, 2], dropped=[6],
        reasons=[{"code": "too-many-dropped", "clause": "4.8.4", "values": {"dice": [0], "allowed": 3, "thrown": 4}}],
    )  # fmt: skip
    defence = side(die(5, colour="blue"), die(1, colour="blue"), counted=[5, 1])
    told = throw(attack, defence, called=False, state="accepted", losses={"attacker": 1, "defender": 1})
    last = clock(elapsed_ms=4_400_000, remaining_ms=1_000_000, last_phase=True, attack_remaining_ms=184_000)
    return state("playing", turn={"number": 30, "player": "p1"}, throw=told, clock=last)


def unreadable() -> dict[str, Any]:
    """A die that the camera does not vouch for, on a table whose camera has trouble."""
    attack = side(die(6), die(None, "unreadable", "void"), action="referee")
    health = [
        {"part": "camera", "state": "warn", "code": "dark", "values": {}},
        {"part": "hub", "state": "fail", "code": "unseen", "values": {"age_s": 80}},
    ]
    return state("playing", turn={"number": 2, "player": "p2"}, throw=throw(attack), health=health)


def paused() -> dict[str, Any]:
    """The referee stopped the clock."""
    return state(
        "playing", turn={"number": 2, "player": "p2"}, clock=clock(running=False, paused={"reason": "dispute"})
    )


def frozen(**more: Any) -> dict[str, Any]:
    """The signal voided the last throw; the board is to be recorded."""
    need = {
        "board": True, "armies": True, "hands": True, "next": "board", "players": ["p1", "p2", "p3"],
        "why": "need-scheme", "reason": {"code": "need-scheme", "clause": "3.2", "values": {}},
    }  # fmt: skip
    tijd = {
        "at_ns": 99,
        "source": "clock",
        "throw": "void",
        "board": "before_throw",
        "uncertain": False,
        "elapsed_ms": 5_400_000,
    }
    stopped = clock(running=False, elapsed_ms=5_400_000, remaining_ms=0)
    return state("frozen", tijd=tijd, frozen={"why": "tijd", "claim": None}, need=need, clock=stopped) | more


def draft(**more: Any) -> dict[str, Any]:
    """A whole board as the table keeps its draft."""
    territories = list(load_board("classic").territories)
    return {
        "game": "r2-t7",
        "owners": {t: ("p1", "p2", "p3")[at % 3] for at, t in enumerate(territories)},
        "armies": {"p1": 31, "p2": 28, "p3": 24},
        "hands": {p: {"infantry": 1, "artillery": 0, "cavalry": 2, "joker": 0} for p in ("p1", "p2", "p3")},
        "tijd_seen_ns": 99,
    } | more


def scored(shares: played.Shares = played.EQUAL, **more: Any) -> dict[str, Any]:
    """Anna first by continents; Bram and Chiara equal to the last card, unless the board lay otherwise."""
    told = played.result(played.scored(shares)) | more
    return state("scored", result=told, clock=clock(running=False, elapsed_ms=5_400_000, remaining_ms=0))


def closed() -> dict[str, Any]:
    """The table is closed."""
    return state("closed", result=played.result(played.closed()))
