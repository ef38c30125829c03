"""What presses do to the screen's own memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.ui.blocks import Do, Send
from companion.ui.desk import CHOOSE_PIN, Desk, Step, heard
from companion.ui.draft import Draft
from companion.ui.presses import answered, press, refused

END = Send(command="end_turn")
PAUSE = Send(command="pause_clock", args={"reason": "break"})


def pressed(desk: Desk, *presses: Do | Send, may: tuple[str, ...] = ("end_turn",)) -> Step:
    """The outcome of several presses, one after the other."""
    step = Step(desk=desk)
    for does in presses:
        step = press(step.desk, does, may=may)
    return step


def do(verb: str, *args: Any) -> Do:
    """A press that stays in the screen."""
    return Do(verb=verb, args=args)


def test_a_command_that_the_screen_may_give_is_sent() -> None:
    """One press, one question, remembered until it is answered."""
    step = pressed(Desk(lang="en"), END)

    assert (END, END) == (step.send, step.desk.sending)


def test_a_second_press_while_one_is_on_its_way_is_ignored() -> None:
    """A double tap ends one turn, not two."""
    step = pressed(Desk(lang="en"), END, END)

    assert None is step.send


def test_a_referees_command_asks_for_the_pin_first() -> None:
    """The PIN travels with the very act that it was typed for."""
    step = pressed(Desk(lang="en"), PAUSE)
    typed = pressed(step.desk, *[do("digit", digit) for digit in "4711"], do("pin"))

    assert ("pin", None) == (step.desk.page, step.send)
    assert replace(PAUSE, pin="4711") == typed.send


def test_a_wrong_pin_keeps_what_it_was_for() -> None:
    """After a wrong PIN the pad is empty, and the act still waits."""
    step = pressed(Desk(lang="en"), PAUSE, do("digit", "1"), do("pin"))
    desk = refused(step.desk, {"problem": "pin-wrong"}, 1.0)

    assert ("pin", "", PAUSE) == (desk.page, desk.digits, desk.waiting)


def test_a_command_that_turns_out_to_need_a_pin_opens_the_pad() -> None:
    """Where the table asks for the referee, the screen asks for the PIN."""
    desk = refused(pressed(Desk(lang="en"), END).desk, {"problem": "not-yours"}, 1.0)

    assert ("pin", END) == (desk.page, desk.waiting)


def test_a_first_pin_is_typed_twice() -> None:
    """Only the same digits twice become the PIN."""
    digits = [do("digit", digit) for digit in "4711"]
    other = [do("digit", digit) for digit in "4712"]
    right = pressed(Desk(lang="en", page="pin"), *digits, do("choose-pin"), *digits, do("choose-pin"))
    wrong = pressed(Desk(lang="en", page="pin"), *digits, do("choose-pin"), *other, do("choose-pin"))

    assert Send(command=CHOOSE_PIN, pin="4711") == right.send
    assert wrong.desk.notice is not None
    assert (None, "pin-differs") == (wrong.send, wrong.desk.notice.problem["problem"])


def test_what_was_picked_before_is_no_half_of_a_pin() -> None:
    """A page that asks for the PIN hands over the act and nothing that was picked on the way."""
    step = pressed(Desk(lang="en"), do("open", "sure", "sound_tijd"), Send(command="sound_tijd"))

    assert ("pin", ()) == (step.desk.page, step.desk.picks)


def test_a_chosen_pin_goes_on_to_what_waited_for_it() -> None:
    """The referee need not type the new PIN a third time."""
    desk = Desk(lang="en", page="pin", waiting=PAUSE, sending=Send(command=CHOOSE_PIN, pin="4711"))
    step = pressed(answered(desk), do("pin"))

    assert replace(PAUSE, pin="4711") == step.send


def test_a_pin_has_four_to_eight_digits() -> None:
    """Three digits choose nothing, a ninth is not taken."""
    short = pressed(Desk(lang="en", page="pin"), *[do("digit", "1")] * 3, do("choose-pin"))
    long = pressed(Desk(lang="en", page="pin"), *[do("digit", "1")] * 9)

    assert ((), 8) == (short.desk.picks, len(long.desk.digits))


def test_a_brush_paints_and_a_second_tap_takes_back() -> None:
    """With a brush each tap is one territory; twice is none."""
    once = pressed(Desk(lang="en"), do("brush", "p2"), do("paint", "siam", "p2"))
    twice = pressed(once.desk, do("paint", "siam", "p2"))

    assert ({"siam": "p2"}, {}, True) == (once.desk.draft.owners, twice.desk.draft.owners, once.save)


def test_a_tap_of_another_brush_takes_a_territory_over() -> None:
    """What was given to the wrong player is put right with one tap."""
    desk = pressed(Desk(lang="en"), do("paint", "siam", "p2"), do("paint", "siam", "p1")).desk

    assert {"siam": "p1"} == desk.draft.owners


def test_every_change_of_the_board_is_to_be_kept() -> None:
    """Owners, armies, cards and the notice of the signal all go to the table's disk at once."""
    changes = [
        do("rest", "p1", "siam"), do("armies", "p1", 5), do("cards", "p1", "joker", 1), do("no-cards", "p1"),
        do("seen-tijd", 99), do("type-armies", "p1", "3"), do("objective", "p1", "letto", "p2"),
        do("armies-on", "siam", 1),
    ]  # fmt: skip
    steps = [press(Desk(lang="en"), change) for change in changes]

    assert [(True, False)] * 8 == [(step.save, step.desk.saved) for step in steps]


