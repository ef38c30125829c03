"""Who goes on when a phase has more winners than the semi-final has places."""

from __future__ import annotations

import pytest

from companion.rules.errors import ResultsError
from companion.rules.ruleset import Ruleset, load_ruleset
from companion.rules.systems.risiko_phases import Game, best_winners


def won(*scores: float) -> list[Game]:
    """Games of a winner."""
    return [Game(points=None, score=score) for score in scores]


def test_of_more_than_twelve_winners_the_best_go_on(it: Ruleset) -> None:
    """By Score, as the option counts it; on the line only equal ones are left to the Director."""
    winners = {f"p{at:02}": won(100 - at, 40 if at == 12 else 1) for at in range(13)}
    tied = {**winners, "p11": won(100, 1), "p12": won(1, 100), "p00": won(1)}

    assert "p11" not in best_winners(winners, ruleset=it).order
    assert "p12" not in best_winners(winners, ruleset=load_ruleset("risiko", {"repechage_score": "best"})).order
    assert (12, ()) == (len(best_winners(tied, ruleset=it).order), best_winners(tied, ruleset=it).unresolved)


def test_equal_winners_on_the_line_await_the_director(it: Ruleset) -> None:
    """Two for one place: neither goes on by alphabet."""
    winners = {f"p{at:02}": won(100 - min(at, 11)) for at in range(13)}
    found = best_winners(winners, ruleset=it)

    assert (11, ("p11", "p12")) == (len(found.order), found.unresolved)


@pytest.mark.parametrize(("count", "options"), [(11, {}), (13, {"winners_over_12": "another_phase"})])
def test_too_few_winners_or_another_phase(count: int, options: dict[str, object]) -> None:
    """Nobody is chosen where the repechage or another phase must do it."""
    winners = {f"p{at}": won(at) for at in range(count)}
    with pytest.raises(ResultsError) as refusal:
        best_winners(winners, ruleset=load_ruleset("risiko", options))

    assert "semi-final-size" == refusal.value.code
