"""A misread die that the thrower and one opponent put right by pressing; where they disagree the referee comes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.ui.blocks import Button, Buttons, DiceRow, DieFace, Screen, Text, Tone
from companion.ui.screens.acts import open_act
from companion.ui.screens.common import Scene


def agreement(scene: Scene) -> Screen:
    """What is said of the die, who agreed, and who must still press."""
    say = scene.say
    told: Mapping[str, Any] = scene.state.get("agreement") or {}
    side, place = str(told.get("side")), int(told.get("position") or 0) + 1
    dice = (
        _die(scene, side, told.get("before") or {}, "ui.was-read", "✗"),
        _die(scene, side, told.get("after") or {}, "ui.is-said", "?"),
    )
    people = _players(scene, told)
    seconds = max(0, int(told.get("left_ms") or 0)) // 1000
    return scene.screen(
        "agreement",
        main=(
            Text(text=say("ui.agree-title", number=told.get("throw"), side=side, place=place), size="large"),
            DiceRow(label=say(f"side.{side}"), dice=dice, grow=1.0),
            Text(text=say("ui.agree-how", n=seconds), grow=0.6),
        ),
        side=(Buttons(buttons=people, across=1 if len(people) < 5 else 2, down_across=2, grow=1.0),),
        foot=(Buttons(buttons=open_act(scene, "refuse", symbol="⚑"), across=1, down_across=1),),
        side_share=0.42,
        menu=False,
    )


def _die(scene: Scene, side: str, die: Mapping[str, Any], key: str, sign: str) -> DieFace:
    value = die.get("value")
    word = scene.say(key) if value is not None else scene.say(f"verdict.{die.get('verdict')}")
    tone: Tone = "dim" if sign == "✗" else "warn"
    return DieFace(value=value, colour=scene.dice_colour(side), sign=sign, word=word, tone=tone)


def _players(scene: Scene, told: Mapping[str, Any]) -> tuple[Button, ...]:
    agreed: Sequence[str] = told.get("agreed") or ()
    buttons = []
    for player in [player["id"] for player in scene.alive]:
        role = scene.say("ui.thrower" if player == told.get("thrower") else "ui.opponent")
        if player in agreed:
            done = Button(
                text=scene.name(player), note=scene.say("ui.agrees"), symbol="✓", mark=scene.mark(player), does=None,
                tone="good",
            )  # fmt: skip
            buttons.append(done)
            continue
        ask = scene.ask("agree_correction", scene.name(player), player=player)
        buttons.append(Button(text=ask.text, note=role, mark=scene.mark(player), does=ask.does))
    return tuple(buttons)
