"""Records and their chain: the one place that knows what is hashed.

Theory: each record names the hash of the record before it, and its own hash covers all its other fields in one
canonical spelling: JSON with sorted keys, no spaces, no escapes for letters outside ASCII, UTF-8. So whoever holds
the newest hash holds the whole past: no record can be changed, dropped or slipped in without the hashes after it
changing too. What a chain cannot show is a missing *end*; that is why hubs keep the newest hash that they saw.

The spelling is put together from the stored text of `data` instead of parsing and writing it again: a journal of
twenty thousand records is then checked at each start in a fraction of a second. The text is canonical when it is
stored, and a text that was changed later no longer meets its hash.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from companion.journal.errors import RecordRefused

GENESIS = "0" * 64
"""What the first record names as the hash before it."""

_HASH = re.compile(r"[0-9a-f]{64}")
_MAX_INT = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRecord:
    """One fact that is not yet in the journal.

    Attributes:
        type: Wire name, such as `throw.ruled`.
        v: Version of the wire name, from 1.
        by: Who caused it: `screen`, `hub`, `referee`, `camera`, `clock`...
        at_ns: When it happened, boot-clock ns.
        data: The fact itself, plain JSON values only.
    """

    type: str
    v: int
    by: str
    at_ns: int
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One fact as it stands in the journal; the fields are those of `GET /v1/journal`.

    Attributes:
        seq: Place in the journal, from 1 without gaps.
        at_ns: When it happened, ns of the boot clock of `boot`.
        boot: Which run of the machine `at_ns` counts in.
        wall: Wall time of the writing, ISO 8601 in UTC; for people, never for intervals.
        type: Wire name.
        v: Version of the wire name.
        by: Who caused it.
        data: The fact itself.
        prev: Hash of the record before, 64 hex digits.
        hash: Hash of this record, 64 hex digits.
    """

    seq: int
    at_ns: int
    boot: str
    wall: str
    type: str
    v: int
    by: str
    data: Mapping[str, Any]
    prev: str
    hash: str

    def as_json(self) -> dict[str, Any]:
        """The record as a plain dict in the field order of docs/api.md."""
        return {name: getattr(self, name) for name in _FIELDS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The newest place in a journal.

    Attributes:
        seq: Number of the newest record; 0 when there is none.
        hash: Its hash; `GENESIS` when there is none.
    """

    seq: int
    hash: str


_FIELDS = tuple(field.name for field in fields(Record))
_TYPES: dict[str, type] = dict.fromkeys(_FIELDS, str) | {"seq": int, "at_ns": int, "v": int, "data": dict}

START = Head(seq=0, hash=GENESIS)
"""The head of an empty journal."""


_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical(value: Any) -> str:
    """The one spelling of a JSON value: sorted keys, no spaces, letters as they are.

    Raises:
        RecordRefused: The value would not come back from its own spelling: not a plain JSON value, a number that
            is not finite, a key that is no string, or text that is no Unicode.
    """
    try:
        text = _canonical.encode(value)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordRefused(f"not a plain JSON value: {error}", why=str(error)) from error
    return text


def canonical_data(data: Mapping[str, Any]) -> str:
    """The canonical text of a record's data, after proof that it reads back as the same value.

    Raises:
        RecordRefused: It does not; the message names the first place.
    """
    try:
        _prove_plain(data, "data")
    except RecursionError as error:
        raise RecordRefused("data is nested too deep to be kept", where="data") from error
    return canonical(data)


def _prove_plain(value: Any, where: str) -> None:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise RecordRefused(f"{where} has the key {key!r}: keys must be strings", where=where, key=repr(key))
            _prove_plain(inner, f"{where}.{key}")
    elif isinstance(value, list | tuple):
        for place, inner in enumerate(value):
            _prove_plain(inner, f"{where}[{place}]")
    elif value is not None and not isinstance(value, str | bool | int | float):
        kind = type(value).__name__
        raise RecordRefused(f"{where} is a {kind}: only plain JSON values can be kept", where=where, kind=kind)


def record_hash(
    *, seq: int, at_ns: int, boot: str, wall: str, kind: str, v: int, by: str, data_text: str, prev: str
) -> str:
    """SHA-256 over the canonical JSON of the record without its hash, 64 hex digits.

    Args:
        seq: As in `Record`, like all others.
        at_ns: Boot-clock ns.
        boot: Which run of the machine.
        wall: ISO 8601 in UTC.
        kind: Wire name.
        v: Version.
        by: Who caused it.
        data_text: The data in its canonical spelling.
        prev: Hash of the record before.
    """
    spelt = (
        f'{{"at_ns":{at_ns},"boot":{_spell(boot)},"by":{_spell(by)},"data":{data_text},"prev":"{prev}",'
        f'"seq":{seq},"type":{_spell(kind)},"v":{v},"wall":{_spell(wall)}}}'
    )
    return hashlib.sha256(spelt.encode(errors="surrogateescape")).hexdigest()


_spell = json.JSONEncoder(ensure_ascii=False).encode


def chained(new: NewRecord, head: Head, *, boot: str, wall: str) -> tuple[Record, str]:
    """The record that `new` becomes after `head`, and the canonical text of its data.

    Raises:
        RecordRefused: A field is missing, of the wrong kind or out of range.
    """
    if not new.type or not new.by or not boot or not wall:
        raise RecordRefused(
            f"a record needs type, by, boot and wall; got {new.type!r}, {new.by!r}, {boot!r}, {wall!r}",
            type=new.type,
        )
    if new.v < 1 or not 0 <= new.at_ns <= _MAX_INT:
        raise RecordRefused(
            f"{new.type}: v must be 1 or more and at_ns in 0..2^63-1, got v={new.v!r}, at_ns={new.at_ns!r}",
            type=new.type,
        )
    canonical([new.type, new.by, boot, wall])
    data_text = canonical_data(new.data)
    seq = head.seq + 1
    digest = record_hash(
        seq=seq, at_ns=new.at_ns, boot=boot, wall=wall, kind=new.type, v=new.v, by=new.by,
        data_text=data_text, prev=head.hash,
    )  # fmt: skip
    record = Record(
        seq=seq, at_ns=new.at_ns, boot=boot, wall=wall, type=new.type, v=new.v, by=new.by,
        data=json.loads(data_text), prev=head.hash, hash=digest,
    )  # fmt: skip
    return record, data_text


def parse_record(value: object) -> Record:
    """A record out of a parsed JSON line, its fields checked, its chain not yet.

    Raises:
        RecordRefused: It is not an object with exactly the fields of a record.
    """
    if not isinstance(value, dict) or set(value) != set(_FIELDS):
        raise RecordRefused(f"a record has exactly the fields {', '.join(_FIELDS)}", fields=list(_FIELDS))
    for name, kind in _TYPES.items():
        if type(value[name]) is not kind:
            raise RecordRefused(f"{name} of a record must be {kind.__name__}, got {value[name]!r}", field=name)
    if not (_HASH.fullmatch(value["prev"]) and _HASH.fullmatch(value["hash"])):
        raise RecordRefused("prev and hash of a record must be 64 hex digits", field="hash")
    canonical(value)
    return Record(**value)


def fault_after(head: Head, record: Record) -> str | None:
    """Why `record` cannot follow `head`: `gap`, `unchained` or `altered`; None when it can.

    A `gap` is a seq that is not the next one, `unchained` a record that names another one before it, `altered` a
    record whose own hash does not fit its content.
    """
    return fault_of_text(head, record, canonical(record.data))


def fault_of_text(head: Head, record: Record, data_text: str) -> str | None:
    """As `fault_after`, for a caller who has the stored text of the data."""
    if record.seq != head.seq + 1:
        return "gap"
    if record.prev != head.hash:
        return "unchained"
    fresh = record_hash(
        seq=record.seq, at_ns=record.at_ns, boot=record.boot, wall=record.wall, kind=record.type, v=record.v,
        by=record.by, data_text=data_text, prev=record.prev,
    )  # fmt: skip
    return None if fresh == record.hash else "altered"
