"""A secret length: sealed at the start, left by a table that falls out of step, lost, and revealed in its time."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from companion.rules.clock import fresh_length
from companion.rules.errors import RulesError
from companion.rules.ruleset import load_ruleset
from companion.session import commands as c
from companion.session import events as e
from companion.session.decide import Moment, decide
from companion.session.errors import NotNow, Refused
from companion.session.seal import Secret, seal_of, seal_text
from companion.session.state import fold
from companion.session.transitions import Phase
from tests.session.play import PLAYERS, Game

from .secret_game import DRAWN, HALL, OWN, STOOD, SecretGame


def test_seal_is_a_line_that_a_person_can_type() -> None:
    """Length and salt, a blank between them, and nothing that is not on the keyboard."""
    text = seal_text(HALL.minutes, HALL.salt)

    assert "tijd 113 minutes 0123456789abcdef0123456789abcdef" == text
    assert hashlib.sha256(text.encode()).hexdigest() == seal_of(HALL.minutes, HALL.salt) == HALL.seal


def test_secret_is_not_in_what_a_log_would_print() -> None:
    """Neither as text nor within something else."""
    told = f"{HALL} {HALL!r} {[HALL]}"

    assert not any(part in told for part in ("113", HALL.salt, HALL.salt[:8]))


def test_table_that_draws_seals_at_the_start() -> None:
    """Sealed, armed, started: in this order, with the range of its phase and without the length."""
    game = SecretGame(**OWN).playing()
    sealed = next(event for event in game.events if isinstance(event, e.TijdSealed))

    assert ["tijd.sealed", "tijd.armed", "game.started", "turn.started"] == game.kinds(game.events[-4:])
    assert (DRAWN.seal, "second_phase", 90, 150, "table", None, "start") == (
        sealed.seal, sealed.phase, sealed.least_min, sealed.most_min, sealed.source, sealed.hall, sealed.why,
    )  # fmt: skip
    assert (None, None) == (game.state.opened and game.state.opened.length_ms, game.state.running_clock().length_ms)


def test_start_without_chance_is_refused() -> None:
    """No length is made up."""
    game = SecretGame(draws=False, **OWN).seated()
    with pytest.raises(Refused) as refusal:
        game.do(c.StartGame())

    assert ("secret-not-drawn", Phase.READY) == (refusal.value.problem, game.state.phase)


@pytest.mark.parametrize(
    ("options", "seals"),
    [
        ({}, 0),
        ({"secret_time": "random"}, 0),
        ({"late_table": "own"}, 1),
        ({"same_for_all_tables": False}, 0),
        (OWN, 1),
    ],
)
def test_who_draws_at_a_start_without_the_hub(options: dict[str, Any], seals: int) -> None:
    """A table whose length the organiser keeps draws none; one that is late draws if the director said so."""
    game = SecretGame(**options).playing()

    assert (seals, Phase.PLAYING) == (len(game.state.seals), game.state.phase)


@pytest.mark.parametrize(
    ("box", "options", "rings"),
    [("00", {}, "clock"), (None, {}, "organiser"), ("00", {"signal_source": "organiser"}, "organiser")],
)
def test_hall_s_length_comes_from_the_hub(box: str | None, options: dict[str, Any], rings: str) -> None:
    """Who rings is what the organiser chose, and nobody rings by a length that was not sent."""
    game = SecretGame(**options).in_hall(box=box)

    assert ("hub", rings) == game.standing


@pytest.mark.parametrize(
    ("asker", "seal", "problem"),
    [("screen", HALL.seal, "seal-from-hub"), ("referee", HALL.seal, "seal-from-hub"), ("hub", "113", "bad-seal")],
)
def test_seal_of_somebody_else_or_none_is_refused(asker: Any, seal: str, problem: str) -> None:
    """Only the hub gives lengths, and a seal has the form of one."""
    game = SecretGame().seated()
    with pytest.raises(Refused) as refusal:
        game.do(c.StartGame(seal=seal), asker)

    assert problem == refusal.value.problem


def test_game_whose_length_is_known_takes_no_seal() -> None:
    """In the Dutch tournament everybody knows the 90 minutes."""
    game = Game().seated()
    with pytest.raises(Refused) as refusal:
        game.do(c.StartGame(seal=HALL.seal), "hub")

    assert "no-secret-here" == refusal.value.problem


@pytest.mark.parametrize(
    ("system", "more", "problem"),
    [
        ("risiko", {"length_ms": 5_400_000}, "length-is-secret"),
        ("nl1996", {"phase": "final"}, "no-phases-here"),
        ("classic", {}, "length-missing"),
        ("risiko", {"phase": "overtime"}, "no-such-phase"),
    ],
)
def test_set_up_says_no_length_where_it_is_secret(system: str, more: dict[str, Any], problem: str) -> None:
    """What stands in the set-up is read by everybody."""
    command = c.SetUpTable(system=system, players=PLAYERS, **more)
    with pytest.raises((Refused, RulesError)) as refusal:
        decide(Game().state, command, Moment(now_ns=0, asker="screen", ruleset=load_ruleset(system)))

    assert problem == getattr(refusal.value, "problem", None) or refusal.value.code


def test_first_phase_holds_where_none_is_named() -> None:
    """A home game needs no phase."""
    command = c.SetUpTable(system="risiko", players=PLAYERS)
    (opened,) = decide(Game().state, command, Moment(now_ns=0, asker="screen", ruleset=load_ruleset("risiko")))

    assert isinstance(opened, e.TableOpened)
    assert ("first_phase", None) == (opened.phase, opened.length_ms)


# ------------------------------------------------------------ in step with the hall


def interrupted(game: SecretGame, how: str) -> None:
    """Something that takes a table out of step."""
    if how == "pause":
        game.do(STOOD, "referee")
    elif how == "resume":
        game.do(STOOD, "hub")
        game.do(c.ResumeClock(), "referee")
    elif how == "extra_time":
        game.do(c.AddTime(ms=60_000, reason="late"), "referee")
    elif how == "power":
        game.do(c.Recover(events=9, same_boot=False, away_ms=None, elapsed_ms=60_000), "rig")
    else:
        game.do(c.ClaimMission(player="anna"))
        game.do(c.WithdrawClaim(reason="one land short"), "referee")


HOW = ("pause", "resume", "extra_time", "power", "claim")


@pytest.mark.parametrize("how", HOW)
def test_table_out_of_step_takes_a_length_of_its_own(how: str) -> None:
    """As the director chose beforehand; the hall's length is left behind."""
    game = SecretGame(late_table="own").in_hall()
    interrupted(game, how)
    why = next(event.why for event in reversed(game.events) if isinstance(event, e.TijdSealed))

    assert (("table", "clock"), 2, {"resume": "pause"}.get(how, how)) == (game.standing, len(game.state.seals), why)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("options", [{}, {"late_table": "own"}])
