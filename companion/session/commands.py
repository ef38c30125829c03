"""What somebody wants to happen: imperatives that are never stored.

Those below, and those of `telling.py` and `mending.py`, come from people, through the API; those of `senses.py` from
the table's own buttons, camera and clock. `decide` turns each into events or refuses it; `transitions` says who may
send which, and when.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from companion.session.command import Command
from companion.session.events import HoldingsFact, Side
from companion.session.looking import Calibrate, DisputeThrow, KeepFrames, ReadAgain, SecondReading, SettleDispute
from companion.session.mending import (
    MENDING,
    AgreeCorrection,
    AmendClaim,
    AmendOuts,
    AmendThrow,
    AmendTurn,
    AppealRuling,
    ChangeResult,
    CorrectDie,
    DecideAppeal,
    MakeRuling,
    ProposeCorrection,
    RefuseCorrection,
    RulePlayedOn,
    RuleSignal,
    Undo,
)
from companion.session.senses import (
    EndAttackTime,
    FindDice,
    Note,
    OpenRig,
    PressButton,
    Recover,
    SeeDice,
    SeeLift,
    StepClock,
)
from companion.session.telling import (
    TELLING,
    AskSilence,
    ReturnPlayer,
    SayFallen,
    SetContext,
    StopAttack,
    TellRebels,
)
from companion.session.timing import AddTime, LoseTijd, PauseClock, ResumeClock, RevealTijd, StartGame, TellAbsence


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUpTable(Command):
    """Open a new game."""

    name: ClassVar[str] = "set_up_table"

    system: str
    players: tuple[str, ...]
    table: str = "1"
    tournament: str = ""
    round: int = 1
    game: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    phase: str = ""
    prize: str = ""
    length_ms: int | None = None
    scale: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EnterStartDie(Command):
    """Say what a player's start die shows."""

    name: ClassVar[str] = "enter_start_die"

    player: str
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseColour(Command):
    """Take a colour."""

    name: ClassVar[str] = "choose_colour"

    player: str
    colour: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BindButton(Command):
    """Give a button to a player."""

    name: ClassVar[str] = "bind_button"

    player: str
    button: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallThrow(Command):
    """Say: I throw."""

    name: ClassVar[str] = "call_throw"

    player: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EnterDice(Command):
    """Say what lies in the box, where the camera can't."""

    name: ClassVar[str] = "enter_dice"

    side: Side
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAllowed(Command):
    """Say how many dice each side may throw."""

    name: ClassVar[str] = "set_allowed"

    attack: int | None
    defence: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptThrow(Command):
    """Take the throw as it was ruled."""

    name: ClassVar[str] = "accept_throw"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnulThrow(Command):
    """Make the throw count for nothing."""

    name: ClassVar[str] = "annul_throw"

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndTurn(Command):
    """Begin the turn of the next player, or of the one named."""

    name: ClassVar[str] = "end_turn"

    player: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimMission(Command):
    """Show a mission completed."""

    name: ClassVar[str] = "claim_mission"

    player: str
    mission: str | None = None
    destroyed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawClaim(Command):
    """Refuse the claim; play goes on."""

    name: ClassVar[str] = "withdraw_claim"

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclareOut(Command):
    """Say that a player lost the last territory, and to whom; nobody took it where they left by themselves."""

    name: ClassVar[str] = "declare_out"

    player: str
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReinstatePlayer(Command):
    """Take a knock-out back that never was."""

    name: ClassVar[str] = "reinstate_player"

    player: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundTijd(Command):
    """Give the signal.

    Attributes:
        source: Who gave it.
        signal_ns: When it was heard, on the boot clock.
        rolling_since_ns: Since when dice are moving in the box, or None if the box is still.
        frame_ns: Time between two frames of the camera: no stamp is surer than that.
    """

    name: ClassVar[str] = "sound_tijd"

    source: Literal["clock", "organiser", "referee"]
    signal_ns: int
    rolling_since_ns: int | None = None
    frame_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallReferee(Command):
    """Ask for the referee on the screen; who touches it is taken at their word."""

    name: ClassVar[str] = "call_referee"

    player: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissReferee(Command):
    """Say that the referee came."""

    name: ClassVar[str] = "dismiss_referee"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmBoard(Command):
    """Confirm what lies on the frozen board."""

    name: ClassVar[str] = "confirm_board"

    players: tuple[HoldingsFact, ...]
    vacant: tuple[str, ...] = ()
    lot: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReopenBoard(Command):
    """Record the board anew."""

    name: ClassVar[str] = "reopen_board"

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SignResult(Command):
    """Agree with the result."""

    name: ClassVar[str] = "sign_result"

    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeResult(Command):
    """Disagree with the result."""

    name: ClassVar[str] = "dispute_result"

    player: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleResult(Command):
    """Set the result as referee."""

    name: ClassVar[str] = "rule_result"

    results: Mapping[str, str]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseTable(Command):
    """Close the table: the result stands."""

    name: ClassVar[str] = "close_table"


PEOPLE: tuple[type[Command], ...] = (
    SetUpTable, EnterStartDie, ChooseColour, BindButton, StartGame, PauseClock, ResumeClock, AddTime, CallThrow,
    EnterDice, SetAllowed, AcceptThrow, AnnulThrow, EndTurn, ClaimMission, WithdrawClaim, DeclareOut,
    ReinstatePlayer, SoundTijd, CallReferee, DismissReferee, ConfirmBoard, ReopenBoard, SignResult, DisputeResult,
    RuleResult, CloseTable, RevealTijd, *TELLING, *MENDING,
    Calibrate, DisputeThrow, ReadAgain, SettleDispute,
)  # fmt: skip
SENSES: tuple[type[Command], ...] = (
    PressButton, SeeDice, SeeLift, FindDice, EndAttackTime, Note, OpenRig, Recover, StepClock, LoseTijd, TellAbsence,
    KeepFrames,
)  # fmt: skip

__all__ = [
    "PEOPLE",
    "SENSES",
    "TELLING",
    "AcceptThrow",
    "AddTime",
    "AgreeCorrection",
    "AmendClaim",
    "AmendOuts",
    "AmendThrow",
    "AmendTurn",
    "AnnulThrow",
    "AppealRuling",
    "AskSilence",
    "BindButton",
    "Calibrate",
    "CallReferee",
    "CallThrow",
    "ChangeResult",
    "ChooseColour",
    "ClaimMission",
    "CloseTable",
    "Command",
    "ConfirmBoard",
    "CorrectDie",
    "DecideAppeal",
    "DeclareOut",
    "DismissReferee",
    "DisputeResult",
    "DisputeThrow",
    "EndAttackTime",
    "EndTurn",
    "EnterDice",
    "EnterStartDie",
    "FindDice",
    "KeepFrames",
    "LoseTijd",
    "MakeRuling",
    "Note",
    "OpenRig",
    "PauseClock",
    "PressButton",
    "ProposeCorrection",
    "ReadAgain",
    "Recover",
    "RefuseCorrection",
    "ReinstatePlayer",
    "ReopenBoard",
    "ResumeClock",
    "ReturnPlayer",
    "RevealTijd",
    "RulePlayedOn",
    "RuleResult",
    "RuleSignal",
    "SayFallen",
    "SecondReading",
    "SeeDice",
    "SeeLift",
    "SetAllowed",
    "SetContext",
    "SetUpTable",
    "SettleDispute",
    "SignResult",
    "SoundTijd",
    "StartGame",
    "StepClock",
    "StopAttack",
    "TellAbsence",
    "TellRebels",
    "Undo",
    "WithdrawClaim",
]
