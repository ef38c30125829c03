"""`companion table` that can't start says why in one line, ends with 2 and leaves everything as it was."""

from __future__ import annotations

import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from companion.journal import Journal, NewRecord, open_to_read

RIG = '[hw.camera]\ndriver = "none"\n[hw.panel]\ndriver = "screen"\n'


def config(folder: Path, *, network: str = "", rest: str = RIG, state: Path | None = None) -> Path:
    """A configuration in the test's folder."""
    path = folder / "table.toml"
    path.write_text(
        f'table = "7"\nstate_dir = "{state or folder / "state"}"\n'
        f'[network]\nsocket = "{folder / "t.sock"}"\n{network}{rest}',
        encoding="utf-8",
    )
    return path


def start(path: Path, before: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    """The table as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "companion", "table", "--config", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        preexec_fn=before,  # noqa: PLW1509  a limit on file sizes, set by nothing but the test's own child
    )


def refused(path: Path, before: Callable[[], None] | None = None) -> str:
    """The one line of a start that fails."""
    process = start(path, before)
    _out, told = process.communicate(timeout=60)
    lines = [line for line in told.splitlines() if line]
    assert (2, 1) == (process.returncode, len(lines)), told
    assert lines[0].startswith("problem: "), told
    return lines[0]


@contextmanager
def running(path: Path, sock: Path) -> Iterator[subprocess.Popen[str]]:
    """A table that is up."""
    process = start(path)
    try:
        end = time.monotonic() + 30
        while not sock.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        assert sock.exists()
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)


def records(state: Path) -> int:
    """How many facts a table has written."""
    with open_to_read(state / "journal.sqlite") as journal:
        return sum(1 for _ in journal.all())


def test_table_that_is_running_already(tmp_path: Path) -> None:
    """On the same socket, or with another socket on the same journal: neither disturbs the first."""
    first = config(tmp_path)
    with running(first, tmp_path / "t.sock") as process:
        before = records(tmp_path / "state")
        same = refused(first)
        other = tmp_path / "other"
        other.mkdir()
        shared = refused(config(other, state=tmp_path / "state"))

        assert process.poll() is None
        assert _answers(tmp_path / "t.sock")
        assert before == records(tmp_path / "state")
    assert "a table is already running on" in same
    assert "a table is already running on" in shared
    assert not (other / "t.sock").exists()
    assert not (tmp_path / "t.sock").exists()


def test_port_in_use_writes_no_fact(tmp_path: Path) -> None:
    """The address is taken before the first fact, so that a start tried every second does not fill the journal."""
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]

        told = refused(config(tmp_path, network=f'listen = "127.0.0.1:{port}"\n'))

    assert f"127.0.0.1:{port}" in told
    assert "listen in [network]" in told
    assert 0 == records(tmp_path / "state")
    assert not (tmp_path / "t.sock").exists()


@pytest.mark.parametrize("case", ["a file", "too long", "no folder"])
def test_socket_that_cannot_be_made(tmp_path: Path, case: str) -> None:
    """Something else lies there, the path is longer than a socket's may be, or its folder can't be."""
    (tmp_path / "file").write_text("no socket", encoding="utf-8")
    place = {"a file": "file", "too long": "x" * 120, "no folder": "file/t.sock"}[case]
    path = config(tmp_path)
    path.write_text(
        path.read_text(encoding="utf-8").replace(str(tmp_path / "t.sock"), str(tmp_path / place)), encoding="utf-8"
    )

    told = refused(path)

    assert "socket" in told
    assert "network" in told
    assert "no socket" == (tmp_path / "file").read_text(encoding="utf-8")


def _journal(state: Path, *rows: NewRecord) -> None:
    with Journal.open(state / "journal.sqlite", table_id="7") as journal:
        journal.append(rows, boot="b", wall="2026-11-29T20:00:00.000Z")


@pytest.mark.parametrize(
    ("kind", "data", "said"),
    [
        ("dice.eaten", {"by": "dog"}, "record 1"),
        ("start_die.read", {"player": "nobody", "value": 3, "source": "hand", "evidence": None}, "record 1"),
        (
            "table.opened",
            {
                "system": "nl1996", "ruleset_name": "nl2050", "ruleset_hash": "0" * 64, "options": {}, "tournament": "",
                "round": 1, "table": "7", "game": "g", "players": ["a", "b", "c"], "length_ms": 60_000, "scale": 1.0,
            },
            "nl2050",
        ),
    ],
)  # fmt: skip
def test_journal_that_this_version_does_not_understand(
    tmp_path: Path, kind: str, data: dict[str, object], said: str
) -> None:
    """A fact or a ruleset of another version: named with its place, and not touched."""
    _journal(tmp_path / "state", NewRecord(type=kind, v=1, by="screen", at_ns=1, data=data))

    told = refused(config(tmp_path))

    assert said in told
    assert "install the version" in told
    assert 1 == records(tmp_path / "state")


def test_damaged_journal_is_left_as_it_was(tmp_path: Path) -> None:
    """Facts in the middle do not hold: people decide, not the table."""
    rows = [NewRecord(type="service.noted", v=1, by="rig", at_ns=i, data={"code": "x", "values": {}}) for i in (1, 2)]
    for row in rows:
        _journal(tmp_path / "state", row)
    file = tmp_path / "state" / "journal.sqlite"
    spoilt = file.read_bytes().replace(b'"code":"x"', b'"code":"y"', 2)
    file.write_bytes(spoilt)

    told = refused(config(tmp_path))

    assert "damaged" in told
    assert spoilt == file.read_bytes()


def test_state_that_cannot_be_written(tmp_path: Path) -> None:
    """The folder can't be made, or the disk takes no more."""
    (tmp_path / "file").write_text("in the way", encoding="utf-8")

    in_the_way = refused(config(tmp_path, state=tmp_path / "file" / "state"))
    no_room = refused(config(tmp_path), _no_room)

    assert "state" in in_the_way
    assert "state" in no_room


def _no_room() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ('[hw.camera]\ndriver = "polaroid"\n', "polaroid"),
        ("[hw.camera\n", "not valid TOML"),
        ("[clock]\nspeed = 2\n", "speed"),
    ],
)
def test_configuration_and_rig_that_are_none(tmp_path: Path, rest: str, said: str) -> None:
    """An unknown driver, no TOML, an unknown key."""
    told = refused(config(tmp_path, rest=rest))

    assert said in told


def test_configuration_that_is_not_there(tmp_path: Path) -> None:
    """The file that was named is missing."""
    assert "nowhere.toml" in refused(tmp_path / "nowhere.toml")


def test_dead_socket_of_a_crash_is_taken_away(tmp_path: Path) -> None:
    """What a killed table left behind does not keep the next one from starting."""
    left_over = socket.socket(socket.AF_UNIX)
    left_over.bind(str(tmp_path / "t.sock"))
    left_over.close()
    inode = (tmp_path / "t.sock").stat().st_ino
    path = config(tmp_path, network='listen = "127.0.0.1:0"\n'.replace(":0", f":{_free_port()}"))

    process = start(path)
    end = time.monotonic() + 30
    while time.monotonic() < end and not _is_new(tmp_path / "t.sock", inode):
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)

    assert 0 == process.returncode
    assert 0 < records(tmp_path / "state")


def _is_new(sock: Path, inode: int) -> bool:
    return sock.exists() and sock.stat().st_ino != inode and _answers(sock)


def _answers(sock: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(sock)) == 0


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port
