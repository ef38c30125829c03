"""`companion bench`: the measurements, one command each."""

from __future__ import annotations

from companion.commands.lazy import Entry, LazyGroup

command = LazyGroup(
    name="bench",
    help="Measure this installation and print the figures.",
    no_args_is_help=True,
    entries={
        "vision": Entry(module="companion.commands.bench_vision", help="How well dice are read, and how fast."),
        "rules": Entry(module="companion.commands.bench_rules", help="What scoring, ranking and drawing cost."),
        "table": Entry(module="companion.commands.bench_table", help="Signal, presses, journal and kills."),
        "hub": Entry(module="companion.commands.bench_hub", help="How the hub grows with tables."),
    },
)