def test_armies_are_typed_as_a_number() -> None:
    """Each digit counts at once; another player starts anew; with nothing left nothing is said."""
    typed = pressed(Desk(lang="en"), do("type-armies", "p1", "3"), do("type-armies", "p1", "1"))
    other = pressed(typed.desk, do("type-armies", "p2", "9"))
    back = pressed(other.desk, do("brush", "p1"), do("type-armies", "p1", ""), do("type-armies", "p1", "4"))
    long = pressed(Desk(lang="en"), *[do("type-armies", "p1", "9")] * 4)

    assert ({"p1": 31}, {"p1": 31, "p2": 9}) == (typed.desk.draft.armies, other.desk.draft.armies)
    assert ({"p1": 4, "p2": 9}, {"p1": 999}) == (back.desk.draft.armies, long.desk.draft.armies)


def test_an_objective_goes_on_to_the_next_player_and_is_taken_back_by_a_second_tap() -> None:
    """Four players are four taps; a slip is one more."""
    once = pressed(Desk(lang="en"), do("objective", "p1", "letto", "p2"))
    twice = pressed(once.desk, do("objective", "p1", "letto", "p2"))

    assert ({"p1": "letto"}, "p2") == (once.desk.draft.objectives, once.desk.brush)
    assert ({}, "p1") == (twice.desk.draft.objectives, twice.desk.brush)


def test_other_rules_make_the_table_fit_them() -> None:
    """Six seats of one system become the four that another knows, and its choices are its own."""
    desk = pressed(
        Desk(lang="en"), do("system", "risiko"), do("seats", 6), do("option", "minimum_applies_to", "territories"),
        do("phase", "final"),
    ).desk  # fmt: skip
    other = pressed(desk, do("system", "apoikia")).desk

    assert (6, "setup-rules", "final", {"minimum_applies_to": "territories"}) == (
        len(desk.form.names), desk.page, desk.form.phase, desk.form.options,
    )  # fmt: skip
    assert (4, {}, "setup") == (len(other.form.names), other.form.options, other.page)
    assert desk.form.options == pressed(desk, do("system", "risiko")).desk.form.options


def test_a_page_of_the_last_phase_is_gone_in_the_next() -> None:
    """A half-made claim does not wait for the next game."""
    desk = heard(Desk(lang="en"), "playing")
    desk = pressed(desk, do("open", "claim"), do("pick", "p1")).desk

    assert ("", ()) == (heard(desk, "frozen").page, heard(desk, "frozen").picks)


def test_the_draft_lives_until_the_next_game() -> None:
    """A board that the referee reopens need not be typed again; a new game starts with none."""
    draft = Draft(owners={"siam": "p1"})
    desk = replace(heard(Desk(lang="en"), "frozen"), draft=draft)
    again = heard(heard(desk, "scored"), "frozen")
    fresh = heard(heard(desk, "closed"), "seating")

    assert (draft, Draft()) == (again.draft, fresh.draft)


@pytest.mark.parametrize(
    ("letters", "name"),
    [("anna", "Anna"), ("anne-marie", "Anne-Marie"), ("jan de wit", "Jan De Wit"), ("a" * 30, "A" + "a" * 15)],
)
def test_names_are_written_as_names(letters: str, name: str) -> None:
    """A capital at the start of each word, and no more letters than a button holds."""
    step = pressed(Desk(lang="en"), *[do("letter", letter) for letter in letters])

    assert name == step.desk.form.names[0]


def test_a_form_for_four_keeps_the_names_of_three() -> None:
    """Changing the number of players loses no name that still has a seat."""
    desk = pressed(Desk(lang="en"), do("letter", "a"), do("seats", 4), do("name-at", 3), do("letter", "d")).desk
    fewer = pressed(desk, do("seats", 3)).desk

    assert (("A", "", "", "D"), ("A", "", ""), 2) == (desk.form.names, fewer.form.names, fewer.form.at)


def test_an_answer_closes_the_page_that_asked() -> None:
    """What was sent is done with: page, picks and digits go."""
    desk = pressed(Desk(lang="en"), do("open", "out"), do("pick", "p1"), END).desk

    assert Desk(lang="en") == answered(desk)


def test_an_answer_goes_on_where_the_press_said() -> None:
    """A step that prepares another leads to it."""
    then = do("open", "claim", "p1", "destroy_black", "p3")
    desk = replace(Desk(lang="en"), page="claim", sending=Send(command="declare_out", then=then))

    assert ("claim", ("p1", "destroy_black", "p3")) == (answered(desk).page, answered(desk).picks)


def test_a_refusal_keeps_the_page() -> None:
    """What was typed can be mended."""
    desk = pressed(Desk(lang="en"), do("open", "dice"), do("die", 6), END).desk
    after = refused(desk, {"problem": "side-is-fixed"}, 3.0)

    assert ("dice", (6,), None) == (after.page, after.dice, after.sending)
