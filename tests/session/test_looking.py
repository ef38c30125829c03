"""Disputed throws, second readings and the camera's calibration as facts."""

from __future__ import annotations

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session.errors import NotYours, Refused
from companion.session.looked import dispute_of, thrown
from companion.session.wire import from_record, to_data
from tests.session.play import Game, a_die

SHEET = e.PictureFact(evidence="a" * 64, kind="sheet", at_ns=5, side="attack")
MEASURED = e.MeasuredFact(markers=(0, 1, 2, 3), error_px=0.2, px_per_mm=2.4, print_scale=1.0, edge_px=1.1)


def two_turns() -> Game:
    """Anna threw twice, then Bert once; each throw was lifted."""
    game = Game().playing()
    for attack in ([6, 5, 4], [3, 2, 1]):
        game.see(attack, [5])
        game.lift()
    game.do(c.EndTurn())
    game.see([6], [1])
    game.lift()
    return game


def again(dice: tuple[e.DieFact, ...], side: e.Side = "attack") -> c.SecondReading:
    """A stored picture that was read again."""
    return c.SecondReading(side=side, evidence="f" * 64, dice=dice)


def test_any_seat_disputes_a_throw_of_this_turn_and_the_referee_comes() -> None:
    """The pictures are named in the fact; a second time by the same player changes nothing."""
    game = two_turns()
    made = game.do(c.DisputeThrow(throw=3, player="cees", pictures=(SHEET,)))
    same = game.do(c.DisputeThrow(throw=3, player="cees"))
    other = game.do(c.DisputeThrow(throw=3, player="anna", pictures=(SHEET,)))
    found = dispute_of(game.state, 3)

    assert (["throw.disputed", "referee.called"], [], ["throw.disputed"]) == tuple(
        game.kinds(one) for one in (made, same, other)
    )
    assert found is not None
    assert (("cees", "anna"), (SHEET,), made[0].at_ns, None) == (
        found.players,
        found.pictures,
        found.since_ns,
        found.settled,
    )


def test_an_earlier_turn_is_the_referee_s() -> None:
    """Who asks for it without the PIN is told so; the referee is not called to themselves."""
    game = two_turns()
    with pytest.raises(NotYours, match="earlier turn"):
        game.do(c.DisputeThrow(throw=1, player="cees"))
    made = game.do(c.DisputeThrow(throw=1, player="cees"), "referee")

    assert ["throw.disputed"] == game.kinds(made)


def test_a_throw_that_never_was_cannot_be_disputed() -> None:
    """Nor by somebody who does not sit here."""
    game = two_turns()
    with pytest.raises(Refused) as missing:
        game.do(c.DisputeThrow(throw=9, player="cees"))
    with pytest.raises(Refused) as stranger:
        game.do(c.DisputeThrow(throw=3, player="zoe"))

    assert ("no-such-throw", "unknown-player") == (missing.value.problem, stranger.value.problem)


def test_the_last_turn_s_throws_may_be_disputed_on_the_frozen_board() -> None:
    """The signal is not the next turn."""
    game = two_turns()
    game.tijd()

    assert "throw.disputed" in game.kinds(game.do(c.DisputeThrow(throw=3, player="cees")))


def test_a_second_reading_stands_beside_the_first() -> None:
    """The first is not touched; whether both say the same is a fact of its own."""
    game = two_turns()
    before = thrown(game.state, 2)
    same = again(tuple(a_die(face, place=place) for place, face in enumerate([1, 2, 3])))
    less = again(tuple(a_die(face, place=place) for place, face in enumerate([3, 2])))
    other = again(tuple(a_die(face, place=place) for place, face in enumerate([3, 2, "cocked"])))
    nobody = again((a_die(5, side="defence"),), "defence")
    made = game.do(c.ReadAgain(throw=2, readings=(same, less, other, nobody), software="1"))

    assert [True, False, False, True] == [fact.same for fact in made if isinstance(fact, e.ThrowReadAgain)]
    assert before == thrown(game.state, 2)
    assert 4 == len(game.state.looked.readings)


def test_a_side_that_nobody_threw_is_never_the_same() -> None:
    """A second reading of the defence where only the attack was thrown."""
    game = Game().playing()
    game.see([6, 5])
    made = game.do(c.ReadAgain(throw=1, readings=(again((), "defence"),), software="1"))

    assert [False] == [fact.same for fact in made if isinstance(fact, e.ThrowReadAgain)]


