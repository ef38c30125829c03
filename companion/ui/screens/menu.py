"""What the players need now and then, two taps away, and what a press on it asks first."""

from __future__ import annotations

from collections.abc import Mapping

from companion.ui.asking import ruleset_of
from companion.ui.blocks import Button, Buttons, Do, Screen, Text
from companion.ui.screens.acts import open_act
from companion.ui.screens.common import Scene
from companion.ui.screens.throws import doubts, picture, sides

UNDER_WAY = {"called", "rolling", "ruled", "accepted"}
"""Steps of a throw that can still be annulled."""


COMBAT_ENDS = (("stopped", "■"), ("conquered", "⌂"), ("no_armies", "∅"))
"""How a combat ends, with a sign for each."""


def menu(scene: Scene) -> Screen:
    """What players tell and put right themselves, and the way to everything else."""
    say = scene.say
    buttons = [*_told(scene), *_thrown(scene)]
    if scene.can("call_referee") and scene.state.get("referee_called") is None:
        buttons.append(scene.ask("call_referee", say("ui.call-referee"), tone="warn", symbol="⚑"))
    buttons.append(scene.open("referee", say("ui.referee"), symbol="⚖", note=say("ui.with-pin")))
    buttons.append(scene.open("health", say("ui.health"), symbol="♥"))
    buttons.append(scene.open("lang", say("ui.language"), symbol="⚐"))
    return scene.screen(
        "menu",
        main=(Text(text=say("ui.menu-title")), Buttons(buttons=tuple(buttons), across=4, down_across=2)),
        foot=(Buttons(buttons=(scene.back(),), across=1, down_across=1),),
        menu=False,
    )


def _told(scene: Scene) -> list[Button]:
    """What happened at the table that no camera sees."""
    say = scene.say
    buttons: list[Button] = []
    if scene.can("stop_attack") and scene.state.get("phase") == "playing":
        buttons += [
            scene.ask("stop_attack", say(f"ui.combat-ends.{why}"), symbol=sign, why=why) for why, sign in COMBAT_ENDS
        ]
    if scene.can("claim_mission"):
        buttons.append(scene.open("claim", claim_text(scene), symbol="★"))
    if scene.can("declare_out"):
        buttons.append(scene.open("out", say("ui.out"), symbol="✗"))
    has_out = any(player.get("out") for player in scene.players)
    buttons += open_act(scene, "return", symbol="↺", is_possible=has_out)
    buttons += open_act(scene, "ask-silence", symbol="☾")
    buttons += open_act(scene, "appeal", symbol="⚖", is_possible=bool(scene.state.get("rulings")))
    if turn_limits(scene) is not None and scene.state.get("phase") == "playing":
        does = Do(verb="turn-clock")
        buttons.append(Button(text=say("ui.turn-clock"), symbol="◔", does=does, chosen=scene.desk.turn_clock))
    undo = scene.state.get("undo")
    if undo and scene.can("undo"):
        buttons.append(scene.open("undo", say("ui.undo"), symbol="↶", note=scene.words.event(undo["event"])))
    return buttons


def turn_limits(scene: Scene) -> Mapping[str, int] | None:
    """Seconds that the rules give a turn, or None where they say nothing of it."""
    ruleset = ruleset_of(scene.state)
    return None if ruleset is None else ruleset.at("time.turn_seconds")


def claim_text(scene: Scene) -> str:
    """What is claimed: a mission, an objective, or the win itself."""
    key = {"risiko": "ui.claim-objective", "apoikia": "ui.claim-win"}.get(str(scene.state.get("system")), "ui.claim")
    return scene.say(key)


def _thrown(scene: Scene) -> list[Button]:
    """What the newest throw wants of people."""
    say, throw = scene.say, scene.state.get("throw")
    buttons: list[Button] = []
    if scene.can("enter_dice"):
        buttons.append(scene.open("dice", say("ui.enter-dice"), symbol="⚄"))
    if scene.can("accept_throw") and throw and throw.get("state") == "ruled":
        buttons.append(scene.ask("accept_throw", say("ui.accept-throw"), symbol="✓", note=say("ui.losses-taken")))
    if scene.can("call_throw"):
        buttons.append(scene.ask("call_throw", say("ui.call-throw"), symbol="↓"))
    if throw and throw.get("sides") and (scene.can("propose_correction") or scene.can("correct_die")):
        buttons.append(scene.open("correct", say("ui.correct-die"), symbol="✎"))
    if throw and scene.can("dispute_throw") and "dispute-throw" in scene.pages:
        buttons.append(scene.open("dispute-throw", say("ui.dispute-throw"), tone="warn", symbol="⚑"))
    if picture(scene) is not None:
        buttons.append(scene.open("picture", say("ui.picture"), symbol="◉"))
    return buttons


def undo(scene: Scene) -> Screen:
    """What an undo would take back, before it is done."""
    told = scene.state.get("undo") or {}
    say = scene.say
    blocks = [Text(text=say("ui.undo-title"), size="large")]
    if told:
        blocks.append(Text(text=scene.words.event(told["event"]), size="large", tone="strong", centre=True, grow=1.0))
        also = [scene.words.event({"type": type_, "data": {}}) for type_ in told.get("closes_too") or ()]
        if also:
            blocks.append(Text(text=say("ui.undo-too", what=also), tone="warn", grow=0.5))
    sure = scene.ask("undo", say("ui.yes-do"), tone="strong", symbol="↶", what=told.get("what"))
    return scene.screen(
        "undo",
        main=blocks,
        foot=(Buttons(buttons=(scene.back(), sure), across=2, down_across=1, tall=True),),
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
    """Why somebody does something: one tap out of the usual causes, kept with the act."""
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
    "settle_dispute": ("reading-stands", "put-right", "throw-annulled", "referee-decides"),
    "change_result": ("counted-wrong", "typed-wrong", "referee-decides"),
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
