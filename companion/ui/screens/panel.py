"""Trying out the panel before a game: press each button, hear the buzzer, see the lamps.

A buzzer that clicks in the driver may be deaf on its wire, so people say whether they heard it. While a game runs
nothing is tried out: whatever sounds then is "tijd".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.ui.blocks import Block, Button, Buttons, Screen, Send, Text
from companion.ui.desk import CHECK
from companion.ui.screens.common import Scene

RUNNING = {"playing", "finishing"}


def panel(scene: Scene) -> Screen:
    """Each button with how often it was pressed, and what can be tried."""
    say = scene.say
    rig: Mapping[str, Any] = scene.state.get("rig") or {}
    names: Sequence[str] = rig.get("buttons") or ()
    main: list[Block] = [Text(text=say("ui.panel-title") if names else say("ui.panel-none"), size="large")]
    if names:
        pressed: Mapping[str, int] = rig.get("pressed") or {}
        tiles = tuple(_pressed(scene, name, int(pressed.get(name) or 0)) for name in names)
        main.append(Buttons(buttons=tiles, across=4, down_across=3))
    if scene.state.get("phase") in RUNNING:
        main.append(Text(text=say("ui.panel-in-game"), tone="warn"))
    elif names:
        main.append(Buttons(buttons=_trials(scene, rig), across=4, down_across=2))
    return scene.screen(
        "panel",
        main=main,
        foot=(Buttons(buttons=(scene.open("health", say("ui.back"), symbol="←"), _silent(scene, rig)), across=2),),
        menu=False,
    )


def _pressed(scene: Scene, name: str, count: int) -> Button:
    owner = next((p["id"] for p in scene.players if p.get("connected_button") == name), None)
    note = scene.say("ui.pressed-n", n=count) if count else scene.say("ui.not-pressed")
    return Button(
        text=scene.words.button(name) if owner is None else scene.name(owner),
        mark=None if owner is None else scene.mark(owner),
        note=note,
        symbol="✓" if count else "",
        tone="good" if count else "plain",
        does=None,
    )


def _trials(scene: Scene, rig: Mapping[str, Any]) -> tuple[Button, ...]:
    say = scene.say
    lamps = _check(scene, say("ui.try-lamps"), check="lamps", symbol="☼")
    if not rig.get("buzzer"):
        return (lamps, Button(text=say("ui.no-buzzer"), does=None))
    return (
        _check(scene, say("ui.try-buzzer"), check="buzzer", symbol="♪"),
        _check(scene, say("ui.heard"), check="buzzer", heard=True, symbol="✓"),
        _check(scene, say("ui.not-heard"), check="buzzer", heard=False, symbol="✗"),
        lamps,
    )


def _silent(scene: Scene, rig: Mapping[str, Any]) -> Button:
    """The buzzer silenced, and heard again: the signal is then light alone."""
    if not rig.get("buzzer"):
        return Button(text=scene.say("ui.no-buzzer"), does=None)
    is_silent = bool(rig.get("silent"))
    key = "ui.silent-off" if is_silent else "ui.silent-on"
    button = _check(scene, scene.say(key), check="silent", on=not is_silent, symbol="♪" if is_silent else "☾")
    return Button(text=button.text, symbol=button.symbol, does=button.does, tone="warn" if is_silent else "plain")


def _check(scene: Scene, text: str, *, symbol: str, **args: Any) -> Button:
    does = None if scene.desk.sending is not None else Send(command=CHECK, args=args)
    return Button(text=text, symbol=symbol, does=does)
