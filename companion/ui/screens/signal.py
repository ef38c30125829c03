"""The signal: what it did to the throw that was under way, because that decides how the board must lie."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.ui.blocks import Button, Buttons, Do, Screen, Text
from companion.ui.screens.common import Scene
from companion.ui.screens.sealed import seal_lines


def signal_unread(scene: Scene) -> bool:
    """Whether the signal was given and nobody has read yet what it did: then nothing may cover it."""
    tijd = scene.state.get("tijd")
    if not tijd or scene.state.get("phase") != "frozen":
        return False
    return bool(scene.desk.draft.tijd_seen_ns != tijd.get("at_ns"))


def signal(scene: Scene) -> Screen:
    """TIJD, as large as it can be, until somebody has read what it means."""
    say = scene.say
    tijd: Mapping[str, Any] = scene.state.get("tijd") or {}
    throw = "unsure" if tijd.get("uncertain") else str(tijd.get("throw"))
    signs = {"void": "✗", "stands": "✓", "none": ""}
    told = say(f"ui.tijd-throw.{throw if throw in signs else 'unsure'}")
    source = str(tijd.get("source"))
    return scene.screen(
        "tijd",
        main=(
            Text(text=say("ui.tijd"), size="signal", tone="strong", centre=True, grow=1.0),
            Text(text=f"{signs.get(throw, '?')} {told}".strip(), size="large", tone="strong", centre=True, grow=1.0),
            Text(text=say(f"ui.tijd-by.{source}"), centre=True),
            *seal_lines(scene),
        ),
        foot=(
            Buttons(
                buttons=(
                    Button(
                        text=say("ui.tijd-go-on"),
                        tone="strong",
                        symbol="→",
                        does=Do(verb="seen-tijd", args=(tijd.get("at_ns"),)),
                    ),
                ),
                across=1,
                down_across=1,
                tall=True,
            ),
        ),
        flash=True,
        menu=False,
    )
