"""What a screen is made of, as plain data.

Theory: a screen is a value. From the table's state and the little that the screen itself remembers (`desk.Desk`), the
functions under `screens/` make a `Screen` of the blocks below, every sentence already in the reader's language. The
widgets draw blocks and know nothing else; a press on one comes back as the block's own `Do` or `Send`. So what a
referee sees, and what each press would do, can be tested without opening a window.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Tone = Literal["plain", "good", "warn", "bad", "dim", "strong"]
Size = Literal["small", "body", "large", "huge", "clock", "signal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Do:
    """A press that changes only what the screen shows; `desk.press` knows the verbs."""

    verb: str
    args: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """A press that asks something of the table.

    Attributes:
        command: Its name in docs/api.md.
        args: Its arguments.
        pin: The referee's PIN, once typed.
        then: What the screen goes on with once the table took it, instead of going back.
    """

    command: str
    args: Mapping[str, Any] = field(default_factory=dict)
    pin: str | None = None
    then: Do | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How a player is recognised without colour: the colour's own shape, beside the name."""

    colour: str | None
    shape: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A sentence."""

    text: str
    size: Size = "body"
    tone: Tone = "plain"
    mark: Mark | None = None
    grow: float = 0.0
    centre: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """Something to press.

    Attributes:
        text: Its words.
        does: What a press does; None draws it greyed, with the reason in `note`.
        tone: `strong` for the one press that is expected next.
        note: A second, smaller line.
        symbol: A sign before the words.
        mark: The player it stands for.
        chosen: Whether it is the one that is set.
    """

    text: str
    does: Do | Send | None
    tone: Tone = "plain"
    note: str = ""
    symbol: str = ""
    mark: Mark | None = None
    chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Buttons:
    """Buttons in a grid.

    Attributes:
        buttons: In reading order.
        across: Columns in landscape.
        down_across: Columns in portrait.
        grow: Share of the height that is left over; 0 gives each row the touch height.
        label: Words before the grid, on its own line.
        tall: Whether the rows are half as high again.
    """

    buttons: tuple[Button, ...]
    across: int = 4
    down_across: int = 2
    grow: float = 0.0
    label: str = ""
    tall: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DieFace:
    """One die as it is drawn.

    Attributes:
        value: Pips, or None where nobody vouches for a value.
        colour: The body's colour, or None if it is not known.
        sign: The verdict as a sign: it is told by shape, word and colour.
        word: The verdict as a word.
        tone: The verdict as a colour.
        does: What a press on it does.
        chosen: Whether it is the one being corrected.
        ghost: What stands in a place without a die; empty for a die.
    """

    value: int | None = None
    colour: str | None
    sign: str
    word: str
    tone: Tone
    does: Do | Send | None = None
    chosen: bool = False
    ghost: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceRow:
    """The dice of one side, with what to call them."""

    label: str
    dice: tuple[DieFace, ...]
    grow: float = 0.0


LIVE = "live"
"""Instead of a picture's hash: what the camera sees now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The picture that a throw was read from.

    Attributes:
        evidence: SHA-256 of the picture, or `LIVE`.
        around_px: (x, y, w, h) of each die in the picture; the crop shows all of them.
        missing: What to say while the picture is not there.
    """

    evidence: str
    around_px: tuple[tuple[float, float, float, float], ...]
    missing: str
    grow: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerCard:
    """One player with what matters now."""

    name: str
    mark: Mark
    lines: tuple[str, ...] = ()
    active: bool = False
    out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Players:
    """Players side by side in landscape, one below the other in portrait."""

    cards: tuple[PlayerCard, ...]
    grow: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepper:
    """A number that is made by steps; a press on the number opens the keypad."""

    label: str
    value: str
    steps: tuple[tuple[str, Do | None], ...]
    does: Do | None = None
    mark: Mark | None = None
    tone: Tone = "plain"
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """A small button of a board: a territory in the colour of its owner, or a player to paint with.

    Attributes:
        text: Its name.
        does: What a press does.
        note: A second line; the owner's shape stands before it.
        mark: The owner; None for a tile that nobody has spoken of.
        column: From the left, 0 first.
        row: From above, 0 first.
        group: Number of the continent, which shades a tile without an owner.
        chosen: Whether it is the one that is set.
        tone: What a tile without an owner looks like.
    """

    text: str
    does: Do | None
    note: str = ""
    mark: Mark | None = None
    column: int = 0
    row: int = 0
    group: int = 0
    chosen: bool = False
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class TileMap:
    """Tiles where they lie on the board; in portrait, where a whole board is too wide, in reading order.

    Attributes:
        tiles: In reading order.
        down_across: Columns in portrait.
        grow: Share of the height that is left over; 0 gives each row the touch height.
    """

    tiles: tuple[Tile, ...]
    down_across: int = 5
    grow: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """Empty room that takes the height nobody else wants."""

    grow: float = 1.0


Block = Text | Buttons | DiceRow | Picture | Players | Stepper | TileMap | Space


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A line across the screen that must not be missed: a failing part, a refusal, a lost connection."""

    text: str
    tone: Tone
    does: Do | Send | None = None
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The line at the top of every screen.

    Attributes:
        place: Which table, tournament and round.
        phase: Where the table stands.
        link: Whether the table service answers, in words; `link_tone` says it in colour.
        clock: The clock, where it is public and not already the main thing.
        alert: The worst warning, on screens that have no room for bars of their own; the menu page shows them all.
        menu: What the button at the right does.
        menu_text: Its words.
    """

    place: str
    phase: str
    link: str
    link_tone: Tone
    clock: str
    menu: Do | None
    menu_text: str
    alert: Bar | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """One whole screen.

    Attributes:
        name: Stable name, for the guard against a finger that was meant for the screen before, and for pictures.
        moment: What makes this moment of the same screen worth a picture of its own.
        head: The line at the top.
        bars: Warnings below it.
        top: Above all areas, across the whole width.
        main: Left in landscape, above in portrait.
        side: Right in landscape, below in portrait; may be empty.
        foot: Below both.
        side_share: Share of the width that the side takes in landscape.
        side_first: Whether the side stands above in portrait: the clock does.
        flash: Whether the background flashes (the signal).
        alarm: Whether the background is that of a game that is over but for one combat.
    """

    name: str
    head: Head
    moment: str = ""
    bars: tuple[Bar, ...] = ()
    top: tuple[Block, ...] = ()
    main: tuple[Block, ...] = ()
    side: tuple[Block, ...] = ()
    foot: tuple[Block, ...] = ()
    side_share: float = 0.4
    side_first: bool = False
    flash: bool = False
    alarm: bool = False
