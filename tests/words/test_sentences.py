"""Codes and values become sentences."""

from __future__ import annotations

import pytest

from companion.words import LANGUAGES, UnknownLanguage, Words, duration

THROW = {
    "dice": [
        {"value": 6, "verdict": "valid"},
        {"value": 4, "verdict": "valid"},
        {"value": None, "verdict": "cocked"},
    ],
    "action": "reroll_some",
    "reroll": 1,
    "counted": [],
    "reasons": [],
}


@pytest.mark.parametrize(
    ("lang", "expected"),
    [
        ("en", ("3 attack dice: 6, 4 and one cocked.", "Throw that one again.")),
        ("nl", ("3 aanvalsstenen: 6, 4 en één scheef.", "Gooi die ene opnieuw.")),
        ("it", ("3 dadi d'attacco: 6, 4 e uno in bilico.", "Ritira solo quel dado.")),
        ("cs", ("3 útočné kostky: 6, 4 a jedna šikmo.", "Hoď znovu jen tou jednou.")),
    ],
)
def test_a_throw_is_told_in_each_language(lang: str, expected: tuple[str, ...]) -> None:
    """What lies there comes first, then what to do."""
    assert expected == Words(lang).throw("attack", THROW)


def test_the_clause_stands_with_what_to_do() -> None:
    """A reroll is told once, with its clause, and reasons that say more follow."""
    beside = {"code": "outside-dropped", "clause": "4.8.1", "values": {"dice": [3]}}
    cocked = {"code": "cocked-reroll", "clause": "4.8.3", "values": {"dice": [2]}}

    assert (
        "3 attack dice: 6, 4 and one cocked.",
        "Throw that one again. (clause 4.8.3)",
        "A die beside the box falls away. (clause 4.8.1)",
    ) == Words("en").throw("attack", {**THROW, "reasons": [beside, cocked]})


def test_a_whole_throw_again_is_told_by_its_reason() -> None:
    """Why and what are one sentence; without a reason, what to do is still told."""
    laid = {"code": "not-rolled-rethrow", "clause": "4.8.2", "values": {"dice": [0]}}
    told = [
        Words("en").throw("attack", {**THROW, "action": "rethrow_all", "reasons": reasons})[1:]
        for reasons in ([laid], [])
    ]

    assert [("Dice must roll: the whole throw again. (clause 4.8.2)",), ("Throw all dice again.",)] == told


def test_a_valid_die_without_a_value_is_told_as_unreadable() -> None:
    """A value that nobody vouches for is never left out of the sentence."""
    ruling = {"dice": [{"value": None, "verdict": "valid"}], "action": "referee"}
    first, _ = Words("en").throw("defence", ruling)

    assert "1 defence die: one unreadable." == first


@pytest.mark.parametrize("lang", LANGUAGES)
def test_whoever_is_asked_what_lies_there_is_told_one_thing_to_do(lang: str) -> None:
    """A die on one that can't be read: look and say; that it is thrown again is told when people have said so."""
    dice = [{"value": None, "verdict": "unreadable"}, {"value": 3, "verdict": "stacked"}]
    again = [{"code": "stacked-reroll", "clause": "4.8.3", "values": {"dice": [1]}}]
    apart = {"code": "not-one-throw", "clause": "4.8.1", "values": {"apart_ms": 1900, "window_ms": 1500}}
    words = Words(lang)
    ruling = {"dice": dice, "action": "referee", "reroll": 1}

    assert (words.say("throw.referee"),) == words.throw("attack", ruling | {"reasons": again})[1:]
    assert 2 == len(words.throw("attack", ruling | {"reasons": [*again, apart]})[1:])


def test_dropped_dice_say_what_counts() -> None:
    """When a die fell away, the sentence names those that count."""
    ruling = {"dice": THROW["dice"], "action": "accept", "dropped": [6], "counted": [5, 4]}

    assert "Counts: 5 and 4." == Words("en").throw("attack", ruling)[1]


@pytest.mark.parametrize(("n", "expected"), [(1, "jedna šikmo"), (3, "3 šikmo"), (5, "5 šikmo")])
def test_plurals_follow_the_language(n: int, expected: str) -> None:
    """The number chooses the form."""
    assert expected == Words("cs").say("throw.some.cocked", n=n)


def test_values_are_shown_by_their_own_name() -> None:
    """Ids become words, players become names, times become minutes and seconds, numbers get the decimal sign."""
    words = Words("nl", {"p1": "Anna"})
    shown = [
        words.shown("colour", "red"),
        words.shown("territories", ["siam", "alaska", "china"]),
        words.shown("player", "p1"),
        words.shown("left_ms", 61_000),
        words.shown("fps", 29.94),
        words.shown("values", {"a": 1}),
        words.shown("why", None),
        words.shown("is_on", True),
        words.shown("buttons", ["referee", "seat2"]),
        words.shown("part", "seat3"),
    ]

    assert ["rood", "Zuidoost-Azië, Alaska en China", "Anna", "1:01", "29,9", "a: 1", "–", "ja"] == shown[:-2]
    assert ["Scheidsrechter en Plaats 2", "Plaats 3"] == shown[-2:]


def test_what_has_no_sentence_is_still_shown() -> None:
    """An unknown code is told as the code with its values, never swallowed."""
    words = Words("en", {"p1": "Anna"})
    told = [
        words.say("no.such", a=1),
        words.reason({"code": "new-thing", "clause": "9.9", "values": {"player": "p1"}}),
        words.health({"part": "camera", "code": "odd"}),
        words.problem({"problem": "odd", "message": "a thing broke: mend it"}),
        words.event({"type": "odd.thing", "data": {"n": 2}}),
    ]

    assert [
        "⟨no.such⟩ (a: 1)",
        "new-thing (player: Anna) (clause 9.9)",
        "camera: odd",
        "a thing broke: mend it",
        "odd.thing (n: 2)",
    ] == told


def test_a_value_left_out_does_not_break_the_sentence() -> None:
    """A sentence whose sender forgot a value shows a dash there, and the values that came."""
    assert "Counts: –. (other: 1)" == Words("en").say("throw.counts", other=1)


def test_names_can_be_given_later() -> None:
    """The same language with other players."""
    words = Words("en").naming({"p1": "Bob"})

    assert ("Bob", "p2") == (words.name("p1"), words.name("p2"))


def test_an_unknown_language_is_refused() -> None:
    """The refusal says which languages there are."""
    with pytest.raises(UnknownLanguage, match="choose from nl, en, it, cs"):
        Words("xx")


@pytest.mark.parametrize(
    ("length_ms", "expected"), [(0, "0:00"), (999, "0:01"), (59_000, "0:59"), (5_400_000, "1:30:00"), (-5, "0:00")]
)
def test_durations(length_ms: int, expected: str) -> None:
    """A begun second still counts, and hours show only where there are any."""
    assert expected == duration(length_ms)
