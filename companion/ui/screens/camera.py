"""Setting up the camera: one button, five lines of what was measured, and what to put right first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.ui.blocks import LIVE, Block, Button, Buttons, Do, Picture, Screen, Send, Text, Tone
from companion.ui.screens.common import Scene

PLACES = ("top-left", "top-right", "bottom-right", "bottom-left")
"""Where the markers lie, in the order of the rig's ids."""

_BLIND = ("too-small", "dark", "saturated", "covered", "blank")
_OF_LINE: Mapping[str, tuple[str, ...]] = {
    "light": (*_BLIND, "too-dark", "too-bright", "uneven-light", "flicker", "glare"),
    "focus": (*_BLIND, "not-sharp"),
    "markers": (*_BLIND, "marker-missing", "camera-turned", "marker-off", "unsteady"),
    "scale": (*_BLIND, "print-off", "too-far"),
    "box": (*_BLIND, "no-colour", "not-empty"),
}
"""Which problems belong to which line."""

_NEEDED: Mapping[str, tuple[str, ...]] = {
    "light": ("paper",),
    "focus": ("edge_px",),
    "markers": ("error_px",),
    "scale": ("px_per_mm", "print_scale"),
    "box": ("px_per_mm",),
}
"""What must have been measured before a line can be called good."""


def set_up_camera(scene: Scene) -> tuple[Button, ...]:
    """The way to the page from where a game begins; it draws the eye until the camera is ready."""
    has_camera = (scene.state.get("rig") or {}).get("camera") not in {None, "none"}
    if not (has_camera and scene.can("calibrate")):
        return ()
    found = scene.state.get("calibration")
    tone: Tone = "plain" if found and found.get("ready") else "warn"
    note = "" if found and found.get("ready") else scene.say("ui.cal-not" if found else "ui.cal-none")
    return (scene.open("calibrate", scene.say("ui.calibrate"), symbol="◎", tone=tone, note=note),)


def calibrate(scene: Scene) -> Screen:
    """The camera as it sees the box now, what was measured last, and the button that measures anew."""
    found: Mapping[str, Any] = scene.state.get("calibration") or {}
    is_measuring = scene.desk.sending is not None and scene.desk.sending.command == "calibrate"
    title, tone = _title(scene, found, is_measuring=is_measuring)
    side: list[Block] = [Text(text=title, size="large", tone=tone, centre=True)]
    if found:
        side += [_line(scene, name, found) for name in ("focus", "light", "markers", "scale", "box")]
    else:
        steps = (scene.say("ui.cal-how-box"), scene.say("ui.cal-how-markers"), scene.say("ui.cal-how-press"))
        side += [Text(text=step) for step in steps]
    again = scene.say("ui.cal-again") if found else scene.say("ui.cal-measure")
    then = Do(verb="open", args=("calibrate",))
    does = Send(command="calibrate", then=then) if scene.can("calibrate") and scene.desk.sending is None else None
    measure = Button(text=again, does=does, tone="strong", symbol="◎")
    return scene.screen(
        "calibrate",
        main=(Picture(evidence=LIVE, around_px=(), missing=scene.say("ui.cal-no-picture"), grow=1.0),),
        side=side,
        side_share=0.5,
        side_first=True,
        foot=(
            *_to_do(scene, found, is_measuring=is_measuring),
            Buttons(buttons=(scene.back(), measure), across=2, down_across=2, tall=True),
        ),
        menu=False,
        moment="measuring" if is_measuring else str(found.get("at_ns", "")),
    )


def _title(scene: Scene, found: Mapping[str, Any], *, is_measuring: bool) -> tuple[str, Tone]:
    if is_measuring:
        return scene.say("ui.cal-measuring"), "warn"
    if not found:
        return scene.say("ui.cal-none"), "warn"
    if found.get("ready"):
        return "✓ " + scene.say("ui.cal-ready"), "good"
    return "✗ " + scene.say("ui.cal-not"), "bad"


def _to_do(scene: Scene, found: Mapping[str, Any], *, is_measuring: bool) -> list[Block]:
    """The one thing to do next, in a sentence; what comes after it is named shortly."""
    if is_measuring or not found:
        return []
    wrong = list(found.get("problems") or ())
    if not wrong:
        return [Text(text=scene.say("ui.cal-good"), tone="good")]
    return [Text(text=_told(scene, str(wrong[0]), found["measured"]), tone="strong")]


def _told(scene: Scene, code: str, measured: Mapping[str, Any]) -> str:
    """What stands in the way, and the way out."""
    values: dict[str, Any] = {}
    if code == "marker-missing":
        values["markers"] = [PLACES[marker] for marker in measured.get("missing") or () if marker < len(PLACES)]
    elif code == "print-off":
        values["percent"] = _percent(measured.get("print_scale"))
    elif code == "flicker":
        values["percent"] = _percent(measured.get("flicker"))
    return scene.say(f"rig.{code}", **values)


def _percent(share: float | None) -> str:
    return "–" if share is None else str(round(share * 100))


def _line(scene: Scene, name: str, found: Mapping[str, Any]) -> Text:
    """One line of what was measured, with whether it will do."""
    wrong = set(found.get("problems") or ())
    is_bad = bool(wrong & set(_OF_LINE[name]))
    measured: Mapping[str, Any] = found["measured"]
    told = _measured(scene, name, measured, wrong)
    if is_bad:
        return Text(text=f"✗ {told}", tone="bad")
    is_known = all(measured.get(key) is not None for key in _NEEDED[name])
    return Text(text=f"{'✓' if is_known else '–'} {told}", tone="plain" if is_known else "dim")


def _measured(scene: Scene, name: str, measured: Mapping[str, Any], wrong: set[Any]) -> str:
    say = scene.say
    if name == "focus":
        return say("ui.cal-focus", edge_px=measured.get("edge_px"))
    if name == "light":
        low, high = measured.get("paper") or (None, None)
        percent = _percent(measured.get("flicker"))
        return say("ui.cal-light", low=_whole(low), high=_whole(high), percent=percent)
    if name == "markers":
        seen, missing = (_list(measured, key) for key in ("markers", "missing"))
        all_ = len(seen) + len(missing)
        return say("ui.cal-markers", count=len(seen), all=all_, error_px=measured.get("error_px"))
    if name == "scale":
        percent = _percent(measured.get("print_scale"))
        return say("ui.cal-scale", px_per_mm=measured.get("px_per_mm"), percent=percent)
    if wrong & set(_BLIND) or measured.get("px_per_mm") is None:
        return say("ui.cal-unmeasured")
    if "no-colour" in wrong:
        return say("ui.cal-grey")
    return say("ui.cal-full") if "not-empty" in wrong else say("ui.cal-empty")


def _whole(level: float | None) -> int | None:
    return None if level is None else round(level)


def _list(measured: Mapping[str, Any], key: str) -> Sequence[Any]:
    return measured.get(key) or ()
