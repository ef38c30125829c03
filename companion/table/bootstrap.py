"""The one place where a table is put together: from its configuration to running parts."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

from companion.config import TableConfig
from companion.hw.machine import clock_source
from companion.hw.ports import Image
from companion.hw.rig import Drivers
from companion.hw.settings import CameraSettings, PanelSettings
from companion.journal import Evidence, Journal, PrivateNotes
from companion.journal.reserve import Reserve
from companion.journal.second import SecondCopy
from companion.journal.secret import SecretFile
from companion.session import commands as c
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings
from companion.table import health, machine_health, view_health
from companion.table.api import Desk
from companion.table.asked import AskedBefore
from companion.table.buttons import seen
from companion.table.care import BoxCare
from companion.table.checks import PanelChecks
from companion.table.health import Slowly
from companion.table.heart import Heart
from companion.table.keeping import Keeper
from companion.table.looking import Eyes, Looking
from companion.table.panel import TablePanel
from companion.table.pins import referee_pin
from companion.table.secret import TableKey, TableSecrets
from companion.table.service import TableService
from companion.table.sides import SideColours
from companion.table.stick import stick
from companion.table.visits import HubVisits
from companion.table.watch import BoxWatch
from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings, RigGeometry
from companion.vision.settle import ThrowWatch
from companion.vision.tray import Tray


@dataclass(slots=True, kw_only=True)
class Table:
    """A table put together, not yet running."""

    config: TableConfig
    service: TableService
    desk: Desk
    watch: BoxWatch | None
    panel: TablePanel | None
    rig: c.OpenRig
    sim: SimRig | None
    second: SecondCopy | None
    reserve: Reserve

    async def start(self) -> None:
        """Take up the journal and begin to look at the box."""
        await self.service.start(self.rig)
        self.desk.looking.start()
        if self.watch is not None:
            self.watch.start()

    async def stop(self) -> None:
        """Let go of everything; twice is fine."""
        if self.watch is not None:
            self.watch.close()
        if self.panel is not None:
            self.panel.close()
        if self.second is not None:
            await asyncio.to_thread(self.second.close)
        await self.desk.looking.stop()
        await self.service.stop()
        # A table that is not running needs no room; a power cut leaves it laid by.
        self.reserve.give_up()
        self.desk.private.close()


def build_table(config: TableConfig, *, sim: SimRig | None = None) -> Table:
    """A table from its configuration.

    Args:
        config: Checked configuration.
        sim: The simulated rig to use where a driver is "sim"; made anew unless given.

    Raises:
        JournalError: The journal is in use, damaged, foreign, too new, or can't be written.
        RigError: A driver that is no driver, or a panel that can't be opened: the wrong rig must stop the start.
    """
    state_dir = config.state_dir
    journal = Journal.open(state_dir / "journal.sqlite", table_id=config.table)
    try:
        return _assemble(config, journal, sim)
    except BaseException:
        journal.close()
        raise


def _assemble(config: TableConfig, journal: Journal, sim: SimRig | None) -> Table:
    state_dir = config.state_dir
    wants_sim = "sim" in (config.hw.camera.driver, config.hw.panel.driver)
    sim = sim if sim is not None or not wants_sim else _make_sim(config)
    drivers = _drivers(sim)
    evidence = Evidence(state_dir / "evidence")
    private = PrivateNotes(state_dir / "private.sqlite")
    pin = referee_pin(state_dir)
    post = _Post()
    panel = TablePanel(
        drivers.open_panel(_panel_settings(config)),
        on_press=lambda press: post(press, by=press.button),
        on_fault=lambda part, code: post(_fault(part, code), by="rig"),
        on_note=lambda code, values: post(c.Note(code=code, values=values), by="rig"),
    )
    eyes = _eyes(config, evidence, post) if config.hw.camera.driver != "none" else None
    watch = _watch(config, drivers, eyes, post) if eyes is not None else None
    reserve = Reserve(state_dir / "reserve.bin")
    reserve.keep()
    service = TableService(
        journal=journal,
        heart=Heart(state_dir / "heartbeat.json"),
        panel=panel,
        eye=watch,
        table_id=config.table,
        reserve=reserve,
        is_wall_right=lambda: clock_source() != "none",
        secrets=TableSecrets(SecretFile(state_dir / "tijd.secret"), TableKey(state_dir / "table.key")),
    )
    post.service = service
    checks = PanelChecks(panel, state_dir / "silent", lambda note: service.carry_out(note, "rig", by="screen"))
    second = SecondCopy(journal, Path(config.stick.folder)) if config.stick.folder else None
    visits = HubVisits(is_expected=bool(config.network.listen), on_wall=service.hear_hub)
    software = version("table-companion")
    looking = Looking(service, evidence, eyes, software=software)
    parts = health.Health(
        watch.health if watch is not None else lambda: (health.item("camera", "ok", "no-camera"),),
        looking.health,
        *((Slowly(partial(view_health.view, lambda: watch.newest, RigGeometry()), every_s=10),) if watch else ()),
        lambda: health.panel(panel.name, panel.faults),
        lambda: seen(panel.pressed),
        checks.health,
        Slowly(lambda: (health.disk(state_dir, is_reserve_kept=reserve.is_kept),), every_s=2),
        Slowly(lambda: machine_health.card(state_dir), every_s=60),
        Slowly(machine_health.power, every_s=5),
        Slowly(machine_health.wall_clock, every_s=30),
        Slowly(lambda: machine_health.network(is_wanted=bool(config.network.listen)), every_s=10),
        visits.health,
        lambda: health.clock(config.clock.scale),
        service.health,
        lambda: (health.item("key", "ok", "fingerprint", fingerprint=service.secrets.key.fingerprint),),
        lambda: machine_health.versions(software),
        *((lambda: stick(second, service.seq),) if second is not None else ()),
    )
    desk = Desk(
        service=service,
        private=private,
        asked=AskedBefore(state_dir / "asked.jsonl"),
        evidence=evidence,
        pin=pin,
        health=parts,
        is_rolling=lambda: watch is not None and watch.rolling_since_ns is not None,
        live=lambda: watch.live_jpeg() if watch is not None else None,
        checks=checks,
        visits=visits,
        looking=looking,
        dice={"attack": config.vision.attack_colour, "defence": config.vision.defence_colour},
        lang=config.lang,
        scale=config.clock.scale,
    )
    rig = c.OpenRig(
        camera=config.hw.camera.driver,
        panel=panel.name,
        buttons=panel.buttons(),
        software=software,
    )
    return Table(
        config=config,
        service=service,
        desk=desk,
        watch=watch,
        panel=panel,
        rig=rig,
        sim=sim,
        second=second,
        reserve=reserve,
    )


def _fault(part: str, code: str) -> c.Note:
    """A part of the panel that failed: a button by its own code, lamps and buzzer with the driver's word for why."""
    if code.startswith("button-") or code == "part-back":
        return c.Note(code=code, values={"part": part})
    return c.Note(code="part-failed", values={"part": part, "why": code})


