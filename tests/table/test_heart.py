"""What is known after an absence: boot, heartbeat and the journal's newest record, each for what it is worth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from companion.session import commands as c
from companion.session.snapshot import TableState
from companion.table.heart import Absence, Beat, Heart, Pulse, absence, wall_ms
from tests.session.play import Game, S
from tests.table.rig import open_table


def _playing() -> Game:
    game = Game().playing()
    game.now_ns += 300 * S
    game.do(c.Note(code="x"), "rig")
    return game


def _found(game: Game, last: Beat | None, *, boot: str = "new", is_wall_right: bool = True) -> Absence:
    return absence(
        game.state,
        last,
        journal_boot="old",
        newest_ns=game.now_ns,
        opened_seq=10,
        boot=boot,
        now_ns=7 * S,
        now_wall_ms=1_000_000,
        is_wall_right=is_wall_right,
    )


def test_heartbeat_tells_more_than_the_newest_fact() -> None:
    """A second or two are lost, not the minutes since the last throw."""
    beat = Beat(boot="old", at_ns=1, wall_ms=940_000, elapsed_ms=420_000, seq=30)

    assert Absence(same_boot=False, away_ms=60_000, elapsed_ms=420_000) == _found(_playing(), beat)


def test_newest_fact_tells_more_than_nothing() -> None:
    """Without a heartbeat the clock does not begin anew: so much of the game had gone at least."""
    found = _found(_playing(), None)

    assert (False, None) == (found.same_boot, found.away_ms)
    assert 300_000 <= found.elapsed_ms < 301_000


def test_heartbeat_of_another_game_tells_nothing_of_this_one() -> None:
    """A beat that could not be written leaves the last game's; it must not end this one at once."""
    older = Beat(boot="old", at_ns=1, wall_ms=940_000, elapsed_ms=5_400_000, seq=9)
    other_boot = Beat(boot="older", at_ns=1, wall_ms=940_000, elapsed_ms=5_400_000, seq=30)

    for beat in (older, other_boot):
        found = _found(_playing(), beat)
        assert (None, True) == (found.away_ms, found.elapsed_ms < 301_000)


def test_what_was_written_after_the_last_beat_shows_that_the_table_was_there() -> None:
    """A beat of an earlier game, in the same run of the machine, makes no absence of hours."""
    game = _playing()
    beat = Beat(boot="old", at_ns=1, wall_ms=1, elapsed_ms=5_400_000, seq=9)

    found = absence(
        game.state, beat, journal_boot="old", newest_ns=game.now_ns, opened_seq=10, boot="old",
        now_ns=game.now_ns + 3 * S, now_wall_ms=1, is_wall_right=True,
    )  # fmt: skip

    assert (True, 3_000) == (found.same_boot, found.away_ms)


async def test_heart_beats_for_a_board_that_is_being_recorded(tmp_path: Path) -> None:
    """Not while it plays alone: an absence is reckoned from it in every phase."""
    async with open_table(tmp_path) as table:
        await table.playing()
        await table.ask("claim_mission", player="anna", mission="africa_asia")
        table.service.beat_once()
        beat = table.service.pulse.heart.last()

        assert table.service.seq == (beat.seq if beat else 0)


def test_wall_clock_that_went_back_knows_no_absence() -> None:
    """A Pi without a battery wakes up in the past."""
    beat = Beat(boot="old", at_ns=1, wall_ms=2_000_000, elapsed_ms=420_000, seq=30)

    assert (None, 420_000) == (_found(_playing(), beat).away_ms, _found(_playing(), beat).elapsed_ms)


def test_table_without_a_clock_has_no_time_to_lose() -> None:
    """Nothing was opened yet."""
    found = absence(
        TableState(), None, journal_boot="old", newest_ns=1, opened_seq=0, boot="new", now_ns=1, now_wall_ms=1,
        is_wall_right=True,
    )  # fmt: skip

    assert Absence(same_boot=False, away_ms=None, elapsed_ms=0) == found


