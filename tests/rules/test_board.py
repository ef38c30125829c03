"""Boards: what they promise, their editions, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files

import pytest

from companion.rules.board import Board, lines_to_remember, load_board, read_board
from companion.rules.errors import BoardError
from companion.rules.objectives import load_objectives, read_objectives
from companion.rules.ruleset import load_ruleset

CLASSIC = (files("companion.rules") / "data" / "board-classic.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "borders"), [("classic", 83), ("risiko", 82), ("apoikia", 0)])
def test_a_shipped_board(name: str, borders: int) -> None:
    """42 territories in six continents, every tile its own, names in all languages that it has."""
    board = load_board(name)
    tiles = {territory.tile for territory in board.territories.values()}

    assert (42, 6, 42, borders) == (len(board.territories), len(board.continents), len(tiles), len(board.borders()))
    assert 42 == sum(len(continent.territories) for continent in board.continents.values())


def test_the_scheme_is_lands_plus_entry_points() -> None:
    """All six numbers of the nl1996 scheme follow from the board's borders."""
    board = load_board("classic", "nl1996")
    counted = {id_: len(c.territories) + board.entry_points(id_) for id_, c in board.continents.items()}

    assert dict(load_ruleset("nl1996").table("scheme")) == counted


@pytest.mark.parametrize("edition", ["no-east-africa-middle-east", "no-egypt-middle-east"])
def test_africa_has_one_line_less_on_old_boards(edition: str) -> None:
    """Without one of the lines that 4.6 demands Africa has five entry points and Asia seven."""
    board = load_board("classic", edition)

    assert (5, 7) == (board.entry_points("africa"), board.entry_points("asia"))


@pytest.mark.parametrize(
    ("system", "edition", "missing"),
    [
        ("nl1996", "modern", ()),
        ("nl1996", "no-east-africa-middle-east", (("east_africa", "middle_east"),)),
        ("risiko", "no-greenland-quebec", (("greenland", "quebec"),)),
    ],
)
def test_lines_that_the_printed_board_lacks_are_named(system: str, edition: str, missing: object) -> None:
    """What the rules take to be a border and the board does not show is there to be remembered."""
    assert missing == lines_to_remember(load_board("classic", edition), ruleset=load_ruleset(system))


def test_no_line_to_remember() -> None:
    """The box rules deem nothing, and a board of another world has no such lands."""
    own = Board(id="own", edition="own", territories={}, continents={})

    assert () == lines_to_remember(load_board("classic"), ruleset=load_ruleset("classic"))
    assert () == lines_to_remember(own, ruleset=load_ruleset("nl1996"))


def test_risikos_borders_of_clause_18() -> None:
    """Egypt - Middle East and Greenland - Quebec are borders."""
    lines = load_board("risiko").borders()

    assert {frozenset(("egypt", "middle_east")), frozenset(("greenland", "quebec"))} <= lines


def test_a_newer_print_changes_coefficients() -> None:
    """The coefficient is the number of borders of the edition on the table."""
    assert (3, 2) == tuple(
        load_board("risiko", edition).territories["central_america"].coefficient
        for edition in ("risiko-it", "risiko-it-2023")
    )


def test_every_objective_is_worth_86_with_two_whole_continents() -> None:
    """The invariant that the sixteen objectives were repaired by."""
    board = load_board("risiko")
    worth = {
        objective.id: sum(board.territories[land].coefficient for land in objective.territories)
        for objective in load_objectives().values()
    }
    whole = {
        objective.id: len(board.continents_held(objective.territories)) for objective in load_objectives().values()
    }

    assert (16, {86}, True) == (len(worth), set(worth.values()), min(whole.values()) >= 2)


def test_continents_held() -> None:
    """A continent counts only whole."""
    board = load_board("classic")
    australia = board.continents["australia"].territories

    assert (("australia",), ()) == (board.continents_held(australia), board.continents_held(sorted(australia)[:3]))


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (lambda: load_board("mars"), "unknown-board"),
        (lambda: load_board("classic", "of 1959"), "unknown-edition"),
        (lambda: load_board("classic").entry_points("atlantis"), "unknown-continent"),
    ],
)
def test_unknown_names_are_refused(ask: Callable[[], object], code: str) -> None:
    """The refusal says what there is."""
    with pytest.raises(BoardError) as refusal:
        ask()

    assert code == refusal.value.code


