"""The table as one JSON view: what the screen and the hub are told. docs/api.md is its contract.

A view is made from the state alone, plus what only the service knows (names, health, the newest record). It holds data,
and for each reason the ready-made sentence beside it, so that every client says the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from companion.rules.clock import last_phase_starts_s, secret_length
from companion.rules.reason import Reason
from companion.rules.ruleset import Ruleset
from companion.session import judging
from companion.session.decide.seating import to_throw
from companion.session.events import Side
from companion.session.snapshot import ClockState, SideState, TableState, ThrowState
from companion.session.transitions import Asker, Phase, allowed
from companion.session.undoing import undo_point
from companion.table.lengths import sealed_view
from companion.table.looked_view import looked_view
from companion.table.play_view import play_view, reason_view, throw_extras


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the view needs beyond the state.

    Attributes:
        seq: Newest record of the journal.
        now_ns: Boot clock now.
        wall: Wall clock now, ISO 8601.
        table: The table's own id.
        names: Player id to name.
        health: Items of the health page.
        is_rolling: Whether dice are moving in the box.
        pin_is_set: Whether a referee's PIN was chosen.
        asker: Who asks.
        ruleset: Rules of the game, or None on an idle table.
        say: Makes a sentence of a reason, in the asked language.
        notes: The newest notes, newest first, each with its sentence.
        panel: How often each button went down, and what the buzzer may do.
        dice: Colour of each side's dice.
    """

    seq: int
    now_ns: int
    wall: str
    table: str
    names: Mapping[str, str]
    health: tuple[Mapping[str, Any], ...]
    is_rolling: bool
    pin_is_set: bool
    asker: Asker
    ruleset: Ruleset | None
    say: Callable[[Reason], str]
    notes: tuple[Mapping[str, Any], ...]
    panel: Mapping[str, Any]
    dice: Mapping[str, str]


def table_view(state: TableState, around: Surroundings) -> dict[str, Any]:
    """The whole table as `GET /v1/state` tells it."""
    opened = state.opened
    return {
        "seq": around.seq,
        "now_ns": around.now_ns,
        "wall": around.wall,
        "table": opened.table if opened else around.table,
        "tournament": opened.tournament if opened else "",
        "round": opened.round if opened else None,
        "tournament_phase": opened.phase if opened else "",
        "game": opened.game if opened else None,
        "system": opened.system if opened else None,
        "ruleset": {"name": opened.ruleset_name, "hash": opened.ruleset_hash} if opened else None,
        "options": dict(around.ruleset.options) if around.ruleset else {},
        "phase": state.phase.value,
        "players": [_player(state, p.id, around) for p in state.players],
        "colours": list(around.ruleset.at("missions.colours") or ()) if around.ruleset else [],
        "dice_colours": dict(around.dice),
        "to_throw": list(to_throw(state, around.ruleset)) if around.ruleset and state.phase is Phase.SEATING else [],
        "clock": clock_view(state, around),
        "turn": _turn(state),
        "allowed": {"attack": state.allowed_attack, "defence": state.allowed_defence},
        "throw": _throw(state.throw, state, around) if state.throw else None,
        "throws": {
            "ruled": state.totals.ruled,
            "uncalled": state.totals.uncalled,
            "voided_dice": state.totals.voided_dice,
        },
        "sealed": sealed_view(state),
        "tijd": _tijd(state, around),
        "frozen": _frozen(state),
        "need": judging.need(state, around.ruleset) if state.frozen and around.ruleset else None,
        "missions": list(judging.missions(state, around.ruleset)) if around.ruleset else [],
        "result": _result(state, around),
        "referee_called": _referee_called(state, around),
        "recovered": _recovered(state),
        "notes": [dict(note) for note in around.notes],
        "rig": {
            "camera": state.rig.camera,
            "panel": state.rig.panel,
            "buttons": list(state.rig.buttons),
            **around.panel,
        }
        if state.rig
        else None,
        **play_view(state, now_ns=around.now_ns, ruleset=around.ruleset, say=around.say),
        **looked_view(state),
        "pin_set": around.pin_is_set,
        "health": [dict(item) for item in around.health],
        "may": _may(state, around.asker, around.ruleset),
        "may_referee": _may(state, "referee", around.ruleset),
    }


