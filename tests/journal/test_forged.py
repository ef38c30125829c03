"""A journal with a whole chain and a length that somebody chose during play: each way has its finding."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.journal.checking import check
from companion.session.seal import Secret
from tests.journal.seal_facts import (
    BEGUN,
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

AGAIN = (at(140, "table.opened", **OPENED[2]), at(141, "game.started"))
FORGED: dict[str, tuple[list[Fact], str, str]] = {
    "rung at 92, says 113": (
        [*PLAY, sounded(92, elapsed=113), revealed(92)],
        "seal-clock",
        "stamps of the records say 92:00",
    ),
    "the clock at 95": ([*PLAY, sounded(95), revealed(95)], "seal-not-kept", "ended by clock at 95:00, sealed 113:00"),
    "the organiser at 95": (
        [*IN_HALL, sounded(95, "organiser"), revealed(95)],
        "seal-not-kept",
        "ended by organiser at 95:00",
    ),
    "the referee at 95": ([*PLAY, sounded(95, "referee"), revealed(95)], "seal-not-kept", "ended by referee at 95:00"),
    "the referee late": (
        [*PLAY, sounded(119, "referee"), revealed(119)],
        "seal-not-kept",
        "ended by referee at 119:00",
    ),
    "two seconds early": ([*PLAY, sounded(113 - 2 / 60), revealed(113)], "seal-not-kept", "at 112:58"),
    "the program was back before it was over": (
        [*PLAY, ruled(90), came_back(100, away=4), sounded(115), revealed(115)],
        "seal-not-kept",
        "at 115:00",
    ),
    "the program was back, and the signal came later": (
        [*PLAY, ruled(90), came_back(115, away=4), sounded(117), revealed(117)],
        "seal-not-kept",
        "at 117:00",
    ),
    "the program stopped after it was over": (
        [*PLAY, ruled(90), came_back(117, away=2), sounded(117), revealed(117)],
        "seal-not-kept",
        "at 117:00",
    ),
    "extra time not waited for": ([*PLAY, added(20), sounded(113), revealed(113)], "seal-not-kept", "and 5:00 added"),
    "the clock has no reason": ([*PLAY, ruled(94), sounded(95), revealed(95)], "seal-not-kept", "ended by clock"),
    "a reason long ago": ([*PLAY, ruled(50), sounded(95, "referee"), revealed(95)], "seal-not-kept", "at 95:00"),
    "a penalty is no reason": (
        [*PLAY, ruled(94, "penalty"), sounded(95, "referee"), revealed(95)],
        "seal-not-kept",
        "at 95:00",
    ),
    "stood less than that": (
        [*IN_HALL, paused(20, 20), resumed(21, 20), sounded(96, "organiser", elapsed=95), revealed(96)],
        "seal-not-kept",
        "at 95:00",
    ),
    "all stood, so none is out of step": (
        [
            *IN_HALL,
            paused(20, 20, "hub"),
            resumed(25, 20, "hub"),
            sounded(113, "organiser", elapsed=108),
            revealed(120),
        ],
        "seal-not-kept",
        "at 108:00",
    ),
    "a pause that was none": (
        [*PLAY, paused(20, 20), resumed(20, 40), sounded(93, elapsed=113), revealed(93)],
        "seal-clock",
        "record 5 says that 40:00",
    ),
    "a cut that takes time back": (
        [*PLAY, ruled(20), cut(-8, 5), resumed(-6, 5), sounded(102, elapsed=113), revealed(102)],
        "seal-clock",
        "5:00",
    ),
    "sealed anew without cause": (
        [*IN_HALL, sealed(94, OTHER, why="pause"), sounded(95), revealed(95, OTHER)],
        "seal-late",
        "94:00 into the game",
    ),
    "sealed anew long after its cause": (
        [
            *IN_HALL,
            paused(20, 20),
            resumed(21, 20),
            sealed(94, OTHER, why="pause"),
            sounded(96, elapsed=95),
            revealed(96, OTHER),
        ],
        "seal-late",
        "93:00 into the game",
    ),
    "sealed anew because all stood": (
        [
            *IN_HALL,
            paused(20, 20, "hub"),
            sealed(20, OTHER, why="pause"),
            resumed(20, 20, "hub"),
            sounded(95),
            revealed(95, OTHER),
        ],
        "seal-late",
        "20:00 into the game",
    ),
    "sealed anew as if a pause of the hall had come late": (
        [
            *IN_HALL,
            paused(20, 20),
            sealed(20, OTHER, why="late"),
            resumed(20, 20),
            sounded(95),
            revealed(95, OTHER),
        ],
        "seal-late",
        "20:00 into the game",
    ),
    "a late pause of the hall that there was not": (
        [
            *IN_HALL,
            at(20, "tijd.armed", by="organiser", why="late"),
            sounded(95, "organiser"),
            revealed(95),
        ],
        "seal-not-kept",
        "ended by organiser at 95:00",
    ),
    "a table's own sealed anew": (
        [*PLAY, paused(20, 20), sealed(20, OTHER, why="pause"), resumed(20, 20), sounded(95), revealed(95, OTHER)],
        "seal-late",
        "20:00 into the game",
    ),
    "first sealed at 94": (
        [OPENED, BEGUN, sealed(94, OTHER), sounded(95), revealed(95, OTHER)],
        "seal-late",
        "94:00 into",
    ),
    "sealed after the signal": (
        [*IN_HALL, sounded(95), paused(95, 95), sealed(95, OTHER, why="pause"), revealed(95, OTHER)],
        "seal-late",
        "95:00 into",
    ),
    "a range of its own": (
        [OPENED, sealed(least_min=1, most_min=600), BEGUN, sounded(113), revealed(113)],
        "seal-range-changed",
        "the range 1 to 600, the rules 90 to 120",
    ),
    "outside the range of the rules": (
        [OPENED, sealed(0, Secret(30, SECRET.salt)), BEGUN, sounded(30), revealed(30, Secret(30, SECRET.salt))],
        "seal-out-of-range",
        "30 minutes, allowed are 90 to 120",
    ),
    "rules that nobody has": (
        [at(-5, "table.opened", **(OPENED[2] | {"phase": "tea"})), SEALED, BEGUN, sounded(113), revealed(113)],
        "seal-range-unknown",
        "no rules are known here",
    ),
    "never revealed": ([*PLAY, sounded(113)], "seal-hidden", "never revealed although the game is over"),
    "never revealed, another game begun": ([*IN_HALL, sounded(113), *AGAIN], "seal-hidden", "never revealed"),
    "lost, signal at 91": (
        [*PLAY, LOST, sounded(91, "referee")],
        "seal-unproved",
        "the referee ended the game at 91:00",
    ),
    "lost, closed": ([*PLAY, LOST, CLOSED], "seal-unproved", "never told: nothing proves"),
    "two signals": ([*PLAY, sounded(113), sounded(114), revealed(114)], "seal-twice", "record 5 signals once more"),
    "time taken away": (
        [*PLAY, added(20, -18 * MIN_MS), sounded(95), revealed(95)],
        "seal-added",
        "adds -18:00 of time",
    ),
    "too much time": ([*PLAY, added(20, 61 * MIN_MS), sounded(174), revealed(174)], "seal-added", "adds 61:00 of time"),
    "told during play": (
        [*PLAY, revealed(20), sounded(113)],
        "seal-early",
        "told in record 4, while it was still played by",
    ),
    "a fast clock forgives no minutes": (
        [
            at(-5, "table.opened", **(OPENED[2] | {"scale": 1000.0})),
            SEALED,
            BEGUN,
            sounded(0.112, elapsed=112),
            revealed(1),
        ],
        "seal-not-kept",
        "ended by clock at 112:00",
    ),
    "the same seal in a later game": (
        [*PLAY, sounded(113), revealed(113), CLOSED, AGAIN[0], sealed(141), AGAIN[1]],
        "seal-reused",
        "used before",
    ),
    "another length told": (
        [*PLAY, sounded(113), revealed(113, minutes=114)],
        "seal-broken",
        "not the one of record 5",
    ),
    "another salt told": (
        [*PLAY, sounded(113), revealed(113, salt="0" * 32)],
        "seal-broken",
        "not the one of record 5",
    ),
    "two lengths told": (
        [*PLAY, sounded(113), revealed(113), revealed(113, minutes=114)],
        "seal-broken",
        "not the one of record 6",
    ),
    "a length in letters": ([*PLAY, sounded(113), revealed(113, minutes="113")], "seal-strange", "record 5 tells"),
    "a length that is true": ([*PLAY, sounded(113), revealed(113, minutes=True)], "seal-strange", "record 5 tells"),
    "a start stamped back before its seal": (
        [OPENED, sealed(16), BEGUN, sounded(113), revealed(113)],
        "seal-late",
        "record 3 (game.started) is stamped 16:00 before",
    ),
    "seal and start stamped back": (
        [OPENED, at(18, "colour.chosen"), SEALED, BEGUN, sounded(113), revealed(113)],
        "seal-late",
        "record 3 (tijd.sealed) is stamped 18:00 before",
    ),
    "no length was sealed": (
        [
            at(-5, "table.opened", **{**OPENED[2], "options": {"same_for_all_tables": False, "secret_time": "random"}}),
            BEGUN,
        ],
        "seal-unproved",
        "game r1-t7: no length was sealed",
    ),
    "no seal": ([OPENED, sealed(seal="aa"), BEGUN], "seal-strange", "record 2 tells"),
}


@pytest.mark.parametrize("case", FORGED)
def test_length_chosen_during_play_is_a_problem(tmp_path: Path, case: str) -> None:
    """Whole chain, dishonest length: the fault has its code and is told in words."""
    facts, code, words = FORGED[case]
    verdict = check(lines(tmp_path, *facts))
    told = [finding.message for finding in verdict.findings if finding.code == code and finding.is_problem]

    assert not verdict.holds
    assert told, verdict.findings
    assert words in told[0]


def test_who_ended_it_is_told_in_words(tmp_path: Path) -> None:
    """With when, and what had been sealed."""
    place = lines(tmp_path, *PLAY, sounded(95, "referee"), revealed(95))
    told = CliRunner().invoke(main, ["journal", "verify", str(place)])

    assert 1 == told.exit_code
    assert "ended by referee at 95:00, sealed 113:00" in told.output


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", "the game ended at another time than was sealed"),
        ("nl", "het spel eindigde op een ander moment dan verzegeld was"),
        ("it", "la partita è finita in un momento diverso da quello sigillato"),
        ("cs", "hra skončila v jinou dobu, než bylo zapečetěno"),
    ],
)
def test_it_is_said_in_the_language_of_who_asks(tmp_path: Path, lang: str, words: str) -> None:
    """With the detail behind it."""
    place = lines(tmp_path, *PLAY, sounded(95, "referee"), revealed(95))
    told = CliRunner().invoke(main, ["journal", "verify", str(place), "--lang", lang])

    assert f"{words} (game r1-t7:" in told.output
