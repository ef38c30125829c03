"""`companion bench table`: the table's promises in figures: signal, presses, journal, kills, a long day."""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the report.

    Attributes:
        measure: What was measured.
        value: The figure, with its unit.
        limit: What it must reach, or "" where nothing was promised.
        met: Whether it does.
    """

    measure: str
    value: str
    limit: str
    met: bool


@click.command(name="table")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
@click.option("--kills", type=click.IntRange(0, 10_000), default=1000, help="SIGKILLs at random moments (2 s each).")
@click.option("--signals", type=click.IntRange(10, 10_000), default=500, help="Signals at the buzzer's edge.")
@click.option("--presses", type=click.IntRange(10, 10_000), default=200, help="Presses of a button.")
@click.option("--throws", type=click.IntRange(0, 10_000), default=200, help="Clean throws of the robot (5 s each).")
@click.option("--answers", type=click.IntRange(20, 10_000), default=1000, help="Answers of two secret lengths.")
@click.option("--hours", type=click.IntRange(1, 48), default=12, help="Hours of play in the long day.")
def command(as_json: bool, kills: int, signals: int, presses: int, throws: int, answers: int, hours: int) -> None:
    """Measure one table on this machine; exit 1 when a promise is not kept."""
    from companion.commands import robot_measures, secret_measures
    from companion.commands import table_measures as measures

    figures: list[Figure] = []

    def done(made: Sequence[Figure]) -> None:
        figures.extend(made)
        if not as_json:
            for figure in made:
                mark = "ok  " if figure.met else "MISS"
                limit = f"  (must be {figure.limit})" if figure.limit else ""
                click.echo(f"{mark} {figure.measure}: {figure.value}{limit}")

    with tempfile.TemporaryDirectory(prefix="companion-bench-") as folder:
        home = Path(folder)
        done(asyncio.run(measures.presses(home / "presses", presses)))
        done(measures.order(presses))
        done(measures.journal(home / "journal"))
        done(measures.signals(home / "signals", signals))
        done(asyncio.run(measures.day(home / "day", hours)))
        done(asyncio.run(secret_measures.answers(home / "answers", answers)))
        if throws:
            done(asyncio.run(robot_measures.clean_throws(home / "throws", throws)))
        if kills:
            done(measures.kills(home / "kills", kills))
    if as_json:
        click.echo(json.dumps({"table": [asdict(figure) for figure in figures]}, ensure_ascii=False))
    if not all(figure.met for figure in figures):
        raise SystemExit(1)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which that share of the values lies."""
    return statistics.quantiles(values, n=100, method="inclusive")[round(share * 100) - 1]
