"""A whole home game by the screen alone: the real table without camera and buttons, pressed as people press it.

What is pressed is found on the screen by its words, so a button that is not there, is greyed, or does something else
than it says fails here.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from companion.rules.board import load_board
from companion.table.pins import referee_pin
from companion.ui.blocks import Button, Buttons, Screen, Stepper, Text, TileMap
from companion.ui.charts import atlas
from companion.ui.kiosk import Kiosk
from companion.words import Words
from tests.ui.test_kiosk import kiosk_at, until

NAMES = ("Anna", "Bram", "Chiara")
PIN = "4711"


@pytest.fixture
def socket(tmp_path: Path) -> Iterator[Path]:
    """The socket of a real table service in its own process; its referee has chosen a PIN."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    referee_pin(state).choose(PIN)
    with served(tmp_path) as socket:
        yield socket


@contextmanager
def served(tmp_path: Path) -> Iterator[Path]:
    """A table's service in its own process, without camera and buttons."""
    socket = tmp_path / "t.sock"
    config = tmp_path / "table.toml"
    config.write_text(
        f'table = "7"\nlang = "en"\nstate_dir = "{tmp_path / "state"}"\n[network]\nsocket = "{socket}"\n'
        '[hw.camera]\ndriver = "none"\n[hw.panel]\ndriver = "screen"\n',
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "companion", "table", "--config", str(config)]
    with (tmp_path / "table.log").open("wb") as log:
        service = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | {"PYTHONUNBUFFERED": "1"})
        try:
            yield socket
        finally:
            service.terminate()
            service.wait(timeout=10)


class Player:
    """Somebody at the screen who reads what is there and presses it."""

    def __init__(self, kiosk: Kiosk) -> None:
        self.kiosk = kiosk

    def buttons(self) -> list[Button]:
        """Everything on the screen that could be pressed."""
        screen = self.kiosk.screen()
        blocks = (*screen.top, *screen.main, *screen.side, *screen.foot)
        found = [button for block in blocks if isinstance(block, Buttons) for button in block.buttons]
        for block in blocks:
            if isinstance(block, TileMap):
                found += [Button(text=tile.text, does=tile.does) for tile in block.tiles]
            if isinstance(block, Stepper):
                found += [Button(text=f"{block.label} {text}", does=does) for text, does in block.steps]
                found.append(Button(text=f"{block.label} =", does=block.does))
        return found

    async def press(self, text: str) -> None:
        """Press the button with that text, once it can be pressed, and wait until the table took it."""

        def there() -> bool:
            return any(b.text == text and b.does is not None for b in self.buttons())

        await until(there, f"{text!r} among {[b.text for b in self.buttons()]} on {self.kiosk.screen().name}")
        does = next(b.does for b in self.buttons() if b.text == text and b.does is not None)
        assert does is not None
        self.kiosk.press(does)
        await until(lambda: self.kiosk.desk.sending is None, f"an answer to {text!r}")
        assert self.kiosk.desk.notice is None, self.kiosk.desk.notice

    async def finds_the_table(self) -> None:
        """Wait until the service is up, which may take a while on a busy machine."""
        for _ in range(60):
            if self.kiosk.follower.state:
                return
            await asyncio.sleep(0.5)
        pytest.fail("the table's service did not come up")

    async def sees(self, name: str) -> Screen:
        """Wait for a screen."""
        await until(lambda: self.kiosk.screen().name == name, f"{name}, not {self.kiosk.screen().name}")
        return self.kiosk.screen()

    async def open_menu(self) -> None:
        """Open the menu by the button in the head."""
        menu = self.kiosk.screen().head.menu
        assert menu is not None
        self.kiosk.press(menu)
        await self.sees("menu")

    async def type_pin(self) -> None:
        """Type the PIN for what waits."""
        for digit in PIN:
            await self.press(digit)
        await self.press("OK")


async def seat_everybody(player: Player) -> None:
    """Names, start dice, colours and buttons, and START."""
    await name_everybody(player)
    await take_seats(player)
    await player.press("START")


async def name_everybody(player: Player) -> None:
    """A game of three with their names, before the table is opened."""
    await player.press("Set up a game")
    await player.press("Dutch tournament 1996")
    for at, name in enumerate(NAMES):
        label = f"Player {at + 1}"
        if any(b.text == label for b in player.buttons()):
            await player.press(label)
        for letter in name:
            await player.press(letter if letter.isupper() else letter.lower())
    await player.press("Go on")