def test_an_organisers_board_is_read() -> None:
    """The shipped text read as an organiser's own is the same board; without editions any name will do."""
    plain = CLASSIC[: CLASSIC.index("[[edition]]")]

    assert load_board("classic") == read_board(CLASSIC)
    assert "modern" == read_board(plain).edition


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('neighbours = ["northwest_territory", "alberta", "kamchatka"]', 'neighbours = ["alberta"]', "board-one-way"),
        ('neighbours = ["northwest_territory", "alberta", "kamchatka"]', 'neighbours = ["alaska"]', "board-self"),
        ('neighbours = ["northwest_territory", "alberta", "kamchatka"]', 'neighbours = ["narnia"]', "board-stranger"),
        ("borders = 83\ndefault", "borders = 80\ndefault", "board-count"),
        ("territories = 42", "territories = 41", "board-count"),
        ('id = "australia"\nname', 'id = "oceania"\nname', "board-count"),
        ("bonus = 2\nsize = 4\n\n[[territory]]", "bonus = 2\nsize = 5\n\n[[territory]]", "board-count"),
        (
            "remove = []\nadd = []\nborders = 83",
            'remove = []\nadd = [["alaska", "alberta"]]\nborders = 84',
            "board-edition-line",
        ),
        (
            "remove = []\nadd = []\nborders = 83",
            'remove = [["alaska", "japan"]]\nadd = []\nborders = 82',
            "board-edition-line",
        ),
        ("schema = 1", "schema = ", "board-unreadable"),
        ("[board]", "[bord]", "board-unreadable"),
        ("default_edition", "coefficients = { alaska = 9 }\ndefault_edition", None),
    ],
)
def test_a_board_that_contradicts_itself_is_refused(old: str, new: str, code: str | None) -> None:
    """The refusal names the territory, the border or the number."""
    text = CLASSIC.replace(old, new, 1)
    if code is None:
        assert "modern" == read_board(text).edition
        return
    with pytest.raises(BoardError) as refusal:
        read_board(text)

    assert code == refusal.value.code


@pytest.mark.parametrize(("coefficient", "code"), [(9, "board-coefficient"), (3, None)])
def test_coefficients_must_be_the_number_of_borders(coefficient: int, code: str | None) -> None:
    """A coefficient that is not the number of borders is refused."""
    text = CLASSIC + f"\n[coefficients]\nalaska = {coefficient}\n"
    if code is None:
        assert 3 == read_board(text).territories["alaska"].coefficient
        return
    with pytest.raises(BoardError) as refusal:
        read_board(text)

    assert code == refusal.value.code


LONELY = """
[board]
id = "pair"
territories = 3
borders = 1
default_edition = "only"
[[continent]]
id = "all"
name = {en = "All"}
bonus = 0
size = 3
"""
for _land, _others in (("north", '["south"]'), ("south", '["north"]'), ("moon", "[]")):
    LONELY += f'[[territory]]\nid = "{_land}"\nneighbours = {_others}\ncontinent = "all"\n'
    LONELY += 'name = {en = "Land"}\nsymbol = ""\ntile = [1, 1]\n'


def test_a_territory_apart_is_refused() -> None:
    """Every territory can be reached from every other."""
    with pytest.raises(BoardError) as refusal:
        read_board(LONELY)

    assert ("board-apart", "moon") == (refusal.value.code, refusal.value.values["territory"])


OBJECTIVE = '[[objective]]\nid = "home"\nname = "Home"\nterritories = ["alaska", "alberta"]\n'


def test_an_organisers_objectives_are_read() -> None:
    """Own objectives are checked against the board and the promised points."""
    found = read_objectives("expected_points = 7\n" + OBJECTIVE, board=load_board("risiko"))

    assert frozenset(("alaska", "alberta")) == found["home"].territories


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("objective = ", "board-unreadable"),
        ("", "board-unreadable"),
        (OBJECTIVE + OBJECTIVE, "board-count"),
        ("expected_points = 86\n" + OBJECTIVE, "board-count"),
        (OBJECTIVE.replace("alberta", "narnia"), "board-stranger"),
    ],
)
def test_wrong_objectives_are_refused(text: str, code: str) -> None:
    """Unreadable, twice the same id, another worth, or a stranger."""
    with pytest.raises(BoardError) as refusal:
        read_objectives(text, board=load_board("risiko"))

    assert code == refusal.value.code


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bonus = 7", 'bonus = "7"'),
        ("bonus = 7", "bonus = 7.0"),
        ("bonus = 7", "bonus = true"),
        ("bonus = 7", "bonus = -7"),
        ('symbol = "cavalry"', "symbol = 3"),
        ("tile = [", "tile = [1, "),
        ("tile = [", "tile = [] #"),
        ("remove = [", 'remove = ["alaska", '),
        ("name = {", "name = {} #"),
        ("name = {", "name = 3 #"),
        ("name = {", "name = {en = 3} #"),
    ],
)
def test_a_board_file_with_a_value_of_the_wrong_kind(old: str, new: str) -> None:
    """A bonus in words or below nothing, a tile without a row, a border of one end: refused, never a traceback."""
    assert old in CLASSIC
    with pytest.raises(BoardError) as refusal:
        read_board(CLASSIC.replace(old, new, 1))

    assert "board-unreadable" == refusal.value.code


@pytest.mark.parametrize("row", ['id = 1\nname = "x"', 'id = "x"\nname = 1', 'id = "x"\nname = "x"'])
def test_an_objective_without_words_or_territories(row: str) -> None:
    """An objective that nobody could name, or that everybody would have reached, is refused."""
    with pytest.raises(BoardError) as refusal:
        read_objectives(f"[[objective]]\n{row}\nterritories = []", board=load_board("risiko"))

    assert "board-unreadable" == refusal.value.code
