"""The whole machine, emulated: this project installed in it as docs/install.md says, played, and its plug pulled.

    sudo tests/machine/build.sh CACHE            # prints FOLDER, the machine's disk; minutes, once
    .venv/bin/python tests/machine/run.py FOLDER --kills 10

Debian runs under QEMU by software alone, with systemd and udev, `companion-table` and `companion-hub` as units,
gpio-sim under the panel's lines and v4l2loopback as camera. The machine is killed at random moments of a game that is
played by bouncing buttons; its disk then keeps only what was flushed (`flushed.py`). Whatever a client had been shown
must be there after the next boot. The log of writes tells besides what the disk would have held at any other moment of
that game: for `--cuts` of them it is made anew, with some of what was not flushed by chance, and held against what had
been shown until then. At last the buttons are counted, the wall clock is set a day on and back, a stick is put in and
pulled out, and the camera is started. Exit code 1 when anything was lost or a promise was not kept.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import select
import subprocess
import sys
import tarfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2

from companion.journal import open_to_read
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings

sys.path.insert(0, str(Path(__file__).parent))
from emulated import BOOT_S, Machine
from stick import stick

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]
CAMERA_S = 40
PAIRS = 5
DAY_MS = 86_400_000
SITE = "/opt/venv/lib/python3.11/site-packages"

TABLE = """\
table = "7"
lang = "en"
[network]
listen = "127.0.0.1:8700"
[hw.camera]
driver = "v4l2"
device = "/dev/video10"
width = 640
height = 360
fps = 5
[stick]
folder = "/media/companion"
"""
HUB = 'listen = "127.0.0.1:8080"\ntables = ["http://127.0.0.1:8700"]\n'
CAMERA = """\
[Service]
ExecStart=/opt/companion/.venv/bin/python /opt/companion/guest_camera.py /opt/companion/box.png
Restart=always
RestartSec=2
"""
DROP_IN = """\
# Only here: the header's name is bound over /proc/cpuinfo, which these would hide behind a /proc of the unit's own.
[Service]
ProtectProc=default
ProtectKernelTunables=no
ProtectControlGroups=no
"""


def say(line: object) -> None:
    """A line of the report, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def install(machine: Machine) -> None:
    """As docs/install.md says, but for the packages, which the disk has already."""
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    carried = io.BytesIO()
    with tarfile.open(fileobj=carried, mode="w:gz", compresslevel=1) as archive:
        for name in files.split("\0"):
            if name.startswith(("companion/", "systemd/", "udev/", "pyproject", "README", "LICENSE")):
                archive.add(PROJECT / name, name)
        for name in ("guest_play.py", "guest_camera.py"):
            archive.add(HERE / name, name)
        _add(archive, "dist/METADATA", "Metadata-Version: 2.1\nName: table-companion\nVersion: 0.1.0\n")
        _add(archive, "dist/companion", "#!/opt/companion/.venv/bin/python\nfrom companion.cli import main\n\nmain()\n")
        _add(archive, "dist/companion.pth", "/opt/companion\n")
        _add(archive, "etc/table.toml", TABLE)
        _add(archive, "etc/hub.toml", HUB)
        _add(archive, "etc/machine.conf", DROP_IN)
        _add(archive, "etc/guest-camera.service", CAMERA)
        (HERE / "../../build").mkdir(exist_ok=True)
        archive.add(_picture(HERE / "../../build/box.png"), "box.png")
    machine.ssh("mkdir -p /opt/companion && tar -C /opt/companion -xz", content=carried.getvalue())
    machine.ssh(
        f"""set -e
        cd /opt/companion
        ln -sfn /opt/venv .venv
        .venv/bin/python -m compileall -q companion
        mkdir -p {SITE}/table_companion-0.1.0.dist-info && cp dist/METADATA {SITE}/table_companion-0.1.0.dist-info/
        cp dist/companion.pth {SITE}/ && install -m 755 dist/companion /opt/venv/bin/companion
        mkdir -p /etc/companion && cp etc/table.toml etc/hub.toml /etc/companion/
        install -D --mode 644 systemd/companion.sysusers /etc/sysusers.d/companion.conf
        cp udev/70-companion.rules /etc/udev/rules.d/
        cp systemd/companion-table.service systemd/companion-hub.service /etc/systemd/system/
        mkdir -p /etc/systemd/system/companion-table.service.d
        cp etc/machine.conf /etc/systemd/system/companion-table.service.d/
        cp etc/guest-camera.service /etc/systemd/system/
        systemd-sysusers
        udevadm control --reload
        udevadm trigger
        udevadm settle
        systemctl daemon-reload
        systemctl enable --now companion-table companion-hub
        sync"""
    )


