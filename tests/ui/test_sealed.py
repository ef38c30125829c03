"""The seal on the screen: to write down before, to check after."""

from __future__ import annotations

from typing import Any

import pytest

from companion.session.seal import Secret
from companion.ui.blocks import Text
from companion.ui.clock import Link
from companion.ui.desk import Desk
from companion.ui.screens.common import Scene
from companion.ui.screens.sealed import seal_lines
from companion.words import Words

SECRET = Secret(113, "7f3c1a90d2e84b56a1c07d9e42f8b365")
SEALED = {"seal": SECRET.seal, "armed_by": "clock", "lost": None, "minutes": None, "text": None}
SHORT = "57dc c26a d5be 2fa2"


def told(state: dict[str, Any]) -> list[str]:
    """The lines on the screen, in English."""
    scene = Scene(state=state, desk=Desk(lang="en"), link=Link(), now_s=0.0, words=Words("en", {}), atlas={})
    return [block.text for block in seal_lines(scene) if isinstance(block, Text)]


@pytest.mark.parametrize(
    ("state", "lines"),
    [
        ({}, []),
        ({"clock": {"public": True}}, []),
        ({"clock": {"public": False}, "sealed": []}, ["The organiser gives the signal."]),
        ({"sealed": [SEALED]}, [f"Seal of the length: {SHORT}. Write it down."]),
        (
            {"sealed": [SEALED | {"armed_by": "organiser"}]},
            [f"Seal of the length: {SHORT}. Write it down.", "The organiser gives the signal."],
        ),
        (
            {"sealed": [SEALED | {"lost": "altered"}]},
            ["The length can't be vouched for any more: the referee gives the signal."],
        ),
        ({"sealed": [SEALED], "tijd": {"at_ns": 1}}, ["The length is revealed when the last table has ended."]),
        (
            {"sealed": [SEALED | {"minutes": 113, "text": f"tijd 113 minutes {SECRET.salt}"}], "tijd": {"at_ns": 1}},
            [
                f"Sealed were 113 minutes. Check it yourself: sha256sum of «tijd 113 minutes {SECRET.salt}» "
                f"gives {SHORT}…"
            ],
        ),
    ],
)
def test_what_the_screen_says_of_the_length(state: dict[str, Any], lines: list[str]) -> None:
    """Nothing where it is known; the seal before, the proof after, and who rings where the clock does not."""
    assert lines == told(state)
