"""The real window, drawn off screen: what fits, what a finger does, what the pictures hold."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.ui.blocks import Do, Screen, Send
from companion.ui.charts import atlas
from companion.ui.desk import Desk, Form
from companion.ui.draft import Draft, from_json
from companion.ui.screens.acts import ACTS
from companion.words import LANGUAGES
from tests.ui import states, systems
from tests.ui.pictures import screens
from tests.ui.test_model import shown

SIZES = {"800x480": 0.194, "720x1280": 0.122}
"""Displays with their pixel pitch, mm: 155 mm over 800 px, 88 mm over 720 px."""

FINGER_MM = 9.0
LETTER_MM = 1.5
"""Least height of a letter's box: smaller is read by nobody who stands at the table."""


class Shown:
    """A frame with a screen in it, and what was pressed."""

    def __init__(self, window: Any, size: str, screen: Screen) -> None:
        from companion.ui.widgets.frame import Frame

        width, height = (int(side) for side in size.split("x"))
        self.pressed: list[Do | Send] = []
        self.now_s = 0.0
        self.window = window
        self.frame = Frame(
            self.pressed.append, lambda _: None, width=width, height=height, monotonic=lambda: self.now_s
        )
        for child in list(window.children):
            window.remove_widget(child)
        window.add_widget(self.frame)
        self.frame.show(screen)
        self.idle()

    def show(self, screen: Screen) -> None:
        """Go on to another screen."""
        self.frame.show(screen)
        self.idle()

    def cut_texts(self) -> list[str]:
        """Texts that are larger than their box at the size in which they are set: lines too many, or a word too long.

        Kivy cuts a label at its box, so its own texture is never larger and tells nothing.
        """
        from companion.ui.widgets.text import FitLabel

        labels = [w for w in self.frame.walk() if isinstance(w, FitLabel) and w.text and min(w.size) > 1]
        return [w.plain for w in labels if not w.is_whole()]

    def small_texts(self, pitch_mm: float) -> list[str]:
        """Texts whose letters are too small to be read."""
        from companion.ui.widgets.text import FitLabel

        # A sign is told by its shape and has its word beside it.
        labels = [w for w in self.frame.walk() if isinstance(w, FitLabel) and len(w.plain) > 1 and min(w.size) > 1]
        return [w.plain for w in labels if w.font_size * pitch_mm < LETTER_MM]

    def idle(self) -> None:
        """Let Kivy work for some frames."""
        from kivy.base import EventLoop

        for _ in range(2):
            EventLoop.idle()

    def buttons(self) -> list[Any]:
        """Buttons and tiles that would do something."""
        from companion.ui.widgets.press import TouchButton
        from companion.ui.widgets.tiles import TileButton

        pressable = (TouchButton, TileButton)
        return [w for w in self.frame.walk() if isinstance(w, pressable) and w.opacity and w.does() is not None]

    def tap(self, text: str, *, between: Screen | None = None) -> None:
        """Touch the button with that text, perhaps with another screen coming in between."""
        from kivy.tests.common import UnitTestTouch

        button = next(b for b in self.buttons() if says(b) == text)
        touch = UnitTestTouch(*button.to_window(*button.center))
        touch.touch_down()
        if between is not None:
            self.frame.show(between)
        self.idle()
        touch.touch_up()
        self.idle()

    def middle_of(self, texture: Any) -> tuple[int, ...]:
        """Colour in the middle of the window once a texture fills it."""
        from kivy.graphics import Color, Rectangle
        from kivy.graphics.opengl import GL_RGB, GL_UNSIGNED_BYTE, glFinish, glReadPixels

        with self.frame.canvas.after:
            Color(1, 1, 1, 1)
            Rectangle(texture=texture, pos=(0, 0), size=self.frame.size)
        self.idle()
        self.window.dispatch("on_draw")
        glFinish()
        width, height = (int(side) for side in self.frame.size)
        return tuple(bytes(glReadPixels(width // 2, height // 2, 1, 1, GL_RGB, GL_UNSIGNED_BYTE)))

    def wait_for_guard(self) -> None:
        """Until presses are taken again after a change of screen."""
        from companion.ui.widgets.frame import GUARD_S

        self.now_s += GUARD_S + 0.01


def says(widget: Any) -> str:
    """What stands on a button or a tile."""
    shown_there = getattr(widget, "tile", None) or widget._button
    return str(shown_there.text)


def crowded(lang: str) -> Iterator[tuple[str, Screen]]:
    """The screens with most on them: four players with long names, a whole board, everything failing."""
    names = {"p1": "Wilhelmina-Maria", "p2": "Bartholomeus Jr.", "p3": "Konstantinopolda", "p4": "Ann"}
    colours = ("red", "blue", "black", "yellow")
    players = [
        states.player(id_, name, at, colours[at - 1], start_dice=[4, 4, 2], bound=at > 1)
        for at, (id_, name) in enumerate(names.items(), 1)
    ]
    crowd = {
        "players": players,
        "referee_called": {"by": "screen", "waiting_ms": 65_000},
        "recovered": {"events": 12_345, "away_ms": 3_661_000},
        "health": states.unreadable()["health"],
    }
    owners = {t: f"p{at % 4 + 1}" for at, t in enumerate(states.draft()["owners"])}
    armies = dict.fromkeys(names, 999)
    hands = {id_: {"infantry": 11, "artillery": 10, "cavalry": 10, "joker": 0} for id_ in names}
    draft = Draft(owners=owners, armies=armies, hands=hands, tijd_seen_ns=99)
    places = [
        {
            "player": id_, "result": "3", "place": at,
            "reason": {"code": "equal-leader", "clause": "3.2e", "values": {"players": list(names)}},
        }
        for at, id_ in enumerate(names, 1)
    ]  # fmt: skip
    result = {**states.scored()["result"], "places": places, "unresolved": [list(names)]}
    for tab in ("owners", "armies", "cards", "check"):
        yield f"four-{tab}", shown(states.frozen(**crowd), Desk(lang=lang, tab=tab, draft=draft, brush="p3"))
    also = {"need": states.frozen()["need"] | {"also": ["unplaced_armies", "owned_cards", "lot", "armies_on"]}}
    for tab in ("unplaced", "lot", "armies_on"):
        yield f"four-{tab}", shown(states.frozen(**crowd, **also), Desk(lang=lang, tab=tab, draft=draft))
    yield "four-playing", shown(states.both_sides() | crowd, Desk(lang=lang))
    yield "four-seating", shown(states.binding() | crowd, Desk(lang=lang))
    yield "four-ready", shown(states.ready() | crowd, Desk(lang=lang))
    yield "four-scored", shown(states.scored() | crowd | {"result": result}, Desk(lang=lang))
    form = Form(names=tuple(names.values()), at=3)
    yield "four-setup", shown(states.idle(), Desk(lang=lang, page="setup", form=form))
    yield from six(lang)


def six(lang: str) -> Iterator[tuple[str, Screen]]:
    """Six players with long names at a table of risiko, and everything that can be told there."""
    names = ("Wilhelmina-Maria", "Bartholomeus Jr.", "Konstantinopolda", "Massimiliano Du", "Ferdinando-Luca", "Ann")

    def named(state: dict[str, Any]) -> dict[str, Any]:
        players = [p | {"name": name} for p, name in zip(state["players"], names, strict=True)]
        return state | {"players": players, "health": states.unreadable()["health"]}

    state = named(systems.frozen("risiko", 6))
    people = [player["id"] for player in state["players"]]
    whole = from_json(systems.draft("risiko", 6), "r2-t7", people, atlas("risiko"))
    for tab in ("owners", "armies", "cards", "objectives", "check"):
        yield f"six-{tab}", shown(state, Desk(lang=lang, tab=tab, draft=whole, brush="p3"))
    open_ = Draft(owners={"siam": "p1"}, tijd_seen_ns=99)
    yield "six-open", shown(state, Desk(lang=lang, tab="check", draft=open_))
    game = named(systems.playing("risiko", 6))
    yield "six-playing", shown(game, Desk(lang=lang))
    yield "six-agreement", shown(game | {"agreement": systems.agreeing()["agreement"]}, Desk(lang=lang))
    yield "six-who", shown(game, Desk(lang=lang, page="act", picks=("ask-silence",)))
    result = systems.scored("risiko")["result"]
    places = [
        row | {"player": id_, "place": at}
        for at, (row, id_) in enumerate(zip(result["places"], people, strict=False), 1)
    ]
    scored = named(
        systems.table("risiko", "scored", 6, result=result | {"places": places, "unresolved": [["p5", "p6"]]})
    )
    yield "six-scored", shown(scored, Desk(lang=lang))
    yield "six-rule", shown(scored, Desk(lang=lang, page="rule"))
    form = Form(system="risiko", names=names, at=3)
    yield "six-setup", shown(states.idle(), Desk(lang=lang, page="setup", form=form))
    full = {"may": [*game["may"], *(found.command for found in ACTS.values()), "dispute_throw"]}
    out = named(systems.rebels() | {"players": systems.playing("rebels", 6)["players"]})
    out["players"][5]["out"] = {"by": "p1", "left_before": 6}
    ruled = {"rulings": [{"number": 1, "about": "penalty", "appeal": "open"}]}
    for page in ("menu", "referee"):
        yield f"six-{page}", shown(out | full | ruled, Desk(lang=lang, page=page))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_screen_fits_eyes_and_fingers(window: Any, size: str, lang: str) -> None:
    """No sentence in any language leaves its box or is too small to read, and no button is smaller than 9 mm."""
    frame: Shown | None = None
    cut, tiny, small = [], [], []
    for name, screen in (*screens(lang), *crowded(lang)):
        if frame is None:
            frame = Shown(window, size, screen)
        frame.frame.show(screen)
        cut += [(name, text) for text in frame.cut_texts()]
        tiny += [(name, text) for text in frame.small_texts(SIZES[size])]
        small += [
            (name, says(button))
            for button in frame.buttons()
            if min(button.width, button.height) * SIZES[size] < FINGER_MM
        ]

    assert ([], [], []) == (cut, tiny, small)


def test_a_text_that_leaves_its_box_is_seen(window: Any) -> None:
    """The check above can fail: words too long for a box, or too many for it, are told."""
    from companion.ui.widgets.text import fits

    assert (True, False, False) == (
        fits("Tijd", 20, (100, 30), bold=True),
        fits("Konstantinopolda", 20, (100, 30), bold=True),
        fits("Tijd is tijd en niets anders", 20, (100, 30), bold=True),
    )


def test_a_tap_does_what_the_button_says(window: Any) -> None:
    """Down and up on a button sends its command."""
    frame = Shown(window, "800x480", shown(states.cocked()))
    frame.wait_for_guard()
    frame.tap("Turn to Bram")

    assert [Send(command="end_turn")] == frame.pressed


def test_a_tap_means_what_was_read_when_the_finger_came_down(window: Any) -> None:
    """If the state moves on under the finger, the press does what the button said before."""
    later = shown(states.cocked() | {"allowed": {"attack": 1, "defence": None}})
    frame = Shown(window, "800x480", shown(states.cocked()))
    frame.wait_for_guard()
    frame.tap("1", between=later)

    assert [{"attack": 1, "defence": None}] == [does.args for does in frame.pressed if isinstance(does, Send)]


def test_a_finger_meant_for_the_screen_before_presses_nothing(window: Any) -> None:
    """Right after another screen came, presses are ignored."""
    frame = Shown(window, "800x480", shown(states.ready()))
    frame.wait_for_guard()
    frame.frame.show(shown(states.cocked()))
    frame.idle()
    frame.tap("Mission done")

    assert [] == frame.pressed


def test_pictures_hold_the_screen_and_not_black(tmp_path: Path) -> None:
    """A screenshot is taken of what was drawn, in its own process as the demo does it."""
    wanted = ("playing", "board", "tijd")
    command = [sys.executable, "-m", "tests.ui.pictures", str(tmp_path), "800x480", "en", *wanted]
    subprocess.run(command, check=True, timeout=120, env=os.environ | {"SDL_VIDEODRIVER": "offscreen"})
    pictures = sorted(tmp_path.glob("*.png"))
    colours = [len(set(zip(*[iter(_pixels(path)[:60_000])] * 3, strict=False))) for path in pictures]

    assert [f"{name}-800x480.png" for name in sorted(wanted)] == [path.name for path in pictures]
    assert min(colours) > 5


def _pixels(path: Path) -> bytes:
    """The raw rows of one of our own PNGs."""
    body = path.read_bytes()
    at = body.index(b"IDAT")
    length = int.from_bytes(body[at - 4 : at], "big")
    return zlib.decompress(body[at + 4 : at + 4 + length])


def test_a_crop_holds_all_dice_and_stays_in_the_picture() -> None:
    """The cut shows every die; boxes outside the picture show the whole picture."""
    from companion.ui.widgets.evidence import crop

    x, y, w, h = crop((1000, 600), ((100, 100, 40, 40), (300, 200, 40, 40)), 1.5)
    top = 600 - y - h

    assert (True, True) == (x <= 100 and top <= 100, x + w >= 340 and top + h >= 240)
    assert (0, 0, 1000, 600) == crop((1000, 600), ((990, 10, 40, 40),), 1.5)
    assert (0, 0, 1000, 600) == crop((1000, 600), (), 1.5)


@pytest.mark.parametrize(("y", "expected"), [(10, "red"), (150, "blue")])
def test_a_picture_stands_upright_and_is_cut_where_the_dice_lie(window: Any, y: int, expected: str) -> None:
    """A picture that came from the table shows the dice of the ruling, not their mirror image."""
    import io

    from kivy.core.image import Image as CoreImage

    from companion.ui.shots import png
    from companion.ui.widgets.evidence import crop

    rows_from_below = b"\0\0\xff" * 200 * 100 + b"\xff\0\0" * 200 * 100
    texture = CoreImage(io.BytesIO(png(200, 200, rows_from_below)), ext="png").texture
    cut = texture.get_region(*crop(texture.size, ((90, y, 20, 20),), 1.0))
    frame = Shown(window, "800x480", shown(states.cocked()))
    seen = frame.middle_of(cut)

    assert {"red": (255, 0, 0), "blue": (0, 0, 255)}[expected] == seen


def test_heights_fill_the_room_and_buttons_give_way_last() -> None:
    """What is missing is taken from text, what is left goes to what grows."""
    from companion.ui.widgets.stack import shared

    assert [40, 100] == shared([80, 100], [0, 0], [False, True], 140)
    assert [80, 120] == shared([80, 100], [0, 1], [False, True], 200)
    assert [50, 50] == shared([100, 100], [0, 0], [True, True], 100)
