"""The service around the decisions: signal, buttons, lamps, recovery."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from companion.hw.clock import NS_PER_MS, boot_ns
from companion.table.heart import Beat, Heart
from companion.table.signal import Alarm
from tests.table.rig import PIN, open_table


async def test_clock_sounds_tijd_and_freezes_the_board(tmp_path: Path) -> None:
    """When the time is over the buzzer goes, the lamps flash and the board is frozen, without anybody's touch."""
    async with open_table(tmp_path, scale=600.0) as table:
        await table.playing(length_ms=120_000)

        state = await table.until(lambda s: s["phase"] == "frozen")

        assert ("clock", "none", 120_000) == (
            state["tijd"]["source"],
            state["tijd"]["throw"],
            state["tijd"]["elapsed_ms"],
        )
        assert any(on for _at, on in table.sim.panel.sound.history)
        assert any(on for _at, on in table.sim.panel.lamps["beacon"].history)


async def test_signal_is_never_early(tmp_path: Path) -> None:
    """The buzzer's own edge against the moment at which the game's time is over; how late is the bench's business."""
    async with open_table(tmp_path, scale=600.0) as table:
        await table.playing(length_ms=120_000)
        clock = table.service.state.running_clock()
        due_ns = clock.due_ns(clock.length_ms)
        assert due_ns is not None
        await table.until(lambda s: s["phase"] == "frozen")

        first_ns = next(at for at, on in table.sim.panel.sound.history if on)

        assert first_ns >= due_ns


async def test_one_press_calls_the_throw_and_the_next_seat_takes_the_turn(tmp_path: Path) -> None:
    """Real bounces on the simulated panel: one press is one call."""
    async with open_table(tmp_path) as table:
        await table.playing()

        table.sim.button("seat1").press()
        called = await table.until(lambda s: s["throw"] is not None)
        table.sim.button("seat2").press()
        passed = await table.until(lambda s: s["turn"]["player"] == "bert")

        assert ("called", True, 1) == (called["throw"]["state"], called["throw"]["called"], called["throw"]["id"])
        assert 2 == passed["turn"]["number"]


async def test_long_press_lights_the_beacon(tmp_path: Path) -> None:
    """Referee, please: the beacon burns until the key answers."""
    async with open_table(tmp_path) as table:
        await table.playing()

        table.sim.button("seat3").press(ms=1200)
        state = await table.until(lambda s: s["referee_called"] is not None)
        await table.until(lambda _s: table.sim.panel.lamps["beacon"].is_on)
        table.sim.button("referee").press()
        await table.until(lambda s: s["referee_called"] is None)
        await table.until(lambda _s: not table.sim.panel.lamps["beacon"].is_on)

        assert "cees" == state["referee_called"]["by"]
        assert "anna" == (await table.state())["turn"]["player"]


async def test_a_torn_lamp_is_said_and_stops_nothing(tmp_path: Path) -> None:
    """The broken part is on the health page; presses and turns go on."""
    async with open_table(tmp_path) as table:
        table.sim.panel.lamps["seat1"].tear_off()
        await table.playing()

        state = await table.until(lambda s: any(h["part"] == "seat1" for h in s["health"]))
        table.sim.button("seat1").press()
        called = await table.until(lambda s: s["throw"] is not None)

        assert "fail" == next(h["state"] for h in state["health"] if h["part"] == "seat1")
        assert "called" == called["throw"]["state"]


async def test_restart_on_the_same_boot_goes_on_as_if_nothing_had_been(tmp_path: Path) -> None:
    """The service crashed: every fact is there, the clock has run on, and the screen hears what was recovered."""
    async with open_table(tmp_path) as table:
        await table.playing()
        await table.ask("enter_dice", side="attack", values=[6, 5])
        before = await table.state()

    async with open_table(tmp_path) as table:
        after = await table.state()

        assert before["throw"] == after["throw"]
        assert after["clock"]["running"]
        assert after["clock"]["elapsed_ms"] >= before["clock"]["elapsed_ms"]
        assert {"events": before["seq"], "same_boot": True} == {
            key: after["recovered"][key] for key in ("events", "same_boot")
        }


async def test_restart_of_a_closed_table_says_what_it_recovered_then(tmp_path: Path) -> None:
    """Not what the start before had found; for how long nobody needs to know."""
    async with open_table(tmp_path) as table:
        await table.playing()
    async with open_table(tmp_path) as table:
        for player in ("cees", "bert"):
            await table.ask("declare_out", player=player, by="anna")
        await table.ask("confirm_board", players=[])
        results = {"anna": "1", "bert": "2", "cees": "3"}
        await table.ask("rule_result", pin=PIN, results=results, reason="all fell")
        await table.ask("close_table", pin=PIN)
        seq = table.service.seq

    async with open_table(tmp_path) as table:
        state = await table.state()

        assert ("closed", {"events": seq, "away_ms": None, "same_boot": True}) == (state["phase"], state["recovered"])


