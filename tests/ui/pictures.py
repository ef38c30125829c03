"""Pictures of every screen, for docs/screens.md: `python -m tests.ui.pictures docs/pictures 800x480 en`.

Names after that are of those that are wanted, if not all. Kivy makes one window per process, so each size is a run of
its own. The throw on the screen is one that the simulator threw, with its picture.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image

from companion.rules.ruleset import load_ruleset
from companion.sim.examples import Scene, scenes
from companion.ui.blocks import Screen, Send
from companion.ui.charts import atlas
from companion.ui.clock import Link
from companion.ui.desk import Desk, Form, Notice
from companion.ui.draft import Draft, from_json
from companion.ui.model import view
from tests.ui import looked, played, states, systems

NOW_S = 100.0
COLOURS = 64


def screens(lang: str) -> Iterator[tuple[str, Screen]]:
    """Every screen that people meet in a game, by name."""
    desk = Desk(lang=lang)
    whole = from_json(states.draft(), "r2-t7", ["p1", "p2", "p3"], atlas())
    half = Draft(
        owners={t: o for at, (t, o) in enumerate(whole.owners.items()) if at % 4},
        armies={"p1": 31, "p2": 9},
        hands={"p1": {"infantry": 1, "artillery": 0, "cavalry": 2, "joker": 0}},
        tijd_seen_ns=99,
    )
    home = replace(desk, page="setup", form=Form(names=("Anna", "Bram", "Chi"), at=2))
    waiting = Send(command="pause_clock", args={"reason": "dispute"})
    shown: list[tuple[str, dict[str, Any], Desk]] = [
        ("unheard", {}, desk),
        ("idle", states.idle(), desk),
        ("setup-system", states.idle(), replace(desk, page="setup-system")),
        ("setup", states.idle(), home),
        ("setup-rules", states.idle(), replace(home, page="setup-rules")),
        *((f"setup-rules-{system}", states.idle(), rules_page(desk, system)) for system in ("risiko", "rebels")),
        (
            "setup-option",
            states.idle(),
            replace(rules_page(desk, "classic"), page="setup-option", picks=("board.edition",)),
        ),
        ("seating-throw", states.throwing(), desk),
        ("seating-colour", states.choosing(), desk),
        ("seating-button", states.binding(), desk),
        ("ready", states.ready(), desk),
        ("playing", thrown_state(), desk),
        ("playing-last", states.both_sides(), desk),
        ("playing-unreadable", states.unreadable(), desk),
        ("playing-paused", states.paused(), desk),
        ("menu", states.cocked(), replace(desk, page="menu")),
        ("picture", thrown_state(), replace(desk, page="picture")),
        ("claim", states.cocked(), replace(desk, page="claim", picks=("p1",))),
        ("dice", states.cocked(), replace(desk, page="dice", dice=(6, 4))),
        ("correct", states.both_sides(), replace(desk, page="correct", picks=("attack", 1))),
        ("reason", states.cocked(), replace(desk, page="reason", picks=("pause_clock",))),
        ("pin", states.cocked(), replace(desk, page="pin", digits="123", waiting=waiting)),
        (
            "pin-first",
            {**states.ready(), "pin_set": False},
            replace(
                desk, page="pin", waiting=Send(command="start_game"), notice=Notice(problem={"problem": "pin-not-set"})
            ),
        ),
        ("tijd", states.frozen(), desk),
        ("board", states.frozen(), replace(desk, draft=half, tab="owners", brush="p1")),
        ("board-armies", states.frozen(), replace(desk, draft=half, tab="armies")),
        ("board-cards", states.frozen(), replace(desk, draft=half, tab="cards")),
        ("board-open", states.frozen(), replace(desk, draft=half, tab="check")),
        ("board-whole", states.frozen(), replace(desk, draft=whole, tab="check")),
        ("scored", states.scored(played.DECIDED, signed=["p1"]), desk),
        ("scored-equal", states.scored(), desk),
        ("rule", states.scored(), replace(desk, page="rule")),
        ("closed", states.closed(), desk),
        ("health", states.unreadable(), replace(desk, page="health")),
        ("lang", states.idle(), replace(desk, page="lang")),
        (
            "refused",
            states.cocked(),
            replace(desk, notice=Notice(problem={"problem": "moved-on", "message": "look again"})),
        ),
    ]
    shown += [*recorders(desk), *games(desk), *looked.screens(desk)]
    for name, state, at in shown:
        clock = state.get("clock")
        yield name, view(state, at, Link(heard_s=NOW_S if state else None, clock=clock, clock_s=NOW_S), NOW_S)
    lost = thrown_state()
    yield "silent", view(lost, desk, Link(heard_s=NOW_S - 4, clock=lost["clock"], clock_s=NOW_S - 4), NOW_S)


def recorders(desk: Desk) -> Iterator[tuple[str, dict[str, Any], Desk]]:
    """The boards of the other systems while they are recorded, and their results."""
    for system, tabs in RECORDED.items():
        state = systems.frozen(system)
        people = [player["id"] for player in state["players"]]
        whole = from_json(systems.draft(system), "r2-t7", people, atlas(load_ruleset(system).board))
        owners = dict(list(whole.owners.items())[:30])
        half = replace(whole, owners=owners, armies={"p1": 31}, objectives={"p1": "letto"})
        for tab in tabs:
            at = replace(desk, draft=whole if tab == "check" else half, tab=tab, brush=None if tab == "cards" else "p2")
            yield f"board-{system}-{tab}", state, replace(at, digits="3" if tab == "armies" else "")
    yield "scored-risiko", systems.scored("risiko"), desk


RECORDED = {
    "risiko": ("owners", "armies", "objectives", "check"),
    "apoikia": ("owners", "check"),
    "rebels": ("owners",),
}
"""Parts of the recorder that look otherwise than in nl1996, by system."""


def games(desk: Desk) -> Iterator[tuple[str, dict[str, Any], Desk]]:
    """What a game of the other systems shows, and what people tell and decide in it."""
    playing, seen = systems.playing("risiko"), Draft(tijd_seen_ns=99)
    yield "ready-risiko", systems.ready("risiko"), desk
    yield "playing-risiko", playing, desk
    yield "playing-rebels", systems.rebels(), desk
    yield "tijd-finishing", systems.finishing(), desk
    yield "finishing", systems.finishing(), replace(desk, draft=seen)
    yield "agreement", systems.agreeing(), desk
    yield "correct-agreed", playing, replace(desk, page="correct", picks=("attack", 1))
    yield "menu-risiko", playing, replace(desk, page="menu")
    yield "undo", playing, replace(desk, page="undo")
    yield "referee", systems.rebels(), replace(desk, page="referee")
    yield "act-number", playing, replace(desk, page="act", picks=("ruling", "penalty", "p2"))
    yield "act-why", systems.rebels(), replace(desk, page="act", picks=("reinstate", "p5"))
    yield "claim-objective", playing, replace(desk, page="claim", picks=("p1",))
    yield "rule-risiko", systems.scored("risiko"), replace(desk, page="rule")
    yield "panel", systems.tried(), replace(desk, page="panel")


def rules_page(desk: Desk, system: str) -> Desk:
    """A home game by that system, at its choices."""
    return replace(desk, page="setup-rules", form=Form(system=system, names=("Anna", "Bram", "Chi")))


@cache
def thrown() -> Scene:
    """A simulated throw with dice that lean on the wall."""
    return next(scenes(10, 1, "cocked_wall"))


def thrown_state() -> dict[str, Any]:
    """That throw as the table tells it."""
    dice = [
        states.die(
            found.truth.value,
            found.truth.verdict,
            "standing" if found.truth.verdict == "valid" else "reroll",
            colour=found.truth.colour,
            box_px=[found.centre_px[0] - 28, found.centre_px[1] - 28, 56, 56],
        )
        for found in sorted(thrown().dice, key=lambda die: die.centre_px)
    ]
    state = states.cocked()
    again = [die for die in dice if die["fate"] == "reroll"]
    stand = [die["value"] for die in dice if die["fate"] == "standing"]
    state["throw"]["sides"]["attack"] |= {"dice": dice, "reroll": len(again), "standing": stand}
    return state


def _texture(image: Any) -> Any:
    """A picture as Kivy draws it."""
    from kivy.graphics.texture import Texture

    rows, columns = image.shape[:2]
    texture = Texture.create(size=(columns, rows), colorfmt="bgr")
    texture.blit_buffer(image[::-1].tobytes(), colorfmt="bgr", bufferfmt="ubyte")
    return texture


def main(folder: Path, size: str, lang: str, *names: str) -> None:
    """Draw each screen, or those named, into a file of the folder."""
    os.environ.setdefault("SDL_VIDEODRIVER", "offscreen")
    width, height = (int(side) for side in size.split("x"))
    from companion.ui.bootstrap import prepare_window

    prepare_window(width, height)
    from kivy.base import EventLoop
    from kivy.core.window import Window

    from companion.ui.shots import shoot
    from companion.ui.widgets.frame import Frame
    from companion.ui.widgets.text import register_signs

    register_signs()
    EventLoop.ensure_window()
    photo = _texture(thrown().image)
    shown = {name: _texture(image) for name, image in looked.pictures().items()}
    frame = Frame(lambda _: None, lambda name: shown.get(name, photo), width=width, height=height)
    Window.add_widget(frame)
    for name, screen in screens(lang):
        if names and name not in names:
            continue
        frame.show(screen)
        frame.flash()
        for _ in range(3):
            EventLoop.idle()
        path = folder / f"{name}-{size}.png"
        shoot(path)
        # A page of documentation is read over slow lines: few colours do.
        with Image.open(path) as picture:
            few = picture.quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(path, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
