"""Whose socket it is: the screen's user, who is not the service's, can open it, and nobody else."""

from __future__ import annotations

import grp
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.table.test_start import config

NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody may enter, as /run/companion is."""
    with tempfile.TemporaryDirectory() as made:
        path = Path(made)
        path.chmod(0o755)
        yield path


def start(path: Path, group: str) -> subprocess.Popen[str]:
    """A table whose socket is the group's."""
    return subprocess.Popen(
        [sys.executable, "-m", "companion", "table", "--config", str(path), "--socket-group", group],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def a_group() -> grp.struct_group:
    """One that this user may give to, not their own first one if they have another."""
    others = [group for group in grp.getgrall() if group.gr_gid != os.getegid()]
    mine = [group for group in others if os.geteuid() == 0 or group.gr_gid in os.getgroups()]
    return (mine or [grp.getgrgid(os.getegid())])[0]


def opens(sock: Path, groups: list[int]) -> bool:
    """Whether somebody in these groups alone can connect."""
    child = os.fork()
    if child == 0:
        os.setgroups(groups)
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        os._exit(min(1, socket.socket(socket.AF_UNIX).connect_ex(str(sock))))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_socket_is_given_to_the_group_of_the_screen(folder: Path) -> None:
    """Its members may open it; who is not in it may not. Only root can try that out as somebody else."""
    group = a_group()
    sock = folder / "t.sock"
    process = start(config(folder), group.gr_name)
    try:
        end = time.monotonic() + 30
        while not sock.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        found = sock.stat()
        opened = [opens(sock, groups) for groups in ([group.gr_gid], [])] if os.geteuid() == 0 else [True, False]
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)

    assert (group.gr_gid, 0o660) == (found.st_gid, stat.S_IMODE(found.st_mode))
    assert [True, False] == opened


def refused(folder: Path, group: str) -> str:
    """What a start says that fails, which leaves no socket behind."""
    process = start(config(folder), group)
    _, told = process.communicate(timeout=60)
    assert 2 == process.returncode, told
    assert not [path for path in folder.iterdir() if path.is_socket()]
    return told


def test_group_that_is_none_is_refused(folder: Path) -> None:
    """In words, with the way out."""
    told = refused(folder, "no-such-group")

    assert "no-such-group: this machine has none of that name" in told
    assert "--socket-group" in told


async def test_group_of_others_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is not in a group can't give to it; root, who can, is told so by the system here."""
    from companion.config import load_table
    from companion.table.serving import AddressRefused, serve

    def denied(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chown", denied)
    with pytest.raises(AddressRefused, match="this user is not in it"):
        await serve(load_table(config(folder)), socket_group=a_group().gr_name)

    assert not [path for path in folder.iterdir() if path.is_socket()]
