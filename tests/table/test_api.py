"""The table's API: what docs/api.md promises, and each way to fail."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from companion.rules.board import load_board
from tests.table.rig import PIN, PLAYERS, open_table

NO_CARDS = {"infantry": 0, "artillery": 0, "cavalry": 0, "joker": 0}


def _board() -> list[dict[str, Any]]:
    shares = {"anna": ("north_america", "south_america"), "bert": ("europe", "africa"), "cees": ("asia", "australia")}
    lands = load_board("classic").territories.values()
    return [
        {"id": player, "territories": [t.id for t in lands if t.continent in own], "armies": 40, "hand": NO_CARDS}
        for player, own in shares.items()
    ]


async def test_a_whole_game_by_hand(tmp_path: Path) -> None:
    """From set-up to the closed table through the API alone; the names come from beside the chain."""
    async with open_table(tmp_path) as table:
        await table.playing()
        await table.ask("call_throw")
        await table.ask("enter_dice", side="attack", values=[6, 4, 2])
        await table.ask("enter_dice", side="defence", values=[5, 4])
        await table.ask("accept_throw")
        state = await table.state()
        assert {"attacker": 1, "defender": 1} == state["throw"]["losses"]
        assert {"attack": {"red"}, "defence": {"blue"}} == {
            side: {die["colour"] for die in told["dice"]} for side, told in state["throw"]["sides"].items()
        }
        await table.ask("sound_tijd", pin=PIN)
        await table.ask("confirm_board", players=_board())
        for player in ("anna", "bert", "cees"):
            await table.ask("sign_result", player=player)
        await table.ask("close_table", pin=PIN)

        state = await table.state()

        assert ("closed", "referee") == (state["phase"], state["tijd"]["source"])
        assert {"bert": "1", "cees": "2", "anna": "3"} == {
            place["player"]: place["result"] for place in state["result"]["places"]
        }
        assert ["Anna", "Bert", "Cees"] == [player["name"] for player in state["players"]]
        assert table.service.journal.verify().fault is None
        async with table.screen.get("/v1/journal") as answer:
            assert "Anna" not in await answer.text()


async def test_state_has_every_key_of_the_documented_example(tmp_path: Path) -> None:
    """docs/api.md shows a state; the real one has all of its keys, and what it lists as possible can be asked."""
    text = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
    example = json.loads(text.split("```json\n")[2].split("```")[0])
    async with open_table(tmp_path) as table:
        await table.playing()
        await table.ask("enter_dice", side="attack", values=[6])

        state = await table.state()

        assert set() == example.keys() - state.keys()
        for part in ("clock", "throws"):
            assert set() == example[part].keys() - state[part].keys()
        assert set() == example["players"][0].keys() - state["players"][0].keys()
        assert set() == example["throw"].keys() - state["throw"].keys()
        side = example["throw"]["sides"]["attack"]
        assert set() == side.keys() - state["throw"]["sides"]["attack"].keys()
        assert set() == side["dice"][0].keys() - state["throw"]["sides"]["attack"]["dice"][0].keys()
        assert {"call_throw", "end_turn", "claim_mission"} <= set(state["may"])
        assert "correct_die" not in state["may"]


async def test_same_command_id_is_carried_out_once(tmp_path: Path) -> None:
    """A client that did not hear the answer may ask again."""
    async with open_table(tmp_path) as table:
        await table.playing()
        body = {"id": "again", "command": "enter_dice", "args": {"side": "attack", "values": [6]}}
        answers = []
        for _ in range(2):
            async with table.screen.post("/v1/commands", json=body) as answer:
                answers.append(await answer.json())

        assert answers[0]["events"] == answers[1]["events"]
        assert 1 == (await table.state())["throw"]["id"]


async def test_nobody_at_the_screen_can_use_up_an_id_of_the_hub(tmp_path: Path) -> None:
    """The hub's signal is carried out, whatever the screen asked under its id; nor can the screen ask as the hub."""
    async with open_table(tmp_path) as table:
        await table.playing()
        note = {"id": "hall1-tijd", "command": "call_referee", "args": {}}
        answers = []
        for door, body in (
            (table.screen, note),
            (table.screen, {**note, "id": "hub:hall1-tijd"}),
            (table.hub, {"id": "hall1-tijd", "command": "sound_tijd", "args": {}}),
        ):
            async with door.post("/v1/commands", json=body) as answer:
                answers.append((answer.status, (await answer.json()).get("problem")))

        assert [(200, None), (400, "bad-id"), (200, None)] == answers
        assert "organiser" == (await table.state())["tijd"]["source"]


