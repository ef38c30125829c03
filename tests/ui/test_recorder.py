"""The recorder of the frozen board: what it shows, what it asks, how many taps it takes."""

from __future__ import annotations

from typing import Any

import pytest

from companion.rules.board import load_board
from companion.rules.ruleset import load_ruleset
from companion.ui.blocks import Buttons, Do, Screen, Send, Stepper
from companion.ui.charts import atlas, board_of, places
from companion.ui.desk import Desk
from companion.ui.draft import Draft, from_json
from companion.ui.presses import press
from tests.ui import states, systems
from tests.ui.test_model import blocks, button, buttons, shown, texts, tiles

TAPS_IN_90_S = 90
"""Taps that somebody who reads the board aloud to a neighbour makes in ninety seconds: one a second."""


def recorder(tab: str, **more: Any) -> Screen:
    """The recorder on a tab, with a whole draft unless more is said."""
    draft = from_json(states.draft(**more), "r2-t7", ["p1", "p2", "p3"], atlas())
    return shown(states.frozen(), Desk(lang="en", tab=tab, draft=draft))


def recorder_of(system: str, tab: str, **more: Any) -> Screen:
    """The recorder of another system on a tab, with a whole draft unless more is said."""
    state = systems.frozen(system)
    people = [player["id"] for player in state["players"]]
    draft = from_json(systems.draft(system, **more), "r2-t7", people, atlas(load_ruleset(system).board))
    return shown(state, Desk(lang="en", tab=tab, draft=draft))


def tabs(screen: Screen) -> list[tuple[str, str]]:
    """Names of the tabs, and how far each is."""
    row = screen.top[0]
    assert isinstance(row, Buttons)
    return [(b.text, b.note) for b in row.buttons]


def test_the_recorder_counts_as_people_type() -> None:
    """Each player's count, each part's progress and what is left stand beside the territories."""
    board = tiles(recorder("owners", owners={"siam": "p1", "alaska": "p2"}))

    assert [("Board", "42/42 ✓"), ("Armies", "3/3 ✓"), ("Cards", "3/3 ✓"), ("Check", "✓")] == tabs(recorder("armies"))
    assert ("1", "1", "0", "40 left") == tuple(board[n].note for n in ("Anna", "Bram", "Chiara", "the rest: Anna"))
    assert ("p1", None) == (board["Siam"].mark and "p1", board["Peru"].mark)
    assert (("", "plain"), ("?", "warn")) == tuple((board[n].note, board[n].tone) for n in ("Siam", "Peru"))


def test_a_tap_gives_a_territory_to_who_is_chosen() -> None:
    """One tap a territory; the first player is chosen until somebody picks another."""
    state = states.frozen()
    board = tiles(shown(state, Desk(lang="en", draft=from_json(states.draft(owners={}), "r2-t7", [], atlas()))))
    other = tiles(shown(state, Desk(lang="en", brush="p2", draft=from_json(states.draft(), "r2-t7", [], atlas()))))

    assert Do(verb="paint", args=("siam", "p1")) == board["Siam"].does
    assert (True, False, Do(verb="paint", args=("siam", "p2"))) == (
        other["Bram"].chosen, other["Anna"].chosen, other["Siam"].does,
    )  # fmt: skip


def test_the_recorder_asks_only_for_what_decides() -> None:
    """Where the mission decides, neither armies nor cards are asked for."""
    state = states.frozen(need={"board": True, "armies": False, "hands": False})
    state["tijd"] = None

    assert ["Board", "Check"] == [name for name, _ in tabs(shown(state, Desk(lang="en", tab="check")))]


def test_an_open_board_cannot_be_confirmed() -> None:
    """A draft with a gap says which, and leads to it; its button does nothing."""
    screen = recorder("check", armies={"p1": 31, "p2": 28})

    assert None is button(screen, "Confirm the board").does
    assert Do(verb="tab", args=("armies",)) == button(screen, "Armies of Chiara are missing").does


def test_a_whole_board_is_confirmed_with_all_that_was_said() -> None:
    """The command holds every territory once, armies and hands of all."""
    does = button(recorder("check"), "Confirm the board").does
    assert isinstance(does, Send)
    said = does.args["players"]

    assert [("p1", 14, 31), ("p2", 14, 28), ("p3", 14, 24)] == [
        (row["id"], len(row["territories"]), row["armies"]) for row in said
    ]
    assert 42 == len({t for row in said for t in row["territories"]})


def test_too_few_armies_are_seen_at_once() -> None:
    """A number that cannot be right is told beside the player, and so is one that is missing."""
    screen = recorder("armies", armies={"p1": 13, "p2": 28})

    assert [("Anna: 13", "warn"), ("Bram: 28", "plain"), ("Chiara: –", "warn")] == [
        (b.text, b.tone) for b in buttons(screen) if b.mark is not None and ":" in b.text
    ]


