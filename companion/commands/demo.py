"""`companion demo`: a whole table, simulated: service, screen and hub, with players that throw and record."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from companion.commands.saying import Sayings

CLOCK_SCALE = 60.0
LENGTH_MS = 90 * 60_000
PATIENCE_S = 5.0
"""How long players wait for a screen in a window, at which people may be elsewhere."""


class PartDied(Exception):
    """One of the demo's programs stopped before it should."""

    code = "part-died"


@click.command("demo", short_help="play a whole simulated table, with its screen and the hub's page")
@click.option("--headless", is_flag=True, help="No window: pictures of the screens are saved instead.")
@click.option("--stay", is_flag=True, help="Keep everything up at the end, until Ctrl-C; always so with a window.")
@click.option("--lang", type=click.Choice(["nl", "en", "it", "cs"]), default="en", help="Language of the screens.")
@click.option("--size", default="800x480", help="Size of the screen, such as 800x480 or 720x1280.")
@click.option("--seed", type=int, default=1, help="Where chance starts.")
@click.option("--throws", type=click.IntRange(1, 7), default=7, help="How many throws to play before time is up.")
@click.option("--scale", type=click.FloatRange(1, 1000), default=CLOCK_SCALE, help="Game seconds per real second.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("run-output"),
    help="Where journal, pictures and logs are kept.",
)
def command(headless: bool, stay: bool, lang: str, size: str, seed: int, throws: int, scale: float, out: Path) -> None:
    """Play one shortened table from the first die to the result on the organiser's page."""
    from companion.commands.saying import Sayings

    say = Sayings("demo", lang)
    headless = headless or not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    if headless:
        click.echo(say("demo.headless"))
    parts = _Parts(out=_fresh(out), lang=lang, size=size, scale=scale, headless=headless)
    try:
        parts.start()
        click.echo(say("demo.clock", scale=f"{scale:g}"))
        asyncio.run(_play(parts, say, lang, seed, throws))
        click.echo(say("demo.hub", url=parts.hub_url))
        pictures = sorted(parts.pictures.glob("*.png"))
        click.echo(say("demo.pictures", n=len(pictures), folder=str(parts.pictures)))
        click.echo(say("demo.journal", folder=str(parts.table_state)))
        if stay or not headless:
            click.echo(say("demo.stay"))
            parts.wait()
    finally:
        parts.stop()


def _fresh(out: Path) -> Path:
    """A new folder below `out` for this run."""
    folder = out.resolve() / time.strftime("%Y%m%d-%H%M%S")
    number = 1
    while folder.exists():
        number += 1
        folder = folder.with_name(f"{folder.name.partition('_')[0]}_{number}")
    folder.mkdir(parents=True)
    return folder


async def _play(parts: _Parts, say: Sayings, lang: str, seed: int, throws: int) -> None:
    from companion.commands.robot import TOSSES, Robot
    from companion.lan.client import TableClient

    async with TableClient(socket=parts.socket) as client:
        robot = Robot(client, lang=lang, tell=click.echo, has_shown=parts.has_shown, seed=seed)
        await robot.play(tournament=say("demo.tournament"), length_ms=LENGTH_MS, tosses=TOSSES[:throws])
        await parts.hub_has_result()


