"""A frozen board: who owns what, with which armies and cards; refused when it can't be true.

Two forms. A `PlayerPosition` is what people recorded: territory ids, armies, hand. A `Tally` is what the scoring
needs of it: continents, number of territories, armies, hand. Armies and hands may still be unknown (None), because
often they decide nothing; whoever needs them says so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from companion.rules.board import Board
from companion.rules.cards import Hand, check_deck, check_hand, check_owned
from companion.rules.errors import PositionError
from companion.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerPosition:
    """What one player holds.

    Attributes:
        player: Player id.
        territories: Ids of the owned territories.
        armies: All armies on the board, in units of one; None while not counted.
        armies_on: Armies by territory where they were recorded one by one; None where only the sum was.
        unplaced_armies: Armies received but not yet placed.
        hand: Cards; None while not counted.
        owned_cards: Those of the cards whose land the player owns; only asked where a rule counts them.
    """

    player: str
    territories: tuple[str, ...]
    armies: int | None = None
    armies_on: Mapping[str, int] | None = None
    unplaced_armies: int = 0
    hand: Hand | None = None
    owned_cards: Hand | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """The whole frozen board.

    Attributes:
        players: Those still in the game.
        vacant: Territories that nobody owns (neutral, left out, or rebels').
    """

    players: tuple[PlayerPosition, ...]
    vacant: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnockedOut:
    """A player who lost the last territory.

    Attributes:
        player: Player id.
        players_left_before: Players at the table just before, this one included.
        by: Who destroyed the player; None when nobody did (a penalty, a withdrawal).
    """

    player: str
    players_left_before: int
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A mission or objective that was claimed as reached.

    Attributes:
        player: Who claims.
        mission: Mission or objective id; None while nobody said which.
        destroyed: The player whose destruction completed it, if that was the mission.
    """

    player: str
    mission: str | None = None
    destroyed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a player holds, as the scoring counts it.

    Attributes:
        player: Player id.
        continents: Ids of the whole continents held.
        territories: Number of territories.
        armies: Armies that count; None while unknown.
        hand: Cards; None while unknown.
        owned_cards: Those of the cards whose land the player owns.
    """

    player: str
    continents: tuple[str, ...]
    territories: int
    armies: int | None = None
    hand: Hand | None = None
    owned_cards: Hand | None = None


def check_players(players: Sequence[str], *, ruleset: Ruleset) -> None:
    """Refuse a table that the system does not know.

    Raises:
        PositionError: Too few or too many players, or one of them twice.

    Source:
        nl1996 2.1; risiko 4; apoikia, players; classic, facts.
    """
    for at, player in enumerate(players):
        if player in players[:at]:
            raise PositionError("player-twice", f"{player!r} sits at the table twice; name each once", player=player)
    least, most = ruleset.number("players.least"), ruleset.number("players.most")
    if len(players) < least:
        raise PositionError(
            "too-few-players",
            f"{ruleset.name} is played by at least {least}, not {len(players)}; add players or join tables",
            count=len(players),
            least=least,
        )
    if len(players) > most:
        raise PositionError(
            "too-many-players",
            f"{ruleset.name} is played by at most {most}, not {len(players)}; split the table",
            count=len(players),
            most=most,
        )


def check_colours(colours: Mapping[str, str], *, ruleset: Ruleset) -> None:
    """Refuse a colour that two players have, or that the box has not.

    Args:
        colours: Player id to colour.
        ruleset: The rules of the table; systems without missions know any colour.

    Raises:
        PositionError: A colour twice, or an unknown one.
    """
    known = ruleset.at("missions.colours")
    first: dict[str, str] = {}
    for player, colour in colours.items():
        if known is not None and colour not in known:
            raise PositionError(
                "unknown-colour",
                f"{player!r} has colour {colour!r}; the box has {', '.join(known)}",
                player=player,
                colour=colour,
                colours=list(known),
            )
        if colour in first:
            raise PositionError(
                "colour-twice",
                f"{first[colour]!r} and {player!r} both have {colour}; give one of them another colour",
                colour=colour,
                first=first[colour],
                second=player,
            )
        first[colour] = player


def check_knocked_out(knocked_out: Sequence[KnockedOut], players: Sequence[str]) -> None:
    """Refuse knock-outs that can't have happened at a table of these players.

    Args:
        knocked_out: In the order in which they fell.
        players: All players of the table.

    Raises:
        PositionError: A stranger, a player twice, somebody destroyed by a player who was out, or a wrong number of
            players left.
    """
    seen: set[str] = set()
    left = len(players)
    for fallen in sorted(knocked_out, key=lambda fallen: -fallen.players_left_before):
        for who in (fallen.player, fallen.by):
            if who is not None and who not in players:
                raise _unknown(who, players)
        if fallen.player in seen:
            raise PositionError("player-twice", f"{fallen.player!r} was knocked out twice", player=fallen.player)
        if fallen.by is not None and fallen.by in (*seen, fallen.player):
            others = [player for player in players if player not in (*seen, fallen.player)]
            raise PositionError(
                "unknown-player",
                f"{fallen.player!r} can't have fallen to {fallen.by!r}; it was one of {', '.join(others)}, or nobody",
                player=fallen.by,
                known=others,
            )
        if fallen.players_left_before != left:
            raise PositionError(
                "knocked-out-count",
                f"when {fallen.player!r} fell there were {left} players left, not {fallen.players_left_before}",
                player=fallen.player,
                players_left_before=fallen.players_left_before,
                wanted=left,
            )
        seen.add(fallen.player)
        left -= 1


def check_position(
    position: Position, *, board: Board, players: Sequence[str], ruleset: Ruleset, out: Collection[str] = ()
) -> None:
    """Refuse a recorded board that can't be true, with the rule, the offender and the way out.

    Unknown armies and hands pass; they are asked for when something depends on them.

    Args:
        position: What was recorded.
        board: The board of the table.
        players: All players of the table.
        ruleset: The rules of the table.
        out: Those of the players who were knocked out.

    Raises:
        PositionError: The first thing found wrong.
    """
    owner: dict[str, str] = {}
    seen: set[str] = set()
    for held in position.players:
        player = held.player
        if player not in players:
            raise _unknown(player, players)
        if player in seen:
            raise PositionError("player-twice", f"{player!r} is recorded twice; keep one of them", player=player)
        seen.add(player)
        if player in out:
            raise PositionError(
                "player-out-owns",
                f"{player!r} was knocked out and can't be on the frozen board; withdraw the one or the other",
                player=player,
            )
        if not held.territories:
            raise PositionError(
                "no-territory", f"{player!r} owns no territory; record them, or that the player is out", player=player
            )
        for territory in held.territories:
            _own(owner, territory, player, board)
        _check_armies(held, most=ruleset.at("reinforcement.cap"))
        if held.hand is not None:
            check_hand(player, held.hand, jokers=ruleset.number("cards.jokers"))
        if held.owned_cards is not None:
            check_owned(player, held.owned_cards, held.hand or Hand())
    for territory in position.vacant:
        _own(owner, territory, "", board)
    for player in players:
        if player not in seen and player not in out:
            raise PositionError(
                "player-missing",
                f"{player!r} is not recorded; record the territories, or that the player is out",
                player=player,
            )
    hands = [held.hand for held in position.players if held.hand is not None]
    check_deck(hands, territories=len(board.territories), jokers=ruleset.number("cards.jokers"))
    missing = [territory for territory in board.territories if territory not in owner]
    if missing:
        raise PositionError(
            "territories-missing",
            f"{len(owner)} of {len(board.territories)} territories have an owner; say who owns {', '.join(missing)}",
            count=len(owner),
            wanted=len(board.territories),
            missing=missing,
        )


def _own(owner: dict[str, str], territory: str, player: str, board: Board) -> None:
    if territory not in board.territories:
        raise PositionError(
            "unknown-territory", f"the board has no territory {territory!r}; pick it from the map", territory=territory
        )
    if territory in owner:
        raise PositionError(
            "territory-twice",
            f"{territory!r} is given to {owner[territory] or 'nobody'!r} and to {player or 'nobody'!r}; keep one",
            territory=territory,
            first=owner[territory],
            second=player,
        )
    owner[territory] = player


def _check_armies(held: PlayerPosition, *, most: int | None) -> None:
    player = held.player
    for territory, armies in (held.armies_on or {}).items():
        if territory not in held.territories:
            raise PositionError(
                "armies-stranger",
                f"{player!r} has armies in {territory!r}, but does not own it; correct the owner or the armies",
                player=player,
                territory=territory,
            )
        _check_whole(f"armies in {territory}", armies)
        if armies < 1:
            raise PositionError(
                "armies-not-positive",
                f"{player!r} has {armies} armies in {territory!r}; at least one stands in every owned territory",
                player=player,
                territory=territory,
                armies=armies,
            )
    if held.armies_on is not None and set(held.armies_on) != set(held.territories):
        raise PositionError(
            "armies-missing", f"the armies of {player!r} are not counted in every territory", player=player
        )
    if held.unplaced_armies < 0:
        raise PositionError(
            "negative-number",
            f"{player!r} can't have {held.unplaced_armies} armies to place; give 0 or more",
            what="unplaced_armies",
            value=held.unplaced_armies,
        )
    total = armies_of(held)
    if total is None:
        return
    _check_whole("armies", total)
    if most is not None and total > most:
        raise PositionError(
            "negative-number",
            f"{player!r} has {total} armies on the board, where at most {most} are allowed; count again, or take off "
            "what is over",
            what=f"armies of {player}",
            value=total,
        )
    if total < len(held.territories):
        raise PositionError(
            "armies-below-territories",
            f"{player!r} has {total} armies in {len(held.territories)} territories; at least one stands in each",
            player=player,
            armies=total,
            territories=len(held.territories),
        )


def _check_whole(what: str, value: object) -> None:
    if type(value) is not int:
        raise PositionError(
            "not-a-whole-number", f"{what} must be a whole number, got {value!r}", what=what, value=value
        )


def _unknown(player: str, players: Sequence[str]) -> PositionError:
    return PositionError(
        "unknown-player",
        f"{player!r} does not sit at this table; its players are {', '.join(players)}",
        player=player,
        known=list(players),
    )


def armies_of(held: PlayerPosition) -> int | None:
    """All armies that a player has on the board; None while they are not counted."""
    return sum(held.armies_on.values()) if held.armies_on is not None else held.armies


def tally(position: Position, *, board: Board, ruleset: Ruleset) -> tuple[Tally, ...]:
    """What each player's recorded board counts for, in the order recorded.

    Args:
        position: A checked position.
        board: The board of the table.
        ruleset: The rules; `count_unplaced_armies` decides in nl1996.

    Source:
        nl1996 3.2a to e.
    """
    count_unplaced = ruleset.options.get("count_unplaced_armies") is True
    tallies = []
    for held in position.players:
        armies = armies_of(held)
        if armies is not None and count_unplaced:
            armies += held.unplaced_armies
        tallies.append(
            Tally(
                player=held.player,
                continents=board.continents_held(held.territories),
                territories=len(held.territories),
                armies=armies,
                hand=held.hand,
                owned_cards=held.owned_cards,
            )
        )
    return tuple(tallies)
