"""The result: places with the step that decided each, signatures, disputes, the referee's ruling, and the close."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion.rules.errors import RulesError
from companion.rules.ruleset import load_ruleset
from companion.rules.scoring import result_words
from companion.ui.blocks import Block, Button, Buttons, Do, Screen, Text
from companion.ui.screens.common import Scene
from companion.ui.screens.sealed import seal_lines


def scored(scene: Scene) -> Screen:
    """Who came where and why; each player signs, once nothing is left for the referee to decide."""
    say = scene.say
    result: Mapping[str, Any] = scene.state.get("result") or {}
    signed: Sequence[str] = result.get("signed") or ()
    is_open = bool(result.get("unresolved"))
    signs = tuple(_sign(scene, player["id"], player["id"] in signed) for player in scene.players)
    close = scene.ask(
        "close_table",
        say("ui.close-table"),
        symbol="✓",
        tone="strong" if len(signed) == len(scene.players) else "plain",
    )
    if is_open:
        signs = tuple(replace(sign, does=None, note="") for sign in signs)
        close = replace(close, does=None)
    acts = (
        scene.open("dispute", say("ui.dispute"), tone="warn", symbol="⚑"),
        scene.open(
            "rule", say("ui.rule-result"), symbol="✎", note=say("ui.with-pin"), tone="strong" if is_open else "plain"
        ),
        scene.open("reason", say("ui.reopen"), "reopen_board", symbol="↺", note=say("ui.with-pin")),
        close,
    )
    return scene.screen(
        "scored",
        main=places(scene, result),
        side=(
            Text(text=say("problem.result-open")) if is_open else Text(text=say("ui.sign-title"), size="large"),
            Buttons(buttons=signs, across=1 if len(signs) < 4 else 2, down_across=2, grow=1.0),
        ),
        foot=(Buttons(buttons=acts, across=4, down_across=2),),
        side_share=0.4,
    )


def places(scene: Scene, result: Mapping[str, Any]) -> list[Block]:
    """The places with what decided each, and whatever is not decided, loud."""
    say = scene.say
    blocks: list[Block] = []
    disputed = result.get("disputed")
    if disputed:
        told = _disputed_told(scene, disputed)
        blocks.append(Text(text=told, tone="bad"))
    stands, given = _as_computed(scene, result)
    for place in stands:
        blocks.append(Text(text=_place_told(scene, place), size="large", mark=scene.mark(place["player"])))
        reason = place.get("reason")
        blocks.append(Text(text=scene.words.reason(reason) if reason else say("ui.no-reason"), tone="dim", grow=1.0))
    blocks += _ruled(scene, result, given)
    for group in result.get("unresolved") or ():
        stake = result.get("at_stake") or ()
        words = [result_told(scene, value) for value in stake]
        blocks.append(Text(text=say("ui.unresolved", players=list(group), stake=words), tone="bad", grow=1.0))
    return blocks


def _as_computed(scene: Scene, result: Mapping[str, Any]) -> tuple[list[Mapping[str, Any]], dict[str, Any]]:
    """The places that stand as the rules computed them, and what people gave the others, best first.

    A computed reason beside a result that somebody ruled would contradict it.
    """
    rows = sorted(result.get("places") or (), key=lambda row: row.get("place") or 99)
    stands = [row for row in rows if row.get("computed", row.get("result")) == row.get("result")]
    ruling: Mapping[str, Any] = result.get("ruling") or {}
    told = {**(ruling.get("results") or {}), **{row["player"]: row.get("result") for row in rows}}
    given = [(player, value) for player, value in told.items() if player not in {row["player"] for row in stands}]
    best = {word: at for at, word in enumerate(_result_words(scene))}
    return stands, dict(sorted(given, key=lambda one: best.get(str(one[1]), len(best))))


def _ruled(scene: Scene, result: Mapping[str, Any], given: Mapping[str, Any]) -> list[Block]:
    """Results that people gave, and why the referee did."""
    blocks: list[Block] = [
        Text(
            text=scene.say("ui.ruled", player=player, result=result_told(scene, value)),
            size="large",
            mark=scene.mark(player),
        )
        for player, value in given.items()
    ]
    ruling: Mapping[str, Any] = result.get("ruling") or {}
    if given and ruling:
        blocks.append(Text(text=scene.say("ui.ruled-why", why=str(ruling.get("reason"))), tone="dim", grow=1.0))
    return blocks


def _place_told(scene: Scene, place: Mapping[str, Any]) -> str:
    told = scene.say(
        "ui.place", place=place.get("place"), player=place["player"], result=result_told(scene, place.get("result"))
    )
    score = place.get("score")
    return told if score is None else f"{told} · {scene.say('ui.score-is', score=float(score))}"


def result_told(scene: Scene, result: Any) -> str:
    """A result in the reader's words; in risiko a number is points towards the repechage."""
    if scene.state.get("system") == "risiko" and str(result).isdigit():
        return scene.say("ui.points-n", n=int(result))
    return scene.words.shown("result", result)


