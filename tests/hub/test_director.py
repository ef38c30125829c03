"""One start, one length and one signal for a hall of real tables; nothing is told before the last of them has ended."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from companion.hub.lengths import MS_PER_MIN, LengthStore, StoreDamaged, due_ms
from companion.lan.addresses import TableAddress
from companion.lan.boxes import fingerprint
from companion.lan.errors import Unreachable
from companion.lan.problems import Problem
from tests.table.rig import PIN

from .hall_rig import a_hall


async def test_all_ready_tables_start_by_one_length(tmp_path: Path) -> None:
    """One seal, the same end at each; whoever is not ready is late, and the length is in no answer."""
    async with a_hall(tmp_path, "1", "2", "3") as rig:
        await rig.tables["3"].ask("set_up_table", system="nl1996", players=[{"name": name} for name in "ABC"])
        director = rig.director()
        told = await director.start(minutes=113)
        await rig.visit()
        ends = [table.service.length_ms for table in rig.tables.values()]

        assert (["1", "2"], ["3"]) == (told["tables"], list(told["late"]))
        assert [113 * MS_PER_MIN, 113 * MS_PER_MIN, 90 * MS_PER_MIN] == ends
        assert {told["seal"]} == {(await rig.sealed(name))["seal"] for name in ("1", "2")}
        assert "113" not in json.dumps([told, director.told()]).replace(told["seal"], "")
        assert {"1": "playing", "2": "playing"} == director.told()["halls"][0]["tables"]


async def test_length_is_drawn_within_its_range(tmp_path: Path) -> None:
    """Where the director chooses none."""
    async with a_hall(tmp_path, "1") as rig:
        await rig.director().start()

        assert 90 * MS_PER_MIN <= (rig.tables["1"].service.length_ms or 0) <= 120 * MS_PER_MIN


async def test_table_that_is_reached_on_its_socket_is_not_started(tmp_path: Path) -> None:
    """There whoever asks is its screen, and gives no length: the way out is said before anything is sealed."""
    async with a_hall(tmp_path, "1") as rig:
        (client,) = rig.clients.values()
        client.address = TableAddress.parse("unix:/run/companion/table.sock")
        with pytest.raises(Problem) as refusal:
            await rig.director().start()

        assert ("no-table-ready", True) == (refusal.value.code, "listen in its table.toml" in refusal.value.message)
        assert {} == LengthStore(rig.folder).halls


async def test_nothing_is_revealed_before_the_last_table_has_ended(tmp_path: Path) -> None:
    """The first table's end tells its players nothing about what the second one has left."""
    async with a_hall(tmp_path, "1", "2") as rig:
        director = rig.director()
        await director.start(minutes=113)
        await rig.visit()
        await rig.tables["1"].ask("sound_tijd", pin=PIN)
        await rig.visit()
        await director.look()
        waiting = await rig.lengths()
        await rig.tables["2"].ask("sound_tijd", pin=PIN)
        await rig.visit()
        await director.look()
        revealed = await rig.lengths()
        await rig.visit()
        await director.look()

        assert ({"1": None, "2": None}, {"1": 113, "2": 113}) == (waiting, revealed)
        assert {"1": "revealed", "2": "revealed"} == director.told()["halls"][0]["tables"]


async def test_table_with_a_length_of_its_own_is_not_waited_for(tmp_path: Path) -> None:
    """It left the hall's time; it plays on by what nobody knows and hears the hall's length all the same."""
    async with a_hall(tmp_path, "1", "2", late_table="own") as rig:
        director = rig.director()
        await director.start(minutes=113)
        await rig.tables["2"].ask("pause_clock", pin=PIN, reason="a glass fell over")
        await rig.tables["2"].ask("resume_clock", pin=PIN)
        await rig.tables["1"].ask("sound_tijd", pin=PIN)
        await rig.visit()
        await director.look()

        assert {"1": 113, "2": 113} == await rig.lengths()
        assert ("table", None) == ((await rig.sealed("2"))["source"], (await rig.sealed("2"))["minutes"])
        assert "playing" == (await rig.tables["2"].state())["phase"]


