"""Rulesets: options, a club's own copy, and the hash that stands on every result."""

from __future__ import annotations

from typing import Any

import pytest

from companion.rules.board import load_board
from companion.rules.errors import RulesetError
from companion.rules.ruleset import SYSTEMS, load_ruleset, read_ruleset


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_shipped_ruleset_loads_at_its_defaults(system: str) -> None:
    """Every system has options with a default, a clause, and a board that loads."""
    rules = load_ruleset(system)

    assert (system, system, 64) == (rules.name, rules.system, len(rules.hash))
    assert {name: option.default for name, option in rules.choices.items()} == dict(rules.options)
    assert 42 == len(load_board(rules.board, rules.edition()).territories)


def test_the_set_up_names_the_doubtful_choices() -> None:
    """Card table, board edition and minimum reinforcement are not hidden in defaults."""
    named = {system: sorted(option.name for option in load_ruleset(system).doubtful()) for system in SYSTEMS}

    assert {
        "nl1996": ["board.edition", "cards.table", "minimum"],
        "risiko": ["board.edition", "cards.table", "minimum_applies_to", "starting_armies"],
        "classic": ["board.edition", "cards.table", "minimum"],
        "apoikia": [],
        "rebels": ["board.edition", "cards.table", "minimum"],
    } == named


def test_an_option_changes_the_hash_and_back() -> None:
    """The hash follows from the content, not from how it was chosen."""
    plain, other = load_ruleset("nl1996"), load_ruleset("nl1996", {"unresolved": "lot"})
    back = load_ruleset("nl1996", {"unresolved": "leader"})

    assert (True, True) == (plain.hash != other.hash, plain.hash == back.hash)


@pytest.mark.parametrize(
    ("value", "chosen"), [("true", True), (True, True), ("points_then_pluses_only", "points_then_pluses_only")]
)
def test_a_value_is_understood_as_text(value: object, chosen: object) -> None:
    """Values that come as text from a form or a file mean the same."""
    assert chosen == load_ruleset("nl1996", {"cascade_all_places": value}).option("cascade_all_places")


@pytest.mark.parametrize(("value", "seconds"), [(2, 2.0), ("0.5", 0.5), (60, 60.0)])
def test_a_number_may_lie_anywhere_in_its_range(value: object, seconds: float) -> None:
    """An option with a range takes any number in it."""
    assert seconds == load_ruleset("nl1996", {"one_throw_window_s": value}).option("one_throw_window_s")


@pytest.mark.parametrize(
    ("system", "overrides", "code"),
    [
        ("monopoly", {}, "unknown-ruleset"),
        ("nl1996", {"left_over": "neutral"}, "unknown-option"),
        ("nl1996", {"unresolved": "fight"}, "bad-option"),
        ("nl1996", {"unresolved": ["lot"]}, "bad-option"),
        ("nl1996", {"one_throw_window_s": 0}, "bad-option"),
        ("nl1996", {"one_throw_window_s": "soon"}, "bad-option"),
        ("nl1996", {"one_throw_window_s": None}, "bad-option"),
        ("nl1996", {"cards.table": "own"}, "card-table-missing"),
    ],
)
def test_a_wrong_choice_is_refused(system: str, overrides: dict[str, Any], code: str) -> None:
    """The refusal names the offender and what there is to choose from."""
    with pytest.raises(RulesetError) as refusal:
        load_ruleset(system, overrides)

    assert code == refusal.value.code


def test_a_clubs_copy_changes_what_exists() -> None:
    """A club's file gives a name, chooses options and changes numbers; the hash differs and the name does not count."""
    options = '[options]\nunresolved = "lot"\ncascade.mode = "restart"\n'
    text = f'name = "Utrecht"\nextends = "nl1996"\n{options}[scheme]\nasia = 21'
    club, renamed = read_ruleset(text), read_ruleset(text.replace("Utrecht", "Zeist"))

    assert ("Utrecht", 21, "lot", "restart") == (
        club.name,
        club.number("scheme.asia"),
        club.option("unresolved"),
        club.option("cascade.mode"),
    )
    assert (True, True) == (club.hash == renamed.hash, club.hash != load_ruleset("nl1996").hash)


def test_an_unchanged_copy_has_the_shipped_hash() -> None:
    """Extending without changes is the same rules under another name, and without a name the shipped name."""
    assert load_ruleset("risiko").hash == read_ruleset('extends = "risiko"\nname = "Roma"').hash
    assert "risiko" == read_ruleset('extends = "risiko"').name


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("extends = ", "ruleset-unreadable"),
        ("name = 'x'", "unknown-ruleset"),
        ('extends = "nl1996"\n[dise]\nattack_max = 3', "ruleset-unknown-key"),
        ('extends = "nl1996"\n[scheme]\natlantis = 3', "ruleset-unknown-key"),
        ('extends = "nl1996"\nsystem = "risiko"', "ruleset-unknown-key"),
        ('extends = "nl1996"\n[scheme]\nasia = "many"', "ruleset-wrong-type"),
        ('extends = "nl1996"\n[scheme]\nasia = true', "ruleset-wrong-type"),
        ('extends = "nl1996"\n[options]\nunresolvd = "lot"', "unknown-option"),
    ],
)
def test_a_wrong_copy_is_refused(text: str, code: str) -> None:
    """What does not exist, or is of another kind, is refused with its path."""
    with pytest.raises(RulesetError) as refusal:
        read_ruleset(text)

    assert code == refusal.value.code


def test_an_organisers_tables_may_have_entries_of_their_own() -> None:
    """Rebel tables and card tables are open for entries that the shipped file has not."""
    rules = read_ruleset('extends = "rebels"\n[rebels.by_face]\n6 = 9')

    assert 9 == rules.number("rebels.by_face.6")


def test_what_is_not_there_is_none() -> None:
    """A path that the ruleset has not gives None, also below a number."""
    rules = load_ruleset("classic")

    assert (None, None) == (rules.at("time.game_minutes"), rules.at("players.least.more"))
