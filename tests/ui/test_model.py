"""What each screen says and offers, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from companion.ui.blocks import Block, Button, Buttons, DiceRow, Do, Screen, Send, Text, Tile, TileMap
from companion.ui.clock import Link
from companion.ui.desk import Desk, Notice
from companion.ui.model import PAGES, PHASES, view
from tests.ui import states, systems

NOW_S = 50.0


def shown(state: dict[str, Any], desk: Desk | None = None, *, now_s: float = NOW_S, heard_s: float = NOW_S) -> Screen:
    """The screen of a state that was heard at `heard_s`."""
    link = Link(heard_s=heard_s, clock=state.get("clock"), clock_s=heard_s)
    return view(state, desk or Desk(lang="en"), link, now_s)


def blocks(screen: Screen) -> tuple[Block, ...]:
    """All blocks of a screen."""
    return (*screen.top, *screen.main, *screen.side, *screen.foot)


def buttons(screen: Screen) -> list[Button]:
    """All buttons of a screen."""
    return [button for block in blocks(screen) if isinstance(block, Buttons) for button in block.buttons]


def button(screen: Screen, text: str) -> Button:
    """The one button with that text."""
    found = [button for button in buttons(screen) if button.text == text]
    assert len(found) == 1, [button.text for button in buttons(screen)]
    return found[0]


def tiles(screen: Screen) -> dict[str, Tile]:
    """All tiles of a screen by their text."""
    return {tile.text: tile for block in blocks(screen) if isinstance(block, TileMap) for tile in block.tiles}


def texts(screen: Screen) -> list[str]:
    """All sentences of a screen."""
    return [block.text for block in blocks(screen) if isinstance(block, Text)]


def every_state() -> Iterator[dict[str, Any]]:
    """A state for each moment of a game."""
    makers = (
        states.idle, states.throwing, states.choosing, states.binding, states.ready, states.cocked, states.both_sides,
        states.unreadable, states.paused, states.frozen, states.scored, states.closed,
    )  # fmt: skip
    for make in makers:
        yield make()
    for system in ("risiko", "classic", "apoikia", "rebels"):
        yield systems.ready(system)
        yield systems.playing(system)
        yield systems.frozen(system)
    for make in (systems.rebels, systems.finishing, systems.agreeing, systems.tried):
        yield make()
    yield systems.scored("risiko")
    yield systems.scored("apoikia")


PICKED: dict[str, tuple[Any, ...]] = {
    "reason": ("pause_clock",), "sure": ("sound_tijd",), "setup-option": ("minimum",), "act": ("ruling",),
    "start-die": ("p1",), "claim": ("p1",), "out": ("p1",), "dispute-who": (17,), "disputed": (17, 0),
}  # fmt: skip
"""What was picked before a page that can't be opened without it."""


@pytest.mark.parametrize("lang", ["nl", "en", "it", "cs"])
def test_no_screen_shows_a_bare_key_or_an_unfilled_value(lang: str) -> None:
    """In every state, on every page and in every language, each sentence is there with its values."""
    desk = Desk(lang=lang)
    odd = []
    for state in every_state():
        pages = [page for page, (_, phases) in PAGES.items() if state["phase"] in phases]
        for page in ["", *pages]:
            picks = PICKED.get(page, ())
            screen = shown(state, replace(desk, page=page, picks=picks))
            said = [*texts(screen), *(b.text + b.note for b in buttons(screen)), *(bar.text for bar in screen.bars)]
            odd += [(state["phase"], page, text) for text in said if "⟨" in text or "{" in text or "(–" in text]

    assert [] == odd


def test_a_table_that_never_answered_is_said_to_be_awaited() -> None:
    """Before the first answer the screen says that it waits, and that nobody answers."""
    screen = view({}, Desk(lang="en"), Link(), NOW_S)

    assert ("unheard", "bad", True) == (screen.name, screen.head.link_tone, "does not answer" in screen.bars[0].text)


@pytest.mark.parametrize(("quiet_s", "tone"), [(0.0, "good"), (1.5, "good"), (1.7, "bad"), (60.0, "bad")])
def test_a_silent_table_is_seen_within_two_seconds(quiet_s: float, tone: str) -> None:
    """The dot is never green for a table that has said nothing for more than 1.6 s."""
    screen = shown(states.cocked(), heard_s=NOW_S - quiet_s)

    assert (tone, tone == "bad") == (screen.head.link_tone, bool(screen.bars))


