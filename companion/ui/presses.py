"""What a press makes of the screen's memory, and what it asks of the table.

Pure: a press is a value, and so is its outcome. Each `Do` names a verb of the table at the end of this file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from companion.ui.blocks import Do, Send
from companion.ui.desk import (
    CHECK,
    CHOOSE_PIN,
    MOST_DICE,
    NAME_LETTERS,
    PIN_DIGITS,
    PIN_LEAST,
    Desk,
    Notice,
    Step,
    seats_of,
)
from companion.ui.draft import Cards, Draft

ARMY_DIGITS = 3
"""Nobody has a thousand armies on the board."""


LOT_DIGITS = 12
"""More than any lottery publishes."""


def press(desk: Desk, does: Do | Send, *, may: tuple[str, ...] | list[str] = ()) -> Step:
    """The outcome of one press.

    Args:
        desk: The screen's memory before.
        does: What the pressed block says.
        may: Commands that the table takes from this screen now; any other needs the referee's PIN.
    """
    desk = replace(desk, notice=None)
    if isinstance(does, Send):
        return _ask(desk, does, may)
    return _VERBS[does.verb](desk, *does.args)


def _ask(desk: Desk, send: Send, may: tuple[str, ...] | list[str]) -> Step:
    if desk.sending is not None:
        return Step(desk=desk)
    if send.pin is None and send.command not in {*may, CHECK}:
        return Step(desk=replace(desk, page="pin", picks=(), digits="", waiting=send))
    return Step(desk=replace(desk, sending=send), send=send)


def answered(desk: Desk) -> Desk:
    """The desk once the table took what was asked: the page that asked is done."""
    sent = desk.sending
    if sent is not None and sent.command == CHOOSE_PIN and desk.waiting is not None:
        # The new PIN was typed a moment ago: what waited for one goes on to ask for it, not a third time.
        return replace(desk, sending=None, page="pin", digits=sent.pin or "", notice=None)
    # Whoever tries out one part goes on with the next: that page stays.
    page = "panel" if sent is not None and sent.command == CHECK else ""
    desk = replace(desk, sending=None, waiting=None, page=page, picks=(), digits="", dice=(), notice=None)
    return press(desk, sent.then).desk if sent is not None and sent.then is not None else desk


def refused(desk: Desk, problem: Mapping[str, Any], now_s: float) -> Desk:
    """The desk once the table refused: the page stays, so that what was typed can be mended.

    A refusal for want of a PIN opens the pad, with what was asked still waiting.
    """
    asked = desk.sending
    desk = replace(desk, sending=None, notice=Notice(problem=problem, at_s=now_s))
    if problem.get("problem") in PIN_PROBLEMS and asked is not None:
        return replace(desk, page="pin", picks=(), digits="", waiting=replace(asked, pin=None))
    return desk


PIN_PROBLEMS = frozenset({"not-yours", "pin-wrong", "pin-not-set", "pin-too-soon"})
"""Refusals that a referee's PIN can mend."""


def _open(desk: Desk, page: str, *picks: Any) -> Step:
    return Step(desk=replace(desk, page=page, picks=picks, digits="", dice=()))


def _close(desk: Desk) -> Step:
    return Step(desk=replace(desk, page="", picks=(), digits="", dice=(), waiting=None))


def _pick(desk: Desk, *picked: Any) -> Step:
    return Step(desk=replace(desk, picks=(*desk.picks, *picked)))


def _give(desk: Desk, player: str, result: str, following: str) -> Step:
    """A result for a player, and on to the next one."""
    return Step(desk=replace(desk, picks=(*desk.picks, (player, result)), brush=following))


def _unpick(desk: Desk) -> Step:
    return Step(desk=replace(desk, picks=desk.picks[:-1])) if desk.picks else _close(desk)


def _unpick_act(desk: Desk) -> Step:
    """One answer back; before the first one the act is left."""
    return _unpick(desk) if len(desk.picks) > 1 else _close(desk)


def _digit(desk: Desk, digit: str) -> Step:
    return Step(desk=replace(desk, digits=(desk.digits + digit)[:PIN_DIGITS]))


def _undigit(desk: Desk) -> Step:
    return Step(desk=replace(desk, digits=desk.digits[:-1]))


