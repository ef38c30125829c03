"""The screen and a table, over a real socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from companion.lan.problems import Problem
from companion.ui.blocks import Do, Send
from companion.ui.desk import CHECK
from companion.ui.draft import Draft
from companion.ui.follow import ScreenClient
from companion.ui.kiosk import Kiosk
from tests.ui import states, systems
from tests.ui.fake_table import FakeTable

END = Send(command="end_turn")


async def until(true: Callable[[], bool], what: str) -> None:
    """Wait for something to come true, a few seconds at most."""
    for _ in range(500):
        if true():
            return
        await asyncio.sleep(0.01)
    pytest.fail(f"never came: {what}")


@asynccontextmanager
async def kiosk_at(socket: Path) -> AsyncIterator[Kiosk]:
    """A screen that follows whatever serves the socket."""
    async with ScreenClient(socket=socket) as client:
        kiosk = Kiosk(client, lang="en")
        following = asyncio.create_task(kiosk.run())
        try:
            yield kiosk
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)


@asynccontextmanager
async def playing(tmp_path: Path, state: dict[str, Any]) -> AsyncIterator[tuple[FakeTable, Kiosk]]:
    """A table in a state, and a screen that has heard it."""
    table = FakeTable(state)
    async with table.served(tmp_path / "t.sock"), kiosk_at(tmp_path / "t.sock") as kiosk:
        await until(lambda: bool(kiosk.follower.state), "the first state")
        yield table, kiosk


async def test_the_screen_follows_the_table(tmp_path: Path) -> None:
    """A new fact is on the screen within a moment."""
    async with playing(tmp_path, states.idle()) as (table, kiosk):
        table.become(states.cocked())
        await until(lambda: kiosk.screen().name == "playing", "the game")

        assert "good" == kiosk.screen().head.link_tone


async def test_a_table_that_comes_later_is_found(tmp_path: Path) -> None:
    """The screen may be there first."""
    async with kiosk_at(tmp_path / "t.sock") as kiosk:
        await asyncio.sleep(0.1)
        before = kiosk.screen().name
        async with FakeTable(states.idle()).served(tmp_path / "t.sock"):
            await until(lambda: kiosk.screen().name == "idle", "the table")

    assert "unheard" == before


async def test_a_table_that_hangs_is_seen_within_two_seconds(tmp_path: Path) -> None:
    """The socket stays open and nothing comes: the screen says so, and recovers by itself."""
    async with playing(tmp_path, states.cocked()) as (table, kiosk):
        table.is_mute = True
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        await until(lambda: kiosk.screen().head.link_tone == "bad", "the warning")
        took_s = loop.time() - began_s
        table.is_mute = False
        await until(lambda: kiosk.screen().head.link_tone == "good", "the recovery")

    assert took_s < 2.0


async def test_a_press_asks_the_table_once_with_what_was_seen(tmp_path: Path) -> None:
    """The command carries the record that the screen had seen."""
    async with playing(tmp_path, states.cocked()) as (table, kiosk):
        kiosk.press(END)
        kiosk.press(END)
        await until(lambda: kiosk.desk.sending is None, "the answer")

        assert [("end_turn", 12)] == [(body["command"], body["expected_seq"]) for body in table.asked]


async def test_a_lost_answer_is_asked_again_under_the_same_id(tmp_path: Path) -> None:
    """A turn is ended once, even if the answer got lost on the way."""
    async with playing(tmp_path, states.cocked()) as (table, kiosk):
        table.lost = 1
        kiosk.press(END)
        await until(lambda: kiosk.desk.sending is None, "the answer")

        assert (1, None) == (len(table.asked), kiosk.desk.notice)


async def test_a_refusal_is_told_in_words(tmp_path: Path) -> None:
    """What the table refuses stands on the screen."""

    def refuse(_table: FakeTable, _body: dict[str, Any]) -> None:
        raise Problem("turn-runs", "it runs", {"player": "p1"}, status=422)

    async with playing(tmp_path, states.cocked()) as (table, kiosk):
        table.on_command = refuse
        kiosk.press(END)
        await until(lambda: bool(kiosk.screen().bars), "the refusal")

        assert "It is the turn of Anna already." == kiosk.screen().bars[0].text


async def test_dice_that_roll_are_seen_but_not_what_was_said_of_the_throw_before(tmp_path: Path) -> None:
    """On a busy machine a word about the last throw can come when the next one is on the screen already."""
    async with playing(tmp_path, states.cocked()) as (table, kiosk):
        table.live = {"seq": table.state["seq"] - 1, "throw_state": "accepted"}
        heard = kiosk.follower.link.heard_s
        await until(lambda: kiosk.follower.link.heard_s > heard + 0.3, "some words")
        before = kiosk.follower.state["throw"]["state"]
        table.live = {"seq": table.state["seq"], "throw_state": "rolling"}
        await until(lambda: kiosk.follower.state["throw"]["state"] == "rolling", "dice that roll")

        assert "ruled" == before


async def test_a_draft_is_on_the_tables_disk_at_once(tmp_path: Path) -> None:
    """Each tap is kept, and the screen says when it is."""
    async with playing(tmp_path, states.frozen()) as (table, kiosk):
        await until(lambda: kiosk.desk.phase == "frozen", "the freeze")
        kiosk.press(Do(verb="brush", args=("p2",)))
        kiosk.press(Do(verb="paint", args=("siam", "p2")))
        unsaved = kiosk.desk.saved
        await until(lambda: kiosk.desk.saved, "the draft kept")

        assert (False, {"siam": "p2"}, "r2-t7") == (unsaved, table.draft["owners"], table.draft["game"])


async def test_a_screen_that_restarts_takes_its_draft_back(tmp_path: Path) -> None:
    """Power gone in mid-count: nothing that was tapped is tapped again."""
    table = FakeTable(states.frozen())
    table.draft = states.draft()
    async with table.served(tmp_path / "t.sock"), kiosk_at(tmp_path / "t.sock") as kiosk:
        await until(lambda: kiosk.desk.draft != Draft(), "the draft")

        assert (42, 31, False) == (
            len(kiosk.desk.draft.owners),
            kiosk.desk.draft.armies["p1"],
            kiosk.screen().name == "tijd",
        )


async def test_a_screen_that_nobody_has_touched_shows_what_another_one_keeps(tmp_path: Path) -> None:
    """The board is typed elsewhere: the signal's notice was read there, and what was said so far is seen here."""
    async with playing(tmp_path, states.frozen()) as (table, kiosk):
        await until(lambda: kiosk.screen().name == "tijd", "the signal")
        table.draft = states.draft()
        table.become(table.state)
        await until(lambda: kiosk.desk.draft != Draft(), "the draft")

        assert (42, "board-owners") == (len(kiosk.desk.draft.owners), kiosk.screen().name)


