"""Who may do what, and when: one table, and nothing else decides it.

Theory. A table is always in one `Phase`. A command is possible if its row names the phase and the asker. Everything
else that makes a command wrong (a colour taken twice, a die that is not there) is `decide`'s business; whether it may
be asked at all is told here alone, so that the screen can draw its buttons from the same rows that guard them.

Who asks comes from the connection: `screen` (whoever touches it), `referee` (the screen with a PIN, or the key button),
`hub` (the organiser), `rig` (buttons, camera, clock and the service itself).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Asker = Literal["screen", "referee", "hub", "rig"]


class Phase(StrEnum):
    """Where a table stands between set-up and closing."""

    IDLE = "idle"
    SEATING = "seating"
    READY = "ready"
    PLAYING = "playing"
    FINISHING = "finishing"
    FROZEN = "frozen"
    SCORED = "scored"
    CLOSED = "closed"


PLAYED = (Phase.PLAYING, Phase.FINISHING)
"""Phases in which dice are thrown: a game that runs, and what is finished after its signal."""


@dataclass(frozen=True, slots=True)
class Permission:
    """When a command is possible and who may ask for it."""

    phases: frozenset[Phase]
    askers: frozenset[Asker]


def _row(phases: tuple[Phase, ...], *askers: Asker) -> Permission:
    return Permission(frozenset(phases), frozenset(askers))


_ANY = tuple(Phase)
_GAME = (Phase.SEATING, Phase.READY, Phase.PLAYING, Phase.FINISHING, Phase.FROZEN, Phase.SCORED)
_P = Phase
_BOARD = (*PLAYED, Phase.FROZEN)
_OPENED = tuple(p for p in Phase if p is not Phase.IDLE)

MAY: dict[str, Permission] = {
    "set_up_table": _row((_P.IDLE, _P.SEATING, _P.READY, _P.CLOSED), "screen", "referee", "hub"),
    "enter_start_die": _row((_P.SEATING,), "screen", "referee"),
    "choose_colour": _row((_P.SEATING, _P.READY), "screen", "referee"),
    "bind_button": _row((_P.SEATING, _P.READY), "screen", "referee"),
    "start_game": _row((_P.READY,), "screen", "referee", "hub"),
    "pause_clock": _row((_P.PLAYING,), "referee", "hub"),
    "resume_clock": _row((_P.PLAYING,), "referee", "hub"),
    "add_time": _row((_P.PLAYING,), "referee", "hub"),
    "call_throw": _row(PLAYED, "screen", "referee"),
    "enter_dice": _row(PLAYED, "screen", "referee"),
    "set_allowed": _row(PLAYED, "screen", "referee"),
    "accept_throw": _row(PLAYED, "screen", "referee"),
    "annul_throw": _row(_BOARD, "referee"),
    "correct_die": _row(_BOARD, "referee"),
    "end_turn": _row((_P.PLAYING,), "screen", "referee"),
    "claim_mission": _row(_BOARD, "screen", "referee"),
    "withdraw_claim": _row((_P.FROZEN,), "referee"),
    "declare_out": _row(_BOARD, "screen", "referee"),
    "reinstate_player": _row(_BOARD, "referee"),
    "sound_tijd": _row((_P.PLAYING, _P.FROZEN), "referee", "hub", "rig"),
    "call_referee": _row(_ANY, "screen", "referee"),
    "dismiss_referee": _row(_ANY, "screen", "referee", "hub"),
    "confirm_board": _row((_P.FROZEN,), "screen", "referee"),
    "reopen_board": _row((_P.SCORED,), "referee"),
    "sign_result": _row((_P.SCORED,), "screen", "referee"),
    "dispute_result": _row((_P.SCORED,), "screen", "referee"),
    "rule_result": _row((_P.SCORED,), "referee"),
    "close_table": _row((_P.SCORED,), "referee"),
    "set_context": _row(PLAYED, "screen", "referee"),
    "say_fallen": _row(PLAYED, "screen", "referee"),
    "stop_attack": _row(PLAYED, "screen", "referee"),
    "ask_silence": _row(PLAYED, "screen", "referee"),
    "tell_rebels": _row(PLAYED, "screen", "referee"),
    "return_player": _row((_P.PLAYING,), "screen", "referee"),
    "propose_correction": _row(_BOARD, "screen", "referee"),
    "agree_correction": _row(_BOARD, "screen", "referee"),
    "refuse_correction": _row(_BOARD, "screen", "referee"),
    "undo": _row(PLAYED, "screen", "referee"),
    "amend_throw": _row(_BOARD, "referee"),
    "amend_turn": _row(PLAYED, "referee"),
    "amend_outs": _row(_BOARD, "referee"),
    "amend_claim": _row((_P.FROZEN,), "referee"),
    "rule_signal": _row((_P.FINISHING, _P.FROZEN), "referee"),
    "rule_played_on": _row((_P.FROZEN,), "referee"),
    "make_ruling": _row(_OPENED, "referee", "hub"),
    "appeal_ruling": _row(_OPENED, "screen", "referee"),
    "decide_appeal": _row(_OPENED, "referee", "hub"),
    "change_result": _row((_P.CLOSED,), "referee", "hub"),
    "calibrate": _row(_ANY, "screen", "referee", "hub"),
    "dispute_throw": _row((*_BOARD, _P.SCORED), "screen", "referee"),
    "read_again": _row((*_BOARD, _P.SCORED), "screen", "referee", "rig"),
    "settle_dispute": _row((*_BOARD, _P.SCORED), "referee"),
    "keep_frames": _row(_ANY, "rig"),
    "press_button": _row(_ANY, "rig"),
    "see_dice": _row(_ANY, "rig"),
    "see_lift": _row(_ANY, "rig"),
    "find_dice": _row(_ANY, "rig"),
    "end_attack_time": _row((_P.PLAYING,), "rig"),
    "note": _row(_ANY, "rig"),
    "open_rig": _row(_ANY, "rig"),
    "recover": _row(_OPENED, "rig"),
    "step_clock": _row(_ANY, "rig"),
    "tell_absence": _row(_GAME, "rig"),
    "reveal_tijd": _row(_OPENED, "referee", "hub", "rig"),
    "lose_tijd": _row((*_BOARD, _P.SCORED, _P.CLOSED), "rig"),
}
"""One row per command: the phases in which it is possible and who may ask."""


class ThrowStep(StrEnum):
    """Where the newest throw stands."""

    CALLED = "called"
    RULED = "ruled"
    ACCEPTED = "accepted"
    ANNULLED = "annulled"


THROW_OPEN = frozenset({ThrowStep.CALLED, ThrowStep.RULED})
"""Steps in which a throw still waits for dice, for people or for being lifted."""


def allowed(phase: Phase, asker: Asker) -> tuple[str, ...]:
    """Commands that `asker` may send in `phase`, in the order of the table."""
    return tuple(name for name, row in MAY.items() if phase in row.phases and asker in row.askers)
