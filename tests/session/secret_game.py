"""A game of RisiKo! played in memory, whose chance draws what the test wants."""

from __future__ import annotations

from typing import Any

from companion.rules.ruleset import load_ruleset
from companion.session import commands as c
from companion.session import events as e
from companion.session.decide import Moment, decide
from companion.session.seal import Secret
from companion.session.state import fold
from companion.session.transitions import Asker
from tests.session.play import MS, PLAYERS, Game

OWN = {"secret_time": "random", "same_for_all_tables": False}
HALL = Secret(113, "0123456789abcdef" * 2)
STOOD = c.PauseClock(reason="a glass fell over")
DRAWN = Secret(97, "fedcba9876543210" * 2)


class SecretGame(Game):
    """A table of RisiKo! whose chance draws 97 minutes each time that a fresh length is needed."""

    def __init__(self, *, draws: bool = True, **options: Any) -> None:
        super().__init__()
        self.options = options
        self.ruleset = load_ruleset("risiko", options)
        self.draws = draws

    def do(self, command: c.Command, asker: Asker = "screen", *, after_ms: int = 100) -> tuple[e.Event, ...]:
        """Carry a command out with a freshly drawn seal at hand."""
        if isinstance(command, c.SetUpTable):
            command = c.SetUpTable(system="risiko", players=PLAYERS, options=self.options, phase="second_phase")
        self.now_ns += after_ms * MS
        seal = DRAWN.seal if self.draws else None
        moment = Moment(now_ns=self.now_ns, asker=asker, ruleset=self.ruleset, seal=seal)
        made = decide(self.state, command, moment)
        self.state = fold(made, self.state)
        self.events += made
        return made

    def in_hall(self, *, box: str | None = "00") -> SecretGame:
        """A game that the hub has started with the hall's length."""
        self.seated()
        self.do(c.StartGame(seal=HALL.seal, hall="hall1", box=box), "hub")
        return self

    @property
    def standing(self) -> tuple[str, str | None]:
        """Where the length by which the game is played is from, and who rings by it."""
        sealed = self.state.sealed
        assert sealed is not None
        return sealed.source, sealed.armed_by