def test_without_a_stored_picture_nothing_is_read_again() -> None:
    """It is said, with what is left to decide by."""
    game = two_turns()
    with pytest.raises(Refused) as refused:
        game.do(c.ReadAgain(throw=1))

    assert "no-frames" == refused.value.problem


def test_the_referee_ends_a_dispute_with_a_reason_and_it_may_come_up_anew() -> None:
    """Ended is ended for all who disputed; a new dispute begins with whoever raises it."""
    game = two_turns()
    game.do(c.DisputeThrow(throw=3, player="cees"))
    game.do(c.DisputeThrow(throw=2, player="cees"), "referee")
    for throw, reason in ((3, " "), (1, "reading-stands")):
        with pytest.raises(Refused) as refused:
            game.do(c.SettleDispute(throw=throw, reason=reason), "referee")
        assert refused.value.problem in {"reason-missing", "no-dispute"}
    made = game.do(c.SettleDispute(throw=3, reason="reading-stands"), "referee")
    with pytest.raises(Refused, match="nobody disputes"):
        game.do(c.SettleDispute(throw=3, reason="reading-stands"), "referee")
    ended = dispute_of(game.state, 3)
    game.do(c.DisputeThrow(throw=3, player="anna"))
    anew = dispute_of(game.state, 3)

    assert ["dispute.settled"] == game.kinds(made)
    assert ended is not None
    assert anew is not None
    assert ("reading-stands", ("anna",), None) == (ended.settled and ended.settled.reason, anew.players, anew.settled)


def test_throws_before_the_newest_are_remembered_with_their_turn() -> None:
    """From which whoever may dispute them follows."""
    game = two_turns()

    assert [(1, 1), (1, 2)] == [(past.turn, past.throw.id) for past in game.state.looked.past]
    assert [1, 1, 2] == [found[0] for number in (1, 2, 3) if (found := thrown(game.state, number)) is not None]


def test_a_calibration_is_ready_only_when_nothing_stands_in_the_way() -> None:
    """It outlives the game in which it was made, and is refused where nothing was measured."""
    game = Game().playing()
    with pytest.raises(Refused) as refused:
        game.do(c.Calibrate())
    bad = game.do(c.Calibrate(problems=("glare",), measured=MEASURED))
    good = game.do(c.Calibrate(measured=MEASURED, evidence="b" * 64))
    other = Game()
    other.state = game.state

    assert "nothing-measured" == refused.value.problem
    assert [False, True] == [one.ready for one in (*bad, *good) if isinstance(one, e.CameraCalibrated)]
    assert good[0] == other.state.looked.calibration


def test_a_new_game_keeps_the_calibration_and_nothing_else() -> None:
    """Throws and disputes are the old game's."""
    game = Game()
    game.do(c.Calibrate(measured=MEASURED), "hub")
    game.playing()

    assert (True, (), ()) == (
        game.state.looked.calibration is not None,
        game.state.looked.past,
        game.state.looked.disputes,
    )


def test_undoing_a_call_makes_the_throw_before_it_the_newest_again() -> None:
    """And looking at something in between is nothing that could be undone, or that hinders undoing."""
    game = two_turns()
    game.do(c.CallThrow())
    game.do(c.DisputeThrow(throw=3, player="cees"))
    game.do(c.Undo(what="throw.called"))

    assert game.state.throw is not None
    assert (3, [1, 2], 2) == (
        game.state.throw.id,
        [past.throw.id for past in game.state.looked.past],
        game.state.looked.throw_turn,
    )
    assert dispute_of(game.state, 3) is not None


def test_pictures_of_the_signal_are_a_fact() -> None:
    """They are told with the moment that they surround."""
    game = two_turns()
    game.tijd()
    made = game.do(c.KeepFrames(why="tijd", around_ns=7, pictures=(SHEET,)), "rig")

    assert [("frames.kept", 7, (SHEET,))] == [
        (fact.wire, fact.around_ns, fact.pictures) for fact in made if isinstance(fact, e.FramesKept)
    ]


def test_facts_of_looking_come_back_from_their_records() -> None:
    """Nested parts and all."""
    game = two_turns()
    made = [
        *game.do(c.Calibrate(measured=MEASURED)),
        *game.do(c.DisputeThrow(throw=3, player="cees", pictures=(SHEET,))),
        *game.do(c.ReadAgain(throw=3, readings=(again((a_die(6),)),), software="1")),
        *game.do(c.SettleDispute(throw=3, reason="put-right"), "referee"),
    ]

    assert made == [from_record(fact.wire, fact.version, fact.at_ns, to_data(fact)) for fact in made]