def _may(state: TableState, asker: Asker, ruleset: Ruleset | None) -> list[str]:
    """Commands worth offering: what the phase permits, without those that this game or this moment has no use for."""
    without = set()
    if state.tijd is not None or (state.phase is Phase.FROZEN and state.claim is None):
        without.add("sound_tijd")
    if undo_point(state) is None:
        without.add("undo")
    if ruleset is not None:
        without |= judging.of_no_use(state, asker, ruleset=ruleset)
    return [name for name in allowed(state.phase, asker) if name not in without]


def _turn(state: TableState) -> dict[str, Any] | None:
    """Whose turn it is, and at which game time it began and first attacked: what the turn clock counts from."""
    if state.turn_player is None:
        return None
    return {
        "number": state.turn,
        "player": state.turn_player,
        "started_ms": state.turn_started_ms,
        "attack_started_ms": state.attack_started_ms,
    }


def _player(state: TableState, player: str, around: Surroundings) -> dict[str, Any]:
    found = state.player(player)
    return {
        "id": found.id,
        "name": around.names.get(found.id, found.id),
        "seat": found.seat,
        "order": found.order,
        "colour": found.colour,
        "start_dice": list(found.start_dice),
        "bound": found.button is not None,
        "connected_button": found.button,
        "out": {"by": found.out_by, "left_before": found.left_before} if found.is_out else None,
        "signed": found.signed,
    }


def clock_view(state: TableState, around: Surroundings) -> dict[str, Any] | None:
    """The clock as the screen counts it on; None before a game is set up.

    Where the rules keep the length secret it is not even in the state from which this is made.
    """
    clock = state.clock
    if clock is None:
        return None
    elapsed_ms = clock.elapsed_at(around.now_ns)
    # A journal of before the seals may hold a length that must not be seen.
    is_secret = around.ruleset is not None and secret_length(around.ruleset) is not None
    length_ms = None if is_secret else clock.length_ms
    return {
        "running": clock.anchor_ns is not None,
        "public": length_ms is not None,
        "length_ms": length_ms,
        "elapsed_ms": elapsed_ms,
        "added_ms": clock.added_ms,
        "remaining_ms": None if length_ms is None else length_ms - elapsed_ms,
        "scale": clock.scale,
        "last_phase": _is_last_phase(clock, elapsed_ms, around.ruleset),
        "paused": {"reason": clock.paused} if clock.paused and state.phase is Phase.PLAYING else None,
        "attack_remaining_ms": judging.attack_remaining_ms(state, elapsed_ms, ruleset=around.ruleset),
        "attack_time_over": state.attack_time_over,
    }


def _is_last_phase(clock: ClockState, elapsed_ms: int, ruleset: Ruleset | None) -> bool:
    if clock.length_ms is None or ruleset is None:
        return False
    starts_s = last_phase_starts_s(clock.length_ms / 1000, ruleset=ruleset)
    return starts_s is not None and elapsed_ms >= starts_s * 1000


def _throw(throw: ThrowState, state: TableState, around: Surroundings) -> dict[str, Any]:
    accepted = throw.accepted
    return {
        "id": throw.id,
        "player": throw.player,
        "called": throw.called,
        "state": "rolling" if around.is_rolling and throw.is_open else throw.step.value,
        "why": throw.annulled.why if throw.annulled else None,
        "sides": {
            "attack": _side("attack", throw.attack, around) if throw.attack else None,
            "defence": _side("defence", throw.defence, around) if throw.defence else None,
        },
        "losses": {"attacker": accepted.attacker_loses, "defender": accepted.defender_loses}
        if accepted and accepted.attacker_loses is not None
        else None,
        **throw_extras(throw, state, ruleset=around.ruleset, say=around.say),
    }


