"""Panel, rules and start: parts that fail, rules that changed, presses at the signal."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from companion.hw.clock import NS_PER_MS, boot_ns
from companion.hw.edges import Healed, Noisy, Stuck
from companion.journal import Journal
from companion.rules.errors import RulesetError
from companion.session import commands as c
from companion.table import health, service, taking_up
from companion.table.pins import PinUnfit, RefereePin
from companion.table.taking_up import UnreadableGame, taken_up
from tests.table.rig import FAST, open_table


async def test_what_is_told_is_written_already(tmp_path: Path) -> None:
    """Fact, then telling: at the moment a listener wakes, the record is in the journal and in the state."""
    async with open_table(tmp_path) as table:
        await table.playing()
        told = table.service.listen()
        before = table.service.seq
        waiting = asyncio.create_task(told.wait())
        await asyncio.sleep(0)

        made = table.service.carry_out(c.CallThrow(), "screen")

        assert told.is_set()
        await waiting
        assert [before + 1] == list(made)
        assert ["throw.called"] == [record.type for record in table.service.journal.after(before)]
        table.service.unlisten(told)
        table.service.unlisten(told)


async def test_stuck_button_is_said_as_such_and_its_lamp_burns_on(tmp_path: Path) -> None:
    """Lamp and button of a seat bear one name; only the button is ill."""
    async with open_table(tmp_path) as table:
        await table.playing()
        table.panel._mean((Stuck(button="seat1", at_ns=1),))

        state = await table.state()
        table.service.carry_out(c.EndTurn(player="bert"), "screen")
        await table.until(lambda _s: not table.sim.panel.lamps["seat1"].is_on)
        table.service.carry_out(c.EndTurn(player="anna"), "screen")
        await table.until(lambda _s: table.sim.panel.lamps["seat1"].is_on)

        item = next(h for h in state["health"] if h["part"] == "seat1")
        assert ("fail", "button-stuck") == (item["state"], item["code"])
        table.panel._mean((Healed(button="seat1", at_ns=2), Noisy(button="seat2", at_ns=3)))
        assert (("seat2", "button-noisy"),) == table.panel.faults
        assert ["button-stuck", "button-healed", "button-noisy"] == [code for _part, code in table.faults]


def test_panel_of_the_screen_is_no_fault() -> None:
    """A rig without buttons is a legal rig."""
    assert ("panel-on-screen",) == tuple(item["code"] for item in health.panel("screen", ()))
    assert ("running",) == tuple(item["code"] for item in health.panel("gpio", ()))


def test_clock_at_its_own_pace_is_not_worth_a_line() -> None:
    """Only a scaled one is said."""
    assert ((), "clock-scaled") == (health.clock(1.0), health.clock(60.0)[0]["code"])


async def test_press_between_signal_and_ruling_calls_no_throw(tmp_path: Path) -> None:
    """The finger was later than the buzzer: the throw that lay there is the one that the signal meets."""
    async with open_table(tmp_path, scale=600.0) as table:
        await table.playing(length_ms=120_000)
        table.service.carry_out(c.EnterDice(side="attack", values=(6,)), "screen")
        clock = table.service.state.running_clock()
        due_ns = clock.due_ns(clock.length_ms)
        assert due_ns is not None
        while boot_ns() < due_ns - 2 * NS_PER_MS:
            await asyncio.sleep(0.001)
        while boot_ns() < due_ns:
            continue
        table.service.post(c.PressButton(button="seat1", kind="down", pressed_ns=boot_ns()), by="seat1")

        state = await table.until(lambda s: s["phase"] == "frozen")

        assert (1, "annulled") == (state["throw"]["id"], state["throw"]["state"])
        await table.until(lambda _s: table.service.journal.all and _last_note(table.service) == "press-too-late")


def _last_note(running: service.TableService) -> str | None:
    codes = [record.data.get("code") for record in running.journal.all() if record.type == "service.noted"]
    return codes[-1] if codes else None


async def test_presses_pass_the_turn_on_after_a_power_cut(tmp_path: Path) -> None:
    """The new boot's clock is younger than the turn; the buttons work all the same."""
    async with open_table(tmp_path, boot="one") as table:
        await table.playing()

    async with open_table(tmp_path, boot="two") as table:
        await table.ask("resume_clock", pin="4711")
        table.sim.button("seat2").press()

        state = await table.until(lambda s: s["turn"]["player"] == "bert")

        assert 2 == state["turn"]["number"]


async def test_rules_that_changed_between_two_starts_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game goes on, and nobody can overlook that its rules are not those of its set-up."""
    async with open_table(tmp_path) as table:
        await table.playing()
    load = service.load_ruleset
    monkeypatch.setattr(
        service, "load_ruleset", lambda name, options=None: load(name, {**(options or {}), "no_dice_left": "no_loss"})
    )

    async with open_table(tmp_path) as table:
        state = await table.state()

        assert ["ruleset-changed"] == [item["code"] for item in state["health"] if item["part"] == "rules"]
        assert "ruleset-changed" == _last_note(table.service)


def _gone(name: str, _options: object = None) -> None:
    raise RulesetError("unknown-ruleset", f"there is no ruleset {name!r}", name=name, known=[])


async def test_rules_that_are_gone_stop_a_running_game_and_not_a_closed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game can't be ruled without its rules; a closed one only has to be read."""
    async with open_table(tmp_path) as table:
        await table.playing()
    with monkeypatch.context() as patched:
        patched.setattr(taking_up, "load_ruleset", _gone)
        with (
            Journal.open(tmp_path / "journal.sqlite", table_id="7") as journal,
            pytest.raises(UnreadableGame, match="nl1996"),
        ):
            taken_up(journal)

    async with open_table(tmp_path) as table:
        table.service.state = _closed(table.service)
        monkeypatch.setattr(service, "load_ruleset", _gone)
        table.service._ruleset_of = None

        state = await table.state()

        assert ("closed", {}) == (state["phase"], state["options"])


def _closed(running: service.TableService) -> service.TableState:
    from dataclasses import replace

    from companion.session.transitions import Phase

    return replace(running.state, phase=Phase.CLOSED)


def test_pin_is_chosen_once_and_kept_from_others(tmp_path: Path) -> None:
    """Four to eight digits, never in the clear, readable by the service alone."""
    pin = RefereePin(tmp_path / "deep" / "referee.pin", hasher=FAST)
    for unfit in ("123", "123456789", "12a4", "١٢٣٤"):
        with pytest.raises(PinUnfit):
            pin.choose(unfit)
    pin.choose("4711")

    with pytest.raises(PinUnfit):
        pin.choose("0815")
    file = tmp_path / "deep" / "referee.pin"
    assert (0o600, False) == (file.stat().st_mode & 0o777, "4711" in file.read_text(encoding="ascii"))
    pin.check("4711", boot_ns())
