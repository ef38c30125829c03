"""A free table: waiting for the organiser, or setting up a game at home."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.rules.ruleset import load_ruleset
from companion.ui.blocks import Block, Button, Buttons, Do, Screen, Text
from companion.ui.desk import SEATS_LEAST, SEATS_MOST
from companion.ui.screens.common import Scene

HOME_SYSTEM = "nl1996"
MINUTES = (30, 60, 90, 120)


def idle(scene: Scene) -> Screen:
    """Nothing is drawn yet: wait for the organiser, or play at home."""
    say = scene.say
    hub = scene.words.health(_hub(scene)) if _hub(scene) else say("ui.idle-no-hub")
    foot = Buttons(
        buttons=(
            scene.open("setup", say("ui.home-game"), tone="strong", symbol="▶"),
            scene.open("lang", say("ui.language"), symbol="⚐"),
            scene.open("health", say("ui.health"), symbol="♥"),
        ),
        across=3,
        down_across=1,
        tall=True,
    )
    return scene.screen(
        "idle",
        main=(
            Text(text=say("ui.idle-title"), size="huge", centre=True, grow=1.0),
            Text(text=say("ui.idle-what"), centre=True, grow=0.6),
            Text(text=hub, tone="dim", centre=True, grow=0.4),
        ),
        foot=(foot,),
    )


def _hub(scene: Scene) -> Mapping[str, Any]:
    return next((item for item in scene.state.get("health") or () if item.get("part") == "hub"), {})


def setup(scene: Scene) -> Screen:
    """A home game: how many, who, how long, and the choices that the rule text leaves open."""
    say, form = scene.say, scene.desk.form
    count = len(form.names)
    seats = tuple(
        Button(text=say("ui.players-n", n=n), does=Do(verb="seats", args=(n,)), chosen=n == count)
        for n in range(SEATS_LEAST, SEATS_MOST + 1)
    )
    names = tuple(
        Button(
            text=name or say("ui.name-empty", number=at + 1),
            does=Do(verb="name-at", args=(at,)),
            chosen=at == form.at,
            symbol="✎" if at == form.at else "",
        )
        for at, name in enumerate(form.names)
    )
    return scene.screen(
        "setup",
        main=(
            Buttons(buttons=seats + names, across=count + 2, down_across=2),
            Text(text=_form_trouble(scene) or say("ui.names-good"), tone="warn" if _form_trouble(scene) else "good"),
            _letters(scene),
        ),
        foot=(
            Buttons(
                buttons=(
                    scene.back(),
                    Button(text=say("ui.erase"), symbol="⌫", does=Do(verb="unletter")),
                    Button(
                        text=say("ui.go-on"),
                        tone="strong",
                        symbol="→",
                        does=None if _form_trouble(scene) else Do(verb="open", args=("setup-rules",)),
                    ),
                ),
                across=3,
                down_across=3,
            ),
        ),
        menu=False,
    )


def _letters(scene: Scene) -> Buttons:
    letters = (*scene.say("ui.alphabet"), "-", " ")
    typed = scene.desk.form.names[scene.desk.form.at]
    buttons = tuple(
        Button(
            text=scene.say("ui.space-bar") if letter == " " else (letter.lower() if typed else letter.upper()),
            does=Do(verb="letter", args=(letter.lower(),)),
        )
        for letter in letters
    )
    return Buttons(buttons=buttons, across=10, down_across=6, grow=1.0)


def _form_trouble(scene: Scene) -> str:
    names = [name.strip() for name in scene.desk.form.names]
    if not all(names):
        return scene.say("ui.name-missing", number=names.index("") + 1)
    doubled = [name for name in names if names.count(name) > 1]
    return scene.say("ui.name-twice", doubled=doubled[0]) if doubled else ""


def setup_rules(scene: Scene) -> Screen:
    """The rules of a home game: length, and what differs from box to box."""
    say, form = scene.say, scene.desk.form
    main: list[Block] = [
        Text(text=say("ui.rules-of", system=HOME_SYSTEM), size="large"),
        Buttons(
            label=say("ui.length"),
            buttons=tuple(
                Button(text=say("ui.minutes", n=m), does=Do(verb="minutes", args=(m,)), chosen=m == form.minutes)
                for m in MINUTES
            ),
            across=4,
            down_across=2,
        ),
    ]
    rules = load_ruleset(HOME_SYSTEM)
    for option in rules.doubtful():
        values = [str(value) for value in option.values if scene.words.knows(f"option.{option.name}.{value}")]
        if len(values) > 1:
            chosen = form.options.get(option.name, str(option.default))
            main.append(
                Buttons(
                    label=say(f"option.{option.name}"),
                    buttons=tuple(
                        Button(
                            text=say(f"option.{option.name}.{value}"),
                            does=Do(verb="option", args=(option.name, value)),
                            chosen=value == chosen,
                        )
                        for value in values
                    ),
                    across=2,
                    down_across=1,
                )
            )
    # Prints of the board differ in these lines; the rules count them all the same, so they are told and not asked.
    lines = [" – ".join(scene.words.shown("territory", land) for land in line) for line in rules.at("borders.deemed")]
    main.append(Text(text=say("ui.deemed-borders", lines=lines), tone="dim", size="small"))
    open_table = scene.ask(
        "set_up_table",
        say("ui.open-table"),
        tone="strong",
        symbol="✓",
        system=HOME_SYSTEM,
        players=[{"id": f"p{at}", "name": name.strip()} for at, name in enumerate(form.names, start=1)],
        options=dict(form.options),
        length_ms=form.minutes * 60_000,
    )
    return scene.screen(
        "setup-rules",
        main=main,
        foot=(Buttons(buttons=(scene.open("setup", say("ui.back"), symbol="←"), open_table), across=2, down_across=2),),
        menu=False,
    )
