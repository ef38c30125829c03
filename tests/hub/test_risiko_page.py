"""The hub's page of a RisiKo! tournament, and of a result that was changed after closing."""

from __future__ import annotations

from pathlib import Path

from companion.config.shapes import HubConfig
from companion.hub.bootstrap import running_hub
from companion.words import LANGUAGES

from .fake_table import FakeTable
from .test_pages import NAMES, Outline, shown, until_heard


async def test_page_ranks_risiko_and_says_who_goes_on_and_what_was_changed(tmp_path: Path) -> None:
    """Winners first, with Scores; those who go on; the reason of a change. In every language, and well formed."""
    results = {"anna": "win", "bram": "5", "cees": "2"}
    table = FakeTable("7", NAMES)
    address = await table.serve(tmp_path / "7.sock")
    table.open_game(*results, system="risiko", phase="second_phase", options={})
    table.score(results, scores={"anna": 101.5, "bram": 77.0, "cees": 3.0})
    table.note("table.closed", results=results)
    changed = {"anna": "5", "bram": "win", "cees": "2"}
    table.note("result.changed", results=changed, before=results, reason="an army was counted twice")
    config = HubConfig(listen="127.0.0.1:0", state_dir=tmp_path / "hub", tables=[address])
    try:
        async with running_hub(config) as hub:
            view = await until_heard(hub, len(table.records))
            pages = [await shown(hub, f"/?lang={lang}") for lang in LANGUAGES]
    finally:
        await table.stop()

    outlines = [Outline() for _ in pages]
    for outline, page in zip(outlines, pages, strict=True):
        outline.feed(page)
    assert [[] for _ in pages] == [outline.faults for outline in outlines]
    assert all("101.5" in page and "an army was counted twice" in page for page in pages)
    assert ["bram", "anna", "cees"] == [
        {name: key for key, name in NAMES.items()}[one["name"]] for one in view["tournament"]["standings"]
    ]
    assert (2, 9) == (view["tournament"]["goes_on"]["fished"], view["tournament"]["goes_on"]["missing"])
