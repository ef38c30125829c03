"""Which dice of a throw count, by system.

The order of the questions is the point of this module. A throw is first asked whether it is one throw at all,
then what lies outside, then whether something voids the whole of it, and only then which single dice are thrown
again or fall. What could not be read is asked of the people last, because a die that is thrown again anyway need
not be read. `judge` looks at one side only: the attack may lie while the defence is thrown. Dice that stand while
another is thrown again are handed in once more as flat dice in the box.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from companion.rules.errors import ThrowError
from companion.rules.reason import Reason, because
from companion.rules.ruleset import Ruleset

Where = Literal["box", "outside", "floor"]
State = Literal["flat", "cocked", "stacked", "moving", "unreadable"]
Action = Literal["accept", "reroll_some", "rethrow_all", "referee"]
Fate = Literal["counted", "dropped", "standing", "reroll", "void"]
Side = Literal["attack", "defence"]

WHERE: tuple[Where, ...] = ("box", "outside", "floor")
STATES: tuple[State, ...] = ("flat", "cocked", "stacked", "moving", "unreadable")


@dataclass(frozen=True, slots=True, kw_only=True)
class DieSeen:
    """One die as camera or people saw it.

    Attributes:
        value: Pips on top, 1 to 6; None when nobody can vouch for them.
        where: In the box, outside it on the table, or fallen to the floor.
        state: How it lies; of two stacked dice only the upper one is 'stacked'.
        rolled: False when it was seen to slide or to be laid down; None when nobody saw.
    """

    value: int | None
    where: Where = "box"
    state: State = "flat"
    rolled: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowRuling:
    """What the rules make of one side's throw.

    Attributes:
        action: Accept it, throw some dice again, throw all again, or let people say what lies there.
        fates: One per die, in the order given.
        counted: Values that fight, highest first; empty unless the throw is accepted.
        dropped: Known values that fell away, highest first.
        standing: Values that stay while others are thrown again, highest first; the counted ones if accepted.
        reroll: How many dice are thrown again.
        reasons: Every step, in the order taken; positions are 0-based.
    """

    action: Action
    fates: tuple[Fate, ...]
    counted: tuple[int, ...]
    dropped: tuple[int, ...]
    standing: tuple[int, ...]
    reroll: int
    reasons: tuple[Reason, ...]


def judge(
    dice: Sequence[DieSeen],
    *,
    allowed: int | None,
    ruleset: Ruleset,
    thrown_apart_ms: int | None = None,
    side: Side = "attack",
) -> ThrowRuling:
    """The ruling on the dice of one side.

    Args:
        dice: All dice of that side, wherever they ended.
        allowed: How many it may throw; None when the table does not know, which means the system's most.
        ruleset: The rules of the table.
        thrown_apart_ms: Time between the first and the last die to arrive; None when nobody measured.
        side: Whose most counts when `allowed` is None.

    Raises:
        ThrowError: A value outside 1..6, or an unknown word for where or state.

    Source:
        nl1996 4.8; risiko 17; the others as risiko (chosen, their texts are silent).
    """
    for die in dice:
        _check_die(die)
    most = allowed if allowed is not None else ruleset.number(f"dice.{side}_max")
    if not dice:
        return _ruling("referee", (), dice, (because("no-dice", ""),))
    window = ruleset.options.get("one_throw_window_s")
    if window is not None and thrown_apart_ms is not None and thrown_apart_ms > float(window) * 1000:
        late = because("not-one-throw", "4.8.1", apart_ms=thrown_apart_ms, window_ms=round(float(window) * 1000))
        return _ruling("referee", tuple(_lying(die) for die in dice), dice, (late,))
    return _Bench(dice, most, ruleset).ruling()


# State, and the codes for throwing that die again, letting it fall, and throwing all again.
_NOT_FLAT = (
    ("cocked", "cocked-reroll", "cocked-dropped", "cocked-rethrow"),
    ("stacked", "stacked-reroll", "stacked-dropped", "stacked-rethrow"),
)


class _Bench:
    """One throw on its way through the questions; `fates` fills up as they are answered."""

    def __init__(self, dice: Sequence[DieSeen], most: int, ruleset: Ruleset) -> None:
        self.dice = dice
        self.most = most
        self.ruleset = ruleset
        self.fates: dict[int, Fate] = {}
        self.reasons: list[Reason] = []

    def ruling(self) -> ThrowRuling:
        self._where_they_ended()
        void = self._none_left() or self._voids_all()
        if void is not None:
            return void
        unread = self._unread()
        if unread:
            return self._ask_people(unread)
        if "reroll" in self.fates.values():
            return self._done("reroll_some", "standing")
        return self._count()

    def _open(self) -> list[int]:
        return [at for at in range(len(self.dice)) if at not in self.fates]

    def _policy(self, key: str) -> str:
        """What the ruleset does in a case: its own word, or the value of the option that it names."""
        word = self.ruleset.word(f"dice.{key}")
        return str(self.ruleset.options.get(word, word))

    def _mark(self, at: Iterable[int], fate: Fate, code: str, clause: str) -> None:
        places = tuple(at)
        if places:
            self.fates.update(dict.fromkeys(places, fate))
            self.reasons.append(because(code, clause, dice=list(places)))

    def _where_they_ended(self) -> None:
        clause = self.ruleset.word("dice.clause_outside")
        outside = [at for at in self._open() if self.dice[at].where == "outside"]
        floor = [at for at in self._open() if self.dice[at].where == "floor"]
        policy = self._policy("outside")
        if policy == "drop":
            self._mark(sorted(outside + floor), "dropped", "outside-dropped", clause)
            return
        self._mark(floor, "reroll", "floor-reroll", clause)
        if policy == "valid":
            self.reasons += [because("outside-valid", clause, dice=outside)] if outside else []
        else:
            self._mark(outside, "reroll", "outside-reroll", clause)

    def _none_left(self) -> ThrowRuling | None:
        if self._open() or "dropped" not in self.fates.values():
            return None
        clause = self.ruleset.word("dice.clause_outside")
        if self.ruleset.options.get("no_dice_left") == "no_loss":
            self.reasons.append(because("no-dice-no-loss", clause))
            return self._done("accept", "counted")
        self.reasons.append(because("no-dice-rethrow", clause))
        return self._done("rethrow_all", "void")

    def _voids_all(self) -> ThrowRuling | None:
        """A fault that makes the whole throw void: then no die counts and none is dropped."""
        if self._policy("too_many") == "rethrow_all" and len(self.dice) > self.most:
            too_many = because(
                "too-many-rethrow",
                self.ruleset.word("dice.clause_too_many"),
                allowed=self.most,
                thrown=len(self.dice),
            )
            return self._all_again(too_many)
        policy = self._policy("not_rolled")
        laid = [at for at in self._open() if self.dice[at].rolled is False] if policy else []
        clause = self.ruleset.word("dice.clause_not_rolled")
        if laid and policy == "rethrow_all":
            return self._all_again(because("not-rolled-rethrow", clause, dice=laid))
        self._mark(laid, "dropped", "not-rolled-dropped", clause)
        policy = self._policy("not_flat")
        clause = self.ruleset.word("dice.clause_not_flat")
        for state, again, fall, all_again in _NOT_FLAT:
            faulty = [at for at in self._open() if self.dice[at].state == state]
            if faulty and policy == "rethrow_all":
                return self._all_again(because(all_again, clause, dice=faulty))
            if policy == "drop_die":
                self._mark(faulty, "dropped", fall, clause)
            else:
                self._mark(faulty, "reroll", again, clause)
        return self._none_left()

    def _all_again(self, reason: Reason) -> ThrowRuling:
        self.reasons.append(reason)
        self.fates = dict.fromkeys(range(len(self.dice)), "void")
        return self._done("rethrow_all", "void")

    def _unread(self) -> list[int]:
        return [at for at in self._open() if self.dice[at].state != "flat" or self.dice[at].value is None]

    def _ask_people(self, unread: Sequence[int]) -> ThrowRuling:
        moving = [at for at in unread if self.dice[at].state == "moving"]
        self._mark(moving, "void", "moving", "")
        self._mark([at for at in unread if at not in moving], "void", "unreadable", "")
        return self._done("referee", "standing")

    def _count(self) -> ThrowRuling:
        flat = sorted(self._open(), key=lambda at: (-self._value(at), at))
        in_box_only = self.ruleset.options.get("too_many_counted") != "thrown"
        thrown = len(flat) if in_box_only else len(self.dice)
        excess = thrown - self.most
        if excess > 0:
            falling = flat[:excess]
            if self.ruleset.options.get("too_many_drop") == "all_highest":
                lowest = self._value(falling[-1])
                falling = [at for at in flat if self._value(at) >= lowest]
            self.fates.update(dict.fromkeys(falling, "dropped"))
            self.reasons.append(
                because(
                    "too-many-dropped",
                    self.ruleset.word("dice.clause_too_many"),
                    dice=falling,
                    allowed=self.most,
                    thrown=thrown,
                )
            )
            empty = self._none_left()
            if empty is not None:
                return empty
        if not self.reasons:
            self.reasons.append(because("all-count", "", dice=self._open()))
        return self._done("accept", "counted")

    def _value(self, at: int) -> int:
        value = self.dice[at].value
        return 0 if value is None else value

    def _done(self, action: Action, rest: Fate) -> ThrowRuling:
        fates = tuple(self.fates.get(at, rest) for at in range(len(self.dice)))
        return _ruling(action, fates, self.dice, tuple(self.reasons))


def _ruling(
    action: Action, fates: tuple[Fate, ...], dice: Sequence[DieSeen], reasons: tuple[Reason, ...]
) -> ThrowRuling:
    def values(*wanted: Fate) -> tuple[int, ...]:
        of = [die.value for die, fate in zip(dice, fates, strict=True) if fate in wanted and die.value is not None]
        return tuple(sorted(of, reverse=True))

    return ThrowRuling(
        action=action,
        fates=fates,
        counted=values("counted"),
        dropped=values("dropped"),
        standing=values("standing", "counted"),
        reroll=fates.count("reroll"),
        reasons=reasons,
    )


def _lying(die: DieSeen) -> Fate:
    return "standing" if die.state == "flat" and die.value is not None else "void"


def _check_die(die: DieSeen) -> None:
    if die.value is not None and (isinstance(die.value, bool) or die.value not in range(1, 7)):
        raise ThrowError("bad-die", f"a die shows 1 to 6, not {die.value!r}; read it again", value=die.value)
    for what, value, words in (("where", die.where, WHERE), ("state", die.state, STATES)):
        if value not in words:
            raise ThrowError(
                "bad-die-word",
                f"a die's {what!r} is one of {', '.join(words)}, not {value!r}",
                what=what,
                value=value,
                allowed=list(words),
            )
