"""Is everything there, and is it as it was written? One answer for a state folder, an export or a file of lines.

Each way in which a crash between picture and fact can end has its own name here, so that `companion journal verify`
can say what happened instead of only that something did.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from companion.journal.errors import EvidenceError
from companion.journal.evidence import Pictures
from companion.journal.lines import pictures_of, read_lines
from companion.journal.manifest import check_head, read_manifest
from companion.journal.opening import has_torn_tail
from companion.journal.places import ExportFolder, StateFolder
from companion.journal.proving import Seals
from companion.journal.reading import Fault, fault, open_to_read
from companion.journal.records import START, Head, Record, fault_after


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is not as it should be, or worth a word.

    Attributes:
        code: `gap`, `unchained`, `altered` (the chain); `picture-missing`, `picture-altered`; and, harmless,
            `picture-given-up` (had to make room), `picture-left-behind` (was not there any more when the export was
            made), `picture-orphan` (a crash came before its fact) or
            `torn-tail` (a crash came within a transaction); and those of secret lengths, see `proving.py`.
        is_problem: False for the harmless ones.
        message: What, in English.
    """

    code: str
    is_problem: bool
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a check found.

    Attributes:
        kind: `state`, `export` or `lines`.
        table: Whose journal it is; empty for a bare file of lines.
        records: How many records hold.
        head: The last of them.
        pictures: How many pictures of facts are there and whole.
        findings: All that was found, chain first.
    """

    kind: str
    table: str
    records: int
    head: Head
    pictures: int
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong."""
        return not any(finding.is_problem for finding in self.findings)


def check(place: Path) -> Verdict:
    """Check a table's state folder, an export folder, or a file of lines.

    Raises:
        JournalDamaged: The journal's file itself is damaged.
        JournalError: It is none of them, or cannot be read at all.
    """
    state, export = StateFolder(place), ExportFolder(place)
    if place.is_dir() and (export.manifest.exists() or export.lines.exists()):
        manifest = read_manifest(export)
        check_head(export, manifest)
        gone = frozenset(manifest.missing)
        pictures = Pictures(export.evidence)
        return _judge("export", manifest.table, read_lines(export.lines), pictures, gone)
    if place.is_dir():
        with open_to_read(state.journal) as journal:
            pictures = Pictures(state.evidence)
            verdict = _judge("state", journal.table_id, journal.all(), pictures, pictures.given_up())
        return _with_tail(verdict) if has_torn_tail(state.journal) else verdict
    return _judge("lines", "", read_lines(place), None, frozenset())


def _judge(
    kind: str, table: str, records: Iterable[Record], pictures: Pictures | None, gone: frozenset[str]
) -> Verdict:
    seals = Seals()
    head, broken, wanted = _walk(records, seals)
    findings = [] if broken is None else [Finding(code=broken.code, is_problem=True, message=broken.message)]
    findings += [Finding(code=code, is_problem=bad, message=message) for code, bad, message in seals.findings()]
    whole = 0
    if pictures is not None and broken is None:
        why_gone = _LEFT_BEHIND if kind == "export" else _GIVEN_UP
        picture_findings = list(_judge_pictures(pictures, wanted, gone, why_gone))
        not_whole = sum(finding.code != "picture-orphan" for finding in picture_findings)
        whole = len(wanted) - not_whole
        findings.extend(picture_findings)
    return Verdict(kind=kind, table=table, records=head.seq, head=head, pictures=whole, findings=tuple(findings))


def _with_tail(verdict: Verdict) -> Verdict:
    message = f"the transaction behind record {verdict.records} is not whole: the next start puts it aside"
    return replace(verdict, findings=(*verdict.findings, Finding(code="torn-tail", is_problem=False, message=message)))


def _walk(records: Iterable[Record], seals: Seals) -> tuple[Head, Fault | None, dict[str, int]]:
    head, wanted = START, dict[str, int]()
    for record in records:
        code = fault_after(head, record)
        if code is not None:
            return head, fault(code, head=head, found=record.seq), wanted
        head = Head(seq=record.seq, hash=record.hash)
        seals.take(record)
        for name in pictures_of(record.data):
            wanted.setdefault(name, record.seq)
    return head, None, wanted


_GIVEN_UP = ("picture-given-up", "had to make room")
_LEFT_BEHIND = ("picture-left-behind", "was not there any more when this was exported")


def _judge_pictures(
    pictures: Pictures, wanted: dict[str, int], gone: frozenset[str], why_gone: tuple[str, str]
) -> Iterator[Finding]:
    for name, seq in wanted.items():
        try:
            pictures.get(name)
        except EvidenceError as error:
            is_missing = error.values["why"] == "missing"
            if is_missing and name in gone:
                code, why = why_gone
                yield Finding(code=code, is_problem=False, message=f"picture {name[:12]} of record {seq} {why}")
            elif is_missing:
                message = f"picture {name[:12]} of record {seq} is missing"
                yield Finding(code="picture-missing", is_problem=True, message=message)
            else:
                message = f"picture {name[:12]} of record {seq} cannot be vouched for: {error}"
                yield Finding(code="picture-altered", is_problem=True, message=message)
    for name in sorted(pictures.names() - wanted.keys()):
        message = f"picture {name[:12]} is named by no record: nothing was decided by it, or the power went first"
        yield Finding(code="picture-orphan", is_problem=False, message=message)
