"""What the hub sends to a table: a hall's length in a letter, its proof, its reveal; opened once, by one, in time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from companion.hw.clock import boot_ns
from companion.lan.boxes import Question
from companion.lan.lengths import TURN_NS, letter
from companion.lan.messages import Proof
from companion.session import commands as c
from companion.session.seal import Secret
from tests.table.rig import PIN, PLAYERS, TestTable, open_table

from .test_secret import CHANCE, DRAWN, SALT

HALL = Secret(113, "fedcba9876543210" * 2)


async def from_hub(table: TestTable, command: str, **args: Any) -> tuple[int, dict[str, Any]]:
    """Send a command as the hub; status and body."""
    body = {"id": table.ids(), "command": command, "args": args}
    async with table.hub.post("/v1/commands", json=body) as answer:
        return answer.status, await answer.json()


async def sent(
    table: TestTable, secret: Secret = HALL, *, to: str = "7", phase: str = "first_phase", **other: Any
) -> tuple[int, dict[str, Any]]:
    """The hub's start with a letter to table `to`."""
    async with table.hub.get("/v1/key") as answer:
        told = await answer.json()
    public = bytes.fromhex(told["key"])
    box = letter(secret, table=to, game="r1-t7", phase=phase, public=public, turn=told["turn"])
    return await from_hub(table, "start_game", **{"seal": secret.seal, "hall": "hall1", "box": box, **other})


async def test_hall_s_length_arrives_in_a_letter(tmp_path: Path) -> None:
    """The table rings by it, and reveals it only when the hub says so."""
    async with open_table(tmp_path) as table:
        await table.ready()
        status, _ = await sent(table)
        clock, due_ns = table.service.state.running_clock(), table.service.tijd.due_ns()
        await table.ask("sound_tijd", pin=PIN)
        waiting = (await table.state())["sealed"][0]["minutes"]
        wrong, _ = await from_hub(table, "reveal_tijd", seal=HALL.seal, minutes=112, salt=HALL.salt)
        blind, _ = await from_hub(table, "reveal_tijd", seal=HALL.seal)
        await from_hub(table, "reveal_tijd", seal=HALL.seal, minutes=113, salt=HALL.salt)

        assert (200, clock.due_ns(113 * 60_000), None) == (status, due_ns, waiting)
        assert (422, 422, 113) == (wrong, blind, (await table.state())["sealed"][0]["minutes"])


async def test_table_proves_with_its_key_how_far_it_is(tmp_path: Path) -> None:
    """Its newest record, in answer to one question; what is no question is refused."""
    async with open_table(tmp_path) as table:
        question, head = Question(), table.service.journal.head()
        async with table.hub.get("/v1/proof", params={"asked": question.asked}) as answer:
            said = Proof(**await answer.json())
        async with table.hub.get("/v1/proof", params={"asked": "00" * 32}) as answer:
            refused = answer.status, (await answer.json())["problem"]

        assert ("7", head.seq, head.hash) == (said.table, said.seq, said.hash)
        assert question.is_answered(said.proof, said.said(), public=table.service.secrets.key.public)
        assert (400, "bad-question") == refused


async def test_letter_outlives_a_power_cut(tmp_path: Path) -> None:
    """What the hub sent is kept like what the table drew; the clock that stood gives way to the hall's signal."""
    async with open_table(tmp_path) as table:
        await table.ready()
        await sent(table)
    async with open_table(tmp_path) as table:
        assert table.service.tijd.due_ns() is not None
    async with open_table(tmp_path, boot="boot-2") as table:
        await table.ask("resume_clock", pin=PIN)

        assert (None, "organiser") == (table.service.tijd.due_ns(), (await table.state())["sealed"][0]["armed_by"])


@pytest.mark.parametrize(
    ("other", "problem"),
    [
        ({"to": "8"}, "box-unreadable"),
        ({"box": "00" * 85}, "letter-late"),
        ({"box": "no letter"}, "letter-late"),
        ({"seal": DRAWN.seal}, "box-unreadable"),
        ({"seal": None}, "bad-seal"),
        ({"secret": Secret(121, SALT)}, "length-not-allowed"),
        ({"phase": "final"}, "box-unreadable"),
        ({"phase": "final", "secret": Secret(121, SALT)}, "box-unreadable"),
    ],
)
async def test_letter_that_does_not_fit_starts_nothing(tmp_path: Path, other: dict[str, Any], problem: str) -> None:
    """For another table, changed, about another seal, with a length that the phase does not allow, or set up anew.

    Set up in another phase after the hub had looked, every length is refused alike: which is allowed tells nothing.
    """
    async with open_table(tmp_path) as table:
        await table.ready()
        status, body = await sent(table, **other)

        assert (422, problem, "ready") == (status, body["problem"], (await table.state())["phase"])