async def test_a_board_that_was_emptied_again_stays_empty(tmp_path: Path) -> None:
    """A first tap that is taken back before it is kept does not come back from the table's disk."""
    async with playing(tmp_path, {**states.frozen(), "tijd": None}) as (table, kiosk):
        await until(lambda: kiosk.desk.phase == "frozen", "the freeze")
        kept_draft = kiosk.follower.kept_draft
        answer, asked = asyncio.Event(), asyncio.Event()

        async def slowly() -> Any:
            kept = await kept_draft()
            asked.set()
            await answer.wait()
            return kept

        kiosk.follower.kept_draft = slowly  # type: ignore[method-assign]
        table.draft = states.draft()
        table.become(table.state)
        await asked.wait()
        kiosk.press(Do(verb="paint", args=("siam", "p2")))
        kiosk.press(Do(verb="paint", args=("siam", "p2")))
        answer.set()
        await until(lambda: kiosk.desk.saved and not table.draft["owners"], "the empty board kept")

        assert Draft() == kiosk.desk.draft


async def test_a_tap_before_the_draft_is_even_asked_for_is_not_lost(tmp_path: Path) -> None:
    """The notice of the signal is read in the same moment in which a new state has the table's draft fetched."""
    async with playing(tmp_path, states.frozen()) as (_table, kiosk):
        await until(lambda: kiosk.screen().name == "tijd", "the signal")
        await until(lambda: not kiosk._is_restoring, "the first draft")

        kiosk.on_state(kiosk.follower.state)
        kiosk.press(Do(verb="seen-tijd", args=(kiosk.follower.state["tijd"]["at_ns"],)))
        await until(lambda: not kiosk._is_restoring and kiosk.desk.saved, "the draft, and the tap kept")

        assert kiosk.follower.state["tijd"]["at_ns"] == kiosk.desk.draft.tijd_seen_ns