@pytest.mark.parametrize("signal_source", ["clock", "organiser"])
async def test_hub_gives_the_signal_when_the_hall_s_time_is_over(tmp_path: Path, signal_source: str) -> None:
    """To all tables that still play by it, whoever else may ring."""
    async with a_hall(tmp_path, "1", "2", signal_source=signal_source) as rig:
        director = rig.director()
        await director.start(minutes=113)
        await rig.visit()
        rig.ahead_ms = 113 * MS_PER_MIN - 60_000
        await director.look()
        early = [(await table.state())["tijd"] for table in rig.tables.values()]
        rig.ahead_ms += 60_000
        await director.look()
        given = [(await table.state())["tijd"]["source"] for table in rig.tables.values()]

        assert ([None, None], ["organiser", "organiser"]) == (early, given)


async def test_hall_stands_and_runs_on_as_one(tmp_path: Path) -> None:
    """Pause and extra time for all keep everybody in step, and the hub's own signal moves with them."""
    async with a_hall(tmp_path, "1", "2", late_table="own") as rig:
        director = rig.director()
        await director.start(minutes=113)
        await rig.visit()
        await director.pause(None, "fire alarm")
        rig.ahead_ms = 10 * MS_PER_MIN
        stands = director.told()["halls"][0]["elapsed_ms"]
        with pytest.raises(Problem):
            await director.pause(None, "again")
        await director.resume(None)
        with pytest.raises(Problem):
            await director.resume(None)
        told = await director.add("hall1", 5, "fire alarm")
        rig.ahead_ms += 117 * MS_PER_MIN
        await director.look()
        before = [(await table.state())["tijd"] for table in rig.tables.values()]
        rig.ahead_ms += MS_PER_MIN
        await director.look()

        assert (True, ["1", "2"], [None, None]) == (stands < 60_000, told["tables"], before)
        assert [118 * MS_PER_MIN] * 2 == [table.service.length_ms or 118 * MS_PER_MIN for table in rig.tables.values()]
        assert ["hub", "hub"] == [(await rig.sealed(name))["source"] for name in rig.tables]
        assert all([(await table.state())["tijd"] for table in rig.tables.values()])


async def test_director_ends_a_hall_by_hand(tmp_path: Path) -> None:
    """The signal for all, and then the proof for all."""
    async with a_hall(tmp_path, "1", "2") as rig:
        director = rig.director()
        await director.start(minutes=113)
        await rig.visit()
        await director.signal(None)
        await rig.visit()
        await director.look()

        assert {"1": 113, "2": 113} == await rig.lengths()
        with pytest.raises(Problem) as refusal:
            await director.signal(None)
        assert "which-hall" == refusal.value.code


async def test_hub_that_was_started_anew_goes_on(tmp_path: Path) -> None:
    """On another run of the machine the time is what the tables say; the length is what was kept."""
    async with a_hall(tmp_path, "1") as rig:
        await rig.director().start(minutes=113)
        fresh = rig.director(boot="boot-i")
        await fresh.look()
        unknown = fresh.told()["halls"][0]["elapsed_ms"]
        await rig.visit()
        await fresh.look()
        rig.ahead_ms = 113 * MS_PER_MIN
        await fresh.look()

        assert (0, "organiser") == (unknown, (await rig.tables["1"].state())["tijd"]["source"])


