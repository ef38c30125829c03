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
    if not tijd or scene.state.get("phase") not in {"finishing", "frozen"}:
        return False
    return bool(scene.desk.draft.tijd_seen_ns != tijd.get("at_ns"))


def signal(scene: Scene) -> Screen:
    """TIJD, as large as it can be, until somebody has read what it means."""
    say = scene.say
    tijd: Mapping[str, Any] = scene.state.get("tijd") or {}
    finish = (scene.state.get("finish") or {}).get("what") if scene.state.get("phase") == "finishing" else None
    throw = "unsure" if tijd.get("uncertain") else str(tijd.get("throw"))
    signs = {"void": "✗", "stands": "✓", "none": ""}
    told = say(f"ui.finish.{finish}") if finish else say(f"ui.tijd-throw.{throw if throw in signs else 'unsure'}")
    source = str(tijd.get("source"))
    return scene.screen(
        "tijd",
        main=(
            Text(text=say("ui.tijd"), size="signal", tone="strong", centre=True, grow=1.0),
            Text(
                text=told if finish else f"{signs.get(throw, '?')} {told}".strip(),
                size="large",
                tone="strong",
                centre=True,
                grow=1.0,
            ),
            Text(text=say("ui.finish-no-more") if finish else "", size="large", centre=True),
            Text(text=say(f"ui.tijd-by.{source}"), centre=True),
            *seal_lines(scene),
        ),
        foot=(
            Buttons(
                buttons=(
                    Button(
                        text=say("ui.understood" if finish else "ui.tijd-go-on"),
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
