"""A game of each system, from the set-up to the signed score, in memory: what each asks for and what it refuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from companion.rules.board import load_board
from companion.rules.errors import RulesError
from companion.rules.ruleset import load_ruleset
from companion.session import commands as c
from companion.session import events as e
from companion.session import judging
from companion.session.errors import Refused
from companion.session.transitions import Phase
from tests.session.play import PLAYERS, Game

CITIES = sorted(load_board("apoikia").territories)
LANDS = sorted(load_board("classic").territories)
NO_CARDS = {"infantry": 0, "artillery": 0, "cavalry": 0, "joker": 0}
CARDS = {"anna": 3, "bert": 0, "cees": 1}
OBJECTIVES = {"anna": "letto", "bert": "elefante", "cees": "befana"}


def board(lands: list[str], sizes: tuple[int, int, int], **more: Any) -> c.ConfirmBoard:
    """The lands in order of their names, so many for each player."""
    starts = (0, sizes[0], sizes[0] + sizes[1])
    return c.ConfirmBoard(
        players=tuple(
            e.HoldingsFact(
                id=player,
                territories=tuple(lands[start : start + size]),
                armies=size + 20,
                hand={**NO_CARDS, "infantry": CARDS[player]},
                objective=more.get("objectives", {}).get(player),
            )
            for player, start, size in zip(PLAYERS, starts, sizes, strict=True)
        ),
        vacant=tuple(lands[sum(sizes) :]),
        lot=more.get("lot"),
    )


def results(game: Game) -> Mapping[str, str]:
    """The results as they stand."""
    return game.state.results or {}


def signed(game: Game) -> Game:
    """Everybody signs, the referee closes."""
    for player in PLAYERS:
        game.do(c.SignResult(player=player))
    game.do(c.CloseTable(), "referee")
    return game


def test_risiko_is_ranked_by_its_score() -> None:
    """Clause 24 and 26: Score by coefficients, cards, continents and armies; places give points."""
    game = Game("risiko").playing()
    game.tijd()

    game.do(board(LANDS, (11, 14, 17), objectives=OBJECTIVES))

    score = game.state.score
    assert score is not None
    assert set(PLAYERS) == set(score.scores)
    assert [score.scores[place.player] for place in score.places] == [place.score for place in score.places]
    assert ["win", "5", "2"] == [place.result for place in score.places]
    assert Phase.CLOSED is signed(game).state.phase


def test_risiko_is_won_by_the_objective_that_was_claimed() -> None:
    """Clause 23: it ends the game at once, and need not be recorded a second time."""
    game = Game("risiko").playing()
    game.do(c.ClaimMission(player="anna", mission="letto"))
    risiko = load_board("risiko").territories
    letto = sorted(_objective("letto"))
    rest = [land for land in sorted(risiko) if land not in letto]
    others = {player: OBJECTIVES[player] for player in ("bert", "cees")}
    recorded = board([*letto, *rest], (len(letto), 10, 42 - len(letto) - 10), objectives=others)

    game.do(recorded)

    assert "win" == results(game)["anna"]


def _objective(name: str) -> frozenset[str]:
    from companion.rules.objectives import load_objectives

    return load_objectives()[name].territories


def test_claimed_and_recorded_objective_must_be_one() -> None:
    """Two cards can't both be hers; and one that the board does not show is no win."""
    game = Game("risiko").playing()
    game.do(c.ClaimMission(player="anna", mission="letto"))

    with pytest.raises(Refused) as differs:
        game.do(board(LANDS, (12, 14, 16), objectives={**OBJECTIVES, "anna": "elefante"}))
    with pytest.raises(RulesError) as not_done:
        game.do(board(LANDS, (12, 14, 16), objectives=OBJECTIVES))

    assert ("objective-differs", "mission-not-done") == (differs.value.problem, not_done.value.code)


def test_claim_without_a_name_takes_the_recorded_objective() -> None:
    """Nobody had tapped which; the sheet tells."""
    game = Game("risiko").playing()
    game.do(c.ClaimMission(player="anna"))

    with pytest.raises(RulesError) as refusal:
        game.do(board(LANDS, (12, 14, 16), objectives=OBJECTIVES))

    assert ("mission-not-done", "letto") == (refusal.value.code, refusal.value.values["mission"])


