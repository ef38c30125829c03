"""Players made of code: they throw, press and record at a simulated table through the API alone.

What they do is what people do at a real table: one start die each, colours, buttons, throws that lie as thrown dice
lie, a board recorded when "tijd" has sounded. They look at the table's state as the screen does and believe nothing
else, so a table that reads a die wrongly, or loses a throw, makes them stop and say so.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from companion.commands.saying import Sayings
from companion.lan.client import TableClient
from companion.rules.board import load_board
from companion.ui.draft import Draft
from companion.ui.screens.throws import moment
from companion.words import Words

PIN = "1996"
NAMES = ("Anna", "Bert", "Cees")
COLOURS = ("red", "blue", "black")
WAIT_S = 30.0
DECK = {"infantry": 14, "artillery": 14, "cavalry": 14, "joker": 2}
PRESS_S = 0.3
LOOK_S = 1.5
"""How long people look at a screen before they touch it."""

UNTYPED = 5
"""Lands of which nobody has said yet whose they are, while people look at the board being recorded."""


class RobotLost(Exception):
    """The table did not come to what the players were waiting for."""

    code = "robot-lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Toss:
    """One throw of both sides as the players make it.

    Attributes:
        attack: Values of the attack dice.
        defence: Values of the defence dice; none thrown when empty.
        called: Whether the thrower presses first.
        faults: What becomes of some attack dice: fault to places.
    """

    attack: tuple[int, ...]
    defence: tuple[int, ...] = ()
    called: bool = True
    cocked: tuple[int, ...] = ()
    stacked: tuple[int, ...] = ()
    off_box: tuple[int, ...] = ()


TOSSES = (
    Toss(attack=(6, 4, 2), defence=(5, 3)),
    Toss(attack=(6, 5, 1), defence=(6, 2), cocked=(1,)),
    Toss(attack=(5, 3), defence=(4, 4)),
    Toss(attack=(6, 6, 3), defence=(2,), off_box=(0,)),
    Toss(attack=(4, 3, 1), defence=(6, 5), called=False),
    Toss(attack=(2, 2, 5), defence=(3, 1), stacked=(2,)),
    Toss(attack=(6, 1, 1), defence=(1, 1)),
)


class Robot:
    """Three players and a referee at one simulated table.

    Args:
        client: Of the table's Unix socket.
        lang: Language of what is told.
        tell: Called with each line to print.
        has_shown: Whether the table's screen has shown the screen whose name begins so; nobody goes on before.
        seed: Where the players' chance starts.
    """

    def __init__(
        self,
        client: TableClient,
        *,
        lang: str,
        tell: Callable[[str], None],
        has_shown: Callable[[str], bool],
        seed: int = 1,
    ) -> None:
        self._client = client
        self._words = Words(lang)
        self._say = Sayings("demo", lang)
        self._tell = tell
        self._has_shown = has_shown
        self._chance = random.Random(seed)  # noqa: S311  players' whims, no secret
        self._lying: list[int] = []

    async def play(self, *, tournament: str, length_ms: int, tosses: Sequence[Toss] = TOSSES) -> dict[str, Any]:
        """Play one table from set-up to its closing; the state at the end.

        Raises:
            RobotLost: The table did not do what it should.
        """
        await self._see("idle")
        await self.set_up(tournament=tournament, length_ms=length_ms)
        await self.take_seats()
        await self.ask("start_game")
        await self.until(lambda s: s["phase"] == "playing", "the game to start")
        for number, toss in enumerate(tosses):
            if (await self.state())["phase"] != "playing":
                break
            if number and number % 3 == 0:
                await self.next_turn()
            await self.throw(toss)
        await self.until(lambda s: s["phase"] == "frozen", "the clock to run out", wait_s=600)
        await self.tell_tijd()
        await self._look_at("tijd")
        await self.record_board()
        await self._look_at("scored")
        end = await self.sign_and_close()
        await self._look_at("closed")
        return end

    async def _look_at(self, screen: str) -> None:
        await self._see(screen)
        await asyncio.sleep(LOOK_S)

    async def _see(self, screen: str) -> None:
        await self.until(lambda _: self._has_shown(screen), f"the screen to show {screen}", wait_s=2 * WAIT_S)

    # ------------------------------------------------------------ before the clock

    async def set_up(self, *, tournament: str, length_ms: int) -> None:
        """Open a game of three under the Dutch rules, and choose a referee's PIN if none was."""
        if not (await self.state())["pin_set"]:
            await self._client.choose_pin(PIN)
        players = [{"id": f"p{i}", "name": name} for i, name in enumerate(NAMES, 1)]
        await self.ask(
            "set_up_table",
            system="nl1996",
            players=players,
            tournament=tournament,
            length_ms=length_ms,
        )

    async def take_seats(self) -> None:
        """Throw start dice until the order is clear, then choose colours and press the buttons."""
        await self._see("seating-throw")
        while (state := await self.state())["to_throw"]:
            value = self._chance.randint(1, 6)
            seen = state["seq"]
            await self._client.practice("throw", values=[value])
            await self._moved_on(seen, "a start die")
            await self.empty_box()
        state = await self.until(lambda s: all(p["order"] for p in s["players"]), "the seats")
        in_order = sorted(state["players"], key=lambda p: p["order"])
        self._tell(self._say("demo.order", players=", ".join(p["name"] for p in in_order)))
        await self._see("seating-colour")
        for player, colour in zip(in_order, COLOURS, strict=True):
            await self.ask("choose_colour", player=player["id"], colour=colour)
        await self._see("seating-button")
        for seat in range(1, len(in_order) + 1):
            await self._press(f"seat{seat}")
            await self._bound(seat)
        await self.until(lambda s: s["phase"] == "ready", "the table to be ready")
        await self._see("ready")

    async def _moved_on(self, seen: int, what: str) -> None:
        await self.until(lambda s: s["seq"] > seen, what)

    async def _bound(self, count: int) -> None:
        await self.until(lambda s: sum(p["bound"] for p in s["players"]) == count, "a button to be bound")

    # ------------------------------------------------------------ throws

    async def next_turn(self) -> None:
        """The next player presses: their turn begins."""
        state = await self.state()
        in_order = sorted((p for p in state["players"] if not p["out"]), key=lambda p: p["order"])
        at = next(i for i, p in enumerate(in_order) if p["id"] == state["turn"]["player"])
        following = in_order[(at + 1) % len(in_order)]
        await self._press(following["connected_button"])
        await self.until(lambda s: s["turn"]["player"] == following["id"] or s["phase"] != "playing", "the next turn")

    async def throw(self, toss: Toss) -> None:
        """Make one throw, put its faults right as the rules say, and lift the dice."""
        before = await self.state()
        if toss.called:
            await self._press_own(before)
        number = before["throw"]["id"] + 1 if before["throw"] else 1
        await self._toss(
            "attack", toss.attack, cocked=list(toss.cocked), stacked=list(toss.stacked), off_box=list(toss.off_box)
        )
        state = await self._until_accepted(number, "attack")
        if toss.defence and state["phase"] == "playing":
            await self._toss("defence", toss.defence)
            state = await self._until_accepted(number, "defence")
        if state["phase"] == "playing":
            await self.empty_box()
        self.tell_throw((await self.state())["throw"])

    async def _press(self, button: str) -> None:
        """Press, and take the finger away again: a button that is still down cannot be pressed."""
        await self._client.practice("press", button=button)
        await asyncio.sleep(PRESS_S)

    async def _press_own(self, state: dict[str, Any]) -> None:
        player = next(p for p in state["players"] if p["id"] == state["turn"]["player"])
        await self._press(player["connected_button"])
        await self.until(
            lambda s: s["phase"] != "playing" or bool(s["throw"] and s["throw"]["state"] == "called"), "the call"
        )

    async def _ruled(self, number: int, side: str) -> dict[str, Any]:
        return await self._seen(
            lambda s: bool(s["throw"] and s["throw"]["id"] == number and s["throw"]["sides"][side]),
            f"the {side} dice to be read",
        )

    async def _until_accepted(self, number: int, side: str) -> dict[str, Any]:
        """The state once the rules take this side as it lies, or once the game is over."""
        state = await self._ruled(number, side)
        while state["phase"] == "playing" and _side(state, side)["action"] != "accept":
            state = await self._put_right(number, side, state)
        return state

    async def _seen(self, is_so: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        """The state once a ruling is there and on the screen, or once the game is over."""
        state = await self.until(lambda s: s["phase"] != "playing" or is_so(s), what)
        shown = f"playing-{moment(state['throw']).rpartition('-')[0]}"
        return await self.until(
            lambda s: s["phase"] != "playing" or self._has_shown(shown), f"the screen to show {shown}"
        )

    async def _put_right(self, number: int, side: str, state: dict[str, Any]) -> dict[str, Any]:
        """Throw again what the rules say, or tell what nobody could read."""
        self.tell_throw(state["throw"])
        half = _side(state, side)
        settled = half["settled_ns"]
        await self.empty_box()
        if half["action"] == "referee":
            await self.ask("enter_dice", side=side, values=self._lying)
        else:
            some = half["action"] == "reroll_some"
            values = [self._chance.randint(1, 6) for _ in range(half["reroll"] if some else len(half["dice"]))]
            await self._toss(side, values, standing=half["standing"] if some else ())
        return await self._seen(
            lambda s: bool(s["throw"]["id"] == number and _side(s, side)["settled_ns"] != settled),
            "the reroll to be read",
        )

    async def _toss(self, side: str, values: Sequence[int], *, standing: Sequence[int] = (), **faults: Any) -> None:
        """Throw, and see with one's own eyes what lies there; what does not lie flat is thrown again unseen."""
        thrown = await self._client.practice("throw", values=list(values), side=side, **faults)
        seen = [die for die in thrown["dice"] if die["verdict"] != "off_box"]
        flat = [die["value"] if die["verdict"] == "valid" else self._chance.randint(1, 6) for die in seen]
        self._lying = [*standing, *flat]

    async def empty_box(self) -> None:
        """Lift all dice and wait until the hand has left."""
        await self._client.practice("lift")
        await asyncio.sleep(1.2)

    def tell_throw(self, throw: dict[str, Any]) -> None:
        """Say what was thrown and what the rules made of it."""
        for side in ("attack", "defence"):
            half = throw["sides"][side]
            if half is not None:
                faces = " ".join(self._face(die) for die in half["dice"])
                said = " ".join(half["said"])
                key = "demo.throw" if throw["called"] else "demo.throw_uncalled"
                self._tell(
                    self._say(key, number=throw["id"], side=self._words.shown("side", side), faces=faces, said=said)
                )

    def _face(self, die: dict[str, Any]) -> str:
        shown = str(die["value"]) if die["value"] is not None else "?"
        return shown if die["verdict"] == "valid" else f"{shown} ({self._words.shown('verdict', die['verdict'])})"

    # ------------------------------------------------------------ the end

    async def tell_tijd(self) -> None:
        """Say what the signal did."""
        tijd = (await self.state())["tijd"]
        self._tell(self._say("demo.tijd", said=" ".join(tijd["said"])))

    async def record_board(self) -> None:
        """Record a board: the lands dealt at random, as they may lie after a short game.

        Most of it is kept as a draft first, as from a screen at which people are still typing.
        """
        state = await self.state()
        players = [p["id"] for p in state["players"] if not p["out"]]
        lands = list(load_board("classic").territories)
        self._chance.shuffle(lands)
        cuts = sorted(self._chance.sample(range(9, len(lands) - 8), len(players) - 1))
        held = [lands[a:b] for a, b in zip([0, *cuts], [*cuts, len(lands)], strict=True)]
        deck = [card for card, many in DECK.items() for _ in range(many)]
        self._chance.shuffle(deck)
        hands = [[deck.pop() for _ in range(self._chance.randint(0, 4))] for _ in players]
        holdings = [
            {
                "id": player,
                "territories": sorted(own),
                "armies": len(own) + self._chance.randint(5, 30),
                "hand": {card: hand.count(card) for card in DECK},
            }
            for player, own, hand in zip(players, held, hands, strict=True)
        ]
        owners = {land: one["id"] for one in holdings for land in one["territories"] if land not in lands[-UNTYPED:]}
        draft = Draft(owners=owners, tijd_seen_ns=state["tijd"]["at_ns"])
        await self._client.put_draft(draft.to_json(str(state["game"])))
        await self._look_at("board")
        await self.ask("confirm_board", players=holdings, vacant=[])
        await self.until(lambda s: s["phase"] == "scored", "the score")

    async def sign_and_close(self) -> dict[str, Any]:
        """All players sign, the referee closes; the state at the end."""
        state = await self.state()
        for place in state["result"]["places"]:
            name = next(p["name"] for p in state["players"] if p["id"] == place["player"])
            self._tell(self._say("demo.place", player=name, result=place["result"], said=place["said"]))
        for player in state["players"]:
            await self.ask("sign_result", player=player["id"])
        await self.ask("close_table", pin=PIN)
        return await self.until(lambda s: s["phase"] == "closed", "the table to close")

    # ------------------------------------------------------------ asking and looking

    async def state(self) -> dict[str, Any]:
        """The table as its screen sees it."""
        return await self._client.state(self._words.lang)

    async def ask(self, command: str, *, pin: str | None = None, **args: Any) -> None:
        """Send a command as the screen does."""
        await self._client.command(uuid4().hex, command, args, pin=pin)

    async def until(
        self, is_so: Callable[[dict[str, Any]], bool], what: str, *, wait_s: float = WAIT_S
    ) -> dict[str, Any]:
        """Look until it is so.

        Raises:
            RobotLost: It did not become so in time.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + wait_s
        state = await self.state()
        while not is_so(state) and loop.time() < end:
            await asyncio.sleep(0.1)
            state = await self.state()
        if is_so(state):
            return state
        raise RobotLost(f"waited {wait_s:.0f} s for {what}; the table is {state['phase']}, throw {state['throw']}")


def _side(state: dict[str, Any], side: str) -> dict[str, Any]:
    half: dict[str, Any] = state["throw"]["sides"][side]
    return half
