"""What people tell or decide now and then: a few questions, each one tap, and where the referee decides a reason.

An act is declared once, with its questions and with what becomes of the answers; one page asks them all, one after
the other, and the last tap sends. So every fact that the rules want can be given from the screen, and one that was
forgotten or mistaken can be put right afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from companion.ui.blocks import Button, Buttons, Do, Mark, Screen, Text
from companion.ui.screens.common import Scene

Picks = tuple[Any, ...]
USUAL = ("mistake", "told-late", "referee-decides")
PENALTY_ARMIES = 12
MOST_REBELS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One thing that can be tapped."""

    value: Any
    text: str
    mark: Mark | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What an act wants to know: `ui.ask.NAME`, and the answers to it after what was picked before."""

    name: str
    answers: Callable[[Scene, Picks], list[Answer]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """Something to be told or decided.

    Attributes:
        command: What is sent.
        questions: In the order in which they are asked.
        args: Arguments of the command from all answers.
        causes: Reasons to choose from; none where the command wants none.
    """

    command: str
    questions: tuple[Question, ...]
    args: Callable[[Scene, Picks], Mapping[str, Any]]
    causes: tuple[str, ...] = ()


def _people(scene: Scene, ids: list[str]) -> list[Answer]:
    return [Answer(value=id_, text=scene.name(id_), mark=scene.mark(id_)) for id_ in ids]


def _alive(scene: Scene, _: Picks = ()) -> list[Answer]:
    return _people(scene, [player["id"] for player in scene.alive])


def _out(scene: Scene, _: Picks = ()) -> list[Answer]:
    return _people(scene, [player["id"] for player in scene.players if player.get("out")])


def _by(scene: Scene, picks: Picks) -> list[Answer]:
    others = _people(scene, [player["id"] for player in scene.players if player["id"] != picks[0]])
    return [*others, Answer(value=None, text=scene.say("ui.by-nobody"))]


def _anybody(scene: Scene, _: Picks) -> list[Answer]:
    everybody = _people(scene, [player["id"] for player in scene.players])
    return [*everybody, Answer(value=None, text=scene.say("ui.by-nobody"))]


def _words(*keys: tuple[Any, str]) -> Callable[[Scene, Picks], list[Answer]]:
    return lambda scene, _: [Answer(value=value, text=scene.say(key)) for value, key in keys]


def _numbers(most: int) -> Callable[[Scene, Picks], list[Answer]]:
    return lambda _scene, _picks: [Answer(value=n, text=str(n)) for n in range(most + 1)]


def _against(scene: Scene, _: Picks) -> list[Answer]:
    choices = (scene.state.get("context") or {}).get("choices") or ()
    return [Answer(value=choice, text=scene.say(f"against.{choice}")) for choice in choices]


def _missions(scene: Scene, _: Picks) -> list[Answer]:
    return [Answer(value=m, text=scene.words.shown("mission", m)) for m in scene.missions]


def _rulings(scene: Scene, _: Picks) -> list[Answer]:
    return [
        Answer(value=ruling["number"], text=f"{ruling['number']}. {scene.say('ruling.' + str(ruling['about']))}")
        for ruling in scene.state.get("rulings") or ()
        if ruling.get("appeal") in {None, "open"}
    ]


def _signal_answers(scene: Scene, _: Picks) -> list[Answer]:
    keys = [(("void", False), "ui.signal-void"), (("stands", False), "ui.signal-stands")]
    if scene.state.get("system") == "risiko":
        keys.append((("stands", True), "ui.signal-combat"))
    return [Answer(value=value, text=scene.say(key)) for value, key in keys]


def _amended_outs(scene: Scene, picks: Picks) -> Mapping[str, Any]:
    fallen = [player for player in scene.players if player.get("out")]
    fallen.sort(key=lambda player: -(player["out"].get("left_before") or 0))
    changed = {str(picks[0]): picks[1]}
    return {"outs": [{"player": p["id"], "by": changed.get(p["id"], p["out"].get("by"))} for p in fallen]}


def _player(_: Scene, picks: Picks) -> Mapping[str, Any]:
    return {"player": picks[0]}


def _rebels_thrown(scene: Scene, picks: Picks) -> Mapping[str, Any]:
    return {"throw": (scene.state.get("throw") or {}).get("id"), "rebels": picks[0]}


WHO = Question(name="who", answers=_alive)
WHO_OUT = Question(name="who-out", answers=_out)
ACTS: Mapping[str, Act] = {
    "ask-silence": Act(command="ask_silence", questions=(WHO,), args=_player),
    "refuse": Act(command="refuse_correction", questions=(WHO,), args=_player),
    "tell-rebels": Act(
        command="tell_rebels",
        questions=(Question(name="rebels", answers=_numbers(MOST_REBELS)),),
        args=_rebels_thrown,
    ),
    "return": Act(
        command="return_player",
        questions=(
            WHO_OUT,
            Question(name="occupier", answers=_words((True, "ui.occupier-yes"), (False, "ui.occupier-no"))),
        ),
        args=lambda _, picks: {"player": picks[0], "occupier": picks[1]},
    ),
    "appeal": Act(
        command="appeal_ruling",
        questions=(Question(name="ruling", answers=_rulings), WHO),
        args=lambda _, picks: {"ruling": picks[0], "player": picks[1]},
    ),
    "reinstate": Act(command="reinstate_player", questions=(WHO_OUT,), args=_player, causes=USUAL),
    "leave": Act(command="declare_out", questions=(WHO,), args=lambda _, picks: {"player": picks[0], "by": None}),
    "amend-out": Act(
        command="amend_outs",
        questions=(WHO_OUT, Question(name="by", answers=_by)),
        args=_amended_outs,
        causes=USUAL,
    ),
    "amend-turn": Act(command="amend_turn", questions=(WHO,), args=_player, causes=USUAL),
    "amend-thrower": Act(command="amend_throw", questions=(WHO,), args=_player, causes=USUAL),
    "amend-against": Act(
        command="amend_throw",
        questions=(Question(name="against", answers=_against),),
        args=lambda _, picks: {"against": picks[0]},
        causes=USUAL,
    ),
    "amend-claim": Act(
        command="amend_claim",
        questions=(WHO, Question(name="mission", answers=_missions)),
        args=lambda _, picks: {"player": picks[0], "mission": picks[1]},
        causes=USUAL,
    ),
    "rule-signal": Act(
        command="rule_signal",
        questions=(Question(name="signal", answers=_signal_answers),),
        args=lambda scene, picks: (
            {"throw": picks[0][0]} | ({"combat": picks[0][1]} if scene.state.get("system") == "risiko" else {})
        ),
        causes=("saw-it", "on-the-picture", "referee-decides"),
    ),
    "rule-played-on": Act(
        command="rule_played_on",
        questions=(
            Question(
                name="played-on",
                answers=_words(
                    ("accident", "ui.played-accident"), ("purpose", "ui.played-purpose"), (None, "ui.played-not")
                ),
            ),
        ),
        args=lambda _, picks: {"how": picks[0]},
        causes=("referee-decides", "mistake"),
    ),
    "ruling": Act(
        command="make_ruling",
        questions=(
            Question(
                name="about",
                answers=_words(
                    ("interpretation", "ruling.interpretation"),
                    ("penalty", "ruling.penalty"),
                    ("undeclared_attack", "ruling.undeclared_attack"),
                    ("other", "ruling.other"),
                ),
            ),
            Question(name="whom", answers=_anybody),
            Question(name="armies-off", answers=_numbers(PENALTY_ARMIES)),
        ),
        args=lambda _, picks: {"about": picks[0], "player": picks[1], "armies": picks[2]},
        causes=("slow-play", "undeclared", "advice", "rule-disputed", "referee-decides"),
    ),
    "decide-appeal": Act(
        command="decide_appeal",
        questions=(
            Question(name="ruling", answers=_rulings),
            Question(name="upheld", answers=_words((True, "ui.upheld"), (False, "ui.overturned"))),
        ),
        args=lambda _, picks: {"ruling": picks[0], "upheld": picks[1]},
        causes=("referee-decides", "rule-disputed"),
    ),
}
"""Every act by the name under which a page opens it."""


def act(scene: Scene) -> Screen:
    """The next question of the act that is open; after the last one, why."""
    name, *picks = scene.desk.picks
    declared = ACTS[str(name)]
    if len(picks) < len(declared.questions):
        question = declared.questions[len(picks)]
        is_last = len(picks) + 1 == len(declared.questions) and not declared.causes
        buttons = tuple(
            _answer(scene, declared, answer, tuple(picks), is_last=is_last)
            for answer in question.answers(scene, tuple(picks))
        )
        asked = scene.say(f"ui.ask.{question.name}")
    else:
        args = declared.args(scene, tuple(picks))
        buttons = tuple(
            scene.ask(declared.command, scene.say(f"cause.{cause}"), reason=cause, **args) for cause in declared.causes
        )
        asked = scene.say("ui.why-act")
    across = 2 if len(buttons) <= 8 else 4
    back = Button(text=scene.say("ui.back"), does=Do(verb="unpick-act"), symbol="←")
    return scene.screen(
        "act",
        moment=f"{name}-{len(picks)}",
        main=(
            Text(text=scene.say(f"ui.act.{name}"), tone="dim"),
            Text(text=asked, size="large"),
            Buttons(buttons=buttons, across=across, down_across=1 if across == 2 else 3, tall=len(buttons) <= 6),
        ),
        foot=(Buttons(buttons=(back,), across=1, down_across=1),),
        menu=False,
    )


def _answer(scene: Scene, declared: Act, answer: Answer, picks: Picks, *, is_last: bool) -> Button:
    if not is_last:
        return Button(text=answer.text, mark=answer.mark, does=Do(verb="pick", args=(answer.value,)))
    args = declared.args(scene, (*picks, answer.value))
    return Button(text=answer.text, mark=answer.mark, does=scene.ask(declared.command, answer.text, **args).does)


def open_act(scene: Scene, name: str, *, symbol: str = "", is_possible: bool = True) -> tuple[Button, ...]:
    """The button that opens an act, where the table takes its command now."""
    if not is_possible or not scene.can(ACTS[name].command):
        return ()
    return (scene.open("act", scene.say(f"ui.act.{name}"), name, symbol=symbol),)
