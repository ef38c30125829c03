"""What people tell during a game, what they put right, and what the referee decides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.session import commands as c
from companion.ui.blocks import DiceRow, Do, Screen, Send, Text
from companion.ui.desk import CHECK, Desk
from companion.ui.draft import Draft
from companion.ui.presses import answered, press
from companion.ui.screens.acts import ACTS
from tests.ui import played, states, systems
from tests.ui.test_model import button, buttons, shown, texts

READ = Draft(tijd_seen_ns=99)


def act(name: str, *picks: Any, state: dict[str, Any] | None = None) -> Screen:
    """An act after some answers."""
    return shown(state or systems.playing("risiko"), Desk(lang="en", page="act", picks=(name, *picks)))


def row(screen: Screen, at: int) -> DiceRow:
    """One of the rows of dice."""
    return [block for block in screen.main if isinstance(block, DiceRow)][at]


def sent(screen: Screen) -> list[Send]:
    """Everything that a press on the screen would send."""
    return [b.does for b in buttons(screen) if isinstance(b.does, Send)]


def opened(screen: Screen) -> set[str]:
    """Pages and acts that a press on the screen opens."""
    opens = [b.does.args for b in buttons(screen) if isinstance(b.does, Do) and b.does.verb == "open"]
    return {args[1] if args[0] == "act" else args[0] for args in opens}


def test_a_die_that_fell_is_one_tap_and_one_more_takes_it_back() -> None:
    """The place beside the dice that lie stands for one that no camera sees."""
    state = systems.playing("risiko")
    place = row(shown(state), 0).dice[-1]
    fallen = states.die(None, "fallen", "reroll")
    state["throw"]["sides"]["attack"]["dice"] = [states.die(6), states.die(4), fallen]
    state["fallen"] = {"attack": 1, "defence": 0}
    again = row(shown(state), 0).dice

    assert ("↓", Send(command="say_fallen", args={"side": "attack", "count": 1})) == (place.ghost, place.does)
    assert Send(command="say_fallen", args={"side": "attack", "count": 0}) == again[2].does
    assert Send(command="say_fallen", args={"side": "attack", "count": 2}) == again[3].does


@pytest.mark.parametrize(
    "more", [{"state": "accepted"}, {"state": "annulled", "why": "referee"}], ids=["accepted", "annulled"]
)
def test_no_die_falls_out_of_a_throw_that_is_over(more: dict[str, Any]) -> None:
    """A throw that was taken has no place for another die."""
    state = systems.playing("risiko")
    state["throw"] |= more

    assert "" == row(shown(state), 0).dice[-1].ghost


def test_what_the_attack_goes_against_is_one_tap() -> None:
    """Armies, then rebels, then armies again; where there is only one thing nothing is asked."""
    rebels = shown(systems.rebels())
    armies = shown(systems.playing("rebels"))

    assert Send(command="set_context", args={"against": "armies"}) == button(rebels, "Against rebels").does
    assert Send(command="set_context", args={"against": "rebels"}) == button(armies, "Against armies").does
    assert "Objective reached" in [b.text for b in buttons(shown(systems.playing("risiko")))]


def test_rebels_after_a_triple_are_asked_for_where_the_rules_have_no_number() -> None:
    """The number is asked in the middle of the screen, and goes with its throw."""
    ask = button(shown(systems.rebels()), "Three times 5: how many rebels come? Tap here.")
    screen = act("tell-rebels", state=systems.rebels())
    known = systems.rebels()
    known["throw"]["rebels"] = {"face": 5, "rebels": 4, "ask": False, "proposed": None}

    assert Do(verb="open", args=("act", "tell-rebels")) == ask.does
    assert Send(command="tell_rebels", args={"throw": 17, "rebels": 4}) == button(screen, "4").does
    assert "Three times 5: 4 rebels come." in texts(shown(known))


def test_what_is_odd_about_the_numbers_of_dice_is_said() -> None:
    """A warning of the rules stands below the dice, with its clause."""
    state = systems.playing("risiko")
    state["throw"]["warnings"] = [{"code": "odd-numbers", "clause": "16", "values": {}}]

    assert any("16" in text for text in texts(shown(state)))


def test_the_end_of_risiko_cannot_be_missed() -> None:
    """First the notice over everything; once read, the game stands on another ground and offers only how it ends."""
    notice = shown(systems.finishing(), Desk(lang="en", page="menu"))
    screen = shown(systems.finishing(), Desk(lang="en", draft=READ))
    ends = [does.args["why"] for does in sent(screen) if does.command == "stop_attack"]

    assert ("tijd", True, True) == (notice.name, notice.flash, "Only this combat" in texts(notice))
    assert ("finishing", True, True) == (screen.name, screen.alarm, "Only this combat" in texts(screen))
    assert ["stopped", "conquered", "no_armies"] == ends
    assert not any(does.command == "end_turn" for does in sent(screen))


def test_the_last_throw_of_another_system_is_finished() -> None:
    """Where the throw and no more may be finished, that is what the screen says."""
    state = systems.finishing()
    state["finish"]["what"] = "throw"

    assert "Only this throw" in texts(shown(state, Desk(lang="en", draft=READ)))


def test_a_misread_die_is_proposed_and_agreed_without_a_pin() -> None:
    """The thrower and one opponent press, on their buttons or here; who disagrees calls the referee."""
    page = Desk(lang="en", page="correct", picks=("attack", 1))
    proposal = button(shown(systems.playing("risiko"), page), "5").does
    lying = button(shown(systems.playing("risiko"), page), "cocked").does
    screen = shown(systems.agreeing())

    assert Send(command="propose_correction", args={"side": "attack", "position": 1, "value": 5}) == proposal
    assert Send(command="propose_correction", args={"side": "attack", "position": 1, "verdict": "cocked"}) == lying
    assert ("agreement", [4, 5]) == (screen.name, [die.value for die in row(screen, 0).dice])
    assert {"red"} == {die.colour for die in row(screen, 0).dice}
    assert Send(command="agree_correction", args={"player": "p1"}) == button(screen, "Anna").does
    assert (None, "agrees") == (button(screen, "Bram").does, button(screen, "Bram").note)
    assert {"refuse"} == opened(screen)
    assert Send(command="refuse_correction", args={"player": "p3"}) == button(act("refuse"), "Chiara").does


def test_the_referee_corrects_a_die_alone() -> None:
    """On the referee's own page the same die asks for a reason, and with it for the PIN."""
    desk = Desk(lang="en", page="correct-referee", picks=("attack", 1))
    does = button(shown(systems.playing("risiko"), desk), "5").does

    assert Do(verb="open", args=("reason", "correct_die", ("side", "attack"), ("position", 1), ("value", 5))) == does


