"""Pictures are durable before they are spoken of, and make room for facts."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest

from companion.journal.errors import EvidenceError
from companion.journal.evidence import Evidence, Pictures

NO_RESERVE = {"reserve_bytes": 0}


def picture(number: int, size: int = 1000) -> bytes:
    """A picture of that many bytes, unlike all others."""
    return number.to_bytes(4) * (size // 4)


def test_a_picture_is_found_by_its_hash(tmp_path: Path) -> None:
    """The name is the SHA-256 of the bytes, and a later start finds it."""
    name = Evidence(tmp_path, **NO_RESERVE).put(picture(1))

    assert (hashlib.sha256(picture(1)).hexdigest(), picture(1)) == (name, Evidence(tmp_path).get(name))


def test_the_same_picture_is_kept_once(tmp_path: Path) -> None:
    """Twice the same bytes is one file."""
    evidence = Evidence(tmp_path, **NO_RESERVE)
    names = {evidence.put(picture(1)), evidence.put(picture(1))}

    assert names == evidence.names()


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "0" * 64, "A" * 64])
def test_an_unknown_name_is_no_picture(tmp_path: Path, name: str) -> None:
    """A name that is no hash never reaches the disk."""
    with pytest.raises(EvidenceError) as caught:
        Pictures(tmp_path).get(name)

    assert "missing" == caught.value.values["why"]


def test_a_changed_picture_is_not_handed_out(tmp_path: Path) -> None:
    """Bytes that no longer fit their name are an error, not evidence."""
    evidence = Evidence(tmp_path, **NO_RESERVE)
    name = evidence.put(picture(1))
    (tmp_path / f"{name}.jpg").write_bytes(picture(2))
    with pytest.raises(EvidenceError) as caught:
        evidence.get(name)

    assert "altered" == caught.value.values["why"]


def test_the_oldest_give_way_but_not_the_kept(tmp_path: Path) -> None:
    """At the cap the oldest picture goes, is written down as gone, and a kept one stays."""
    evidence = Evidence(tmp_path, cap_bytes=3000, **NO_RESERVE)
    first, second, third = (evidence.put(picture(n)) for n in (1, 2, 3))
    evidence.keep(first)
    evidence.keep(first)
    fourth = evidence.put(picture(4))

    assert ({first, third, fourth}, {second}) == (evidence.names(), evidence.given_up())


def test_age_survives_a_restart(tmp_path: Path) -> None:
    """A later start still knows which pictures are oldest, and counts what is there."""
    before = Evidence(tmp_path, cap_bytes=3000, **NO_RESERVE)
    names = [before.put(picture(n)) for n in (1, 2, 3)]
    after = Evidence(tmp_path, cap_bytes=3000, **NO_RESERVE)
    after.put(picture(4))

    assert {names[0]} == after.given_up()


def test_the_reserve_belongs_to_facts(tmp_path: Path) -> None:
    """When the disk has only its reserve left, pictures are refused and the refusal says so."""
    evidence = Evidence(tmp_path, reserve_bytes=2**60)
    with pytest.raises(EvidenceError) as caught:
        evidence.put(picture(1))

    assert ("reserve", frozenset()) == (caught.value.values["why"], evidence.names())


def test_a_picture_larger_than_the_cap_is_refused(tmp_path: Path) -> None:
    """One picture that can never fit is refused."""
    with pytest.raises(EvidenceError) as caught:
        Evidence(tmp_path, cap_bytes=100, **NO_RESERVE).put(picture(1))

    assert "cap" == caught.value.values["why"]


def test_a_half_written_picture_is_swept_away(tmp_path: Path) -> None:
    """What a crash left under its unfinished name is gone after the next start."""
    (tmp_path / ("a" * 64 + ".unfinished")).write_bytes(b"half")
    evidence = Evidence(tmp_path, **NO_RESERVE)

    assert ([], frozenset()) == (list(tmp_path.glob("*.unfinished")), evidence.names())


def test_a_full_disk_takes_the_oldest_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk says that it is full, old pictures go until the new one fits; the note of it may not fit either."""
    evidence = Evidence(tmp_path, **NO_RESERVE)
    first, second = evidence.put(picture(1)), evidence.put(picture(2))
    refusals = iter([True, True, False])

    def sync(handle: int) -> None:
        if next(refusals, False):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", sync)
    third = evidence.put(picture(3))

    assert ({second, third}, True) == (evidence.names(), first not in evidence.names())


def test_a_disk_without_pictures_to_give_up_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing left to give up the refusal is told, and no half picture stays behind."""

    def sync(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    evidence = Evidence(tmp_path, **NO_RESERVE)
    monkeypatch.setattr(os, "fsync", sync)
    with pytest.raises(EvidenceError) as caught:
        evidence.put(picture(1))

    assert ("No space left on device", [tmp_path / "kept"]) == (caught.value.values["why"], list(tmp_path.iterdir()))


def test_only_what_is_there_can_be_kept(tmp_path: Path) -> None:
    """Keeping an unknown picture is refused by name."""
    with pytest.raises(EvidenceError) as caught:
        Evidence(tmp_path, **NO_RESERVE).keep("0" * 64)

    assert "0" * 64 == caught.value.values["hash"]


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    """The error names the place."""
    (tmp_path / "evidence").write_text("in the way")
    with pytest.raises(EvidenceError) as caught:
        Evidence(tmp_path / "evidence")

    assert str(tmp_path / "evidence") == caught.value.values["path"]


def test_a_picture_that_had_its_time_is_let_go_and_told(tmp_path: Path) -> None:
    """What was given up is written down; what is kept, or was never there, stays as it is."""
    evidence = Evidence(tmp_path, **NO_RESERVE)
    first, second = evidence.put(picture(1)), evidence.put(picture(2))
    evidence.keep(second)
    for name in (first, second, "0" * 64, first):
        evidence.give_up(name)

    assert ({second}, {first}) == (evidence.names(), evidence.given_up())
