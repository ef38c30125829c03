"""The documentation tells of everything there is, and of nothing else."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import click
import msgspec
import pytest

from companion import cli
from companion.config.places import config_file
from companion.config.shapes import HubConfig, Shape, TableConfig, UiConfig

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"])


def keys_of(shape: type[Shape], before: tuple[str, ...] = ()) -> Iterator[tuple[str, msgspec.structs.FieldInfo]]:
    """Every key of a configuration file, dotted, with its field."""
    for spec in msgspec.structs.fields(shape):
        path = (*before, spec.name)
        if isinstance(spec.type, type) and issubclass(spec.type, Shape):
            yield from keys_of(spec.type, path)
        else:
            yield ".".join(path), spec


KEYS = {key: spec for shape in (TableConfig, UiConfig, HubConfig) for key, spec in keys_of(shape)}


def sections() -> dict[str, str]:
    """What docs/config.md says of each key."""
    text = (DOCS / "config.md").read_text(encoding="utf-8")
    found = re.findall(r'<a id="([\w-]+)"></a>\n#### `([\w.]+)`\n(.*?)(?=\n\n<a id|\n\n#|\Z)', text, re.DOTALL)
    for anchor, key, _ in found:
        assert key.replace(".", "-").replace("_", "-") == anchor
    return {key: section for _, key, section in found}


def test_every_key_is_explained_and_no_other() -> None:
    """docs/config.md has a section for each key of the three files, and none for a key that is gone."""
    assert set(KEYS) == set(sections())


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_told_with_its_range_and_default(key: str) -> None:
    """The page's range, choices and default are those of the program."""
    spec, section = KEYS[key], sections()[key]
    plain: Any = get_args(spec.type)[0] if get_args(spec.type) else spec.type
    meta = next((mark for mark in get_args(spec.type)[1:] if isinstance(mark, msgspec.Meta)), None)

    if meta is not None and meta.ge is not None:
        assert f"{meta.ge:g}..{meta.le:g}" in section
    if isinstance(plain, str):
        assert all(f'"{choice}"' in section or "As `" in section for choice in get_args(spec.type))
    if isinstance(spec.default, bool):
        assert f"default `{str(spec.default).lower()}`" in section
    elif isinstance(spec.default, int | float):
        assert f"default `{spec.default}`" in section.replace("\n", " ")
    elif isinstance(spec.default, str):
        assert f'default `"{spec.default}"`' in section.replace("\n", " ")


def test_the_usual_places_are_told() -> None:
    """The page names the files that the programs really read."""
    text = (DOCS / "config.md").read_text(encoding="utf-8")

    assert all(config_file(program).name in text for program in ("table", "ui", "hub"))


def anchors(page: Path) -> set[str]:
    """What a link into a page may point at: its own anchors and its headings, as GitHub makes them."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    made = {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
    return made | set(re.findall(r'<a id="([^"]+)">', text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link names a file that is there, and a place in it that is there."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            broken.append(target)

    assert [] == broken


def test_the_index_leads_to_every_page() -> None:
    """No page of docs/ is an orphan."""
    linked = set(re.findall(r"\]\(([\w.-]+\.md)", (DOCS / "index.md").read_text(encoding="utf-8")))

    assert {page.name for page in DOCS.glob("*.md")} - {"index.md"} == linked


def test_every_job_of_do_is_explained() -> None:
    """docs/do.md tells of each job that ./do lists, and of no other."""
    listed = subprocess.run([ROOT / "do"], capture_output=True, text=True, check=True).stdout
    jobs = set(re.findall(r"^\./do ([\w-]+)", listed, re.MULTILINE))
    told = set(re.findall(r"^## `\./do ([\w-]+)", (DOCS / "do.md").read_text(encoding="utf-8"), re.MULTILINE))

    assert jobs == told


def test_every_command_is_on_the_front_page() -> None:
    """The index names each command that this tree has."""
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    commands = cli.main.list_commands(click.Context(cli.main))

    assert [] == [name for name in commands if f"`companion {name}`" not in text]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_hold_nothing_of_one_machine(page: Path) -> None:
    """No page speaks of paths of the machine on which it was written."""
    assert [] == re.findall(r"/root/|/home/\w|/var/tmp", page.read_text(encoding="utf-8"))
