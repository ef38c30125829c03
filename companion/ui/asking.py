"""What still has to be asked of the players, asked anew at every tap.

Theory: the rules know what decides a table: owners first, then armies among those who are equal, then cards among those
who are still equal. Once every territory has an owner the same function of the rules that the table uses is asked with
the draft, so that players count armies only where a tie needs them. Where this screen does not have the table's rules
(a club's own), everything is asked that the table says may be needed: too much is slow, too little would be wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from companion.rules.board import Board, load_board
from companion.rules.cards import Hand
from companion.rules.errors import RulesError
from companion.rules.position import Claim, KnockedOut, PlayerPosition, Position
from companion.rules.ruleset import Ruleset, load_ruleset
from companion.rules.scoring import needed
from companion.ui.draft import VACANT, Atlas, Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What decides this table, as far as the draft tells.

    Attributes:
        board: Whether the owners of the territories decide anything.
        armies: Players whose armies are needed.
        hands: Players whose cards are needed.
        objectives: Players whose objective is needed.
        armies_on: Players whose armies are needed territory by territory.
        unplaced: Players whose armies that were not placed are needed.
        owned: Players whose cards with an owned land are needed.
        may_lot: Whether a lot may part those who are equal to the end.
        may_armies: Whether armies may still become needed, so that they can be typed already.
        may_hands: Whether cards may still become needed.
        reason: Why, as a reason of the rules, or None.
    """

    board: bool
    armies: tuple[str, ...]
    hands: tuple[str, ...]
    may_armies: bool
    may_hands: bool
    reason: Mapping[str, Any] | None
    objectives: tuple[str, ...] = ()
    armies_on: tuple[str, ...] = ()
    unplaced: tuple[str, ...] = ()
    owned: tuple[str, ...] = ()
    may_lot: bool = False


NOTHING_ASKED = Asked(board=False, armies=(), hands=(), may_armies=False, may_hands=False, reason=None)
"""A table whose board is not frozen: nothing is asked of it."""


def asked(state: Mapping[str, Any], draft: Draft, atlas: Atlas) -> Asked:
    """What is needed of the draft now.

    Args:
        state: The table's state, phase 'frozen'.
        draft: What was said so far.
        atlas: Territories by continent.
    """
    found = _asked(state, draft, atlas)
    also: Sequence[str] = (state.get("need") or {}).get("also") or ()
    alive = tuple(player["id"] for player in state.get("players") or () if not player.get("out"))
    claim = (state.get("frozen") or {}).get("claim") or {}
    claimant = tuple(player for player in alive if player == claim.get("player"))
    return replace(
        found,
        objectives=alive if "objectives" in also else (),
        armies_on=(claimant or alive) if "armies_on" in also else (),
        unplaced=_with(alive, found.armies, draft.armies) if "unplaced_armies" in also else (),
        owned=_with(alive, found.hands, draft.hands) if "owned_cards" in also else (),
        may_lot="lot" in also,
    )


def _with(alive: Sequence[str], asked_of: Collection[str], said_of: Collection[str]) -> tuple[str, ...]:
    """Players of whom a count is asked or was said: what belongs to that count is asked of them, too."""
    return tuple(player for player in alive if player in asked_of or player in said_of)


def _asked(state: Mapping[str, Any], draft: Draft, atlas: Atlas) -> Asked:
    told: Mapping[str, Any] = state.get("need") or {}
    alive = tuple(player["id"] for player in state.get("players") or () if not player.get("out"))
    whole = sum(len(group) for group in atlas.values())
    board, armies, hands = (bool(told.get(name, True)) for name in ("board", "armies", "hands"))
    if board and len(draft.owners) < whole:
        # Which armies and cards decide is known once every owner is.
        return Asked(board=True, armies=(), hands=(), may_armies=armies, may_hands=hands, reason=told.get("reason"))
    if board:
        found = _by_the_rules(state, draft, alive)
        if found is not None:
            return found
    return Asked(
        board=board,
        armies=alive if armies else (),
        hands=alive if hands else (),
        may_armies=armies,
        may_hands=hands,
        reason=told.get("reason"),
    )


def _by_the_rules(state: Mapping[str, Any], draft: Draft, alive: Sequence[str]) -> Asked | None:
    """What the rules say of a draft with all owners; None where this screen can't ask them."""
    ruleset = ruleset_of(state)
    if ruleset is None:
        return None
    found = needed(
        [player["id"] for player in state.get("players") or ()],
        knocked_out=_knocked_out(state),
        claim=_claim(state),
        board=board_of_rules(ruleset.board, ruleset.edition()),
        ruleset=ruleset,
        position=position_of(draft, alive),
    )
    return Asked(
        board=True,
        armies=found.players if found.next == "armies" else (),
        hands=found.players if found.next == "hands" else (),
        may_armies=found.armies,
        may_hands=found.hands,
        reason={"code": found.reason.code, "clause": found.reason.clause, "values": dict(found.reason.values)},
    )


def ruleset_of(state: Mapping[str, Any]) -> Ruleset | None:
    """The table's rules, or None where this screen does not have them."""
    told = state.get("ruleset") or {}
    options: Mapping[str, Any] = state.get("options") or {}
    try:
        ruleset = _loaded(str(state.get("system")), tuple(sorted(options.items())))
    except RulesError:
        return None
    return ruleset if ruleset.hash == told.get("hash") else None


@lru_cache(maxsize=4)
def _loaded(system: str, options: tuple[tuple[str, Any], ...]) -> Ruleset:
    return load_ruleset(system, dict(options))


@lru_cache(maxsize=4)
def board_of_rules(name: str, edition: str | None) -> Board:
    """The board on the table."""
    return load_board(name, edition)


def _knocked_out(state: Mapping[str, Any]) -> tuple[KnockedOut, ...]:
    fallen = [(player["id"], player["out"]) for player in state.get("players") or () if player.get("out")]
    return tuple(
        KnockedOut(player=player, players_left_before=out.get("left_before") or 0, by=out.get("by"))
        for player, out in fallen
    )


def _claim(state: Mapping[str, Any]) -> Claim | None:
    claim = (state.get("frozen") or {}).get("claim")
    if not claim:
        return None
    return Claim(player=claim["player"], mission=claim.get("mission"), destroyed=claim.get("destroyed"))


def position_of(draft: Draft, alive: Sequence[str]) -> Position:
    """The draft as the rules read it; armies that are still too few are being typed, and count as unknown."""
    counts = draft.counts()
    held = []
    for player in alive:
        armies = draft.armies.get(player)
        held.append(
            PlayerPosition(
                player=player,
                territories=tuple(t for t, owner in draft.owners.items() if owner == player),
                armies=armies if armies is not None and armies >= counts[player] else None,
                hand=Hand(**draft.hands[player]) if player in draft.hands else None,
            )
        )
    return Position(players=tuple(held), vacant=tuple(t for t, owner in draft.owners.items() if owner == VACANT))
