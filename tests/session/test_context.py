"""What no camera knows: how many dice, against what, what fell, that the attack is over, who wants silence."""

from __future__ import annotations

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session import judging
from companion.session.errors import Refused
from companion.session.transitions import ThrowStep
from tests.session.play import Game

SYSTEMS = ("nl1996", "risiko", "classic", "apoikia", "rebels")


def ruled(game: Game, side: e.Side = "attack") -> e.ThrowRuled:
    """What the rules said of a side of the newest throw."""
    assert game.state.throw is not None
    half = game.state.throw.side(side)
    assert half is not None
    assert half.ruled is not None
    return half.ruled


@pytest.mark.parametrize(
    ("system", "action", "standing", "reroll"),
    [
        ("nl1996", "accept", (6, 4), 0),
        ("risiko", "reroll_some", (6, 4), 1),
        ("classic", "reroll_some", (6, 4), 1),
        ("apoikia", "reroll_some", (6, 4), 1),
        ("rebels", "reroll_some", (6, 4), 1),
    ],
)
def test_die_that_fell_is_ruled_by_each_system(
    system: str, action: str, standing: tuple[int, ...], reroll: int
) -> None:
    """One tap after the throw: in the Netherlands it falls away, elsewhere only that die is thrown again."""
    game = Game(system).playing()
    game.press("seat1")
    game.see((6, 4))

    game.do(c.SayFallen(side="attack", count=1))

    assert (action, standing, reroll) == (ruled(game).action, ruled(game).standing, ruled(game).reroll)


@pytest.mark.parametrize("system", SYSTEMS)
def test_tap_before_the_dice_are_read_is_the_same(system: str) -> None:
    """Said while they still rolled."""
    before, after = Game(system).playing(), Game(system).playing()
    for game in (before, after):
        game.press("seat1")
    before.do(c.SayFallen(side="attack", count=1))
    before.see((6, 4))
    after.see((6, 4))
    after.do(c.SayFallen(side="attack", count=1))

    assert ruled(before).fates == ruled(after).fates
    assert (0, 0) == (before.state.fallen_attack, after.state.fallen_attack)


def test_fallen_die_is_thrown_again_alone() -> None:
    """Clause 17: the standing dice keep their values, the new die takes the place of the one that fell."""
    game = Game("risiko").playing()
    game.press("seat1")
    game.see((6, 4))
    game.do(c.SayFallen(side="attack", count=1))

    game.see_one_more(5, beside=(6, 4))
    game.see((6, 4, 5), (2, 2, 1), still=("attack",))
    game.lift()

    assert (6, 5, 4) == ruled(game).counted
    assert (0, 3) == (
        game.state.newest_throw().accepted.attacker_loses,  # type: ignore[union-attr]
        game.state.newest_throw().accepted.defender_loses,  # type: ignore[union-attr]
    )


def test_fallen_die_is_taken_back_and_counted_once() -> None:
    """A slip; and the same tap twice changes nothing."""
    game = Game("risiko").playing()
    game.press("seat1")
    assert ["fall.told"] == game.kinds(game.do(c.SayFallen(side="defence", count=1)))
    assert () == game.do(c.SayFallen(side="defence", count=1))
    game.see((6, 4))
    game.do(c.SayFallen(side="attack", count=1))
    assert () == game.do(c.SayFallen(side="attack", count=1))

    game.do(c.SayFallen(side="attack", count=0))

    assert ("accept", (6, 4), 1) == (ruled(game).action, ruled(game).counted, game.state.fallen_defence)


def test_late_die_is_counted_beside_one_that_fell() -> None:
    """In the Netherlands three were thrown: one fell, one came late; the two in the box and the late one are asked."""
    game = Game().playing()
    game.press("seat1")
    game.see((6, 4))
    game.do(c.SayFallen(side="attack", count=1))

    game.see_one_more(5, beside=(6, 4))

    assert 4 == len(game.state.newest_throw().attack.settled.dice)  # type: ignore[union-attr]


def test_fallen_dice_belong_to_a_throw_and_are_not_more_than_there_are() -> None:
    """Nothing was called; nobody throws four."""
    game = Game().playing()

    with pytest.raises(Refused) as no_throw:
        game.do(c.SayFallen(side="attack", count=1))
    game.press("seat1")
    with pytest.raises(Refused) as too_many:
        game.do(c.SayFallen(side="defence", count=3))

    assert ("no-open-throw", "bad-fallen") == (no_throw.value.problem, too_many.value.problem)