def test_an_undo_says_what_it_takes_back() -> None:
    """What was told last, and whatever was told with it, before anybody says yes."""
    screen = shown(systems.playing("risiko"), Desk(lang="en", page="undo"))
    told = " ".join(texts(screen))

    assert (True, True) == ("Anna" in told, "And with it" in told)
    assert Send(command="undo", args={"what": "turn.started"}) == button(screen, "Yes, do it").does


def test_what_players_tell_is_two_taps_away() -> None:
    """From the game to the menu, and there each of them is one button."""
    assert "menu" in opened(shown(systems.playing("risiko")))
    menu = shown(systems.rebels(), Desk(lang="en", page="menu"))

    assert {"claim", "out", "return", "ask-silence", "undo", "dice", "correct", "referee"} <= opened(menu)
    assert {"stop_attack", "accept_throw", "call_referee"} <= {does.command for does in sent(menu)}


def test_what_only_a_referee_decides_is_on_a_page_of_its_own() -> None:
    """The clock, the signal, and whatever was told wrongly; each with a reason."""
    state = systems.rebels() | {"rulings": [{"number": 1, "about": "penalty", "appeal": "open"}]}
    page = shown(state, Desk(lang="en", page="referee"))
    idle = shown(states.idle(), Desk(lang="en", page="referee"))

    assert {
        "reinstate", "amend-out", "amend-turn", "amend-thrower", "amend-against", "leave", "ruling", "decide-appeal",
        "reason", "add-time", "sure", "correct-referee",
    } <= opened(page)  # fmt: skip
    assert "There is nothing for the referee now." in texts(idle)


