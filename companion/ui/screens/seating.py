"""Start dice, colours, buttons, and the big START."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.rules.errors import RulesError
from companion.rules.ruleset import SYSTEMS
from companion.rules.systems.classic import set_up
from companion.ui.asking import ruleset_of
from companion.ui.blocks import Block, Button, Buttons, Mark, PlayerCard, Players, Screen, Send, Text
from companion.ui.screens.camera import set_up_camera
from companion.ui.screens.common import SHAPES, Scene


def seating(scene: Scene) -> Screen:
    """Who throws, who sits where, who plays which colour, and whose button is whose."""
    to_throw: Sequence[str] = scene.state.get("to_throw") or ()
    choosing = next((p for p in scene.players if p.get("order") and not p.get("colour")), None)
    unbound = [p for p in scene.players if p.get("colour") and not p.get("bound")]
    if to_throw:
        side: list[Block] = _throwing(scene, to_throw)
    elif choosing is not None:
        side = _choosing(scene, choosing)
    elif unbound:
        side = _binding(scene, unbound)
    else:
        side = [Text(text=scene.say("ui.seating-wait"), size="large", grow=1.0, centre=True)]
    return scene.screen(
        "seating",
        main=(
            Text(text=scene.say("ui.seating-title"), size="large"),
            Players(cards=tuple(_seated(scene, player, to_throw) for player in scene.players), grow=1.0),
        ),
        side=side,
        side_share=0.5,
        moment="throw" if to_throw else "colour" if choosing is not None else "button" if unbound else "wait",
    )


def _seated(scene: Scene, player: Mapping[str, Any], to_throw: Sequence[str]) -> PlayerCard:
    lines = []
    if player.get("start_dice"):
        lines.append("  ".join(f"{'⚀⚁⚂⚃⚄⚅'[value - 1]} {value}" for value in player["start_dice"]))
    if player.get("order"):
        lines.append(scene.say("ui.seat", seat=player.get("seat") or player["order"], order=player["order"]))
    if player.get("colour"):
        lines.append(scene.say("ui.plays", colour=player["colour"]))
        lines.append(scene.say("ui.bound" if player.get("bound") else "ui.unbound"))
    return PlayerCard(
        name=scene.name(player["id"]),
        mark=scene.mark(player["id"]),
        lines=tuple(lines),
        active=bool(to_throw) and player["id"] == to_throw[0],
    )


def _throwing(scene: Scene, to_throw: Sequence[str]) -> list[Block]:
    player = to_throw[0]
    tied = bool(scene.player(player).get("start_dice"))
    return [
        Text(text=scene.say("ui.throw-start", player=player), size="huge", centre=True, grow=1.2),
        Text(
            text=scene.say("ui.start-tie" if tied else _start_why(scene)),
            tone="warn" if tied else "dim",
            centre=True,
            grow=0.6,
        ),
        Buttons(
            buttons=(scene.open("start-die", scene.say("ui.by-hand"), player, symbol="⚄"),), across=1, down_across=1
        ),
    ]


def _start_why(scene: Scene) -> str:
    return "ui.start-why-right" if scene.state.get("system") == "risiko" else "ui.start-why"


def _choosing(scene: Scene, choosing: Mapping[str, Any]) -> list[Block]:
    taken = {player.get("colour") for player in scene.players}
    colours: Sequence[str] = scene.state.get("colours") or tuple(c for c in SHAPES if c)
    buttons = tuple(_colour(scene, choosing["id"], colour, taken=colour in taken) for colour in colours)
    return [
        Text(text=scene.say("ui.choose-colour", player=choosing["id"]), size="large", centre=True),
        Buttons(buttons=buttons, across=2, down_across=2, grow=1.0),
    ]


def _colour(scene: Scene, player: str, colour: str, *, taken: bool) -> Button:
    text = scene.words.shown("colour", colour)
    free = not taken and scene.desk.sending is None and scene.can("choose_colour")
    return Button(
        text=text,
        mark=Mark(colour=colour, shape=SHAPES[colour]),
        note=scene.say("ui.taken") if taken else "",
        does=Send(command="choose_colour", args={"player": player, "colour": colour}) if free else None,
    )


def _binding(scene: Scene, unbound: Sequence[Mapping[str, Any]]) -> list[Block]:
    buttons = tuple(
        scene.ask(
            "bind_button",
            scene.say("ui.bind-by-hand", player=player["id"]),
            player=player["id"],
            button=f"seat{player.get('seat') or player['order']}",
        )
        for player in unbound
    )
    return [
        Text(
            text=scene.say("ui.press-button", players=[p["id"] for p in unbound]), size="large", centre=True, grow=1.0
        ),
        Text(text=scene.say("ui.no-button"), tone="dim", centre=True),
        Buttons(buttons=buttons, across=1, down_across=1),
    ]


def ready(scene: Scene) -> Screen:
    """Everybody sits: what each system lays out first, then the clock starts."""
    say = scene.say
    cards = tuple(
        PlayerCard(
            name=scene.name(player["id"]),
            mark=scene.mark(player["id"]),
            lines=(say("ui.order", order=player.get("order")), say("ui.plays", colour=player.get("colour"))),
        )
        for player in scene.players
    )
    first = scene.players[0]["id"] if scene.players else ""
    return scene.screen(
        "ready",
        main=(Text(text=say("ui.ready-title", player=first), size="large"), Players(cards=cards, grow=1.0)),
        side=_laid_out(scene),
        foot=(
            Buttons(
                buttons=(
                    scene.ask("start_game", say("ui.start"), tone="strong", symbol="▶"),
                    *(set_up_camera(scene) if _wants_camera(scene) else ()),
                ),
                across=2,
                down_across=1,
                tall=True,
            ),
        ),
    )


def _wants_camera(scene: Scene) -> bool:
    """Whether the camera is not ready yet: before the start is the last good moment for it."""
    return not (scene.state.get("calibration") or {}).get("ready")


def _laid_out(scene: Scene) -> list[Block]:
    """What must lie on the table before START, and how long the game lasts."""
    say, state = scene.say, scene.state
    system = str(state.get("system"))
    blocks: list[Block] = []
    removed = [mission for mission in scene.removed_missions if scene.words.knows(f"mission.{mission}")]
    if removed:
        blocks.append(Text(text=say("ui.remove-missions", missions=removed), grow=1.0))
    blocks.append(Text(text=say(f"ui.hand-out.{system if system in SYSTEMS else 'classic'}"), grow=1.0))
    armies = _start_armies(scene)
    if armies:
        blocks.append(Text(text=say("ui.start-armies", n=armies)))
    borders = (state.get("remember") or {}).get("borders") or ()
    if borders:
        lines = [" – ".join(scene.words.shown("territory", land) for land in line) for line in borders]
        blocks.append(Text(text=say("ui.remember-borders", lines=lines), tone="warn", grow=0.5))
    if state.get("prize"):
        blocks.append(Text(text=say("ui.prize-is", prize=state["prize"]), grow=0.3))
    length = (state.get("clock") or {}).get("length_ms")
    blocks.append(Text(text=say("ui.length-is", length_ms=length) if length else say("ui.clock-secret"), tone="strong"))
    if not length:
        blocks.append(Text(text=say("ui.sealed-at-start"), size="small"))
    return blocks


def _start_armies(scene: Scene) -> int | None:
    """Armies that each player starts with, where the rules of this table say so."""
    ruleset = ruleset_of(scene.state)
    if ruleset is None:
        return None
    try:
        return set_up(len(scene.players), ruleset=ruleset).units
    except RulesError:
        return None