def test_table_out_of_step_ends_with_the_hall(how: str, options: dict[str, Any]) -> None:
    """As the director chose, or because the phase's range is over: its own clock must not ring any more."""
    game = SecretGame(draws=False, **options).in_hall()
    interrupted(game, how)

    assert ("hub", "organiser") == game.standing
    interrupted(game, "extra_time")
    assert 1 == sum(isinstance(event, e.TijdArmed) and event.by == "organiser" for event in game.events)


@pytest.mark.parametrize(
    "done",
    [
        [(STOOD, "hub"), (c.ResumeClock(), "hub"), (c.AddTime(ms=60_000, reason="late"), "hub")],
        [(c.Recover(events=9, same_boot=True, away_ms=3_000, elapsed_ms=60_000), "rig")],
        [(STOOD, "hub"), (c.Recover(events=9, same_boot=False, away_ms=None, elapsed_ms=60_000), "rig")],
        [(c.ClaimMission(player="anna"), "screen"), (STOOD, "nobody")],
        [(c.CallThrow(), "screen"), (c.CallReferee(), "screen")],
    ],
)
def test_what_takes_nobody_out_of_step(done: list[tuple[c.Command, Any]]) -> None:
    """What is done to the whole hall, a service that comes back in time, a board that is frozen, and play itself."""
    game = SecretGame(late_table="own").in_hall()
    for command, asker in done:
        if asker == "nobody":
            with pytest.raises(NotNow):
                game.do(command, "referee")
        else:
            game.do(command, asker)

    assert ("hub", "clock") == game.standing


