"""The simulator's page tells of every verb."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from companion.sim import clips
from companion.sim.box import SimBox
from companion.sim.camera import SimCamera
from companion.sim.drivers import SimPower
from companion.sim.layouts import KINDS
from companion.sim.panel import SimButton

PAGE = (Path(__file__).parents[2] / "docs/sim.md").read_text(encoding="utf-8")
PORT = {"name", "read", "close", "reopen", "picture", "lose_power", "gain_power"}


@pytest.mark.parametrize("kind", [SimBox, SimCamera, SimButton, SimPower])
def test_every_verb_is_told(kind: type) -> None:
    """What can be done to a simulated part stands on its page."""
    verbs = {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")} - PORT

    assert set() == {verb for verb in verbs if not re.search(rf"\.{verb}\(", PAGE)}


def test_every_kind_of_example_is_told() -> None:
    """The kinds of scenes and of clips stand on the page."""
    assert set() == {kind for kind in (*KINDS, *clips.KINDS) if f"`{kind}`" not in PAGE}


def test_the_pages_example_runs() -> None:
    """The first thing that the page shows works as it stands."""
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    rig: dict[str, object] = {}

    exec(example, rig)  # noqa: S102 - the page's own lines

    assert "frame" in rig
