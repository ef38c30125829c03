"""What is needed now and then: corrections, the referee's acts, and one more question before what cannot be undone."""

from __future__ import annotations

from companion.ui.blocks import Button, Buttons, Do, Screen, Text
from companion.ui.screens.common import Scene
from companion.ui.screens.throws import doubts, picture, sides


def menu(scene: Scene) -> Screen:
    """Everything that is needed now and then: dice by hand, corrections, the referee's acts, health, language."""
    say = scene.say
    throw = scene.state.get("throw")
    buttons: list[Button] = []
    if scene.can("enter_dice"):
        buttons.append(scene.open("dice", say("ui.enter-dice"), symbol="⚄"))
    if scene.can("accept_throw") and throw and throw.get("state") == "ruled":
        buttons.append(scene.ask("accept_throw", say("ui.accept-throw"), symbol="✓"))
    if scene.can("call_throw"):
        buttons.append(scene.ask("call_throw", say("ui.call-throw"), symbol="↓"))
    if scene.can("correct_die") and throw and throw.get("sides"):
        buttons.append(scene.open("correct", say("ui.correct-die"), symbol="✎", note=say("ui.with-pin")))
    if scene.can("annul_throw") and throw and throw.get("state") in {"called", "rolling", "ruled", "accepted"}:
        buttons.append(scene.open("reason", say("ui.annul"), "annul_throw", symbol="✗", note=say("ui.with-pin")))
    clock = scene.clock
    if clock is not None and clock.paused is not None:
        buttons.append(scene.ask("resume_clock", say("ui.resume"), symbol="▶"))
    elif scene.can("pause_clock"):
        buttons.append(scene.open("reason", say("ui.pause"), "pause_clock", symbol="‖", note=say("ui.with-pin")))
    if scene.can("add_time"):
        buttons.append(scene.open("add-time", say("ui.add-time"), symbol="+", note=say("ui.with-pin")))
    if scene.can("sound_tijd"):
        buttons.append(scene.open("sure", say("ui.sound-tijd"), "sound_tijd", symbol="♪", note=say("ui.with-pin")))
    if scene.can("withdraw_claim"):
        buttons.append(
            scene.open("reason", say("ui.withdraw-claim"), "withdraw_claim", symbol="✗", note=say("ui.with-pin"))
        )
    if scene.can("call_referee") and scene.state.get("referee_called") is None:
        buttons.append(scene.ask("call_referee", say("ui.call-referee"), tone="warn", symbol="⚑"))
    if picture(scene) is not None:
        buttons.append(scene.open("picture", say("ui.picture"), symbol="◉"))
    buttons.append(scene.open("health", say("ui.health"), symbol="♥"))
    buttons.append(scene.open("lang", say("ui.language"), symbol="⚐"))
    return scene.screen(
        "menu",
        main=(Text(text=say("ui.menu-title"), size="large"), Buttons(buttons=tuple(buttons), across=3, down_across=2)),
        foot=(Buttons(buttons=(scene.back(),), across=1, down_across=1),),
        menu=False,
    )


def evidence(scene: Scene) -> Screen:
    """The picture of the newest throw, as large as it can be, with what was made of it."""
    shown = picture(scene)
    told = [Text(text=" ".join(scene.words.throw(side, ruling))) for side, ruling in sides(scene.state.get("throw"))]
    return scene.screen(
        "picture",
        main=(shown or Text(text=scene.say("ui.no-picture"), size="large"), *told, *doubts(scene)),
        foot=(Buttons(buttons=(scene.back(),), across=1, down_across=1),),
        menu=False,
    )


def sure(scene: Scene) -> Screen:
    """One more question before something that cannot be taken back."""
    command = str(scene.desk.picks[0])
    args = dict(scene.desk.picks[1:])
    return scene.screen(
        "sure",
        main=(Text(text=scene.say(f"ui.sure.{command}", **args), size="large", grow=1.0, centre=True),),
        foot=(
            Buttons(
                buttons=(scene.back(), scene.ask(command, scene.say("ui.yes-do"), tone="strong", symbol="✓", **args)),
                across=2,
                down_across=1,
                tall=True,
            ),
        ),
        menu=False,
    )


def reason(scene: Scene) -> Screen:
    """Why the referee does something: one tap out of the usual causes, kept with the act."""
    command = str(scene.desk.picks[0])
    args = dict(scene.desk.picks[1:])
    causes = CAUSES[command]
    buttons = tuple(scene.ask(command, scene.say(f"cause.{cause}"), reason=cause, **args) for cause in causes)
    return scene.screen(
        f"reason-{command}",
        main=(
            Text(text=scene.say(f"ui.why.{command}"), size="large"),
            Buttons(buttons=buttons, across=2, down_across=1, tall=True),
        ),
        foot=(Buttons(buttons=(scene.back(),), across=1, down_across=1),),
        menu=False,
    )


CAUSES = {
    "annul_throw": ("not-ready", "disturbed", "wrong-dice", "referee-decides"),
    "pause_clock": ("dispute", "rig-trouble", "break", "referee-decides"),
    "add_time": ("dispute", "rig-trouble", "power-cut", "referee-decides"),
    "withdraw_claim": ("mission-not-done", "mistake", "referee-decides"),
    "reopen_board": ("counted-wrong", "typed-wrong", "referee-decides"),
    "dispute_result": ("counted-wrong", "typed-wrong", "rule-disputed", "other-cause"),
    "correct_die": ("misread", "moved-by-hand", "referee-decides"),
    "rule_result": ("referee-decides", "by-lot", "played-on"),
}
"""Usual causes by command; each is a code that the journal keeps and the words tell."""


def add_time(scene: Scene) -> Screen:
    """How much time the referee gives back."""
    buttons = tuple(
        Button(
            text=scene.say("ui.minutes", n=minutes),
            does=Do(verb="open", args=("reason", "add_time", ("ms", minutes * 60_000))),
        )
        for minutes in (1, 2, 3, 5, 10, 15)
    )
    return scene.screen(
        "add-time",
        main=(
            Text(text=scene.say("ui.add-time-title"), size="large"),
            Buttons(buttons=buttons, across=3, down_across=2, tall=True),
        ),
        foot=(Buttons(buttons=(scene.back(),), across=1, down_across=1),),
        menu=False,
    )