async def test_letter_opens_once_and_for_a_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Held up on its way it starts nothing; nor is a length that was played by taken again."""
    async with open_table(tmp_path) as table:
        await table.ready()
        monkeypatch.setattr("companion.table.secret.boot_ns", lambda: 10**18)
        turn = table.service.secrets.key.turn()
        public = table.service.secrets.key.public
        box = letter(HALL, table="7", game="r1-t7", phase="first_phase", public=public, turn=turn)
        monkeypatch.setattr("companion.table.secret.boot_ns", lambda: 10**18 + TURN_NS + 1)
        late = await from_hub(table, "start_game", seal=HALL.seal, hall="hall1", box=box)
        monkeypatch.undo()
        first, _ = await sent(table)
        again = await from_hub(table, "start_game", seal=HALL.seal, hall="hall1")

        assert ((422, "letter-late"), 200) == ((late[0], late[1]["problem"]), first)
        assert "seal-used" == again[1]["problem"]


async def test_letter_to_a_game_without_a_secret_is_refused(tmp_path: Path) -> None:
    """The Dutch tournament's length is known."""
    async with open_table(tmp_path) as table:
        await table.playing()
        await table.ask("declare_out", player="cees", by="anna")
        assert (409, "not-now") == ((answer := await sent(table))[0], answer[1]["problem"])
    async with open_table(tmp_path / "ready") as table:
        await table.ready()
        await table.ask("set_up_table", system="nl1996", players=PLAYERS)
        for player, value in (("anna", 6), ("bert", 5), ("cees", 4)):
            await table.ask("enter_start_die", player=player, value=value)
        for player, colour in (("anna", "red"), ("bert", "blue"), ("cees", "black")):
            await table.ask("choose_colour", player=player, colour=colour)
        for number, player in enumerate(("anna", "bert", "cees"), 1):
            await table.ask("bind_button", player=player, button=f"seat{number}")

        assert "no-secret-here" == (await sent(table))[1]["problem"]


async def test_table_that_falls_out_of_step_draws_and_keeps_a_length_of_its_own(tmp_path: Path) -> None:
    """Longer than what was played; the hall's is kept until the hub reveals it."""
    async with open_table(tmp_path, **CHANCE) as table:
        await table.ready(late_table="own")
        await sent(table)
        table.service.carry_out(c.Recover(events=9, same_boot=False, away_ms=None, elapsed_ms=100 * 60_000), "rig")
    async with open_table(tmp_path, **CHANCE) as table:
        await table.ask("resume_clock", pin=PIN)
        clock, due_ns = table.service.state.running_clock(), table.service.tijd.due_ns()
        await table.ask("sound_tijd", pin=PIN)
        sealed = (await table.state())["sealed"]

        assert (clock.due_ns(108 * 60_000), [None, 108]) == (due_ns, [one["minutes"] for one in sealed])
        assert ["hub", "table"] == [one["source"] for one in sealed]


async def test_referee_reveals_where_the_hub_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the PIN, after the longest game that any table could play, from what the table keeps; a player can't.

    Nor anybody within ten minutes of the hub's last visit: it alone knows whether its hall stood later.
    """
    async with open_table(tmp_path) as table:
        await table.ready()
        await sent(table)
        playing, _ = await table.send("reveal_tijd", pin=PIN)
        await table.ask("sound_tijd", pin=PIN)
        early, body = await table.send("reveal_tijd", pin=PIN)

        assert (422, 422, "hall-may-run", 120) == (playing, early, body["problem"], body["values"]["wait_min"])
        player, _ = await table.send("reveal_tijd")
        for clock in ("service", "lengths"):
            monkeypatch.setattr(f"companion.table.{clock}.boot_ns", lambda: boot_ns() + 121 * 60 * 10**9)
        hub_is_there, told = await table.send("reveal_tijd", pin=PIN)
        monkeypatch.setattr("companion.table.visits.boot_ns", lambda: boot_ns() + 10 * 60 * 10**9)
        await table.ask("reveal_tijd", pin=PIN)

        assert (422, "hall-may-run", 10) == (hub_is_there, told["problem"], told["values"]["wait_min"])
        assert (403, 113) == (player, (await table.state())["sealed"][0]["minutes"])


async def test_hub_that_gives_the_signal_sends_no_letter(tmp_path: Path) -> None:
    """Then the table holds nothing that could be found, and nothing is missed after a restart."""
    async with open_table(tmp_path) as table:
        await table.ready(signal_source="organiser")
        await from_hub(table, "start_game", seal=HALL.seal, hall="hall1")
    async with open_table(tmp_path) as table:
        state = await table.state()
        blind, _ = await table.send("reveal_tijd", pin=PIN)

        assert ("organiser", None, 422) == (state["sealed"][0]["armed_by"], state["sealed"][0]["lost"], blind)
        assert not (tmp_path / "tijd.secret").exists()
