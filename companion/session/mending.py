"""What people want to put right: slips of the finger, misread dice, forgotten facts; and what a referee rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from companion.rules.combat import Target
from companion.session.command import Command
from companion.session.events import OutFact, Side

Verdict = Literal["valid", "cocked", "stacked", "off_box", "unreadable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectDie(Command):
    """Put a misread die right, as referee."""

    name: ClassVar[str] = "correct_die"

    side: Side
    position: int
    reason: str
    value: int | None = None
    verdict: Verdict = "valid"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposeCorrection(Command):
    """Say that a die was misread, for the thrower and one opponent to agree."""

    name: ClassVar[str] = "propose_correction"

    side: Side
    position: int
    value: int | None = None
    verdict: Verdict = "valid"
    window_ms: int = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeCorrection(Command):
    """Agree with the proposed correction."""

    name: ClassVar[str] = "agree_correction"

    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuseCorrection(Command):
    """Disagree with the proposed correction: the referee decides."""

    name: ClassVar[str] = "refuse_correction"

    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo(Command):
    """Take back the newest thing that was told, and perhaps tell another in its place."""

    name: ClassVar[str] = "undo"

    what: str
    instead: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendThrow(Command):
    """Put right whose the newest throw was, against what, with how many dice, and how many of them fell."""

    name: ClassVar[str] = "amend_throw"

    reason: str
    player: str | None = None
    against: Target | None = None
    attack: int | None = None
    defence: int | None = None
    fallen_attack: int | None = None
    fallen_defence: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendTurn(Command):
    """Put right whose turn it is, or when its first attack was."""

    name: ClassVar[str] = "amend_turn"

    player: str
    reason: str
    attack_started_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendOuts(Command):
    """Put right who left the game, to whom and in which order."""

    name: ClassVar[str] = "amend_outs"

    outs: tuple[OutFact, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendClaim(Command):
    """Put right what was claimed, and by whom."""

    name: ClassVar[str] = "amend_claim"

    player: str
    reason: str
    mission: str | None = None
    destroyed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSignal(Command):
    """Say as referee what the signal did to the throw."""

    name: ClassVar[str] = "rule_signal"

    throw: Literal["void", "stands"]
    reason: str
    combat: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePlayedOn(Command):
    """Say as leader whether somebody went on after the mission."""

    name: ClassVar[str] = "rule_played_on"

    how: Literal["accident", "purpose"] | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeRuling(Command):
    """Rule on something that no button knows."""

    name: ClassVar[str] = "make_ruling"

    about: Literal["interpretation", "penalty", "undeclared_attack", "other"]
    reason: str
    player: str | None = None
    armies: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AppealRuling(Command):
    """Take a ruling to the director."""

    name: ClassVar[str] = "appeal_ruling"

    ruling: int
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideAppeal(Command):
    """Decide an appeal."""

    name: ClassVar[str] = "decide_appeal"

    ruling: int
    upheld: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeResult(Command):
    """Change the result of a closed table."""

    name: ClassVar[str] = "change_result"

    results: Mapping[str, str]
    reason: str


MENDING: tuple[type[Command], ...] = (
    CorrectDie, ProposeCorrection, AgreeCorrection, RefuseCorrection, Undo, AmendThrow, AmendTurn, AmendOuts,
    AmendClaim, RuleSignal, RulePlayedOn, MakeRuling, AppealRuling, DecideAppeal, ChangeResult,
)  # fmt: skip
