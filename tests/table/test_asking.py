"""Questions that come twice, late, at once or from the wrong side."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from companion.hw.clock import boot_ns
from companion.journal import JournalError
from companion.journal.errors import JournalFull
from companion.session import commands as c
from companion.table.asked import AskedBefore, IdReused
from tests.table.rig import PIN, PLAYERS, TestTable, open_table


async def _post(table: TestTable, client: str = "screen", **body: Any) -> tuple[int, dict[str, Any]]:
    door = table.hub if client == "hub" else table.screen
    async with door.post("/v1/commands", json=body) as answer:
        return answer.status, await answer.json()


async def test_an_id_that_meant_something_else_is_refused_even_after_a_restart(tmp_path: Path) -> None:
    """A client that begins to count anew must not be told 'done' for what never happened."""
    async with open_table(tmp_path) as table:
        await table.playing()
        first = await _post(table, id="1", command="enter_dice", args={"side": "attack", "values": [6]})

    async with open_table(tmp_path) as table:
        same = await _post(table, id="1", command="enter_dice", args={"values": [6], "side": "attack"})
        others = [
            await _post(table, id="1", command="enter_dice", args={"side": "attack", "values": [5]}),
            await _post(table, id="1", command="end_turn"),
        ]

        assert first[1]["events"] == same[1]["events"]
        assert [(409, "id-reused")] * 2 == [(status, body["problem"]) for status, body in others]
        assert "anna" == (await table.state())["turn"]["player"]


async def test_refused_question_may_be_asked_again_under_its_id(tmp_path: Path) -> None:
    """A wrong PIN is no use of the id."""
    async with open_table(tmp_path) as table:
        await table.playing()
        refused = await _post(table, id="p", command="pause_clock", args={"reason": "x"}, pin="0000")

        taken = await _post(table, id="p", command="pause_clock", args={"reason": "x"}, pin=PIN)

        assert (403, 200) == (refused[0], taken[0])


def test_questions_are_remembered_as_long_as_they_matter(tmp_path: Path) -> None:
    """A torn line is worth nothing, a disk that refuses costs only the check, and old questions go."""
    file = tmp_path / "asked.jsonl"
    asked = AskedBefore(file)
    asked.note("a", "end_turn", {})
    with file.open("ab") as out:
        out.write(b'["b", "01')

    again = AskedBefore(file)
    again.check("a", "end_turn", {})
    again.check("b", "anything", {})
    with pytest.raises(IdReused) as refusal:
        again.check("a", "close_table", {})
    AskedBefore(tmp_path / "nowhere" / "asked.jsonl").note("c", "end_turn", {})

    assert {"id": "a", "command": "close_table"} == refusal.value.values


def test_file_of_questions_does_not_grow_for_ever(tmp_path: Path) -> None:
    """The newest half stays."""
    file = tmp_path / "asked.jsonl"
    file.write_bytes(b"".join(b'["%d", "00"]\n' % number for number in range(20_001)))

    asked = AskedBefore(file)

    assert 10_000 == len(file.read_bytes().splitlines())
    asked.check("1", "whatever", {})
    with pytest.raises(IdReused):
        asked.check("20000", "whatever", {})


async def test_names_of_a_set_up_that_is_refused_change_nobody_s_name(tmp_path: Path) -> None:
    """Anna stays Anna in the running game."""
    async with open_table(tmp_path) as table:
        await table.playing()
        others = [{"id": player["id"], "name": "X"} for player in PLAYERS]

        status, _body = await table.send("set_up_table", system="nl1996", players=others)

        assert 409 == status
        assert ["Anna", "Bert", "Cees"] == [player["name"] for player in (await table.state())["players"]]


@pytest.mark.parametrize("name", ["", " ", "x" * 61, "two\nlines", "bell\x07", 7])
async def test_names_that_cannot_be_shown_are_refused(tmp_path: Path, name: object) -> None:
    """Before anything is written."""
    async with open_table(tmp_path) as table:
        status, body = await table.send(
            "set_up_table", system="nl1996", players=[*PLAYERS[:2], {"id": "cees", "name": name}]
        )

        assert (400, "malformed-command") == (status, body["problem"])
        assert "idle" == (await table.state())["phase"]


async def test_set_up_again_before_the_clock_runs_empties_the_draft(tmp_path: Path) -> None:
    """Nothing half typed of another game comes back."""
    async with open_table(tmp_path) as table:
        await table.ask("set_up_table", system="nl1996", players=PLAYERS)
        await table.screen.put("/v1/draft", json={"page": "asia"})

        await table.ask("set_up_table", system="nl1996", players=[{"name": "Dirk"}, {"name": "李雷"}, {"name": "Eva"}])

        async with table.screen.get("/v1/draft") as answer:
            assert {} == await answer.json()
        assert ["Dirk", "李雷", "Eva"] == [player["name"] for player in (await table.state())["players"]]


async def test_draft_is_the_screen_s_own(tmp_path: Path) -> None:
    """The hub reads; it does not type."""
    async with open_table(tmp_path) as table, table.hub.put("/v1/draft", json={"page": "asia"}) as answer:
        assert (403, "not-yours") == (answer.status, (await answer.json())["problem"])


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/draft", b"[" * 5000 + b"]" * 5000, 400),
        ("/v1/draft", b'{"a": "' + b"x" * 70_000 + b'"}', 413),
        ("/v1/draft", b'{"a": "\xff"}', 400),
        ("/v1/draft", b"{}" + b" " * 140_000, 413),
    ],
)
async def test_drafts_that_no_screen_would_send(tmp_path: Path, path: str, body: bytes, status: int) -> None:
    """Too deep, too large, no text: refused with the one error body."""
    async with open_table(tmp_path) as table, table.screen.put(path, data=body) as answer:
        found = await answer.json()

        assert (status, {"problem", "message", "values"}) == (answer.status, set(found))


async def test_number_of_five_thousand_digits(tmp_path: Path) -> None:
    """Longer than any journal is refused before it is counted."""
    async with open_table(tmp_path) as table, table.screen.get("/v1/journal?after=" + "9" * 5000) as answer:
        assert (400, "bad-number") == (answer.status, (await answer.json())["problem"])


async def test_notes_and_calls_do_not_make_anybody_look_again(tmp_path: Path) -> None:
    """A loose wire in the other room is no reason to refuse a signature; a new ruling is."""
    async with open_table(tmp_path) as table:
        await table.playing()
        seen = (await table.state())["seq"]
        table.service.carry_out(c.Note(code="camera-failed"), "rig")
        await table.ask("call_referee")

        quiet = await _post(table, id="a", command="end_turn", expected_seq=seen)
        moved = await _post(table, id="b", command="end_turn", expected_seq=seen)
        future = await _post(table, id="c", command="end_turn", expected_seq=seen + 10_000)

        assert [200, 409, 409] == [status for status, _body in (quiet, moved, future)]
        assert "bert" == (await table.state())["turn"]["player"]


async def test_two_presses_of_next_turn_at_once_skip_nobody(tmp_path: Path) -> None:
    """Two screens, or a screen and a button, that saw the same table."""
    async with open_table(tmp_path) as table:
        await table.playing()
        seen = (await table.state())["seq"]

        answers = await asyncio.gather(
            *(_post(table, id=name, command="end_turn", expected_seq=seen) for name in ("a", "b"))
        )

        assert [200, 409] == sorted(status for status, _body in answers)
        assert "bert" == (await table.state())["turn"]["player"]


async def test_signal_by_hand_sounds_once_however_often_it_is_asked_for(tmp_path: Path) -> None:
    """The same question again, and another one while the first is being ruled."""
    async with open_table(tmp_path) as table:
        await table.playing()

        answers = await asyncio.gather(
            _post(table, id="t", command="sound_tijd", pin=PIN),
            _post(table, id="t", command="sound_tijd", pin=PIN),
            _post(table, "hub", id="h", command="sound_tijd"),
        )

        types = [record.type for record in table.service.journal.all()]
        assert 1 == types.count("tijd.sounded")
        assert answers[0][1]["events"] == answers[1][1]["events"]
        assert {200, 409} >= {status for status, _body in answers}


async def test_claim_after_the_signal_comes_too_late(tmp_path: Path) -> None:
    """The clock's end is ruled before anything that was asked after it."""
    async with open_table(tmp_path, scale=600.0) as table:
        await table.playing(length_ms=120_000)
        clock = table.service.state.running_clock()
        due_ns = clock.due_ns(clock.length_ms)
        assert due_ns is not None
        while boot_ns() < due_ns:
            await asyncio.sleep(0)

        status, body = await table.send("claim_mission", player="anna", mission="africa_asia")

        assert (409, "not-now") == (status, body["problem"])
        assert "tijd" == (await table.state())["frozen"]["why"]


