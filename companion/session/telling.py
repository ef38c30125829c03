"""What people tell of an attack because no camera can know it: against what, what fell, that it is over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from companion.rules.combat import Target
from companion.session.command import Command
from companion.session.events import Side


@dataclass(frozen=True, slots=True, kw_only=True)
class SetContext(Command):
    """Say what the attack goes against."""

    name: ClassVar[str] = "set_context"

    against: Target


@dataclass(frozen=True, slots=True, kw_only=True)
class SayFallen(Command):
    """Say how many dice of a side fell where no camera looks."""

    name: ClassVar[str] = "say_fallen"

    side: Side
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StopAttack(Command):
    """Say that the combat is over, and how."""

    name: ClassVar[str] = "stop_attack"

    why: Literal["stopped", "conquered", "no_armies"] = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskSilence(Command):
    """Ask the others to be silent."""

    name: ClassVar[str] = "ask_silence"

    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TellRebels(Command):
    """Say how many rebels a triple makes."""

    name: ClassVar[str] = "tell_rebels"

    throw: int
    rebels: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnPlayer(Command):
    """Bring an eliminated player back with the rebels."""

    name: ClassVar[str] = "return_player"

    player: str
    occupier: bool


TELLING: tuple[type[Command], ...] = (SetContext, SayFallen, StopAttack, AskSilence, TellRebels, ReturnPlayer)