async def test_undo_is_offered_after_a_restart(tmp_path: Path) -> None:
    """The wrong thumb, then the plug."""
    async with open_table(tmp_path) as table:
        await table.playing()
        before = (await table.state())["turn"]["player"]
        await table.ask("end_turn")

    async with open_table(tmp_path) as table:
        undo = (await table.state())["undo"]
        await table.ask("undo", what=undo["what"])

        assert before == (await table.state())["turn"]["player"]


async def test_restart_after_a_power_cut_pauses_the_clock_at_the_last_heartbeat(tmp_path: Path) -> None:
    """A new boot: the time away is told as well as it can be known, and does not count until people say so."""
    async with open_table(tmp_path, boot="boot-1") as table:
        await table.playing()
        seq = table.service.seq
    Heart(tmp_path / "heartbeat.json").beat(Beat(boot="boot-1", at_ns=5, wall_ms=1_000, elapsed_ms=1_234_000, seq=seq))

    async with open_table(tmp_path, boot="boot-2") as table:
        state = await table.state()

        assert ({"reason": "power"}, 1_234_000) == (state["clock"]["paused"], state["clock"]["elapsed_ms"])
        assert state["recovered"]["away_ms"] > 0
        assert not state["clock"]["running"]


async def test_restart_after_a_power_cut_without_a_heartbeat_says_that_it_does_not_know(tmp_path: Path) -> None:
    """A torn heartbeat is worth nothing, and nothing is made up in its place."""
    async with open_table(tmp_path, boot="boot-1") as table:
        await table.playing()
    (tmp_path / "heartbeat.json").write_bytes(b'{"boot": "boo')

    async with open_table(tmp_path, boot="boot-2") as table:
        state = await table.state()

        assert (None, {"reason": "power"}) == (state["recovered"]["away_ms"], state["clock"]["paused"])


async def test_time_that_ran_out_while_the_service_was_away_sounds_at_once(tmp_path: Path) -> None:
    """On the same boot the end is where it was; coming back after it means that it is now."""
    async with open_table(tmp_path, scale=600.0) as table:
        await table.playing(length_ms=60_000)

    await asyncio.sleep(0.15)
    async with open_table(tmp_path, scale=600.0) as table:
        state = await table.until(lambda s: s["phase"] == "frozen")

        assert "clock" == state["tijd"]["source"]


async def test_only_the_first_signal_counts(tmp_path: Path) -> None:
    """Clock, key and hub may meet; the game ends once."""
    async with open_table(tmp_path) as table:
        await table.playing()

        made = await asyncio.gather(
            table.service.tijd.signal("referee", boot_ns(), by="referee"),
            table.service.tijd.signal("clock", boot_ns(), by="clock"),
        )

        assert [True, False] == [bool(seqs) for seqs in made]
        types = [record.type for record in table.service.journal.all()]
        assert 1 == types.count("tijd.sounded") == types.count("board.frozen")


async def test_attack_time_of_the_last_phase_ends_without_a_sound(tmp_path: Path) -> None:
    """Clause 2.2 on lamp and screen: the hall hears nothing."""
    async with open_table(tmp_path, scale=1000.0) as table:
        await table.playing(length_ms=1_200_000)
        await table.ask("enter_dice", side="attack", values=[6])

        state = await table.until(lambda s: s["clock"]["attack_time_over"] or s["phase"] != "playing")

        assert "playing" == state["phase"]
        assert [] == list(table.sim.panel.sound.history)


def test_heartbeat_in_the_journal_s_folder_is_small_and_readable(tmp_path: Path) -> None:
    """One line of JSON, replaced as a whole."""
    heart = Heart(tmp_path / "heartbeat.json")

    heart.beat(Beat(boot="b", at_ns=1, wall_ms=2, elapsed_ms=3, seq=4))

    assert {"boot": "b", "at_ns": 1, "wall_ms": 2, "elapsed_ms": 3, "seq": 4, "hub_ms": None} == json.loads(
        (tmp_path / "heartbeat.json").read_bytes()
    )


@pytest.mark.parametrize("ahead_ms", [0, 1, 30])
async def test_alarm_rings_when_its_time_has_come_and_never_before(ahead_ms: int) -> None:
    """Armed in advance, it rings at its stamp or just after."""
    rang: list[int] = []
    alarm = Alarm(rang.append, name="test")
    due_ns = boot_ns() + ahead_ms * NS_PER_MS

    alarm.arm(due_ns)
    async with asyncio.timeout(5):
        while not rang:
            await asyncio.sleep(0.002)
    alarm.close()

    assert rang[0] >= due_ns
    assert 1 == len(rang)


async def test_alarm_armed_anew_forgets_the_moment_before() -> None:
    """Extra time moves the signal; a disarmed one stays silent."""
    rang: list[int] = []
    alarm = Alarm(rang.append, name="test")

    alarm.arm(boot_ns() + 30 * NS_PER_MS)
    alarm.arm(None)
    await asyncio.sleep(0.08)
    alarm.close()
    alarm.close()

    assert [] == rang
