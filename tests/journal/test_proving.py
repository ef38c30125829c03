"""What `companion journal verify` says of a secret length that was kept: proved, open, lost, out of step."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.journal.checking import check
from tests.journal.seal_facts import (
    BACK,
    BEGUN,
    CLAIMED,
    CLOSED,
    IN_HALL,
    LOST,
    MIN_MS,
    OPENED,
    OTHER,
    PLAY,
    SEALED,
    SECRET,
    Fact,
    added,
    at,
    came_back,
    cut,
    lines,
    paused,
    resumed,
    revealed,
    ruled,
    sealed,
    sounded,
)

ARMED_LATE = at(20, "tijd.armed", by="organiser", why="late")
HONEST: dict[str, tuple[list[Fact], list[str]]] = {
    "not over": ([*PLAY], ["seal-open"]),
    "rung by the table": ([*PLAY, sounded(113), revealed(113)], ["seal-proved"]),
    "rung by the hub, some ms early": ([*IN_HALL, sounded(112.9999, "organiser"), revealed(120)], ["seal-proved"]),
    "extra time": ([*PLAY, added(20), sounded(118), revealed(118)], ["seal-proved"]),
    "extra time for all": ([*IN_HALL, added(20, by="hub"), sounded(118, "organiser"), revealed(120)], ["seal-proved"]),
    "a pause": ([*PLAY, paused(20, 20), resumed(30, 20), sounded(123, elapsed=113), revealed(123)], ["seal-proved"]),
    "a claim refused": ([*PLAY, CLAIMED, BACK, sounded(123, elapsed=113), revealed(123)], ["seal-proved"]),
    "a claim refused in a pause": (
        [*PLAY, paused(20, 20), CLAIMED, BACK, resumed(50, 20), sounded(143, elapsed=113), revealed(143)],
        ["seal-proved"],
    ),
    "the last player was not": (
        [
            *PLAY,
            at(30, "board.frozen", why="last_player"),
            at(40, "player.reinstated", player="a"),
            sounded(123, elapsed=113),
            revealed(123),
        ],
        ["seal-proved"],
    ),
    "the service came back": (
        [
            *PLAY,
            came_back(20, away=0),
            sounded(113),
            revealed(113),
        ],
        ["seal-proved"],
    ),
    "the program did not run when it was over": (
        [*PLAY, ruled(90), came_back(115, away=4), sounded(115), revealed(115)],
        ["seal-proved", "seal-absent"],
    ),
    "the program did not run, nobody knows how long": (
        [*PLAY, ruled(90), came_back(115, away=None), sounded(115), revealed(115)],
        ["seal-proved", "seal-absent"],
    ),
    "power, time away counts": (
        [
            *PLAY,
            ruled(20),
            cut(-8, 20),
            at(-7, "absence.told", away_ms=3 * MIN_MS),
            resumed(-6, 23),
            sounded(84, elapsed=113),
            revealed(84),
        ],
        ["seal-proved"],
    ),
    "power, then a cut in the pause": (
        [*PLAY, ruled(20), cut(-8, 20), cut(-9, 20), resumed(-6, 20), sounded(87, elapsed=113), revealed(87)],
        ["seal-proved"],
    ),
    "power, play before it untold": (
        [*PLAY, ruled(20), cut(-8, 22), resumed(-6, 22), sounded(85, elapsed=113), revealed(85)],
        ["seal-proved", "seal-power"],
    ),
    "closed without a signal": ([*PLAY, CLOSED, revealed(130)], ["seal-proved"]),
    "lost, told by the hub": (
        [*IN_HALL, LOST, sounded(113, "organiser"), revealed(120)],
        ["seal-lost", "seal-proved"],
    ),
    "lost, not over": ([*PLAY, LOST], ["seal-lost", "seal-open"]),
    "the hall still plays": ([*IN_HALL, sounded(113)], ["seal-waits"]),
    "stood while the hall played": (
        [*IN_HALL, paused(20, 20), resumed(25, 20), sounded(113, "organiser", elapsed=108), revealed(120)],
        ["seal-proved", "seal-out-of-step"],
    ),
    "stands at the hall's signal": (
        [*IN_HALL, paused(108, 108), sounded(113, "organiser", elapsed=108), revealed(120)],
        ["seal-proved", "seal-out-of-step"],
    ),
    "own extra time, the hall had none": (
        [*IN_HALL, added(20), sounded(113, "organiser"), revealed(120)],
        ["seal-proved", "seal-out-of-step"],
    ),
    "cut off while the hall played": (
        [*IN_HALL, ruled(20), cut(-8, 20), resumed(-6, 20), sounded(80, "organiser", elapsed=106), revealed(90)],
        ["seal-proved", "seal-out-of-step"],
    ),
    "a reason just before": (
        [*PLAY, ruled(94), sounded(95, "referee"), revealed(95)],
        ["seal-proved", "seal-overruled"],
    ),
    "sealed anew in a pause": (
        [
            *IN_HALL,
            paused(20, 20),
            sealed(20, OTHER, why="pause"),
            resumed(25, 20),
            sounded(100, elapsed=95),
            revealed(100, OTHER),
            revealed(120),
        ],
        ["seal-proved", "seal-proved"],
    ),
    "sealed anew in a pause of the hall that came late": (
        [
            *IN_HALL,
            paused(20, 20, "hub"),
            sealed(20, OTHER, why="late"),
            resumed(25, 20, "hub"),
            sounded(100, elapsed=95),
            revealed(100, OTHER),
            revealed(120),
        ],
        ["seal-proved", "seal-proved"],
    ),
    "a pause of the hall came late, and the hall's signal after its own": (
        [*IN_HALL, paused(20, 20, "hub"), ARMED_LATE, resumed(21, 20, "hub"), sounded(120, "organiser", elapsed=119)],
        ["seal-waits"],
    ),
    "so it did, and the length is told": (
        [
            *IN_HALL,
            paused(20, 20, "hub"),
            ARMED_LATE,
            resumed(21, 20, "hub"),
            sounded(120, "organiser", elapsed=119),
            revealed(120),
        ],
        ["seal-proved", "seal-out-of-step"],
    ),
    "sealed anew with extra time": (
        [*IN_HALL, added(20), sealed(20, OTHER, why="extra_time"), sounded(100), revealed(100, OTHER), revealed(120)],
        ["seal-proved", "seal-proved"],
    ),
    "sealed anew after a claim": (
        [
            *IN_HALL,
            CLAIMED,
            BACK,
            sealed(40, OTHER, why="claim"),
            sounded(105, elapsed=95),
            revealed(105, OTHER),
            revealed(120),
        ],
        ["seal-proved", "seal-proved"],
    ),
    "sealed anew after a power cut": (
        [
            *IN_HALL,
            ruled(20),
            cut(-8, 20),
            sealed(-8, OTHER, why="power"),
            resumed(-6, 20),
            sounded(69, elapsed=95),
            revealed(69, OTHER),
            revealed(90),
        ],
        ["seal-proved", "seal-proved"],
    ),
    "a trial": (
        [at(-5, "table.opened", **(OPENED[2] | {"scale": 60.0})), SEALED, BEGUN, sounded(2, elapsed=120)],
        ["seal-hidden", "seal-trial"],
    ),
    "nothing was sealed": ([OPENED, BEGUN, added(1, 5), sounded(113), sounded(114), revealed(114)], []),
    "no game": ([SEALED, sounded(113)], []),
}


@pytest.mark.parametrize("case", [name for name in HONEST if name != "a trial"])
def test_honest_journals_hold(tmp_path: Path, case: str) -> None:
    """Whatever a table does by itself is told and no problem."""
    facts, codes = HONEST[case]
    verdict = check(lines(tmp_path, *facts))

    assert (codes, True) == ([finding.code for finding in verdict.findings], verdict.holds)


def test_trial_is_told(tmp_path: Path) -> None:
    """A clock that ran faster than a game is not one that anybody plays by."""
    facts, codes = HONEST["a trial"]
    verdict = check(lines(tmp_path, *facts))

    assert codes == [finding.code for finding in verdict.findings]
    assert "its clock ran 60 times as fast" in verdict.findings[-1].message


def test_proof_is_told_in_words(tmp_path: Path) -> None:
    """With the line that anybody can hash."""
    place = lines(tmp_path, *PLAY, sounded(113), revealed(113))
    told = CliRunner().invoke(main, ["journal", "verify", str(place)])

    assert 0 == told.exit_code
    assert f"113 minutes, the SHA-256 of 'tijd 113 minutes {SECRET.salt}' is the seal" in told.output
