"""The secret length at the table: kept before it is sealed, found again, rung by, revealed, and never made up anew."""

from __future__ import annotations

import asyncio
import stat
from pathlib import Path
from typing import Any

import pytest

from companion.hw.clock import boot_ns
from companion.journal import JournalError, NewRecord
from companion.journal.checking import check
from companion.journal.export import export, restore
from companion.lan.boxes import Question
from companion.lan.lengths import TURN_NS, letter
from companion.lan.messages import Proof
from companion.session import commands as c
from companion.session.seal import Secret
from companion.table.secret import TableKey
from tests.table.rig import PIN, PLAYERS, TestTable, open_table

OWN = {"secret_time": "random", "same_for_all_tables": False}
SALT = "0123456789abcdef" * 2
CHANCE: dict[str, Any] = {"number": lambda: 7, "salt": lambda: SALT}
"""What makes the table draw 97 minutes."""

DRAWN = Secret(97, SALT)
HALL = Secret(113, "fedcba9876543210" * 2)


async def from_hub(table: TestTable, command: str, **args: Any) -> tuple[int, dict[str, Any]]:
    """Send a command as the hub; status and body."""
    body = {"id": table.ids(), "command": command, "args": args}
    async with table.hub.post("/v1/commands", json=body) as answer:
        return answer.status, await answer.json()


async def played_for(table: TestTable, ms: int) -> None:
    """A power cut after `ms` of play, and the referee lets the clock run on."""
    table.service.carry_out(c.Recover(events=9, same_boot=False, away_ms=None, elapsed_ms=ms), "rig")
    await table.ask("resume_clock", pin=PIN)


def kinds(table: TestTable) -> list[str]:
    """Types of all records."""
    return [record.type for record in table.service.journal.all()]


async def test_secret_is_kept_for_the_service_alone(tmp_path: Path) -> None:
    """Mode 0600, and the same size whatever was drawn."""
    async with open_table(tmp_path, **CHANCE) as table:
        await table.ready(**OWN)
        before = (tmp_path / "tijd.secret").exists()
        await table.ask("start_game")
        found = (tmp_path / "tijd.secret").stat()
    async with open_table(tmp_path / "other", number=lambda: 25, salt=lambda: "f" * 32) as other:
        await other.ready(**OWN)
        await other.ask("start_game")
        size = (tmp_path / "other" / "tijd.secret").stat().st_size

    assert (False, 0o600, size) == (before, stat.S_IMODE(found.st_mode), found.st_size)
    assert 0o600 == stat.S_IMODE((tmp_path / "table.key").stat().st_mode)


async def test_clock_rings_at_the_sealed_length_and_everybody_can_check_it(tmp_path: Path) -> None:
    """The signal comes after 97 minutes of play; length and salt follow, and the journal proves them."""
    async with open_table(tmp_path, scale=100.0, **CHANCE) as table:
        await table.ready(**OWN)
        await table.ask("start_game")
        await played_for(table, 97 * 60_000 - 20_000)
        state = await table.until(lambda state: state["tijd"] is not None and state["sealed"][0]["text"])

        assert ("clock", 97, f"tijd 97 minutes {SALT}") == (
            state["tijd"]["source"], state["sealed"][0]["minutes"], state["sealed"][0]["text"],
        )  # fmt: skip
        # How exactly it rings is measured by the bench; here, that it is this length and no shorter one.
        assert 97 * 60_000 <= state["tijd"]["elapsed_ms"]
    verdict = check(tmp_path)

    found = ["seal-proved", "seal-trial", "seal-power"]
    assert (True, found) == (verdict.holds, [finding.code for finding in verdict.findings])


async def test_seal_without_its_secret_on_the_disk_is_never_written(tmp_path: Path) -> None:
    """A disk that refuses the secret refuses the start."""
    async with open_table(tmp_path, **CHANCE) as table:
        await table.ready(**OWN)
        (tmp_path / "tijd.secret.new").mkdir()
        status, body = await table.send("start_game")

        assert (507, "journal-unwritable", "ready") == (status, body["problem"], (await table.state())["phase"])


async def test_same_secret_is_found_after_a_power_cut(tmp_path: Path) -> None:
    """The clock stands, and runs on to the same end."""
    async with open_table(tmp_path, **CHANCE) as table:
        await table.ready(**OWN)
        await table.ask("start_game")
    async with open_table(tmp_path, boot="boot-2", number=lambda: 20) as table:
        await table.ask("resume_clock", pin=PIN)
        clock, due_ns = table.service.state.running_clock(), table.service.tijd.due_ns()

        assert (clock.due_ns(97 * 60_000), 1) == (due_ns, kinds(table).count("tijd.sealed"))
        assert "tijd.lost" not in kinds(table)


