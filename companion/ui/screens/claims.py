"""A mission claimed, a player out: who, what, by whom, and one more question before it is sent."""

from __future__ import annotations

from companion.ui.blocks import Button, Buttons, Do, Screen, Send, Text
from companion.ui.screens.common import Scene

DESTROY = "destroy_"


def claim(scene: Scene) -> Screen:
    """A mission is shown: whose, which, and whom it destroyed."""
    picks = scene.desk.picks
    if not picks:
        return _who(scene, "claim", scene.say("ui.claim-who"), [player["id"] for player in scene.alive])
    player = str(picks[0])
    if len(picks) == 1 and scene.missions:
        return _which(scene, player)
    if len(picks) == 1:
        # Nothing but the win itself can be claimed: no card says so.
        question = scene.say("ui.sure.claim-win", player=player)
        sure = scene.ask("claim_mission", scene.say("ui.yes-do"), tone="strong", symbol="✓", player=player)
        return _confirm(scene, "claim", question, sure)
    mission = str(picks[1])
    if mission.startswith(DESTROY) and len(picks) == 2:
        out = [other["id"] for other in scene.players if other.get("colour") == mission.removeprefix(DESTROY)]
        others = [other["id"] for other in scene.players if other["id"] != player]
        return _who(scene, "claim", scene.say("ui.claim-destroyed"), out or others)
    args = {"player": player, "mission": mission, **({"destroyed": str(picks[2])} if len(picks) > 2 else {})}
    if "destroyed" in args and not scene.player(args["destroyed"]).get("out"):
        return _out_first(scene, args)
    question = scene.say("ui.sure.claim_mission", player=player, mission=mission)
    return _confirm(
        scene, "claim", question, scene.ask("claim_mission", scene.say("ui.yes-do"), tone="strong", symbol="✓", **args)
    )


def _out_first(scene: Scene, args: dict[str, str]) -> Screen:
    """Whom the mission destroyed is out; that is recorded first, and the claim goes on by itself."""
    fallen = {"player": args["destroyed"], "by": args["player"]}
    does = None
    if scene.can("declare_out") and scene.desk.sending is None:
        claim_again = Do(verb="open", args=("claim", *args.values()))
        does = Send(command="declare_out", args=fallen, then=claim_again)
    sure = Button(text=scene.say("ui.yes-do"), tone="strong", symbol="✓", does=does)
    return _confirm(scene, "claim-out", scene.say("ui.sure.declare_out", **fallen), sure)


def _which(scene: Scene, player: str) -> Screen:
    missions = scene.missions
    key = "ui.claim-which-objective" if scene.state.get("system") == "risiko" else "ui.claim-which"
    buttons = tuple(Button(text=scene.words.shown("mission", m), does=Do(verb="pick", args=(m,))) for m in missions)
    return scene.screen(
        "claim",
        main=(
            Text(text=scene.say(key, player=player), size="large", mark=scene.mark(player)),
            Buttons(buttons=buttons, across=3 if len(buttons) <= 12 else 4, down_across=2, grow=1.0),
        ),
        foot=(_leave(scene),),
        menu=False,
    )


def out(scene: Scene) -> Screen:
    """A player lost the last territory: who, and to whom."""
    picks = scene.desk.picks
    alive = [player["id"] for player in scene.alive]
    if not picks:
        return _who(scene, "out", scene.say("ui.out-who"), alive)
    player = str(picks[0])
    if len(picks) == 1:
        return _who(scene, "out", scene.say("ui.out-by", player=player), [other for other in alive if other != player])
    by = str(picks[1])
    question = scene.say("ui.sure.declare_out", player=player, by=by)
    sure = scene.ask("declare_out", scene.say("ui.yes-do"), tone="strong", symbol="✓", player=player, by=by)
    return _confirm(scene, "out", question, sure)


def _who(scene: Scene, name: str, question: str, players: list[str]) -> Screen:
    buttons = tuple(
        Button(text=scene.name(id_), mark=scene.mark(id_), does=Do(verb="pick", args=(id_,))) for id_ in players
    )
    return scene.screen(
        name,
        main=(Text(text=question, size="large"), Buttons(buttons=buttons, across=2, down_across=1, tall=True)),
        foot=(_leave(scene),),
        menu=False,
    )


def _confirm(scene: Scene, name: str, question: str, sure: Button) -> Screen:
    back = Button(text=scene.say("ui.back"), does=Do(verb="unpick"), symbol="←")
    return scene.screen(
        f"{name}-sure",
        main=(Text(text=question, size="large", grow=1.0, centre=True),),
        foot=(Buttons(buttons=(back, sure), across=2, down_across=1, tall=True),),
        menu=False,
    )


def _leave(scene: Scene) -> Buttons:
    return Buttons(
        buttons=(Button(text=scene.say("ui.back"), does=Do(verb="unpick"), symbol="←"),), across=1, down_across=1
    )
