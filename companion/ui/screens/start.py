"""A free table: waiting for the organiser, or about to be set up at home."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.ui.blocks import Buttons, Screen, Text
from companion.ui.screens.camera import set_up_camera
from companion.ui.screens.common import Scene


def idle(scene: Scene) -> Screen:
    """Nothing is drawn yet: wait for the organiser, or play at home."""
    say = scene.say
    hub = scene.words.health(_hub(scene)) if _hub(scene) else say("ui.idle-no-hub")
    foot = Buttons(
        buttons=(
            scene.open("setup-system", say("ui.home-game"), tone="strong", symbol="▶"),
            scene.open("lang", say("ui.language"), symbol="⚐"),
            scene.open("health", say("ui.health"), symbol="♥"),
            *set_up_camera(scene),
        ),
        across=4,
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