async def test_referee_commands_need_the_pin_and_wrong_ones_slow_down(tmp_path: Path) -> None:
    """Without a PIN, with a wrong one, too often: each has its own refusal, and nothing moves."""
    async with open_table(tmp_path) as table:
        assert (403, "pin-not-set") == await _problem(table, "sound_tijd", pin="1234")
        await table.playing()

        seen = [await _problem(table, "sound_tijd", pin=pin) for pin in (None, "0000", "0000", "0000", "0000")]

        assert [
            (403, "not-yours"),
            (403, "pin-wrong"),
            (403, "pin-wrong"),
            (403, "pin-wrong"),
            (429, "pin-too-soon"),
        ] == seen
        assert "playing" == (await table.state())["phase"]


async def _problem(table: Any, command: str, *, pin: str | None = None, **args: Any) -> tuple[int, str]:
    status, body = await table.send(command, pin=pin, **args)
    assert {"problem", "message", "values"} == set(body), body
    return status, body["problem"]


@pytest.mark.parametrize(
    ("command", "args", "expected"),
    [
        ("sign_result", {"player": "anna"}, (409, "not-now")),
        ("fly", {}, (400, "malformed-command")),
        ("end_turn", {"whose": 1}, (400, "malformed-command")),
        ("end_turn", {"player": "dirk"}, (422, "unknown-player")),
        ("enter_dice", {"side": "attack", "values": [7]}, (422, "bad-die")),
        ("press_button", {"button": "seat1", "kind": "down", "pressed_ns": 1}, (400, "malformed-command")),
        ("set_up_table", {"system": "nl1996"}, (400, "malformed-command")),
        ("set_up_table", {"system": "nl1996", "players": [7]}, (400, "malformed-command")),
        ("set_up_table", {"system": "nl1996", "players": [{"nama": "Anna"}]}, (400, "malformed-command")),
        ("set_up_table", {"system": "nl1996", "players": PLAYERS, "scale": 60}, (400, "malformed-command")),
        ("set_up_table", {"system": "nl1996", "players": PLAYERS}, (409, "not-now")),
    ],
)
async def test_every_refusal_has_the_one_error_body(
    tmp_path: Path, command: str, args: dict[str, Any], expected: tuple[int, str]
) -> None:
    """Problem, message and values, with a status that tells whose fault it is."""
    async with open_table(tmp_path) as table:
        await table.playing()

        assert expected == await _problem(table, command, **args)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/v1/commands", b"no json", 400),
        ("POST", "/v1/commands", b'{"id": "", "command": "end_turn"}', 400),
        ("POST", "/v1/commands", b'{"id": "x", "command": "end_turn", "who": "referee"}', 400),
        ("PUT", "/v1/draft", b"[1]", 400),
        ("PUT", "/v1/pin", b'{"pin": "12"}', 422),
        ("GET", "/v1/journal?after=minus", b"", 400),
        ("GET", "/v1/evidence/" + "0" * 64, b"", 404),
        ("GET", "/v1/evidence/..%2f..%2fjournal.sqlite", b"", 404),
        ("GET", "/v1/live.jpg", b"", 404),
        ("GET", "/v1/state?lang=tlh", b"", 400),
        ("GET", "/v1/nothing", b"", 404),
    ],
)
async def test_malformed_requests(tmp_path: Path, method: str, path: str, body: bytes, status: int) -> None:
    """Nonsense gets the error body, never a traceback."""
    async with open_table(tmp_path) as table, table.screen.request(method, path, data=body or None) as answer:
        found = await answer.json()

        assert status == answer.status
        assert {"problem", "message", "values"} == set(found)