def test_silence_is_asked_by_name_and_seen_for_a_while() -> None:
    """One tap says who asks; everybody sees it for half a minute."""
    asked = systems.playing("risiko") | {"silence": {"by": "p2", "asked_ms": 5000}}
    later = systems.playing("risiko") | {"silence": {"by": "p2", "asked_ms": 31_000}}

    assert Send(command="ask_silence", args={"player": "p2"}) == button(act("ask-silence"), "Bram").does
    assert ["Bram asks for silence."] == [bar.text for bar in shown(asked).bars]
    assert () == shown(later).bars


ANSWERS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "return": (("p5", True), {"player": "p5", "occupier": True}),
    "appeal": ((1, "p2"), {"ruling": 1, "player": "p2"}),
    "reinstate": (("p5",), {"player": "p5"}),
    "leave": (("p2",), {"player": "p2", "by": None}),
    "amend-out": (("p5", "p3"), {"outs": [{"player": "p5", "by": "p3"}]}),
    "amend-turn": (("p2",), {"player": "p2"}),
    "amend-thrower": (("p2",), {"player": "p2"}),
    "amend-against": (("rebels",), {"against": "rebels"}),
    "amend-claim": (("p2", "letto"), {"player": "p2", "mission": "letto"}),
    "rule-signal": ((("stands", True),), {"throw": "stands"}),
    "rule-played-on": (("purpose",), {"how": "purpose"}),
    "ruling": (("penalty", "p2", 3), {"about": "penalty", "player": "p2", "armies": 3}),
    "decide-appeal": ((1, False), {"ruling": 1, "upheld": False}),
    "ask-silence": (("p2",), {"player": "p2"}),
    "refuse": (("p2",), {"player": "p2"}),
    "tell-rebels": ((3,), {"throw": 17, "rebels": 3}),
}


@pytest.mark.parametrize("name", ACTS)
def test_every_act_asks_and_sends_what_was_answered(name: str) -> None:
    """Question by question, then why; what is sent holds every answer."""
    picks, args = ANSWERS[name]
    declared = ACTS[name]
    state = systems.rebels() | {"rulings": [{"number": 1, "about": "penalty", "appeal": None}], "missions": ["letto"]}
    state["may"] = [*state["may"], *(found.command for found in ACTS.values())]
    for at, value in enumerate(picks):
        screen = act(name, *picks[:at], state=state)
        values = [b.does.args[0] for b in buttons(screen) if isinstance(b.does, Do) and b.does.verb == "pick"]
        is_last = at + 1 == len(picks) and not declared.causes
        if is_last:
            assert args in [dict(does.args) for does in sent(screen)]
        elif value != ("stands", True):
            assert value in values
    if declared.causes:
        reasons = sent(act(name, *picks, state=state))
        assert {declared.command} == {does.command for does in reasons}
        assert [args | {"reason": cause} for cause in declared.causes] == [dict(does.args) for does in reasons]


def test_risiko_asks_whether_the_combat_may_end() -> None:
    """Only there the signal may leave a combat to be finished."""
    state = systems.finishing()
    screen = shown(state, Desk(lang="en", page="act", picks=("rule-signal",), draft=READ))
    why = shown(state, Desk(lang="en", page="act", picks=("rule-signal", ("stands", True)), draft=READ))

    assert 3 == len([b for b in buttons(screen) if isinstance(b.does, Do) and b.does.verb == "pick"])
    assert {"throw": "stands", "combat": True, "reason": "saw-it"} == dict(sent(why)[0].args)


def test_an_answer_is_taken_back_one_by_one() -> None:
    """Back leads to the question before; before the first one the act is left."""
    desk = Desk(lang="en", page="act", picks=("ruling", "penalty"))
    once = press(desk, Do(verb="unpick-act")).desk
    twice = press(once, Do(verb="unpick-act")).desk

    assert (("ruling",), "") == (once.picks, twice.page)


def test_the_win_of_apoikia_is_claimed_without_a_card() -> None:
    """No mission says it: who has won is all that is asked."""
    screen = shown(systems.playing("apoikia"), Desk(lang="en", page="claim", picks=("p2",)))

    assert Send(command="claim_mission", args={"player": "p2"}) == button(screen, "Yes, do it").does


