"""How old what is shown is, and how it is said."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from companion.hub.app import age_text, clock_text
from companion.hub.hall import Contact, Trouble, natural
from companion.hub.texts import Texts, chosen_language
from companion.hub.views import ages, hall_view, trouble_view, without_ages
from companion.words import LANGUAGES, Words
from companion.words.keys_hub import SENTENCES

from .conftest import Bench
from .fake_table import SECOND_NS


async def test_ages_run_by_the_boot_clocks(bench: Bench) -> None:
    """The age of a fact is told by the table's own clock, whatever the wall clocks say, and grows with the hub's."""
    table, collector = await bench.table("7")
    table.wall = "1999-01-01T00:00:00.000Z"
    table.open_game("anna", "bram")
    table.now_ns += 5 * SECOND_NS
    await collector.visit()
    bench.clock.now_ns += 12 * SECOND_NS
    (seen,) = hall_view(bench.hall, now_ns=bench.clock(), now_wall=datetime(2026, 11, 29, tzinfo=UTC))["tables"]

    assert (17_000, 12_000, True) == (seen["event_age_ms"], seen["contact_age_ms"], seen["out_of_touch"])


async def test_without_the_tables_clock_the_wall_clock_must_do(bench: Bench) -> None:
    """A hub that never heard the table since its start tells the age of the newest fact by wall time."""
    table, collector = await bench.table("7")
    table.wall = "2026-11-29T20:00:00.000Z"
    table.open_game("anna", "bram")
    await collector.visit()
    again = await bench.again()
    now = datetime(2026, 11, 29, 20, 1, tzinfo=UTC)
    (seen,) = hall_view(again, now_ns=bench.clock(), now_wall=now)["tables"]

    assert (60_000, None, True) == (seen["event_age_ms"], seen["contact_age_ms"], seen["out_of_touch"])


@pytest.mark.parametrize("wall", ["yesterday", "2026-11-29T20:00:00"])
async def test_an_age_that_nobody_knows_is_none(bench: Bench, wall: str) -> None:
    """Where neither clock can tell, no number is made up."""
    table, collector = await bench.table("7")
    table.wall = wall
    table.open_game("anna", "bram")
    await collector.visit()
    again = await bench.again()
    (seen,) = hall_view(again, now_ns=bench.clock(), now_wall=datetime.now(UTC))["tables"]

    assert seen["event_age_ms"] is None


@pytest.mark.parametrize(
    ("clock", "after_s", "shown_ms"),
    [
        ({"running": True, "elapsed_ms": 60_000, "remaining_ms": 540_000, "scale": 1.0}, 5, 535_000),
        ({"running": True, "elapsed_ms": 60_000, "remaining_ms": 540_000, "scale": 30.0}, 5, 390_000),
        ({"running": False, "elapsed_ms": 60_000, "remaining_ms": 540_000, "scale": 1.0}, 5, 540_000),
        ({"running": True, "elapsed_ms": 60_000, "remaining_ms": None, "scale": 1.0}, 5, 65_000),
        ({"running": True, "elapsed_ms": 60_000, "remaining_ms": 1_000, "scale": 1.0}, 5, 0),
        ({"running": True, "elapsed_ms": 60_000, "remaining_ms": 540_000, "scale": 1.0}, 60, 540_000),
    ],
    ids=["down", "fast", "stands", "secret", "over", "out of touch"],
)
async def test_a_clock_runs_on_while_its_table_is_heard(
    bench: Bench, clock: dict[str, Any], after_s: int, shown_ms: int
) -> None:
    """The clock counts on between visits, and stands as last heard when the table is out of touch."""
    table, collector = await bench.table("7")
    table.open_game("anna", "bram")
    table.clock = clock
    await collector.visit()
    bench.clock.now_ns += after_s * SECOND_NS
    (seen,) = hall_view(bench.hall, now_ns=bench.clock(), now_wall=datetime.now(UTC))["tables"]

    assert shown_ms == seen["clock"]["shown_ms"]


@pytest.mark.parametrize("clock", [None, "late", {"running": "yes"}, {"running": True, "elapsed_ms": 1, "scale": "x"}])
async def test_a_strange_clock_is_not_shown(bench: Bench, clock: Any) -> None:
    """A clock that is not as documented is left out, and breaks nothing."""
    table, collector = await bench.table("7")
    table.open_game("anna", "bram")
    table.clock = clock
    await collector.visit()
    (seen,) = hall_view(bench.hall, now_ns=bench.clock(), now_wall=datetime.now(UTC))["tables"]

    assert seen["clock"] is None


async def test_time_alone_changes_no_board(bench: Bench) -> None:
    """A page is only rebuilt when something happened: ages and running clocks travel apart."""
    table, collector = await bench.table("7")
    table.open_game("anna", "bram")
    await collector.visit()
    views = []
    for _ in range(2):
        views.append(hall_view(bench.hall, now_ns=bench.clock(), now_wall=datetime.now(UTC)))
        bench.clock.now_ns += 3 * SECOND_NS

    assert (without_ages(views[0]), True) == (without_ages(views[1]), ages(views[0]) != ages(views[1]))


@pytest.mark.parametrize(
    ("age_ms", "text"),
    [
        (0, "0 s ago"),
        (119_999, "119 s ago"),
        (120_000, "2 min ago"),
        (7_199_000, "119 min ago"),
        (7_200_000, "2 h ago"),
    ],
)
def test_ages_are_said_as_people_say_them(age_ms: int, text: str) -> None:
    """Seconds to two minutes, minutes to two hours, then hours."""
    assert text == age_text(Texts("en"), age_ms)


def test_colour_of_a_box_that_we_do_not_know_is_shown_as_it_was_typed() -> None:
    """RisiKo! and Apoikia name no colours: whatever an army is called is a word."""
    assert ["rot", "rosso"] == [Texts("it").colour(colour) for colour in ("rot", "red")]


@pytest.mark.parametrize(("ms", "text"), [(-1, "0:00"), (243_999, "4:03"), (5_399_000, "1:29:59")])
def test_clocks_are_written_as_clocks(ms: int, text: str) -> None:
    """Hours only where there are any."""
    assert text == clock_text(ms)


@pytest.mark.parametrize(
    ("wanted", "accepted", "lang"),
    [("cs", "nl", "cs"), (None, "de-DE,en-GB;q=0.8", "en"), ("xx", "fr", "nl"), (None, "", "nl")],
)
def test_a_page_speaks_its_readers_language(wanted: str | None, accepted: str, lang: str) -> None:
    """The address first, then the browser, then the hub's own."""
    assert lang == chosen_language(wanted, accepted, "nl")