async def test_organiser_s_signal_is_the_organiser_s(tmp_path: Path) -> None:
    """With the option, the table's own clock runs out in silence and waits for the hall."""
    async with open_table(tmp_path, scale=1000.0) as table:
        await table.playing(length_ms=60_000, options={"signal_source": "organiser"})
        await asyncio.sleep(0.15)
        waiting = await table.state()

        await _post(table, "hub", id="h", command="sound_tijd")

        state = await table.state()
        assert (("playing", 0), ("frozen", "organiser")) == (
            (waiting["phase"], waiting["clock"]["remaining_ms"]),
            (state["phase"], state["tijd"]["source"]),
        )


class _FullDisk:
    """A disk that refuses the next `times` transactions."""

    def __init__(self, table: TestTable, times: int) -> None:
        self.left = times
        self._append = table.service.journal.append

    def __call__(self, *args: Any, **more: Any) -> Any:
        if self.left > 0:
            self.left -= 1
            raise JournalFull("no room left: free some space and try again", path="journal.sqlite")
        return self._append(*args, **more)


async def test_full_disk_is_told_and_nothing_is_half_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is refused, the health page says why, and once there is room the same question is taken."""
    async with open_table(tmp_path) as table:
        await table.playing()
        monkeypatch.setattr(table.service.journal, "append", _FullDisk(table, 1))
        body = {"id": "x", "command": "enter_dice", "args": {"side": "attack", "values": [6]}}

        full = await _post(table, **body)
        sick = await table.state()
        taken = await _post(table, **body)
        well = await table.state()

        assert (507, "journal-full", None) == (full[0], full[1]["problem"], sick["throw"])
        assert ["journal-full"] == [h["values"]["why"] for h in sick["health"] if h["part"] == "journal"]
        assert (200, []) == (taken[0], [h for h in well["health"] if h["part"] == "journal"])


async def test_signal_that_could_not_be_written_is_written_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sounded: it is recorded with the moment at which it did, however long that takes, and it sounds once."""
    monkeypatch.setattr("companion.table.tijd.WRITE_AGAIN_S", 0.05)
    async with open_table(tmp_path, scale=600.0) as table:
        await table.playing(length_ms=120_000)
        monkeypatch.setattr(table.service.journal, "append", _FullDisk(table, 3))

        state = await table.until(lambda s: s["phase"] == "frozen")

        assert 120_000 == state["tijd"]["elapsed_ms"]
        firsts = [at for at, on in table.sim.panel.sound.history if on]
        assert firsts[0] <= state["tijd"]["at_ns"] + 50_000_000


