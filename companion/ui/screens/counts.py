"""What is counted beside the owners: armies, cards, objectives, and armies territory by territory.

Each part shows the players with what was said of them at one side, and what to tap for the one that is chosen at the
other; done with one, it goes on to the next who still lacks it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from companion.ui.asking import NOTHING_ASKED
from companion.ui.blocks import Block, Button, Buttons, Do, Screen, Stepper, Text, Tile, TileMap
from companion.ui.charts import places
from companion.ui.draft import SYMBOLS, Cards
from companion.ui.screens.common import Scene
from companion.ui.screens.owners import tile_name

Halves = tuple[list[Block], list[Block]]
ARMY_STEPS = {"+1": 1, "+5": 5, "−1": -1}
"""Steps of a tap on a territory, by what stands on their tile."""


def said_of(scene: Scene, tab: str) -> Mapping[str, object]:
    """What was said in a part, by player."""
    draft = scene.desk.draft
    parts: Mapping[str, Mapping[str, object]] = {
        "armies": draft.armies,
        "cards": draft.hands,
        "objectives": draft.objectives,
        "unplaced": draft.unplaced,
        "owned": draft.own_cards,
    }
    return parts[tab]


def whose(scene: Scene, tab: str) -> Sequence[str]:
    """Players of whom a part is asked, and those of whom it was said; all, as long as nobody knows of whom it will be.

    Who has been counted is asked no more, but stays: the second card of a hand is typed after the first.
    """
    need = scene.asked or NOTHING_ASKED
    wanted = {
        "armies": need.armies,
        "cards": need.hands,
        "objectives": need.objectives,
        "unplaced": need.unplaced,
        "owned": need.owned,
    }[tab]
    said = said_of(scene, tab)
    alive = [player["id"] for player in scene.alive]
    if need.board and len(scene.desk.draft.owners) < sum(len(group) for group in scene.atlas.values()):
        return alive
    return [player for player in alive if player in wanted or player in said] or alive


def _at(scene: Scene, tab: str, said: Mapping[str, object]) -> str:
    """The player whose turn it is to be counted: the one tapped, else the first who lacks it."""
    people = whose(scene, tab)
    if scene.desk.brush in people:
        return str(scene.desk.brush)
    return next((player for player in people if player not in said), people[0] if people else "")


def _next(scene: Scene, tab: str, said: Mapping[str, object], at: str, onward: Button) -> Button:
    """On to the next player who lacks it, or to the next part once nobody does."""
    people = list(whose(scene, tab))
    later = [*people[people.index(at) + 1 :], *people[: people.index(at)]] if at in people else people
    follower = next((player for player in later if player not in said), None)
    if follower is None:
        return onward
    return Button(
        text=scene.name(follower),
        symbol="→",
        tone="strong",
        mark=scene.mark(follower),
        does=Do(verb="brush", args=(follower,)),
    )


def _people(scene: Scene, tab: str, at: str, told: Callable[[str], tuple[str, str, bool]]) -> Buttons:
    """The players, each with what was said: words, note, and whether that is well."""
    buttons = []
    for player in whose(scene, tab):
        text, note, is_well = told(player)
        buttons.append(
            Button(
                text=text,
                note=note,
                mark=scene.mark(player),
                tone="plain" if is_well else "warn",
                does=Do(verb="brush", args=(player,)),
                chosen=player == at,
            )
        )
    return Buttons(buttons=tuple(buttons), across=1 if len(buttons) < 4 else 2, down_across=2)


def armies(scene: Scene, onward: Button) -> Halves:
    """Armies of each player, typed or counted up."""
    draft, say = scene.desk.draft, scene.say
    counts = draft.counts()
    at = _at(scene, "armies", draft.armies)

    def told(player: str) -> tuple[str, str, bool]:
        count = draft.armies.get(player)
        few = count is not None and count < counts[player]
        note = say("ui.armies-few" if few else "ui.territories-n", n=counts[player])
        return f"{scene.name(player)}: {'–' if count is None else count}", note, count is not None and not few

    digits = [Button(text=d, does=Do(verb="type-armies", args=(at, d))) for d in "123456789"]
    has_digits = bool(scene.desk.digits) or at in draft.armies
    digits.append(Button(text="⌫", does=Do(verb="type-armies", args=(at, "")) if has_digits else None))
    digits.append(Button(text="0", does=Do(verb="type-armies", args=(at, "0"))))
    digits.append(_next(scene, "armies", draft.armies, at, onward))
    steps = tuple(
        Button(text=text, does=Do(verb="armies", args=(at, by))) for text, by in (("−1", -1), ("+1", 1), ("+10", 10))
    )
    left: list[Block] = [
        Text(text=say("ui.armies-title"), size="small"),
        _people(scene, "armies", at, told),
        Buttons(buttons=steps, across=3, down_across=3),
    ]
    return left, [Buttons(buttons=tuple(digits), across=3, down_across=3, grow=1.0)]


def cards(scene: Scene, onward: Button) -> Halves:
    """Cards of each player, by symbol."""
    return _cards(scene, onward, "cards", "hands", "ui.no-cards")


def owned(scene: Scene, onward: Button) -> Halves:
    """Those of the cards whose land the player owns, by symbol."""
    return _cards(scene, onward, "owned", "own_cards", "ui.none-owned")


def _cards(scene: Scene, onward: Button, tab: str, of: Cards, nothing: str) -> Halves:
    say = scene.say
    kept = scene.desk.draft.cards(of)
    at = _at(scene, tab, kept)
    hand = kept.get(at)

    def told(player: str) -> tuple[str, str, bool]:
        held = kept.get(player)
        note = say("ui.hand-unsaid") if held is None else say("ui.cards-n", n=sum(held.values()))
        return scene.name(player), note, held is not None

    none = Button(
        text=say(nothing, player=at),
        does=Do(verb="no-cards", args=(at, of)),
        chosen=hand is not None and not any(hand.values()),
    )
    going_on = _next(scene, tab, kept, at, onward)
    left: list[Block] = [
        _people(scene, tab, at, told),
        Buttons(buttons=(none, going_on), across=1 if len(whose(scene, tab)) < 4 else 2, down_across=2),
    ]
    right: list[Block] = [
        Stepper(
            label=scene.words.shown("symbol", symbol),
            value="–" if hand is None else str(hand.get(symbol, 0)),
            steps=(
                ("−1", Do(verb="cards", args=(at, symbol, -1, of)) if hand and hand.get(symbol) else None),
                ("+1", Do(verb="cards", args=(at, symbol, 1, of))),
            ),
            tone="warn" if hand is None else "good",
        )
        for symbol in SYMBOLS
    ]
    return left, right


def unplaced(scene: Scene, onward: Button) -> Halves:
    """Armies that were received and stand on no territory yet."""
    draft, say = scene.desk.draft, scene.say
    at = _at(scene, "unplaced", draft.unplaced)
    count = draft.unplaced.get(at)

    def told(player: str) -> tuple[str, str, bool]:
        armies = draft.unplaced.get(player)
        return scene.name(player), say("ui.hand-unsaid") if armies is None else str(armies), armies is not None

    steps = [(text, Do(verb="unplaced", args=(at, by))) for text, by in (("−1", -1), ("+1", 1), ("+5", 5))]
    none = Button(text=say("ui.none-unplaced", player=at), does=Do(verb="unplaced", args=(at, 0)), chosen=count == 0)
    left: list[Block] = [Text(text=say("ui.unplaced-title"), size="small"), _people(scene, "unplaced", at, told)]
    right: list[Block] = [
        Text(text="–" if count is None else str(count), size="huge", centre=True, grow=1.0),
        Buttons(buttons=(none, *(Button(text=text, does=does) for text, does in steps)), across=4, down_across=4),
        Buttons(buttons=(_next(scene, "unplaced", draft.unplaced, at, onward),), across=1, down_across=1),
    ]
    return left, right


def lot(scene: Scene, onward: Button) -> Halves:
    """The published number that parts those who are equal to the end; left empty where nobody is."""
    draft = scene.desk.draft
    digits = [Button(text=d, does=Do(verb="lot", args=(d,))) for d in "123456789"]
    digits.append(Button(text="⌫", does=Do(verb="lot", args=("",)) if draft.lot else None))
    digits += [Button(text="0", does=Do(verb="lot", args=("0",))), onward]
    left: list[Block] = [
        Text(text=scene.say("ui.lot-title")),
        Text(text=draft.lot or "–", size="huge", centre=True, grow=1.0),
    ]
    return left, [Buttons(buttons=tuple(digits), across=3, down_across=3, grow=1.0)]


def objectives(scene: Scene, onward: Button) -> Halves:
    """Which objective each player had, all of them shown now."""
    draft, say = scene.desk.draft, scene.say
    people = whose(scene, "objectives")
    at = _at(scene, "objectives", draft.objectives)
    names = {str(row["id"]): str(row.get("name") or row["id"]) for row in scene.state.get("objectives") or ()}
    later = [player for player in people if player not in draft.objectives and player != at]

    def told(player: str) -> tuple[str, str, bool]:
        held = draft.objectives.get(player)
        return scene.name(player), names.get(held or "", say("ui.hand-unsaid")), held is not None

    taken = {objective for player, objective in draft.objectives.items() if player != at}
    buttons = tuple(
        Button(
            text=name,
            does=None if id_ in taken else Do(verb="objective", args=(at, id_, later[0] if later else at)),
            chosen=draft.objectives.get(at) == id_,
        )
        for id_, name in names.items()
    )
    left: list[Block] = [
        Text(text=say("ui.objective-of", player=at), size="body"),
        _people(scene, "objectives", at, told),
        Buttons(buttons=(onward,), across=1, down_across=1),
    ]
    return left, [Buttons(buttons=buttons, across=4, down_across=4, grow=1.0)]


def armies_on(scene: Scene, onward: Tile) -> Screen:
    """Armies in each territory of those whose mission counts them."""
    need, draft = scene.asked or NOTHING_ASKED, scene.desk.draft
    step = scene.desk.brush if scene.desk.brush in ARMY_STEPS else "+1"
    row = [
        Tile(text=text, does=Do(verb="brush", args=(text,)), chosen=text == step, note=scene.say("ui.tab.armies"))
        for text in ARMY_STEPS
    ]
    tiles = tuple(
        Tile(
            text=tile_name(scene, place.territory),
            note=str(draft.armies_on.get(place.territory, "?")) if is_asked else "",
            mark=scene.mark(owner) if is_asked else None,
            column=place.column,
            row=place.row,
            group=place.group,
            does=Do(verb="armies-on", args=(place.territory, ARMY_STEPS[step])) if is_asked else None,
            tone="plain" if is_asked else "dim",
        )
        for place in places(scene.board)
        for owner in [draft.owners.get(place.territory)]
        for is_asked in [owner in need.armies_on]
    )
    top = tuple(replace(tile, column=at) for at, tile in enumerate([*row, onward]))
    return scene.screen(
        "board-armies_on",
        top=(TileMap(tiles=top, down_across=4),),
        main=(TileMap(tiles=tiles, grow=1.0),),
        is_full=True,
    )
