"""What people say about a throw and its combat: dice by hand, how many and against what, what fell, that it is over."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from companion.rules.combat import targets
from companion.rules.systems.rebels_game import comeback
from companion.session import commands as c
from companion.session import events as e
from companion.session.decide.moment import Moment, seated, with_reason
from companion.session.decide.reading import is_accepted
from companion.session.decide.throws import FALLEN, closing_events, is_decided, judged, settle, taken
from companion.session.errors import ONLY_FINISHING, Refused
from companion.session.finish import may_throw_now
from companion.session.snapshot import TableState, ThrowState
from companion.session.state import fold
from companion.session.transitions import Phase, ThrowStep

MOST_DICE = 6
"""More than anybody throws by mistake; what is above is a slip of the finger."""

MOST_REBELS = 99


def open_throw(state: TableState) -> ThrowState:
    """The throw that is still open.

    Raises:
        Refused: None is.
    """
    if state.throw is None or not state.throw.is_open:
        raise Refused("no-open-throw", "no throw is open: the last one was accepted or annulled")
    return state.throw


def accept_throw(state: TableState, _command: c.AcceptThrow, moment: Moment) -> tuple[e.Event, ...]:
    """Take the throw as it was ruled, without waiting for the dice to be lifted."""
    throw = open_throw(state)
    if not is_decided(throw):
        raise Refused("throw-not-decided", "a die has still to be thrown, thrown again or read", throw=throw.id)
    return tuple(taken(throw, "screen", moment))


def annul_throw(state: TableState, command: c.AnnulThrow, moment: Moment) -> tuple[e.Event, ...]:
    """The referee makes the newest throw count for nothing, accepted or not."""
    throw = state.throw
    if throw is None or throw.step is ThrowStep.ANNULLED:
        raise Refused("no-open-throw", "there is no throw to annul")
    with_reason(command.reason)
    return (e.ThrowAnnulled(at_ns=moment.now_ns, throw=throw.id, why="referee", reason=command.reason),)


def set_allowed(state: TableState, command: c.SetAllowed, moment: Moment) -> tuple[e.Event, ...]:
    """How many dice each side may throw; an open throw is judged anew with it."""
    rules = moment.rules()
    for side, number in (("attack", command.attack), ("defence", command.defence)):
        most = rules.number(f"dice.{side}_max")
        if number is not None and not 1 <= number <= most:
            raise Refused("bad-allowed", f"{side} may throw 1 to {most} dice, not {number}", side=side, most=most)
    attack, defence = command.attack, command.defence
    if attack is not None and defence is not None and attack < defence and not rules.at("combat.fewer_than_defence"):
        raise Refused(
            "attack-fewer-than-defence",
            f"an attack with {attack} dice against {defence} is not allowed (clause {rules.word('combat.clause')})",
            attack=attack,
            defence=defence,
            clause=rules.word("combat.clause"),
        )
    fact = e.AllowedSet(at_ns=moment.now_ns, attack=attack, defence=defence)
    return (fact, *_judged_anew(state, fact, moment))


def set_context(state: TableState, command: c.SetContext, moment: Moment) -> tuple[e.Event, ...]:
    """What the attack goes against; an open throw is judged anew with it."""
    rules = moment.rules()
    known = targets(rules)
    if command.against not in known:
        raise Refused(
            "no-such-target",
            f"{rules.system} knows no attack against {command.against}; choose {', '.join(known)}",
            against=command.against,
            known=list(known),
        )
    if command.against == state.against:
        return ()
    fact = e.ContextSet(at_ns=moment.now_ns, against=command.against)
    return (fact, *_judged_anew(state, fact, moment))


def _judged_anew(state: TableState, fact: e.Event, moment: Moment) -> list[e.Event]:
    """Both sides of an open throw once more, as they lie, after a fact about them."""
    if state.throw is None or not state.throw.is_open:
        return []
    now = fold([fact], state)
    halves = [half for side in e.SIDES if (half := state.throw.side(side)) is not None]
    return [found for half in halves for found in judged(now, half.settled, moment, before=half)]


def say_fallen(state: TableState, command: c.SayFallen, moment: Moment) -> tuple[e.Event, ...]:
    """How many dice of a side fell where no camera looks: of the throw that lies there, or of the one just called."""
    throw, most = open_throw(state), moment.rules().number(f"dice.{command.side}_max")
    if not 0 <= command.count <= most:
        raise Refused("bad-fallen", f"0 to {most} dice can have fallen, not {command.count}", most=most)
    fact = e.FallTold(at_ns=moment.now_ns, side=command.side, count=command.count)
    half = throw.side(command.side)
    if half is None:
        told = state.fallen_attack if command.side == "attack" else state.fallen_defence
        return () if told == command.count else (fact,)
    settled = with_fallen(half.settled, command.count, moment)
    if settled.dice == half.settled.dice:
        return ()
    return (fact, settled, *judged(fold([fact, settled], state), settled, moment, before=half))


def with_fallen(settled: e.DiceSettled, count: int, moment: Moment) -> e.DiceSettled:
    """One side's dice with so many that fell."""
    lying = tuple(die for die in settled.dice if die.verdict != "fallen")
    return replace(settled, at_ns=moment.now_ns, dice=(*lying, *[FALLEN] * count))


