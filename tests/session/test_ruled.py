"""What leaders, referees and directors rule, and results that are changed after closing."""

from __future__ import annotations

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session.state import BrokenFold, TableState, fold
from companion.session.transitions import Phase
from tests.session.play import Game, problem_of
from tests.session.test_ending import board_of_three


def test_playing_on_by_purpose_costs_the_win() -> None:
    """Clause 4.14: the restored board is recorded; 3 penalty points instead of 1+."""
    game = Game().playing()
    game.do(c.ClaimMission(player="anna"))
    game.do(c.RulePlayedOn(how="purpose", reason="the card had been shown to Bert"), "referee")
    assert () == game.do(c.RulePlayedOn(how="purpose", reason="again"), "referee")

    game.do(board_of_three())

    assert "3" == (game.state.results or {})["anna"]


def test_playing_on_is_no_matter_elsewhere() -> None:
    """The other texts are silent."""
    game = Game("classic").playing()
    game.do(c.ClaimMission(player="anna", mission="africa_asia"))

    assert "no-playing-on-here" == problem_of(game, c.RulePlayedOn(how="accident", reason="x"), "referee")


def test_ruling_appeal_and_the_directors_word() -> None:
    """IT 20 and 27: armies off the board, an appeal, and a word that is final."""
    game = Game("risiko").playing()
    ruling = c.MakeRuling(about="penalty", player="bert", armies=3, reason="played for time")
    game.do(ruling, "referee")

    game.do(c.AppealRuling(ruling=1, player="bert"))
    assert "appealed-already" == problem_of(game, c.AppealRuling(ruling=1, player="cees"))
    game.do(c.DecideAppeal(ruling=1, upheld=False, reason="one warning first"), "hub")

    (found,) = game.state.rulings
    assert (3, "bert", False) == (found.made.armies, found.appealed_by, found.decided.upheld if found.decided else None)
    assert "no-appeal" == problem_of(game, c.DecideAppeal(ruling=1, upheld=True, reason="x"), "referee")


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (c.MakeRuling(about="other", reason=""), "reason-missing"),
        (c.MakeRuling(about="other", reason="x", armies=-1), "bad-armies"),
        (c.MakeRuling(about="other", reason="x", player="nobody"), "unknown-player"),
        (c.AppealRuling(ruling=1, player="anna"), "no-such-ruling"),
        (c.DecideAppeal(ruling=0, upheld=True, reason="x"), "no-such-ruling"),
    ],
)
def test_ruling_that_can_not_be(command: c.Command, problem: str) -> None:
    """Without a reason, about nobody, against nothing."""
    assert problem == problem_of(Game().playing(), command, "referee")


def test_other_rulings_stay_as_they_are() -> None:
    """An appeal is against one of them."""
    game = Game().playing()
    for reason in ("first", "second"):
        game.do(c.MakeRuling(about="interpretation", reason=reason), "referee")

    game.do(c.AppealRuling(ruling=2, player="anna"))

    assert [None, "anna"] == [ruling.appealed_by for ruling in game.state.rulings]


def test_result_changed_after_closing_says_what_it_was() -> None:
    """Everybody sees that it was changed; the same result is no change."""
    game = Game().frozen()
    game.do(board_of_three())
    game.do(c.CloseTable(), "referee")
    before = dict(game.state.results or {})
    after = {"anna": "1", "bert": "2", "cees": "3"}

    made = game.do(c.ChangeResult(results=after, reason="an army was counted twice"), "hub")

    assert [(after, before)] == [(dict(m.results), dict(m.before)) for m in made if isinstance(m, e.ResultChanged)]
    assert (Phase.CLOSED, after) == (game.state.phase, dict(game.state.results or {}))
    assert "nothing-changed" == problem_of(game, c.ChangeResult(results=after, reason="x"), "referee")


def test_call_on_the_screen_is_taken_at_its_word_and_said_to_be() -> None:
    """Whoever touches the screen may name anybody at the table, and nobody else."""
    game = Game().playing()
    assert "unknown-player" == problem_of(game, c.CallReferee(player="clock"))

    made = game.do(c.CallReferee(player="bert"))

    assert [("bert", "screen")] == [(m.by, m.how) for m in made if isinstance(m, e.RefereeCalled)]


@pytest.mark.parametrize(
    "event",
    [
        e.ClaimAmended(at_ns=1, player="anna", mission=None, destroyed=None, before={}, reason="x"),
        e.SignalOverruled(at_ns=1, throw="void", combat=False, before="none", reason="x"),
        e.FactUndone(at_ns=1, what="turn.started", closes_too=()),
        e.ThrowAmended(
            at_ns=1, throw=1, player="anna", against="armies", attack=None, defence=None, before={}, reason="x"
        ),
    ],
)
def test_journal_that_amends_nothing_is_no_journal(event: e.Event) -> None:
    """It was not written by this program."""
    with pytest.raises(BrokenFold):
        fold([event], TableState())


def test_journal_that_counts_rebels_of_nothing_is_no_journal() -> None:
    """The throw had no triple."""
    game = Game("rebels").playing()
    game.throw((4, 4, 3), (5, 1))

    with pytest.raises(BrokenFold):
        fold([e.RebelsTold(at_ns=1, throw=1, face=4, rebels=3)], game.state)
