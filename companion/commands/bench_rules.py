"""`companion bench rules`: what scoring, ranking and drawing cost, and how that grows with the players."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import cycle, islice
from typing import NamedTuple

import click

from companion.commands.rule_files import json_text
from companion.rules.board import load_board
from companion.rules.cards import Hand
from companion.rules.draw import draw_round
from companion.rules.position import PlayerPosition, Position
from companion.rules.ruleset import Ruleset, load_ruleset
from companion.rules.scoring import Sheet, table_result
from companion.rules.standings import RESULTS, tournament_rank

FIELDS = (50, 500, 5000)
REPEATS = 5


class Cost(NamedTuple):
    """What one job costs.

    Attributes:
        job: What was done.
        players: For how many; 3 for one table.
        ms: The quickest of a few runs, in milliseconds.
    """

    job: str
    players: int
    ms: float


@click.command(name="rules")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
def command(as_json: bool) -> None:
    """Measure scoring a board, ranking a field over four rounds, and drawing it into tables."""
    costs = measured(FIELDS)
    if as_json:
        click.echo(json_text({"rules": [{"job": c.job, "players": c.players, "ms": round(c.ms, 3)} for c in costs]}))
        return
    for cost in costs:
        click.echo(f"{cost.job:<28}{cost.players:>6} players{cost.ms:>12.2f} ms")


def measured(fields: tuple[int, ...]) -> list[Cost]:
    """The figures for fields of so many players."""
    rules = load_ruleset("nl1996")
    costs = [Cost("score a frozen board", 3, _quickest(_scoring(rules)))]
    costs += [Cost("rank over four rounds", players, _quickest(_ranking(rules, players))) for players in fields]
    for option in (False, True):
        drawing = load_ruleset("nl1996", {"avoid_rematch": option})
        job = "draw, few repeat meetings" if option else "draw by pure lot"
        costs += [Cost(job, players, _quickest(_drawing(drawing, players))) for players in fields]
    return costs


def _quickest(job: Callable[[], object]) -> float:
    """Milliseconds of the quickest of a few runs: the one that the rest of the machine disturbed least."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        job()
        best = min(best, time.perf_counter() - start)
    return best * 1000


def _scoring(rules: Ruleset) -> Callable[[], object]:
    """A board on which everything down to the cards must be compared."""
    board = load_board("classic")
    lands = list(board.territories)
    hand = Hand(infantry=3, artillery=3, cavalry=3)
    held = tuple(
        PlayerPosition(player=player, territories=tuple(lands[at::3]), armies=30, hand=hand)
        for at, player in enumerate("abc")
    )
    sheet = Sheet(players=("a", "b", "c"), position=Position(players=held))
    return lambda: table_result(sheet, board=board, ruleset=rules)


def _ranking(rules: Ruleset, players: int) -> Callable[[], object]:
    """A field in which many are equal in points, so that the later tie-breaks work."""
    words = cycle((*RESULTS, *reversed(RESULTS), "1"))
    results = {f"p{at:05}": tuple(islice(words, 4)) for at in range(players)}
    return lambda: tournament_rank(results, ruleset=rules)


def _drawing(rules: Ruleset, players: int) -> Callable[[], object]:
    """The fourth round, with three rounds to remember."""
    names = [f"p{at:05}" for at in range(players)]
    plain = load_ruleset("nl1996")
    earlier = [draw_round(names, number="1", round_=at, ruleset=plain).tables for at in (1, 2, 3)]
    return lambda: draw_round(names, number="1", round_=4, ruleset=rules, earlier=earlier)
