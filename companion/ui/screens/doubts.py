"""A throw that somebody does not believe: which, who, its pictures one by one, and both readings side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.ui.blocks import Block, Button, Buttons, DiceRow, DieFace, Do, Picture, Screen, Send, Text, Tone
from companion.ui.screens.common import Scene
from companion.ui.screens.throws import SIDES

LISTED = 8
"""Throws that one page offers."""


def which(scene: Scene) -> Screen:
    """The newest throws; those of this turn are for every seat, earlier ones for the referee."""
    recent: Sequence[Mapping[str, Any]] = scene.state.get("recent") or ()
    first = int(scene.desk.picks[0]) if scene.desk.picks else 0
    buttons = [_throw_button(scene, throw) for throw in recent[first : first + LISTED]]
    foot = [scene.back()]
    if first + LISTED < len(recent):
        foot.append(scene.open("dispute-throw", scene.say("ui.doubt-older"), first + LISTED, symbol="↓"))
    title = scene.say("ui.doubt-which") if buttons else scene.say("ui.doubt-none")
    return scene.screen(
        "dispute-throw",
        main=(Text(text=title, size="large"), Buttons(buttons=tuple(buttons), across=2, down_across=1)),
        foot=(Buttons(buttons=tuple(foot), across=len(foot), down_across=len(foot)),),
        menu=False,
    )


def _throw_button(scene: Scene, throw: Mapping[str, Any]) -> Button:
    text = scene.say("ui.doubt-throw", number=throw["id"], player=throw["player"])
    page = "disputed" if _dispute(scene, throw["id"]) else "dispute-who"
    note = _values(scene, throw) + ("" if throw.get("for_all") else f" · {scene.say('ui.with-pin')}")
    does = Do(verb="open", args=(page, throw["id"], 0))
    return Button(text=text, does=does, note=note, mark=scene.mark(throw["player"]))


def _values(scene: Scene, throw: Mapping[str, Any]) -> str:
    """The throw in a few signs: '6 5 ? – 4 2'."""
    sides = throw.get("sides") or {}
    shown = [" ".join(str(die.get("value") or "?") for die in sides[side]) for side in SIDES if sides.get(side)]
    return " – ".join(shown) or scene.say("value.nothing")


def who(scene: Scene) -> Screen:
    """The sheet of the throw, and a button for each seat: whoever presses does not believe it."""
    number = int(scene.desk.picks[0])
    throw = next((one for one in scene.state.get("recent") or () if one["id"] == number), None)
    if throw is None:
        return which(scene)
    sheets = [picture for picture in throw.get("pictures") or () if picture.get("kind") == "sheet"]
    shown = tuple(_picture(scene, sheet["evidence"]) for sheet in sheets)
    then = Do(verb="open", args=("disputed", number, 0))
    can = scene.can("dispute_throw") and scene.desk.sending is None
    seats = tuple(
        Button(
            text=scene.name(player["id"]),
            mark=scene.mark(player["id"]),
            symbol="⚑",
            does=Send(command="dispute_throw", args={"throw": number, "player": player["id"]}, then=then)
            if can
            else None,
        )
        for player in scene.players
    )
    asked = scene.say("ui.doubt-who")
    if not throw.get("for_all"):
        asked = scene.say("ui.doubt-earlier") + " " + asked
    told = scene.say("ui.doubt-throw", number=number, player=throw["player"])
    return scene.screen(
        "dispute-who",
        main=shown or (Text(text=scene.say("ui.no-picture"), tone="dim", centre=True, grow=1.0),),
        side=(
            Text(text=f"{told}: {_values(scene, throw)}", size="large"),
            Text(text=asked, tone="strong"),
            Buttons(buttons=seats, across=1, down_across=2),
        ),
        side_share=0.5,
        foot=(Buttons(buttons=(scene.back(),), across=1, down_across=1),),
        menu=False,
    )


def disputed(scene: Scene) -> Screen:
    """The stored pictures one by one, and what was read of them at the table and now."""
    number, at = int(scene.desk.picks[0]), int(scene.desk.picks[1])
    found = _dispute(scene, number)
    if found is None:
        return who(scene)
    pictures: Sequence[Mapping[str, Any]] = found.get("pictures") or ()
    at = max(0, min(at, len(pictures) - 1))
    main: list[Block] = []
    if pictures:
        told = scene.say("ui.picture-of", number=at + 1, all=len(pictures), kind=str(pictures[at].get("kind")))
        main += [_picture(scene, pictures[at]["evidence"]), Text(text=told, size="small", tone="dim", centre=True)]
    else:
        main.append(Text(text=scene.say("ui.no-picture"), tone="dim", centre=True, grow=1.0))
    return scene.screen(
        "disputed",
        main=main,
        side=_readings(scene, found),
        side_share=0.48,
        foot=(Buttons(buttons=_foot(scene, found, at, len(pictures)), across=4, down_across=2),),
        menu=False,
        moment=f"{number}-{at}-{len(found.get('again') or ())}",
    )


def _foot(scene: Scene, found: Mapping[str, Any], at: int, count: int) -> tuple[Button, ...]:
    number = found["throw"]

    def step(text: str, to: int, symbol: str) -> Button:
        does = Do(verb="open", args=("disputed", number, to)) if 0 <= to < count else None
        return Button(text=text, does=does, symbol=symbol)

    last = scene.open("reason", scene.say("ui.settle"), "settle_dispute", ("throw", number), symbol="⚖")
    if found.get("settled"):
        last = Button(text=scene.say("ui.settle"), does=None, symbol="⚖")
    elif not found.get("again"):
        then = Do(verb="open", args=("disputed", number, at))
        can = scene.can("read_again") and scene.desk.sending is None
        does = Send(command="read_again", args={"throw": number}, then=then) if can else None
        last = Button(text=scene.say("ui.doubt-read"), does=does, symbol="↻")
    return (
        scene.back(),
        step(scene.say("ui.step-back"), at - 1, "◀"),
        step(scene.say("ui.step-on"), at + 1, "▶"),
        last,
    )


def _readings(scene: Scene, found: Mapping[str, Any]) -> list[Block]:
    say = scene.say
    over = found.get("settled")
    title = (
        say("ui.throw-settled", number=found["throw"], reason=over["reason"])
        if over
        else say("ui.throw-disputed", number=found["throw"], players=list(found.get("players") or ()))
    )
    blocks: list[Block] = [Text(text=title, tone="dim" if over else "warn")]
    again = {str(one["side"]): one for one in found.get("again") or ()}
    first: Mapping[str, Any] = found.get("first") or {}
    # Attack and defence stand in one row, told apart by their colours: two rows are compared at a glance.
    then = tuple(face for side in SIDES for face in _faces(scene, first.get(side) or ()))
    now = tuple(face for side in SIDES if side in again for face in _faces(scene, again[side]["dice"]))
    if then:
        blocks.append(DiceRow(label=say("ui.doubt-then"), dice=then, grow=0.4))
    if now:
        blocks.append(DiceRow(label=say("ui.doubt-now"), dice=now, grow=0.4))
    if not again:
        blocks.append(Text(text=say("ui.doubt-waiting"), tone="dim"))
    else:
        is_same = all(one.get("same") for one in again.values())
        told = say("ui.doubt-same") if is_same else say("ui.doubt-differs")
        blocks.append(Text(text=told, size="large", tone="good" if is_same else "bad"))
    return blocks


def _faces(scene: Scene, dice: Sequence[Mapping[str, Any]]) -> tuple[DieFace, ...]:
    return tuple(_face(scene, die) for die in dice)


def _face(scene: Scene, die: Mapping[str, Any]) -> DieFace:
    verdict = str(die.get("verdict"))
    signs: Mapping[str, tuple[str, Tone]] = {"valid": ("✓", "good"), "unreadable": ("?", "bad"), "moving": ("?", "bad")}
    sign, tone = signs.get(verdict, ("✗", "bad"))
    word = scene.say(f"verdict.{verdict}")
    return DieFace(value=die.get("value"), colour=die.get("colour"), sign=sign, word=word, tone=tone)


def _picture(scene: Scene, evidence: str) -> Picture:
    return Picture(evidence=evidence, around_px=(), missing=scene.say("ui.no-picture"), grow=1.0)


def _dispute(scene: Scene, number: int) -> Mapping[str, Any] | None:
    return next((one for one in scene.state.get("disputes") or () if one["throw"] == number), None)