def _pin(desk: Desk) -> Step:
    if desk.waiting is None or not desk.digits or desk.sending is not None:
        return Step(desk=desk)
    send = replace(desk.waiting, pin=desk.digits)
    return Step(desk=replace(desk, sending=send, digits=""), send=send)


def _choose_pin(desk: Desk) -> Step:
    """A table's first PIN: typed twice, so that a slip of the finger does not lock the referee out."""
    if len(desk.digits) < PIN_LEAST or desk.sending is not None:
        return Step(desk=desk)
    if not desk.picks:
        return Step(desk=replace(desk, picks=(desk.digits,), digits=""))
    if desk.picks != (desk.digits,):
        notice = Notice(problem={"problem": "pin-differs", "message": "the two PINs differ: choose again"})
        return Step(desk=replace(desk, picks=(), digits="", notice=notice))
    send = Send(command=CHOOSE_PIN, pin=desk.digits)
    return Step(desk=replace(desk, sending=send, picks=(), digits=""), send=send)


def _side(desk: Desk, side: str) -> Step:
    return Step(desk=replace(desk, side=side, dice=()))


def _say_dice(desk: Desk, side: str, *vouched: int) -> Step:
    """Open the page for dice by hand, with those typed already that the reader vouches for."""
    return Step(desk=replace(desk, page="dice", picks=(), digits="", side=side, dice=vouched[:MOST_DICE]))


def _die(desk: Desk, value: int) -> Step:
    return Step(desk=replace(desk, dice=(*desk.dice, value)[:MOST_DICE]))


def _undie(desk: Desk) -> Step:
    return Step(desk=replace(desk, dice=desk.dice[:-1]))


def _lang(desk: Desk, lang: str) -> Step:
    return Step(desk=replace(desk, lang=lang, page=""))


def _turn_clock(desk: Desk) -> Step:
    return Step(desk=replace(desk, turn_clock=not desk.turn_clock, page=""))


def _told(desk: Desk, events: int) -> Step:
    return Step(desk=replace(desk, told=events))


def _system(desk: Desk, system: str) -> Step:
    """Other rules: choices of the ones before mean nothing in them, and the table may be too large or too small."""
    options = desk.form.options if system == desk.form.system else {}
    desk = replace(desk, page="setup", picks=(), form=replace(desk.form, system=system, options=options))
    return _seats(desk, len(desk.form.names))


def _seats(desk: Desk, count: int) -> Step:
    least, most = seats_of(desk.form.system)
    count = max(least, min(count, most))
    names = (*desk.form.names, *[""] * count)[:count]
    return _form(desk, names=names, at=min(desk.form.at, count - 1))


def _form(desk: Desk, **changes: Any) -> Step:
    return Step(desk=replace(desk, form=replace(desk.form, **changes)))


def _name_at(desk: Desk, at: int) -> Step:
    return _form(desk, at=at)


def _letter(desk: Desk, letter: str) -> Step:
    typed = desk.form.names[desk.form.at]
    # Names are written as names are: a capital first, and after a space or a hyphen.
    starts_word = not typed or typed[-1] in " -"
    return _named(desk, typed + (letter.upper() if starts_word else letter))


def _unletter(desk: Desk) -> Step:
    return _named(desk, desk.form.names[desk.form.at][:-1])


def _named(desk: Desk, name: str) -> Step:
    names = list(desk.form.names)
    names[desk.form.at] = name[:NAME_LETTERS]
    return _form(desk, names=tuple(names))


def _minutes(desk: Desk, minutes: int) -> Step:
    return _form(desk, minutes=max(5, min(minutes, 300)))


def _phase(desk: Desk, phase: str) -> Step:
    return _form(desk, phase=phase)


def _prize(desk: Desk, prize: str) -> Step:
    return _form(desk, prize=prize)


def _option(desk: Desk, name: str, value: str) -> Step:
    chosen = _form(desk, options={**desk.form.options, name: value})
    return Step(desk=replace(chosen.desk, page="setup-rules", picks=()))


def _tab(desk: Desk, tab: str) -> Step:
    return Step(desk=replace(desk, tab=tab, page="", digits="", brush=None))


