"""docs/events.md says what the code does."""

from __future__ import annotations

from companion.session import events as e
from tests.session.events_page import PAGE, page


def test_events_page_is_made_from_the_classes() -> None:
    """Every event with every field stands on the page; `python -m tests.session.events_page` writes it anew."""
    assert page() == PAGE.read_text(encoding="utf-8")


def test_every_event_has_a_heading() -> None:
    """No wire name is missing."""
    text = PAGE.read_text(encoding="utf-8")

    assert [] == [kind.wire for kind in e.ALL_EVENTS if f"### {kind.wire} v" not in text]
