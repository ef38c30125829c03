"""The game: the clock, whose turn it is, what lies in the box, and the few presses that a game needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.ui.blocks import Block, Button, Buttons, Screen, Send, Size, Space, Text, Tone
from companion.ui.clock import since_ms
from companion.ui.screens.common import Scene
from companion.ui.screens.menu import COMBAT_ENDS, claim_text, turn_limits
from companion.ui.screens.sealed import seal_lines
from companion.ui.screens.throws import SIDES, moment, picture, throw_blocks
from companion.words import duration

MOST_BY_SIDE = {"attack": 3, "defence": 3}
SOON_MS = 5 * 60_000
"""Game time from which the clock draws the eye."""


def playing(scene: Scene) -> Screen:
    """The screen of a running game."""
    finishing = scene.state.get("phase") == "finishing"
    time = _finishing(scene) if finishing else _clock(scene)
    side: list[Block] = [*time, *_turn(scene), picture(scene) or Space(), _allowed(scene)]
    return scene.screen(
        "finishing" if finishing else "playing",
        main=throw_blocks(scene),
        side=side,
        foot=(_finishing_foot(scene) if finishing else _foot(scene),),
        alarm=finishing,
        side_share=0.4,
        side_first=True,
        moment=moment(scene.state.get("throw")),
        clock_in_head=False,
        menu=False,
    )


def _clock(scene: Scene) -> list[Block]:
    clock = scene.clock
    if clock is None:
        return [Text(text=scene.say("ui.clock-unknown"), tone="warn")]
    if clock.paused is not None:
        standing: list[Block] = [Text(text=scene.say("ui.paused"), size="large", tone="warn", centre=True)]
        if clock.remaining_ms is not None:
            standing.append(Text(text=duration(clock.remaining_ms), size="clock", tone="dim", centre=True))
        standing.append(
            Buttons(buttons=(scene.ask("resume_clock", scene.say("ui.resume"), symbol="▶"),), across=1, down_across=1)
        )
        recovered = scene.state.get("recovered") or {}
        if clock.paused == "power" and recovered.get("away_ms") is not None:
            # The default is the pause: that the time away counts is for people to say.
            counted = scene.ask("resume_clock", scene.say("ui.resume-counted"), symbol="▶", away_counts=True)
            standing.append(Buttons(buttons=(counted,), across=1, down_across=1))
        return standing
    blocks: list[Block] = []
    if clock.remaining_ms is None:
        blocks.append(Text(text=scene.say("ui.clock-secret"), size="large", centre=True))
        blocks += seal_lines(scene)
    else:
        tone: Tone = "warn" if clock.remaining_ms <= SOON_MS else "strong"
        if scene.link.silent_s(scene.now_s) is not None:
            tone = "dim"
        blocks.append(Text(text=duration(clock.remaining_ms), size="clock", tone=tone, centre=True))
    if clock.attack_remaining_ms is not None:
        over = clock.attack_remaining_ms <= 0
        told = scene.say("ui.attack-over") if over else scene.say("ui.attack-left", left_ms=clock.attack_remaining_ms)
        blocks.append(Text(text=told, tone="bad" if over else "warn", centre=True))
    elif clock.is_last_phase:
        blocks.append(Text(text=scene.say("ui.last-phase"), tone="warn", centre=True))
    return blocks


def _turn(scene: Scene) -> list[Block]:
    turn = scene.state.get("turn") or {}
    if not turn.get("player"):
        return []
    size: Size = "large"
    told = scene.say("ui.turn", player=turn["player"])
    return [Text(text=told, size=size, tone="strong", mark=scene.mark(turn["player"])), *_turn_clock(scene, turn)]


def _turn_clock(scene: Scene, turn: Mapping[str, Any]) -> list[Block]:
    """How long the turn lasts, where a player asked and the rules have something to say of it.

    Source:
        risiko 20: a minute to the first attack, three in all; the referee, not the clock, punishes.
    """
    limits, started_ms = turn_limits(scene), turn.get("started_ms")
    if not scene.desk.turn_clock or limits is None or started_ms is None:
        return []
    gone_ms = since_ms(scene.link, scene.now_s, started_ms)
    if gone_ms is None:
        return []
    most_s = limits["reflection"] if turn.get("attack_started_ms") is None else limits["total"]
    tone: Tone = "warn" if gone_ms > most_s * 1000 else "plain"
    return [Text(text=scene.say("ui.turn-clock-is", gone_ms=gone_ms, most_ms=most_s * 1000), tone=tone, centre=True)]


def _allowed(scene: Scene) -> Buttons:
    """How many dice each side may throw: one tap, before or after the throw."""
    set_now = scene.state.get("allowed") or {}
    buttons = []
    for side in SIDES:
        most = 2 if side == "defence" and scene.state.get("system") != "risiko" else MOST_BY_SIDE[side]
        for count in range(1, most + 1):
            wanted = {**{name: set_now.get(name) for name in SIDES}, side: count}
            chosen = set_now.get(side) == count
            # A second tap on the number that is set takes it back: then the table takes what lies there.
            wanted[side] = None if chosen else count
            can = scene.can("set_allowed") and scene.desk.sending is None
            buttons.append(
                Button(
                    text=str(count),
                    note=scene.say(f"ui.{side}-short"),
                    does=Send(command="set_allowed", args=wanted) if can else None,
                    chosen=chosen,
                )
            )
    return Buttons(buttons=tuple(buttons), across=len(buttons), down_across=len(buttons), label=scene.say("ui.allowed"))


def _finishing(scene: Scene) -> list[Block]:
    """The game is over but for this: said where the clock stood, as large as the clock was."""
    say = scene.say
    what = "throw" if (scene.state.get("finish") or {}).get("what") == "throw" else "combat"
    return [
        Text(text=say("ui.tijd"), size="huge", tone="strong", centre=True),
        Text(text=say(f"ui.finish.{what}"), size="large", tone="strong", centre=True),
        Text(text=say("ui.finish-no-more"), tone="warn", centre=True),
    ]


def _finishing_foot(scene: Scene) -> Buttons:
    """How the combat ends, and whom to ask."""
    say = scene.say
    return Buttons(
        buttons=(
            *(
                scene.ask("stop_attack", say(f"ui.combat-ends.{why}"), symbol=sign, why=why)
                for why, sign in COMBAT_ENDS
            ),
            scene.ask("call_referee", say("ui.call-referee"), tone="warn", symbol="⚑"),
            scene.open("menu", say("ui.more"), symbol="☰"),
        ),
        across=5,
        down_across=2,
    )


def _foot(scene: Scene) -> Buttons:
    return Buttons(
        buttons=(
            _next_turn(scene),
            _against(scene) or scene.open("claim", claim_text(scene), symbol="★"),
            scene.open("out", scene.say("ui.out"), symbol="✗"),
            scene.ask("call_referee", scene.say("ui.call-referee"), tone="warn", symbol="⚑"),
            scene.open("menu", scene.say("ui.more"), symbol="☰"),
        ),
        across=5,
        down_across=2,
    )


def _against(scene: Scene) -> Button | None:
    """What the attack goes against, where there is more than one thing: a tap takes the next one."""
    context = scene.state.get("context") or {}
    choices = list(context.get("choices") or ())
    if len(choices) < 2 or not scene.can("set_context"):
        return None
    now = str(context.get("against") or choices[0])
    following = choices[(choices.index(now) + 1) % len(choices)] if now in choices else choices[0]
    text = scene.say("ui.against", against=now)
    note = scene.say("ui.tap-for", against=following)
    ask = scene.ask("set_context", text, against=following)
    return Button(text=text, note=note, does=ask.does, symbol="⚔", chosen=now != choices[0])


def _next_turn(scene: Scene) -> Button:
    """Ends the turn; the next player's own button does the same."""
    alive = [player["id"] for player in scene.alive]
    now = (scene.state.get("turn") or {}).get("player")
    follower = alive[(alive.index(now) + 1) % len(alive)] if now in alive else None
    text = scene.say("ui.next-turn", player=follower) if follower else scene.say("ui.next-turn-any")
    return scene.ask("end_turn", text, symbol="▶")