def test_results_are_ruled_in_the_systems_own_words() -> None:
    """A win or points in risiko, win or loss elsewhere; on to the next player; nobody is left without one."""
    desk = Desk(lang="en", page="rule")
    risiko, apoikia = (shown(systems.scored(system), desk) for system in ("risiko", "apoikia"))
    open_ = systems.scored("risiko")
    open_["result"]["places"] = open_["result"]["places"][:2]
    given = button(shown(open_, replace(desk, brush="p3")), "3 points").does
    assert isinstance(given, Do)
    half = press(replace(desk, brush="p3"), given).desk
    full = press(half, Do(verb="give", args=("p4", "1", "p1"))).desk
    done = button(shown(open_, full), "Go on").does
    assert isinstance(done, Do)

    assert ["win", "6 points", "3 points", "1 point"] == [b.text for b in buttons(risiko)[4:8]]
    assert ["win", "loss"] == [b.text for b in buttons(apoikia)[4:6]]
    assert ("p4", None) == (half.brush, button(shown(open_, half), "Go on").does)
    assert {"p1": "win", "p2": "6", "p3": "3", "p4": "1"} == dict(done.args[2:])["results"]


def test_a_ruling_is_shown_where_the_rules_had_no_place() -> None:
    """Players whom nothing parted have the referee's results on the screen, and why."""
    state = systems.scored("apoikia")
    ruling = {"results": {"p1": "win", "p2": "loss", "p3": "loss", "p4": "loss"}, "reason": "referee-decides"}
    state["result"] |= {"places": [], "ruling": ruling}
    told = texts(shown(state))

    assert ["Anna:  win", "Bram:  loss", "Chiara:  loss", "Dana:  loss"] == told[:4]
    assert "Ruled: the referee decides." == told[4]


def test_a_ruling_against_the_computed_result_shows_no_computed_reason() -> None:
    """Bram and Chiara change places by lot: the rules' reason for theirs holds no more, and Anna's does."""
    game = played.scored(played.DECIDED)
    game.do(c.RuleResult(results={"p1": "1", "p2": "3", "p3": "2"}, reason="by-lot"), "referee")
    told = [text for text in texts(shown(states.state("scored", result=played.result(game)))) if text.strip()]

    assert ["Chiara:  2", "Bram:  3", "Ruled: by lot."] == told[2:5]
    assert "1.  Anna:  1" == told[0]
    assert not any("Fewer" in text for text in told)


def test_a_closed_result_is_changed_with_a_reason() -> None:
    """What was closed wrongly is put right, and the screen says so from then on."""
    state = states.closed()
    state["may_referee"] = [*state["may"], "change_result"]
    page = shown(state, Desk(lang="en", page="rule", picks=(("p1", "2"),)))
    state["result"]["changed"] = {"reason": "counted-wrong", "before": {}}

    assert "change_result" == button(page, "Go on").does.args[1]  # type: ignore[union-attr]
    assert "The result was changed: counted wrongly." in texts(shown(state))


def test_the_score_stands_beside_its_place() -> None:
    """In risiko each place tells the points that it rests on."""
    assert "2.  Bram:  6 points · Score 131" in texts(shown(systems.scored("risiko")))


def test_each_button_is_pressed_once_before_the_game() -> None:
    """What was pressed is ticked, by number or by its player's name; the parts are tried without a PIN."""
    screen = shown(systems.tried(), Desk(lang="en", page="panel"))
    bound = states.ready() | {"rig": systems.tried()["rig"]}
    bound["players"] = [p | {"connected_button": f"seat{p['seat']}"} for p in bound["players"]]
    named = shown(bound, Desk(lang="en", page="panel"))
    does = button(screen, "Try the buzzer").does

    assert [("Seat 1", "good"), ("Seat 3", "plain")] == [
        (b.text, b.tone) for b in buttons(screen) if b.text in {"Seat 1", "Seat 3"}
    ]
    assert "pressed 1 time" == button(named, "Anna").note
    assert Send(command=CHECK, args={"check": "buzzer"}) == does
    assert does == press(Desk(lang="en"), does).send  # type: ignore[arg-type]
    assert "panel" == answered(Desk(lang="en", page="panel", sending=does)).page  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rig", "offered"),
    [
        ({"buttons": [], "buzzer": False}, set()),
        ({"buttons": ["seat1"], "buzzer": False}, {"lamps"}),
        ({"buttons": ["seat1"], "buzzer": True, "silent": True}, {"lamps", "buzzer", "silent"}),
    ],
)
def test_only_what_is_there_is_tried(rig: dict[str, Any], offered: set[str]) -> None:
    """A table without buttons or buzzer is a legal one."""
    screen = shown(states.idle() | {"rig": rig}, Desk(lang="en", page="panel"))

    assert offered == {does.args["check"] for does in sent(screen) if does.command == CHECK}


