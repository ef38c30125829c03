"""Where facts become questions to the rules: systems other than the Dutch one, and what is still to be recorded."""

from __future__ import annotations

import pytest

from companion.rules.errors import RulesError
from companion.rules.ruleset import load_ruleset
from companion.session import commands as c
from companion.session import events as e
from companion.session import judging, wire
from companion.session.errors import Refused
from companion.session.state import TableState
from tests.session.play import PLAYERS, Game, a_die
from tests.session.test_ending import lands


def test_screen_is_told_what_must_be_recorded_and_why() -> None:
    """After the signal the board decides; after a mission by destruction at a table of three nothing does."""
    game = Game().frozen()

    need = judging.need(game.state, game.ruleset)

    assert (True, "board") == (need["board"], need["next"])
    assert {"code", "clause", "values"} == set(need["reason"])


def test_missions_are_known_once_every_colour_is() -> None:
    """Before that, and in systems without missions, there are none to choose from."""
    game = Game().opened()
    assert () == judging.missions(game.state, game.ruleset)

    seated = Game().seated()

    assert "africa_asia" in judging.missions(seated.state, seated.ruleset)
    assert () == judging.missions(seated.state, load_ruleset("rebels"))
    assert "letto" in judging.missions(seated.state, load_ruleset("risiko"))


@pytest.mark.parametrize(("system", "good", "bad"), [("nl1996", "1+", "win"), ("classic", "win", "1+")])
def test_a_referee_gives_a_result_that_the_system_has(system: str, good: str, bad: str) -> None:
    """'1+' is a word of one system, 'win' of the others."""
    ruleset = load_ruleset(system)
    judging.check_results(dict.fromkeys(("anna", "bert", "cees"), good), ruleset=ruleset)

    with pytest.raises(RulesError) as refusal:
        judging.check_results(dict.fromkeys(("anna", "bert", "cees"), bad), ruleset=ruleset)

    assert ("unknown-result", bad) == (refusal.value.code, refusal.value.values["result"])


def test_hands_that_nobody_counted_are_unknown_and_not_empty() -> None:
    """Without cards on the sheet nothing is made up; a continent decides here."""
    game = Game().frozen()
    players = tuple(
        e.HoldingsFact(id=player, territories=own, armies=None, hand=None)
        for player, own in (
            ("anna", lands("north_america", "south_america")),
            ("bert", lands("europe", "africa")),
            ("cees", lands("asia", "australia")),
        )
    )

    game.do(c.ConfirmBoard(players=players))

    assert {"bert": "1", "cees": "2", "anna": "3"} == dict(game.state.results or {})


def test_attack_time_is_no_question_before_a_game() -> None:
    """No clock, no limit."""
    assert judging.attack_remaining_ms(TableState(), 0, ruleset=load_ruleset("nl1996")) is None


def test_claim_is_not_withdrawn_without_a_reason() -> None:
    """A referee's act says why."""
    game = Game().playing()
    game.do(c.ClaimMission(player="anna", mission="africa_asia"))

    with pytest.raises(Refused) as refusal:
        game.do(c.WithdrawClaim(reason="  "), "referee")

    assert "reason-missing" == refusal.value.problem


def test_nothing_is_accepted_where_no_throw_is_open() -> None:
    """The last one was lifted."""
    game = Game().playing()

    with pytest.raises(Refused) as refusal:
        game.do(c.AcceptThrow())

    assert "no-open-throw" == refusal.value.problem


@pytest.mark.parametrize(
    ("faces", "rolled", "reason"), [((4,), False, "not-rolled"), (("unreadable",), True, "unreadable")]
)
def test_start_die_that_was_laid_down_or_cannot_be_read_is_void(
    faces: tuple[int | str, ...], rolled: bool, reason: str
) -> None:
    """A six that a hand put there gives nobody the first turn."""
    game = Game().opened()

    made = game.see(attack=faces, rolled=rolled)

    assert [reason] == [m.reason for m in made if isinstance(m, e.StartDieVoided)]


def test_start_die_is_the_one_that_was_thrown() -> None:
    """The last player's die still lies there, and spare dice lie beside the box."""
    game = Game().opened()
    dice = (a_die(6), a_die("off_box", place=7), a_die(3, place=3))

    made = game.do(
        c.SeeDice(
            dice=dice,
            sides=("attack",) * 3,
            moved=(False, False, True),
            started_ns=game.now_ns,
            settled_ns=game.now_ns,
            evidence=None,
        ),
        "rig",
    )

    assert [("anna", 3)] == [(m.player, m.value) for m in made if isinstance(m, e.StartDieRead)]
    assert PLAYERS[1] == game.state.players[1].id


def test_longest_text_of_a_command() -> None:
    """A reason is typed by people; half a megabyte is not."""
    long = "x" * 501

    for args in ({"reason": long}, {"results": {long: "1"}, "reason": "x"}, {"results": {"anna": long}, "reason": "x"}):
        with pytest.raises(wire.MalformedCommand) as refusal:
            wire.command_from("rule_result", args)
        assert 500 == refusal.value.values["most"]
    with pytest.raises(wire.MalformedCommand):
        wire.command_from("set_up_table", {"system": "nl1996", "players": ["anna", long]})


def test_old_versions_are_lifted_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal of an older program opens: each step makes the data of the next version."""
    monkeypatch.setattr(e.TurnStarted, "version", 3)
    monkeypatch.setitem(wire.UPCASTS, ("turn.started", 1), lambda data: {**data, "number": data["turn"]})
    monkeypatch.setitem(
        wire.UPCASTS, ("turn.started", 2), lambda data: {key: value for key, value in data.items() if key != "turn"}
    )

    event = wire.from_record("turn.started", 1, 7, {"turn": 4, "player": "anna"})

    assert e.TurnStarted(at_ns=7, number=4, player="anna") == event
