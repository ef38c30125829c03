"""`companion standings`: everybody's place in a tournament from the results of its tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from companion.commands.rule_files import (
    BadFile,
    check_round,
    chosen_rules,
    guarded,
    json_text,
    options_of,
    read_json,
    reason_told,
    rules_told,
)
from companion.commands.saying import lang_option
from companion.rules.errors import ResultsError, RulesError
from companion.rules.ruleset import Ruleset
from companion.rules.standings import Entry, Standing, gather, tournament_rank
from companion.rules.systems.risiko_phases import Game, Ranked, general_ranking
from companion.words import Words


class PlaceRow(msgspec.Struct):
    """One place as `companion score` prints it; what else it printed is passed over."""

    player: str
    result: str
    score: float | None = None


class ResultFile(msgspec.Struct):
    """The result of one table, as docs/standings.md tells."""

    round: int
    system: str = "nl1996"
    table: str = ""
    results: dict[str, str] = {}
    places: list[PlaceRow] = []
    unresolved: list[list[str]] = []

    def rows(self) -> list[PlaceRow]:
        """Everybody's result, whichever way it was written; blanks around a name don't make another player."""
        rows = self.places or [PlaceRow(player=player, result=result) for player, result in self.results.items()]
        return [PlaceRow(player=" ".join(row.player.split()), result=row.result, score=row.score) for row in rows]


@click.command(name="standings")
@click.argument("paths", metavar="DIR|FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the rules; repeat it.")
@click.option("--ruleset", type=click.Path(path_type=Path), help="A club's own ruleset file.")
@click.option("--rounds", type=click.IntRange(min=1), help="Rounds played, when the last one has no results yet.")
@click.option("--lot", metavar="NUMBER", help="Published number that parts identical players.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a table for a spreadsheet or for companion print.")
@lang_option
def command(
    paths: tuple[Path, ...],
    *,
    options: tuple[str, ...],
    ruleset: Path | None,
    rounds: int | None,
    lot: str | None,
    as_csv: bool,
    lang: str,
) -> None:
    """Rank the players of a tournament from result files, and from the *.json files of folders.

    A result file is what `companion score` printed for a sheet with a round, or a few lines written by hand.
    """
    found = [(path, read_json(path, ResultFile)) for path in _files(paths)]
    system = _one_system(found)
    rules = chosen_rules(system, ruleset, options_of(options))
    _refuse_open(found)
    _check_rounds(found, rounds, rules)
    if system == "risiko":
        ranked = general_ranking(_games(found, rules), ruleset=rules)
        answer = _risiko_told(ranked, rules, Words(lang))
        click.echo(_csv(_risiko_rows(ranked)) if as_csv else json_text(answer), nl=not as_csv)
        return
    entries = gather(_entries(found), rounds=rounds)
    standings = tournament_rank(entries, ruleset=rules, lot=lot)
    text = _csv(_rows(standings)) if as_csv else json_text(_told(standings, rules, Words(lang)))
    click.echo(text, nl=not as_csv)


def _files(paths: Iterable[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.glob("*.json")) if path.is_dir() else [path]
        if not inside:
            raise BadFile(f"{path}: no *.json file lies there; name the folder with the results")
        found += inside
    return found


def _one_system(found: Sequence[tuple[Path, ResultFile]]) -> str:
    first_path, first = found[0]
    for path, result in found:
        if result.system != first.system:
            raise BadFile(
                f"{path}: is a result of {result.system}, {first_path} one of {first.system}; rank one system at a time"
            )
    if first.system not in ("nl1996", "risiko"):
        raise ResultsError(
            "no-tournament",
            f"the rules of {first.system} know no tournament; only nl1996 and risiko rank players over several games",
            system=first.system,
        )
    return first.system


def _refuse_open(found: Iterable[tuple[Path, ResultFile]]) -> None:
    for path, result in found:
        if result.unresolved:
            names = ", ".join(player for group in result.unresolved for player in group)
            raise BadFile(f"{path}: {names} await a ruling; add it to the sheet under 'ruling' and score it again")
        if not result.rows():
            raise BadFile(f"{path}: has no results; give 'results' or the 'places' that companion score prints")
        if result.places and result.results:
            raise BadFile(f"{path}: has both 'results' and 'places'; keep one of them")
        if not all(row.player for row in result.rows()):
            raise BadFile(f"{path}: a result has no player; give the name")


def _check_rounds(found: Sequence[tuple[Path, ResultFile]], rounds: int | None, rules: Ruleset) -> None:
    if rounds is not None:
        check_round(found[0][0], rounds, rules)
    for path, result in found:
        check_round(path, result.round, rules)
        if rounds is not None and result.round > rounds:
            raise BadFile(f"{path}: is of round {result.round}, but --rounds says {rounds}; correct one of them")


def _entries(found: Iterable[tuple[Path, ResultFile]]) -> list[Entry]:
    entries: list[Entry] = []
    for path, result in found:
        new = [Entry(player=row.player, round=result.round, result=row.result) for row in result.rows()]
        try:
            gather([*entries, *new])
        except RulesError as error:
            raise BadFile(f"{path}: {error}") from error
        entries += new
    return entries


def _games(found: Iterable[tuple[Path, ResultFile]], rules: Ruleset) -> dict[str, list[Game]]:
    known = {str(points) for row in rules.table("repechage_points").values() for points in row}
    seen: dict[tuple[str, int], Path] = {}
    games: dict[str, list[Game]] = {}
    for path, result in sorted(found, key=lambda pair: pair[1].round):
        for row in result.rows():
            if (row.player, result.round) in seen:
                before = seen[row.player, result.round]
                raise BadFile(f"{path}: {row.player!r} has a result in round {result.round} already, in {before}")
            seen[row.player, result.round] = path
            if row.result != "win" and row.result not in known:
                raise BadFile(f"{path}: {row.player!r} has result {row.result!r}; it is 'win' or the points of a place")
            if row.score is None or row.score < 0 or row.score * 2 % 1:
                raise BadFile(
                    f"{path}: {row.player!r} has Score {row.score}; give it in points or half points under 'places'"
                )
            points = None if row.result == "win" else int(row.result)
            games.setdefault(row.player, []).append(Game(points=points, score=row.score))
    return games


def _told(standings: Sequence[Standing], rules: Ruleset, words: Words) -> dict[str, Any]:
    return {
        "system": rules.system,
        "ruleset": rules_told(rules),
        "rounds": len(standings[0].results),
        "standings": [
            {
                "place": row.place,
                "player": row.player,
                "points": row.points,
                "pluses": row.pluses,
                "results": list(row.results),
                **reason_told(row.reason, words),
            }
            for row in standings
        ],
    }


def _risiko_told(ranked: Sequence[Ranked], rules: Ruleset, words: Words) -> dict[str, Any]:
    return {
        "system": rules.system,
        "ruleset": rules_told(rules),
        "standings": [
            {
                "place": row.place,
                "player": row.player,
                "weight": row.weight,
                "score": row.score,
                "won_a_table": row.won_a_table,
                **reason_told(row.reason, words),
            }
            for row in ranked
        ],
    }


def _rows(standings: Sequence[Standing]) -> list[list[object]]:
    rounds = [f"round {number}" for number in range(1, len(standings[0].results) + 1)]
    head: list[object] = ["place", "name", *rounds, "points", "pluses", "decided by"]
    return [
        head,
        *([r.place, r.player, *r.results, r.points, r.pluses, r.reason.code] for r in standings),
    ]


def _risiko_rows(ranked: Sequence[Ranked]) -> list[list[object]]:
    head: list[object] = ["place", "name", "weight", "score", "won a table", "decided by"]
    return [head, *([r.place, r.player, r.weight, r.score, int(r.won_a_table), r.reason.code] for r in ranked)]


def _csv(rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(guarded(row) for row in rows)
    return text.getvalue()