def test_the_throw_is_told_by_sign_word_and_sentence() -> None:
    """A cocked die shows no value, a sign, the word, and what to do with the clause."""
    screen = shown(states.cocked())
    row = next(block for block in screen.main if isinstance(block, DiceRow))

    assert [(6, "✓", "stands"), (4, "✓", "stands"), (None, "↻", "cocked")] == [
        (d.value, d.sign, d.word) for d in row.dice
    ]
    assert "3 attack dice: 6, 4 and one cocked. Throw that one again. (clause 4.8.3)" in texts(screen)


def test_the_picture_says_what_stood_in_the_way() -> None:
    """Beside the picture stands what was measured of each die that is not plainly good."""
    state = states.cocked()
    state["throw"]["sides"]["attack"]["dice"][2] |= {"why": "leans", "lean_deg": 21.46}

    assert "Attack, die 3: cocked, it leans (21.5°)" in texts(shown(state, Desk(lang="en", page="picture")))


def test_where_the_reader_is_unsure_people_are_asked() -> None:
    """The one press that is expected opens the page with what is vouched for typed already."""
    does = button(shown(states.unreadable()), "Say what lies there").does

    assert Do(verb="say-dice", args=("attack", 6)) == does


def test_dice_that_stand_are_said_with_those_thrown_again() -> None:
    """By hand, too, a reroll keeps the dice that lie."""
    desk = Desk(lang="en", page="dice", dice=(3,))
    does = button(shown(states.cocked(), desk), "That lies there").does

    assert Send(command="enter_dice", args={"side": "attack", "values": [6, 4, 3]}) == does
    assert {"red"} == {
        die.colour for row in blocks(shown(states.cocked(), desk)) if isinstance(row, DiceRow) for die in row.dice
    }


def test_an_unsure_die_never_looks_valid() -> None:
    """A die without a value is a question mark, whatever its verdict says."""
    state = states.cocked()
    state["throw"]["sides"]["attack"]["dice"][0] |= {"value": None, "verdict": "valid", "fate": "counted"}
    row = next(block for block in shown(state).main if isinstance(block, DiceRow))

    assert (None, "?", "unreadable", "bad") == (row.dice[0].value, row.dice[0].sign, row.dice[0].word, row.dice[0].tone)


def test_a_die_to_be_thrown_again_is_not_the_defenders_turn() -> None:
    """While the attack is not decided nobody is told to defend."""
    assert not any("defender throws" in text for text in texts(shown(states.cocked())))


def test_an_uncalled_throw_is_marked() -> None:
    """A throw that nobody called counts, and says so."""
    assert any("not called" in text for text in texts(shown(states.both_sides())))


def test_the_clock_counts_between_two_answers() -> None:
    """Ten seconds after the last word the clock shows ten seconds less, as long as the link lives."""
    state = states.cocked()
    link = Link(heard_s=NOW_S + 10, clock=state["clock"], clock_s=NOW_S)
    screen = view(state, Desk(lang="en"), link, NOW_S + 10)

    assert "1:28:49" in texts(screen)


def test_a_sealed_clock_shows_no_time() -> None:
    """Where the length is secret, no screen holds a time that could betray it."""
    state = states.cocked() | {"clock": states.clock(public=False)}
    screen = shown(state)

    assert ("The length is secret" in texts(screen), "") == (True, screen.head.clock)
    assert not any(":" in text and text.replace(":", "").isdigit() for text in texts(screen))


def test_a_scaled_clock_is_said_to_be_one() -> None:
    """A demo's time is never taken for a game's."""
    state = states.cocked() | {"clock": states.clock(scale=60.0)}

    assert "Table 7 · round 2 · DEMO ×60" == shown(state).head.place


def test_buttons_follow_what_the_table_takes() -> None:
    """What the screen may not do now is greyed; what needs the referee says so."""
    state = states.cocked() | {"may": ["call_referee"], "may_referee": ["call_referee", "end_turn"]}
    screen = shown(state)

    assert Send(command="end_turn") == button(screen, "Turn to Bram").does
    assert "with PIN" == button(screen, "Turn to Bram").note
    assert None is button(shown(state | {"may_referee": []}), "Turn to Bram").does