async def test_a_first_pin_is_chosen_at_the_screen(tmp_path: Path) -> None:
    """The PIN is chosen, and the act that wanted it follows with the same PIN."""
    async with playing(tmp_path, states.cocked() | {"pin_set": False}) as (table, kiosk):
        kiosk.press(Send(command="pause_clock", args={"reason": "break"}))
        for _ in range(2):
            for digit in "4711":
                kiosk.press(Do(verb="digit", args=(digit,)))
            kiosk.press(Do(verb="choose-pin"))
        await until(lambda: kiosk.desk.sending is None, "the PIN")
        kiosk.press(Do(verb="pin"))
        await until(lambda: kiosk.desk.sending is None, "the pause")

        assert (["4711"], ["4711"]) == (table.pins, [body["pin"] for body in table.asked])


async def test_a_fault_of_the_screen_ends_it(tmp_path: Path) -> None:
    """A screen whose own work fails does not stay up with dead buttons."""
    async with (
        FakeTable(states.cocked()).served(tmp_path / "t.sock"),
        ScreenClient(socket=tmp_path / "t.sock") as client,
    ):
        kiosk = Kiosk(client, lang="en")
        following = asyncio.create_task(kiosk.run())
        await until(lambda: bool(kiosk.follower.state), "the first state")
        kiosk.press(Send(command="end_turn", args={"player": object()}))
        await until(following.done, "the end")

    assert isinstance(following.exception(), ExceptionGroup)


async def test_a_screen_that_does_not_run_yet_takes_no_press(tmp_path: Path) -> None:
    """Nothing is half done before there is somebody to ask."""
    async with ScreenClient(socket=tmp_path / "t.sock") as client:
        kiosk = Kiosk(client, lang="en")
        kiosk.press(END)

    assert None is kiosk.desk.sending


async def test_a_picture_that_is_gone_is_none(tmp_path: Path) -> None:
    """Pictures are given up before facts: the screen lives without one."""
    async with playing(tmp_path, states.cocked()) as (table, kiosk):
        table.pictures["aa"] = b"jpeg"

        assert (b"jpeg", None) == (await kiosk.follower.picture("aa"), await kiosk.follower.picture("bb"))


async def test_a_part_of_the_panel_is_tried_out(tmp_path: Path) -> None:
    """What is tried goes to the table as such, with a PIN where the table wanted one, and the page stays."""
    async with playing(tmp_path, systems.tried()) as (table, kiosk):
        kiosk.press(Do(verb="open", args=("panel",)))
        kiosk.press(Send(command=CHECK, args={"check": "lamps"}))
        await until(lambda: kiosk.desk.sending is None, "the answer")
        kiosk.press(Send(command=CHECK, args={"check": "silent", "on": True}, pin="4711"))
        await until(lambda: kiosk.desk.sending is None, "the second answer")

        assert [{"check": "lamps"}, {"check": "silent", "on": True, "pin": "4711"}] == table.checks
        assert "panel" == kiosk.screen().name


async def test_a_read_notice_of_the_signal_stays_read(tmp_path: Path) -> None:
    """While a combat is being finished what was read lies at the table: a new screen does not cover the game."""
    async with playing(tmp_path, systems.finishing()) as (table, kiosk):
        await until(lambda: kiosk.screen().name == "tijd", "the notice")
        kiosk.press(Do(verb="seen-tijd", args=(99,)))
        await until(lambda: kiosk.desk.saved, "the notice kept")

        assert (99, "finishing") == (table.draft["tijd_seen_ns"], kiosk.screen().name)
