"""Who owns what: the whole board at once, painted with one tap a territory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.ui.blocks import Do, Mark, Screen, Tile, TileMap
from companion.ui.charts import places
from companion.ui.draft import VACANT
from companion.ui.screens.common import SHAPES, Scene


def owner_mark(scene: Scene, owner: str | None) -> Mark | None:
    """How an owner is recognised; None while nobody said who it is."""
    if owner is None:
        return None
    return Mark(colour=None, shape=SHAPES[None]) if owner == VACANT else scene.mark(owner)


def owner_name(scene: Scene, owner: str | None) -> str:
    """An owner's name, the rebels' or nobody's included."""
    if owner is None:
        return scene.say("ui.owner-unsaid")
    if owner == VACANT:
        return scene.say("ui.rebels" if scene.state.get("system") == "rebels" else "ui.vacant")
    return scene.name(owner)


def owners(scene: Scene, following: Tile) -> Screen:
    """The board in tiles, with the owners to paint with above it.

    Args:
        scene: What to draw from.
        following: The tile that goes on to the next part.
    """
    draft, say = scene.desk.draft, scene.say
    alive = [player["id"] for player in scene.alive]
    painters = (*alive, VACANT)
    brush = next((painter for painter in painters if painter == scene.desk.brush), painters[0])
    counts = draft.counts()
    left = [place.territory for place in places(scene.board) if place.territory not in draft.owners]
    row = [
        Tile(
            text=owner_name(scene, owner),
            note=str(counts[owner]),
            mark=owner_mark(scene, owner),
            does=Do(verb="brush", args=(owner,)),
            chosen=owner == brush,
        )
        for owner in painters
    ]
    row.append(
        Tile(
            text=say("ui.rest-to", owner=owner_name(scene, brush)),
            note=say("ui.left-n", n=len(left)),
            does=Do(verb="rest", args=(brush, *left)) if left else None,
            tone="dim",
        )
    )
    return scene.screen(
        "board-owners",
        top=(TileMap(tiles=_in_a_row([*row, following]), down_across=4),),
        main=(TileMap(tiles=_territories(scene, brush), grow=1.0),),
        is_full=True,
    )


def _in_a_row(tiles: Sequence[Tile]) -> tuple[Tile, ...]:
    return tuple(replace(tile, column=at) for at, tile in enumerate(tiles))


def _territories(scene: Scene, brush: str) -> tuple[Tile, ...]:
    draft = scene.desk.draft
    return tuple(
        Tile(
            text=tile_name(scene, place.territory),
            note="?" if owner is None else "",
            mark=owner_mark(scene, owner),
            column=place.column,
            row=place.row,
            group=place.group,
            does=Do(verb="paint", args=(place.territory, brush)),
            tone="warn" if owner is None else "plain",
        )
        for place in places(scene.board)
        for owner in [draft.owners.get(place.territory)]
    )


def tile_name(scene: Scene, territory: str) -> str:
    """A territory's name, shortened where its own would be too small to read on a tile."""
    short = f"territory-short.{territory}"
    return scene.say(short) if scene.words.knows(short) else scene.words.shown("territory", territory)
