"""`companion hub` as an organiser starts it."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import pytest
from aiohttp import ClientSession
from click.testing import CliRunner

from companion.cli import main
from companion.config.shapes import HubConfig
from companion.hub.settings import BadListen, merged

from .fake_table import FakeTable


async def test_a_hub_starts_collects_and_stops(tmp_path: Path) -> None:
    """The command prints its address, serves the tables that it was told of, and ends with 0 when asked to."""
    table = FakeTable("7", {"anna": "Anna"})
    table.open_game("anna", "bram")
    address = await table.serve(tmp_path / "7.sock")
    words = ["hub", "--listen", "127.0.0.1:0", "--state", str(tmp_path / "hub"), "--table", address]
    hub = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "companion", *words,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env={"HOME": str(tmp_path)},
    )  # fmt: skip
    assert hub.stdout is not None
    assert hub.stderr is not None
    seen: list[str] = []
    async with asyncio.timeout(20), ClientSession() as session:
        said = (await hub.stdout.readline()).decode()
        while not seen:
            async with session.get(said.removeprefix("hub: ").strip() + "v1/tables") as answer:
                seen = [one["table"] for one in (await answer.json())["tables"] if one["seq"] == len(table.records)]
            await asyncio.sleep(0.05)
        hub.send_signal(signal.SIGTERM)
        errors = (await hub.stderr.read()).decode()
        code = await hub.wait()
    await table.stop()

    assert (True, ["7"], 0, False) == (said.startswith("hub: http://127.0.0.1:"), seen, code, "Traceback" in errors)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--listen", "8080"], "ADDRESS:PORT"),
        (["--listen", "127.0.0.1:99999"], "1..65535"),
        (["--listen", "0.0.0.0:8080"], "--allow-lan"),
        (["--table", "table7"], "'table7' is no address"),
        (["--config", "/no/such/hub.toml"], "/no/such/hub.toml"),
        (["--state", "/dev/null/hub"], "/dev/null/hub"),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, words: list[str], told: str) -> None:
    """What is wrong, where and what to do, exit code 2, and nothing else."""
    base = ["hub", "--listen", "127.0.0.1:0", "--state", str(tmp_path)]
    result = CliRunner().invoke(main, [*base, *words])

    assert (2, 1, True, True) == (
        result.exit_code,
        len(result.stderr.splitlines()),
        result.stderr.startswith("problem: "),
        told in result.stderr,
    )


def test_a_config_file_is_read(tmp_path: Path) -> None:
    """A mistake in hub.toml is named with its key."""
    (tmp_path / "hub.toml").write_text('lang = "fr"\n')
    result = CliRunner().invoke(main, ["hub", "--config", str(tmp_path / "hub.toml")])

    assert (2, True) == (result.exit_code, "lang" in result.stderr)


def test_options_win_over_the_file(tmp_path: Path) -> None:
    """What is said on the command line replaces the file, but tables are added to it."""
    file = HubConfig(listen="127.0.0.1:8080", lang="nl", tables=["unix:/a"])
    mixed = merged(file, listen="0.0.0.0:9000", allow_lan=True, state=tmp_path, tables=("unix:/b",), lang="cs")

    assert (file, ("0.0.0.0:9000", True, tmp_path, ["unix:/a", "unix:/b"], "cs")) == (
        merged(file),
        (mixed.listen, mixed.allow_lan, mixed.state_dir, mixed.tables, mixed.lang),
    )


def test_port_zero_does_not_open_the_lan() -> None:
    """Asking for any free port does not slip past the rule that only this machine may connect."""
    with pytest.raises(BadListen) as caught:
        merged(HubConfig(), listen="0.0.0.0:0")

    assert "bad-listen" == caught.value.code


def test_a_broken_store_is_one_line(tmp_path: Path) -> None:
    """A store that is no database stops the start, untouched."""
    (tmp_path / "hub.sqlite").write_text("not a database at all, but long enough to look at " * 50)
    result = CliRunner().invoke(main, ["hub", "--listen", "127.0.0.1:0", "--state", str(tmp_path)])

    assert (2, True, 1) == (result.exit_code, result.stderr.startswith("problem: "), len(result.stderr.splitlines()))
