"""What the kernel tells of card, clock and network, read from a made-up `/sys`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.hw.machine import clock_source, links_up, read_card


def card(root: Path, folder: Path, **files: str) -> None:
    """A card with one partition, under the number of the folder's own disk."""
    number = folder.stat().st_dev
    place = root / "sys/devices/mmc0/block/mmcblk0/mmcblk0p2"
    place.mkdir(parents=True)
    link = root / f"sys/dev/block/{os.major(number)}:{os.minor(number)}"
    link.parent.mkdir(parents=True)
    link.symlink_to(place)
    for name, text in files.items():
        at = root / "sys/fs/ext4/mmcblk0p2" / name if name != "life_time" else place.parent / "device/life_time"
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(text + "\n", encoding="ascii")


def test_a_card_tells_its_wear_and_its_errors(tmp_path: Path) -> None:
    """An eMMC counts its life in tenths, the file system its errors."""
    card(tmp_path, tmp_path, life_time="0x02 0x09", errors_count="3", lifetime_write_kbytes="41000000")

    found = read_card(tmp_path, tmp_path)

    assert found is not None
    assert ("mmcblk0p2", 90, 41.0, 3) == (found.device, found.worn_percent, found.written_gb, found.errors)


@pytest.mark.parametrize("life", ["0x00 0x00", "none"])
def test_what_a_card_keeps_to_itself_is_unknown(tmp_path: Path, life: str) -> None:
    """An SD card tells no wear: that is unknown, not fine."""
    card(tmp_path, tmp_path, life_time=life)

    found = read_card(tmp_path, tmp_path)

    assert found is not None
    assert (None, None, None) == (found.worn_percent, found.written_gb, found.errors)


def test_a_folder_on_no_disk_has_no_card(tmp_path: Path) -> None:
    """A folder in memory, or a kernel that tells nothing."""
    assert read_card(tmp_path, tmp_path) is None


def test_the_source_of_the_wall_clock(tmp_path: Path) -> None:
    """Nothing, a battery, one that is empty, a battery, the network: the best one counts."""
    sources = [clock_source(tmp_path)]
    (tmp_path / "sys/class/rtc/rtc0").mkdir(parents=True)
    sources.append(clock_source(tmp_path))
    for since_1970_s in ("37\n", "1796000000\n"):
        (tmp_path / "sys/class/rtc/rtc0/since_epoch").write_text(since_1970_s)
        sources.append(clock_source(tmp_path))
    (tmp_path / "run/systemd/timesync").mkdir(parents=True)
    (tmp_path / "run/systemd/timesync/synchronized").touch()
    sources.append(clock_source(tmp_path))

    assert ["none", "battery", "none", "battery", "network"] == sources


def test_the_connections_that_are_up(tmp_path: Path) -> None:
    """The machine's own loop is none."""
    assert () == links_up(tmp_path)
    for name, state in (("lo", "unknown"), ("eth0", "down"), ("wlan0", "up")):
        (tmp_path / "sys/class/net" / name).mkdir(parents=True)
        (tmp_path / "sys/class/net" / name / "operstate").write_text(state, encoding="ascii")

    assert ("wlan0",) == links_up(tmp_path)