def spoil(path: Path, how: str) -> None:
    """Something happens to the file."""
    if how == "missing":
        path.unlink()
    elif how == "altered":
        path.write_text(path.read_text().replace("0097", "0098"))
    elif how == "cut":
        path.write_text("{")
    elif how == "link":
        path.unlink()
        path.symlink_to("/dev/null")
    else:
        path.chmod(0o644)


@pytest.mark.parametrize(
    ("how", "why"),
    [("missing", "missing"), ("altered", "altered"), ("cut", "altered"), ("link", "altered"), ("exposed", "exposed")],
)
async def test_lost_secret_is_said_and_people_rule(tmp_path: Path, how: str, why: str) -> None:
    """Nothing is drawn anew, nothing rings by itself, and it is said once."""
    async with open_table(tmp_path, **CHANCE) as table:
        await table.ready(**OWN)
        await table.ask("start_game")
    spoil(tmp_path / "tijd.secret", how)
    for _start in range(2):
        async with open_table(tmp_path, **CHANCE) as table:
            state = await table.state()
            due_ns, told = table.service.tijd.due_ns(), kinds(table)

    assert (why, None, 1, 1) == (
        state["sealed"][0]["lost"], due_ns, told.count("tijd.lost"), told.count("tijd.sealed"),
    )  # fmt: skip
    assert "clock" == state["referee_called"]["by"]
    assert ["secret-lost"] == [item["code"] for item in state["health"] if item["part"] == "clock"]


async def test_game_that_ends_without_a_signal_reveals_its_length_when_it_is_closed(tmp_path: Path) -> None:
    """A claim may still be refused; a closed table is over."""
    async with open_table(tmp_path, **CHANCE) as table:
        await table.ready(**OWN)
        await table.ask("start_game")
        await table.ask("claim_mission", player="anna")
        before = (await table.state())["sealed"][0]["minutes"]
        await table.ask("withdraw_claim", pin=PIN, reason="one land short")
        await table.ask("sound_tijd", pin=PIN)

        assert (None, 97) == (before, (await table.state())["sealed"][0]["minutes"])


# ------------------------------------------------------------ from the hub


async def sent(table: TestTable, secret: Secret = HALL, *, to: str = "7", **other: Any) -> tuple[int, dict[str, Any]]:
    """The hub's start with a letter to table `to`."""
    async with table.hub.get("/v1/key") as answer:
        told = await answer.json()
    box = letter(secret, table=to, game="r1-t7", public=bytes.fromhex(told["key"]), turn=told["turn"])
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
        ({"secret": Secret(121, SALT)}, "length-not-allowed"),
    ],
)
async def test_letter_that_does_not_fit_starts_nothing(tmp_path: Path, other: dict[str, Any], problem: str) -> None:
    """For another table, changed, about another seal, or with a length that the phase does not allow."""
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
        box = letter(HALL, table="7", game="r1-t7", public=table.service.secrets.key.public, turn=turn)
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
    """With the PIN, after the longest game that any table could play, from what the table keeps; a player can't."""
    async with open_table(tmp_path) as table:
        await table.ready()
        await sent(table)
        playing, _ = await table.send("reveal_tijd", pin=PIN)
        await table.ask("sound_tijd", pin=PIN)
        early, body = await table.send("reveal_tijd", pin=PIN)

        assert (422, 422, "hall-may-run", 120) == (playing, early, body["problem"], body["values"]["wait_min"])
        player, _ = await table.send("reveal_tijd")
        monkeypatch.setattr("companion.table.service.boot_ns", lambda: boot_ns() + 121 * 60 * 10**9)
        await table.ask("reveal_tijd", pin=PIN)

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


def test_key_of_the_table_stays_the_same(tmp_path: Path) -> None:
    """And a file that is no key is replaced by one."""
    first = TableKey(tmp_path / "table.key").public
    again = TableKey(tmp_path / "table.key")
    (tmp_path / "table.key").write_bytes(b"")
    other = TableKey(tmp_path / "table.key")

    assert (first, False) == (again.public, other.public == first)
    assert 19 == len(again.fingerprint)


