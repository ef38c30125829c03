"""What one table's records amount to, as far as the hub's page and standings need it.

Theory: the hub does not decide, it reads; so it does not use the table's own fold, which refuses what it does not
know. A table may run a newer companion than the hub: records that are not known here are passed over and counted,
and a known record whose data is not as expected is put on the list of `oddities` that the page shows. What the hub
does know never comes from guessing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.journal import Record
from companion.session.seal import seal_text


@dataclass(slots=True, kw_only=True)
class Game:
    """One game of one table, as its records tell it so far.

    Attributes:
        tournament: Name of the tournament.
        round: Number of the round.
        table: Number or name of the table in that round.
        game: The game's own id, such as `r1-t7`.
        system: System of rules.
        ruleset: Name and hash of the ruleset.
        options: The director's choices.
        scale: How much faster than life its clock runs; 1.0 in earnest.
        players: Player ids.
        colours: Colour by player.
        order: Player to place in the order of play, once it is known.
        phase: seating, ready, playing, finishing, frozen, scored or closed.
        places: The computed places, best first.
        unresolved: Players whom the rules could not separate.
        signed: Who signed.
        disputed: Who disputes and why, or None.
        ruling: The referee's reason for setting the result, or None.
        results: Player to result, once the table is closed.
        scores: Player to points, in a system that has a Score.
        changed: The reason of a change after closing, or None.
        tournament_phase: Phase of the tournament, where the rules know phases; else empty.
        throw: The newest throw, or None.
        throws: How many throws were ruled.
        tijd: Who gave the signal, or None.
        seals: Secret lengths by seal, oldest first.
        closed_wall: When the table was closed, wall time of the table.
    """

    tournament: str
    round: int
    table: str
    game: str
    system: str
    ruleset: tuple[str, str]
    options: Mapping[str, Any]
    scale: float
    players: tuple[str, ...]
    colours: dict[str, str] = field(default_factory=dict)
    order: dict[str, int] = field(default_factory=dict)
    phase: str = "seating"
    places: tuple[Mapping[str, Any], ...] = ()
    unresolved: tuple[tuple[str, ...], ...] = ()
    signed: set[str] = field(default_factory=set)
    disputed: tuple[str, str] | None = None
    ruling: str | None = None
    results: dict[str, str] | None = None
    scores: dict[str, float] = field(default_factory=dict)
    changed: str | None = None
    tournament_phase: str = ""
    throw: Throw | None = None
    throws: int = 0
    tijd: str | None = None
    seals: dict[str, Seal] = field(default_factory=dict)
    closed_wall: str | None = None


@dataclass(slots=True, kw_only=True)
class Seal:
    """A secret length that was sealed in a game.

    Attributes:
        source: Whether the table drew it, or the hub gave it.
        hall: Name under which the hub keeps it, or None.
        armed_by: Who gives the signal by it.
        lost: Why the table can't vouch for it any more, or None.
        minutes: What it was, once revealed.
        text: The line that was hashed, once revealed.
    """

    source: str
    hall: str | None
    armed_by: str | None = None
    lost: str | None = None
    minutes: int | None = None
    text: str | None = None


@dataclass(slots=True, kw_only=True)
class Throw:
    """The newest throw of a game.

    Attributes:
        number: Its number in the game.
        player: Whose turn it was.
        called: Whether somebody pressed before it.
        rulings: Side to what the rules said of it: action and the values that count.
        state: settled, ruled, accepted or annulled.
    """

    number: int
    player: str
    called: bool
    rulings: dict[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict)
    state: str = "settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Oddity:
    """A record that the hub could not take in.

    Attributes:
        seq: Its number.
        type: Its wire name.
        why: What was not as expected.
    """

    seq: int
    type: str
    why: str


class TableFold:
    """The games of one journal, built record by record.

    Attributes:
        games: All games, oldest first.
        last: The newest record, or None.
        referee_called: Whether a referee is waited for.
        unknown: How many records were of types that this hub does not know.
        oddities: Known records with strange data.
    """

    def __init__(self) -> None:
        self.games: list[Game] = []
        self.last: Record | None = None
        self.referee_called = False
        self.unknown = 0
        self.oddities: list[Oddity] = []

    @property
    def game(self) -> Game | None:
        """The newest game."""
        return self.games[-1] if self.games else None

    def take(self, record: Record) -> None:
        """Take in the next record."""
        self.last = record
        step = _STEPS.get(record.type)
        if step is None:
            self.unknown += record.type not in _WITHOUT_MEANING
            return
        try:
            step(self, record.data)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self.oddities.append(Oddity(seq=record.seq, type=record.type, why=f"{type(error).__name__}: {error}"))


Step = Callable[[TableFold, Mapping[str, Any]], None]
GameStep = Callable[[Game, Mapping[str, Any]], None]


def _opened(fold: TableFold, data: Mapping[str, Any]) -> None:
    fold.referee_called = False
    fold.games.append(
        Game(
            tournament=str(data["tournament"]),
            round=int(data["round"]),
            table=str(data["table"]),
            game=str(data["game"]),
            system=str(data["system"]),
            ruleset=(str(data["ruleset_name"]), str(data["ruleset_hash"])),
            options=dict(data["options"]),
            scale=float(data["scale"]),
            players=tuple(str(player) for player in data["players"]),
            tournament_phase=str(data.get("phase", "")),
        )
    )


def _in_game(step: GameStep) -> Step:
    def within(fold: TableFold, data: Mapping[str, Any]) -> None:
        if fold.game is None:
            raise ValueError("no game was opened before it")
        step(fold.game, data)

    return within


def _seated(game: Game, data: Mapping[str, Any]) -> None:
    seats = [seat if isinstance(seat, Mapping) else dict(zip(("player", "seat", "order"), seat, strict=True))
             for seat in data["seats"]]  # fmt: skip
    game.order = {str(seat["player"]): int(seat["order"]) for seat in seats}
    game.phase = "ready"


def _coloured(game: Game, data: Mapping[str, Any]) -> None:
    game.colours[str(data["player"])] = str(data["colour"])


def _phase(name: str) -> GameStep:
    def enter(game: Game, _data: Mapping[str, Any]) -> None:
        game.phase = name

    return enter


def _settled(game: Game, data: Mapping[str, Any]) -> None:
    throw = game.throw
    if throw is None or throw.number != data["throw"]:
        throw = Throw(number=int(data["throw"]), player=str(data["player"]), called=bool(data["called"]))
    throw.state = "settled"
    game.throw = throw


def _ruled(game: Game, data: Mapping[str, Any]) -> None:
    throw = _same_throw(game, data)
    game.throws += not throw.rulings
    throw.rulings[str(data["side"])] = (str(data["action"]), tuple(int(value) for value in data["counted"]))
    throw.state = "ruled"


def _throw_state(name: str) -> GameStep:
    def enter(game: Game, data: Mapping[str, Any]) -> None:
        _same_throw(game, data).state = name

    return enter


def _same_throw(game: Game, data: Mapping[str, Any]) -> Throw:
    if game.throw is None or game.throw.number != data["throw"]:
        raise ValueError(f"throw {data['throw']} is not the newest one")
    return game.throw


def _sounded(game: Game, data: Mapping[str, Any]) -> None:
    game.tijd = str(data["source"])


def _sealed(game: Game, data: Mapping[str, Any]) -> None:
    hall = data["hall"]
    game.seals[str(data["seal"])] = Seal(source=str(data["source"]), hall=None if hall is None else str(hall))


def _armed(game: Game, data: Mapping[str, Any]) -> None:
    game.seals[str(data["seal"])].armed_by = str(data["by"])


def _lost(game: Game, data: Mapping[str, Any]) -> None:
    game.seals[str(data["seal"])].lost = str(data["why"])


def _revealed(fold: TableFold, data: Mapping[str, Any]) -> None:
    """A hall's length may be told to a table that has been set up anew since."""
    seal, minutes, salt = str(data["seal"]), int(data["minutes"]), str(data["salt"])
    for game in fold.games:
        if seal in game.seals:
            game.seals[seal].minutes, game.seals[seal].text = minutes, seal_text(minutes, salt)


