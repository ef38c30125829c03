"""The end of a game: claims, knock-outs, the frozen board, signatures, rulings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from companion.rules.board import load_board
from companion.rules.errors import RulesError
from companion.session import commands as c
from companion.session import events as e
from companion.session.errors import NotNow, Refused
from companion.session.transitions import Phase
from tests.session.play import Game, S

BOARD = load_board("classic")
NO_CARDS = {"infantry": 0, "artillery": 0, "cavalry": 0, "joker": 0}


def lands(*continents: str) -> tuple[str, ...]:
    """All territories of these continents."""
    return tuple(t.id for t in BOARD.territories.values() if t.continent in continents)


def holdings(player: str, territories: tuple[str, ...], armies: int = 40, **more: Any) -> e.HoldingsFact:
    """What a player owns, with no cards unless said."""
    return e.HoldingsFact(id=player, territories=territories, armies=armies, hand=more.get("hand", NO_CARDS))


def board_of_three(**armies: int) -> c.ConfirmBoard:
    """Anna holds the Americas, Bert Europe and Africa, Cees Asia and Australia."""
    return c.ConfirmBoard(
        players=(
            holdings("anna", lands("north_america", "south_america"), armies.get("anna", 40)),
            holdings("bert", lands("europe", "africa"), armies.get("bert", 40)),
            holdings("cees", lands("asia", "australia"), armies.get("cees", 40)),
        )
    )


def results(game: Game) -> Mapping[str, str]:
    """The results as they stand."""
    return game.state.results or {}


def test_scheme_decides_after_the_signal() -> None:
    """Europe and Africa 27, Asia and Australia 25, the Americas 18."""
    game = Game().frozen()

    game.do(board_of_three())

    assert {"bert": "1", "cees": "2", "anna": "3"} == results(game)
    assert Phase.SCORED is game.state.phase


def test_mission_winner_gets_the_plus_and_the_others_follow_the_scheme() -> None:
    """Clause 3.1: one point and a plus."""
    game = Game().playing()
    game.do(c.ClaimMission(player="cees", mission="africa_asia"))
    board = c.ConfirmBoard(
        players=(
            holdings("anna", lands("north_america", "south_america")),
            holdings("bert", lands("europe")),
            holdings("cees", lands("asia", "australia", "africa")),
        )
    )

    game.do(board)

    assert {"cees": "1+", "anna": "2", "bert": "3"} == results(game)


def test_claim_that_the_board_contradicts_is_refused() -> None:
    """A mission that is not done on the recorded board gives no plus: people look again."""
    game = Game().playing()
    game.do(c.ClaimMission(player="anna", mission="africa_asia"))

    with pytest.raises(RulesError) as refusal:
        game.do(board_of_three())

    assert ("mission-not-done", Phase.FROZEN) == (refusal.value.code, game.state.phase)


def test_refused_claim_lets_the_game_go_on_from_where_the_clock_stood() -> None:
    """The time that the referee took is not lost to the players."""
    game = Game().playing()
    game.now_ns += 600 * S
    game.do(c.ClaimMission(player="anna", mission="africa_asia"))
    frozen_at = game.state.running_clock().elapsed_ms
    game.now_ns += 300 * S

    game.do(c.WithdrawClaim(reason="Siam is blue"), "referee")

    assert Phase.PLAYING is game.state.phase
    assert frozen_at == game.state.running_clock().elapsed_at(game.now_ns)
    assert "anna" == game.state.turn_player


def test_mission_out_of_play_cannot_be_claimed() -> None:
    """Clause 4.5: '18 areas' and the colours that nobody plays are out of the game."""
    game = Game().playing()

    for mission in ("occupy_18_with_two", "destroy_white", "fly_to_the_moon"):
        with pytest.raises(RulesError):
            game.do(c.ClaimMission(player="anna", mission=mission))

    assert Phase.PLAYING is game.state.phase


def test_destroyed_target_must_have_been_recorded() -> None:
    """A claim by destruction names a player who is out."""
    game = Game().playing()

    with pytest.raises(Refused) as refusal:
        game.do(c.ClaimMission(player="anna", mission="destroy_blue", destroyed="bert"))

    assert "not-destroyed" == refusal.value.problem


def test_destroying_ones_target_at_a_table_of_three_needs_no_board() -> None:
    """Clause 3.1: the destroyed gets 3, and so the one with 2 is known."""
    game = Game().playing()
    game.do(c.DeclareOut(player="bert", by="anna"))
    game.do(c.ClaimMission(player="anna", mission="destroy_blue", destroyed="bert"))

    game.do(c.ConfirmBoard(players=()))

    assert {"anna": "1+", "cees": "2", "bert": "3"} == results(game)


def test_last_player_ends_the_game() -> None:
    """Clause 4.13: slimmed to two, the destroyed one gets 2."""
    game = Game().playing()
    game.do(c.DeclareOut(player="cees", by="anna"))
    game.do(c.DeclareOut(player="bert", by="anna"))
    assert "last_player" == (game.state.frozen.why if game.state.frozen else None)

    game.do(c.ConfirmBoard(players=(holdings("anna", tuple(BOARD.territories), 60),)))

    assert {"anna": "1", "bert": "2", "cees": "3"} == results(game)


def test_a_player_knocked_out_in_their_own_turn_passes_it_on() -> None:
    """The turn never belongs to somebody who is out."""
    game = Game().playing()

    game.do(c.DeclareOut(player="anna", by="bert"))

    assert "bert" == game.state.turn_player


def test_nobody_knocks_out_themselves_or_a_stranger() -> None:
    """Offenders are named."""
    game = Game().playing()

    for player, by, problem in (
        ("anna", "anna", "out-by-oneself"),
        ("dirk", "anna", "unknown-player"),
    ):
        with pytest.raises(Refused) as refusal:
            game.do(c.DeclareOut(player=player, by=by))
        assert problem == refusal.value.problem

    game.do(c.DeclareOut(player="bert", by="anna"))
    with pytest.raises(Refused) as refusal:
        game.do(c.DeclareOut(player="bert", by="cees"))
    assert "player-is-out" == refusal.value.problem


def _spoilt(change: str) -> c.ConfirmBoard:
    board = board_of_three()
    anna, bert, cees = board.players
    if change == "one missing":
        return replace(board, players=(replace(anna, territories=anna.territories[1:]), bert, cees))
    if change == "one twice":
        return replace(board, players=(anna, replace(bert, territories=(*bert.territories, "alaska")), cees))
    if change == "no armies":
        return replace(board, players=(replace(anna, armies=0), bert, cees))
    if change == "negative card":
        return replace(board, players=(replace(anna, hand={**NO_CARDS, "joker": -1}), bert, cees))
    if change == "strange card":
        return replace(board, players=(replace(anna, hand={"dragon": 1}), bert, cees))
    if change == "stranger":
        return replace(board, players=(replace(anna, id="dirk"), bert, cees))
    return replace(board, players=(anna, bert))


@pytest.mark.parametrize(
    "change", ["one missing", "one twice", "no armies", "negative card", "strange card", "stranger", "player missing"]
)
def test_a_board_that_cannot_be_true_is_refused(change: str) -> None:
    """41 territories, one twice, no armies, impossible cards, strangers: never a wrong score."""
    game = Game().frozen()

    with pytest.raises((RulesError, Refused)):
        game.do(_spoilt(change))

    assert (Phase.FROZEN, None) == (game.state.phase, game.state.score)


def _equal() -> Game:
    """Two players equal at every step: Anna and Cees hold 14 lands each, no continent, and the same armies."""
    game = Game().frozen()
    names = list(BOARD.territories)
    shares = [tuple(names[i::3]) for i in range(3)]
    players = tuple(
        holdings(player, share, armies)
        for player, share, armies in zip(("anna", "bert", "cees"), shares, (30, 20, 30), strict=True)
    )
    game.do(c.ConfirmBoard(players=players))
    return game


def test_equal_players_wait_for_the_referee() -> None:
    """Nobody signs and nobody closes before the referee has ruled; the ruling is the result."""
    game = _equal()
    assert game.state.score is not None
    assert [{"anna", "cees"}] == [set(group) for group in game.state.score.unresolved]
    for command, asker in ((c.SignResult(player="anna"), "screen"), (c.CloseTable(), "referee")):
        with pytest.raises(Refused) as refusal:
            game.do(command, asker)  # type: ignore[arg-type]
        assert "result-open" == refusal.value.problem

    game.do(c.RuleResult(results={"anna": "1", "cees": "2", "bert": "3"}, reason="drew lots"), "referee")
    game.do(c.SignResult(player="anna"))
    game.do(c.CloseTable(), "referee")

    assert ({"anna": "1", "cees": "2", "bert": "3"}, Phase.CLOSED) == (results(game), game.state.phase)


def test_ruling_names_every_player_and_a_result_that_exists() -> None:
    """A ruling that leaves somebody out or invents a result is refused."""
    game = _equal()

    for given in ({"anna": "1"}, {"anna": "1", "cees": "2", "bert": "7"}):
        with pytest.raises((Refused, RulesError)):
            game.do(c.RuleResult(results=given, reason="because"), "referee")

    assert game.state.ruling is None


def test_a_dispute_calls_the_referee_and_holds_the_table_open() -> None:
    """A disputed result can't be closed until the referee has ruled it or had the board recorded anew."""
    game = Game().frozen()
    game.do(board_of_three())

    made = game.do(c.DisputeResult(player="anna", reason="Peru is mine"))

    assert ["result.disputed", "referee.called"] == game.kinds(made)
    with pytest.raises(Refused) as refusal:
        game.do(c.CloseTable(), "referee")
    assert "result-disputed" == refusal.value.problem


