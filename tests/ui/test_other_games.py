"""Games of the other systems by the screen alone, against the real table: whatever they add is pressed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from companion.rules.board import load_board
from companion.ui.blocks import Do, Text
from companion.ui.charts import atlas
from tests.ui.test_home_game import NAMES, Player, socket, take_seats, tile_text
from tests.ui.test_kiosk import kiosk_at

__all__ = ["socket"]


async def seat_three(player: Player, system: str, *presses: str) -> None:
    """Set up a game of that system for three, seat them, and start it."""
    await player.finds_the_table()
    await player.press("Set up a game")
    await player.press(system)
    for at, name in enumerate(NAMES):
        label = f"Player {at + 1}"
        if any(b.text == label for b in player.buttons()):
            await player.press(label)
        for letter in name:
            await player.press(letter if letter.isupper() else letter.lower())
    await player.press("Go on")
    for text in presses:
        await player.press(text)
    await take_seats(player)
    await player.press("START")
    await player.sees("playing")


async def throw(player: Player, attack: str, defence: str) -> None:
    """Dice of both sides by hand, and the losses taken."""
    for side, values in (("Attack", attack), ("Defence", defence)):
        await player.press("More")
        await player.press("Enter dice by hand")
        await player.press(side)
        for value in values:
            await player.press(value)
        await player.press("That lies there")
    await player.press("More")
    await player.press("Accept the throw")


async def paint_board(player: Player, owners: dict[str, str], board: str) -> None:
    """Owners by one tap each; the last player takes the rest."""
    names = load_board(board).territories
    for name in NAMES[:-1]:
        await player.press(name)
        for land in [land for land, owner in owners.items() if owner == name]:
            await player.press(tile_text(land, names[land].name["en"]))
    await player.press(NAMES[-1])
    await player.press(f"the rest: {NAMES[-1]}")


def thirds(board: str) -> dict[str, str]:
    """Each player a third of the board."""
    lands = [land for group in atlas(board).values() for land in group]
    return {land: NAMES[at * 3 // len(lands)] for at, land in enumerate(lands)}


@pytest.mark.slow
async def test_a_combat_of_risiko_is_finished_after_the_signal_and_the_score_signed(socket: Path) -> None:
    """A sealed length, the signal in the middle of a combat, and the board with armies, cards and objectives."""
    async with kiosk_at(socket) as kiosk:
        player = Player(kiosk)
        await seat_three(player, "RisiKo! tournament", "Semi-final")
        state: dict[str, Any] = dict(kiosk.follower.state)
        await throw(player, "654", "653")
        await player.press("More")
        await player.press("Referee")
        await player.press("Give the signal now")
        await player.press("Yes, do it")
        await player.type_pin()
        await player.sees("tijd")
        await player.press("Understood")
        finishing = await player.sees("finishing")
        await throw(player, "66", "1")
        await player.press("Land conquered")
        await player.sees("board-owners")
        await paint_board(player, thirds("risiko"), "risiko")
        await player.press("→ Armies")
        for digit in "313029":
            await player.press(digit)
            if len(kiosk.desk.digits) == 2 and "→" in [b.symbol for b in player.buttons() if b.mark]:
                await player.press(next(b.text for b in player.buttons() if b.symbol == "→" and b.mark))
        await player.press("Cards")
        for name in NAMES:
            await player.press(f"{name} holds no cards")
            await player.press(next(b.text for b in player.buttons() if b.symbol == "→"))
        for objective in ("Letto", "Befana", "Lupo"):
            await player.press(objective)
        await player.press("Check")
        await player.press("Confirm the board")
        await player.sees("scored")
        for name in NAMES:
            await player.press(name)
        await player.press("Close the table")
        await player.type_pin()
        await player.sees("closed")
        result = kiosk.follower.state["result"]

    assert (False, True) == (state["clock"]["public"], bool(state["sealed"][-1]["seal"]))
    assert finishing.alarm
    assert ["win", "5", "2"] == [row["result"] for row in result["places"]]
    assert all(row["score"] for row in result["places"])


@pytest.mark.slow
async def test_rebels_are_counted_and_a_slip_is_taken_back(socket: Path) -> None:
    """A prize said beforehand, a triple, an undo, a player out and back, and the most lands win."""
    async with kiosk_at(socket) as kiosk:
        player = Player(kiosk)
        await seat_three(player, "Rebel armies", "only the honour")
        await throw(player, "555", "63")
        await player.press("Three times 5: how many rebels come? Tap here.")
        await player.press("4")
        told = kiosk.follower.state["throw"]["rebels"]["rebels"]
        await player.press("More")
        await player.press("Undo")
        await player.press("Yes, do it")
        await player.press("Against armies")
        against = kiosk.follower.state["context"]["against"]
        undone = kiosk.follower.state["throw"]["rebels"]["rebels"]
        await player.press("Player out")
        await player.press("Chiara")
        await player.press("Bram")
        await player.press("Yes, do it")
        await player.press("More")
        await player.press("Referee")
        await player.press("Not out after all")
        await player.press("Chiara")
        await player.press("pressed by mistake")
        await player.type_pin()
        alive = [p["id"] for p in kiosk.follower.state["players"] if not p["out"]]
        await player.press("More")
        await player.press("Referee")
        await player.press("Give the signal now")
        await player.press("Yes, do it")
        await player.type_pin()

    assert ("rebels", 4, None) == (against, told, undone)
    assert ["p1", "p2", "p3"] == alive


@pytest.mark.slow
async def test_apoikia_agrees_on_a_die_appeals_a_ruling_and_has_its_result_ruled(socket: Path) -> None:
    """A die put right by two names, a penalty and its appeal, and a board on which nobody has won."""
    async with kiosk_at(socket) as kiosk:
        player = Player(kiosk)
        await seat_three(player, "Apoikia")
        await throw(player, "654", "65")
        await player.press("More")
        await player.press("Correct a die")
        kiosk.press(Do(verb="open", args=("correct", "attack", 0)))
        await player.press("5")
        await player.sees("agreement")
        await player.press("Anna")
        await player.press("Bram")
        await player.sees("playing")
        counted = kiosk.follower.state["throw"]["sides"]["attack"]["counted"]
        for text in ("More", "Referee", "Ruling or penalty", "penalty", "Bram", "2", "slow play"):
            await player.press(text)
        await player.type_pin()
        for text in ("More", "Appeal", "1. penalty", "Bram"):
            await player.press(text)
        for text in ("More", "Referee", "Decide the appeal", "1. penalty", "ruling stands", "the referee decides"):
            await player.press(text)
        await player.type_pin()
        rulings = kiosk.follower.state["rulings"]
        for text in ("More", "Referee", "Give the signal now", "Yes, do it"):
            await player.press(text)
        await player.type_pin()
        await player.press("Record the board")
        await paint_board(player, thirds("apoikia"), "apoikia")
        await player.press("→ Check")
        await player.press("Confirm the board")
        await player.sees("scored")
        for text in ("Referee rules", "win", "loss", "loss", "Go on", "the referee decides"):
            await player.press(text)
        await player.type_pin()
        ruled = [block.text for block in (await player.sees("scored")).main if isinstance(block, Text)]
        await player.press("Close the table")
        await player.type_pin()
        await player.sees("closed")

    assert [5, 5, 4] == sorted(counted, reverse=True)
    assert [("penalty", 2, "upheld")] == [(row["about"], row["armies"], row["appeal"]) for row in rulings]
    assert ["Anna:  win", "Bram:  loss", "Chiara:  loss"] == ruled[:3]