@pytest.mark.parametrize(
    ("done", "late_table", "stands"),
    [
        ([c.PauseClock(reason="fire alarm", late=True)], "own", ("table", "clock")),
        ([c.PauseClock(reason="fire alarm", late=True)], "hall", ("hub", "organiser")),
        ([STOOD, c.ResumeClock(late=True)], "own", ("table", "clock")),
        ([STOOD, c.ResumeClock(late=True)], "hall", ("hub", "organiser")),
    ],
)
def test_a_pause_of_the_hall_that_comes_late_takes_a_table_out_of_step(
    done: list[c.Command], late_table: str, stands: tuple[str, str]
) -> None:
    """It stood for another time than its hall: its signal would tell the neighbours the length, and theirs it."""
    game = SecretGame(late_table=late_table).in_hall()
    for command in done:
        game.do(command, "hub")

    assert stands == game.standing
    assert "late" == next(event.why for event in reversed(game.events) if isinstance(event, e.TijdArmed))


def test_claim_refused_after_the_signal_seals_nothing() -> None:
    """The game is over all the same."""
    game = SecretGame(late_table="own").in_hall()
    game.do(c.ClaimMission(player="anna"))
    game.tijd()
    game.do(c.WithdrawClaim(reason="one land short"), "referee")

    assert (("hub", "clock"), Phase.FROZEN) == (game.standing, game.state.phase)


@pytest.mark.parametrize(
    ("played", "lengths"), [(0, {90, 120}), (89.9, {90, 120}), (100.2, {101, 120}), (119.9, {120}), (120, {None})]
)
def test_fresh_length_is_longer_than_what_was_played(played: float, lengths: set[int | None]) -> None:
    """Within the range, and none at all once the range is over."""
    rules = load_ruleset("risiko")
    drawn = {fresh_length("first_phase", number, played_min=played, ruleset=rules) for number in range(200)}

    assert lengths == {min(drawn, key=lambda one: one or 0), max(drawn, key=lambda one: one or 0)}


# ------------------------------------------------------------ lost and revealed


def reveal(secret: Secret, **other: Any) -> c.RevealTijd:
    """The command that shows a secret."""
    return c.RevealTijd(**{"seal": secret.seal, "minutes": secret.minutes, "salt": secret.salt, **other})


def test_lost_length_calls_the_referee() -> None:
    """It is said, once is enough for the beacon, and it is never drawn anew."""
    game = SecretGame(**OWN).playing()
    made = game.do(c.LoseTijd(seal=DRAWN.seal, why="altered"), "rig")
    again = game.do(c.LoseTijd(seal=DRAWN.seal, why="altered"), "rig")

    assert ["tijd.lost", "referee.called"] == game.kinds(made)
    assert (["tijd.lost"], "altered") == (game.kinds(again), game.state.sealed and game.state.sealed.lost)


def test_length_is_revealed_after_the_signal_once() -> None:
    """Everybody can check it then; saying it again adds nothing."""
    game = SecretGame(**OWN).playing()
    game.tijd()
    made = game.do(reveal(DRAWN, seal=None), "rig")

    assert [e.TijdRevealed(at_ns=game.now_ns, seal=DRAWN.seal, minutes=97, salt=DRAWN.salt)] == list(made)
    assert () == game.do(reveal(DRAWN), "rig")


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (reveal(DRAWN, minutes=98), "seal-does-not-fit"),
        (reveal(DRAWN, salt="0" * 32), "seal-does-not-fit"),
        (reveal(DRAWN, salt="é"), "seal-does-not-fit"),
        (reveal(DRAWN, minutes=None), "length-not-here"),
        (reveal(HALL), "no-such-seal"),
    ],
)
def test_reveal_must_fit_the_seal(command: c.RevealTijd, problem: str) -> None:
    """A length that somebody wished for is refused."""
    game = SecretGame(**OWN).playing()
    game.tijd()
    with pytest.raises(Refused) as refusal:
        game.do(command, "rig")

    assert problem == refusal.value.problem


