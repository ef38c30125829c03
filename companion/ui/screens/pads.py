"""Number pads: the referee's PIN, dice by hand, a die put right, armies typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.ui.blocks import Block, Button, Buttons, DiceRow, DieFace, Do, Screen, Text
from companion.ui.desk import PIN_LEAST
from companion.ui.screens.common import Scene
from companion.ui.screens.throws import SIDES, face, sides


def keypad(scene: Scene, *, done: Button) -> Buttons:
    """Ten digits, one that takes back, and the press that is done with it."""
    digits = [Button(text=digit, does=Do(verb="digit", args=(digit,))) for digit in "123456789"]
    digits.append(Button(text=scene.say("ui.erase"), symbol="⌫", does=Do(verb="undigit")))
    digits.append(Button(text="0", does=Do(verb="digit", args=("0",))))
    digits.append(done)
    return Buttons(buttons=tuple(digits), across=3, down_across=3, grow=1.0)


def pin(scene: Scene) -> Screen:
    """The referee's PIN, for the one act that is named above it."""
    if not scene.state.get("pin_set", True):
        return _first_pin(scene)
    waiting = scene.desk.waiting
    act = scene.say(f"command.{waiting.command}") if waiting is not None else ""
    typed = "●" * len(scene.desk.digits) or scene.say("ui.pin-empty")
    ready = bool(scene.desk.digits) and scene.desk.sending is None
    done = Button(text=scene.say("ui.ok"), symbol="✓", tone="strong", does=Do(verb="pin") if ready else None)
    return scene.screen(
        "pin",
        main=(
            Text(text=scene.say("ui.pin-title"), size="large"),
            Text(text=scene.say("ui.pin-for", act=act)),
            Text(text=typed, size="huge", centre=True, grow=1.0),
            Buttons(buttons=(scene.back(),), across=1, down_across=1),
        ),
        side=(keypad(scene, done=done),),
        side_share=0.5,
        menu=False,
    )


def _first_pin(scene: Scene) -> Screen:
    """The table has no PIN yet: the referee chooses one, twice."""
    again = bool(scene.desk.picks)
    typed = "●" * len(scene.desk.digits) or scene.say("ui.pin-empty")
    ready = len(scene.desk.digits) >= PIN_LEAST and scene.desk.sending is None
    done = Button(text=scene.say("ui.ok"), symbol="✓", tone="strong", does=Do(verb="choose-pin") if ready else None)
    return scene.screen(
        "pin-first",
        main=(
            Text(text=scene.say("ui.pin-first"), size="large"),
            Text(text=scene.say("ui.pin-again") if again else scene.say("ui.pin-first-what")),
            Text(text=typed, size="huge", centre=True, grow=1.0),
            Buttons(buttons=(scene.back(),), across=1, down_across=1),
        ),
        side=(keypad(scene, done=done),),
        side_share=0.5,
        menu=False,
    )


def dice(scene: Scene) -> Screen:
    """Dice by hand: where the camera can't see, people say what lies in the box."""
    desk, say = scene.desk, scene.say
    standing, colour = _standing(scene), scene.dice_colour(desk.side)
    typed = tuple(
        DieFace(value=value, colour=colour, sign="✓", word=say("fate.standing"), tone="good") for value in standing
    ) + tuple(DieFace(value=value, colour=colour, sign="", word=str(value), tone="plain") for value in desk.dice)
    faces = tuple(Button(text=str(v), symbol="⚀⚁⚂⚃⚄⚅"[v - 1], does=Do(verb="die", args=(v,))) for v in range(1, 7))
    choose = tuple(
        Button(text=say(f"side.{side}"), does=Do(verb="side", args=(side,)), chosen=desk.side == side) for side in SIDES
    )
    done = scene.ask(
        "enter_dice", say("ui.dice-done"), tone="strong", symbol="✓", side=desk.side, values=[*standing, *desk.dice]
    )
    if not desk.dice:
        done = Button(text=say("ui.dice-done"), symbol="✓", does=None, note=say("ui.dice-none"))
    return scene.screen(
        "dice",
        main=(
            Text(text=say("ui.dice-title"), size="large"),
            Buttons(buttons=choose, across=2, down_across=2),
            DiceRow(label=say("ui.dice-typed"), dice=typed, grow=1.0),
        ),
        side=(Buttons(buttons=faces, across=3, down_across=3, grow=1.0),),
        foot=(
            Buttons(
                buttons=(scene.back(), Button(text=say("ui.erase"), symbol="⌫", does=Do(verb="undie")), done),
                across=3,
                down_across=3,
            ),
        ),
        menu=False,
    )


