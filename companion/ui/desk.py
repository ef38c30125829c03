"""What the screen remembers by itself: which page is open, what is half typed, what was refused.

Everything else comes from the table. A desk is a value; `presses.press` makes the next one. Losing it costs a page
turn, never a fact: the one thing here that people would miss, the board's draft, lies on the table's disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.rules.ruleset import load_ruleset
from companion.ui.blocks import Send
from companion.ui.draft import Draft

MOST_DICE = 5
PIN_LEAST, PIN_DIGITS = 4, 8
CHOOSE_PIN = "choose_pin"
"""What the screen sends to choose the table's first PIN: no command of the table, but a question of its own."""

CHECK = "check"
"""What the screen sends to try out a part of the panel: no command of the table either."""

NAME_LETTERS = 16


def seats_of(system: str) -> tuple[int, int]:
    """Fewest and most players of a table by the rules of a shipped system."""
    rules = load_ruleset(system)
    return rules.number("players.least"), rules.number("players.most")


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something that was refused or could not be sent.

    Attributes:
        problem: The error body of docs/api.md.
        at_s: Monotonic seconds at which it came, or None for one that stays until the next press.
    """

    problem: Mapping[str, Any]
    at_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A home game while it is being set up.

    Attributes:
        system: The rules.
        names: One per seat; empty while not typed.
        at: The seat whose name is being typed.
        minutes: Length of the game, where it is known beforehand.
        phase: Phase of the tournament, where the length within it is secret.
        options: Doubtful choices of the rules by option name.
        prize: Key of what victory brings, where the rules want that said beforehand; empty while nobody said it.
    """

    system: str = "nl1996"
    names: tuple[str, ...] = ("", "", "")
    at: int = 0
    minutes: int = 90
    phase: str = "first_phase"
    options: Mapping[str, str] = field(default_factory=dict)
    prize: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The screen's own memory.

    Attributes:
        lang: Language of the screen.
        phase: Phase of the table that the rest belongs to.
        page: The page that is open over the phase's own; empty for none.
        picks: What was picked so far on that page, in order.
        digits: What was typed on a number pad.
        dice: Dice typed by hand.
        side: Side of the throw for which dice are typed.
        form: A home game being set up.
        draft: The board being recorded.
        saved: Whether that draft is on the table's disk.
        tab: Open part of the recorder: a continent, `armies`, `cards` or `check`.
        brush: The player (or nobody) that a tap paints, or None to step through them.
        waiting: What the referee's PIN is being typed for.
        sending: What has been asked of the table and not been answered yet.
        notice: The newest refusal.
        told: Events of the newest recovery whose notice was read.
        turn_clock: Whether a player asked to see how long the turn lasts.
    """

    lang: str
    phase: str = ""
    page: str = ""
    picks: tuple[Any, ...] = ()
    digits: str = ""
    dice: tuple[int, ...] = ()
    side: str = "attack"
    form: Form = field(default_factory=Form)
    draft: Draft = field(default_factory=Draft)
    saved: bool = True
    tab: str = ""
    brush: str | None = None
    waiting: Send | None = None
    sending: Send | None = None
    notice: Notice | None = None
    told: int | None = None
    turn_clock: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What a press leads to: the next desk, and perhaps a question to the table or a draft to keep."""

    desk: Desk
    send: Send | None = None
    save: bool = False


def heard(desk: Desk, phase: str) -> Desk:
    """The desk once the table is known to be in `phase`.

    What was half done for the phase before is dropped with it: nobody wants a claim of the last game to open in the
    next one. The draft lives from the freeze until a game is played again, so that a board which the referee reopens
    need not be typed anew.
    """
    if phase == desk.phase:
        return desk
    draft = desk.draft if phase in {"finishing", "frozen", "scored", "closed"} else Draft()
    return replace(
        desk,
        phase=phase,
        page="",
        picks=(),
        digits="",
        dice=(),
        waiting=None,
        tab="",
        brush=None,
        draft=draft,
        side="attack",
    )
