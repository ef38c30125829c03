"""The whole screen as a function of the table's state and the screen's own memory; no window is needed for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companion.rules.missions import mission_cards
from companion.ui.asking import asked
from companion.ui.blocks import Screen
from companion.ui.charts import atlas, board_of
from companion.ui.clock import Link
from companion.ui.desk import Desk
from companion.ui.screens import about, board, claims, ending, menu, pads, playing, seating, setup, signal, start
from companion.ui.screens.common import Scene
from companion.words import Words

PHASES: Mapping[str, Callable[[Scene], Screen]] = {
    "idle": start.idle,
    "seating": seating.seating,
    "ready": seating.ready,
    "playing": playing.playing,
    "frozen": board.frozen,
    "scored": ending.scored,
    "closed": ending.closed,
}

PAGES: Mapping[str, tuple[Callable[[Scene], Screen], frozenset[str]]] = {
    "menu": (menu.menu, frozenset(PHASES)),
    "picture": (menu.evidence, frozenset({"playing", "frozen", "scored"})),
    "sure": (menu.sure, frozenset({"playing"})),
    "reason": (menu.reason, frozenset({"playing", "frozen", "scored"})),
    "add-time": (menu.add_time, frozenset({"playing"})),
    "pin": (pads.pin, frozenset(PHASES)),
    "dice": (pads.dice, frozenset({"playing"})),
    "correct": (pads.correct, frozenset({"playing"})),
    "start-die": (pads.start_die, frozenset({"seating"})),
    "claim": (claims.claim, frozenset({"playing"})),
    "out": (claims.out, frozenset({"playing"})),
    "health": (about.health, frozenset(PHASES)),
    "lang": (about.lang, frozenset(PHASES)),
    "setup-system": (setup.setup_system, frozenset({"idle", "closed"})),
    "setup": (setup.setup, frozenset({"idle", "closed"})),
    "setup-rules": (setup.setup_rules, frozenset({"idle", "closed"})),
    "setup-option": (setup.setup_option, frozenset({"idle", "closed"})),
    "dispute": (ending.dispute, frozenset({"scored"})),
    "rule": (ending.rule, frozenset({"scored"})),
}
"""Pages that lie over a phase's own screen, with the phases in which they make sense: a page that the game has left
behind goes away by itself, so that nobody claims a mission on a frozen board."""


def view(state: Mapping[str, Any], desk: Desk, link: Link, now_s: float) -> Screen:
    """The screen to show.

    Args:
        state: `GET /v1/state`; empty while the table has not answered.
        desk: The screen's own memory.
        link: How well the table is heard, with its clock.
        now_s: Monotonic seconds.
    """
    names = {player["id"]: player.get("name") or player["id"] for player in state.get("players") or ()}
    scene = Scene(
        state=state,
        desk=desk,
        link=link,
        now_s=now_s,
        words=Words(desk.lang, names),
        atlas=atlas(board_of(state)),
        board=board_of(state),
        cards=tuple(mission_cards()),
        asked=asked(state, desk.draft, atlas(board_of(state))) if state.get("phase") == "frozen" else None,
    )
    phase = str(state.get("phase"))
    if phase not in PHASES:
        return about.unheard(scene)
    if desk.page in PAGES and not signal.signal_unread(scene):
        page, phases = PAGES[desk.page]
        if phase in phases:
            return page(scene)
    return PHASES[phase](scene)