def test_nothing_is_revealed_where_nothing_was_sealed() -> None:
    """The organiser kept the length to himself."""
    game = SecretGame().playing()
    with pytest.raises(Refused) as refusal:
        game.do(c.RevealTijd(), "referee")

    assert "no-such-seal" == refusal.value.problem


@pytest.mark.parametrize("asker", ["referee", "hub", "rig"])
def test_length_of_a_running_game_is_not_revealed(asker: Any) -> None:
    """Not even by whoever knows it."""
    game = SecretGame().in_hall()
    with pytest.raises(Refused) as refusal:
        game.do(reveal(HALL), asker)

    assert "game-runs" == refusal.value.problem


def test_hall_s_length_reaches_a_table_that_left_it_from_the_hub_alone() -> None:
    """The hub has waited for the last table in step; at this table nobody knows whether there is one."""
    game = SecretGame(late_table="own").in_hall()
    interrupted(game, "pause")
    with pytest.raises(Refused):
        game.do(reveal(HALL), "referee")
    game.do(reveal(HALL), "hub")

    assert [113, None] == [one.revealed and one.revealed.minutes for one in game.state.seals]


def test_hall_s_length_reaches_a_table_that_was_set_up_anew() -> None:
    """The hub told it late; the next game's own seal is another matter."""
    game = SecretGame(late_table="own").in_hall()
    for player in ("bert", "cees"):
        game.do(c.DeclareOut(player=player, by="anna"))
    closed = e.TableClosed(at_ns=game.now_ns, results={})
    game.state = fold([closed], game.state)
    game.seated()
    waiting = (game.state.sealed, [one.is_past for one in game.state.seals])
    with pytest.raises(Refused) as refusal:
        game.do(reveal(HALL), "referee")
    assert "hall-may-run" == refusal.value.problem
    game.do(reveal(HALL), "referee", after_ms=150 * 60_000)

    assert ((None, [True]), True) == (waiting, game.state.seals[0].revealed is not None)


@pytest.mark.parametrize(("stood_min", "added_min"), [(0, 0), (7, 0), (0, 5), (7, 5)])
def test_table_shows_the_hall_s_length_when_no_game_can_last_any_more(stood_min: int, added_min: int) -> None:
    """The range's most, what was added, and what this table stood: before that others may still be playing by it."""
    minute = 60_000
    game = SecretGame(late_table="hall").in_hall()
    began_ns = game.state.game_began_ns
    if added_min:
        game.do(c.AddTime(ms=added_min * minute, reason="a long ruling"), "hub")
    if stood_min:
        game.do(STOOD, "hub")
        game.do(c.ResumeClock(), "hub", after_ms=stood_min * minute)
    game.tijd()
    due_ms = (150 + stood_min + added_min) * minute
    gone_ms = (game.now_ns - began_ns) // 1_000_000
    with pytest.raises(Refused) as refusal:
        game.do(reveal(HALL), "referee", after_ms=due_ms - gone_ms - minute)
    (made,) = game.do(reveal(HALL), "referee", after_ms=minute + 1)

    assert ("hall-may-run", {"wait_min": 1}) == (refusal.value.problem, dict(refusal.value.values))
    assert isinstance(made, e.TijdRevealed)


def test_game_that_was_closed_without_a_signal_keeps_the_hall_s_length_as_long() -> None:
    """Its end says nothing of the other tables; the hub may tell it at any time."""
    game = SecretGame().in_hall()
    for player in ("bert", "cees"):
        game.do(c.DeclareOut(player=player, by="anna"))
    game.state = fold([e.TableClosed(at_ns=game.now_ns, results={})], game.state)
    with pytest.raises(Refused) as refusal:
        game.do(reveal(HALL), "referee", after_ms=149 * 60_000)
    game.do(reveal(HALL), "hub")

    assert "hall-may-run" == refusal.value.problem
    assert game.state.seals[0].revealed is not None