def _disputed_told(scene: Scene, disputed: Any) -> str:
    if isinstance(disputed, Mapping):
        cause = str(disputed.get("reason") or "")
        told = scene.say(f"cause.{cause}") if scene.words.knows(f"cause.{cause}") else cause
        return scene.say("ui.disputed-by", player=disputed.get("player"), cause=told)
    return scene.say("ui.disputed")


def _sign(scene: Scene, player: str, is_signed: bool) -> Button:
    if is_signed:
        return Button(
            text=scene.name(player),
            note="✓ " + scene.say("ui.signed"),
            mark=scene.mark(player),
            does=None,
            tone="good",
        )
    ask = scene.ask("sign_result", scene.name(player), player=player, note=scene.say("ui.sign-here"))
    return Button(text=ask.text, note=ask.note, does=ask.does, mark=scene.mark(player))


def dispute(scene: Scene) -> Screen:
    """Who does not agree; the cause is asked next."""
    buttons = tuple(
        Button(
            text=scene.name(player["id"]),
            mark=scene.mark(player["id"]),
            does=Do(verb="open", args=("reason", "dispute_result", ("player", player["id"]))),
        )
        for player in scene.players
    )
    return scene.screen(
        "dispute",
        main=(
            Text(text=scene.say("ui.dispute-who"), size="large"),
            Buttons(buttons=buttons, across=2, down_across=1, tall=True),
        ),
        foot=(Buttons(buttons=(scene.back(),), across=1, down_across=1),),
        menu=False,
    )


def rule(scene: Scene) -> Screen:
    """The referee gives each player a result; one that is not named keeps the computed one, where there is one."""
    say = scene.say
    result: Mapping[str, Any] = scene.state.get("result") or {}
    computed = {place["player"]: place.get("result") for place in result.get("places") or ()}
    chosen = dict(scene.desk.picks)
    people = [player["id"] for player in scene.players]
    at = scene.desk.brush if scene.desk.brush in people else people[0]
    follower = people[(people.index(at) + 1) % len(people)]
    who = tuple(
        Button(
            text=scene.name(player),
            mark=scene.mark(player),
            note=result_told(scene, now) if (now := chosen.get(player, computed.get(player))) else say("ui.undecided"),
            does=Do(verb="brush", args=(player,)),
            chosen=player == at,
        )
        for player in people
    )
    results = tuple(
        Button(
            text=result_told(scene, value),
            does=Do(verb="give", args=(at, value, follower)),
            chosen=value == chosen.get(at, computed.get(at)),
        )
        for value in _result_words(scene)
    )
    named = {player["id"]: chosen.get(player["id"], computed.get(player["id"])) for player in scene.players}
    is_whole = bool(chosen) and all(value is not None for value in named.values())
    command = "rule_result" if scene.can("rule_result") else "change_result"
    done = Button(
        text=say("ui.go-on"),
        symbol="→",
        tone="strong",
        does=Do(verb="open", args=("reason", command, ("results", named))) if is_whole else None,
    )
    return scene.screen(
        "rule",
        top=(Text(text=say("ui.rule-title")),),
        main=(Buttons(buttons=who, across=1 if len(who) < 4 else 2, down_across=2),),
        side=(Buttons(buttons=results, across=2, down_across=2),),
        side_share=0.45,
        foot=(Buttons(buttons=(scene.back(), done), across=2, down_across=2),),
        menu=False,
    )


def _result_words(scene: Scene) -> Sequence[str]:
    """What a result can be at this table, best first; what the table computed where its rules are not known here."""
    try:
        ruleset = load_ruleset(str(scene.state.get("system")))
        return result_words(len(scene.players), ruleset=ruleset)
    except RulesError:
        result: Mapping[str, Any] = scene.state.get("result") or {}
        told = [str(place.get("result")) for place in result.get("places") or ()]
        return tuple(dict.fromkeys([*told, *(result.get("at_stake") or ())]))


def closed(scene: Scene) -> Screen:
    """The result stands; the table waits for the next game."""
    result: Mapping[str, Any] = scene.state.get("result") or {}
    say = scene.say
    again = (scene.open("setup-system", say("ui.home-game"), symbol="▶"),) if scene.can("set_up_table") else ()
    return scene.screen(
        "closed",
        main=(
            Text(text=say("ui.closed-title"), size="large", tone="good"),
            *_changed(scene, result),
            *places(scene, result),
            *seal_lines(scene),
        ),
        foot=(Buttons(buttons=(*again, scene.open("menu", say("ui.more"), symbol="☰")), across=2, down_across=2),),
    )


def _changed(scene: Scene, result: Mapping[str, Any]) -> list[Block]:
    changed = result.get("changed")
    return [Text(text=scene.say("ui.result-changed", why=changed.get("reason")), tone="warn")] if changed else []
