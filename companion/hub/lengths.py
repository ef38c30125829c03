"""The hub's store of secret lengths: what was sealed for which tables, and how far its time has gone.

The secret itself lies in a file of its own, mode 0600, like a table's; what is kept beside it (`halls.json`) could be
read by anybody. The time of a hall goes by the boot clock, so after a restart of the machine it is unknown until a
table tells it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from companion.hw.clock import NS_PER_MS
from companion.journal.opening import sync_folder
from companion.journal.secret import Fault, SecretFile
from companion.session.seal import Secret

MS_PER_MIN = 60_000
Shape = TypeVar("Shape")


class StoreDamaged(ValueError):
    """What is kept beside the secret lengths cannot be understood."""

    code = "store-damaged"


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why a table did not do what it was asked, as its error body.

    Attributes:
        problem: Stable word.
        message: What is wrong, in English.
        values: Offenders by name.
    """

    problem: str
    message: str
    values: dict[str, Any] = {}


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What all tables of a hall are to do, until each has done it.

    Attributes:
        id: Under which it is asked, the same for each repetition.
        command: The command of the table's API.
        args: Its arguments.
        boot: Run of the machine in which `given_ns` counts.
        given_ns: When the director gave it, boot-clock ns.
        waiting: Tables that have not answered yet.
        refused: Table to why it did not do it.
        late: Tables that it reached much later than the others.
        done: Tables that did it.
    """

    id: str
    command: str
    args: dict[str, Any]
    boot: str
    given_ns: int
    waiting: tuple[str, ...] = ()
    refused: dict[str, Refusal] = {}
    late: tuple[str, ...] = ()
    done: tuple[str, ...] = ()


class HallTime(msgspec.Struct, frozen=True, kw_only=True):
    """One length for one or more tables.

    Attributes:
        name: Such as `hall1`.
        seal: Hash of the length.
        phase: Phase of the tournament.
        tables: Tables that said that they were started by it.
        unsure: Tables that were asked to start and did not say whether they did.
        scale: Game seconds per real second.
        boot: Run of the machine in which `anchor_ns` counts.
        anchor_ns: Boot-clock stamp at which `elapsed_ms` had gone; None while the hall stands, or nobody knows.
        elapsed_ms: Game time gone at the anchor.
        paused: Why the hall stands, or None.
        added_ms: Time added for all.
        sounded: Whether the signal for all was given.
        told: Tables to which the length was revealed.
        forced: Why the director had it revealed before all tables had ended, or None.
        proved: Tables whose own key has said that they play by it no more.
        orders: What the director asked of all tables.
    """

    name: str
    seal: str
    phase: str
    tables: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    scale: float = 1.0
    boot: str = ""
    anchor_ns: int | None = None
    elapsed_ms: int = 0
    paused: str | None = None
    added_ms: int = 0
    sounded: bool = False
    told: tuple[str, ...] = ()
    forced: str | None = None
    proved: tuple[str, ...] = ()
    orders: tuple[Order, ...] = ()

    @property
    def members(self) -> tuple[str, ...]:
        """Tables that were started by it, or may have been."""
        return tuple(dict.fromkeys((*self.tables, *self.unsure)))

    @property
    def is_done(self) -> bool:
        """Whether everybody who has to know the length knows it."""
        return bool(self.told) and set(self.tables) <= set(self.told)

    def elapsed_at(self, now_ns: int) -> int:
        """Game time gone."""
        if self.anchor_ns is None:
            return self.elapsed_ms
        return self.elapsed_ms + round((now_ns - self.anchor_ns) * self.scale / NS_PER_MS)

    def stopped(self, now_ns: int, reason: str) -> HallTime:
        """The same hall, standing."""
        return msgspec.structs.replace(self, elapsed_ms=self.elapsed_at(now_ns), anchor_ns=None, paused=reason)

    def running(self, now_ns: int, boot: str) -> HallTime:
        """The same hall, running on."""
        return msgspec.structs.replace(self, anchor_ns=now_ns, boot=boot, paused=None)


class Pinned(msgspec.Struct, frozen=True, kw_only=True):
    """A table's key as people confirmed it.

    Attributes:
        key: Public half in hexadecimal.
        address: Where the table answered then; elsewhere it has to be confirmed again.
    """

    key: str
    address: str


class LengthStore:
    """All lengths of a hub, with the keys of the tables to which they are sent.

    Args:
        folder: The hub's state folder.

    Raises:
        StoreDamaged: What lies there is not what a hub keeps.
    """

    def __init__(self, folder: Path) -> None:
        self._file = SecretFile(folder / "tijd.secret")
        self._halls_path = folder / "halls.json"
        self._keys_path = folder / "table-keys.json"
        kept = self._file.read()
        self._secrets = dict(kept.secrets)
        self._fault = kept.fault
        self.halls = {hall.name: hall for hall in _read(self._halls_path, list[HallTime], [])}
        known = _read(self._keys_path, dict[str, Pinned | str], {})
        # Keys that an older hub took from whoever answered first were confirmed by nobody.
        self.keys = {table: pin for table, pin in known.items() if isinstance(pin, Pinned)}

    def secret(self, hall: HallTime) -> Secret | None:
        """What was sealed; None where it is not to be had any more."""
        return self._secrets.get(hall.seal)

    def lost(self, hall: HallTime) -> Fault | None:
        """Why a length that is still needed can't be vouched for; None where it can, or nobody needs it."""
        return None if hall.is_done or not hall.members or self.secret(hall) is not None else self._fault

    def change(self, name: str, **fields: Any) -> HallTime:
        """Note what has changed of a hall.

        Raises:
            OSError: The disk refuses.
        """
        hall = msgspec.structs.replace(self.halls[name], **fields)
        self.put(hall)
        return hall

    def seal(self, hall: HallTime, secret: Secret) -> None:
        """Keep a new length: the secret first, and durably.

        Raises:
            JournalError: The disk refuses; then nothing was sealed.
            OSError: Likewise.
        """
        waiting = {one.seal for one in self.halls.values() if not one.is_done}
        kept = {seal: one for seal, one in self._secrets.items() if seal in waiting} | {secret.seal: secret}
        self._file.keep(kept.values())
        self._secrets = kept
        self.put(hall)

    def put(self, hall: HallTime) -> None:
        """Note how a hall stands now.

        Raises:
            OSError: The disk refuses.
        """
        halls = {**self.halls, hall.name: hall}
        _write(self._halls_path, list(halls.values()))
        self.halls = halls

    def trust(self, table: str, key: str, address: str) -> None:
        """From here on this is the table's key, at this address.

        Raises:
            OSError: The disk refuses.
        """
        keys = {**self.keys, table: Pinned(key=key, address=address)}
        _write(self._keys_path, keys)
        self.keys = keys

    def next_name(self) -> str:
        """A name for the next hall."""
        return f"hall{len(self.halls) + 1}"


def due_ms(hall: HallTime, secret: Secret) -> int:
    """Game time at which a hall ends."""
    return secret.minutes * MS_PER_MIN + hall.added_ms


def _read(path: Path, shape: type[Shape], empty: Shape) -> Shape:
    try:
        return msgspec.json.decode(path.read_bytes(), type=shape)
    except FileNotFoundError:
        return empty
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StoreDamaged(
            f"{path} is not as this hub writes it: move it away and start again; the halls that ran then end by their "
            "tables' own clocks, or by the referees"
        ) from error


def _write(path: Path, value: object) -> None:
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(value), indent=1))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    sync_folder(path.parent)
