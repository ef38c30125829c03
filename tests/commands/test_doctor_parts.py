"""What the doctor asks of a running table, of the card, and of the network."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from companion.commands.checkup import machine as of_machine
from companion.commands.checkup import rig as of_rig
from companion.commands.checkup.finding import Finding, Machine
from companion.lan.boxes import fingerprint
from tests.fault.tables import sim_table


def codes(findings: Iterable[Finding]) -> list[tuple[str, str]]:
    """State and code of each finding."""
    return [(finding.state, finding.code) for finding in findings]


async def test_a_running_table_tells_of_its_parts(tmp_path: Path) -> None:
    """What only the service can see comes along, in the language that was asked for."""
    async with sim_table(tmp_path, camera="none") as (client, _rig):
        key, _turn = await client.key()
        findings = await asyncio.to_thread(lambda: list(of_rig.service(tmp_path / "t.sock", "nl")))

    told = {finding.part: finding.said for finding in findings}
    assert ("ok", "answers") == (findings[0].state, findings[0].code)
    assert "Nog niet geprobeerd: laat hem een keer horen." == told["zoemer"]
    assert {"knoppen", "versies", "camera"} <= told.keys()
    assert f"vingerafdruk {fingerprint(bytes.fromhex(key))}, voor de" in told["sleutel van de tafel"]


async def test_what_answers_and_is_no_table_is_said_in_the_reader_s_language(tmp_path: Path) -> None:
    """Another program on the socket: words, and not the sentence that a client made for its log."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # An answer before the question, and the question left unread, can reach the client as a broken line.
        while (await reader.readline()).strip():
            pass
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        await writer.drain()
        writer.close()

    server = await asyncio.start_unix_server(answer, tmp_path / "t.sock")
    async with server:
        (finding,) = await asyncio.to_thread(lambda: list(of_rig.service(tmp_path / "t.sock", "nl")))

    why = "Wat antwoordt is geen tafel van deze versie: roep de organisatie."
    assert ("fail", "amiss", why) == (finding.state, finding.code, finding.values["why"])


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, []),
        ({"errors_count": "2", "lifetime_write_kbytes": "3000000"}, [("fail", "errors"), ("ok", "written")]),
        ({"life_time": "0x09 0x01"}, [("warn", "worn")]),
        ({"life_time": "0x01 0x01"}, [("ok", "worn")]),
    ],
)
def test_the_card_tells_of_wear_and_errors(
    tmp_path: Path, files: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    """Before the game, where it tells."""
    number = tmp_path.stat().st_dev
    (tmp_path / "sys/devices/mmcblk0/device").mkdir(parents=True)
    (tmp_path / "sys/dev/block").mkdir(parents=True)
    (tmp_path / "sys/fs/ext4/mmcblk0").mkdir(parents=True)
    (tmp_path / f"sys/dev/block/{os.major(number)}:{os.minor(number)}").symlink_to(tmp_path / "sys/devices/mmcblk0")
    for name, text in files.items():
        folder = "sys/devices/mmcblk0/device" if name == "life_time" else "sys/fs/ext4/mmcblk0"
        (tmp_path / folder / name).write_text(text, encoding="ascii")

    assert expected == codes(of_machine.card(tmp_path / "not/yet", Machine(root=tmp_path)))


def test_a_machine_without_a_network_is_a_table(tmp_path: Path) -> None:
    """No connection is said and is no fault; one that is up is named."""
    without = codes(of_machine.network(Machine(root=tmp_path)))
    (tmp_path / "sys/class/net/eth0").mkdir(parents=True)
    (tmp_path / "sys/class/net/eth0/operstate").write_text("up", encoding="ascii")

    assert ([("ok", "none")], [("ok", "up")]) == (without, codes(of_machine.network(Machine(root=tmp_path))))
