"""The table's health, the language, and what the screen shows before the table has ever answered."""

from __future__ import annotations

from companion.ui.blocks import Block, Button, Buttons, Do, Screen, Text, Tone
from companion.ui.screens.common import Scene
from companion.words import LANGUAGES, Words

_SIGNS: dict[str, tuple[str, Tone]] = {"ok": ("✓", "good"), "warn": ("!", "warn"), "fail": ("✗", "bad")}


def health(scene: Scene) -> Screen:
    """Every part of the table with how it does."""
    main: list[Block] = [Text(text=scene.say("ui.health-title"), size="large")]
    for item in scene.state.get("health") or ():
        sign, tone = _SIGNS.get(str(item.get("state")), ("?", "warn"))
        part = scene.words.shown("part", str(item.get("part")))
        main.append(Text(text=f"{sign}  {part}: {scene.words.health(item)}", tone=tone))
    if not scene.state.get("health"):
        main.append(Text(text=scene.say("ui.health-none"), tone="warn"))
    ruleset = scene.state.get("ruleset") or {}
    if ruleset:
        told = scene.say("ui.ruleset", name=ruleset.get("name", "–"), hash=str(ruleset.get("hash", "–"))[:12])
        main.append(Text(text=told, tone="dim", size="small"))
    return scene.screen(
        "health", main=main, foot=(Buttons(buttons=(scene.back(),), across=1, down_across=1),), menu=False
    )


def lang(scene: Scene) -> Screen:
    """The languages, each by its own name."""
    buttons = tuple(
        Button(
            text=Words(code).say(f"language.{code}"),
            does=Do(verb="lang", args=(code,)),
            chosen=code == scene.desk.lang,
        )
        for code in LANGUAGES
    )
    return scene.screen(
        "lang",
        main=(
            Text(text=scene.say("ui.language"), size="large"),
            Buttons(buttons=buttons, across=2, down_across=1, tall=True),
        ),
        foot=(Buttons(buttons=(scene.back(),), across=1, down_across=1),),
        menu=False,
    )


def unheard(scene: Scene) -> Screen:
    """The table has not answered since the screen came up."""
    return scene.screen(
        "unheard",
        main=(
            Text(text=scene.say("ui.unheard"), size="huge", centre=True, grow=1.0),
            Text(text=scene.say("ui.unheard-what"), centre=True, grow=1.0),
        ),
        menu=False,
    )