def _standing(scene: Scene) -> tuple[int, ...]:
    """Dice of the chosen side that stand while others are thrown again: they are said together with those."""
    throw = scene.state.get("throw") or {}
    ruling = dict(sides(throw)).get(scene.desk.side) or {}
    is_open = throw.get("state") not in {"accepted", "annulled"}
    return tuple(ruling.get("standing") or ()) if is_open and ruling.get("action") == "reroll_some" else ()


def correct(scene: Scene) -> Screen:
    """One die put right: which one, and what it shows; the thrower and an opponent then press, or the referee rules."""
    picks, page = scene.desk.picks, scene.desk.page
    by_agreement = page != BY_REFEREE and scene.can("propose_correction")
    chosen: tuple[str, int] | None = (picks[0], picks[1]) if len(picks) >= 2 else None
    main: list[Block] = [
        Text(text=scene.say("ui.correct-which" if chosen is None else "ui.correct-value"), size="large")
    ]
    for side, ruling in sides(scene.state.get("throw")):
        row = tuple(
            face(scene, die, does=Do(verb="open", args=(page, side, at)), chosen=chosen == (side, at))
            for at, die in enumerate(ruling.get("dice") or ())
        )
        main.append(DiceRow(label=scene.say(f"side.{side}"), dice=row, grow=1.0))
    if by_agreement:
        main.append(Text(text=scene.say("ui.correct-how"), tone="dim", grow=0.4))
    values = [(str(value), "⚀⚁⚂⚃⚄⚅"[value - 1], {"value": value}) for value in range(1, 7)] + [
        (scene.say(f"verdict.{verdict}"), "", {"verdict": verdict}) for verdict in NO_VALUE
    ]
    buttons = tuple(
        _corrected(scene, chosen, text, symbol, said, by_agreement=by_agreement) for text, symbol, said in values
    )
    return scene.screen(
        "correct",
        main=main,
        side=(Buttons(buttons=buttons, across=3, down_across=3, grow=1.0),),
        foot=(Buttons(buttons=(scene.back(),), across=1, down_across=1),),
        menu=False,
    )


BY_REFEREE = "correct-referee"
"""The page on which the referee corrects without anybody's agreement."""

NO_VALUE = ("cocked", "stacked", "off_box")
"""How a die may lie that was read as if it counted."""


def _corrected(
    scene: Scene,
    chosen: tuple[str, int] | None,
    text: str,
    symbol: str,
    said: Mapping[str, Any],
    *,
    by_agreement: bool,
) -> Button:
    if chosen is None:
        return Button(text=text, symbol=symbol, does=None)
    args: Mapping[str, Any] = {"side": chosen[0], "position": chosen[1], **said}
    if by_agreement:
        return scene.ask("propose_correction", text, symbol=symbol, **args)
    return Button(text=text, symbol=symbol, does=Do(verb="open", args=("reason", "correct_die", *args.items())))


def start_die(scene: Scene) -> Screen:
    """A start die said by hand."""
    player = str(scene.desk.picks[0])
    faces = tuple(_start_value(scene, player, value) for value in range(1, 7))
    return scene.screen(
        "start-die",
        main=(
            Text(text=scene.say("ui.start-die-of", player=player), size="large"),
            Buttons(buttons=faces, across=3, down_across=2, grow=1.0),
        ),
        foot=(Buttons(buttons=(scene.back(),), across=1, down_across=1),),
        menu=False,
    )


def _start_value(scene: Scene, player: str, value: int) -> Button:
    said: Mapping[str, Any] = {"player": player, "value": value}
    return scene.ask("enter_start_die", str(value), symbol="⚀⚁⚂⚃⚄⚅"[value - 1], **said)