async def take_seats(player: Player) -> None:
    """Open the table; start dice, colours and buttons."""
    await player.press("Open the table")
    await player.sees("seating")
    for value in ("6", "4", "2"):
        await player.press("Enter by hand")
        await player.press(value)
    for colour in ("red", "blue", "black"):
        await player.press(colour)
    for name in NAMES:
        if player.kiosk.screen().name == "seating":
            await player.press(f"{name}: I sit here")
    await player.sees("ready")


async def paint(player: Player, owners: dict[str, str], names: tuple[str, ...] = NAMES) -> None:
    """Give territories to players by name, one tap each; the last player takes the rest."""
    board = load_board("classic")
    await player.press("Record the board")
    for name in names[:-1]:
        await player.press(name)
        for territory in [t for t, owner in owners.items() if owner == name]:
            await player.press(tile_text(territory, board.territories[territory].name["en"]))
    await player.press(names[-1])
    await player.press(f"the rest: {names[-1]}")


def tile_text(territory: str, name: str) -> str:
    """What a tile calls a territory."""
    words = Words("en")
    short = f"territory-short.{territory}"
    return words.say(short) if words.knows(short) else name


async def record_owners(player: Player) -> None:
    """Anna holds three continents, Bram one and a land of Asia, Chiara the rest."""
    holds = {"europe": "Bram", "asia": "Chiara", "australia": "Chiara"}
    owners = {t: holds.get(continent, "Anna") for continent, lands in atlas().items() for t in lands}
    await paint(player, owners | {"siam": "Bram"})
    await player.press("→ Check")


async def record_equal_owners(player: Player) -> None:
    """Fourteen territories each and no whole continent."""
    await paint(player, {t: NAMES[at % 3] for at, t in enumerate(load_board("classic").territories)})


def tabs(player: Player) -> list[str]:
    """Tabs of the recorder."""
    row = player.kiosk.screen().top[0]
    assert isinstance(row, Buttons)
    return [button.text for button in row.buttons]


async def play_to_the_signal(player: Player) -> None:
    """Everything up to the frozen board."""
    await player.sees("idle")
    await seat_everybody(player)
    await player.sees("playing")
    await player.press("More")
    await player.press("Referee")
    await player.press("Give the signal now")
    await player.press("Yes, do it")
    await player.type_pin()
    await player.sees("tijd")


@pytest.mark.slow
async def test_a_home_game_is_played_with_nothing_but_the_screen(socket: Path) -> None:
    """From an idle table to a closed one, every step by a button that is on the screen."""
    async with kiosk_at(socket) as kiosk:
        player = Player(kiosk)
        await player.finds_the_table()
        await player.sees("idle")
        await seat_everybody(player)
        await player.sees("playing")
        await player.press("More")
        await player.press("Enter dice by hand")
        for value in ("6", "5", "5"):
            await player.press(value)
        await player.press("That lies there")
        await player.press("More")
        await player.press("Enter dice by hand")
        await player.press("Defence")
        for value in ("6", "2"):
            await player.press(value)
        await player.press("That lies there")
        await player.press("More")
        await player.press("Accept the throw")
        losses = kiosk.follower.state["throw"]["losses"]
        await player.press("Turn to Bram")
        await player.press("More")
        await player.press("Referee")
        await player.press("Give the signal now")
        await player.press("Yes, do it")
        await player.type_pin()
        await player.sees("tijd")
        await record_owners(player)
        told = tabs(player)
        await player.press("Confirm the board")
        screen = await player.sees("scored")
        for name in NAMES:
            await player.press(name)
        await player.press("Close the table")
        await player.type_pin()
        await player.sees("closed")
        places = {row["player"]: row["result"] for row in kiosk.follower.state["result"]["places"]}

    assert {"attacker": 1, "defender": 1} == losses
    assert ["Board", "Check"] == told, "no tie, so neither armies nor cards are asked for"
    assert {"p1": "1", "p2": "2", "p3": "3"} == places
    assert "scored" == screen.name


