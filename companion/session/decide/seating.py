"""Set-up, start dice, seats, colours and buttons: everything before the clock runs."""

from __future__ import annotations

from companion.rules.clock import game_length_s, length_range, secret_length
from companion.rules.position import check_players
from companion.rules.ruleset import Ruleset
from companion.rules.seating import start_order
from companion.rules.systems.rebels_game import check_agreement
from companion.session import commands as c
from companion.session import events as e
from companion.session.decide import service
from companion.session.decide.moment import Moment, seated
from companion.session.errors import Refused
from companion.session.snapshot import TableState
from companion.session.state import fold, seat_buttons

MOST_LETTERS = 80
"""Longest text of a set-up: what is longer fits no screen and no sheet."""


def set_up_table(_state: TableState, command: c.SetUpTable, moment: Moment) -> tuple[e.Event, ...]:
    """A game is opened: players, rules, length."""
    rules = moment.rules()
    players = command.players
    for what in ("table", "tournament", "game"):
        text = getattr(command, what)
        if len(text) > MOST_LETTERS or not text.isprintable():
            raise Refused("bad-text", f"{what} has at most {MOST_LETTERS} letters on one line", what=what)
    if any(len(p) > MOST_LETTERS or not p.isprintable() for p in players):
        raise Refused("bad-text", f"a player's id has at most {MOST_LETTERS} letters on one line", what="player")
    if not 1 <= command.round <= 99:
        raise Refused("bad-round", "a round is numbered 1 to 99", round=command.round)
    if not all(p.strip() for p in players):
        raise Refused("player-without-id", "each player needs an id", players=list(players))
    check_players(players, ruleset=rules)
    phase = _phase(command, rules)
    length_ms = _length_ms(command, rules)
    _check_prize(command, rules, length_ms)
    if not 0.1 <= command.scale <= 1000:
        raise Refused("bad-scale", "the clock's scale must lie in 0.1 to 1000", scale=command.scale)
    return (
        e.TableOpened(
            at_ns=moment.now_ns,
            system=rules.system,
            ruleset_name=rules.name,
            ruleset_hash=rules.hash,
            options=dict(command.options),
            tournament=command.tournament,
            round=command.round,
            table=command.table,
            game=command.game or f"r{command.round}-t{command.table}",
            players=players,
            phase=phase,
            length_ms=length_ms,
            scale=command.scale,
            prize=command.prize,
        ),
    )