def test_the_next_turn_skips_players_who_are_out() -> None:
    """A player who is out is never offered the turn."""
    state = states.cocked()
    state["players"] = [p | {"out": {"by": "p1"}} if p["id"] == "p2" else p for p in state["players"]]

    assert Send(command="end_turn") == button(shown(state), "Turn to Chiara").does


def test_a_number_of_dice_is_one_tap_and_a_second_tap_takes_it_back() -> None:
    """The optional tap sets one side and keeps the other."""
    state = states.cocked() | {"allowed": {"attack": 2, "defence": None}}
    row = next(b for b in shown(state).side if isinstance(b, Buttons) and b.label)

    assert [{"attack": 1, "defence": None}, {"attack": None, "defence": None}, {"attack": 3, "defence": None}] == [
        b.does.args for b in row.buttons[:3] if isinstance(b.does, Send)
    ]
    assert {"attack": 2, "defence": 1} == row.buttons[3].does.args  # type: ignore[union-attr]
    assert [False, True, False, False, False] == [b.chosen for b in row.buttons]


def test_one_command_at_a_time() -> None:
    """While a question is on its way no button sends another."""
    screen = shown(states.cocked(), Desk(lang="en", sending=Send(command="end_turn")))

    assert not any(isinstance(b.does, Send) for b in buttons(screen))


def test_failing_parts_are_said_with_what_to_do() -> None:
    """A bar names each failing part; the worst of them gives its colour."""
    bar = shown(states.unreadable()).bars[0]

    assert ("bad", True, True) == (bar.tone, "Too dark" in bar.text, "80 s" in bar.text)


def test_a_refusal_stays_for_a_while_and_goes() -> None:
    """A refused press is told in words for some seconds."""
    desk = Desk(lang="en", notice=Notice(problem={"problem": "pin-wrong"}, at_s=NOW_S))
    told = [
        bool(shown(states.cocked(), desk, now_s=NOW_S + gone, heard_s=NOW_S + gone).bars) for gone in (0.0, 11.0, 13.0)
    ]

    assert [True, True, False] == told


def test_a_recovered_table_says_what_it_recovered() -> None:
    """After a power cut the screen says how long and how much, until somebody has read it."""
    state = states.cocked() | {"recovered": {"events": 120, "away_ms": 65_000, "same_boot": False}}

    assert "The table was away for 1:05: 120 facts recovered, nothing lost." == shown(state).bars[0].text
    assert () == shown(state, Desk(lang="en", told=120)).bars


def test_the_signal_covers_every_page() -> None:
    """TIJD is seen whatever page was open, with what it did to the throw, and flashes."""
    screen = shown(states.frozen(), Desk(lang="en", page="menu"))

    assert ("tijd", True) == (screen.name, screen.flash)
    assert any("does not count" in text for text in texts(screen))


@pytest.mark.parametrize(
    ("told", "sentence"),
    [("void", "does not count"), ("stands", "counts"), ("none", "No throw"), ("odd", "Too close to call")],
)
def test_the_signal_says_what_it_did_to_the_throw(told: str, sentence: str) -> None:
    """What the screen does not know it calls too close, never valid."""
    state = states.frozen()
    state["tijd"]["throw"] = told

    assert any(sentence in text for text in texts(shown(state)))


def test_a_signal_too_close_to_call_is_said() -> None:
    """Where the time stamps leave it open, people rule."""
    state = states.frozen()
    state["tijd"]["uncertain"] = True

    assert any("Too close to call" in text for text in texts(shown(state)))


def test_the_result_names_the_deciding_step_and_the_open_tie() -> None:
    """Each place has its reason in words; what is not decided is said to be so."""
    told = texts(shown(states.scored()))

    assert "More points for continents: 20 against 12 of Bram. (clause 3.2a)" in told
    assert "Not decided between Bram and Chiara: the referee gives 2 and 3." in told


def test_players_sign_and_those_who_signed_cannot_again() -> None:
    """A signature is one tap, once."""
    screen = shown(states.scored(unresolved=[], signed=["p1"]))
    signs = [b for b in buttons(screen) if b.text in {"Anna", "Bram", "Chiara"}]

    assert [None, "p2", "p3"] == [b.does.args["player"] if isinstance(b.does, Send) else None for b in signs]