async def test_command_after_the_table_moved_on_is_refused(tmp_path: Path) -> None:
    """Who corrects what they saw must have seen the newest."""
    async with open_table(tmp_path) as table:
        await table.playing()
        await table.ask("enter_dice", side="attack", values=[6])
        seen = (await table.state())["seq"]
        await table.ask("set_allowed", attack=2, defence=None)
        body = {"id": "late", "command": "accept_throw", "args": {}, "expected_seq": seen}

        async with table.screen.post("/v1/commands", json=body) as answer:
            assert (409, "moved-on") == (answer.status, (await answer.json())["problem"])


async def test_draft_survives_a_restart_and_the_confirmation_empties_it(tmp_path: Path) -> None:
    """A half-typed board is as durable as a fact."""
    async with open_table(tmp_path) as table:
        await table.playing()
        await table.ask("sound_tijd", pin=PIN)
        async with table.screen.put("/v1/draft", json={"page": "asia"}) as answer:
            assert 200 == answer.status

    async with open_table(tmp_path) as table:
        async with table.screen.get("/v1/draft") as answer:
            assert {"page": "asia"} == await answer.json()
        await table.ask("confirm_board", players=_board())
        async with table.screen.get("/v1/draft") as answer:
            assert {} == await answer.json()


async def test_events_nudge_at_each_fact_and_tell_the_clock(tmp_path: Path) -> None:
    """A client hears the newest record at once, again when facts come, and the clock in between."""
    async with open_table(tmp_path) as table:
        await table.playing()
        async with table.screen.get("/v1/events") as stream:
            first = await _messages(stream, 2)
            await table.ask("end_turn")
            more = await _messages(stream, 2)

        assert ["seq", "live"] == [kind for kind, _data in first]
        assert first[1][1]["clock"]["running"]
        assert first[0][1]["seq"] == first[1][1]["seq"]
        assert first[0][1]["seq"] < max(data["seq"] for kind, data in more if kind == "seq")


async def _messages(stream: Any, count: int) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    kind = ""
    async with asyncio.timeout(5):
        while len(found) < count:
            line = (await stream.content.readline()).decode().strip()
            if line.startswith("event:"):
                kind = line.removeprefix("event:").strip()
            elif line.startswith("data:"):
                found.append((kind, json.loads(line.removeprefix("data:"))))
    return found


async def test_hub_may_sound_and_start_but_not_play(tmp_path: Path) -> None:
    """The organiser's door gives the signal for all tables; throwing and signing are for the people at the table."""
    async with open_table(tmp_path) as table:
        await table.playing()
        answers = []
        for number, command in enumerate(("call_throw", "close_table", "sound_tijd")):
            body = {"id": f"hub-{number}", "command": command, "args": {}}
            async with table.hub.post("/v1/commands", json=body) as answer:
                answers.append(answer.status)

        assert [403, 409, 200] == answers
        assert "organiser" == (await table.state())["tijd"]["source"]
        async with table.hub.put("/v1/pin", json={"pin": "1111"}) as answer:
            assert 403 == answer.status


async def test_journal_is_handed_out_in_parts(tmp_path: Path) -> None:
    """After and limit, with the head and the table's id beside it."""
    async with open_table(tmp_path) as table:
        await table.playing()
        async with table.hub.get("/v1/journal?after=2&limit=3") as answer:
            lines = [json.loads(line) for line in (await answer.text()).splitlines()]
            head = int(answer.headers["X-Journal-Head"])
            assert "7" == answer.headers["X-Journal-Table"]

        assert [3, 4, 5] == [line["seq"] for line in lines]
        assert table.service.seq == head


async def test_a_second_signal_is_not_offered(tmp_path: Path) -> None:
    """The referee may give the signal once; after it the screen shows no button for it."""
    async with open_table(tmp_path) as table:
        await table.playing()
        before = (await table.state())["may_referee"]
        await table.ask("sound_tijd", pin=PIN)

        after = (await table.state())["may_referee"]

    assert (True, False) == ("sound_tijd" in before, "sound_tijd" in after)
