"""One emulated machine with its disk: it starts, does what it is told, and has its plug pulled."""

from __future__ import annotations

import random
import shutil
import socket
import subprocess
import time
from pathlib import Path

from flushed import replay

PORT = 2247
BOOT_S = 900

KERNEL = "root=/dev/vda rw console=ttyS0 quiet mitigations=off nosoftlockup rcupdate.rcu_cpu_stall_suppress=1"
"""A busy host is no reason to be alarmed about processors that stand still."""


class Machine:
    """One emulated machine with its disk.

    Args:
        image: Folder that build.sh made.
        folder: Where this run's disk lies.
    """

    def __init__(self, image: Path, folder: Path) -> None:
        self._image = image
        self.folder = folder
        self._kept = folder / "kept.img"
        self._before = folder / "before.img"
        self._now = folder / "now.img"
        self._log = folder / "now.log"
        self._monitor = folder / "monitor"
        self._qemu: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)
        _copy(image / "root.img", self._kept)

    def boot(self) -> float:
        """Start it; the seconds until it answers."""
        _copy(self._kept, self._now)
        self._log.write_bytes(b"")
        begun = time.monotonic()
        with (self.folder / "qemu.log").open("ab") as log:
            self._qemu = subprocess.Popen(
                [
                    "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "Nehalem", "-smp", "1", "-m", "1024",
                    "-nodefaults", "-display", "none", "-no-reboot",
                    "-kernel", str(self._image / "vmlinuz"), "-initrd", str(self._image / "initrd.img"),
                    "-append", KERNEL,
                    "-blockdev", f"node-name=disk,driver=blklogwrites,file.driver=file,file.filename={self._now},"
                                 f"log.driver=file,log.filename={self._log}",
                    "-device", "virtio-blk-pci,drive=disk",
                    "-netdev", f"user,id=n,restrict=on,hostfwd=tcp:127.0.0.1:{PORT}-:22",
                    "-device", "virtio-net-pci,netdev=n", "-device", "virtio-rng-pci", "-device", "qemu-xhci,id=usb",
                    "-monitor", f"unix:{self._monitor},server,nowait",
                    "-serial", f"file:{self.folder / 'console.log'}",
                ],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        while subprocess.run([*self._words(5), "true"], check=False).returncode:
            if self._qemu.poll() is not None or time.monotonic() - begun > BOOT_S:
                raise SystemExit(f"problem: the machine does not come up; see {self.folder}")
            time.sleep(1)
        return time.monotonic() - begun

    def ssh(
        self, command: str, *, check: bool = True, content: bytes | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command in it."""
        done = subprocess.run([*self._words(), command], input=content, capture_output=True, check=False)
        # 255 is ssh's own: a machine that is busy was too slow to answer.
        for _again in range(10 if check else 0):
            if done.returncode != 255:
                break
            time.sleep(1)
            done = subprocess.run([*self._words(), command], input=content, capture_output=True, check=False)
        if check and done.returncode:
            raise SystemExit(f"problem: in the machine {command!r} failed: {done.stderr.decode()[-2000:]}")
        return done

    def said(self, command: str) -> str:
        """What a command in it prints."""
        return self.ssh(command).stdout.decode()

    def started(self, command: str) -> subprocess.Popen[bytes]:
        """A command in it that goes on."""
        # Unbuffered: a line counts from the moment at which it came.
        return subprocess.Popen([*self._words(), command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, bufsize=0)

    def turn(self, *words: str) -> None:
        """Do something to it from outside, in the words of QEMU's monitor."""
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.connect(str(self._monitor))
            for word in ("", *words):
                monitor.sendall(f"{word}\n".encode())
                time.sleep(1)

    def log_bytes(self) -> int:
        """How far the log of the disk's writes has come."""
        return self._log.stat().st_size

    def disk_at(self, log_bytes: int, chance: random.Random) -> Path:
        """A copy of the disk as a cut at that moment could have left it."""
        disk = self.folder / "moment.img"
        _copy(self._before, disk)
        replay(self._log, disk, end=log_bytes, some=chance)
        return disk

    def cut(self) -> tuple[int, int]:
        """Pull the plug; how many writes were flushed, and how many are lost."""
        assert self._qemu is not None
        self._qemu.kill()
        self._qemu.wait()
        _copy(self._kept, self._before)
        done = replay(self._log, self._kept)
        return done.kept, done.dropped

    def kill(self) -> None:
        """Leave nothing behind."""
        if self._qemu is not None and self._qemu.poll() is None:
            self._qemu.kill()

    def off(self) -> None:
        """Shut it down in order."""
        self.ssh("systemctl poweroff", check=False)
        if self._qemu is not None:
            self._qemu.wait(timeout=BOOT_S)
        shutil.copyfile(self._now, self._kept)

    def _words(self, patience_s: int = 60) -> list[str]:
        return [
            "ssh", "-q", "-i", str(self._image / "key"), "-p", str(PORT), "-o", "StrictHostKeyChecking=no",
            "-o", "UserKnownHostsFile=/dev/null", "-o", f"ConnectTimeout={patience_s}", "root@127.0.0.1",
        ]  # fmt: skip


def _copy(source: Path, target: Path) -> None:
    subprocess.run(["cp", "--sparse=always", "--reflink=auto", str(source), str(target)], check=True)