async def test_what_the_rig_senses_on_a_full_disk_is_said_to_be_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody asked, so nobody is refused; the health page tells it."""
    async with open_table(tmp_path) as table:
        await table.playing()
        monkeypatch.setattr(table.service.journal, "append", _FullDisk(table, 1))

        table.sim.button("seat1").press()
        state = await table.until(lambda s: any(h["part"] == "journal" for h in s["health"]))

        assert state["throw"] is None
        with pytest.raises(JournalError):
            _FullDisk(table, 1)()


async def test_signal_in_the_instant_after_time_was_added_ends_nothing(tmp_path: Path) -> None:
    """The alarm rang while the referee's minutes were being written: they count, and the journal says so."""
    async with open_table(tmp_path) as table:
        await table.playing()

        await table.service.tijd.by_clock(boot_ns())

        assert "playing" == (await table.state())["phase"]
        assert "signal-false" in [r.data.get("code") for r in table.service.journal.all()]


async def test_second_alarm_for_the_same_end_sounds_nothing(tmp_path: Path) -> None:
    """Facts that come while the signal is being ruled do not arm it again."""
    async with open_table(tmp_path) as table:
        await table.playing()
        assert table.service.tijd.to_arm_ns() is not None

        table.service.tijd.ring()

        assert table.service.tijd.to_arm_ns() is None
        await table.ask("add_time", pin=PIN, ms=60_000, reason="late start")
        assert table.service.tijd.to_arm_ns() is not None


async def test_secret_length_is_not_in_the_view(tmp_path: Path) -> None:
    """In RisiKo! nobody at the table can read off how much time is left."""
    players = [{"name": name} for name in ("Ada", "Bea", "Clara", "Dino")]
    async with open_table(tmp_path) as table:
        await table.ask("set_up_table", system="risiko", players=players)

        clock = (await table.state())["clock"]

        assert (False, None, None) == (clock["public"], clock["length_ms"], clock["remaining_ms"])


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"system": "nl2050"}, "unknown-ruleset"),
        ({"options": {"mood": "good"}}, "unknown-option"),
        ({"options": {"no_dice_left": "cheer"}}, "bad-option"),
        ({"players": []}, "too-few-players"),
        ({"players": [{"name": name} for name in "ABCDE"]}, "too-many-players"),
        ({"players": [{"name": "Ada"}, {"id": "p1"}, {"name": "Bea"}]}, "player-twice"),
        ({"tournament": "x" * 200}, "bad-text"),
        ({"length_ms": 1}, "bad-length"),
    ],
)
async def test_set_up_that_cannot_be_played_names_what_is_wrong(
    tmp_path: Path, wrong: dict[str, Any], problem: str
) -> None:
    """Nothing is opened, and the screen can say which part of it is to be put right."""
    async with open_table(tmp_path) as table:
        status, body = await table.send("set_up_table", **{"system": "nl1996", "players": PLAYERS, **wrong})

        assert (422, problem) == (status, body["problem"])
        assert "idle" == (await table.state())["phase"]