def stop_attack(state: TableState, command: c.StopAttack, moment: Moment) -> tuple[e.Event, ...]:
    """The combat is over: the attacker stops, conquered, or has no armies; an open throw is closed first."""
    closed = closing_events(state, moment)
    now = fold(closed, state)
    if state.phase is Phase.PLAYING and not now.attack.throws:
        raise Refused("no-attack", "no attack is going on: nothing was thrown since the last one was over")
    return (*closed, e.AttackStopped(at_ns=moment.now_ns, why=command.why))


def ask_silence(state: TableState, command: c.AskSilence, moment: Moment) -> tuple[e.Event, ...]:
    """A player asks the others to be silent."""
    return (e.SilenceAsked(at_ns=moment.now_ns, player=seated(state, command.player).id),)


def tell_rebels(state: TableState, command: c.TellRebels, moment: Moment) -> tuple[e.Event, ...]:
    """How many rebels the triple of the newest throw makes, where the rules have no table for it."""
    came = state.throw.rebels if state.throw is not None else None
    if came is None or came.throw != command.throw:
        raise Refused("no-rebels-asked", "the newest throw made no rebels: there is nothing to look up")
    if not 0 <= command.rebels <= MOST_REBELS:
        raise Refused("bad-rebels", f"say 0 to {MOST_REBELS} rebels", most=MOST_REBELS)
    if came.rebels == command.rebels:
        return ()
    return (e.RebelsTold(at_ns=moment.now_ns, throw=came.throw, face=came.face, rebels=command.rebels),)


def return_player(state: TableState, command: c.ReturnPlayer, moment: Moment) -> tuple[e.Event, ...]:
    """An eliminated player is back with the rebels, with what the rules give for it."""
    rules = moment.rules()
    player = seated(state, command.player)
    if rules.system != "rebels":
        raise Refused("no-rebels-here", f"{rules.system} knows no way back into the game")
    if not player.is_out:
        raise Refused("not-out", f"{player.id!r} is in the game: nobody knocked them out", player=player.id)
    back = comeback(occupier=command.occupier, ruleset=rules)
    return (
        e.PlayerReturned(
            at_ns=moment.now_ns,
            player=player.id,
            armies=back.armies,
            cards=back.cards,
            may_attack_now=back.may_attack_now,
        ),
    )


def enter_dice(state: TableState, command: c.EnterDice, moment: Moment) -> tuple[e.Event, ...]:
    """Dice said by the people at the table, where the camera can't see or can't read: all of that side."""
    if not command.values:
        raise Refused("no-dice-entered", "say at least one die")
    if len(command.values) > MOST_DICE:
        raise Refused("too-many-dice", f"say at most {MOST_DICE} dice", most=MOST_DICE)
    if any(not 1 <= value <= 6 for value in command.values):
        raise Refused("bad-die", "a die shows 1 to 6", values=list(command.values))
    throw = state.throw if state.throw is not None and state.throw.is_open else None
    half = throw.side(command.side) if throw is not None else None
    facts: list[e.Event] = []
    if is_accepted(half):
        if command.side == "defence":
            raise Refused("side-is-fixed", "the defence dice of this throw stand already", side=command.side)
        facts += closing_events(state, moment)
    elif half is not None and half.ruled is not None and half.ruled.action == "reroll_some":
        _with_standing(command, half.ruled)
    if (throw is None or facts) and not may_throw_now(state):
        raise Refused("only-finishing", ONLY_FINISHING)
    if (throw is None or facts) and state.running_clock().paused is not None:
        raise Refused("clock-stands", "the clock stands: let it run on before the next throw")
    seen = tuple(e.DieFact(value=value, verdict="valid") for value in command.values)
    now = fold(facts, state)
    facts += settle(now, command.side, seen, moment, started_ns=None, settled_ns=None, evidence=None, source="hand")
    return tuple(facts)


def _with_standing(command: c.EnterDice, ruled: e.ThrowRuled) -> None:
    """Refuse dice that leave out one that stands: only what was thrown again may differ.

    Raises:
        Refused: A standing die is missing.
    """
    missing = Counter(ruled.standing) - Counter(command.values)
    if missing:
        standing = list(ruled.standing)
        raise Refused(
            "standing-dice-missing",
            f"{standing} stand: say them together with what was thrown again, all {command.side} dice at once",
            side=command.side,
            standing=standing,
        )