class _Parts:
    """The three programs as processes of their own, as on a real table."""

    def __init__(self, *, out: Path, lang: str, size: str, scale: float, headless: bool) -> None:
        self.out = out
        self.table_state = out / "table"
        self.pictures = out / "pictures"
        # A Unix socket's path has at most 107 bytes, whatever folder the demo runs in.
        self.socket = Path(os.environ.get("XDG_RUNTIME_DIR") or "/tmp") / f"companion-{os.getpid()}.sock"  # noqa: S108
        self.hub_url = f"http://127.0.0.1:{_free_port()}"
        self._lang = lang
        self._size = size
        self._scale = scale
        self._headless = headless
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._awaited_s: dict[str, float] = {}

    def start(self) -> None:
        """Start table, hub and screen, each when the one before is up.

        Raises:
            PartDied: One of them did not come up.
        """
        config = self.out / "table.toml"
        config.write_text(
            f'table = "7"\nlang = "{self._lang}"\nstate_dir = "{self.table_state}"\n'
            f'[network]\nsocket = "{self.socket}"\n'
            '[hw.camera]\ndriver = "sim"\n[hw.panel]\ndriver = "sim"\n'
            f"[clock]\nscale = {self._scale}\n",
            encoding="utf-8",
        )
        self._spawn("table", "table", "--config", str(config))
        self._await("table", self.socket.exists)
        hub = self.out / "hub.toml"
        hub.write_text(f'lang = "{self._lang}"\n', encoding="utf-8")
        self._spawn(
            "hub", "hub", "--config", str(hub), "--listen", self.hub_url.removeprefix("http://"),
            "--state", str(self.out / "hub"), "--table", f"unix:{self.socket}",
        )  # fmt: skip
        screen = ["--socket", str(self.socket), "--size", self._size, "--lang", self._lang]
        self._spawn("ui", "ui", *screen, "--screenshots", str(self.pictures))

    def _spawn(self, name: str, *args: str) -> None:
        env = dict(os.environ)
        if name == "ui" and self._headless:
            env["SDL_VIDEODRIVER"] = "offscreen"
        with (self.out / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                [sys.executable, "-m", "companion", *args], stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=env
            )

    def _await(self, name: str, is_up: object, *, wait_s: float = 30) -> None:
        end = time.monotonic() + wait_s
        while time.monotonic() < end:
            if callable(is_up) and is_up():
                return
            self.check()
            time.sleep(0.05)
        raise PartDied(f"{name} did not come up in {wait_s:.0f} s: see {self.out / (name + '.log')}")

    def check(self) -> None:
        """All parts still run.

        Raises:
            PartDied: One does not, with the end of its log.
        """
        for name, process in self._running.items():
            # A window that somebody closed is no fault: the table plays on without its screen.
            closed = name == "ui" and not self._headless and process.poll() == 0
            if process.poll() is not None and not closed:
                log = self.out / f"{name}.log"
                tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-5:])
                raise PartDied(f"companion {name} stopped with {process.returncode}: see {log}\n{tail}")

    def has_shown(self, screen: str) -> bool:
        """Whether the picture of a screen whose name begins so is there; a window is waited for a moment only.

        Raises:
            PartDied: One of the programs stopped.
        """
        self.check()
        if any(self.pictures.glob(f"*-{screen}*.png")):
            return True
        first_s = self._awaited_s.setdefault(screen, time.monotonic())
        return not self._headless and time.monotonic() - first_s > PATIENCE_S

    async def hub_has_result(self, *, wait_s: float = 15) -> None:
        """Wait until the organiser's page shows the result.

        Raises:
            PartDied: It never does.
        """
        import aiohttp

        loop = asyncio.get_running_loop()
        end = loop.time() + wait_s
        async with aiohttp.ClientSession() as session:
            while loop.time() < end:
                self.check()
                async with session.get(f"{self.hub_url}/export/results.csv") as answer:
                    if answer.status == 200 and len((await answer.text()).splitlines()) > 1:
                        return
                await asyncio.sleep(0.3)
        raise PartDied(f"the hub did not show the result in {wait_s:.0f} s: see {self.out / 'hub.log'}")

    def wait(self) -> None:
        """Until Ctrl-C, or a part stops (the window is closed)."""
        while all(process.poll() is None for process in self._running.values()):
            time.sleep(0.3)

    def stop(self) -> None:
        """End all parts, the screen first; twice is fine."""
        for name in ("ui", "hub", "table"):
            process = self._running.pop(name, None)
            if process is not None and process.poll() is None:
                process.terminate()
                try:
                    process.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        self.socket.unlink(missing_ok=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
