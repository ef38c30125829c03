"""The seal of a secret length, to write down; and, when everybody may know, what was sealed and how to check it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.ui.blocks import Block, Text
from companion.ui.screens.common import Scene

SHORT = 16
"""Digits of a seal that are shown: enough that nobody finds another length for them in a lifetime."""


def seal_lines(scene: Scene) -> list[Block]:
    """What the screen says of the length; nothing where everybody knows it."""
    seals = scene.state.get("sealed") or ()
    clock = scene.state.get("clock")
    if not seals:
        is_secret = clock is not None and not clock.get("public")
        return [Text(text=scene.say("ui.seal-organiser"), tone="dim", centre=True)] if is_secret else []
    sealed: Mapping[str, Any] = seals[-1]
    short = short_seal(str(sealed["seal"]))
    if sealed.get("minutes") is not None:
        told = scene.say("ui.revealed", minutes=sealed["minutes"], text=sealed["text"], short=short)
        return [Text(text=told, size="small", centre=True)]
    if sealed.get("lost"):
        return [Text(text=scene.say("ui.seal-lost"), tone="warn", centre=True)]
    if scene.state.get("tijd"):
        return [Text(text=scene.say("ui.seal-waits"), tone="dim", size="small", centre=True)]
    lines: list[Block] = [Text(text=scene.say("ui.seal", short=short), size="small", centre=True)]
    if sealed.get("armed_by") == "organiser":
        lines.append(Text(text=scene.say("ui.seal-organiser"), tone="dim", size="small", centre=True))
    return lines


def short_seal(seal: str) -> str:
    """The first digits of a seal, in groups of four."""
    return " ".join(seal[at : at + 4] for at in range(0, SHORT, 4))