@pytest.mark.parametrize(
    ("system", "choices"),
    [
        ("nl1996", ("armies",)),
        ("risiko", ("armies",)),
        ("classic", ("armies",)),
        ("apoikia", ("armies", "fleet")),
        ("rebels", ("armies", "rebels")),
    ],
)
def test_context_is_what_the_system_knows_and_holds_for_the_turn(system: str, choices: tuple[str, ...]) -> None:
    """Without a tap the last one holds; with the turn it is over."""
    game = Game(system).playing()
    for against in ("armies", "rebels", "fleet"):
        if against not in choices:
            with pytest.raises(Refused) as refusal:
                game.do(c.SetContext(against=against))  # type: ignore[arg-type]
            assert ("no-such-target", list(choices)) == (refusal.value.problem, refusal.value.values["known"])
    assert () == game.do(c.SetContext(against="armies"))

    game.do(c.SetContext(against=choices[-1]))  # type: ignore[arg-type]
    game.throw((6, 5, 1), (4, 2))
    game.throw((6, 5, 1), (4, 2))

    assert choices[-1] == game.state.newest_throw().against
    game.press("seat2")
    assert "armies" == game.state.against


def test_attack_on_rebels_has_its_own_dice_and_its_own_losses() -> None:
    """Rebels 15: always three against two, the highest alone decides, a tie is theirs, two at a time."""
    game = Game("rebels").playing()
    game.do(c.SetAllowed(attack=1, defence=1))
    game.press("seat1")
    game.see((6, 3, 1), (6, 2))
    assert "rethrow_all" == ruled(game).action

    game.do(c.SetContext(against="rebels"))
    made = game.lift()

    assert ("accept", (6, 3, 1)) == (ruled(game).action, ruled(game).counted)
    assert [(2, 0)] == [(m.attacker_loses, m.defender_loses) for m in made if isinstance(m, e.ThrowAccepted)]


def test_sea_battle_is_fought_as_between_cities() -> None:
    """Apoikia: the dice of the base rules."""
    game = Game("apoikia").playing()
    game.do(c.SetContext(against="fleet"))

    made = game.throw((6, 3, 1), (5, 3))

    assert [(1, 1)] == [(m.attacker_loses, m.defender_loses) for m in made if isinstance(m, e.ThrowAccepted)]


def test_allowed_dice_are_asked_again_with_a_tap_after_the_throw() -> None:
    """Two were allowed, three lie there: classic throws the whole again, the Netherlands let the highest fall."""
    for system, action, counted in (("classic", "rethrow_all", ()), ("nl1996", "accept", (4, 2))):
        game = Game(system).playing()
        game.see((6, 4, 2))
        assert "accept" == ruled(game).action

        game.do(c.SetAllowed(attack=2, defence=None))

        assert (action, counted) == (ruled(game).action, ruled(game).counted)


def test_attack_with_fewer_dice_than_the_defence_is_refused_and_noticed() -> None:
    """Clause 16: refused where it is tapped, said where it lies in the box; the dice stand and people rule."""
    game = Game("risiko").playing()
    with pytest.raises(Refused) as refusal:
        game.do(c.SetAllowed(attack=2, defence=3))
    assert ("attack-fewer-than-defence", "16") == (refusal.value.problem, refusal.value.values["clause"])
    assert Game("classic").playing().do(c.SetAllowed(attack=1, defence=2))

    game.see((6, 4), (5, 3, 1))

    assert ["attack-fewer-than-defence"] == _warned(game)


def test_defence_with_fewer_dice_than_its_armies_allow_is_noticed() -> None:
    """Clause 16: the defence throws as many as it can."""
    game = Game("risiko").playing()
    game.do(c.SetAllowed(attack=3, defence=3))

    game.see((6, 4, 1), (5, 3))

    assert ["defence-fewer-dice"] == _warned(game)


def test_nothing_is_noticed_before_both_sides_stand_and_where_the_rules_allow_it() -> None:
    """One side, a die to be thrown again, or box rules."""
    half, cocked, classic = Game("risiko").playing(), Game("risiko").playing(), Game("classic").playing()
    half.see((6,))
    cocked.see((6, "cocked"), (5, 3, 1))
    classic.see((6,), (5, 3))

    assert ([], [], []) == (_warned(half), _warned(cocked), _warned(classic))


def _warned(game: Game) -> list[str]:
    return [reason.code for reason in judging.warnings(game.state.newest_throw(), ruleset=game.ruleset)]