class _Post:
    """Where the rig's threads put what they sense, once the service is there to hear it."""

    service: TableService | None = None

    def __call__(self, command: c.Command, *, by: str) -> None:
        if self.service is not None:
            self.service.post(command, by=by)


def _drivers(sim: SimRig | None) -> Drivers:
    drivers = Drivers.installed()
    if sim is not None:
        drivers.add_camera("sim", lambda _settings: sim.open_camera())
        drivers.add_panel("sim", lambda _settings: sim.panel)
    return drivers


def _make_sim(config: TableConfig) -> SimRig:
    camera = config.hw.camera
    settings = SimSettings(
        width=camera.width,
        height=camera.height,
        fps=float(camera.fps),
        die_mm=config.vision.die_mm,
        attack=config.vision.attack_colour,
        defence=config.vision.defence_colour,
    )
    return SimRig(settings)


def _panel_settings(config: TableConfig) -> PanelSettings:
    panel = config.hw.panel
    if panel.driver != "gpio":
        return PanelSettings(driver=panel.driver)
    return PanelSettings(
        driver="gpio",
        buttons={str(name): pin for name, pin in panel.pins.buttons.items()},
        lamps={str(name): pin for name, pin in panel.pins.lamps.items()},
        buzzers=tuple(panel.pins.buzzers),
    )


def _camera_settings(config: TableConfig) -> CameraSettings:
    camera = config.hw.camera
    return CameraSettings(
        driver=camera.driver,
        device=camera.device,
        width=camera.width,
        height=camera.height,
        fps=float(camera.fps),
        focus_dpt=camera.focus_dpt,
        exposure_us=camera.exposure_us,
        gain=camera.gain,
        colour_gains=(camera.colour_gains[0], camera.colour_gains[1]) if camera.colour_gains else None,
    )


def _eyes(config: TableConfig, evidence: Evidence, post: _Post) -> Eyes:
    vision = config.vision
    settings = ReaderSettings(
        die_mm=vision.die_mm,
        cocked_deg=vision.cocked_deg,
        attack_colour=vision.attack_colour,
        defence_colour=vision.defence_colour,
    )
    return Eyes(
        care=BoxCare(settings, lambda command: post(command, by="camera")),
        keeper=Keeper(evidence),
        settings=settings,
        colours=SideColours(attack=frozenset({vision.attack_colour}), defence=frozenset({vision.defence_colour})),
    )


def _watch(config: TableConfig, drivers: Drivers, eyes: Eyes, post: _Post) -> BoxWatch:
    counter = BoxReader(eyes.settings)

    def count_in_box(image: Image, tray: Tray | None) -> int:
        if tray is not None:
            counter.keep(tray)
        return sum(die.verdict != "off_box" for die in counter.read(image).dice)

    camera_settings = _camera_settings(config)
    return BoxWatch(
        open_camera=lambda: drivers.open_camera(camera_settings),
        make_watch=lambda: ThrowWatch(eyes.settings, BoxReader(eyes.settings)),
        count_in_box=count_in_box,
        keeper=eyes.keeper,
        care=eyes.care,
        colours=eyes.colours,
        post=lambda command: post(command, by="camera"),
    )