@pytest.mark.slow
async def test_the_first_start_asks_for_a_pin_and_then_starts(tmp_path: Path) -> None:
    """Without a referee's PIN there is no game: it is chosen, twice, and what was pressed is done."""
    with served(tmp_path) as socket:
        async with kiosk_at(socket) as kiosk:
            player = Player(kiosk)
            await player.finds_the_table()
            await name_everybody(player)
            await take_seats(player)
            kiosk.press(next(b.does for b in player.buttons() if b.text == "START" and b.does is not None))
            await player.sees("pin-first")
            for digit in PIN + PIN:
                kiosk.press(next(b.does for b in player.buttons() if b.text == digit and b.does is not None))
                if kiosk.desk.digits == PIN:
                    kiosk.press(next(b.does for b in player.buttons() if b.text == "OK" and b.does is not None))
            await until(lambda: kiosk.screen().name in ("pin", "playing"), "the PIN taken")
            if kiosk.screen().name == "pin":
                await player.press("OK")
            await player.sees("playing")


async def test_a_tie_is_asked_for_step_by_step(socket: Path) -> None:
    """Equal owners ask for armies, equal armies ask for cards, and only of those who are equal."""
    async with kiosk_at(socket) as kiosk:
        player = Player(kiosk)
        await player.finds_the_table()
        await play_to_the_signal(player)
        await record_equal_owners(player)
        await player.press("→ Armies")
        for name, typed in (("Bram", "31"), ("Chiara", "20"), ("", "20")):
            for digit in typed:
                await player.press(digit)
            if name:
                await player.press(name)
        await player.press("Cards")
        asked_of = [b.text for b in player.buttons() if b.mark is not None][:2]
        await player.press("Bram holds no cards")
        await player.press("Chiara")
        await player.press("joker +1")
        await player.press("Check")
        await player.press("Confirm the board")
        await player.sees("scored")
        places = [
            (row["player"], row["result"], row["reason"]["code"]) for row in kiosk.follower.state["result"]["places"]
        ]

    assert ["Bram", "Chiara"] == asked_of
    assert [("p1", "1", "ahead-armies"), ("p3", "2", "behind-armies"), ("p2", "3", "behind-cards")] == places


@pytest.mark.slow
async def test_what_goes_wrong_is_put_right_at_the_screen(socket: Path) -> None:
    """A claim refused, a board sent back, a result disputed and ruled: each by its buttons, with a reason."""
    async with kiosk_at(socket) as kiosk:
        player = Player(kiosk)
        await player.finds_the_table()
        await seat_everybody(player)
        await player.press("Mission done")
        await player.press("Anna")
        await player.press("Africa and Asia")
        await player.press("Yes, do it")
        claimed = kiosk.follower.state["frozen"]["claim"]["mission"]
        await player.open_menu()
        await player.press("Referee")
        await player.press("The mission is not done: play on")
        await player.press("the mission is not done")
        await player.type_pin()
        await player.sees("playing")
        await player.press("Player out")
        await player.press("Chiara")
        await player.press("Bram")
        await player.press("Yes, do it")
        await player.press("More")
        await player.press("Referee")
        await player.press("Stop the clock")
        await player.press("a break")
        await player.type_pin()
        stands = kiosk.screen()
        await player.press("Go on")
        await player.type_pin()
        await player.press("More")
        await player.press("Referee")
        await player.press("Give the signal now")
        await player.press("Yes, do it")
        await player.type_pin()
        owners = {t: "Anna" if c == "north_america" else "Bram" for c, lands in atlas().items() for t in lands}
        await paint(player, owners, names=("Anna", "Bram"))
        await player.press("→ Check")
        await player.press("Confirm the board")
        await player.press("Record again")
        await player.press("counted wrongly")
        await player.type_pin()
        kept = len(kiosk.desk.draft.owners)
        await player.press("→ Check")
        await player.press("Confirm the board")
        await player.press("I do not agree")
        await player.press("Anna")
        await player.press("counted wrongly")
        disputed = kiosk.follower.state["result"]["disputed"]
        await player.press("Referee rules")
        await player.press("1")
        await player.press("Go on")
        await player.press("the referee decides")
        await player.type_pin()
        await player.press("Close the table")
        await player.type_pin()
        await player.sees("closed")
        results = {row["player"]: row["result"] for row in kiosk.follower.state["result"]["places"]}

    assert ("africa_asia", 42, "p1") == (claimed, kept, disputed["player"])
    assert any(isinstance(block, Text) and block.text == "THE CLOCK STANDS STILL" for block in stands.side)
    assert "3" == results["p3"]
