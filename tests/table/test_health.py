"""The health page: each part with its own line, none of them able to hold the page up."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.hw.clock import NS_PER_S
from companion.sim.drivers import SimRig
from companion.table import machine_health, view_health, visits
from companion.table.buttons import SILENT_THROWS, ButtonWatch, seen
from companion.table.health import GAME_BYTES, PICTURE_BYTES, Item, Slowly, disk, item
from companion.table.view_health import view
from companion.vision.settings import RigGeometry


def codes(items: tuple[Item, ...]) -> list[tuple[str, str]]:
    """State and code of each item."""
    return [(str(found["state"]), str(found["code"])) for found in items]


@pytest.mark.parametrize(
    ("free", "is_kept", "expected"),
    [
        (GAME_BYTES, True, ("ok", "disk-free")),
        (GAME_BYTES - 1, True, ("warn", "disk-low")),
        (PICTURE_BYTES - 1, True, ("warn", "disk-pictures")),
        (1000, True, ("warn", "disk-pictures")),
        (PICTURE_BYTES - 1, False, ("warn", "disk-pictures")),
        (1000, False, ("fail", "disk-full")),
    ],
)
def test_room_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, is_kept: bool, expected: tuple[str, str]
) -> None:
    """Pictures go before facts, and a disk without the facts' own room is full."""
    usage = type("Usage", (), {"free": free})
    monkeypatch.setattr("companion.table.health.shutil.disk_usage", lambda _folder: usage)

    found = disk(tmp_path, is_reserve_kept=is_kept)

    assert [expected] == codes((found,))


def test_a_source_that_hangs_does_not_hold_up_the_page() -> None:
    """Whoever looks gets the answer of a moment ago; one thread at a time asks."""
    gate, asked = threading.Event(), []

    def source() -> tuple[Item, ...]:
        asked.append(1)
        gate.wait(5)
        return (item("disk", "ok", "disk-free"),)

    slowly = Slowly(source, every_s=0.0)
    begun = time.monotonic()
    first, second = slowly(), slowly()
    took_s = time.monotonic() - begun
    gate.set()
    end = time.monotonic() + 5
    while not slowly() and time.monotonic() < end:
        time.sleep(0.01)

    assert ((), (), True) == (first, second, took_s < 1)
    assert [("ok", "disk-free")] == codes(slowly())


def _write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text + "\n", encoding="ascii")


@pytest.mark.parametrize(
    ("flags", "millidegrees", "expected"),
    [
        ("0x0", "48000", [("ok", "cool")]),
        ("0x1", "48000", [("fail", "sagging"), ("ok", "cool")]),
        ("0x50000", "81000", [("warn", "sagged"), ("warn", "was-slowed"), ("warn", "hot")]),
        ("0x4", "", [("warn", "slowed")]),
        ("", "", []),
    ],
)
def test_power_and_heat(tmp_path: Path, flags: str, millidegrees: str, expected: list[tuple[str, str]]) -> None:
    """A weak supply and a hot processor are said before the game."""
    if flags:
        _write(tmp_path, "sys/devices/platform/soc/soc:firmware/get_throttled", flags)
    if millidegrees:
        _write(tmp_path, "sys/class/thermal/thermal_zone0/temp", millidegrees)

    assert expected == codes(machine_health.power(tmp_path))


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, []),
        ({"errors_count": "2"}, [("fail", "errors")]),
        ({"life_time": "0x09 0x01"}, [("warn", "worn")]),
        ({"life_time": "0x01 0x01", "errors_count": "0"}, [("ok", "wear")]),
        ({"lifetime_write_kbytes": "5000000"}, [("ok", "written")]),
        ({"life_time": "0x01 0x01", "lifetime_write_kbytes": "5000000"}, [("ok", "told")]),
    ],
)
def test_the_card(tmp_path: Path, files: dict[str, str], expected: list[tuple[str, str]]) -> None:
    """Errors, wear, or what has been written; a card that tells nothing has no line."""
    number = tmp_path.stat().st_dev
    place = tmp_path / "sys/devices/mmcblk0"
    place.mkdir(parents=True)
    (tmp_path / "sys/dev/block").mkdir(parents=True)
    (tmp_path / f"sys/dev/block/{os.major(number)}:{os.minor(number)}").symlink_to(place)
    for name, text in files.items():
        _write(
            tmp_path,
            f"sys/devices/mmcblk0/device/{name}" if name == "life_time" else f"sys/fs/ext4/mmcblk0/{name}",
            text,
        )

    assert expected == codes(machine_health.card(tmp_path, tmp_path))