def test_board_recorded_anew_drops_the_signatures() -> None:
    """Who signed a score that no longer stands signs again."""
    game = Game().frozen()
    game.do(board_of_three())
    game.do(c.SignResult(player="anna"))

    game.do(c.ReopenBoard(reason="Iceland was missed"), "referee")
    game.do(board_of_three(anna=50))

    assert not game.state.player("anna").signed
    assert Phase.SCORED is game.state.phase


def test_signing_twice_changes_nothing() -> None:
    """A second tap is harmless."""
    game = Game().frozen()
    game.do(board_of_three())
    game.do(c.SignResult(player="anna"))

    assert () == game.do(c.SignResult(player="anna"))


def test_a_closed_table_opens_the_next_game_empty() -> None:
    """The next round begins with nothing left of this one but the rig."""
    game = Game().frozen()
    game.do(board_of_three())
    game.do(c.CloseTable(), "referee")

    game.do(c.SetUpTable(system="nl1996", players=("dirk", "eva", "frits"), round=2))

    assert (Phase.SEATING, None, 0) == (game.state.phase, game.state.score, game.state.throws)
    assert game.state.rig is not None


def test_acts_without_a_reason_are_refused() -> None:
    """Each act of a referee that changes a result says why."""
    game = Game().frozen()
    with pytest.raises(Refused):
        game.do(c.WithdrawClaim(reason="x"), "referee")
    game.do(board_of_three())

    for command in (
        c.ReopenBoard(reason=""),
        c.RuleResult(results={"anna": "1", "bert": "2", "cees": "3"}, reason=" "),
    ):
        with pytest.raises(Refused) as refusal:
            game.do(command, "referee")
        assert "reason-missing" == refusal.value.problem


def test_nothing_is_signed_before_the_score() -> None:
    """A signature needs something to sign."""
    game = Game().frozen()

    with pytest.raises(NotNow):
        game.do(c.SignResult(player="anna"))

    assert not game.state.player("anna").signed