def _claim_withdrawn(game: Game, _data: Mapping[str, Any]) -> None:
    game.phase = "playing"


def _scored(game: Game, data: Mapping[str, Any]) -> None:
    places = tuple(
        {
            "player": str(p["player"]),
            "place": int(p["place"]),
            "result": str(p["result"]),
            "reason": _reason(p["reason"]),
        }
        for p in data["places"]
    )
    game.unresolved = tuple(tuple(str(player) for player in group) for group in data["unresolved"])
    game.scores = {str(player): float(points) for player, points in data.get("scores", {}).items()}
    game.places = tuple(sorted(places, key=lambda place: place["place"]))
    game.phase, game.signed, game.disputed, game.ruling = "scored", set(), None, None


def _reason(told: Mapping[str, Any]) -> dict[str, Any]:
    return {"code": str(told["code"]), "clause": str(told["clause"] or ""), "values": dict(told["values"])}


def _reopened(game: Game, _data: Mapping[str, Any]) -> None:
    game.phase, game.places, game.unresolved, game.signed, game.disputed = "frozen", (), (), set(), None


def _signed(game: Game, data: Mapping[str, Any]) -> None:
    game.signed.add(str(data["player"]))


def _disputed(game: Game, data: Mapping[str, Any]) -> None:
    game.disputed = (str(data["player"]), str(data["reason"]))