def test_a_machine_that_tells_of_no_card(tmp_path: Path) -> None:
    """A folder on no disk."""
    assert () == machine_health.card(tmp_path, tmp_path)


def test_clock_network_and_versions(tmp_path: Path) -> None:
    """No clock to lean on, no network, and what runs here."""
    assert [("ok", "none")] == codes(machine_health.wall_clock(tmp_path))
    _write(tmp_path, "sys/class/rtc/rtc0/name", "rtc")
    assert [("ok", "battery")] == codes(machine_health.wall_clock(tmp_path))
    _write(tmp_path, "run/systemd/timesync/synchronized", "")
    assert [("ok", "network")] == codes(machine_health.wall_clock(tmp_path))
    assert ([("warn", "down")], []) == (
        codes(machine_health.network(is_wanted=True, root=tmp_path)),
        codes(machine_health.network(is_wanted=False, root=tmp_path)),
    )
    _write(tmp_path, "sys/class/net/eth0/operstate", "up")
    assert [("ok", "up")] == codes(machine_health.network(is_wanted=True, root=tmp_path))
    assert "9.9" == machine_health.versions("9.9")[0]["values"]["software"]


def test_what_the_camera_sees_of_the_rig() -> None:
    """Four markers, sharp and lit; then one covered, blurred, dim and glaring."""
    import cv2

    rig = SimRig()
    frame = rig.camera.read(1000)
    rig.close()
    assert frame is not None
    covered = frame.image.copy()
    covered[: covered.shape[0] // 2, : covered.shape[1] // 2] = 60
    seen_now: dict[str, Any] = {
        "well": frame.image,
        "covered": covered,
        "blurred": cv2.GaussianBlur(frame.image, (0, 0), 2.5),
        "dim": (frame.image * 0.4).astype(np.uint8),
        "glaring": np.where(np.arange(frame.image.shape[1])[None, :, None] % 10 == 0, 255, frame.image).astype(
            np.uint8
        ),
        "black": np.zeros_like(frame.image),
    }

    told = {name: codes(view(lambda image=image: image, RigGeometry())) for name, image in seen_now.items()}

    well = [("ok", "all"), ("ok", "sharp"), ("ok", "even")]
    assert well == told["well"]
    assert ("warn", "few") == told["covered"][0]
    assert ("warn", "blurred") in told["blurred"]
    assert ("warn", "dim") in told["dim"]
    assert ("warn", "glare") in told["glaring"]
    assert [("warn", "few"), ("warn", "dim")] == told["black"]
    assert () == view_health.view(lambda: None, RigGeometry())


def test_the_hub_s_last_visit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not expected, not yet, just now, and long ago."""
    now = {"ns": 5 * NS_PER_S}
    monkeypatch.setattr(visits, "boot_ns", lambda: now["ns"])
    here = visits.HubVisits(is_expected=True)
    lines = [visits.HubVisits(is_expected=False).health(), here.health()]
    here.came()
    lines.append(here.health())
    now["ns"] += (visits.MISSED_S + 1) * NS_PER_S
    lines.append(here.health())

    assert [[], [("ok", "not-yet")], [("ok", "seen")], [("warn", "unseen")]] == [codes(line) for line in lines]


def test_a_button_with_a_torn_wire_is_noticed() -> None:
    """Bert's throws count without his button being heard, Anna's is heard: only Bert's is said to be silent."""
    pressed = {"seat1": 0, "seat2": 0}
    watch = ButtonWatch(lambda: pressed)
    for _throw in range(SILENT_THROWS):
        pressed["seat1"] += 1
        watch.counted("seat1")
        watch.counted("seat2")

    told = watch.health()
    pressed["seat2"] += 1
    mended = watch.health()
    watch.forget()

    assert [("seat2", "warn", "button-silent")] == [(i["part"], i["state"], i["code"]) for i in told]
    assert ((), ()) == (mended, watch.health())


def test_a_table_that_plays_without_its_buttons_is_left_in_peace() -> None:
    """Nobody presses: that is a way to play and no fault."""
    watch = ButtonWatch(lambda: {"seat1": 0, "seat2": 0})
    for _throw in range(10):
        watch.counted("seat1")
        watch.counted("seat2")

    assert ((), ()) == (watch.health(), seen({}))