def test_nobody_signs_or_closes_what_the_referee_has_still_to_decide() -> None:
    """The table would refuse it: the screen says so beforehand, and the ruling is the press that is expected."""
    screen = shown(states.scored())

    assert "The result is not decided yet: the referee rules first." in texts(screen)
    assert {None} == {button(screen, text).does for text in ("Anna", "Bram", "Chiara", "Close the table")}
    assert "strong" == button(screen, "Referee rules").tone


def test_a_ruling_asks_why_before_the_pin() -> None:
    """The referee's results travel with every player named; whom nothing ranks needs a tap."""
    one = Desk(lang="en", page="rule", picks=(("p3", "3"),))
    both = Desk(lang="en", page="rule", picks=(("p2", "2"), ("p3", "3")))
    open_, does = (button(shown(states.scored(), desk), "Go on").does for desk in (one, both))

    assert open_ is None
    assert Do(verb="open", args=("reason", "rule_result", ("results", {"p1": "1", "p2": "2", "p3": "3"}))) == does


def test_every_phase_has_a_screen() -> None:
    """No phase of the table leaves the screen without anything to show."""
    assert {*states.MAY, "finishing"} == set(PHASES)


def test_missions_taken_out_are_named_before_the_start() -> None:
    """The reminder of clause 4.5 stands beside START."""
    assert any("destroy green" in text and "18 territories" in text for text in texts(shown(states.ready())))


def test_only_missions_in_play_can_be_claimed() -> None:
    """A mission that was taken out is not offered."""
    screen = shown(states.cocked(), Desk(lang="en", page="claim", picks=("p1",)))
    offered = {b.text for b in buttons(screen)}

    assert (True, False) == ("destroy black" in offered, "destroy green" in offered)


def test_a_destroy_mission_names_whom_it_destroyed() -> None:
    """The colour of the mission says who; that player is recorded as out first, and the claim goes on."""
    desk = Desk(lang="en", page="claim", picks=("p1", "destroy_black"))
    who = [b.text for b in buttons(shown(states.cocked(), desk)) if b.mark is not None]
    sure = shown(states.cocked(), replace(desk, picks=("p1", "destroy_black", "p3")))

    assert ["Chiara"] == who
    claim = {"player": "p1", "mission": "destroy_black", "destroyed": "p3"}
    out = [p | {"out": {"by": "p1"}} if p["id"] == "p3" else p for p in states.SEATED]
    then = shown(states.cocked() | {"players": out}, replace(desk, picks=("p1", "destroy_black", "p3")))

    assert (
        Send(
            command="declare_out",
            args={"player": "p3", "by": "p1"},
            then=Do(verb="open", args=("claim", "p1", "destroy_black", "p3")),
        )
        == button(sure, "Yes, do it").does
    )
    assert Send(command="claim_mission", args=claim) == button(then, "Yes, do it").does


def test_a_table_without_a_pin_has_one_chosen_first() -> None:
    """The referee chooses a PIN where none was chosen."""
    state = states.cocked() | {"pin_set": False}

    assert "pin-first" == shown(state, Desk(lang="en", page="pin")).name


def test_setup_names_the_doubtful_choices_and_the_borders_that_count_anyway() -> None:
    """Cards, least armies and both lines from Africa to Asia are told before the table opens."""
    screen = shown(states.idle(), Desk(lang="en", page="setup-rules"))

    told = " ".join(texts(screen))
    assert "Egypt – Middle East and East Africa – Middle East" in told
    assert {"cards.table", "minimum"} == {
        b.does.args[1] for b in buttons(screen) if isinstance(b.does, Do) and "setup-option" in b.does.args
    }


def test_each_system_says_what_is_laid_out_before_the_start() -> None:
    """Armies to start with, borders that the board lacks, the prize, and that a secret length will be sealed."""
    risiko, rebels, classic = (" ".join(texts(shown(systems.ready(s)))) for s in ("risiko", "rebels", "classic"))

    assert (True, True, True) == tuple(t in risiko for t in ("30 armies", "Greenland – Quebec", "sealed"))
    assert (True, True) == ("only the honour" in rebels, "five rebels" in rebels)
    assert "Take these missions out" not in risiko + rebels + classic