def _referee_ruled(game: Game, data: Mapping[str, Any]) -> None:
    results = {str(player): str(result) for player, result in data["results"].items()}
    game.places = _given(game.places, results)
    game.ruling, game.disputed, game.unresolved, game.signed = str(data["reason"]), None, (), set()


def _given(places: Iterable[Mapping[str, Any]], results: Mapping[str, str]) -> tuple[dict[str, Any], ...]:
    """The places with the results that people gave; the computed reason of one that became another holds no more."""
    now = ((place, results.get(place["player"], place["result"])) for place in places)
    return tuple(
        {**place, "result": result, "reason": place["reason"] if result == place["result"] else None}
        for place, result in now
    )


def _closed(fold: TableFold, data: Mapping[str, Any]) -> None:
    game, last = fold.game, fold.last
    if game is None or last is None:
        raise ValueError("no game was opened before it")
    game.results = {str(player): str(result) for player, result in data["results"].items()}
    game.phase, game.closed_wall = "closed", last.wall


def _changed(game: Game, data: Mapping[str, Any]) -> None:
    """A closed table's result was changed: what stood before stays in the journal, here counts what holds now."""
    results = {str(player): str(result) for player, result in data["results"].items()}
    game.places = _given(game.places, results)
    game.results, game.changed = results, str(data["reason"])


def _signal_ruled(game: Game, data: Mapping[str, Any]) -> None:
    if data.get("finishing") is not None and game.phase == "playing":
        game.phase = "finishing"


def _referee(is_called: bool) -> Step:
    def enter(fold: TableFold, _data: Mapping[str, Any]) -> None:
        fold.referee_called = is_called

    return enter


_STEPS: dict[str, Step] = {
    "table.opened": _opened,
    "seats.assigned": _in_game(_seated),
    "colour.chosen": _in_game(_coloured),
    "game.started": _in_game(_phase("playing")),
    "dice.settled": _in_game(_settled),
    "throw.ruled": _in_game(_ruled),
    "throw.accepted": _in_game(_throw_state("accepted")),
    "throw.annulled": _in_game(_throw_state("annulled")),
    "tijd.sounded": _in_game(_sounded),
    "tijd.sealed": _in_game(_sealed),
    "tijd.armed": _in_game(_armed),
    "tijd.lost": _in_game(_lost),
    "tijd.revealed": _revealed,
    "mission.claim_withdrawn": _in_game(_claim_withdrawn),
    "board.frozen": _in_game(_phase("frozen")),
    "board.reopened": _in_game(_reopened),
    "score.computed": _in_game(_scored),
    "result.signed": _in_game(_signed),
    "result.disputed": _in_game(_disputed),
    "result.ruled": _in_game(_referee_ruled),
    "table.closed": _closed,
    "result.changed": _in_game(_changed),
    "signal.ruled": _in_game(_signal_ruled),
    "referee.called": _referee(is_called=True),
    "referee.dismissed": _referee(is_called=False),
}

_WITHOUT_MEANING = frozenset(
    {
        "rig.opened", "start_die.read", "start_die.voided", "button.bound", "turn.started", "attack.started",
        "attack.time_ended", "throw.called", "allowed.set", "die.voided", "correction.made", "clock.paused",
        "clock.resumed", "time.added", "clock.stepped", "service.recovered", "absence.told", "service.noted",
        "mission.claimed", "player.knocked_out", "player.reinstated", "player.returned", "board.recorded",
        "box.emptied", "context.set", "fall.told", "attack.stopped", "silence.asked", "rebels.came", "rebels.told",
        "correction.proposed", "correction.agreed", "correction.refused", "fact.undone", "throw.amended",
        "turn.amended", "outs.amended", "claim.amended", "signal.overruled", "played_on.ruled", "ruling.made",
        "ruling.appealed", "appeal.decided", "camera.calibrated", "frames.kept", "throw.disputed", "throw.read_again",
        "dispute.settled",
    }
)  # fmt: skip
"""Records that are known and say nothing that the page shows."""