def test_nothing_sounds_in_a_game_but_the_signal() -> None:
    """While a game runs the panel can be silenced but not tried."""
    screen = shown(systems.playing("risiko") | {"rig": systems.tried()["rig"]}, Desk(lang="en", page="panel"))

    assert {"silent"} == {does.args["check"] for does in sent(screen)}


def test_the_health_page_tells_what_fails_first_and_what_was_noted() -> None:
    """A dozen parts stand in two columns, the worst on top; the newest notes below, each said once."""
    health = [{"part": f"p{at}", "state": "ok", "code": "running", "values": {}} for at in range(11)]
    health.append({"part": "camera", "state": "fail", "code": "silent", "values": {}})
    note = {"type": "service.noted", "data": {"code": "press-meant-nothing", "values": {"button": "seat2"}}}
    screen = shown(states.idle() | {"health": health, "notes": [note]}, Desk(lang="en", page="health"))

    assert (True, 7, ()) == (texts(screen)[1].startswith("✗"), len(screen.side), screen.bars)
    assert 1 == sum(text.startswith("Noted: ") and "Noted" not in text[1:] for text in texts(screen))
    assert "panel" in opened(screen)


def test_what_nobody_has_tried_has_no_tick() -> None:
    """Before a game the eye finds what is left to do among what is well."""
    health = [
        {"part": "buttons", "state": "ok", "code": "buttons-unseen", "values": {"buttons": ["seat1"]}},
        {"part": "buzzer", "state": "ok", "code": "untried", "values": {}},
        {"part": "box", "state": "ok", "code": "not-measured", "values": {}},
        {"part": "buzzer", "state": "ok", "code": "heard", "values": {}},
    ]
    screen = shown(states.idle() | {"health": health}, Desk(lang="en", page="health"))

    assert ["○", "○", "○", "✓"] == [text[0] for text in texts(screen)[1:5]]
    assert "Seat 1" in texts(screen)[1]


@pytest.mark.parametrize(
    ("attacked", "elapsed_ms", "told", "tone"),
    [
        (None, 61_000, "Turn: 0:11 of 1:00 (clause 20)", "plain"),
        (None, 111_000, "Turn: 1:01 of 1:00 (clause 20)", "warn"),
        (60_000, 111_000, "Turn: 1:01 of 3:00 (clause 20)", "plain"),
    ],
)
def test_the_turn_is_counted_when_a_player_asks(attacked: int | None, elapsed_ms: int, told: str, tone: str) -> None:
    """A minute to the first attack, three in all; nobody sees it who did not ask, and no length is betrayed."""
    turn = {"number": 4, "player": "p1", "started_ms": 50_000, "attack_started_ms": attacked}
    state = systems.playing("risiko", turn=turn) | {"clock": systems.clock("risiko", elapsed_ms=elapsed_ms)}
    does = button(shown(state, Desk(lang="en", page="menu")), "Turn clock").does
    assert isinstance(does, Do)
    asked = press(Desk(lang="en", page="menu"), does).desk
    lines = [block for block in shown(state, asked).side if isinstance(block, Text) and block.text == told]

    assert [tone] == [line.tone for line in lines]
    assert told not in texts(shown(state))


def test_rules_without_a_limit_have_no_turn_clock() -> None:
    """Where the text says nothing of a turn's length, nothing is offered and nothing shown."""
    state = systems.playing("classic")

    assert "Turn clock" not in [b.text for b in buttons(shown(state, Desk(lang="en", page="menu")))]
    assert not any("Turn:" in text for text in texts(shown(state, Desk(lang="en", turn_clock=True))))
