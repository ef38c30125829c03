"""The secret length at the table: drawn or received, kept, found again, and shown to nobody before its time.

Theory. The service alone may know the length. It is drawn from the operating system's chance for the case that a
command needs one, and only its seal goes into the decision: what decides, writes and tells never holds the length at
all. The secret reaches the disk before its seal reaches the journal, so that no seal is ever without its secret; a
secret without a seal, left by a power cut between the two, is forgotten with the next one.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path

from companion.hw.clock import boot_ns
from companion.journal.secret import Fault, Kept, SecretFile
from companion.lan.boxes import KEY_BYTES, answer, fingerprint, fresh_key, public_of
from companion.lan.lengths import check_turn, is_turn_of_now, read_letter, read_told, turn
from companion.rules.clock import check_length, fresh_length
from companion.rules.ruleset import Ruleset
from companion.session import commands as c
from companion.session import events as e
from companion.session.decide.tijd import table_draws
from companion.session.errors import Refused
from companion.session.seal import Secret
from companion.session.snapshot import TableState
from companion.session.transitions import Phase

_MS_PER_MIN = 60_000


class TableKey:
    """The key to which the hub encrypts what only this table may read.

    Args:
        path: Where the private half is kept, mode 0600; made unless it is there.

    Raises:
        OSError: It cannot be read or made.
    """

    def __init__(self, path: Path) -> None:
        if not path.exists() or path.stat().st_size != KEY_BYTES:
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh = path.with_suffix(".new")
            fresh.unlink(missing_ok=True)
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
                file.write(fresh_key())
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        self._private = path.read_bytes()
        self._run = secrets.token_bytes(32)
        self.public = public_of(self._private)

    @property
    def fingerprint(self) -> str:
        """What the director compares with what the hub shows."""
        return fingerprint(self.public)

    def turn(self) -> str:
        """What the next letter must be about; it is opened for a few seconds only."""
        return turn(boot_ns(), self._run)

    def is_in_time(self, turn: str) -> bool:
        """Whether what is about this turn was not held up on its way."""
        return is_turn_of_now(turn, boot_ns(), self._run)

    def answer(self, asked: str, content: bytes) -> str:
        """The proof that this table says something now.

        Raises:
            ValueError: What was asked is no question.
        """
        return answer(asked, content, private=self._private)

    def reveal(self, box: str, *, table: str, seal: str) -> Secret:
        """The length in a letter of the hub's that tells it after the game.

        Raises:
            BoxUnreadable: It is not for this table, or not what was sealed.
        """
        return read_told(box, table=table, seal=seal, private=self._private)

    def read(self, box: str, *, table: str, game: str, phase: str, seal: str) -> Secret:
        """The length in a letter of the hub's.

        Raises:
            BoxUnreadable: It is not for this table, came too late, or is not what was sealed.
        """
        check_turn(box, boot_ns(), self._run)
        return read_letter(box, table=table, game=game, phase=phase, seal=seal, private=self._private)


class TableSecrets:
    """The secret lengths of one table.

    Args:
        file: Where they are kept.
        key: Opens what the hub sends.
        number: A large random number.
        salt: 128 random bits in hexadecimal.
    """

    def __init__(
        self,
        file: SecretFile,
        key: TableKey,
        *,
        number: Callable[[], int] = lambda: secrets.randbits(128),
        salt: Callable[[], str] = lambda: secrets.token_hex(16),
    ) -> None:
        self.key = key
        self._file = file
        self._number = number
        self._salt = salt
        self._kept: Kept = file.read()

    def drawn(self, state: TableState, command: c.Command, *, ruleset: Ruleset | None, now_ns: int) -> Secret | None:
        """A length for the case that `command` needs a fresh one; None where it can't, or the range is over."""
        sealed, clock, opened = state.sealed, state.clock, state.opened
        if ruleset is None or clock is None or opened is None or clock.length_ms is not None:
            return None
        if not (table_draws(ruleset) and (sealed is None or sealed.source == "hub")):
            return None
        gone_ms = command.elapsed_ms if isinstance(command, c.Recover) else clock.elapsed_at(now_ns)
        played_min = (gone_ms - clock.added_ms) / _MS_PER_MIN
        minutes = fresh_length(opened.phase, self._number(), played_min=played_min, ruleset=ruleset)
        return None if minutes is None else Secret(minutes, self._salt())

    def received(self, command: c.StartGame, *, table: str, opened: e.TableOpened, ruleset: Ruleset) -> Secret | None:
        """The length that a start brings along; None where it brings none.

        Raises:
            BoxUnreadable: It is not for this table, or not what was sealed.
            Refused: It lies outside the range of the phase.
        """
        if command.seal is None or command.box is None:
            return None
        secret = self.key.read(command.box, table=table, game=opened.game, phase=opened.phase, seal=command.seal)
        if not check_length(opened.phase, secret.minutes, ruleset=ruleset).valid:
            # Not by how much: the answer can be heard on the wire.
            raise Refused("length-not-allowed", "the length lies outside the range of the phase: seal another one")
        return secret

    def keep(self, state: TableState, facts: tuple[e.Event, ...], *candidates: Secret | None) -> None:
        """Put the secret of a seal that is about to be written on the disk, in place of those that have had their time.

        Args:
            state: The table before it is written.
            facts: What is about to be written.
            candidates: What was drawn or received for the case that it is needed.

        Raises:
            JournalError: The disk refuses.
        """
        seals = {fact.seal for fact in facts if isinstance(fact, e.TijdSealed)}
        new = {secret.seal: secret for secret in candidates if secret is not None and secret.seal in seals}
        if new:
            waiting = {sealed.seal for sealed in state.seals if sealed.revealed is None}
            old = {seal: kept for seal, kept in self._kept.secrets.items() if seal in waiting}
            kept = Kept(secrets={**old, **new})
            self._file.keep(kept.secrets.values())
            self._kept = kept

    def length_ms(self, state: TableState, *, is_rung_by_clock: bool) -> int | None:
        """Game time after which the table's own clock gives the signal; None where it must not, or can't know.

        Args:
            state: The table as it stands.
            is_rung_by_clock: Whether a length that everybody knows is the clock's to end.
        """
        clock, sealed = state.clock, state.sealed
        if clock is None:
            return None
        if clock.length_ms is not None:
            return clock.length_ms if is_rung_by_clock else None
        if sealed is None or sealed.armed_by != "clock" or sealed.lost is not None:
            return None
        secret = self._kept.secrets.get(sealed.seal)
        return None if secret is None else secret.minutes * _MS_PER_MIN + clock.added_ms

    def lost(self, state: TableState) -> c.LoseTijd | None:
        """What must be said if the length by which the game is played can't be vouched for; else None."""
        sealed = state.sealed
        if sealed is None or sealed.lost is not None or sealed.revealed is not None:
            return None
        if sealed.seal in self._kept.secrets or (sealed.source == "hub" and sealed.armed_by != "clock"):
            return None
        why: Fault = self._kept.fault
        return c.LoseTijd(seal=sealed.seal, why=why)

    def to_reveal(self, state: TableState) -> c.RevealTijd | None:
        """The length that everybody may know now, if it is the table's own; None for none."""
        if state.tijd is None and state.phase is not Phase.CLOSED:
            return None
        for sealed in state.seals:
            if sealed.source == "table" and sealed.revealed is None and (command := self.told(sealed.seal)) is not None:
                return command
        return None

    def told(self, seal: str) -> c.RevealTijd | None:
        """The command that reveals a seal by what is kept here; None where it is not."""
        secret = self._kept.secrets.get(seal)
        return None if secret is None else c.RevealTijd(seal=seal, minutes=secret.minutes, salt=secret.salt)