def test_wall_clock_that_nothing_keeps_right_knows_no_absence() -> None:
    """It goes on from the hour of its shutdown, and would tell of a few seconds where there were ten minutes."""
    beat = Beat(boot="old", at_ns=1, wall_ms=940_000, elapsed_ms=420_000, seq=30)

    assert Absence(same_boot=False, away_ms=None, elapsed_ms=420_000) == _found(_playing(), beat, is_wall_right=False)


class Told:
    """What a pulse has to say of an absence."""

    def __init__(self) -> None:
        self.away: list[tuple[int, str]] = []

    def __call__(self, command: c.TellAbsence, *, by: str) -> None:
        """Hear it."""
        self.away.append((command.away_ms, by))


def _back(tmp_path: Path, last: Beat, *, is_right: bool) -> tuple[Pulse, Told]:
    pulse, told = Pulse(Heart(tmp_path / "beat.json"), "new", lambda: is_right), Told()
    pulse.came_back(last, Absence(same_boot=False, away_ms=None, elapsed_ms=0))
    return pulse, told


def test_hub_tells_how_long_the_table_was_away(tmp_path: Path) -> None:
    """By its own wall clock then and now; once."""
    last = Beat(boot="old", at_ns=1, wall_ms=1, elapsed_ms=0, seq=1, hub_ms=5_000_000)
    pulse, told = _back(tmp_path, last, is_right=False)
    pulse.tell_by_wall(told)
    pulse.tell_by_hub(5_600_000, told)
    pulse.tell_by_hub(5_700_000, told)

    assert [(600_000, "hub")] == [(round(ms, -2), by) for ms, by in told.away]


def test_wall_clock_that_was_set_right_tells_it_too(tmp_path: Path) -> None:
    """The network's time came a while after the start."""
    last = Beat(boot="old", at_ns=1, wall_ms=wall_ms() - 300_000, elapsed_ms=0, seq=1)
    pulse, told = _back(tmp_path, last, is_right=True)
    pulse.tell_by_hub(1, told)
    pulse.tell_by_wall(told)

    assert [(300_000, "clock")] == [(round(ms, -3), by) for ms, by in told.away]


def test_clock_that_makes_no_sense_tells_nothing(tmp_path: Path) -> None:
    """The hub's was set back in between, or it was not heard before the cut."""
    for hub_ms in (5_000_000, None):
        pulse, told = _back(
            tmp_path, Beat(boot="old", at_ns=1, wall_ms=1, elapsed_ms=0, seq=1, hub_ms=hub_ms), is_right=False
        )
        pulse.tell_by_hub(4_000_000, told)

        assert [] == told.away


async def test_hub_s_clock_is_in_the_heartbeat_and_its_word_in_the_journal(tmp_path: Path) -> None:
    """From one visit before the cut and one after it; what makes no number is nobody's clock."""
    async with open_table(tmp_path) as table:
        await table.playing()
        for told in ("6000000", "yesterday", "9" * 40):
            await table.hub.get("/v1/state", headers={"X-Hub-Wall": told})
        table.service.beat_once()
        beat = table.service.pulse.heart.last()
        assert beat is not None
        table.service.pulse.heart.beat(replace(beat, wall_ms=beat.wall_ms + 86_400_000))
    async with open_table(tmp_path, boot="boot-2") as table:
        before = (await table.state())["recovered"]["away_ms"]
        await table.hub.get("/v1/state", headers={"X-Hub-Wall": "6300000"})
        state = await table.until(lambda state: state["recovered"]["away_ms"] is not None)

        assert (None, 300_000) == (before, round(state["recovered"]["away_ms"], -4))
        assert [("hub", "absence.told")] == [
            (r.by, r.type) for r in table.service.journal.all() if r.type == "absence.told"
        ]
        table.service.carry_out(c.TellAbsence(away_ms=1), "rig")
        assert state["recovered"] == (await table.state())["recovered"]
