"""A call for the referee that was about something goes out when that is decided."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session.wire import from_record, to_data
from tests.session.play import MS, PLAYERS, Game, a_throw_of_anna
from tests.session.test_ending import board_of_three
from tests.session.test_finishing import FRAME


def _scored() -> Game:
    game = a_throw_of_anna()
    game.tijd()
    game.do(board_of_three())
    return game


def _disputed_throw() -> Game:
    game = a_throw_of_anna()
    game.do(c.DisputeThrow(throw=1, player="bert"))
    return game


def _disputed_result() -> Game:
    game = _scored()
    game.do(c.DisputeResult(player="bert", reason="my armies"))
    return game


def _appealed() -> Game:
    game = Game().playing()
    game.do(c.MakeRuling(about="other", player="bert", armies=0, reason="no cards beside the board"), "referee")
    game.do(c.AppealRuling(ruling=1, player="bert"))
    return game


def _refused_correction() -> Game:
    game = a_throw_of_anna()
    game.do(c.ProposeCorrection(side="attack", position=0, value=1))
    game.do(c.RefuseCorrection(player="cees"))
    return game


def _too_close() -> Game:
    game = Game("risiko").playing()
    game.tijd(rolling_since_ns=game.now_ns + 90 * MS, frame_ns=FRAME)
    return game


_RESULTS = {"anna": "1", "bert": "2", "cees": "3"}

DECIDED: dict[str, tuple[Callable[[], Game], c.Command]] = {
    "dispute": (_disputed_throw, c.SettleDispute(throw=1, reason="reading-stands")),
    "result": (_disputed_result, c.RuleResult(results=_RESULTS, reason="counted again")),
    "appeal": (_appealed, c.DecideAppeal(ruling=1, upheld=True, reason="the rules say so")),
    "correction": (_refused_correction, c.CorrectDie(side="attack", position=0, value=1, reason="a one")),
    "signal": (_too_close, c.RuleSignal(throw="stands", combat=True, reason="picture 12")),
}
"""What a call is about -> a table where it burns for that, and the referee's word on it."""


@pytest.mark.parametrize("about", DECIDED)
def test_call_goes_out_with_what_it_was_about(about: str) -> None:
    """Beacon, screen and hub know by the same fact that nobody is waited for any more."""
    begun, decides = DECIDED[about]
    game = begun()
    before = (game.state.referee_called_ns is not None, game.state.referee_called_about)

    made = game.do(decides, "referee")

    assert (True, about) == before
    assert "referee.dismissed" == game.kinds(made)[-1]
    assert (None, "") == (game.state.referee_called_ns, game.state.referee_called_about)


def test_call_about_a_lost_length_goes_out_with_the_signal() -> None:
    """People give it, and are needed for it no more."""
    game = Game("risiko", options={"signal_source": "organiser"}).playing()
    game.do(c.LoseTijd(seal="0" * 64, why="missing"), "rig")
    about = game.state.referee_called_about

    game.do(c.SoundTijd(source="referee", signal_ns=game.now_ns + 100 * MS), "referee")

    assert ("length", None) == (about, game.state.referee_called_ns)


def test_who_takes_their_own_dispute_of_the_result_back_needs_no_referee() -> None:
    """Signed by another, the dispute still waits."""
    game = _disputed_result()

    other, own = game.do(c.SignResult(player="anna")), game.do(c.SignResult(player="bert"))

    assert (["result.signed"], ["result.signed", "referee.dismissed"]) == (game.kinds(other), game.kinds(own))


def test_call_stays_as_long_as_another_dispute_waits() -> None:
    """Two throws, one call: it is answered when both are."""
    game = _disputed_throw()
    game.see((3,), (2,))
    game.lift()
    game.do(c.DisputeThrow(throw=2, player="cees"))

    first = game.do(c.SettleDispute(throw=2, reason="reading-stands"), "referee")
    last = game.do(c.SettleDispute(throw=1, reason="reading-stands"), "referee")

    assert (["dispute.settled"], ["dispute.settled", "referee.dismissed"]) == (game.kinds(first), game.kinds(last))


def test_call_of_somebody_who_wants_the_referee_is_answered_by_the_referee_alone() -> None:
    """Whoever pressed before the dispute pressed for something else."""
    game = a_throw_of_anna()
    game.do(c.CallReferee(player="cees"))
    game.do(c.DisputeThrow(throw=1, player="bert"))

    made = game.do(c.SettleDispute(throw=1, reason="reading-stands"), "referee")

    assert (["dispute.settled"], True) == (game.kinds(made), game.state.referee_called_ns is not None)


def test_call_about_something_else_is_not_answered() -> None:
    """A throw that the referee annuls answers no dispute of the result."""
    game = _refused_correction()

    made = game.do(c.MakeRuling(about="other", player=None, armies=0, reason="silence"), "referee")

    assert ["ruling.made"] == game.kinds(made)


def test_closing_the_table_answers_a_call_about_a_throw() -> None:
    """After it nobody can end the dispute any more; the referee has closed over it."""
    game = _scored()
    game.do(c.DisputeThrow(throw=1, player="bert"))
    for player in PLAYERS:
        game.do(c.SignResult(player=player))

    made = game.do(c.CloseTable(), "referee")

    assert ["table.closed", "referee.dismissed"] == game.kinds(made)


def test_call_of_a_journal_from_before_is_about_nothing() -> None:
    """It burns until the referee comes, as it did then."""
    called = e.RefereeCalled(at_ns=5, by="bert", about="dispute")
    data = {name: value for name, value in to_data(called).items() if name != "about"}

    assert e.RefereeCalled(at_ns=5, by="bert") == from_record("referee.called", 1, 5, data)
