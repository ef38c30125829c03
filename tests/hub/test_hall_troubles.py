"""What goes wrong between a hub and its tables is said, asked again, and never given away."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from companion.hub.hall import Contact
from companion.hub.lengths import MS_PER_MIN, LengthStore
from companion.hub.texts import Texts
from companion.hub.views import hall_view, trouble_view
from companion.lan.messages import Proof
from companion.lan.problems import Problem
from tests.table.rig import PIN

from .cables import answer_lost, client_of, deafened, instead
from .hall_rig import a_hall


async def test_an_order_reaches_a_table_that_was_not_heard_when_it_is(tmp_path: Path) -> None:
    """Until then it is out of step, for the director and on the page; and also where it came too late."""
    async with a_hall(tmp_path, "1", "2") as rig:
        director = rig.director()
        await director.start(minutes=113)
        await rig.visit()
        asked, plug = deafened(rig, "2")
        told = await director.add(None, 5, "fire alarm")
        await director.look()
        waiting = director.told()["halls"][0]["out_of_step"]
        view = hall_view(rig.hall, now_ns=rig.now_ns(), now_wall=datetime.now(UTC))
        plug()
        again = rig.director()
        rig.ahead_ms = 60_000
        await rig.visit()
        await again.look()
        lengths = [table.service.length_ms for table in rig.tables.values()]

        assert (["1"], ["2"], ["add_time"]) == (told["tables"], list(told["refused"]), [what for _id, what in asked])
        assert {"2": ["out of step: add_time of the hall has not reached it yet"]} == waiting
        assert [[], ["hall-waits"]] == [[one["code"] for one in table["amiss"]] for table in view["tables"]]
        assert [118 * MS_PER_MIN] * 2 == lengths
        assert ["hall-late"] == [one.code for one in rig.hall.amiss["2"]]


@pytest.mark.parametrize("heard_after_ms", [1_000, 60_000])
async def test_a_table_that_missed_the_halls_pause_leaves_its_time(tmp_path: Path, heard_after_ms: int) -> None:
    """It was cut off while the hall stood: unless it is heard at once, its clock rings for the hall no more."""
    async with a_hall(tmp_path, "1", "2") as rig:
        director = rig.director()
        await director.start(minutes=113)
        await rig.visit()
        _asked, plug = deafened(rig, "2")
        await director.pause(None, "fire alarm")
        plug()
        rig.ahead_ms = heard_after_ms
        await rig.visit()
        await director.look()
        sealed = [table.service.state.sealed for table in rig.tables.values()]

        armed = [one.armed_by for one in sealed if one is not None]
        assert (["clock", "clock"] if heard_after_ms < 5_000 else ["clock", "organiser"]) == armed


async def test_a_pause_whose_answer_was_lost_was_in_time(tmp_path: Path) -> None:
    """The table stood with its hall, and is asked again much later only because nobody heard it say so."""
    async with a_hall(tmp_path, "1", "2") as rig:
        director = rig.director()
        await director.start(minutes=113)
        await rig.visit()
        with instead(rig, "2", "command", answer_lost):
            await director.pause(None, "fire alarm")
        rig.ahead_ms = 60_000
        await rig.visit()
        await director.look()
        sealed = rig.tables["2"].service.state.sealed

        assert sealed is not None
        assert ("clock", ()) == (sealed.armed_by, rig.hall.amiss.get("2", ()))


async def test_an_order_that_a_table_refuses_is_said(tmp_path: Path) -> None:
    """It stands already, say; nobody else waits for it, and it is not asked for ever."""
    async with a_hall(tmp_path, "1", "2") as rig:
        director = rig.director()
        await director.start(minutes=113)
        await rig.visit()
        await rig.tables["2"].ask("pause_clock", pin=PIN, reason="a glass fell over")
        told = await director.pause(None, "fire alarm")
        asked, _plug = deafened(rig, "2")
        await director.look()

        assert (["1"], ["2"], []) == (told["tables"], list(told["refused"]), asked)
        assert ["hall-refused"] == [one.code for one in rig.hall.amiss["2"]]
        said = [Texts("nl").trouble(trouble_view(one)) for one in rig.hall.amiss["2"]]
        assert ["Deed niet wat de zaal doet (klok stilzetten): De klok staat al stil."] == said
        (order,) = LengthStore(rig.folder).halls["hall1"].orders
        assert {"2": "already-paused"} == {table: why.problem for table, why in order.refused.items()}


async def test_a_table_that_plays_hears_the_signal_and_not_the_length(tmp_path: Path) -> None:
    """Also after a reveal before its time; and it is asked less often the longer it refuses."""
    async with a_hall(tmp_path, "1", "2") as rig:
        director = rig.director()
        await director.start(minutes=113)
        await rig.visit()
        await rig.tables["1"].ask("sound_tijd", pin=PIN)
        await rig.collectors["1"].visit()
        asked, plug = deafened(rig, "2")
        rig.ahead_ms = 60_000
        await director.reveal("hall1", "the card of table 2 died")
        for _ in range(40):
            rig.ahead_ms += 250
            await director.look()
        refused = director.told()["halls"][0]["out_of_step"]["2"]
        plug()
        rig.ahead_ms += 10_000
        await director.look()
        signalled = (await rig.tables["2"].state())["tijd"], await rig.lengths()
        await rig.visit()
        await director.look()

        assert ({"sound_tijd"}, len(asked)) == ({what for _id, what in asked}, len({one for one, _what in asked}))
        assert 3 <= len(asked) <= 7
        assert ["it refused sound_tijd of the hall: the cable fell out"] == refused
        assert ("organiser", {"1": 113, "2": None}) == (signalled[0]["source"], signalled[1])
        assert {"1": 113, "2": 113} == await rig.lengths()


@pytest.mark.parametrize("fault", ["missing", "altered", "exposed"])
async def test_a_hub_says_that_it_has_lost_a_length(tmp_path: Path, fault: str) -> None:
    """In its log, to the director, and on the page; and the signal by hand is still asked for again."""
    async with a_hall(tmp_path, "1") as rig:
        await rig.director().start(minutes=113)
        await rig.visit()
        kept = rig.folder / "tijd.secret"
        match fault:
            case "missing":
                kept.unlink()
            case "altered":
                kept.write_bytes(kept.read_bytes().replace(b"0113", b"0112"))
            case _:
                kept.chmod(0o644)
        with capture_logs() as logged:
            director = rig.director()
        await director.look()

        assert [fault] == [line["why"] for line in logged]
        assert fault == director.told()["halls"][0]["lost"]
        assert [f"hall-length-{fault}"] == [one.code for one in rig.hall.amiss["1"]]


async def test_a_bad_key_stops_nobody_else(tmp_path: Path) -> None:
    """To all zeros nobody can write; an address at which nobody answers is told too."""
    async with a_hall(tmp_path, "1", "2") as rig:
        bad = rig.tables["2"].service.secrets.key
        bad.public = bytes(32)
        rig.hall.contacts["http://127.0.0.1:1"] = Contact(address="http://127.0.0.1:1")
        told = await rig.director().start(minutes=113)

        assert (["1"], {"2", "http://127.0.0.1:1"}) == (told["tables"], set(told["late"]))
        assert "its key is none" in told["late"]["2"]


async def test_a_key_that_nobody_confirmed_gets_no_letter(tmp_path: Path) -> None:
    """All that are ready are all that are known; a new one is told with its fingerprint, and may be trusted."""
    async with a_hall(tmp_path, "1", "2") as rig:
        store = LengthStore(rig.folder)
        (rig.folder / "table-keys.json").write_text('{"1": "00"}')
        with pytest.raises(Problem) as nobody:
            await rig.director().start(minutes=113)
        store.trust("1", store.keys["1"].key, store.keys["1"].address)
        (rig.folder / "table-keys.json").write_text(
            (rig.folder / "table-keys.json").read_text().replace(store.keys["2"].address, "http://127.0.0.1:1")
        )
        director = rig.director()
        one = await director.start(minutes=113)
        with pytest.raises(Problem) as moved:
            await director.start(("2",), 113, trust_new=True)
        shown = rig.tables["2"].service.secrets.key.fingerprint

        assert ("no-table-ready", "key-changed") == (nobody.value.code, moved.value.code)
        assert (["1"], True) == (one["tables"], shown in one["late"]["2"])
        (rig.folder / "table-keys.json").unlink()
        assert ["2"] == (await rig.director().start(("2",), 113, trust_new=True))["tables"]


async def test_ids_of_the_hub_can_not_be_guessed(tmp_path: Path) -> None:
    """Nor does a new hub that begins at hall1 again ask under an id that was used."""
    async with a_hall(tmp_path, "1", "2") as rig:
        ids = []
        for table in ("1", "2"):
            asked, plug = deafened(rig, table)
            await rig.director().start((table,), 113)
            plug()
            ids += [one for one, _what in asked]
            (rig.folder / "halls.json").unlink()

        assert (2, [32, 32]) == (len(set(ids)), [len(one) for one in ids])


async def test_records_without_the_table_s_key_reveal_nothing(tmp_path: Path) -> None:
    """An end that somebody made up is believed by nobody, whatever the director says: the real table plays on."""
    async with a_hall(tmp_path, "1", "2") as rig:
        director = rig.director()
        await director.start(minutes=113)
        await rig.visit()
        for table in rig.tables.values():
            await table.ask("sound_tijd", pin=PIN)
        await rig.visit()
        client = client_of(rig, "2")
        true, forged = client.proof, []

        async def other_head(asked: str) -> Proof:
            said = await true(asked)
            forged.append(msgspec.structs.replace(said, seq=said.seq - 1))
            return forged[-1]

        client.proof = other_head  # type: ignore[method-assign]
        await director.look()
        waiting = await rig.lengths(), [one.code for one in rig.hall.amiss["2"]]
        with pytest.raises(Problem) as refusal:
            await director.reveal("hall1", "I want to know")
        client.proof = true  # type: ignore[method-assign]
        await rig.visit()
        await director.look()

        assert (1, ({"1": None, "2": None}, ["hall-unproved"])) == (len(forged), waiting)
        assert ("still-playing", ["2"]) == (refusal.value.code, refusal.value.values["tables"])
        assert {"1": 113, "2": 113} == await rig.lengths()


async def test_length_is_told_in_a_letter_too(tmp_path: Path) -> None:
    """On the wire nobody reads it before the table's own journal tells it."""
    async with a_hall(tmp_path, "1") as rig:
        director = rig.director()
        await director.start(minutes=113)
        await rig.tables["1"].ask("sound_tijd", pin=PIN)
        await rig.visit()
        client, sent = client_of(rig, "1"), []
        send = client.command

        async def overheard(*args: Any, **more: Any) -> Any:
            sent.append(args)
            return await send(*args, **more)

        client.command = overheard  # type: ignore[method-assign]
        await director.look()

        assert (["reveal_tijd"], {"seal", "box"}) == ([one[1] for one in sent], set(sent[0][2]))
        assert 113 == (await rig.sealed("1"))["minutes"]
