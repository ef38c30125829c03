"""The table's health, the language, and what the screen shows before the table has ever answered."""

from __future__ import annotations

from companion.ui.blocks import Block, Button, Buttons, Do, Screen, Text, Tone
from companion.ui.screens.common import Scene
from companion.words import LANGUAGES, Words

_SIGNS: dict[str, tuple[str, Tone]] = {"ok": ("✓", "good"), "warn": ("!", "warn"), "fail": ("✗", "bad")}
_UNTRIED = {"not-measured", "buttons-unseen", "untried"}
"""What nobody has tried yet is neither well nor amiss: it has no tick."""


def health(scene: Scene) -> Screen:
    """Every part of the table with how it does: what fails first, then what is well."""
    main: list[Block] = [Text(text=scene.say("ui.health-title"))]
    order = {"fail": 0, "warn": 1}
    items = sorted(scene.state.get("health") or (), key=lambda item: order.get(str(item.get("state")), 2))
    told = []
    for item in items:
        sign, tone = _SIGNS.get(str(item.get("state")), ("?", "warn"))
        if item.get("state") == "ok" and item.get("code") in _UNTRIED:
            sign, tone = "○", "plain"
        part = scene.words.shown("part", str(item.get("part")))
        told.append(Text(text=f"{sign}  {part}: {scene.words.health(item)}", tone=tone, size="small"))
    if not told:
        main.append(Text(text=scene.say("ui.health-none"), tone="warn"))
    ruleset = scene.state.get("ruleset") or {}
    if ruleset:
        rules = scene.say("ui.ruleset", name=ruleset.get("name", "–"), hash=str(ruleset.get("hash", "–"))[:12])
        told.append(Text(text=rules, tone="dim", size="small"))
    notes = list(scene.state.get("notes") or ())[:MOST_NOTES]
    told += [Text(text=scene.words.event(note), tone="dim", size="small") for note in notes]
    # A page of a dozen parts stands in two columns, equally full with the title on one.
    half = len(told) if len(told) <= MOST_IN_A_COLUMN else len(told) // 2
    main += told[:half]
    foot = [scene.back(), scene.open("panel", scene.say("ui.panel"), symbol="◎")]
    if scene.can("calibrate") and "calibrate" in scene.pages:
        foot.append(scene.open("calibrate", scene.say("ui.calibrate"), symbol="◎"))
    return scene.screen(
        "health",
        main=main,
        side=told[half:],
        side_share=0.5,
        foot=(Buttons(buttons=tuple(foot), across=len(foot), down_across=len(foot)),),
        menu=False,
    )


MOST_IN_A_COLUMN = 8
MOST_NOTES = 3
"""Newest notes that the page shows: presses that meant nothing, parts that failed or came back."""


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