def _check_prize(command: c.SetUpTable, rules: Ruleset, length_ms: int | None) -> None:
    """What victory brings is said beforehand where the rules want it, and is nothing to be asked elsewhere.

    Raises:
        Refused: It is said where no rule asks for it, or in too many letters.
        RulesError: It is missing.
    """
    if rules.system == "rebels":
        check_agreement(command.prize, (length_ms or 0) // 60_000)
    elif command.prize:
        raise Refused("no-prize-here", f"the rules of {rules.system} ask for no prize beforehand: leave it out")
    if len(command.prize) > MOST_LETTERS or not command.prize.isprintable():
        raise Refused("bad-text", f"a prize has at most {MOST_LETTERS} letters on one line", what="prize")


def _phase(command: c.SetUpTable, rules: Ruleset) -> str:
    """The phase of the tournament that gives a secret length its range: the first one unless another is named.

    Raises:
        Refused: The rules know no phases.
        RulesError: They know others.
    """
    phases = rules.at("time.minutes") or {}
    if not phases:
        if command.phase:
            raise Refused("no-phases-here", f"{rules.system} gives no phase a length of its own", phase=command.phase)
        return ""
    phase = command.phase or next(iter(phases))
    length_range(phase, ruleset=rules)
    return phase


def _length_ms(command: c.SetUpTable, rules: Ruleset) -> int | None:
    """How long the game lasts; None where that is a secret.

    Raises:
        Refused: It is missing, impossible, or would have been told to everybody.
    """
    if secret_length(rules) is not None:
        if command.length_ms is not None:
            raise Refused(
                "length-is-secret",
                f"the length of a game of {rules.system} is a secret and is sealed at the start: leave it out",
            )
        return None
    length_s = game_length_s(rules)
    length_ms = command.length_ms if command.length_ms is not None else length_s * 1000 if length_s else None
    if length_ms is None:
        raise Refused("length-missing", f"{rules.system} fixes no length: say how long this game lasts")
    if not 60_000 <= length_ms <= 12 * 3_600_000:
        raise Refused("bad-length", "a game lasts 1 minute to 12 hours", length_ms=length_ms)
    return length_ms


def to_throw(state: TableState, ruleset: Ruleset) -> tuple[str, ...]:
    """Who still has to throw a start die, in the order in which they are asked; empty once the order is clear.

    Everyone throws once before a tie is thrown out, so that no one throws twice while another waits.
    """
    waiting = tuple(p.id for p in state.players if not p.start_dice)
    return waiting or start_order(_dice(state), ruleset=ruleset).to_throw


def _dice(state: TableState) -> dict[str, tuple[int, ...]]:
    return {p.id: p.start_dice for p in state.players}


def see_dice(state: TableState, command: c.SeeDice, moment: Moment) -> tuple[e.Event, ...]:
    """A start die came to rest; anything but one valid die is void and thrown again.

    Dice that lay there before (the last player's, spare dice beside the box) were not thrown.
    """
    waiting = to_throw(state, moment.rules())
    if not waiting:
        return ()
    thrower = state.player(waiting[0])
    dice = [die for die, moved in zip(command.dice, command.moved, strict=True) if moved]
    value = dice[0].value if len(dice) == 1 and dice[0].verdict == "valid" else None
    if value is not None and dice[0].rolled is not False:
        read = e.StartDieRead(
            at_ns=moment.now_ns,
            player=thrower.id,
            value=value,
            source="camera",
            evidence=command.evidence,
        )
        return (read, *_seats_if_clear(state, read, moment))
    reason = "not-one-die" if len(dice) != 1 else "not-rolled" if value is not None else dice[0].verdict
    return (e.StartDieVoided(at_ns=moment.now_ns, player=thrower.id, reason=reason, evidence=command.evidence),)


def enter_start_die(state: TableState, command: c.EnterStartDie, moment: Moment) -> tuple[e.Event, ...]:
    """A start die said by the people at the table."""
    if not 1 <= command.value <= 6:
        raise Refused("bad-die", "a die shows 1 to 6", values=[command.value])
    player = seated(state, command.player).id
    waiting = to_throw(state, moment.rules())
    if player not in waiting:
        raise Refused("not-to-throw", f"{player!r} has not to throw now", player=player, waiting=list(waiting))
    read = e.StartDieRead(at_ns=moment.now_ns, player=player, value=command.value, source="hand", evidence=None)
    return (read, *_seats_if_clear(state, read, moment))


def _seats_if_clear(state: TableState, read: e.StartDieRead, moment: Moment) -> tuple[e.Event, ...]:
    now = fold([read], state)
    order = None if to_throw(now, moment.rules()) else start_order(_dice(now), ruleset=moment.rules()).order
    if order is None:
        return ()
    seats = tuple(e.SeatFact(player=player, seat=i, order=i) for i, player in enumerate(order, 1))
    return (e.SeatsAssigned(at_ns=moment.now_ns, seats=seats),)


def _order_is_known(state: TableState, moment: Moment) -> None:
    waiting = to_throw(state, moment.rules())
    if waiting:
        raise Refused("start-dice-first", "the start dice come first", waiting=list(waiting))


def choose_colour(state: TableState, command: c.ChooseColour, moment: Moment) -> tuple[e.Event, ...]:
    """A player takes a colour that is free and on the board."""
    _order_is_known(state, moment)
    player = seated(state, command.player)
    colours = tuple(moment.rules().at("missions.colours") or ())
    if colours and command.colour not in colours:
        raise Refused(
            "unknown-colour",
            f"no army is {command.colour!r}; there are: {', '.join(colours)}",
            colour=command.colour,
            colours=list(colours),
        )
    if not command.colour.strip() or len(command.colour) > MOST_LETTERS or not command.colour.isprintable():
        raise Refused("bad-text", f"a colour has 1 to {MOST_LETTERS} letters on one line", what="colour")
    taken = next((p for p in state.players if p.colour == command.colour and p.id != player.id), None)
    if taken is not None:
        raise Refused(
            "colour-taken", f"{command.colour} belongs to {taken.id!r}", colour=command.colour, player=taken.id
        )
    if player.colour == command.colour:
        return ()
    return (e.ColourChosen(at_ns=moment.now_ns, player=player.id, colour=command.colour),)


def bind_button(state: TableState, command: c.BindButton, moment: Moment) -> tuple[e.Event, ...]:
    """A button becomes a player's."""
    _order_is_known(state, moment)
    player = seated(state, command.player)
    buttons = seat_buttons(state.rig)
    if command.button not in buttons:
        known = ", ".join(buttons) or "none: this table has no buttons"
        raise Refused("unknown-button", f"no button {command.button!r}; there are: {known}", button=command.button)
    bound = e.ButtonBound(at_ns=moment.now_ns, player=player.id, button=command.button)
    taken = next((p for p in state.players if p.button == command.button and p.id != player.id), None)
    if taken is None:
        return () if player.button == command.button else (bound,)
    if player.button is None:
        raise Refused(
            "button-taken", f"{command.button} belongs to {taken.id!r}", button=command.button, player=taken.id
        )
    # Two who pressed each other's button: at a table where every button is taken, only a swap can mend it.
    return (bound, e.ButtonBound(at_ns=moment.now_ns, player=taken.id, button=player.button))


def press(state: TableState, command: c.PressButton, moment: Moment) -> tuple[e.Event, ...]:
    """A press during seating: the button goes to the first player in order who has none yet."""
    if any(p.button == command.button for p in state.players):
        return ()
    if not to_throw(state, moment.rules()):
        for player in sorted(state.players, key=lambda p: p.order or 0):
            if player.button is None:
                return bind_button(state, c.BindButton(player=player.id, button=command.button), moment)
    values = {"button": command.button, "phase": state.phase.value}
    return service.note(state, c.Note(code="press-meant-nothing", values=values), moment)
