"""The board recorder: who owns what, how many armies, which cards, and what is still missing.

The signal's own notice comes first, because what it made of the last throw decides how the board must lie. Then one tab
per continent, armies, cards and the check. The sums stand on every tab and are right at every tap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.ui.asking import NOTHING_ASKED, Asked
from companion.ui.blocks import Block, Button, Buttons, Do, Mark, Screen, Stepper, Text
from companion.ui.draft import SYMBOLS, VACANT, Gap, gaps
from companion.ui.screens.common import SHAPES, Scene
from companion.ui.screens.signal import signal, signal_unread

STEPS = (-10, -5, -1, 1, 5, 10)


def frozen(scene: Scene) -> Screen:
    """The screen of a frozen board."""
    if signal_unread(scene):
        return signal(scene)
    tabs = _tabs(scene)
    side: list[Block] = []
    tab = scene.desk.tab if scene.desk.tab in tabs else tabs[0]
    if tab == "armies":
        body = _armies(scene)
    elif tab == "cards":
        body, side = _cards(scene)
    elif tab == "check":
        return _check(scene, tabs)
    else:
        body = _continent(scene, tab)
    return scene.screen(
        f"board-{tab}",
        top=(_tab_row(scene, tabs, tab),),
        main=body,
        side=side,
        foot=(_sums(scene, tabs, tab),),
        side_share=0.6,
        is_full=True,
    )


def _asked(scene: Scene) -> Asked:
    return scene.asked or NOTHING_ASKED


def _tabs(scene: Scene) -> list[str]:
    """Tabs that can decide something, and those on which something was said already."""
    need, draft = _asked(scene), scene.desk.draft
    tabs = list(scene.atlas) if need.board else []
    tabs += ["armies"] if need.may_armies or draft.armies else []
    tabs += ["cards"] if need.may_hands or draft.hands else []
    return [*tabs, "check"]


def _gaps(scene: Scene) -> tuple[Gap, ...]:
    need = _asked(scene)
    return gaps(
        scene.desk.draft,
        alive=[player["id"] for player in scene.alive],
        out=[player["id"] for player in scene.players if player.get("out")],
        atlas=scene.atlas,
        board=need.board,
        armies=need.armies,
        hands=need.hands,
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
    return scene.say(f"continent-short.{tab}") if tab in scene.atlas else scene.say(f"ui.tab.{tab}")


def _tab_note(scene: Scene, tab: str) -> str:
    """How far a tab is, as a count, with a tick once it is whole."""
    draft = scene.desk.draft
    if tab in scene.atlas:
        done, whole = sum(t in draft.owners for t in scene.atlas[tab]), len(scene.atlas[tab])
    elif tab == "armies":
        done, whole = sum(p in draft.armies for p in _whose(scene, tab)), len(_whose(scene, tab))
    elif tab == "cards":
        done, whole = sum(p in draft.hands for p in _whose(scene, tab)), len(_whose(scene, tab))
    else:
        left = len(_gaps(scene))
        return "✓" if not left else scene.say("ui.gaps-n", n=left)
    return f"{done}/{whole} ✓" if done == whole else f"{done}/{whole}"


def _whose(scene: Scene, tab: str) -> Sequence[str]:
    """Players whose armies or cards are asked for; all, as long as nobody knows whose will be."""
    need = _asked(scene)
    wanted = need.armies if tab == "armies" else need.hands
    return wanted or [player["id"] for player in scene.alive]


def _owner_mark(scene: Scene, owner: str | None) -> Mark | None:
    if owner is None:
        return None
    return Mark(colour=None, shape=SHAPES[None]) if owner == VACANT else scene.mark(owner)


def _owner_name(scene: Scene, owner: str | None) -> str:
    if owner is None:
        return scene.say("ui.owner-unsaid")
    return scene.say("ui.vacant") if owner == VACANT else scene.name(owner)


def _continent(scene: Scene, continent: str) -> list[Block]:
    draft, say = scene.desk.draft, scene.say
    alive = [player["id"] for player in scene.alive]
    counts = draft.counts()
    brushes = [
        Button(
            text=_owner_name(scene, owner),
            note=say("ui.territories-n", n=counts[owner]),
            mark=_owner_mark(scene, owner),
            does=Do(verb="brush", args=(None if scene.desk.brush == owner else owner,)),
            chosen=scene.desk.brush == owner,
        )
        for owner in (*alive, VACANT)
    ]
    tiles = tuple(
        Button(
            text=scene.words.shown("territory", territory),
            note=_owner_name(scene, draft.owners.get(territory)),
            mark=_owner_mark(scene, draft.owners.get(territory)),
            tone="plain" if territory in draft.owners else "warn",
            does=Do(verb="paint", args=(territory, *alive, VACANT)),
        )
        for territory in scene.atlas[continent]
    )
    hint = (
        say("ui.brush-none")
        if scene.desk.brush is None
        else say("ui.brush-set", owner=_owner_name(scene, scene.desk.brush))
    )
    wide = 4 if len(tiles) > 9 else 3
    return [
        Buttons(buttons=tuple(brushes), across=len(brushes), down_across=3, label=hint),
        Buttons(buttons=tiles, across=wide, down_across=2, grow=1.0),
    ]


def _armies(scene: Scene) -> list[Block]:
    draft = scene.desk.draft
    counts = draft.counts()
    rows: list[Block] = [Text(text=scene.say("ui.armies-title"))]
    for id_ in _whose(scene, "armies"):
        armies = draft.armies.get(id_)
        few = armies is not None and armies < counts[id_]
        rows.append(
            Stepper(
                label=scene.name(id_),
                mark=scene.mark(id_),
                value="–" if armies is None else str(armies),
                note=scene.say("ui.armies-few", n=counts[id_]) if few else scene.say("ui.territories-n", n=counts[id_]),
                tone="bad" if few else ("warn" if armies is None else "good"),
                steps=tuple((f"{step:+d}".replace("-", "−"), Do(verb="armies", args=(id_, step))) for step in STEPS),
                does=Do(verb="open", args=("armies-pad", id_)),
            )
        )
    return rows


def _cards(scene: Scene) -> tuple[list[Block], list[Block]]:
    """Whose cards, and how many of each symbol."""
    desk = scene.desk
    alive = _whose(scene, "cards")
    at = (
        desk.brush
        if desk.brush in alive
        else next((p for p in alive if p not in desk.draft.hands), alive[0] if alive else "")
    )
    hand = desk.draft.hands.get(at) if at else None
    people = tuple(
        Button(
            text=scene.name(id_),
            mark=scene.mark(id_),
            note=_hand_note(scene, desk.draft.hands.get(id_)),
            does=Do(verb="brush", args=(id_,)),
            chosen=id_ == at,
        )
        for id_ in alive
    )
    steppers: list[Block] = [
        Stepper(
            label=scene.words.shown("symbol", symbol),
            value="–" if hand is None else str(hand.get(symbol, 0)),
            steps=(
                ("−1", Do(verb="cards", args=(at, symbol, -1)) if hand and hand.get(symbol) else None),
                ("+1", Do(verb="cards", args=(at, symbol, 1))),
            ),
            tone="warn" if hand is None else "good",
        )
        for symbol in SYMBOLS
    ]
    none = Button(
        text=scene.say("ui.no-cards", player=at),
        does=Do(verb="no-cards", args=(at,)),
        chosen=hand is not None and not any(hand.values()),
    )
    return [Buttons(buttons=(*people, none), across=1, down_across=2)], steppers


def _hand_note(scene: Scene, hand: Mapping[str, int] | None) -> str:
    return scene.say("ui.hand-unsaid") if hand is None else scene.say("ui.cards-n", n=sum(hand.values()))


def _sums(scene: Scene, tabs: Sequence[str], tab: str) -> Buttons:
    """What is missing in all, the fast way to fill a continent, and the next tab."""
    draft, say = scene.desk.draft, scene.say
    following = tabs[(tabs.index(tab) + 1) % len(tabs)]
    buttons = []
    if tab in scene.atlas:
        whole = sum(len(group) for group in scene.atlas.values())
        left = [t for t in scene.atlas[tab] if t not in draft.owners]
        buttons.append(
            Button(
                text=say("ui.said-of", done=len(draft.owners), whole=whole), note=_saved(scene), does=None, tone="dim"
            )
        )
        brush = scene.desk.brush
        buttons.append(
            Button(
                text=say("ui.rest-to", owner=_owner_name(scene, brush)) if brush else say("ui.rest-pick"),
                mark=_owner_mark(scene, brush),
                does=Do(verb="rest", args=(brush, *left)) if brush and left else None,
            )
        )
    else:
        buttons.append(Button(text=_saved(scene), does=None, tone="dim"))
    buttons.append(
        Button(text=_tab_name(scene, following), symbol="→", tone="strong", does=Do(verb="tab", args=(following,)))
    )
    return Buttons(buttons=tuple(buttons), across=len(buttons), down_across=len(buttons))


def _saved(scene: Scene) -> str:
    return scene.say("ui.saved" if scene.desk.saved else "ui.saving")


def _check(scene: Scene, tabs: Sequence[str]) -> Screen:
    say, draft = scene.say, scene.desk.draft
    found = _gaps(scene)
    why = _asked(scene).reason
    main: list[Block] = []
    if why:
        main.append(Text(text=scene.words.reason(why), tone="dim"))
    if found:
        main.append(Text(text=say("ui.still-missing", n=len(found)), size="large", tone="warn"))
        main += [Text(text="• " + say(f"gap.{gap.code}", **gap.values), tone="warn") for gap in found[:6]]
    else:
        main.append(Text(text=say("ui.board-whole"), size="large", tone="good"))
        main += [_holdings(scene, player["id"]) for player in scene.alive]
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
        foot=(Buttons(buttons=(confirm,), across=1, down_across=1, tall=True),),
        is_full=True,
    )


def _holdings(scene: Scene, player: str) -> Text:
    draft = scene.desk.draft
    told = [scene.name(player)]
    if _asked(scene).board:
        told.append(scene.say("ui.territories-n", n=draft.counts()[player]))
    if player in draft.armies:
        told.append(scene.say("ui.armies-n", n=draft.armies[player]))
    if player in draft.hands:
        told.append(_hand_note(scene, draft.hands[player]))
    return Text(text=" · ".join(told), mark=scene.mark(player))