def _picture(file: Path) -> Path:
    """The box as its camera sees it, from the simulator."""
    rig = SimRig(SimSettings(width=640, height=360, fps=5.0))
    frame = rig.camera.read(2000)
    rig.close()
    assert frame is not None
    cv2.imwrite(str(file), frame.image)
    return file


def _add(archive: tarfile.TarFile, name: str, text: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(text.encode())
    archive.addfile(entry, io.BytesIO(text.encode()))


def wait_for_table(machine: Machine) -> None:
    """Until the table's socket is there."""
    # One connection that waits: to make one takes an emulated processor a second.
    waited = f"timeout {BOOT_S} sh -c 'until test -S /run/companion/table.sock; do sleep 0.5; done' || echo gone"
    if machine.said(waited):
        raise SystemExit("problem: the table does not come up:\n" + machine.said("journalctl -u companion-table -n 30"))


COMPANION = "/opt/companion/.venv/bin/companion"
GUEST = "cd /root && /opt/companion/.venv/bin/python /opt/companion/guest_play.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A moment of the game.

    Attributes:
        seq: Newest record that had been shown.
        log_bytes: How far the log of the disk's writes had come.
    """

    seq: int
    log_bytes: int


def play_and_cut(
    machine: Machine, seen: dict[int, str], seconds: float, seed: int
) -> tuple[tuple[int, int], list[Shown]]:
    """Play for a while, remember all that was shown and when, and pull the plug."""
    game = machine.started(f"{GUEST} {max(seen, default=0)} {seed}")
    assert game.stdout is not None
    moments: list[Shown] = []
    # The moment counts from the first record that is shown: until then nothing can be lost.
    line, end = game.stdout.readline(), time.monotonic() + seconds
    while line.endswith(b"\n"):
        number, digest = line.split()
        seen[int(number)] = digest.decode()
        moments.append(Shown(seq=int(number), log_bytes=machine.log_bytes()))
        left = end - time.monotonic()
        if left <= 0 or not select.select([game.stdout], [], [], left)[0]:
            break
        line = game.stdout.readline()
    if not moments:
        raise SystemExit(f"problem: the game showed nothing; see {machine.folder}")
    done = machine.cut()
    game.kill()
    game.wait()
    return done, moments


def lost_at(machine: Machine, moment: Shown, seen: dict[int, str], chance: random.Random) -> list[int]:
    """Numbers of the records that were shown by that moment, and that its disk does not hold."""
    disk = machine.disk_at(moment.log_bytes, chance)
    mount = disk.with_suffix(".mount")
    mount.mkdir(exist_ok=True)
    subprocess.run(["mount", "-o", "loop", str(disk), str(mount)], check=True)
    try:
        with open_to_read(mount / "var/lib/companion/table/journal.sqlite") as journal:
            kept = {record.seq: record.hash for record in journal.all()}
    finally:
        subprocess.run(["umount", str(mount)], check=True)
        disk.unlink()
    return [number for number, digest in seen.items() if number <= moment.seq and kept.get(number) != digest]


def exported(machine: Machine) -> list[dict[str, Any]]:
    """Every record of the table's journal."""
    told = machine.said(
        f"{COMPANION} journal export /var/lib/companion/table /root/out >/dev/null"
        " && cat /root/out/journal.jsonl && rm -rf /root/out"
    )
    return [json.loads(line) for line in told.splitlines()]


def lost(machine: Machine, seen: dict[int, str]) -> list[int]:
    """Numbers of the records that were shown and are not there as they were shown."""
    kept = {record["seq"]: record["hash"] for record in exported(machine)}
    return [number for number, digest in seen.items() if kept.get(number) != digest]


def stepped(machine: Machine) -> list[dict[str, Any]]:
    """Set the machine's clock a day on, and back; all that the table wrote down meanwhile."""
    before = len(exported(machine))
    for day in ("+1 day", "-1 day"):
        machine.ssh(f"date --set '{day}'")
        time.sleep(5)
    return exported(machine)[before:]


def measured(machine: Machine, told: argparse.Namespace) -> None:
    """Install, play, cut, and tell; ends the program with what came of it."""
    chance = random.Random(told.seed)
    say(f"up in {machine.boot():.0f} s")
    install(machine)
    wait_for_table(machine)
    say(machine.said("systemctl is-active companion-table companion-hub").split())
    seen: dict[int, str] = {}
    fails = 0
    for number in range(1, told.kills + 1):
        (kept, dropped), moments = play_and_cut(machine, seen, chance.uniform(0.5, told.seconds), told.seed + number)
        chosen = chance.sample(moments, min(told.cuts, len(moments)))
        missing = [number for moment in chosen for number in lost_at(machine, moment, seen, chance)]
        fails += len(missing)
        say(f"cut {number}: {len(chosen)} other moments of it looked at, {len(missing)} records lost")
        up_s = machine.boot()
        wait_for_table(machine)
        missing = lost(machine, seen)
        fails += len(missing)
        say(f"cut {number}: {kept} writes flushed, {dropped} lost with the plug; up again in {up_s:.0f} s; "
              f"{len(seen)} records shown so far, {len(missing)} of them lost")  # fmt: skip
    heard = json.loads(machine.said(f"{GUEST} buttons {told.presses}"))
    right = sum((pair["first"], pair["second"]) == ("seat2", "seat3") for pair in heard["pairs"])
    say(f"{heard['heard']} of {heard['pressed']} bouncing presses heard once each, "
        f"{heard['held_up']} were held up; {right} of {PAIRS} pairs in their "
          f"order, {[round(pair['gap_us'] / 1000, 1) for pair in heard['pairs']]} ms apart")  # fmt: skip
    steps = [(record["type"], record["data"].get("by_ms", 0)) for record in stepped(machine)]
    say(f"wall clock set a day on and back: {steps}")
    sticks = stick(machine, f"{GUEST} health")
    say(f"stick put in, in at the start, pulled out, put in again: {sticks}")
    # The cuts need no pictures, and an emulated reader would take the machine's time from them.
    machine.ssh("systemctl start guest-camera")
    time.sleep(CAMERA_S)
    health = machine.said(f"{GUEST} health")
    say(health)
    say(machine.said(f"{COMPANION} journal verify /var/lib/companion/table"))
    machine.off()
    wrong = not 0 < heard["pressed"] == heard["heard"] or right != PAIRS or len(heard["pairs"]) != PAIRS
    wrong = wrong or [(kind, round(by_ms / DAY_MS)) for kind, by_ms in steps] != [
        ("clock.stepped", 1), ("clock.stepped", -1),
    ]  # fmt: skip
    wrong = wrong or "markers ok all" not in health
    wrong = wrong or [" ".join(line.split()[1:3]) for line in sticks] != [
        "ok copied", "ok copied", "warn none", "ok copied",
    ]  # fmt: skip
    raise SystemExit(1 if fails or wrong else 0)


def main() -> None:
    """Build on the image, play, cut, and tell."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("image", type=Path, help="the folder that build.sh printed")
    words.add_argument("--kills", type=int, default=10)
    words.add_argument("--cuts", type=int, default=10, help="other moments of each game that are looked at")
    words.add_argument("--seconds", type=float, default=20.0, help="longest game between two kills")
    words.add_argument("--presses", type=int, default=30)
    words.add_argument("--seed", type=int, default=20261130)
    told = words.parse_args()
    machine = Machine(told.image, told.image / "run")
    try:
        measured(machine, told)
    finally:
        machine.kill()


if __name__ == "__main__":
    main()
