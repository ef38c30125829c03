"""Before the game: waiting, setting up at home, start dice, colours, buttons, and the big START."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.rules.ruleset import load_ruleset
from companion.ui.blocks import Block, Button, Buttons, Do, Mark, PlayerCard, Players, Screen, Send, Text
from companion.ui.desk import SEATS_LEAST, SEATS_MOST
from companion.ui.screens.common import SHAPES, Scene

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
    for option in load_ruleset(HOME_SYSTEM).doubtful():
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
            text=scene.say("ui.start-tie" if tied else "ui.start-why"),
            tone="warn" if tied else "dim",
            centre=True,
            grow=0.6,
        ),
        Buttons(
            buttons=(scene.open("start-die", scene.say("ui.by-hand"), player, symbol="⚄"),), across=1, down_across=1
        ),
    ]


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
    """Everybody sits: hand out the missions, then start the clock."""
    say = scene.say
    cards = tuple(
        PlayerCard(
            name=scene.name(player["id"]),
            mark=scene.mark(player["id"]),
            lines=(say("ui.order", order=player.get("order")), say("ui.plays", colour=player.get("colour"))),
        )
        for player in scene.players
    )
    clock = scene.clock
    length = (scene.state.get("clock") or {}).get("length_ms")
    if clock is not None and clock.remaining_ms is not None and length:
        length_told = say("ui.length-is", length_ms=length)
    else:
        length_told = say("ui.clock-secret")
    removed = [mission for mission in scene.removed_missions if scene.words.knows(f"mission.{mission}")]
    first = scene.players[0]["id"] if scene.players else ""
    return scene.screen(
        "ready",
        main=(Text(text=say("ui.ready-title", player=first), size="large"), Players(cards=cards, grow=1.0)),
        side=(
            Text(text=say("ui.remove-missions", missions=removed) if removed else "", grow=1.0),
            Text(text=say("ui.hand-out"), grow=0.5),
            Text(text=length_told, tone="strong"),
        ),
        foot=(
            Buttons(
                buttons=(scene.ask("start_game", say("ui.start"), tone="strong", symbol="▶"),),
                across=1,
                down_across=1,
                tall=True,
            ),
        ),
    )