@pytest.mark.parametrize(
    ("system", "mission", "problem"),
    [
        ("risiko", "africa_asia", "unknown-objective"),
        ("apoikia", "africa_asia", "no-missions-here"),
        ("rebels", None, "no-claims-here"),
        ("classic", "fly_to_the_moon", "unknown-mission"),
    ],
)
def test_claim_is_one_of_its_system(system: str, mission: str | None, problem: str) -> None:
    """Refused before the board is frozen for nothing."""
    game = Game(system).playing()

    with pytest.raises((Refused, RulesError)) as refusal:
        game.do(c.ClaimMission(player="anna", mission=mission))

    assert problem in (getattr(refusal.value, "problem", ""), getattr(refusal.value, "code", ""))
    assert Phase.PLAYING is game.state.phase


def test_objectives_are_no_business_of_other_systems() -> None:
    """Whoever sends one is told."""
    game = Game().frozen()

    with pytest.raises(Refused) as refusal:
        game.do(board(LANDS, (12, 14, 16), objectives={"anna": "letto"}))

    assert "no-objectives-here" == refusal.value.problem


def test_classic_is_won_by_a_mission_and_needs_no_board() -> None:
    """Eighteen with two each can be proven army by army, if somebody wants it."""
    game = Game("classic").playing()
    game.do(c.ClaimMission(player="bert", mission="occupy_18_with_two"))
    assert judging.need(game.state, game.ruleset)["next"] is None

    held = e.HoldingsFact(
        id="bert", territories=tuple(LANDS[:18]), armies=None, hand=None, armies_on=dict.fromkeys(LANDS[:18], 2)
    )
    others = (
        e.HoldingsFact(id="anna", territories=tuple(LANDS[18:30]), armies=20, hand=None),
        e.HoldingsFact(id="cees", territories=tuple(LANDS[30:]), armies=20, hand=None),
    )
    game.do(c.ConfirmBoard(players=(held, *others)))

    assert {"anna": "loss", "bert": "win", "cees": "loss"} == results(game)
    assert Phase.CLOSED is signed(game).state.phase


def test_classic_without_a_winner_is_ruled_by_people() -> None:
    """The box knows no end by time."""
    game = Game("classic").playing()
    game.tijd()

    game.do(board(LANDS, (12, 14, 16)))

    assert [set(PLAYERS)] == [set(group) for group in game.state.score.unresolved]  # type: ignore[union-attr]
    with pytest.raises(Refused):
        game.do(c.SignResult(player="anna"))
    game.do(c.RuleResult(results={"anna": "win", "bert": "loss", "cees": "loss"}, reason="by lot"), "referee")
    assert "win" == results(signed(game))["anna"]


def test_last_player_wins_the_box_rules() -> None:
    """World domination."""
    game = Game("classic").playing()
    game.do(c.DeclareOut(player="cees", by="anna"))
    game.do(c.DeclareOut(player="bert", by="anna"))

    game.do(c.ConfirmBoard(players=()))

    assert {"anna": "win", "bert": "loss", "cees": "loss"} == results(game)


def test_apoikia_is_won_by_who_shows_enough_cities() -> None:
    """Whoever claims was first, even where another would have enough by now; a false claim is refused."""
    won, lost = Game("apoikia").playing(), Game("apoikia").playing()
    won.do(c.ClaimMission(player="anna"))
    lost.do(c.ClaimMission(player="bert"))

    won.do(board(CITIES, (24, 10, 8)))
    with pytest.raises(RulesError) as refusal:
        lost.do(board(CITIES, (24, 10, 8)))

    assert {"anna": "win", "bert": "loss", "cees": "loss"} == results(won)
    assert "mission-not-done" == refusal.value.code


def test_rebels_are_won_by_territories_then_armies_when_time_is_over() -> None:
    """Lands of the rebels are nobody's."""
    game = Game("rebels").playing()
    game.tijd()

    game.do(board(LANDS, (15, 12, 10)))

    assert {"anna": "win", "bert": "loss", "cees": "loss"} == results(game)
    assert Phase.CLOSED is signed(game).state.phase


def test_rebels_are_set_up_with_what_victory_brings() -> None:
    """Decided beforehand, and for how long at most; nobody else is asked for it."""
    with pytest.raises(RulesError) as missing:
        Game("rebels").opened(prize=" ")
    with pytest.raises(Refused) as elsewhere:
        Game().opened(prize="a cake")
    with pytest.raises(Refused) as long:
        Game("rebels").opened(prize="x" * 81)

    assert ("prize-missing", "no-prize-here", "bad-text") == (
        missing.value.code,
        elsewhere.value.problem,
        long.value.problem,
    )
    assert Game("rebels").opened(prize="the cake").state.opened.prize == "the cake"  # type: ignore[union-attr]


