"""A game played in memory: commands in, events out, no clock but the one that the test turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pytest

from companion.rules.ruleset import load_ruleset
from companion.session import commands as c
from companion.session import events as e
from companion.session.decide import Moment, decide
from companion.session.errors import Refused
from companion.session.state import TableState, fold
from companion.session.transitions import Asker

MS = 1_000_000
S = 1_000 * MS
PLAYERS = ("anna", "bert", "cees")
BUTTONS = ("seat1", "seat2", "seat3", "referee")
HOUR_MS = 3_600_000
ASKED: Mapping[str, Mapping[str, Any]] = {
    "nl1996": {},
    "risiko": {},
    "classic": {"length_ms": 2 * HOUR_MS},
    "apoikia": {"length_ms": 3 * HOUR_MS},
    "rebels": {"length_ms": 2 * HOUR_MS, "prize": "the winner chooses the next game"},
}
"""What each system wants to be told at the set-up beyond its players."""


class Game:
    """One table without a journal: `do` decides, folds and remembers."""

    def __init__(self, system: str = "nl1996", *, options: Mapping[str, Any] | None = None) -> None:
        self.system = system
        self.options = dict(options or {})
        self.ruleset = load_ruleset(system, self.options)
        self.state = TableState()
        self.events: list[e.Event] = []
        self.now_ns = 1_000 * S

    def do(self, command: c.Command, asker: Asker = "screen", *, after_ms: int = 100) -> tuple[e.Event, ...]:
        """Carry a command out; the events that it made."""
        self.now_ns += after_ms * MS
        made = decide(self.state, command, Moment(now_ns=self.now_ns, asker=asker, ruleset=self.ruleset))
        self.state = fold(made, self.state)
        self.events += made
        return made

    def opened(self, players: Sequence[str] = PLAYERS, **more: Any) -> Game:
        """A table that was set up with a rig of three seat buttons and the referee's key."""
        self.do(c.OpenRig(camera="sim", panel="sim", buttons=BUTTONS, software="test"), "rig")
        self.do(
            c.SetUpTable(
                system=self.system, players=tuple(players), options=self.options, **{**ASKED[self.system], **more}
            )
        )
        return self

    def seated(self, players: Sequence[str] = PLAYERS, **more: Any) -> Game:
        """A table where order, colours and buttons are settled: players in the order given."""
        self.opened(players, **more)
        for player, value in zip(players, (6, 5, 4, 3), strict=False):
            self.do(c.EnterStartDie(player=player, value=value))
        for player, colour in zip(players, ("red", "blue", "black", "green"), strict=False):
            self.do(c.ChooseColour(player=player, colour=colour))
        for button in BUTTONS[: len(players)]:
            if button != "referee":
                self.press(button)
        return self

    def playing(self, players: Sequence[str] = PLAYERS, **more: Any) -> Game:
        """A game that runs, the first player's turn."""
        self.seated(players, **more)
        self.do(c.StartGame())
        return self

    def frozen(self, players: Sequence[str] = PLAYERS) -> Game:
        """A game that the signal has ended."""
        self.playing(players)
        self.tijd()
        return self

    def press(self, button: str, *, is_long: bool = False) -> tuple[e.Event, ...]:
        """Press a button and let it go, soon or after a while."""
        pressed_ns = self.now_ns
        down = self.do(c.PressButton(button=button, kind="down", pressed_ns=pressed_ns), "rig")
        kind: Literal["short", "long"] = "long" if is_long else "short"
        up = self.do(c.PressButton(button=button, kind=kind, pressed_ns=pressed_ns), "rig")
        return (*down, *up)

    def tijd(self, **more: Any) -> tuple[e.Event, ...]:
        """The clock's own signal, now."""
        return self.do(c.SoundTijd(source="clock", signal_ns=self.now_ns + 100 * MS, **more), "rig")

    def see(
        self,
        attack: Sequence[int | str] = (),
        defence: Sequence[int | str] = (),
        *,
        still: Sequence[str] = (),
        rolled: bool = True,
        took_ms: int = 800,
    ) -> tuple[e.Event, ...]:
        """Dice come to rest: values, or verdicts such as 'cocked'; the sides named in `still` did not move."""
        dice, sides, moved = [], [], []
        for side, faces in (("attack", attack), ("defence", defence)):
            for place, face in enumerate(faces):
                dice.append(a_die(face, place=place, side=side, rolled=rolled))
                sides.append(side)
                moved.append(side not in still)
        settled_ns = self.now_ns + took_ms * MS
        command = c.SeeDice(
            dice=tuple(dice),
            sides=tuple(sides),
            moved=tuple(moved),
            started_ns=self.now_ns,
            settled_ns=settled_ns,
            evidence="e" * 64,
        )
        return self.do(command, "rig", after_ms=took_ms + 200)

    def see_one_more(self, face: int | str, *, beside: Sequence[int | str]) -> tuple[e.Event, ...]:
        """One attack die comes to rest beside those that lie there."""
        faces = (*beside, face)
        command = c.SeeDice(
            dice=tuple(a_die(one, place=place) for place, one in enumerate(faces)),
            sides=("attack",) * len(faces),
            moved=(*[False] * len(beside), True),
            started_ns=self.now_ns,
            settled_ns=self.now_ns + 400 * MS,
            evidence=None,
        )
        return self.do(command, "rig", after_ms=500)

    def throw(self, attack: Sequence[int | str], defence: Sequence[int | str] = ()) -> tuple[e.Event, ...]:
        """A whole throw: called, read and lifted."""
        return (*self.press(self.seat()), *self.see(attack, defence), *self.lift())

    def seat(self) -> str:
        """The button of whose turn it is."""
        return self.state.player(self.state.turn_player or "").button or ""

    def notes(self, made: Sequence[e.Event]) -> list[str]:
        """Codes of the notes among events."""
        return [event.code for event in made if isinstance(event, e.ServiceNoted)]

    def lift(self, left: int = 0) -> tuple[e.Event, ...]:
        """Dice are taken out of the box."""
        return self.do(c.SeeLift(left=left, lifted_ns=self.now_ns + 100 * MS), "rig")

    def kinds(self, made: Sequence[e.Event]) -> list[str]:
        """Wire names of events."""
        return [event.wire for event in made]


def a_die(face: int | str, *, place: int = 0, side: str = "attack", rolled: bool = True) -> e.DieFact:
    """A die with a value, or one that lies as the verdict says."""
    is_value = isinstance(face, int)
    return e.DieFact(
        value=face if isinstance(face, int) else None,
        verdict="valid" if is_value else str(face),
        colour="red" if side == "attack" else "blue",
        lean_deg=0.5,
        height_mm=16.0,
        rolled=rolled,
        center_px=(100.0 * (place + 1), 300.0 if side == "attack" else 500.0),
        box_px=(100.0 * place, 280.0, 40.0, 40.0),
    )


def a_throw_of_anna() -> Game:
    """A lifted throw: 6 and 2 against 4."""
    game = Game().playing()
    game.throw((6, 2), (4,))
    return game


def problem_of(game: Game, command: c.Command, asker: Asker = "screen") -> str:
    """Why a command is refused."""
    with pytest.raises(Refused) as refusal:
        game.do(command, asker)
    return refusal.value.problem
