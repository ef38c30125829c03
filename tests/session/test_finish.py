"""The photo finish: stamps in, state of the throw with its uncertainty out."""

from __future__ import annotations

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session.finish import throw_at
from companion.session.transitions import Phase
from tests.session.play import MS, Game

FRAME_NS = 33 * MS


def _stamps(game: Game) -> tuple[int, int]:
    settled = next(event for event in reversed(game.events) if isinstance(event, e.DiceSettled))
    assert settled.started_ns is not None and settled.settled_ns is not None
    return settled.started_ns, settled.settled_ns


@pytest.mark.parametrize(
    ("at", "expected"),
    [("before", "not_thrown"), ("during", "rolling"), ("after", "at_rest")],
)
def test_attack_dice_at_the_signal(at: str, expected: str) -> None:
    """Before the first motion nothing was thrown, between motion and rest it rolls, then it lies."""
    game = Game().playing()
    game.see(attack=(6, 5, 4))
    started, settled = _stamps(game)
    signal = {"before": started - 200 * MS, "during": (started + settled) // 2, "after": settled + 200 * MS}[at]

    found = throw_at(signal, game.state.throw, rolling_since_ns=None, frame_ns=FRAME_NS)

    assert (expected, "not_thrown", False) == (found.attack, found.defence, found.is_uncertain)


@pytest.mark.parametrize("offset_ms", [-30, 0, 30])
def test_signal_within_a_frame_of_rest_is_too_close_to_call(offset_ms: int) -> None:
    """A camera looks once per frame: closer than that, people rule."""
    game = Game().playing()
    game.see(attack=(6, 5, 4))
    _started, settled = _stamps(game)

    found = throw_at(settled + offset_ms * MS, game.state.throw, rolling_since_ns=None, frame_ns=FRAME_NS)

    assert found.is_uncertain


def test_dice_that_still_roll_belong_to_the_side_that_is_awaited() -> None:
    """The attack lies, something rolls: it is the defence."""
    game = Game().playing()
    game.see(attack=(6, 5, 4))
    rolling = game.now_ns + 100 * MS

    found = throw_at(rolling + 200 * MS, game.state.throw, rolling_since_ns=rolling, frame_ns=FRAME_NS)

    assert ("at_rest", "rolling", None) == (found.attack, found.defence, found.at_rest_before_signal_ms)


def test_dice_in_the_air_without_a_call_are_rolling_too() -> None:
    """Nobody pressed, nothing settled yet, but the camera sees motion."""
    game = Game().playing()

    found = throw_at(game.now_ns, game.state.throw, rolling_since_ns=game.now_ns - 200 * MS, frame_ns=FRAME_NS)

    assert (None, "rolling", "not_thrown") == (found.throw, found.attack, found.defence)


def test_lifted_before_the_signal_is_losses_taken() -> None:
    """Dice lifted off: the throw is part of the board."""
    game = Game().playing()
    game.see(attack=(6, 5), defence=(4,))
    game.lift()

    found = throw_at(game.now_ns + 500 * MS, game.state.throw, rolling_since_ns=None, frame_ns=FRAME_NS)

    assert found.losses_taken


def test_lifted_after_the_signal_is_not() -> None:
    """The signal was first: the throw was still pending, even if the dice are gone when it is ruled."""
    game = Game().playing()
    game.see(attack=(6, 5), defence=(4,))
    signal = game.now_ns + 20 * MS
    game.now_ns += 500 * MS
    game.lift()

    found = throw_at(signal, game.state.throw, rolling_since_ns=None, frame_ns=0)

    assert ("at_rest", "at_rest", False) == (found.attack, found.defence, found.losses_taken)


def test_dice_by_hand_lie_from_the_moment_they_were_said() -> None:
    """Without a camera the touch is the stamp."""
    game = Game().playing()
    game.do(c.EnterDice(side="attack", values=(6, 5)))

    found = throw_at(game.now_ns + MS, game.state.throw, rolling_since_ns=None, frame_ns=0)

    assert "at_rest" == found.attack
    assert "not_thrown" == throw_at(game.now_ns - MS, game.state.throw, rolling_since_ns=None, frame_ns=0).attack


def test_signal_voids_the_pending_throw_and_freezes_the_board() -> None:
    """Clause 2.3: dice thrown, losses not taken: the situation before the throw counts."""
    game = Game().playing()
    game.see(attack=(6, 5), defence=(4,))

    made = game.tijd(frame_ns=FRAME_NS)

    assert ["tijd.sounded", "signal.ruled", "throw.annulled", "board.frozen"] == game.kinds(made)
    ruled = next(m for m in made if isinstance(m, e.SignalRuled))
    assert ("void", "before_throw") == (ruled.verdict, ruled.board)
    assert Phase.FROZEN is game.state.phase


def test_signal_between_throws_leaves_the_board_as_it_is() -> None:
    """A finished throw is part of the frozen situation."""
    game = Game().playing()
    game.see(attack=(6, 5), defence=(4,))
    game.lift()

    made = game.tijd()

    ruled = next(m for m in made if isinstance(m, e.SignalRuled))
    assert ("stands", "as_it_is") == (ruled.verdict, ruled.board)
