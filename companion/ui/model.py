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
from companion.ui.screens import (
    about,
    acts,
    agreement,
    board,
    camera,
    claims,
    doubts,
    ending,
    menu,
    pads,
    panel,
    playing,
    referee,
    seating,
    setup,
    signal,
    start,
)
from companion.ui.screens.common import Scene
from companion.words import Words

PHASES: Mapping[str, Callable[[Scene], Screen]] = {
    "idle": start.idle,
    "seating": seating.seating,
    "ready": seating.ready,
    "playing": playing.playing,
    "finishing": playing.playing,
    "frozen": board.frozen,
    "scored": ending.scored,
    "closed": ending.closed,
}

_PLAY = frozenset({"playing", "finishing"})
_BOARD = _PLAY | {"frozen"}
_FREE = frozenset({"idle", "closed"})

PAGES: Mapping[str, tuple[Callable[[Scene], Screen], frozenset[str]]] = {
    "menu": (menu.menu, frozenset(PHASES)),
    "referee": (referee.referee, frozenset(PHASES)),
    "act": (acts.act, frozenset(PHASES)),
    "undo": (menu.undo, _PLAY),
    "picture": (menu.evidence, _BOARD | {"scored"}),
    "sure": (menu.sure, _BOARD),
    "reason": (menu.reason, _BOARD | {"scored", "closed"}),
    "add-time": (menu.add_time, frozenset({"playing"})),
    "pin": (pads.pin, frozenset(PHASES)),
    "dice": (pads.dice, _PLAY),
    "correct": (pads.correct, _BOARD),
    pads.BY_REFEREE: (pads.correct, _BOARD),
    "start-die": (pads.start_die, frozenset({"seating"})),
    "claim": (claims.claim, _BOARD),
    "out": (claims.out, _BOARD),
    "health": (about.health, frozenset(PHASES)),
    "panel": (panel.panel, frozenset(PHASES)),
    "lang": (about.lang, frozenset(PHASES)),
    "setup-system": (setup.setup_system, _FREE),
    "setup": (setup.setup, _FREE),
    "setup-rules": (setup.setup_rules, _FREE),
    "setup-option": (setup.setup_option, _FREE),
    "calibrate": (camera.calibrate, frozenset(PHASES)),
    "dispute-throw": (doubts.which, _BOARD | {"scored"}),
    "dispute-who": (doubts.who, _BOARD | {"scored"}),
    "disputed": (doubts.disputed, _BOARD | {"scored"}),
    "dispute": (ending.dispute, frozenset({"scored"})),
    "rule": (ending.rule, frozenset({"scored", "closed"})),
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
        pages=frozenset(name for name, (_, phases) in PAGES.items() if state.get("phase") in phases),
    )
    phase = str(state.get("phase"))
    if phase not in PHASES:
        return about.unheard(scene)
    if signal.signal_unread(scene):
        return signal.signal(scene)
    if desk.page in PAGES and phase in PAGES[desk.page][1]:
        return PAGES[desk.page][0](scene)
    if state.get("agreement") and phase in _BOARD:
        return agreement.agreement(scene)
    return PHASES[phase](scene)
