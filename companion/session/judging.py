"""Where a table's facts become questions to the rules, and the rules' answers become facts.

The rules know sheets, positions and claims; the session knows events. This is the one place that translates, so that
`decide` reads like what happens at a table and the rules stay free of tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.rules import clock, scoring
from companion.rules import missions as mission_cards
from companion.rules.board import Board, load_board
from companion.rules.cards import Hand
from companion.rules.errors import PositionError
from companion.rules.position import Claim, KnockedOut, PlayerPosition, Position
from companion.rules.ruleset import Ruleset
from companion.session.errors import Refused
from companion.session.events import HoldingsFact, PlaceFact, ScoreComputed
from companion.session.finish import ThrowAtSignal
from companion.session.snapshot import TableState
from companion.session.transitions import Phase

_CARDS = ("infantry", "artillery", "cavalry", "joker")


def signal(at: ThrowAtSignal, *, ruleset: Ruleset) -> clock.SignalRuling:
    """What the signal does to the throw that was under way."""
    return clock.signal(
        clock.ThrowAtSignal(attack=at.attack, defence=at.defence, losses_taken=at.losses_taken), ruleset=ruleset
    )


def attack_remaining_ms(state: TableState, elapsed_ms: int, *, ruleset: Ruleset | None) -> int | None:
    """Game time left to attack in this turn; None without a limit now."""
    if ruleset is None or state.clock is None or state.attack_started_ms is None or state.phase is not Phase.PLAYING:
        return None
    deadline_s = clock.attack_deadline(
        attack_started_s=state.attack_started_ms / 1000,
        now_s=elapsed_ms / 1000,
        turn_started_s=(state.turn_started_ms or 0) / 1000,
        ruleset=ruleset,
        length_s=state.clock.length_ms / 1000,
    )
    return None if deadline_s is None else max(0, round(deadline_s * 1000) - elapsed_ms)


def board_of(ruleset: Ruleset) -> Board:
    """The board on the table."""
    return load_board(ruleset.board, ruleset.edition())


def _knocked_out(state: TableState) -> tuple[KnockedOut, ...]:
    return tuple(
        KnockedOut(player=p.id, players_left_before=p.left_before or 0, by=p.out_by)
        for p in state.players
        if p.out_by is not None
    )


def _claim(state: TableState) -> Claim | None:
    claim = state.claim
    if claim is None:
        return None
    return Claim(player=claim.player, mission=claim.mission, destroyed=claim.destroyed)


def _colours(state: TableState) -> dict[str, str]:
    return {p.id: p.colour for p in state.players if p.colour}


def _hand(holdings: HoldingsFact) -> Hand | None:
    if holdings.hand is None:
        return None
    strange = set(holdings.hand) - set(_CARDS)
    if strange:
        raise Refused(
            "unknown-card",
            f"a card is {', '.join(_CARDS)}; got {', '.join(sorted(strange))}",
            player=holdings.id,
            cards=sorted(strange),
        )
    return Hand(**{card: holdings.hand.get(card, 0) for card in _CARDS})


def position_of(holdings: Sequence[HoldingsFact], vacant: Sequence[str]) -> Position | None:
    """The recorded board, or None where nothing was recorded because nothing needed it."""
    if not holdings and not vacant:
        return None
    players = tuple(
        PlayerPosition(player=h.id, territories=h.territories, armies=h.armies, hand=_hand(h)) for h in holdings
    )
    return Position(players=players, vacant=tuple(vacant))


def score(
    state: TableState, holdings: Sequence[HoldingsFact], vacant: Sequence[str], *, ruleset: Ruleset, at_ns: int
) -> ScoreComputed:
    """The places of the table with the step that decided each.

    Raises:
        PositionError: The board can't be true, something that decides was left out, or the claimed mission is not
            done on the board as recorded.
    """
    board = board_of(ruleset)
    position = position_of(holdings, vacant)
    claim = _claim(state)
    sheet = scoring.Sheet(
        players=tuple(p.id for p in state.players),
        position=position,
        knocked_out=_knocked_out(state),
        claim=claim,
        colours=_colours(state),
    )
    result = scoring.table_result(sheet, board=board, ruleset=ruleset)
    return ScoreComputed(
        at_ns=at_ns,
        places=tuple(
            PlaceFact(player=place.player, place=place.place, result=place.result, reason=place.reason)
            for place in result.places
        ),
        unresolved=result.unresolved,
        at_stake=result.at_stake,
    )


def need(state: TableState, ruleset: Ruleset) -> dict[str, Any]:
    """What must still be recorded, as the screen is told."""
    found = scoring.needed(
        tuple(p.id for p in state.players),
        knocked_out=_knocked_out(state),
        claim=_claim(state),
        board=board_of(ruleset),
        ruleset=ruleset,
    )
    return {
        "board": found.board,
        "armies": found.armies,
        "hands": found.hands,
        "next": found.next,
        "players": list(found.players),
        "why": found.reason.code,
        "reason": {"code": found.reason.code, "clause": found.reason.clause, "values": dict(found.reason.values)},
    }


def missions(state: TableState, ruleset: Ruleset) -> tuple[str, ...]:
    """Missions that are in play with the colours chosen; none before that or where a system has none."""
    colours = _colours(state)
    if not ruleset.at("missions.colours") or len(colours) < len(state.players):
        return ()
    return mission_cards.missions_in_play(tuple(colours.values()), ruleset=ruleset).in_play


def check_mission(mission: str, state: TableState, *, ruleset: Ruleset) -> None:
    """Refuse a mission that is not in play.

    Raises:
        PositionError: It is unknown, or was taken out.
    """
    mission_cards.check_mission(mission, tuple(_colours(state).values()), ruleset=ruleset)


def check_results(results: Mapping[str, str], *, ruleset: Ruleset) -> None:
    """Refuse a referee's result that the system does not have.

    Raises:
        PositionError: A word that is no result.
    """
    words = scoring.result_words(len(results), ruleset=ruleset)
    for player, result in results.items():
        if result not in words:
            raise PositionError(
                "unknown-result",
                f"a result is {', '.join(words)}; {player!r} was given {result!r}",
                player=player,
                result=result,
                known=list(words),
            )