async def test_referee_s_key_ends_a_game_that_no_clock_ends(tmp_path: Path) -> None:
    """Held, it sounds the signal; it is the referee's and ruled like any other."""
    async with open_table(tmp_path) as table:
        await table.ready()
        await table.ask("start_game")
        table.sim.button("referee").press(ms=1200)
        state = await table.until(lambda state: state["tijd"] is not None)

        assert ("referee", [("referee", "tijd.sounded")]) == (
            state["tijd"]["source"],
            [(r.by, r.type) for r in table.service.journal.all() if r.type == "tijd.sounded"],
        )


# ------------------------------------------------------------ copies


async def test_copies_hold_no_secret(tmp_path: Path) -> None:
    """An export before the end, restored elsewhere, says that the length is not there."""
    async with open_table(tmp_path / "here", **CHANCE) as table:
        await table.ready(**OWN)
        await table.ask("start_game")
        export(tmp_path / "here", tmp_path / "carried", with_names=True)
    held = b"".join(path.read_bytes() for path in (tmp_path / "carried").rglob("*") if path.is_file())
    restore(tmp_path / "carried", tmp_path / "there")
    async with open_table(tmp_path / "there") as table:
        lost = (await table.state())["sealed"][0]["lost"]

    assert (False, False, "missing") == (SALT.encode() in held, b'"minutes"' in held, lost)


async def test_restored_journal_still_proves_what_was_revealed(tmp_path: Path) -> None:
    """Seal and reveal travel with the facts, and so does who ended the game before its time."""
    async with open_table(tmp_path / "here", **CHANCE) as table:
        await table.ready(**OWN)
        await table.ask("start_game")
        await table.ask("sound_tijd", pin=PIN)
    export(tmp_path / "here", tmp_path / "carried")
    restore(tmp_path / "carried", tmp_path / "there")

    assert ["seal-proved", "seal-not-kept"] == [finding.code for finding in check(tmp_path / "there").findings]


async def test_length_that_a_full_disk_keeps_from_being_revealed_is_revealed_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The signal stands all the same."""
    async with open_table(tmp_path, **CHANCE) as table:
        await table.ready(**OWN)
        await table.ask("start_game")
        real = table.service.journal.append

        def full(rows: Any, **more: Any) -> Any:
            if rows[0].type == "tijd.revealed" and not refused:
                refused.append(boot_ns())
                raise JournalError("full")
            return real(rows, **more)

        refused: list[int] = []
        monkeypatch.setattr(table.service.journal, "append", full)
        await table.ask("sound_tijd", pin=PIN)
        late = (await table.state())["sealed"][0]["minutes"]
        await table.ask("call_referee")

        assert (None, 97) == (late, (await table.state())["sealed"][0]["minutes"])


async def test_length_that_a_power_cut_kept_from_being_revealed_is_revealed_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of a table that was closed, at which nothing else happens."""
    async with open_table(tmp_path, **CHANCE) as table:
        await table.ready(**OWN)
        await table.ask("start_game")
        monkeypatch.setattr(table.service.secrets, "to_reveal", lambda _state: None)
        await table.ask("sound_tijd", pin=PIN)
        at_ns = boot_ns()
        closed = NewRecord(type="table.closed", v=1, by="referee", at_ns=at_ns, data={"results": {}})
        table.service.journal.append([closed], boot="boot-1", wall="2026-11-30T20:00:00.000Z")
    async with open_table(tmp_path, boot="boot-2") as table:
        state = await table.state()

    assert ("closed", 97) == (state["phase"], state["sealed"][0]["minutes"])


async def test_wall_clock_that_jumps_is_noted_and_changes_nothing(tmp_path: Path) -> None:
    """A day forward and back: two records, and the clock of the game runs on."""
    async with open_table(tmp_path) as table:
        await table.playing()
        wall = table.service.pulse.wall
        real, day_ms = wall.read, 86_400_000
        for shift_ms in (day_ms, 0):
            wall.read = lambda shift_ms=shift_ms: real() + shift_ms
            async with asyncio.timeout(5):
                while kinds(table).count("clock.stepped") < (1 if shift_ms else 2):
                    await asyncio.sleep(0.05)
        steps = [r.data["by_ms"] for r in table.service.journal.all() if r.type == "clock.stepped"]
        elapsed_ms = (await table.state())["clock"]["elapsed_ms"]

    assert [1, -1] == [round(step / day_ms) for step in steps]
    assert 0 < elapsed_ms < 60_000
