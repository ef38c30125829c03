"""Facts that were forgotten or told wrongly, and put right by the referee."""

from __future__ import annotations

import pytest

from companion.rules.errors import RulesError
from companion.session import commands as c
from companion.session import events as e
from companion.session.errors import NotYours
from companion.session.transitions import Phase
from tests.session.play import Game, S, a_throw_of_anna, problem_of


def test_throw_is_given_to_whom_it_belongs_and_judged_by_what_it_was() -> None:
    """Bert threw against rebels, and nobody had said either."""
    game = Game("rebels").playing()
    game.throw((6, 4, 3), (6, 1))

    made = game.do(c.AmendThrow(player="bert", against="rebels", reason="nobody tapped"), "referee")

    assert [(2, 0)] == [(m.attacker_loses, m.defender_loses) for m in made if isinstance(m, e.ThrowAccepted)]
    amended = next(m for m in made if isinstance(m, e.ThrowAmended))
    assert {"player": "anna", "against": "armies", "attack": None, "defence": None} == dict(amended.before)
    assert ("bert", "armies") == (game.state.newest_throw().player, game.state.against)


def test_open_throw_is_amended_together_with_the_table() -> None:
    """Two dice were allowed, and one fell."""
    game = Game("classic").playing()
    game.see((6, 4))

    game.do(c.AmendThrow(attack=3, defence=1, fallen_attack=1, reason="looked away"), "referee")

    attack = game.state.newest_throw().attack
    assert "reroll_some" == (attack.ruled.action if attack and attack.ruled else "")
    assert (3, 1) == (game.state.allowed_attack, game.state.allowed_defence)


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (c.AmendThrow(reason="x", against="fleet"), "no-such-target"),
        (c.AmendThrow(reason="x", attack=4), "bad-allowed"),
        (c.AmendThrow(reason="x", fallen_defence=-1), "bad-allowed"),
        (c.AmendThrow(reason=" "), "reason-missing"),
        (c.AmendTurn(player="anna", reason="x", attack_started_ms=10**9), "bad-time"),
        (c.AmendTurn(player="nobody", reason="x"), "unknown-player"),
        (c.AmendOuts(outs=(e.OutFact(player="anna"), e.OutFact(player="bert"), e.OutFact(player="cees")), reason="x"),
         "nobody-left"),
    ],
)  # fmt: skip
def test_amendment_that_can_not_be(command: c.Command, problem: str) -> None:
    """What no rule knows, no die shows and no clock has reached."""
    assert problem == problem_of(a_throw_of_anna(), command, "referee")


def test_turn_that_nobody_announced_is_amended() -> None:
    """Bert plays already; his first attack was a minute ago."""
    game = Game().playing()
    game.now_ns += 120 * S

    made = game.do(c.AmendTurn(player="bert", attack_started_ms=60_000, reason="nobody pressed"), "referee")

    assert [{"player": "anna", "attack_started_ms": None}] == [
        dict(m.before) for m in made if isinstance(m, e.TurnAmended)
    ]
    assert ("bert", 60_000, 1) == (game.state.turn_player, game.state.attack_started_ms, game.state.turn)
    game.do(c.AmendTurn(player="cees", reason="no, Cees"), "referee")
    assert 60_000 == game.state.attack_started_ms


def test_knock_outs_are_put_right_as_a_whole() -> None:
    """Cees fell first, and to Bert."""
    game = Game().playing(("anna", "bert", "cees"))
    game.do(c.DeclareOut(player="bert", by="anna"))

    game.do(c.AmendOuts(outs=(e.OutFact(player="cees", by="bert"),), reason="mixed up"), "referee")

    assert [(None, None), (None, None), ("bert", 3)] == [(p.out_by, p.left_before) for p in game.state.players]


def test_amended_knock_outs_end_a_game_or_let_it_go_on() -> None:
    """The last player left, and then not; a turn whose player turns out to be out passes on."""
    game = Game().playing()
    both = (e.OutFact(player="cees", by="anna"), e.OutFact(player="bert", by="anna"))
    made = game.do(c.AmendOuts(outs=both, reason="they went home"), "referee")
    assert ["outs.amended", "board.frozen"] == game.kinds(made)

    made = game.do(c.AmendOuts(outs=(e.OutFact(player="anna", by="bert"),), reason="the other way"), "referee")

    assert ["outs.amended", "turn.started"] == game.kinds(made)
    assert (Phase.PLAYING, "bert") == (game.state.phase, game.state.turn_player)


def test_amended_knock_outs_must_have_been_possible() -> None:
    """Nobody is destroyed by who was gone before."""
    outs = (e.OutFact(player="cees", by="anna"), e.OutFact(player="bert", by="cees"))

    with pytest.raises(RulesError) as refusal:
        Game().playing().do(c.AmendOuts(outs=outs, reason="x"), "referee")

    assert "unknown-player" == refusal.value.code


def test_forgotten_knock_out_is_told_on_the_frozen_board() -> None:
    """Nobody had touched the screen; neither turn nor clock moves."""
    game = Game().frozen()

    made = game.do(c.DeclareOut(player="bert", by="anna"))

    assert ["player.knocked_out"] == game.kinds(made)
    game.do(c.DeclareOut(player="cees", by="anna"))
    assert "nobody-left" == problem_of(game, c.DeclareOut(player="anna"), "referee")


def test_player_who_leaves_was_knocked_out_by_nobody() -> None:
    """Clause 4.2: only a referee sends somebody away; the result is that of a knock-out."""
    game = Game().playing()
    with pytest.raises(NotYours):
        game.do(c.DeclareOut(player="cees"))

    game.do(c.DeclareOut(player="cees"), "referee")

    assert (True, None, 3) == (
        game.state.player("cees").is_out,
        game.state.player("cees").out_by,
        game.state.player("cees").left_before,
    )
    assert 0 == game.state.attack.throws


def test_claim_is_put_right() -> None:
    """It was Bert's mission; the board decides then."""
    game = Game().playing()
    game.do(c.ClaimMission(player="anna", mission="africa_asia"))

    made = game.do(c.AmendClaim(player="bert", mission="asia_south_america", reason="Bert's card"), "referee")

    amended = next(m for m in made if isinstance(m, e.ClaimAmended))
    assert {"player": "anna", "mission": "africa_asia", "destroyed": None} == dict(amended.before)
    assert "bert" == (game.state.claim.player if game.state.claim else None)
    outs = (e.OutFact(player="bert", by="anna"),)
    assert "claimant-out" == problem_of(game, c.AmendOuts(outs=outs, reason="x"), "referee")
    assert "claimant-out" == problem_of(game, c.DeclareOut(player="bert", by="anna"))


def test_no_claim_no_amendment() -> None:
    """The signal froze the board."""
    game = Game().frozen()

    assert ["no-claim"] * 2 == [
        problem_of(game, command, "referee")
        for command in (c.AmendClaim(player="bert", reason="x"), c.RulePlayedOn(how="accident", reason="x"))
    ]
