"""States of a table whose camera is set up, and whose throws are doubted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from companion.sim.clock import ManualClock
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings
from companion.ui.blocks import LIVE
from companion.ui.desk import Desk
from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings
from companion.vision.sheet import sheet
from tests.ui import states

SHEET, FRAME = "5" * 64, "6" * 64
"""Stand for the sheet and the whole picture of the throw that the pictures show."""

MEASURED = {
    "markers": [0, 1, 2, 3], "missing": [], "error_px": 0.1, "px_per_mm": 2.37, "print_scale": 0.998, "edge_px": 1.1,
    "paper": [150.1, 221.3], "floor": 50.0, "flicker": 0.01, "glare_mm2": 0.0, "shake_px": 0.1, "bodies": 0,
}  # fmt: skip


def measured(*problems: str, **more: Any) -> dict[str, Any]:
    """A free table whose camera was measured."""
    found = {
        "ready": not problems, "problems": list(problems), "measured": MEASURED | more, "evidence": None, "at_ns": 7,
    }  # fmt: skip
    return states.idle() | {"calibration": found, "may": [*states.MAY["idle"], "calibrate"]}


def unmeasured() -> dict[str, Any]:
    """A free table whose camera was never measured."""
    return states.idle() | {"calibration": None, "may": [*states.MAY["idle"], "calibrate"]}


def die(value: int | None, verdict: str = "valid", colour: str = "red") -> dict[str, Any]:
    """One die, short."""
    return {"value": value, "verdict": verdict, "colour": colour, "why": None}


def picture(kind: str, at_ns: int = 5) -> dict[str, Any]:
    """One stored picture."""
    evidence = SHEET if kind == "sheet" else FRAME
    return {"evidence": evidence, "kind": kind, "at_ns": at_ns, "side": "attack"}


def thrown(number: int, *, for_all: bool = True) -> dict[str, Any]:
    """One throw of the list."""
    sides = {"attack": [die(6), die(4), die(None, "cocked")], "defence": [die(5, colour="blue")]}
    return {
        "id": number, "player": "p1", "turn": 4 if for_all else 3, "for_all": for_all, "state": "ruled", "sides": sides,
        "pictures": [picture("sheet")],
    }  # fmt: skip


def doubted(**more: Any) -> dict[str, Any]:
    """A throw that Bram does not believe, read again with the same outcome."""
    first = {"attack": [die(6), die(4), die(None, "cocked")], "defence": [die(5, colour="blue")]}
    again = [
        {"side": side, "evidence": states.EVIDENCE, "same": True, "software": "0.1.0", "dice": dice}
        for side, dice in first.items()
    ]
    dispute = {
        "throw": 17, "players": ["p2"], "since_ns": 5, "settled": None,
        "pictures": [picture("sheet"), picture("frame"), *(picture("film", at) for at in range(20))],
        "first": first, "again": again,
    } | more  # fmt: skip
    may = [*states.MAY["playing"], "dispute_throw", "read_again"]
    return states.cocked() | {
        "recent": [thrown(number, for_all=number > 15) for number in range(17, 0, -1)],
        "disputes": [dispute],
        "may": may,
        "may_referee": [*may, *states.REFEREE["playing"], "settle_dispute"],
    }


def differs() -> dict[str, Any]:
    """The second reading says something else."""
    state = doubted()
    attack = state["disputes"][0]["again"][0]
    attack["same"], attack["dice"] = False, [die(6), die(5), die(None, "unreadable")]
    return state


@cache
def pictures() -> dict[str, Any]:
    """What the screens show: the empty box as it is seen now, a throw, and the throw's sheet."""
    rig = SimRig(SimSettings(seed=4), ManualClock())
    empty = rig.camera.picture(0)
    landed = rig.box.throw([6, 4, 2], cocked={2})
    image = rig.camera.picture(landed.settled_ns)
    reader = BoxReader(ReaderSettings())
    reading = reader.read(image, look_outside=False)
    assert reader.tray is not None
    return {LIVE: empty, FRAME: image, SHEET: sheet(image, reading, reader.tray).image}


def screens(desk: Desk) -> Iterator[tuple[str, dict[str, Any], Desk]]:
    """Every screen of the camera's care and of doubts."""
    camera = replace(desk, page="calibrate")
    yield "calibrate-none", unmeasured(), camera
    yield "calibrate-ready", measured(), camera
    yield "calibrate-not", measured("print-off", "glare", print_scale=0.97), camera
    missing = {"markers": [0, 1], "missing": [2, 3], "print_scale": None, "paper": None, "edge_px": None}
    yield "calibrate-markers", measured("marker-missing", **missing), camera
    yield "dispute-throw", doubted(), replace(desk, page="dispute-throw")
    yield "dispute-who", doubted(disputes=[]) | {"disputes": []}, replace(desk, page="dispute-who", picks=(17, 0))
    yield "disputed", doubted(), replace(desk, page="disputed", picks=(17, 0))
    yield "disputed-differs", differs(), replace(desk, page="disputed", picks=(17, 1))
