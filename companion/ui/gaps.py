"""What still keeps a board from being confirmed: what is missing, and what cannot be right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.ui.asking import Asked
from companion.ui.draft import MOST_JOKERS, Atlas, Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something that is missing or cannot be right: a code for the words, the part that mends it, its values."""

    code: str
    tab: str
    values: Mapping[str, Any] = field(default_factory=dict)


def gaps(
    draft: Draft, *, alive: Sequence[str], out: Sequence[str], atlas: Atlas, asked: Asked, cap: int | None = None
) -> tuple[Gap, ...]:
    """All gaps, the most basic first; none when the board may be confirmed.

    Args:
        draft: What was said.
        alive: Players still in the game.
        out: Players knocked out.
        atlas: Territories by continent.
        asked: What decides this table.
        cap: Most armies that a player may have on the board, or None.
    """
    counts = draft.counts()
    found = [*_owner_gaps(draft, alive, out, atlas)] if asked.board else []
    found += [Gap(code="armies", tab="armies", values={"player": p}) for p in asked.armies if p not in draft.armies]
    # A number that cannot be right is wrong even where nobody needs it: the table would refuse the sheet.
    for player in alive:
        armies = draft.armies.get(player)
        if armies is not None and armies < counts[player]:
            values = {"player": player, "armies": armies, "territories_n": counts[player]}
            found.append(Gap(code="armies-few", tab="armies", values=values))
        if armies is not None and cap is not None and armies > cap:
            found.append(
                Gap(code="armies-many", tab="armies", values={"player": player, "armies": armies, "most": cap})
            )
    found += [Gap(code="hand", tab="cards", values={"player": p}) for p in asked.hands if p not in draft.hands]
    jokers = sum(hand.get("joker", 0) for hand in draft.hands.values())
    if jokers > MOST_JOKERS:
        found.append(Gap(code="jokers", tab="cards", values={"n": jokers}))
    found += [
        Gap(code="unplaced", tab="unplaced", values={"player": p}) for p in asked.unplaced if p not in draft.unplaced
    ]
    found += _owned_gaps(draft, asked)
    found += _objective_gaps(draft, asked)
    found += _armies_on_gaps(draft, asked)
    return tuple(found)


def _owner_gaps(draft: Draft, alive: Sequence[str], out: Sequence[str], atlas: Atlas) -> list[Gap]:
    counts = draft.counts()
    found: list[Gap] = []
    for continent, territories in atlas.items():
        unsaid = [t for t in territories if t not in draft.owners]
        if unsaid:
            values = {"continent": continent, "n": len(unsaid), "territories": unsaid}
            found.append(Gap(code="owners", tab="owners", values=values))
    complete = not found
    found += [Gap(code="out-owns", tab="owners", values={"player": p, "n": counts[p]}) for p in out if counts[p]]
    if complete:
        found += [Gap(code="owns-nothing", tab="owners", values={"player": p}) for p in alive if not counts[p]]
    return found


def _owned_gaps(draft: Draft, asked: Asked) -> list[Gap]:
    found = [Gap(code="owned", tab="owned", values={"player": p}) for p in asked.owned if p not in draft.own_cards]
    for player, owned in draft.own_cards.items():
        hand = draft.hands.get(player)
        if hand is not None and any(count > hand.get(symbol, 0) for symbol, count in owned.items()):
            found.append(Gap(code="owned-many", tab="owned", values={"player": player}))
    return found


def _objective_gaps(draft: Draft, asked: Asked) -> list[Gap]:
    found = [
        Gap(code="objective", tab="objectives", values={"player": p})
        for p in asked.objectives
        if p not in draft.objectives
    ]
    held = [draft.objectives[p] for p in asked.objectives if p in draft.objectives]
    twice = dict.fromkeys(objective for objective in held if held.count(objective) > 1)
    return found + [Gap(code="objective-twice", tab="objectives", values={"objective": o}) for o in twice]


def _armies_on_gaps(draft: Draft, asked: Asked) -> list[Gap]:
    found = []
    for player in asked.armies_on:
        open_ = [t for t, owner in draft.owners.items() if owner == player and t not in draft.armies_on]
        if open_:
            found.append(Gap(code="armies-on", tab="armies_on", values={"player": player, "n": len(open_)}))
    return found