def test_every_sentence_is_there_in_every_language() -> None:
    """No sentence lacks a language, and all languages fill in the same values."""
    faults = {
        key: sorted(found)
        for key, found in SENTENCES.items()
        if tuple(sorted(found)) != tuple(sorted(LANGUAGES))
        or len({tuple(sorted(part.split("}")[0] for part in text.split("{")[1:])) for text in found.values()}) != 1
    }

    assert {} == faults


def test_unknown_trouble_shows_its_message() -> None:
    """A problem that the page has no words for is shown in the sender's, not swallowed."""
    strange = [("cold", {}), ("chain-broken", {"seq": "9"}), ("table-id-twice", {"table": "7"})]

    assert [
        "it is cold",
        "Regel 9 klopt niet en is niet overgenomen: controleer het logboek van deze tafel.",
        "it is cold",
    ] == [Texts("nl").trouble({"code": code, "message": "it is cold", "values": values}) for code, values in strange]


@pytest.mark.parametrize(
    ("problem", "why"),
    [
        ("already-paused", "De klok staat al stil."),
        ("unreachable", "Antwoordt niet: staat de tafel aan, en hangt zij aan het net?"),
        ("", "it is cold"),
    ],
)
def test_what_a_table_refused_is_said_in_the_page_s_language(problem: str, why: str) -> None:
    """Codes travel, words are made where they are read; only a code that nobody here knows comes with its message."""
    because = Trouble(code=problem, message="it is cold", values={"reason": "dispute"})
    trouble = Trouble(code="hall-refused", message="-", values={"what": "pause_clock"}, because=because)

    assert f"Deed niet wat de zaal doet (klok stilzetten): {why}" == Texts("nl").trouble(trouble_view(trouble))


def test_a_table_s_own_problem_is_told_in_the_page_s_language() -> None:
    """Its journal can't be read, say."""
    trouble = Trouble(code="internal", message="GET /v1/journal failed", values={"path": "/v1/journal"})

    assert Words("it").say("problem.internal") == Texts("it").trouble(trouble_view(trouble))


def test_tables_stand_in_natural_order() -> None:
    """Table 2 comes before table 10, and letters keep their own order."""
    assert ["2", "10", "a2", "a10", "b1"] == sorted(["b1", "10", "a10", "2", "a2"], key=natural)


def test_a_contact_starts_unheard() -> None:
    """Nothing is claimed of a table before it has answered."""
    contact = Contact(address="unix:/x")

    assert (None, None, None) == (contact.heard_ns, contact.trouble, contact.table)