def test_the_check_says_when_it_shows_only_the_first_of_what_is_open() -> None:
    """A list that ends at four of six would send people back believing that they are done."""
    many, one = recorder("check", owners={}), recorder("check", armies={"p1": 31, "p2": 28})
    open_ = next(text for text in texts(many) if "open" in text)

    assert "6 things are still open; these are the first 4:" == open_
    assert "1 thing is still open:" in texts(one)


def test_a_player_without_land_is_told_to_be_out_from_the_check() -> None:
    """Whose fall nobody told has no territory on the board: the gap leads to who took the last one."""
    owners = {land: "p2" if owner == "p3" else owner for land, owner in states.draft()["owners"].items()}
    draft = from_json(states.draft(owners=owners), "r2-t7", ["p1", "p2", "p3"], atlas())
    state = states.frozen()
    desk = Desk(lang="en", tab="check", draft=draft)
    told = "Chiara has no territory but is not out: tell the referee"

    assert Do(verb="tab", args=("owners",)) == button(shown(state, desk), told).does
    state["may"] = [*state["may"], "declare_out"]
    assert Do(verb="open", args=("out", "p3")) == button(shown(state, desk), told).does


def test_before_the_board_is_whole_anybody_may_be_counted() -> None:
    """One hand that was said does not hide the others: nobody knows yet whose will decide."""
    owners = dict(list(states.draft()["owners"].items())[:30])
    screen = recorder("cards", owners=owners, hands={"p1": states.draft()["hands"]["p1"]})

    assert {"Anna", "Bram", "Chiara"} <= {b.text for b in buttons(screen)}


@pytest.mark.parametrize("system", ["risiko", "classic", "apoikia", "rebels"])
def test_every_system_is_recorded_on_its_own_board(system: str) -> None:
    """Each of its lands has one tile, at a place of its own, and a whole board is confirmed with all of them."""
    state = systems.frozen(system)
    board = load_board(load_ruleset(system).board)
    grid = places(board_of(state))
    does = button(recorder_of(system, "check"), "Confirm the board").does
    assert isinstance(does, Send)

    assert set(board.territories) == {place.territory for place in grid}
    assert len(grid) == len({(place.column, place.row) for place in grid})
    assert set(board.territories) == {t for row in does.args["players"] for t in row["territories"]}


def test_a_board_that_nobody_names_is_the_classic_one() -> None:
    """A table of before, or of a system that this screen does not know, still has its board."""
    assert ["classic", "apoikia", "classic", "classic"] == [
        board_of(state) for state in ({}, {"system": "apoikia"}, {"system": "chess"}, {"board": {"id": "club"}})
    ]


def test_objectives_are_asked_in_risiko() -> None:
    """Each player's objective, one card for each, and on to the next player by itself."""
    screen = recorder_of("risiko", "objectives", objectives={"p1": "letto"})

    assert "Which objective had Bram?" in texts(screen)
    assert None is next(b for b in buttons(screen) if b.text == "Letto").does
    assert Do(verb="objective", args=("p2", "befana", "p3")) == button(screen, "Befana").does
    assert None is button(recorder_of("risiko", "check", objectives={}), "Confirm the board").does


def test_the_check_of_risiko_reckons_the_score() -> None:
    """Whatever counts for the Score stands beside it before anything is confirmed."""
    told = [text for text in texts(recorder_of("risiko", "check")) if text.startswith("Anna")]

    assert ["Anna · 11 territories · all of North America · 31 armies · 3 cards · Letto 11/23 · Score 159.5"] == told


def test_an_objective_that_lies_whole_is_asked_about() -> None:
    """Whoever holds all of the objective has reached it: the screen says so before the board is confirmed."""
    lands = systems.draft("risiko")["owners"]
    state = systems.frozen("risiko")
    state["may"] = [*state["may"], "claim_mission"]
    kept = systems.draft("risiko", owners=dict.fromkeys(lands, "p1"), armies={"p1": 50})
    draft = from_json(kept, "r2-t7", ["p1", "p2"], atlas())
    one = [player for player in state["players"] if player["id"] == "p1"]
    screen = shown(state | {"players": one}, Desk(lang="en", tab="check", draft=draft))

    assert (
        Do(verb="open", args=("claim", "p1", "letto"))
        == button(screen, "Anna holds the whole objective. Reached? Tap here.").does
    )


def test_the_check_of_apoikia_counts_cities_and_islands() -> None:
    """How many cities of those that win, and whole islands."""
    told = texts(recorder_of("apoikia", "check"))

    assert "Anna · 11 cities/20 · all of Sparta · 31 armies" in told


def test_lands_without_an_owner_are_the_rebels() -> None:
    """With rebel armies a land that nobody holds is theirs, by name."""
    assert ("rebels" in tiles(recorder_of("rebels", "owners")), "nobody" in tiles(recorder("owners"))) == (True, True)


