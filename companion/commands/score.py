"""`companion score`: one table's result from its sheet, with the step that decided each place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import click
import msgspec

from companion.commands.rule_files import (
    BadFile,
    check_round,
    chosen_rules,
    json_text,
    read_json,
    read_text,
    reason_told,
    rules_told,
    tell_unchosen,
)
from companion.commands.saying import lang_option
from companion.rules.board import Board, load_board, read_board
from companion.rules.cards import Hand, only_known
from companion.rules.errors import RulesError
from companion.rules.objectives import Objective, read_objectives
from companion.rules.position import Claim, KnockedOut, PlayerPosition, Position
from companion.rules.result import TableResult, overruled
from companion.rules.ruleset import Ruleset
from companion.rules.scoring import Sheet, result_words, table_result
from companion.words import Words

LOOK_AT_THIS = 1


class PlayerRow(msgspec.Struct, forbid_unknown_fields=True):
    """One player of a sheet."""

    id: str
    name: str = ""
    colour: str | None = None
    objective: str | None = None
    territories: list[str] = []
    armies: int | dict[str, int] | None = None
    unplaced_armies: int = 0
    hand: dict[str, int] | None = None
    owned_cards: dict[str, int] | None = None


class KnockedOutRow(msgspec.Struct, forbid_unknown_fields=True):
    """One player who fell."""

    id: str
    players_left_before: int
    by: str | None = None


class ClaimRow(msgspec.Struct, forbid_unknown_fields=True):
    """A mission or objective that was reached."""

    by: str
    mission: str | None = None
    destroyed: str | None = None


class RulingRow(msgspec.Struct, forbid_unknown_fields=True):
    """What a referee ruled."""

    results: dict[str, str]
    by: str
    why: str


class SheetFile(msgspec.Struct, forbid_unknown_fields=True):
    """A whole sheet, as docs/score.md tells."""

    system: str
    players: list[PlayerRow]
    options: dict[str, Any] = {}
    round: int | None = None
    table: str | None = None
    vacant: list[str] = []
    knocked_out: list[KnockedOutRow] = []
    claim: ClaimRow | None = None
    played_on: Literal["accident", "purpose"] | None = None
    lot: str | None = None
    ruling: RulingRow | None = None


@click.command(name="score")
@click.argument("sheet", metavar="SHEET.json", type=click.Path(path_type=Path))
@click.option("--ruleset", type=click.Path(path_type=Path), help="A club's own ruleset file.")
@click.option("--board", "board_file", type=click.Path(path_type=Path), help="An organiser's own board file.")
@click.option("--objectives", type=click.Path(path_type=Path), help="An organiser's own objectives (risiko).")
@lang_option
@click.pass_context
def command(
    ctx: click.Context,
    sheet: Path,
    *,
    ruleset: Path | None,
    board_file: Path | None,
    objectives: Path | None,
    lang: str,
) -> None:
    """Score one table from its sheet.

    Prints the result as JSON. Exit code 0 means that every place is decided, 1 that people must rule, 2 that the
    sheet can't be true.
    """
    answer = scored(sheet, ruleset=ruleset, board_file=board_file, objectives=objectives, lang=lang)
    click.echo(json_text(answer))
    ctx.exit(LOOK_AT_THIS if answer["unresolved"] else 0)


def scored(
    path: Path,
    *,
    ruleset: Path | None = None,
    board_file: Path | None = None,
    objectives: Path | None = None,
    lang: str = "en",
) -> dict[str, Any]:
    """The answer to one sheet.

    Raises:
        BadFile: The sheet can't be true, or another file is refused.
        OSError: A file can't be read.
    """
    sheet = read_json(path, SheetFile)
    if not all(row.id.strip() for row in sheet.players):
        raise BadFile(f"{path}: a player has no id; give everybody one")
    try:
        rules = chosen_rules(sheet.system, ruleset, sheet.options)
        if sheet.round is not None:
            check_round(path, sheet.round, rules)
        board = _board(rules, board_file)
        own = _objectives(objectives, board)
        result = table_result(_sheet(sheet), board=board, ruleset=rules, lot=sheet.lot, known=own)
        if sheet.ruling is not None:
            result = _ruled(path, result, sheet.ruling, result_words(len(sheet.players), ruleset=rules))
    except RulesError as error:
        raise BadFile(f"{path}: {error}") from error
    names = {row.id: row.name or row.id for row in sheet.players}
    if ruleset is None:
        tell_unchosen(rules, sheet.options, lang=lang)
    return _told(sheet, rules, result, Words(lang, names))


def _ruled(path: Path, result: TableResult, ruling: RulingRow, known: Sequence[str]) -> TableResult:
    if not (ruling.results and ruling.by.strip() and ruling.why.strip()):
        raise BadFile(f"{path}: a ruling needs 'results', 'by' and 'why'; say who ruled what, and the reason")
    return overruled(result, ruling.results, by=ruling.by, why=ruling.why, known=known)


def _board(rules: Ruleset, path: Path | None) -> Board:
    if path is None:
        return load_board(rules.board, rules.edition())
    text = read_text(path)
    try:
        return read_board(text)
    except RulesError as error:
        raise BadFile(f"{path}: {error}") from error


def _objectives(path: Path | None, board: Board) -> dict[str, Objective] | None:
    if path is None:
        return None
    text = read_text(path)
    try:
        return dict(read_objectives(text, board=board))
    except RulesError as error:
        raise BadFile(f"{path}: {error}") from error


def _sheet(sheet: SheetFile) -> Sheet:
    recorded = [row for row in sheet.players if row.territories]
    position = Position(players=tuple(map(_held, recorded)), vacant=tuple(sheet.vacant))
    claim = sheet.claim
    return Sheet(
        players=tuple(row.id for row in sheet.players),
        position=position if recorded or sheet.vacant else None,
        knocked_out=tuple(
            KnockedOut(player=row.id, players_left_before=row.players_left_before, by=row.by)
            for row in sheet.knocked_out
        ),
        claim=None if claim is None else Claim(player=claim.by, mission=claim.mission, destroyed=claim.destroyed),
        colours={row.id: row.colour for row in sheet.players if row.colour is not None},
        objectives={row.id: row.objective for row in sheet.players if row.objective is not None},
        played_on=sheet.played_on,
    )


def _held(row: PlayerRow) -> PlayerPosition:
    return PlayerPosition(
        player=row.id,
        territories=tuple(row.territories),
        armies=row.armies if isinstance(row.armies, int) else None,
        armies_on=row.armies if isinstance(row.armies, dict) else None,
        unplaced_armies=row.unplaced_armies,
        hand=_hand(row.hand),
        owned_cards=_hand(row.owned_cards),
    )


def _hand(counts: dict[str, int] | None) -> Hand | None:
    return None if counts is None else only_known(counts)


def _told(sheet: SheetFile, rules: Ruleset, result: TableResult, words: Words) -> dict[str, Any]:
    answer: dict[str, Any] = {"system": rules.system, "ruleset": rules_told(rules)}
    if sheet.round is not None:
        answer["round"] = sheet.round
    if sheet.table is not None:
        answer["table"] = sheet.table
    answer["places"] = [
        {
            "player": place.player,
            "place": place.place,
            "result": place.result,
            **({} if place.score is None else {"score": place.score}),
            **reason_told(place.reason, words),
        }
        for place in result.places
    ]
    answer["unresolved"] = [list(group) for group in result.unresolved]
    answer["at_stake"] = list(result.at_stake)
    return answer
