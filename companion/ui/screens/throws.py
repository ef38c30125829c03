"""The newest throw as blocks: dice with their verdicts, the ruling in sentences, the picture it was read from.

Each verdict is told three ways at once, by a sign, a word and a colour, because a hall is dim and one man in twelve
does not see red from green.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.ui.blocks import Block, Button, Buttons, DiceRow, DieFace, Do, Picture, Send, Text, Tone
from companion.ui.screens.common import Scene

SIDES = ("attack", "defence")

_FATE_SIGNS: Mapping[str, tuple[str, Tone]] = {
    "counted": ("✓", "good"),
    "standing": ("✓", "good"),
    "reroll": ("↻", "warn"),
    "dropped": ("✗", "dim"),
    "void": ("✗", "bad"),
}
_UNSURE: tuple[str, Tone] = ("?", "bad")


def face(scene: Scene, die: Mapping[str, Any], *, does: Do | Send | None = None, chosen: bool = False) -> DieFace:
    """One die; a value shows only where the reader vouches for it."""
    verdict, fate = str(die.get("verdict")), str(die.get("fate"))
    value = die.get("value")
    unsure = value is None and verdict in {"valid", "unreadable", "moving"}
    sign, tone = _UNSURE if unsure or fate not in _FATE_SIGNS else _FATE_SIGNS[fate]
    if unsure:
        word = scene.say("verdict.moving" if verdict == "moving" else "verdict.unreadable")
    elif verdict == "valid":
        word = scene.say(f"fate.{fate}") if fate in _FATE_SIGNS else scene.say("verdict.valid")
    else:
        word = scene.say(f"verdict.{verdict}")
    return DieFace(value=value, colour=die.get("colour"), sign=sign, word=word, tone=tone, does=does, chosen=chosen)


def sides(throw: Mapping[str, Any] | None) -> list[tuple[str, Mapping[str, Any]]]:
    """The sides of a throw that have dice, attack first."""
    by_side = (throw or {}).get("sides") or {}
    return [(side, by_side[side]) for side in SIDES if by_side.get(side)]


def moment(throw: Mapping[str, Any] | None) -> str:
    """Which throw this is and how far it has come."""
    if not throw:
        return ""
    lying = "".join(f"-{side}{len(ruling.get('dice') or ())}{ruling.get('action')}" for side, ruling in sides(throw))
    return f"throw{throw['id']}{lying}-{throw.get('state')}"


def throw_blocks(scene: Scene) -> list[Block]:
    """The newest throw, or what is awaited when there is none."""
    throw = scene.state.get("throw")
    blocks: list[Block] = [_heading(scene, throw)]
    shown = sides(throw)
    for side, ruling in shown:
        dice = tuple(face(scene, die, does=_back_on(scene, side, die)) for die in ruling.get("dice") or ())
        dice += _fell(scene, throw, side, len(dice))
        blocks.append(DiceRow(label=scene.say(f"side.{side}"), dice=dice, grow=1.0))
        blocks.append(Text(text=" ".join(scene.words.throw(side, ruling)), tone=_tone(ruling), grow=0.7))
        if ruling.get("action") == "referee" and scene.can("enter_dice"):
            blocks.append(Buttons(buttons=(_say_what_lies(scene, side, ruling),), across=1, down_across=1))
    if len(shown) < len(SIDES):
        waits = all(ruling.get("action") == "accept" for _, ruling in shown)
        if waits and (scene.clock is None or scene.clock.paused is None):
            awaited = _awaited(scene, throw, bool(shown))
            blocks.append(Text(text=awaited, size="body" if shown else "large", tone="dim", grow=0.5))
    blocks += _warned(scene, throw)
    if len(shown) == len(SIDES) and throw and throw.get("losses"):
        blocks.append(Text(text=_losses_told(scene, throw["losses"]), size="large", tone="strong"))
    return blocks


def _warned(scene: Scene, throw: Mapping[str, Any] | None) -> list[Block]:
    """What is odd about the numbers of dice, and rebels that a triple made."""
    told = throw or {}
    blocks: list[Block] = [Text(text=scene.words.reason(r), tone="warn", grow=0.3) for r in told.get("warnings") or ()]
    rebels = told.get("rebels")
    if rebels and rebels.get("ask"):
        key = scene.say("ui.rebels-ask", pips=rebels.get("face"))
        blocks.append(Buttons(buttons=(scene.open("act", key, "tell-rebels", tone="strong"),), across=1, down_across=1))
    elif rebels and rebels.get("rebels") is not None:
        blocks.append(Text(text=scene.say("ui.rebels-came", n=rebels["rebels"], pips=rebels.get("face")), tone="warn"))
    return blocks


FALLEN_MOST = 3


def _fallen(scene: Scene, side: str) -> int:
    return int((scene.state.get("fallen") or {}).get(side) or 0)


def _say_fallen(scene: Scene, side: str, count: int) -> Send | None:
    if not scene.can("say_fallen") or scene.desk.sending is not None:
        return None
    return Send(command="say_fallen", args={"side": side, "count": count})


def _fell(scene: Scene, throw: Mapping[str, Any] | None, side: str, lying: int) -> tuple[DieFace, ...]:
    """One place more in the row, to tap when a die fell where no camera looks."""
    is_open = bool(throw) and (throw or {}).get("state") not in {"accepted", "annulled"}
    if not is_open or not scene.can("say_fallen") or lying >= MOST_IN_A_ROW or _fallen(scene, side) >= FALLEN_MOST:
        return ()
    does = _say_fallen(scene, side, _fallen(scene, side) + 1)
    return (DieFace(colour=None, sign="", word=scene.say("ui.one-fell"), tone="dim", does=does, ghost="↓"),)


MOST_IN_A_ROW = 4
"""Dice of one side beyond which there is no room for another place."""


def _back_on(scene: Scene, side: str, die: Mapping[str, Any]) -> Send | None:
    """A die that was said to have fallen and had not: a tap takes it back."""
    return _say_fallen(scene, side, _fallen(scene, side) - 1) if die.get("verdict") == "fallen" else None


def _say_what_lies(scene: Scene, side: str, ruling: Mapping[str, Any]) -> Button:
    """The press that is expected where the reader is not sure."""
    vouched = [die["value"] for die in ruling.get("dice") or () if die.get("value") and die.get("verdict") == "valid"]
    does = Do(verb="say-dice", args=(side, *vouched))
    return Button(text=scene.say("ui.say-what-lies"), symbol="⚄", tone="strong", does=does)


def _tone(ruling: Mapping[str, Any]) -> Tone:
    tones: Mapping[str, Tone] = {"reroll_some": "warn", "rethrow_all": "warn", "referee": "bad"}
    return tones.get(str(ruling.get("action")), "plain")


def _heading(scene: Scene, throw: Mapping[str, Any] | None) -> Text:
    if not throw:
        return Text(text=scene.say("ui.no-throw-yet"), size="large", tone="dim")
    told = scene.say("ui.throw-of", number=throw["id"], player=throw["player"])
    if not throw.get("called"):
        told += " · " + scene.say("ui.uncalled")
    step = str(throw.get("state"))
    tone: Tone = "plain"
    if step == "annulled":
        told = scene.say("ui.throw-annulled", number=throw["id"], why_annulled=str(throw.get("why") or "referee"))
        tone = "bad"
    elif step == "accepted":
        told += " · " + scene.say("ui.accepted")
    return Text(text=told, tone=tone, mark=scene.mark(throw["player"]))


def _awaited(scene: Scene, throw: Mapping[str, Any] | None, lies: bool) -> str:
    step = str((throw or {}).get("state"))
    if step == "called":
        return scene.say("ui.await-called")
    if step == "rolling":
        return scene.say("ui.await-rest")
    if step == "ruled" and lies:
        return scene.say("ui.await-defence")
    return scene.say("ui.await-throw")


def _losses_told(scene: Scene, losses: Mapping[str, Any]) -> str:
    return scene.say("ui.losses", attacker=losses.get("attacker", "–"), defender=losses.get("defender", "–"))


def doubts(scene: Scene) -> list[Text]:
    """For each die that is not plainly good, what was measured and what stood in the way."""
    told = []
    for side, ruling in sides(scene.state.get("throw")):
        for place, die in enumerate(ruling.get("dice") or (), start=1):
            if die.get("why"):
                lean = die.get("lean_deg")
                key = "ui.die-why" if lean is None else "ui.die-lean"
                values = {"side": side, "place": place, "verdict": die.get("verdict"), "why": die["why"]}
                if lean is not None:
                    values["lean_deg"] = float(lean)
                told.append(Text(text=scene.say(key, **values), tone="warn"))
    return told


def picture(scene: Scene, *, grow: float = 1.0) -> Picture | None:
    """The newest picture of the throw with the dice in it, or None where it was entered by hand."""
    for _, ruling in reversed(sides(scene.state.get("throw"))):
        if ruling.get("evidence"):
            boxes = tuple(tuple(die["box_px"]) for die in ruling.get("dice") or () if die.get("box_px"))
            return Picture(
                evidence=str(ruling["evidence"]), around_px=boxes, missing=scene.say("ui.no-picture"), grow=grow
            )
    return None