async def test_table_that_did_not_answer_is_waited_for_until_it_is_heard(tmp_path: Path) -> None:
    """It may have started; only its journal tells."""
    async with a_hall(tmp_path, "1", "2") as rig:
        director = rig.director()
        deaf = rig.clients[str(TableAddress.parse(str(rig.tables["2"].hub.make_url("/"))))]
        heard, told = deaf.command, []

        async def lost(*args: Any, **more: Any) -> Any:
            await heard(*args, **more)
            told.append(args[1])
            raise Unreachable("the cable fell out")

        deaf.command = lost  # type: ignore[method-assign]
        answer = await director.start(minutes=113)
        deaf.command = heard  # type: ignore[method-assign]
        unheard = director.told()["halls"][0]["tables"]["2"]
        await rig.tables["1"].ask("sound_tijd", pin=PIN)
        await rig.visit()
        await director.look()

        assert (["start_game"], ["1"], ["2"]) == (told, answer["tables"], list(answer["late"]))
        assert ("unheard", "playing") == (unheard, director.told()["halls"][0]["tables"]["2"])
        assert {"1": None, "2": None} == await rig.lengths()


async def test_table_that_never_heard_the_start_is_late(tmp_path: Path) -> None:
    """Once it can open no letter any more nobody waits for it, and it starts by itself as the director chose.

    Before that the start may still be on its way, and a length that is told meanwhile would be played by.
    """
    async with a_hall(tmp_path, "1", "2") as rig:
        director = rig.director()
        deaf = rig.clients[str(TableAddress.parse(str(rig.tables["2"].hub.make_url("/"))))]
        heard = deaf.command

        async def silent(*_args: Any, **_more: Any) -> Any:
            raise Unreachable("the cable fell out")

        deaf.command = silent  # type: ignore[method-assign]
        await director.start(minutes=113)
        deaf.command = heard  # type: ignore[method-assign]
        await rig.tables["1"].ask("sound_tijd", pin=PIN)
        await rig.visit()
        await director.look()
        early = director.told()["halls"][0]["tables"]["2"], (await rig.sealed("1"))["minutes"]
        rig.ahead_ms = 5_001
        await rig.visit()
        await director.look()
        await rig.tables["2"].ask("start_game")

        assert ("unheard", None) == early
        assert "absent" == director.told()["halls"][0]["tables"]["2"]
        assert 113 == (await rig.sealed("1"))["minutes"]
        assert ([], None) == ((await rig.tables["2"].state())["sealed"], rig.tables["2"].service.length_ms)


async def test_director_may_reveal_when_a_table_is_lost_for_good(tmp_path: Path) -> None:
    """A card that died must not keep the proof from everybody else for ever."""
    async with a_hall(tmp_path, "1", "2") as rig:
        director = rig.director()
        await director.start(minutes=113)
        await rig.visit()
        await rig.tables["1"].ask("sound_tijd", pin=PIN)
        await rig.visit()
        with pytest.raises(Problem) as refusal:
            await director.reveal("hall1", "table 2 is so slow")
        rig.ahead_ms = 60_000
        await director.reveal("hall1", "the card of table 2 died")

        assert ("still-playing", ["2"]) == (refusal.value.code, refusal.value.values["tables"])

        assert {"1": 113, "2": None} == await rig.lengths()
        with pytest.raises(Problem):
            await director.reveal("hall9", "no such hall")


async def test_table_with_another_key_gets_no_letter(tmp_path: Path) -> None:
    """Until people have compared it with what the table says."""
    async with a_hall(tmp_path, "1") as rig:
        director = rig.director()
        store = LengthStore(rig.folder)
        store.trust("1", "00" * 32, "http://127.0.0.1:1")
        director = rig.director()
        with pytest.raises(Problem) as refusal:
            await director.start(("1",))
        told = await director.trust("1")
        await director.start()

        assert "key-changed" == refusal.value.code
        assert told["fingerprint"] == fingerprint(rig.tables["1"].service.secrets.key.public)


@pytest.mark.parametrize(
    ("prepare", "tables", "minutes", "code"),
    [
        ([], ("9",), None, "no-such-table"),
        ([], (), 121, "length-not-allowed"),
        (["1"], ("1",), None, "table-not-ready"),
        (["1", "2"], (), None, "no-table-ready"),
    ],
)
async def test_start_that_cannot_be_is_refused(
    tmp_path: Path, prepare: list[str], tables: tuple[str, ...], minutes: int | None, code: str
) -> None:
    """Before anything is sealed or sent."""
    async with a_hall(tmp_path, "1", "2") as rig:
        for name in prepare:
            await rig.tables[name].ask("start_game")
        with pytest.raises(Problem) as refusal:
            await rig.director().start(tables, minutes)

        assert (code, {}) == (refusal.value.code, LengthStore(rig.folder).halls)