def _brush(desk: Desk, brush: str | None) -> Step:
    return Step(desk=replace(desk, brush=brush, digits=""))


def _draft(desk: Desk, draft: Draft) -> Step:
    return Step(desk=replace(desk, draft=draft, saved=False), save=True)


def _paint(desk: Desk, territory: str, owner: str) -> Step:
    """A tap on a territory gives it to that owner; a second tap takes it back."""
    now = desk.draft.owners.get(territory)
    return _draft(desk, desk.draft.owned(territory, None if now == owner else owner))


def _rest(desk: Desk, owner: str, *territories: str) -> Step:
    return _draft(desk, desk.draft.rest_owned(territories, owner))


def _armies(desk: Desk, player: str, by: int) -> Step:
    changed = desk.draft.with_armies(player, desk.draft.armies.get(player, 0) + by)
    return _draft(replace(desk, brush=player, digits=""), changed)


def _type_armies(desk: Desk, player: str, digit: str) -> Step:
    """A digit more, or with an empty one a digit less; whatever stands there counts at once."""
    typed = desk.digits if desk.brush == player else ""
    digits = (typed + digit)[:ARMY_DIGITS] if digit else typed[:-1]
    return _draft(
        replace(desk, brush=player, digits=digits), desk.draft.with_armies(player, int(digits) if digits else None)
    )


def _objective(desk: Desk, player: str, objective: str, following: str) -> Step:
    """An objective for a player, and on to the next; the same once more takes it back."""
    taken_back = desk.draft.objectives.get(player) == objective
    draft = desk.draft.with_objective(player, None if taken_back else objective)
    return _draft(replace(desk, brush=player if taken_back else following), draft)


def _armies_on(desk: Desk, territory: str, by: int) -> Step:
    return _draft(desk, desk.draft.with_armies_on(territory, desk.draft.armies_on.get(territory, 0) + by))


def _cards(desk: Desk, player: str, symbol: str, by: int, of: Cards = "hands") -> Step:
    held = desk.draft.cards(of).get(player, {}).get(symbol, 0)
    # The page stays with this player until somebody picks another.
    return _draft(replace(desk, brush=player), desk.draft.with_cards(player, symbol, held + by, of=of))


def _no_cards(desk: Desk, player: str, of: Cards = "hands") -> Step:
    return _draft(replace(desk, brush=player), desk.draft.without_cards(player, of=of))


def _unplaced(desk: Desk, player: str, by: int) -> Step:
    return _draft(desk, desk.draft.with_unplaced(player, desk.draft.unplaced.get(player, 0) + by))


def _lot(desk: Desk, digit: str) -> Step:
    """A digit of the published lot more, or with an empty one a digit less."""
    lot = (desk.draft.lot + digit)[:LOT_DIGITS] if digit else desk.draft.lot[:-1]
    return _draft(desk, replace(desk.draft, lot=lot))


def _seen_tijd(desk: Desk, at_ns: int) -> Step:
    return _draft(desk, replace(desk.draft, tijd_seen_ns=at_ns))


_VERBS: Mapping[str, Callable[..., Step]] = {
    "open": _open,
    "close": _close,
    "pick": _pick,
    "give": _give,
    "unpick": _unpick,
    "unpick-act": _unpick_act,
    "digit": _digit,
    "undigit": _undigit,
    "pin": _pin,
    "choose-pin": _choose_pin,
    "side": _side,
    "say-dice": _say_dice,
    "die": _die,
    "undie": _undie,
    "lang": _lang,
    "told": _told,
    "turn-clock": _turn_clock,
    "system": _system,
    "seats": _seats,
    "name-at": _name_at,
    "letter": _letter,
    "unletter": _unletter,
    "minutes": _minutes,
    "phase": _phase,
    "prize": _prize,
    "option": _option,
    "tab": _tab,
    "brush": _brush,
    "paint": _paint,
    "rest": _rest,
    "armies": _armies,
    "type-armies": _type_armies,
    "objective": _objective,
    "armies-on": _armies_on,
    "cards": _cards,
    "no-cards": _no_cards,
    "unplaced": _unplaced,
    "lot": _lot,
    "seen-tijd": _seen_tijd,
}
