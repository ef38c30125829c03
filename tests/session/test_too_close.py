"""Signals that are too close to call, and what the referee makes of them."""

from __future__ import annotations

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session.errors import Refused
from companion.session.transitions import Phase
from tests.session.play import MS, Game
from tests.session.test_finishing import FRAME, in_combat, verdict


def test_too_close_to_call_freezes_and_people_rule() -> None:
    """The first throw of a combat began within a frame of the signal: the stamps do not decide."""
    game = Game("risiko").playing()

    made = game.tijd(rolling_since_ns=game.now_ns + 90 * MS, frame_ns=FRAME)

    assert (True, Phase.FROZEN) == (verdict(game).uncertain, game.state.phase)
    assert ["rules"] == [m.how for m in made if isinstance(m, e.RefereeCalled)]


def test_referee_lets_the_combat_be_finished() -> None:
    """The pictures showed dice in the air: the board is open again for this combat."""
    game = Game("risiko").playing()
    game.tijd(rolling_since_ns=game.now_ns + 90 * MS, frame_ns=FRAME)

    game.do(c.RuleSignal(throw="stands", combat=True, reason="picture 12"), "referee")

    assert (Phase.FINISHING, False, "combat") == (
        game.state.phase,
        verdict(game).uncertain,
        verdict(game).finishing,
    )
    game.throw((6, 1), (2,))
    game.do(c.StopAttack())
    assert Phase.FROZEN is game.state.phase


def test_referee_ends_a_combat_that_should_not_have_gone_on() -> None:
    """They had stopped before the signal and nobody had said so."""
    game = in_combat()
    game.press("seat1")
    game.tijd()
    game.see((6, 2), (1, 1))

    made = game.do(c.RuleSignal(throw="void", reason="Anna had stopped"), "referee")

    assert ["signal.overruled", "throw.annulled", "board.frozen"] == game.kinds(made)


def test_referee_lets_a_void_throw_stand() -> None:
    """Clause 4.1: the leader decides differences, against the computed verdict too."""
    game = Game().playing()
    game.see((6, 5), (4, 3))
    game.tijd()
    assert "void" == verdict(game).verdict

    made = game.do(c.RuleSignal(throw="stands", reason="the armies were off"), "referee")

    assert ["signal.overruled", "throw.accepted"] == game.kinds(made)
    assert ("stands", "as_it_is", 1) == (verdict(game).verdict, verdict(game).board, game.state.totals.ruled)


def test_undecided_throw_stands_only_in_words() -> None:
    """With a die that nobody read there are no losses to reckon: people take them off."""
    game = Game().playing()
    game.see((6, "unreadable"))
    game.tijd()

    assert ["signal.overruled"] == game.kinds(game.do(c.RuleSignal(throw="stands", reason="seen"), "referee"))


def test_ruling_on_a_signal_touches_no_other_throw() -> None:
    """What was taken long before the signal is not its business."""
    game = in_combat("nl1996")
    game.see((6, 6))
    game.do(c.AnnulThrow(reason="dice of another game"), "referee")
    game.tijd()

    assert ["signal.overruled"] == game.kinds(game.do(c.RuleSignal(throw="void", reason="so"), "referee"))


def test_signal_is_ruled_only_where_one_was_given_and_by_its_own_rules() -> None:
    """Without a signal there is nothing to rule; nobody finishes a combat under the Dutch rules."""
    claimed, dutch = Game().playing(), Game().frozen()
    claimed.do(c.ClaimMission(player="anna", mission="africa_asia"))

    for game, combat, problem in ((claimed, False, "no-signal"), (dutch, True, "no-combat-to-finish")):
        with pytest.raises(Refused) as refusal:
            game.do(c.RuleSignal(throw="void", combat=combat, reason="so"), "referee")
        assert problem == refusal.value.problem


def test_ruling_that_agrees_with_what_happened_changes_no_throw() -> None:
    """Void was void; what stands stood."""
    void, stood = Game().playing(), Game().playing()
    void.see((6, 5), (4, 3))
    void.tijd()
    stood.throw((6, 5), (4, 3))
    stood.tijd()

    assert ["signal.overruled"] == void.kinds(void.do(c.RuleSignal(throw="void", reason="so"), "referee"))
    assert ["signal.overruled"] == stood.kinds(stood.do(c.RuleSignal(throw="stands", reason="so"), "referee"))