def _side(name: Side, side: SideState, around: Surroundings) -> dict[str, Any]:
    settled, ruled = side.settled, side.ruled
    # People enter what a die shows, not what it looks like: it is one of its side's.
    entered = around.dice.get(name) if settled.source == "hand" else None
    fates = ruled.fates if ruled else ("void",) * len(settled.dice)
    return {
        "dice": [
            {
                "value": die.value,
                "verdict": die.verdict,
                "fate": fate,
                "colour": die.colour or entered,
                "lean_deg": die.lean_deg,
                "height_mm": die.height_mm,
                "confidence": die.confidence,
                "why": die.why,
                "rolled": die.rolled,
                "center_px": die.center_px,
                "box_px": die.box_px,
            }
            for die, fate in zip(settled.dice, fates, strict=True)
        ],
        "action": ruled.action if ruled else "referee",
        "counted": list(ruled.counted) if ruled else [],
        "dropped": list(ruled.dropped) if ruled else [],
        "standing": list(ruled.standing) if ruled else [],
        "reroll": ruled.reroll if ruled else 0,
        "reasons": [reason_view(reason) for reason in (ruled.reasons if ruled else ())],
        "said": [around.say(reason) for reason in (ruled.reasons if ruled else ())],
        "evidence": settled.evidence,
        "settled_ns": settled.settled_ns,
        "source": settled.source,
    }


def _tijd(state: TableState, around: Surroundings) -> dict[str, Any] | None:
    if state.tijd is None:
        return None
    signal = state.signal
    return {
        "at_ns": state.tijd.at_ns,
        "source": state.tijd.source,
        "elapsed_ms": state.tijd.elapsed_ms,
        "throw": signal.verdict if signal else "none",
        "board": signal.board if signal else "as_it_is",
        "uncertain": signal.uncertain if signal else False,
        "reasons": [reason_view(reason) for reason in (signal.reasons if signal else ())],
        "said": [around.say(reason) for reason in (signal.reasons if signal else ())],
    }


def _frozen(state: TableState) -> dict[str, Any] | None:
    if state.frozen is None:
        return None
    claim = state.claim
    return {
        "why": state.frozen.why,
        "claim": {"player": claim.player, "mission": claim.mission, "destroyed": claim.destroyed} if claim else None,
        "played_on": state.played_on,
    }


def _result(state: TableState, around: Surroundings) -> dict[str, Any] | None:
    score = state.score
    if score is None:
        return None
    results = state.results or {}
    return {
        "places": [
            {
                "player": place.player,
                "result": results.get(place.player, place.result),
                "computed": place.result,
                "place": place.place,
                "score": place.score,
                "reason": reason_view(place.reason),
                "said": around.say(place.reason),
            }
            for place in score.places
        ],
        "unresolved": [list(group) for group in score.unresolved] if state.ruling is None else [],
        "at_stake": list(score.at_stake) if state.ruling is None else [],
        "ruling": {"results": dict(state.ruling.results), "reason": state.ruling.reason} if state.ruling else None,
        "signed": [p.id for p in state.players if p.signed],
        "disputed": {"player": state.dispute.player, "reason": state.dispute.reason} if state.dispute else None,
        "scores": dict(score.scores),
        "changed": {"reason": state.changed.reason, "before": dict(state.changed.before)} if state.changed else None,
        "closed": state.closed,
    }


def _referee_called(state: TableState, around: Surroundings) -> dict[str, Any] | None:
    if state.referee_called_ns is None:
        return None
    waiting_ms = max(0, around.now_ns - state.referee_called_ns) // 1_000_000
    return {"by": state.referee_called_by, "how": state.referee_called_how, "waiting_ms": waiting_ms}


def _recovered(state: TableState) -> dict[str, Any] | None:
    found = state.recovered
    if found is None:
        return None
    return {"events": found.events, "away_ms": found.away_ms, "same_boot": found.same_boot}