def test_colour_of_a_box_that_we_do_not_know_is_a_word() -> None:
    """Any, but one that a screen can show."""
    game = Game("risiko").opened()
    for player, value in zip(PLAYERS, (6, 5, 4), strict=True):
        game.do(c.EnterStartDie(player=player, value=value))
    game.do(c.ChooseColour(player="anna", colour="violet"))

    for colour in ("", "x" * 81, "a\nb"):
        with pytest.raises(Refused) as refusal:
            game.do(c.ChooseColour(player="bert", colour=colour))
        assert "bad-text" == refusal.value.problem


@pytest.mark.parametrize(
    ("system", "options", "mission", "also"),
    [
        ("risiko", {}, None, ["objectives"]),
        ("nl1996", {"card_armies_owned_bonus": True, "count_unplaced_armies": True, "unresolved": "lot"}, None,
         ["owned_cards", "unplaced_armies", "lot"]),
        ("nl1996", {}, None, []),
    ],
)  # fmt: skip
def test_what_a_board_must_say_besides(
    system: str, options: Mapping[str, Any], mission: str | None, also: list[str]
) -> None:
    """The system, its options and the claim ask for it; the screen is told."""
    game = Game(system, options=options).playing()
    game.tijd()

    assert also == judging.need(game.state, game.ruleset)["also"]


def test_lot_parts_equal_players_as_on_a_sheet() -> None:
    """Option `unresolved`: the published number goes with the board."""
    game = Game(options={"unresolved": "lot"}).frozen()
    even = tuple(
        e.HoldingsFact(id=player, territories=tuple(LANDS[at::3]), armies=20, hand=NO_CARDS)
        for at, player in enumerate(PLAYERS)
    )

    game.do(c.ConfirmBoard(players=even, lot="2026-17"))

    assert {"1", "2", "3"} == set(results(game).values())
    assert "2026-17" == (game.state.board.lot if game.state.board else None)


@pytest.mark.parametrize(
    ("system", "phase", "asker", "without"),
    [
        ("nl1996", Phase.PLAYING, "screen", {"set_context", "tell_rebels", "return_player"}),
        ("rebels", Phase.PLAYING, "screen", {"claim_mission", "rule_played_on"}),
        ("apoikia", Phase.PLAYING, "screen", {"tell_rebels", "return_player", "rule_played_on"}),
        ("nl1996", Phase.FROZEN, "screen", {"claim_mission", "set_context", "tell_rebels", "return_player"}),
        ("nl1996", Phase.FROZEN, "referee", {"set_context", "tell_rebels", "return_player"}),
        ("risiko", Phase.FROZEN, "screen", {"set_context", "tell_rebels", "return_player", "rule_played_on"}),
    ],
)
def test_commands_that_mean_nothing_here_are_not_offered(
    system: str, phase: Phase, asker: str, without: set[str]
) -> None:
    """A screen draws its buttons from what is left."""
    game = Game(system).playing()
    if phase is Phase.FROZEN:
        game.tijd()

    assert without == judging.of_no_use(game.state, asker, ruleset=game.ruleset)


def test_claim_is_not_offered_twice() -> None:
    """The board is frozen by one already."""
    game = Game("risiko").playing()
    game.do(c.ClaimMission(player="anna", mission="letto"))

    assert "claim_mission" in judging.of_no_use(game.state, "referee", ruleset=game.ruleset)


@pytest.mark.parametrize(
    ("system", "edition", "lines"),
    [
        ("nl1996", None, ()),
        ("nl1996", "no-egypt-middle-east", (("egypt", "middle_east"),)),
        ("apoikia", None, ()),
    ],
)
def test_borders_that_the_print_lacks_are_remembered(
    system: str, edition: str | None, lines: tuple[tuple[str, str], ...]
) -> None:
    """Clause 4.6 and 18."""
    rules = load_ruleset(system, {"board.edition": edition} if edition else {})

    assert lines == judging.borders_to_remember(rules)


def test_dice_before_and_after_the_game_are_no_throw() -> None:
    """Ready, and scored: noted with their picture."""
    ready, scored = Game().seated(), Game().frozen()
    scored.do(board(LANDS, (12, 14, 16)))

    assert (["throw-outside-game"], ["throw-outside-game"]) == (
        ready.notes(ready.see((6, 1))),
        scored.notes(scored.see((6, 1))),
    )
