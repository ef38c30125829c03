"""The figure behind "the time of an answer tells nothing" is the one of the textbook."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from companion.commands.secret_measures import answers, mann_whitney_p


@pytest.mark.parametrize(
    ("one", "other", "p"),
    [
        ([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0], 1.0),
        ([1.0] * 9, [1.0] * 9, 1.0),
        ([float(n) for n in range(10)], [float(n) + 100 for n in range(10)], 0.000157),
        ([19.0, 22.0, 16.0, 29.0, 24.0], [20.0, 11.0, 17.0, 12.0], 0.0864),
        ([1.0, 2.0, 2.0, 3.0, 3.0], [2.0, 3.0, 3.0, 4.0, 5.0], 0.10148),
    ],
)
def test_p_is_that_of_the_textbook(one: list[float], other: list[float], p: float) -> None:
    """Values worked out with scipy 1.17, `mannwhitneyu(method="asymptotic", use_continuity=False)`."""
    assert p == pytest.approx(mann_whitney_p(one, other), abs=0.0005)


def test_small_difference_is_found_and_none_is_not() -> None:
    """A tenth of the spread shows in a thousand values; nothing shows where there is nothing."""
    chance = random.Random(7)
    one, other = ([chance.gauss(1.0, 0.1) for _ in range(1000)] for _ in range(2))
    slower = [value + 0.02 for value in other]

    assert mann_whitney_p(one, other) > 0.001 > mann_whitney_p(one, slower)


async def test_every_kind_of_answer_is_measured(tmp_path: Path) -> None:
    """Two tables, three questions; what comes out is for the bench to judge."""
    figures = await answers(tmp_path, 20)

    assert ["state", "journal", "a refused reveal"] == [figure.measure.split(", ")[1] for figure in figures]