def test_armies_by_territory_are_tapped_on_the_board() -> None:
    """Only lands of who claims can be tapped; a step of minus one takes back."""
    need = systems.frozen("classic")["need"] | {"also": ["armies_on"]}
    state = systems.frozen("classic", need=need, frozen={"why": "mission", "claim": {"player": "p2"}})
    people = [player["id"] for player in state["players"]]
    draft = from_json(systems.draft("classic"), "r2-t7", people, atlas()).with_armies_on("iceland", 2)
    board = tiles(shown(state, Desk(lang="en", tab="armies_on", draft=draft, brush="−1")))

    assert (Do(verb="armies-on", args=("iceland", -1)), "2", None) == (
        board["Iceland"].does, board["Iceland"].note, board["Alaska"].does,
    )  # fmt: skip


class Typist:
    """Somebody who records a board by pressing what the screen offers, and counts the taps."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.state = state
        self.desk = Desk(lang="en", draft=Draft(tijd_seen_ns=99))
        self.taps = 0

    def screen(self) -> Screen:
        """What is shown now."""
        return shown(self.state, self.desk)

    def tap(self, *verbs: str, args: tuple[Any, ...] | None = None) -> bool:
        """Press the first thing that does one of these verbs (with these arguments), if the screen offers it."""
        offered = [b.does for b in buttons(self.screen())] + [t.does for t in tiles(self.screen()).values()]
        steppers = [block for block in blocks(self.screen()) if isinstance(block, Stepper)]
        offered += [does for stepper in steppers for _, does in stepper.steps]
        for does in offered:
            if isinstance(does, Do) and does.verb in verbs and args in (None, does.args):
                self.desk, self.taps = press(self.desk, does).desk, self.taps + 1
                return True
        return False

    def record(self, kept: dict[str, Any], people: list[str]) -> None:
        """Everything that the screen asks, from the owners to the check."""
        for player in people[:-1]:
            self.tap("brush", args=(player,))
            for territory in [t for t, owner in kept["owners"].items() if owner == player]:
                assert self.tap("paint", args=(territory, player))
        self.tap("brush", args=(people[-1],))
        assert self.tap("rest")
        for tab, fill in (("armies", self._armies), ("cards", self._cards), ("objectives", self._objectives)):
            if self.tap("tab", args=(tab,)):
                fill(kept, people)
        self.tap("tab", args=("check",))

    def _armies(self, kept: dict[str, Any], people: list[str]) -> None:
        for player in people:
            # Whoever is not asked is not on the screen.
            self.tap("brush", args=(player,))
            for digit in str(kept["armies"][player]):
                self.tap("type-armies", args=(player, digit))

    def _cards(self, kept: dict[str, Any], people: list[str]) -> None:
        for player in people:
            self.tap("brush", args=(player,))
            for symbol, count in kept["hands"].get(player, {}).items():
                for _ in range(count):
                    assert self.tap("cards", args=(player, symbol, 1, "hands"))

    def _objectives(self, kept: dict[str, Any], people: list[str]) -> None:
        for at, player in enumerate(people):
            follower = people[at + 1] if at + 1 < len(people) else player
            assert self.tap("objective", args=(player, kept["objectives"][player], follower))


@pytest.mark.parametrize("system", ["nl1996", "risiko", "classic", "apoikia", "rebels"])
def test_a_board_is_recorded_within_ninety_taps(system: str) -> None:
    """From the frozen board to its confirmation: owners, and whatever else the system asks of everybody."""
    state = states.frozen() if system == "nl1996" else systems.frozen(system)
    people = [player["id"] for player in state["players"]]
    typist = Typist(state)
    typist.record(states.draft() if system == "nl1996" else systems.draft(system), people)

    assert isinstance(button(typist.screen(), "Confirm the board").does, Send)
    assert typist.taps + 1 <= TAPS_IN_90_S


def test_what_only_an_option_counts_has_a_part_of_its_own() -> None:
    """Where a club counts them: armies to place, cards of an own land, and a published lot."""
    need = states.frozen()["need"] | {"also": ["unplaced_armies", "owned_cards", "lot"]}
    typist = Typist(states.frozen(need=need))
    typist.record(states.draft(), ["p1", "p2", "p3"])
    parts = [name for name, _ in tabs(typist.screen())]
    for verb, tab in (("unplaced", "unplaced"), ("no-cards", "owned")):
        assert typist.tap("tab", args=(tab,))
        for player in ("p1", "p2", "p3"):
            typist.tap("brush", args=(player,))
            assert typist.tap(verb, args=(player, 0) if verb == "unplaced" else (player, "own_cards"))
    assert typist.tap("tab", args=("lot",))
    for digit in ("4", "2", ""):
        assert typist.tap("lot", args=(digit,))
    typist.tap("tab", args=("check",))
    does = button(typist.screen(), "Confirm the board").does
    assert isinstance(does, Send)

    assert ["Board", "Armies", "Unplaced", "Cards", "Own lands", "Lot", "Check"] == parts
    assert ("4", [0, 0, 0]) == (does.args["lot"], [row["unplaced_armies"] for row in does.args["players"]])
