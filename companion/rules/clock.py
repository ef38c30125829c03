"""What time does to a game: lengths and their ranges, the last phase's limit on attacking, and the signal.

No clock is read here: instants come in as seconds from the start of the game. The signal's ruling is given in
facts about the throw that was on its way, because who saw what when is the table's business, not the rules'.

Two readings of a signal meet here. nl1996 voids a throw whose losses were not yet taken off; risiko lets the
combat in progress end. Where a text knows no signal at all, the throw that lies there is finished (chosen).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.rules.errors import RulesError
from companion.rules.reason import Reason, because
from companion.rules.ruleset import Ruleset

DiceState = Literal["not_thrown", "rolling", "at_rest"]
Wish = Literal["continue_combat", "move_in", "move_to_reinforce", "new_combat"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowAtSignal:
    """Where the throw was when the signal sounded.

    Attributes:
        attack: The attack dice.
        defence: The defence dice.
        losses_taken: The armies were taken off before the signal.
        throws_before: Earlier throws of the same combat (between the same two lands, not stopped).
        attacker_stopped: The attacker had said to stop.
        territory_conquered: The attacked land had fallen.
    """

    attack: DiceState = "not_thrown"
    defence: DiceState = "not_thrown"
    losses_taken: bool = False
    throws_before: int = 0
    attacker_stopped: bool = False
    territory_conquered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalRuling:
    """What the signal does.

    Attributes:
        throw: The newest throw is void, stands, or there was none.
        board: The board from before that throw counts, or the board as it is.
        losses_due: The throw stands and its losses are still to be taken.
        may_throw: Somebody may still throw dice.
        combat_in_progress: A combat goes on.
        may_move_in: The armies that a conquest makes compulsory may still move.
        may_move_to_reinforce: Other moves are allowed.
        may_start_new_combat: Another attack is allowed.
        reason: Why.
    """

    throw: Literal["void", "stands", "none"]
    board: Literal["before_throw", "as_it_is"]
    losses_due: bool
    may_throw: bool
    combat_in_progress: bool
    may_move_in: bool
    may_move_to_reinforce: bool = False
    may_start_new_combat: bool = False
    reason: Reason

    def allows(self, wish: Wish) -> bool:
        """Whether a player may still do what they wish after the signal."""
        return {
            "continue_combat": self.may_throw,
            "move_in": self.may_move_in,
            "move_to_reinforce": self.may_move_to_reinforce,
            "new_combat": self.may_start_new_combat,
        }[wish]


def signal(at: ThrowAtSignal, *, ruleset: Ruleset) -> SignalRuling:
    """What the signal does to the throw, the board and what may still be done.

    A conquest that was carried out stands, and the armies that must move in still do.

    Source:
        nl1996 2.3; risiko 19; the others chosen.
    """
    clause = ruleset.word("signal.clause")
    mode = ruleset.word("signal.mode")
    thrown = "not_thrown" not in (at.attack, at.defence) or at.attack != at.defence
    if mode == "finish_combat":
        return _finish_combat(at, clause, thrown)
    if at.losses_taken:
        reason = because("signal-losses-taken", clause)
        return _ruling("stands", reason, move_in=at.territory_conquered)
    if not thrown:
        return _ruling("none", because("signal-nothing-thrown", clause), move_in=at.territory_conquered)
    if mode == "finish_throw":
        missing = at.attack != "at_rest" or at.defence != "at_rest"
        return _ruling("stands", because("signal-finish-throw", clause), losses_due=True, may_throw=missing)
    both_rest = at.attack == at.defence == "at_rest"
    if both_rest and ruleset.options.get("pending_throw") == "settled_counts":
        return _ruling("stands", because("signal-settled-counts", clause), losses_due=True)
    return SignalRuling(
        throw="void",
        board="before_throw",
        losses_due=False,
        may_throw=False,
        combat_in_progress=False,
        may_move_in=False,
        reason=because("signal-pending-void", clause),
    )


def _finish_combat(at: ThrowAtSignal, clause: str, thrown: bool) -> SignalRuling:
    throw: Literal["stands", "none"] = "stands" if thrown else "none"
    over = "conquered" if at.territory_conquered else "stopped" if at.attacker_stopped else ""
    if over:
        reason = because("signal-combat-over", clause, why=over)
        return _ruling(throw, reason, move_in=at.territory_conquered)
    if not thrown and not at.throws_before:
        return _ruling(throw, because("signal-no-combat", clause))
    due = thrown and not at.losses_taken
    reason = because("signal-finish-combat", clause, throws=at.throws_before)
    return _ruling(throw, reason, losses_due=due, may_throw=True, combat=True, move_in=True)


def _ruling(
    throw: Literal["stands", "none"],
    reason: Reason,
    *,
    losses_due: bool = False,
    may_throw: bool = False,
    combat: bool = False,
    move_in: bool = False,
) -> SignalRuling:
    return SignalRuling(
        throw=throw,
        board="as_it_is",
        losses_due=losses_due,
        may_throw=may_throw,
        combat_in_progress=combat,
        may_move_in=move_in or losses_due,
        reason=reason,
    )


def game_length_s(ruleset: Ruleset) -> int | None:
    """Length of a game in seconds where the rules fix it and everybody knows it; None where they don't.

    Source:
        nl1996 2.2.
    """
    minutes = ruleset.at("time.game_minutes")
    return None if minutes is None else int(minutes) * 60


def last_phase_starts_s(length_s: float, *, ruleset: Ruleset) -> float | None:
    """When the last phase begins, in seconds from the start of a game of that length; None without one.

    Source:
        nl1996 2.2.
    """
    minutes = ruleset.at("time.last_phase_minutes")
    return None if minutes is None else max(0.0, length_s - int(minutes) * 60)


def attack_limit(elapsed_s: float, *, ruleset: Ruleset, length_s: float | None = None) -> int | None:
    """Seconds that a turn may attack at this moment of the game; None without a limit.

    Args:
        elapsed_s: Playing time since the start.
        ruleset: The rules of the table.
        length_s: Length of this game when it differs from the rules' own.

    Source:
        nl1996 2.2.
    """
    length = length_s if length_s is not None else game_length_s(ruleset)
    starts = None if length is None else last_phase_starts_s(length, ruleset=ruleset)
    if starts is None or elapsed_s < starts:
        return None
    return ruleset.number("time.last_phase_attack_minutes") * 60


def attack_deadline(
    *,
    attack_started_s: float | None,
    now_s: float,
    turn_started_s: float,
    ruleset: Ruleset,
    length_s: float | None = None,
) -> float | None:
    """The moment, in seconds from the start of the game, when this turn's attacking must end.

    Args:
        attack_started_s: First attack of the turn; None while it has not attacked, and then there is no deadline.
        now_s: The present moment; before the last phase nothing runs.
        turn_started_s: Start of the turn.
        ruleset: The rules of the table; `running_turn_at_last_phase` says what holds for a turn under way.
        length_s: Length of this game when it differs from the rules' own.

    Source:
        nl1996 2.2: the limit is on attacking, not on the turn.
    """
    length = length_s if length_s is not None else game_length_s(ruleset)
    starts = None if length is None else last_phase_starts_s(length, ruleset=ruleset)
    if length is None or starts is None or attack_started_s is None or now_s < starts:
        return None
    running = ruleset.option("running_turn_at_last_phase")
    if running == "exempt" and turn_started_s < starts:
        return None
    counts_from = attack_started_s
    if running == "count_from_phase_start":
        counts_from = max(attack_started_s, starts)
    limit = ruleset.number("time.last_phase_attack_minutes") * 60
    return min(max(counts_from + limit, starts), length)


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthRuling:
    """Whether a length lies in the range of its phase."""

    valid: bool
    reason: Reason


def length_range(phase: str, *, ruleset: Ruleset) -> tuple[int, int]:
    """Shortest and longest game of a phase in minutes, both ends included.

    Raises:
        RulesError: The system has no such phase.

    Source:
        risiko 19.
    """
    phases = ruleset.at("time.minutes") or {}
    if phase not in phases:
        raise RulesError(
            "no-such-phase",
            f"{ruleset.system} has no phase {phase!r} with a secret length; it has {', '.join(phases) or 'none'}",
            phase=phase,
            known=list(phases),
        )
    least, most = phases[phase]
    return least, most


def check_length(phase: str, minutes: float, *, ruleset: Ruleset) -> LengthRuling:
    """Whether a secret length is allowed in a phase.

    Raises:
        RulesError: The system has no such phase.

    Source:
        risiko 19.
    """
    least, most = length_range(phase, ruleset=ruleset)
    valid = least <= minutes <= most
    code = "length-in-range" if valid else "length-out-of-range"
    clause = ruleset.word("signal.clause")
    return LengthRuling(valid=valid, reason=Reason(code=code, clause=clause, values=_range(minutes, least, most)))


def _range(minutes: float, least: int, most: int) -> dict[str, float]:
    return {"minutes": minutes, "least": least, "most": most}


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretLength:
    """How a secret length comes about.

    Attributes:
        chosen_by: The organiser chooses it, or it is random within the phase's range.
        one_for_all: All tables of a phase have the same.
    """

    chosen_by: Literal["organiser", "random"]
    one_for_all: bool


def secret_length(ruleset: Ruleset) -> SecretLength | None:
    """How the length of a game is chosen where it is secret; None where everybody knows it.

    Source:
        risiko 19, options `secret_time` and `same_for_all_tables`.
    """
    if ruleset.at("time.minutes") is None:
        return None
    by_chance = ruleset.option("secret_time") == "random"
    return SecretLength(
        chosen_by="random" if by_chance else "organiser",
        one_for_all=ruleset.option("same_for_all_tables") is True,
    )


def signal_comes_from(ruleset: Ruleset) -> Literal["clock", "organiser"]:
    """Who gives the signal at the end of a game: the table's own clock, or the organiser for all tables.

    A clock can only give a signal whose length was given to it; whoever gives one first, it counts.

    Source:
        nl1996 2.3 and risiko 19, option `signal_source`.
    """
    return "organiser" if ruleset.options.get("signal_source") == "organiser" else "clock"


def length_of_chance(phase: str, number: int, *, ruleset: Ruleset) -> int:
    """A whole number of minutes in the phase's range, from a random number that the caller drew.

    Args:
        phase: Phase of the tournament.
        number: Anything from 0 up; draw it far larger than the range, so that no length is favoured.
        ruleset: The rules of the table.

    Source:
        risiko 19, option `secret_time`.
    """
    least, most = length_range(phase, ruleset=ruleset)
    return least + number % (most - least + 1)


def fresh_length(phase: str, number: int, *, played_min: float, ruleset: Ruleset) -> int | None:
    """As `length_of_chance`, for a game that runs already: longer than what was played; None when the range is over.

    Source:
        risiko 19, option `late_table`.
    """
    least, most = length_range(phase, ruleset=ruleset)
    least = max(least, int(played_min) + 1)
    return None if least > most else least + number % (most - least + 1)


def may_see_end(who: str) -> bool:
    """Whether somebody may know when a secret length ends.

    Args:
        who: A role. Only the officials know; unknown roles don't.

    Source:
        risiko 19.
    """
    return who in ("referee", "director", "organiser")


def turn_warnings(
    seconds_without_first_attack: float | None, seconds_total: float, *, ruleset: Ruleset
) -> tuple[Reason, ...]:
    """The warnings that a turn has earned; the referee, not the clock, punishes.

    Args:
        seconds_without_first_attack: Since the turn began, while it has not attacked; None after its first attack.
        seconds_total: Since the turn began.
        ruleset: The rules of the table.

    Source:
        risiko 20.
    """
    most = ruleset.at("time.turn_seconds")
    if most is None:
        return ()
    warnings = []
    if seconds_without_first_attack is not None and seconds_without_first_attack > most["reflection"]:
        warnings.append(because("turn-reflection", "20", seconds=seconds_without_first_attack, most=most["reflection"]))
    if seconds_total > most["total"]:
        warnings.append(because("turn-total", "20", seconds=seconds_total, most=most["total"]))
    return tuple(warnings)
