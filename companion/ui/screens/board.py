"""The board recorder: its parts, how far each is, and the check before anything is confirmed.

The owners stand on one page, and what else the rules count has a part each. The sums are right at every tap, and
nothing is confirmed while anything is open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.ui.asking import NOTHING_ASKED, Asked
from companion.ui.blocks import Block, Button, Buttons, Do, Screen, Text, Tile
from companion.ui.gaps import Gap, gaps
from companion.ui.reckoning import cities_wanted, continents_held, most_armies, progress, scores
from companion.ui.screens.common import Scene
from companion.ui.screens.counts import (
    armies,
    armies_on,
    cards,
    lot,
    objectives,
    owned,
    said_of,
    unplaced,
    whose,
)
from companion.ui.screens.owners import owners

PARTS = {
    "armies": armies,
    "unplaced": unplaced,
    "cards": cards,
    "owned": owned,
    "objectives": objectives,
    "lot": lot,
}
COUNTED = PARTS.keys() - {"lot"}
"""Parts that are said of each player."""

MOST_GAPS = 4
"""Gaps that the check shows at once; with those mended the next ones come up."""


def frozen(scene: Scene) -> Screen:
    """The screen of a frozen board."""
    tabs = _tabs(scene)
    tab = scene.desk.tab if scene.desk.tab in tabs else tabs[0]
    following = tabs[(tabs.index(tab) + 1) % len(tabs)]
    onward = Do(verb="tab", args=(following,))
    if tab == "check":
        return _check(scene, tabs)
    if tab in {"owners", "armies_on"}:
        done = Tile(text=f"→ {_tab_name(scene, following)}", note=_saved(scene), does=onward, tone="strong")
        return owners(scene, done) if tab == "owners" else armies_on(scene, done)
    following_button = Button(text=_tab_name(scene, following), symbol="→", tone="strong", does=onward)
    main, side = PARTS[tab](scene, following_button)
    return scene.screen(
        f"board-{tab}",
        top=(_tab_row(scene, tabs, tab),),
        main=(*main, Text(text=_saved(scene), tone="dim", size="small")),
        side=side,
        side_share=0.58,
        is_full=True,
    )


def _asked(scene: Scene) -> Asked:
    return scene.asked or NOTHING_ASKED


def _tabs(scene: Scene) -> list[str]:
    """Parts that can decide something, and those of which something was said already."""
    need, draft = _asked(scene), scene.desk.draft
    tabs = ["owners"] if need.board else []
    tabs += ["armies"] if need.may_armies or need.armies or draft.armies else []
    tabs += ["unplaced"] if need.unplaced or draft.unplaced else []
    tabs += ["cards"] if need.may_hands or need.hands or draft.hands else []
    tabs += ["owned"] if need.owned or draft.own_cards else []
    tabs += ["objectives"] if need.objectives else []
    tabs += ["armies_on"] if need.armies_on else []
    tabs += ["lot"] if need.may_lot or draft.lot else []
    return [*tabs, "check"]


def _gaps(scene: Scene) -> tuple[Gap, ...]:
    return gaps(
        scene.desk.draft,
        alive=[player["id"] for player in scene.alive],
        out=[player["id"] for player in scene.players if player.get("out")],
        atlas=scene.atlas,
        asked=_asked(scene),
        cap=most_armies(scene.state),
    )


def _tab_row(scene: Scene, tabs: Sequence[str], tab: str) -> Buttons:
    buttons = tuple(
        Button(
            text=_tab_name(scene, name),
            note=_tab_note(scene, name),
            does=Do(verb="tab", args=(name,)),
            chosen=name == tab,
        )
        for name in tabs
    )
    return Buttons(buttons=buttons, across=len(tabs), down_across=3)


def _tab_name(scene: Scene, tab: str) -> str:
    return scene.say(f"ui.tab.{tab}")


def _tab_note(scene: Scene, tab: str) -> str:
    """How far a part is, as a count, with a tick once it is whole."""
    draft, need = scene.desk.draft, _asked(scene)
    if tab == "owners":
        done, whole = len(draft.owners), sum(len(group) for group in scene.atlas.values())
    elif tab == "lot":
        return draft.lot or "–"
    elif tab == "armies_on":
        asked = [t for t, owner in draft.owners.items() if owner in need.armies_on]
        done, whole = sum(t in draft.armies_on for t in asked), len(asked)
    elif tab in COUNTED:
        done, whole = sum(p in said_of(scene, tab) for p in whose(scene, tab)), len(whose(scene, tab))
    else:
        left = len(_gaps(scene))
        return "✓" if not left else scene.say("ui.gaps-n", n=left)
    return f"{done}/{whole} ✓" if done == whole else f"{done}/{whole}"


def _saved(scene: Scene) -> str:
    return scene.say("ui.saved" if scene.desk.saved else "ui.saving")


def _check(scene: Scene, tabs: Sequence[str]) -> Screen:
    say, draft = scene.say, scene.desk.draft
    found = _gaps(scene)
    why = _asked(scene).reason
    main: list[Block] = []
    if why:
        main.append(Text(text=scene.words.reason(why), tone="dim", size="small"))
    if found:
        is_long = len(found) > MOST_GAPS
        told = say("ui.still-missing-first" if is_long else "ui.still-missing", n=len(found), first=MOST_GAPS)
        main.append(Text(text=told, size="large", tone="warn"))
        mends = tuple(_mends(scene, gap, tabs) for gap in found[:MOST_GAPS])
        main.append(Buttons(buttons=mends, across=1, down_across=1))
    else:
        main.append(Text(text=say("ui.board-whole"), size="large", tone="good"))
        totals = scores(scene.state, draft, [player["id"] for player in scene.alive])
        main += [_holdings(scene, player["id"], totals) for player in scene.alive]
        main += _reached(scene)
    confirm = scene.ask(
        "confirm_board",
        say("ui.confirm-board"),
        tone="strong",
        symbol="✓",
        **draft.confirmed([player["id"] for player in scene.alive] if _asked(scene).board else [], scene.atlas),
    )
    if found:
        confirm = Button(text=say("ui.confirm-board"), does=None, note=say("ui.gaps-n", n=len(found)))
    return scene.screen(
        "board-check",
        top=(_tab_row(scene, tabs, "check"),),
        main=main,
        foot=(Buttons(buttons=(confirm,), across=1, down_across=1),),
        is_full=True,
    )


def _mends(scene: Scene, gap: Gap, tabs: Sequence[str]) -> Button:
    """What is missing, as the button that leads to where it is mended."""
    does = Do(verb="tab", args=(gap.tab,)) if gap.tab in tabs else None
    if gap.code == "owns-nothing" and scene.can("declare_out"):
        # Whoever has no land left fell, and nobody told it: that is told now.
        does = Do(verb="open", args=("out", gap.values["player"]))
    return Button(text=scene.say(f"gap.{gap.code}", **gap.values), symbol="→", does=does, tone="warn")


def _holdings(scene: Scene, player: str, totals: Mapping[str, float]) -> Text:
    draft, say = scene.desk.draft, scene.say
    told = [scene.name(player)]
    if _asked(scene).board:
        told.append(say("ui.cities-n" if scene.board == "apoikia" else "ui.territories-n", n=draft.counts()[player]))
        wanted = cities_wanted(scene.state, len(scene.players))
        if wanted is not None:
            told[-1] += f"/{wanted}"
        held = continents_held(draft, scene.atlas, player)
        if held:
            told.append(say("ui.holds-whole", continents=list(held)))
    if player in draft.armies:
        told.append(say("ui.armies-n", n=draft.armies[player]))
    if player in draft.hands:
        told.append(say("ui.cards-n", n=sum(draft.hands[player].values())))
    reached = progress(draft, player)
    if reached is not None:
        told.append(scene.words.shown("objective", draft.objectives[player]) + f" {reached.held}/{reached.whole}")
    if player in totals:
        told.append(say("ui.score-is", score=totals[player]))
    return Text(text=" · ".join(told), mark=scene.mark(player))


def _reached(scene: Scene) -> list[Block]:
    """An objective that lies whole on the board and that nobody claimed: it wins, so it is asked about."""
    if (scene.state.get("frozen") or {}).get("claim") or not scene.can("claim_mission"):
        return []
    blocks: list[Block] = []
    for player in [player["id"] for player in scene.alive]:
        reached = progress(scene.desk.draft, player)
        if reached is not None and reached.held == reached.whole:
            told = scene.say("ui.objective-whole", player=player)
            claim = scene.open("claim", told, player, scene.desk.draft.objectives[player], symbol="★", tone="warn")
            blocks.append(Buttons(buttons=(claim,), across=1, down_across=1))
    return blocks
