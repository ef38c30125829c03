"""The world outside a simulated rig, as verbs over HTTP: who throws, presses and covers when nobody is there.

It is there only when a driver of the rig is "sim", and only on the screen's socket: the demonstration, practice on a Pi
and the tests drive the same program that runs at a real table, which can't tell the difference. Whatever is done here
reaches the table through camera and panel alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec
from aiohttp import web

from companion.hw.ports import RigError
from companion.lan.problems import Problem
from companion.sim.drivers import SimRig

RIG = web.AppKey("rig", SimRig)


class Throw(msgspec.Struct, tag_field="verb", tag="throw", forbid_unknown_fields=True):
    """Throw dice into the box."""

    values: list[int]
    side: Literal["attack", "defence"] = "attack"
    cocked: list[int] = []
    stacked: list[int] = []
    off_box: list[int] = []
    not_rolled: list[int] = []
    in_ms: float = 0.0


class Lift(msgspec.Struct, tag_field="verb", tag="lift", forbid_unknown_fields=True):
    """Take all dice out of the box."""

    in_ms: float = 0.0


class Press(msgspec.Struct, tag_field="verb", tag="press", forbid_unknown_fields=True):
    """Press a button of the panel."""

    button: str
    ms: int = 120


class Cover(msgspec.Struct, tag_field="verb", tag="cover", forbid_unknown_fields=True):
    """Put something over the lens, or take it away."""

    covered: bool = True


class Plug(msgspec.Struct, tag_field="verb", tag="plug", forbid_unknown_fields=True):
    """Pull the camera's plug, or put it in again."""

    plugged: bool


Verb = Throw | Lift | Press | Cover | Plug


def add_practice(app: web.Application, rig: SimRig) -> None:
    """Serve the verbs under `POST /v1/practice` and the panel's outputs under `GET /v1/practice`."""
    app[RIG] = rig
    app.add_routes([web.post("/v1/practice", _do), web.get("/v1/practice", _panel)])


async def _do(request: web.Request) -> web.Response:
    rig = request.app[RIG]
    try:
        verb: Verb = msgspec.json.decode(await request.read(), type=Verb)
    except msgspec.MsgspecError as error:
        raise Problem("malformed-body", f"no verb of the simulated rig: {error}", {}, status=400) from error
    try:
        answer = _ACTS[type(verb)](rig, verb)
    except (RigError, ValueError) as error:
        raise Problem("practice-refused", str(error), {}, status=422) from error
    return web.Response(body=msgspec.json.encode(answer), content_type="application/json")


def _throw(rig: SimRig, verb: Throw) -> dict[str, Any]:
    thrown = rig.box.throw(
        verb.values,
        side=verb.side,
        cocked=set(verb.cocked),
        stacked=set(verb.stacked),
        off_box=set(verb.off_box),
        not_rolled=set(verb.not_rolled),
        in_ms=verb.in_ms,
    )
    truth = [{"value": die.value, "verdict": die.verdict} for die in thrown.dice]
    return {"start_ns": thrown.start_ns, "settled_ns": thrown.settled_ns, "dice": truth}


def _lift(rig: SimRig, verb: Lift) -> dict[str, Any]:
    return {"gone_ns": rig.box.lift(in_ms=verb.in_ms)}


def _press(rig: SimRig, verb: Press) -> dict[str, Any]:
    rig.button(verb.button).press(ms=verb.ms)
    return {}


def _cover(rig: SimRig, verb: Cover) -> dict[str, Any]:
    if verb.covered:
        rig.camera.cover()
    else:
        rig.camera.uncover()
    return {}


def _plug(rig: SimRig, verb: Plug) -> dict[str, Any]:
    if verb.plugged:
        rig.camera.plug()
    else:
        rig.camera.unplug()
    return {}


_ACTS: dict[type, Callable[[SimRig, Any], dict[str, Any]]] = {
    Throw: _throw,
    Lift: _lift,
    Press: _press,
    Cover: _cover,
    Plug: _plug,
}


async def _panel(request: web.Request) -> web.Response:
    panel = request.app[RIG].panel
    answer = {"lamps": {name: lamp.is_on for name, lamp in panel.lamps.items()}, "buzzer": panel.sound.is_on}
    return web.Response(body=msgspec.json.encode(answer), content_type="application/json")
