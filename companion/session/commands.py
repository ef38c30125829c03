"""What somebody wants to happen: imperatives that are never stored.

The first half comes from people (through the API), the second from the table's own senses: buttons, camera, clock.
`decide` turns each into events or refuses it; `transitions` says who may send which, and when.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from companion.session.events import DieFact, HoldingsFact, Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Something wanted; `name` is its word in the API and in the table of permissions."""

    name: ClassVar[str]


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
class StartGame(Command):
    """Start the clock."""

    name: ClassVar[str] = "start_game"


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseClock(Command):
    """Stop the clock for a while."""

    name: ClassVar[str] = "pause_clock"

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeClock(Command):
    """Let the clock run on."""

    name: ClassVar[str] = "resume_clock"


@dataclass(frozen=True, slots=True, kw_only=True)
class AddTime(Command):
    """Lengthen the game."""

    name: ClassVar[str] = "add_time"

    ms: int
    reason: str


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
class CorrectDie(Command):
    """Put a misread die right."""

    name: ClassVar[str] = "correct_die"

    side: Side
    position: int
    value: int
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
    """Say that a player lost the last territory, and to whom."""

    name: ClassVar[str] = "declare_out"

    player: str
    by: str


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
    """Ask for the referee."""

    name: ClassVar[str] = "call_referee"

    by: str = "screen"


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


# ---------------------------------------------------------------- from the table's own senses


@dataclass(frozen=True, slots=True, kw_only=True)
class PressButton(Command):
    """A button did something.

    Attributes:
        button: Its name.
        kind: "down" the moment that it is pressed, "short" when it is let go soon, "long" when it is held.
        pressed_ns: When it went down, boot-clock ns.
    """

    name: ClassVar[str] = "press_button"

    button: str
    kind: Literal["down", "short", "long"]
    pressed_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeeDice(Command):
    """The camera read what lies in and around the box.

    Attributes:
        dice: All dice in view, left to right.
        sides: For each die its side by colour; None where the dice have no colours and the order of throwing tells.
        moved: For each die whether it moved since the last rest.
        started_ns: First motion.
        settled_ns: From when nothing moved.
        evidence: SHA-256 of the picture.
    """

    name: ClassVar[str] = "see_dice"

    dice: tuple[DieFact, ...]
    sides: tuple[Side | None, ...]
    moved: tuple[bool, ...]
    started_ns: int
    settled_ns: int
    evidence: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeeLift(Command):
    """The camera saw dice taken out; `left` still lie."""

    name: ClassVar[str] = "see_lift"

    left: int
    lifted_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EndAttackTime(Command):
    """The time to attack in this turn is over."""

    name: ClassVar[str] = "end_attack_time"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(Command):
    """Remember something that changes nothing."""

    name: ClassVar[str] = "note"

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRig(Command):
    """The service opened its camera and panel."""

    name: ClassVar[str] = "open_rig"

    camera: str
    panel: str
    buttons: tuple[str, ...]
    software: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recover(Command):
    """The service came back to a journal that holds a game."""

    name: ClassVar[str] = "recover"

    events: int
    same_boot: bool
    away_ms: int | None
    elapsed_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StepClock(Command):
    """The wall clock jumped."""

    name: ClassVar[str] = "step_clock"

    by_ms: int


PEOPLE: tuple[type[Command], ...] = (
    SetUpTable, EnterStartDie, ChooseColour, BindButton, StartGame, PauseClock, ResumeClock, AddTime, CallThrow,
    EnterDice, SetAllowed, AcceptThrow, AnnulThrow, CorrectDie, EndTurn, ClaimMission, WithdrawClaim, DeclareOut,
    SoundTijd, CallReferee, DismissReferee, ConfirmBoard, ReopenBoard, SignResult, DisputeResult, RuleResult,
    CloseTable,
)  # fmt: skip
SENSES: tuple[type[Command], ...] = (
    PressButton, SeeDice, SeeLift, EndAttackTime, Note, OpenRig, Recover, StepClock,
)  # fmt: skip
