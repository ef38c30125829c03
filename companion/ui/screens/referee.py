"""The referee's page: the clock, the signal, and what was told wrongly; each act with its reason and the PIN."""

from __future__ import annotations

from companion.ui.blocks import Button, Buttons, Screen, Text
from companion.ui.screens.acts import open_act
from companion.ui.screens.common import Scene
from companion.ui.screens.menu import UNDER_WAY
from companion.ui.screens.pads import BY_REFEREE


def referee(scene: Scene) -> Screen:
    """All that only a referee may do now."""
    buttons = (*_of_the_clock(scene), *_of_the_throw(scene), *_of_the_game(scene))
    say = scene.say
    title = say("ui.referee-title") if buttons else say("ui.referee-nothing")
    return scene.screen(
        "referee",
        main=(Text(text=title), Buttons(buttons=buttons, across=4, down_across=2)),
        foot=(Buttons(buttons=(scene.back(),), across=1, down_across=1),),
        menu=False,
    )


def _of_the_clock(scene: Scene) -> list[Button]:
    say, clock = scene.say, scene.clock
    buttons: list[Button] = []
    if clock is not None and clock.paused is not None:
        buttons.append(scene.ask("resume_clock", say("ui.resume"), symbol="▶"))
    elif scene.can("pause_clock"):
        buttons.append(scene.open("reason", say("ui.pause"), "pause_clock", symbol="‖"))
    if scene.can("add_time"):
        buttons.append(scene.open("add-time", say("ui.add-time"), symbol="+"))
    if scene.can("sound_tijd"):
        buttons.append(scene.open("sure", say("ui.sound-tijd"), "sound_tijd", symbol="♪"))
    if scene.can("reveal_tijd") and _is_sealed(scene):
        buttons.append(scene.ask("reveal_tijd", say("ui.reveal"), symbol="◉"))
    return buttons


def _is_sealed(scene: Scene) -> bool:
    """Whether a length waits to be shown, once the signal was given."""
    seals = list(scene.state.get("sealed") or ())
    return bool(seals) and seals[-1].get("minutes") is None and bool(scene.state.get("tijd"))


def _of_the_throw(scene: Scene) -> list[Button]:
    say, throw = scene.say, scene.state.get("throw")
    buttons: list[Button] = []
    if throw is None:
        return buttons
    if scene.can("annul_throw") and throw.get("state") in UNDER_WAY:
        buttons.append(scene.open("reason", say("ui.annul"), "annul_throw", symbol="✗"))
    if scene.can("correct_die") and throw.get("sides"):
        buttons.append(scene.open(BY_REFEREE, say("ui.correct-die"), symbol="✎"))
    buttons += open_act(scene, "amend-thrower", symbol="✎")
    choices = (scene.state.get("context") or {}).get("choices") or ()
    buttons += open_act(scene, "amend-against", symbol="✎", is_possible=len(choices) > 1)
    buttons += open_act(scene, "rule-signal", symbol="♪", is_possible=bool(scene.state.get("tijd")))
    return buttons


def _of_the_game(scene: Scene) -> list[Button]:
    say = scene.say
    claim = (scene.state.get("frozen") or {}).get("claim")
    has_out = any(player.get("out") for player in scene.players)
    rulings = scene.state.get("rulings") or ()
    buttons: list[Button] = [*open_act(scene, "amend-turn", symbol="✎")]
    buttons += open_act(scene, "reinstate", symbol="↺", is_possible=has_out)
    buttons += open_act(scene, "amend-out", symbol="✎", is_possible=has_out)
    buttons += open_act(scene, "leave", symbol="✗")
    if scene.can("withdraw_claim") and claim:
        buttons.append(scene.open("reason", say("ui.withdraw-claim"), "withdraw_claim", symbol="✗"))
    buttons += open_act(scene, "amend-claim", symbol="✎", is_possible=bool(claim))
    is_nl = scene.state.get("system") == "nl1996"
    buttons += open_act(scene, "rule-played-on", symbol="⚖", is_possible=bool(claim) and is_nl)
    buttons += open_act(scene, "ruling", symbol="⚖")
    is_open = any(ruling.get("appeal") == "open" for ruling in rulings)
    buttons += open_act(scene, "decide-appeal", symbol="⚖", is_possible=is_open)
    if scene.can("change_result"):
        buttons.append(scene.open("rule", say("ui.change-result"), symbol="✎"))
    return buttons
