"""What a club's own copy of a ruleset may change, and to what.

A copy changes what exists, into something of the same kind: a number stays a number, a list keeps its shape, and a
word (what happens to a cocked die, which way the seats go round) becomes one that some shipped ruleset uses at the
same place, since no other word means anything. Three sections are open, because only the club can fill them in:
the rebel table, the throw table, and card tables of its own box.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from companion.rules.errors import RulesetError

BOOKKEEPING: Final = ("schema", "name", "system", "base", "base_options_left_out", "board", "options")
"""What a copy can't change: it belongs to the file, not to the rules."""

MOST: Final = 10_000
"""No number of any rules comes near it; what does is a slip."""

# Something is divided or counted by these, so they can't be 0.
_FROM_ONE: Final = (
    "attack_max", "cities_per_army", "city", "coup_ratio", "defence_max", "divisor", "game_minutes", "least",
    "loss_divisor", "most", "own_colour_territories", "placed_at_a_time", "qualify_multiple", "rounds",
    "semi_final_tables", "semi_finalists", "territory_cap", "units_per_throw", "vassal_lives",
)  # fmt: skip
_EFFECTS: Final = ("add_rebels", "rebels_join_player", "none")
_SETS: Final = ("infantry", "artillery", "cavalry", "different")
_JOKER: Final = ("any", "with_two_same")

Words = Callable[[str], Collection[Any]]
"""The words that shipped rulesets use under a path."""


def changed(known: Mapping[str, Any], own: Mapping[str, Any], words: Words, at: str = "") -> dict[str, Any]:
    """A shipped section with a copy's changes.

    Args:
        known: What is shipped.
        own: What the copy says.
        words: The words that shipped rulesets use under a path.
        at: Path of the section; empty for the whole file.

    Raises:
        RulesetError: A key that is not there, or a value that can't stand there.
    """
    found = dict(known)
    for key, value in own.items():
        path = f"{at}.{key}".lstrip(".")
        if at in _OPEN:
            whole = {**known[key], **value} if isinstance(value, dict) and isinstance(known.get(key), dict) else value
            _OPEN[at](path, key, whole)
            found[key] = whole
            continue
        if key not in known or path in BOOKKEEPING:
            raise _unknown(path, sorted(set(known) - set(BOOKKEEPING)))
        if isinstance(known[key], dict):
            if not isinstance(value, dict):
                raise _wrong(path, value, f"a section [{path}]")
            found[key] = changed(known[key], value, words, path)
        else:
            _check(path, key, value, known[key], words)
            found[key] = value
    if {"least", "most"} <= found.keys() and found["least"] > found["most"]:
        raise _wrong(at, [found["least"], found["most"]], "a least that is not above the most")
    return found


def _check(path: str, key: str, value: Any, shipped: Any, words: Words) -> None:
    if isinstance(shipped, bool):
        if not isinstance(value, bool):
            raise _wrong(path, value, "true or false")
    elif isinstance(shipped, int):
        _check_number(path, value, least=1 if key in _FROM_ONE else 0)
    elif isinstance(shipped, list):
        _check_list(path, value, shipped)
    elif not isinstance(value, str) or not (key.startswith("clause") or value in words(path)):
        raise _wrong(path, value, "text" if key.startswith("clause") else f"one of {', '.join(sorted(words(path)))}")


def _check_number(path: str, value: Any, *, least: int = 0) -> None:
    if type(value) is not int or not least <= value <= MOST:
        raise _wrong(path, value, f"a whole number from {least} to {MOST}")


def _check_list(path: str, value: Any, shipped: list[Any]) -> None:
    """Numbers keep their count (a range its order), pairs stay pairs, and everything else is text."""
    like = shipped[0] if shipped else ""
    if not isinstance(value, list):
        raise _wrong(path, value, "a list")
    if isinstance(like, int):
        if len(value) != len(shipped):
            raise _wrong(path, value, f"a list of {len(shipped)} numbers")
        for number in value:
            _check_number(path, number)
        if path.startswith("time.minutes") and value[0] > value[1]:
            raise _wrong(path, value, "the shortest and the longest, in this order")
        return
    rows = value if isinstance(like, list) else [value]
    size = len(like) if isinstance(like, list) else len(value)
    if not all(isinstance(row, list) and len(row) == size and all(isinstance(v, str) for v in row) for row in rows):
        raise _wrong(path, value, f"like {shipped!r}" if shipped else "a list of texts")


def _check_face(path: str, face: str, rebels: Any) -> None:
    if face not in ("1", "2", "3", "4", "5", "6"):
        raise _unknown(path, list("123456"))
    _check_number(path, rebels)


def _check_combination(path: str, dice: str, row: Any) -> None:
    if not re.fullmatch("[1-6]-[1-6]-[1-6]", dice) or list(dice[::2]) != sorted(dice[::2], reverse=True):
        raise _unknown(path, ["three faces from high to low, such as 6-6-5"])
    _check_row(path, row, must=("effect",), may=("amount", "effect"))
    if row["effect"] not in _EFFECTS:
        raise _wrong(f"{path}.effect", row["effect"], f"one of {', '.join(_EFFECTS)}")
    _check_number(f"{path}.amount", row.get("amount", 0))


def _check_table(path: str, _name: str, row: Any) -> None:
    _check_row(path, row, must=_SETS, may=(*_SETS, "joker", "joker_set", "owned_each"))
    for key in row.keys() - {"joker"}:
        _check_number(f"{path}.{key}", row[key])
    joker = row.get("joker", _JOKER[0])
    if joker not in _JOKER:
        raise _wrong(f"{path}.joker", joker, f"one of {', '.join(_JOKER)}")
    if (joker == "with_two_same") is not ("joker_set" in row):
        raise _wrong(f"{path}.joker_set", row.get("joker_set"), "there if joker is 'with_two_same', and only then")


def _check_row(path: str, row: Any, *, must: Collection[str], may: Collection[str]) -> None:
    if not isinstance(row, dict) or not set(must) <= row.keys():
        raise _wrong(path, row, f"a section with {', '.join(must)}")
    for key in row:
        if key not in may:
            raise _unknown(f"{path}.{key}", sorted(may))


def _unknown(path: str, known: list[str]) -> RulesetError:
    return RulesetError(
        "ruleset-unknown-key", f"a ruleset has no {path!r}; here it can have {', '.join(known)}", key=path, known=known
    )


def _wrong(path: str, value: object, wanted: str) -> RulesetError:
    return RulesetError(
        "ruleset-wrong-type", f"{path!r} must be {wanted}, got {value!r}", key=path, value=value, wanted=wanted
    )


_OPEN: Final[dict[str, Callable[[str, str, Any], None]]] = {
    "rebels.by_face": _check_face,
    "rebels.by_combination": _check_combination,
    "cards.tables": _check_table,
}
