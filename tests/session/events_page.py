"""The page docs/events.md, made from the event classes: `python -m tests.session.events_page` writes it anew."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path

from companion.session import events as e

PAGE = Path(__file__).parents[2] / "docs" / "events.md"

HEAD = """# The events of a table

A table is the list of these facts, in order, in its journal; docs/api.md tells how to read it. Each record carries
`seq`, `at_ns` (boot clock of `boot`), `wall`, `type`, `v`, `by` (who caused it: `screen`, `referee`, `hub`, `camera`,
`clock`, a button, `rig`), `data` (the fields below), `prev` and `hash`. Nothing is ever edited: a correction is an
event with a reason. Players appear by id; their names lie beside the journal and can be erased.

The page is made from the code: `.venv/bin/python -m tests.session.events_page` writes it, and a test holds it to the
event classes.
"""

GROUPS = (
    ("Before the game", "companion.session.events.setup"),
    ("Clock, service, referee", "companion.session.events.service"),
    ("The secret length", "companion.session.events.tijd"),
    ("Turns and throws", "companion.session.events.play"),
    ("Put right and ruled", "companion.session.events.mending"),
    ("Calibration and disputes", "companion.session.events.looking"),
    ("The end", "companion.session.events.ending"),
)

PARTS = (e.DieFact, e.SeatFact, e.HoldingsFact, e.PlaceFact, e.OutFact, e.PictureFact, e.MeasuredFact)


def page() -> str:
    """The whole page."""
    lines = [HEAD]
    for title, module in GROUPS:
        lines.append(f"## {title}\n")
        for kind in e.ALL_EVENTS:
            if kind.__module__ == module:
                lines += _entry(f"### {kind.wire} v{kind.version}", kind)
    lines.append("## Parts\n")
    for part in PARTS:
        lines += _entry(f"### {part.__name__}", part)
    return "\n".join(lines)


def _entry(heading: str, kind: type) -> list[str]:
    doc = inspect.cleandoc(kind.__doc__ or "")
    first, _, rest = doc.partition("\n\nAttributes:\n")
    told = dict(re.findall(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", rest, re.MULTILINE))
    rows = [heading, "", first.replace("\n", " "), ""]
    own = [field for field in fields(kind) if field.name != "at_ns"]
    for field in own:
        kind_text = str(field.type).replace("ClassVar", "").replace("|", "or")
        meaning = re.sub(r"\s+", " ", told.get(field.name, "")).strip()
        rows.append(f"- `{field.name}` ({kind_text})" + (f": {meaning}" if meaning else ""))
    return [*rows, ""] if own else [*rows[:-1], ""]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
