"""Where a table's facts become questions to the rules, and the rules' answers become facts.

The rules know sheets, positions and claims; the session knows events. This is the one place that translates, so that
`decide` reads like what happens at a table and the rules stay free of tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.rules import clock, combat, scoring
from companion.rules import missions as mission_cards
from companion.rules.board import Board, lines_to_remember, load_board
from companion.rules.cards import Hand
from companion.rules.errors import PositionError
from companion.rules.objectives import load_objectives
from companion.rules.position import Claim, KnockedOut, PlayerPosition, Position
from companion.rules.reason import Reason
from companion.rules.ruleset import Ruleset
from companion.session.errors import Refused
from companion.session.events import BoardRecorded, HoldingsFact, PlaceFact, ScoreComputed
from companion.session.finish import ThrowAtSignal
from companion.session.snapshot import TableState, ThrowState
from companion.session.transitions import Phase

_CARDS = ("infantry", "artillery", "cavalry", "joker")


def signal(at: ThrowAtSignal, *, ruleset: Ruleset) -> clock.SignalRuling:
    """What the signal does to the throw that was under way."""
    return clock.signal(
        clock.ThrowAtSignal(
            attack=at.attack,
            defence=at.defence,
            losses_taken=at.losses_taken,
            throws_before=at.throws_before,
            attacker_stopped=at.attacker_stopped,
            territory_conquered=at.territory_conquered,
        ),
        ruleset=ruleset,
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
        length_s=None if state.clock.length_ms is None else state.clock.length_ms / 1000,
    )
    return None if deadline_s is None else max(0, round(deadline_s * 1000) - elapsed_ms)


def board_of(ruleset: Ruleset) -> Board:
    """The board on the table."""
    return load_board(ruleset.board, ruleset.edition())


def _knocked_out(state: TableState) -> tuple[KnockedOut, ...]:
    return tuple(
        KnockedOut(player=p.id, players_left_before=p.left_before or 0, by=p.out_by) for p in state.players if p.is_out
    )


def _claim(state: TableState) -> Claim | None:
    claim = state.claim
    if claim is None:
        return None
    return Claim(player=claim.player, mission=claim.mission, destroyed=claim.destroyed)


def _colours(state: TableState) -> dict[str, str]:
    return {p.id: p.colour for p in state.players if p.colour}


def _hand(player: str, cards: Mapping[str, int] | None) -> Hand | None:
    if cards is None:
        return None
    strange = set(cards) - set(_CARDS)
    if strange:
        raise Refused(
            "unknown-card",
            f"a card is {', '.join(_CARDS)}; got {', '.join(sorted(strange))}",
            player=player,
            cards=sorted(strange),
        )
    return Hand(**{card: cards.get(card, 0) for card in _CARDS})


def position_of(holdings: Sequence[HoldingsFact], vacant: Sequence[str]) -> Position | None:
    """The recorded board, or None where nothing was recorded because nothing needed it."""
    if not holdings and not vacant:
        return None
    players = tuple(
        PlayerPosition(
            player=h.id,
            territories=h.territories,
            armies=h.armies,
            armies_on=h.armies_on,
            unplaced_armies=h.unplaced_armies,
            hand=_hand(h.id, h.hand),
            owned_cards=_hand(h.id, h.owned_cards),
        )
        for h in holdings
    )
    return Position(players=players, vacant=tuple(vacant))


def _objectives(state: TableState, recorded: BoardRecorded) -> dict[str, str]:
    """Objective by player, as recorded; the claimed one is known already."""
    found = {h.id: h.objective for h in recorded.players if h.objective is not None}
    claim = state.claim
    if claim is None or claim.mission is None:
        return found
    told = found.setdefault(claim.player, claim.mission)
    if told != claim.mission:
        raise Refused(
            "objective-differs",
            f"{claim.player!r} claimed {claim.mission!r}, but is recorded with {told!r}: correct one of them",
            player=claim.player,
            claimed=claim.mission,
            recorded=told,
        )
    return found


def score(state: TableState, recorded: BoardRecorded, *, ruleset: Ruleset, at_ns: int) -> ScoreComputed:
    """The places of the table with the step that decided each: what `companion score` says of the same sheet.

    Raises:
        PositionError: The board can't be true, something that decides was left out, or the claimed mission is not
            done on the board as recorded.
        Refused: A card or an objective that can't be.
    """
    has_objectives = ruleset.system == "risiko"
    if not has_objectives and any(h.objective is not None for h in recorded.players):
        raise Refused("no-objectives-here", f"{ruleset.system} has no objectives: leave them out")
    sheet = scoring.Sheet(
        players=tuple(p.id for p in state.players),
        position=position_of(recorded.players, recorded.vacant),
        knocked_out=_knocked_out(state),
        claim=_claim(state),
        colours=_colours(state),
        objectives=_objectives(state, recorded) if has_objectives else {},
        played_on=state.played_on,
    )
    result = scoring.table_result(sheet, board=board_of(ruleset), ruleset=ruleset, lot=recorded.lot)
    return ScoreComputed(
        at_ns=at_ns,
        places=tuple(
            PlaceFact(
                player=place.player, place=place.place, result=place.result, reason=place.reason, score=place.score
            )
            for place in result.places
        ),
        unresolved=result.unresolved,
        at_stake=result.at_stake,
        scores=dict(result.scores),
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
        "also": _also(state, ruleset) if found.board else [],
        "why": found.reason.code,
        "reason": {"code": found.reason.code, "clause": found.reason.clause, "values": dict(found.reason.values)},
    }


def _also(state: TableState, ruleset: Ruleset) -> list[str]:
    """What a board must say beyond owners, armies and hands, by the chosen options and the claim."""
    wanted = {
        "objectives": ruleset.system == "risiko",
        "armies_on": state.claim is not None and state.claim.mission == "occupy_18_with_two",
        "owned_cards": ruleset.options.get("card_armies_owned_bonus") is True,
        "unplaced_armies": ruleset.options.get("count_unplaced_armies") is True,
        "lot": ruleset.options.get("unresolved") == "lot",
    }
    return [name for name, is_so in wanted.items() if is_so]


def missions(state: TableState, ruleset: Ruleset) -> tuple[str, ...]:
    """Missions or objectives that somebody here can have; none before colours tell, or where a system has none."""
    if ruleset.system == "risiko":
        return tuple(load_objectives())
    colours = _colours(state)
    if not has_missions(ruleset) or len(colours) < len(state.players):
        return ()
    return mission_cards.missions_in_play(tuple(colours.values()), ruleset=ruleset).in_play


def has_missions(ruleset: Ruleset) -> bool:
    """Whether players of this system have missions from the box."""
    return ruleset.system in ("nl1996", "classic")


def may_claim_late(ruleset: Ruleset) -> bool:
    """Whether players may claim on a board that the signal froze: where a combat may be won after it."""
    return ruleset.word("signal.mode") == "finish_combat"


def of_no_use(state: TableState, asker: str, *, ruleset: Ruleset) -> set[str]:
    """Commands that the phase permits and that mean nothing in this system, or for this asker now."""
    found = set()
    if len(combat.targets(ruleset)) == 1:
        found.add("set_context")
    if ruleset.system != "rebels":
        found |= {"tell_rebels", "return_player"}
    if ruleset.system == "rebels":
        found.add("claim_mission")
    if ruleset.system != "nl1996":
        found.add("rule_played_on")
    if state.frozen is not None:
        is_open = state.claim is None and state.frozen.why == "tijd"
        if not is_open or not (may_claim_late(ruleset) or asker == "referee"):
            found.add("claim_mission")
    return found


def check_claim(player: str, mission: str | None, destroyed: str | None, state: TableState, *, ruleset: Ruleset) -> str:
    """The claimant, if a claim of this kind can be made here.

    Raises:
        Refused: The destroyed player is still in the game, or the system knows no such claim.
        PositionError: The mission is unknown, or was taken out.
    """
    gone = None if destroyed is None else next((p for p in state.players if p.id == destroyed), None)
    if destroyed is not None and (gone is None or not gone.is_out):
        raise Refused(
            "not-destroyed",
            f"{destroyed!r} is still in the game: record first who knocked them out",
            player=destroyed,
        )
    if ruleset.system == "rebels":
        raise Refused(
            "no-claims-here",
            "rebels are played for world domination, without missions: the last player or the signal ends the game",
        )
    if mission is None:
        return player
    if ruleset.system == "risiko":
        known = load_objectives()
        if mission not in known:
            raise PositionError(
                "unknown-objective",
                f"there is no objective {mission!r}; choose one of {', '.join(known)}",
                objective=mission,
                known=list(known),
            )
    elif not has_missions(ruleset):
        raise Refused("no-missions-here", f"{ruleset.system} has no missions: claim without one")
    else:
        mission_cards.check_mission(mission, tuple(_colours(state).values()), ruleset=ruleset)
    return player


def warnings(throw: ThrowState, *, ruleset: Ruleset) -> tuple[Reason, ...]:
    """What is wrong with the numbers of dice of a throw whose sides both stand."""
    sides = [side.ruled for side in (throw.attack, throw.defence) if side is not None and side.ruled is not None]
    if len(sides) < 2 or any(ruled.action != "accept" for ruled in sides):
        return ()
    attack, defence = (len(ruled.counted) for ruled in sides)
    return combat.dice_seen(attack, defence, ruleset=ruleset, must_defend=throw.allowed_defence)


def borders_to_remember(ruleset: Ruleset) -> tuple[tuple[str, str], ...]:
    """Borders that count at this table although the board that lies there does not show them."""
    return lines_to_remember(board_of(ruleset), ruleset=ruleset)


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