@pytest.mark.parametrize("system", SYSTEMS)
def test_attack_that_is_over_closes_its_throw(system: str) -> None:
    """The losses are taken, the combat is counted anew from the next throw on."""
    game = Game(system).playing()
    game.see((6, 5), (4, 3))

    made = game.do(c.StopAttack(why="conquered"))

    assert ["throw.accepted", "attack.stopped"] == game.kinds(made)
    ended = game.state.attack.ended
    assert (0, "conquered") == (game.state.attack.throws, ended.why if ended else "")
    game.see((6, 1), (2,))
    assert game.state.attack.ended is None


def test_attack_that_never_began_is_not_over() -> None:
    """Nothing was thrown since the last one."""
    game = Game("risiko").playing()

    with pytest.raises(Refused) as refusal:
        game.do(c.StopAttack())

    assert "no-attack" == refusal.value.problem


@pytest.mark.parametrize("system", SYSTEMS)
def test_silence_is_asked_by_a_player(system: str) -> None:
    """IT 22, and good manners everywhere."""
    game = Game(system).playing()

    game.do(c.AskSilence(player="bert"))

    assert "bert" == (game.state.silence.player if game.state.silence else None)
    with pytest.raises(Refused):
        game.do(c.AskSilence(player="nobody"))


def test_triple_makes_rebels_and_people_look_their_number_up() -> None:
    """Rebels 2: the table is missing in the text; what people said is kept for the next triple of that face."""
    game = Game("rebels").playing()
    made = game.throw((4, 4, 4), (5, 1))
    assert [(4, None)] == [(m.face, m.rebels) for m in made if isinstance(m, e.RebelsCame)]

    game.do(c.TellRebels(throw=1, rebels=5))

    assert () == game.do(c.TellRebels(throw=1, rebels=5))
    assert 5 == game.state.newest_throw().rebels.rebels  # type: ignore[union-attr]
    assert [(4, 5)] == [(told.face, told.rebels) for told in game.state.rebels_told]


def test_no_rebels_without_a_triple_and_none_in_an_attack_on_them() -> None:
    """Nothing to look up."""
    game = Game("rebels").playing()
    game.throw((4, 4, 3), (5, 1))
    for throw, rebels, problem in ((1, 5, "no-rebels-asked"), (9, 5, "no-rebels-asked")):
        with pytest.raises(Refused) as refusal:
            game.do(c.TellRebels(throw=throw, rebels=rebels))
        assert problem == refusal.value.problem
    game.do(c.SetContext(against="rebels"))

    game.throw((4, 4, 4), (5, 1))

    assert game.state.newest_throw().rebels is None


def test_number_of_rebels_is_one_that_fits_on_a_board() -> None:
    """A hundred are a slip of the finger."""
    game = Game("rebels").playing()
    game.throw((4, 4, 4), (5, 1))

    with pytest.raises(Refused) as refusal:
        game.do(c.TellRebels(throw=1, rebels=100))

    assert "bad-rebels" == refusal.value.problem


def test_triple_that_was_misread_makes_no_rebels() -> None:
    """The correction takes them back with the die."""
    game = Game("rebels").playing()
    game.throw((4, 4, 4), (5, 1))

    game.do(c.CorrectDie(side="attack", position=0, value=6, reason="misread"), "referee")

    assert (None, ThrowStep.ACCEPTED) == (game.state.newest_throw().rebels, game.state.newest_throw().step)


@pytest.mark.parametrize(("occupier", "armies", "cards", "at_once"), [(True, 20, 2, True), (False, 10, 1, False)])
def test_eliminated_player_returns_with_the_rebels(occupier: bool, armies: int, cards: int, at_once: bool) -> None:
    """Rebels 11, 13, 14."""
    game = Game("rebels").playing()
    game.do(c.DeclareOut(player="bert", by="anna"))

    made = game.do(c.ReturnPlayer(player="bert", occupier=occupier))

    assert [(armies, cards, at_once)] == [
        (m.armies, m.cards, m.may_attack_now) for m in made if isinstance(m, e.PlayerReturned)
    ]
    assert ["anna", "bert", "cees"] == [p.id for p in game.state.in_order()]


def test_nobody_returns_who_was_never_out_or_under_other_rules() -> None:
    """A slip, and no rule for it."""
    rebels, dutch = Game("rebels").playing(), Game().playing()
    dutch.do(c.DeclareOut(player="bert", by="anna"))

    for game, problem in ((rebels, "not-out"), (dutch, "no-rebels-here")):
        with pytest.raises(Refused) as refusal:
            game.do(c.ReturnPlayer(player="bert", occupier=True))
        assert problem == refusal.value.problem