async def test_tables_of_different_games_need_naming(tmp_path: Path) -> None:
    """One length is for one phase of one tournament; and a known length needs no hall."""
    async with a_hall(tmp_path, "1", "2") as rig:
        first = rig.tables["1"]
        await first.ask("set_up_table", system="nl1996", players=[{"name": name} for name in ("A", "B", "C")])
        for player, value in (("p1", 6), ("p2", 5), ("p3", 4)):
            await first.ask("enter_start_die", player=player, value=value)
        for number, colour in enumerate(("red", "blue", "black"), 1):
            await first.ask("choose_colour", player=f"p{number}", colour=colour)
            await first.ask("bind_button", player=f"p{number}", button=f"seat{number}")
        codes = []
        for tables in ((), ("1",)):
            with pytest.raises(Problem) as refusal:
                await rig.director().start(tables)
            codes.append(refusal.value.code)

        assert ["different-games", "no-secret-here"] == codes


async def test_store_keeps_the_secret_apart(tmp_path: Path) -> None:
    """Mode 0600 for the length, and not a word of it beside."""
    async with a_hall(tmp_path, "1") as rig:
        await rig.director().start(minutes=113)
        store = LengthStore(rig.folder)
        hall = store.halls["hall1"]
        secret = store.secret(hall)
        beside = (rig.folder / "halls.json").read_text() + (rig.folder / "table-keys.json").read_text()

    assert secret is not None
    assert (113, 113 * MS_PER_MIN) == (secret.minutes, due_ms(hall, secret))
    assert 0o600 == stat.S_IMODE((rig.folder / "tijd.secret").stat().st_mode)
    assert (False, []) == (secret.salt in beside, re.findall(r"\b113\b|6780000", beside))


async def test_lost_length_of_a_hall_gives_no_signal(tmp_path: Path) -> None:
    """The hub does not make one up; the director gives the signal."""
    async with a_hall(tmp_path, "1", signal_source="organiser") as rig:
        await rig.director().start(minutes=113)
        await rig.visit()
        (rig.folder / "tijd.secret").unlink()
        director = rig.director()
        rig.ahead_ms = 200 * MS_PER_MIN
        await director.look()
        silent = (await rig.tables["1"].state())["tijd"]
        await director.signal(None)

        assert (None, True) == (silent, (await rig.tables["1"].state())["tijd"] is not None)


async def test_store_that_is_damaged_is_said(tmp_path: Path) -> None:
    """With what to do; nothing is begun anew over it."""
    (tmp_path / "halls.json").write_text("[")
    with pytest.raises(StoreDamaged) as refusal:
        LengthStore(tmp_path)

    assert "move it away" in str(refusal.value)


async def test_table_that_tells_nothing_of_its_clock_is_no_fault_of_the_hub(tmp_path: Path) -> None:
    """Nor one of another version that is ready."""
    async with a_hall(tmp_path, "1") as rig:
        await rig.director().start(minutes=113)
        await rig.visit()
        contact = next(iter(rig.hall.contacts.values()))
        for strange in ({"clock": None}, {"clock": {"running": True}}, {}):
            contact.state = strange
            fresh = rig.director(boot="boot-i")
            await fresh.look()

            assert 0 == fresh.told()["halls"][0]["elapsed_ms"]
    async with a_hall(tmp_path / "other", "1") as rig:
        client = next(iter(rig.clients.values()))
        told = client.state

        async def older() -> dict[str, Any]:
            return {name: value for name, value in (await told()).items() if name != "tournament_phase"}

        client.state = older  # type: ignore[method-assign, assignment]
        with pytest.raises(Problem) as refusal:
            await rig.director().start()

        assert "not-a-table" == refusal.value.code
