"""The shape of the three configuration files: every key with its type, range and default.

Each key is explained in docs/config.md, and a test holds the two together. The defaults are the standard rig
(docs/hardware.md), so that a rig built to the letter needs an almost empty file.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from companion.config import places

Lang = Literal["nl", "en", "it", "cs"]
Colour = Literal["red", "blue", "green", "yellow", "white", "black", "orange", "purple"]
Button = Literal["seat1", "seat2", "seat3", "seat4", "seat5", "seat6", "referee"]
LampName = Literal["seat1", "seat2", "seat3", "seat4", "seat5", "seat6", "beacon"]
Pin = Annotated[int, Meta(ge=2, le=27, description="a GPIO number of the 40-pin header (BCM numbering)")]
ColourGain = Annotated[float, Meta(ge=0.1, le=8.0)]
Address = Annotated[
    str,
    Meta(
        pattern=r"^$|^(\d{1,3}(\.\d{1,3}){3}|localhost|\[[0-9a-fA-F:]+\]):[0-9]{1,5}$",
        description="'ADDRESS:PORT' with an IP address or localhost, such as '127.0.0.1:8700'",
    ),
]
TableAddress = Annotated[
    str,
    Meta(
        pattern=r"^https?://[^/\s]+/?$|^unix:/.+$",
        description="'http://ADDRESS:PORT' or 'unix:/PATH/TO/table.sock'",
    ),
]


class Shape(Struct, frozen=True, kw_only=True):
    """One table of a configuration file."""

    def clashes(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Faults that only show when several keys are seen together.

        Yields:
            The keys at fault, dotted and relative to this table, and what is wrong with them.
        """
        yield from ()


class CameraConfig(Shape, frozen=True, kw_only=True):
    """`[hw.camera]`: the camera over the box."""

    driver: Literal["picamera2", "v4l2", "sim", "replay", "none"] = "picamera2"
    device: str = ""
    width: Annotated[int, Meta(ge=320, le=4608)] = 1536
    height: Annotated[int, Meta(ge=240, le=2592)] = 864
    fps: Annotated[int, Meta(ge=5, le=60)] = 30
    focus_dpt: Annotated[float, Meta(ge=0.0, le=15.0)] = 2.0
    exposure_us: Annotated[int, Meta(ge=0, le=100_000)] = 0
    gain: Annotated[float, Meta(ge=0.0, le=16.0)] = 0.0
    colour_gains: Annotated[list[ColourGain], Meta(max_length=2)] = field(default_factory=list)

    def clashes(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """A replay without pictures, an exposure longer than its frame, half a white balance."""
        if self.driver == "replay" and not self.device:
            yield ("device",), "must name a video or a folder of frames when driver is 'replay'"
        frame_us = 1_000_000 // self.fps
        if self.exposure_us > frame_us:
            yield (
                ("exposure_us", "fps"),
                f"do not go together: at {self.fps} frames a second an exposure lasts at most {frame_us} us",
            )
        if len(self.colour_gains) == 1:
            yield ("colour_gains",), "must be two numbers, for red and blue, or none"


class PinsConfig(Shape, frozen=True, kw_only=True):
    """`[hw.panel.pins]`: which part hangs on which GPIO number."""

    buttons: dict[Button, Pin] = field(
        default_factory=lambda: {
            "seat1": 17,
            "seat2": 27,
            "seat3": 22,
            "seat4": 23,
            "seat5": 24,
            "seat6": 25,
            "referee": 4,
        }
    )
    lamps: dict[LampName, Pin] = field(
        default_factory=lambda: {
            "seat1": 5,
            "seat2": 6,
            "seat3": 12,
            "seat4": 13,
            "seat5": 16,
            "seat6": 19,
            "beacon": 20,
        }
    )
    buzzers: Annotated[list[Pin], Meta(max_length=2)] = field(default_factory=lambda: [26])

    def clashes(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Two parts on one pin."""
        taken: dict[int, str] = {}
        for part, pin in self.parts():
            if pin in taken:
                yield (taken[pin], part), f"are both on pin {pin}: give each part a pin of its own"
            taken.setdefault(pin, part)

    def parts(self) -> Iterator[tuple[str, int]]:
        """Every part by its key, with its pin."""
        for button, pin in self.buttons.items():
            yield f"buttons.{button}", pin
        for lamp, pin in self.lamps.items():
            yield f"lamps.{lamp}", pin
        for number, pin in enumerate(self.buzzers):
            yield f"buzzers.{number}", pin


class PanelConfig(Shape, frozen=True, kw_only=True):
    """`[hw.panel]`: buttons, lamps and buzzers."""

    driver: Literal["gpio", "sim", "screen"] = "gpio"
    pins: PinsConfig = field(default_factory=PinsConfig)


class HwConfig(Shape, frozen=True, kw_only=True):
    """`[hw]`: the rig."""

    camera: CameraConfig = field(default_factory=CameraConfig)
    panel: PanelConfig = field(default_factory=PanelConfig)


class VisionConfig(Shape, frozen=True, kw_only=True):
    """`[vision]`: the dice and the judgement of their lean."""

    cocked_deg: Annotated[float, Meta(ge=0.5, le=30.0)] = 4.5
    die_mm: Annotated[float, Meta(ge=10.0, le=25.0)] = 16.0
    attack_colour: Colour = "red"
    defence_colour: Colour = "blue"

    def clashes(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Dice that cannot be told apart."""
        if self.attack_colour == self.defence_colour:
            yield (
                ("attack_colour", "defence_colour"),
                f"are both {self.attack_colour!r}: the camera tells the two sides apart by their colours",
            )


class NetworkConfig(Shape, frozen=True, kw_only=True):
    """`[network]`: where the table's API is served."""

    socket: Path = field(default_factory=places.socket_path)
    listen: Address = ""
    allow_lan: bool = False

    def clashes(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """A socket that cannot be made; an address that others can reach, without saying so."""
        if fault := places.socket_fault(self.socket):
            yield ("socket",), fault
        if self.listen and (fault := listen_fault(self.listen, allow_lan=self.allow_lan)):
            yield ("listen",), fault


class StickConfig(Shape, frozen=True, kw_only=True):
    """`[stick]`: a second copy of the journal."""

    folder: Annotated[
        str, Meta(pattern=r"^$|^/.+$", description="an absolute path where a stick is mounted, or empty")
    ] = ""


class ClockConfig(Shape, frozen=True, kw_only=True):
    """`[clock]`: for trials only."""

    scale: Annotated[float, Meta(ge=0.1, le=1000.0)] = 1.0


class TableConfig(Shape, frozen=True, kw_only=True):
    """`table.toml`, read by `companion table`."""

    table: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,15}$",
            description="1 to 16 letters, digits, '-' or '_', beginning with a letter or digit",
        ),
    ] = "1"
    lang: Lang = "nl"
    state_dir: Path = field(default_factory=lambda: places.state_dir("table"))
    network: NetworkConfig = field(default_factory=NetworkConfig)
    hw: HwConfig = field(default_factory=HwConfig)
    vision: VisionConfig = field(default_factory=VisionConfig)
    stick: StickConfig = field(default_factory=StickConfig)
    clock: ClockConfig = field(default_factory=ClockConfig)


class UiConfig(Shape, frozen=True, kw_only=True):
    """`ui.toml`, read by `companion ui`."""

    socket: Path = field(default_factory=places.socket_path)
    lang: Lang = "nl"
    width: Annotated[int, Meta(ge=320, le=3840)] = 800
    height: Annotated[int, Meta(ge=320, le=3840)] = 480

    def clashes(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """A socket that no table can have."""
        if fault := places.socket_fault(self.socket):
            yield ("socket",), fault


class HubConfig(Shape, frozen=True, kw_only=True):
    """`hub.toml`, read by `companion hub`."""

    listen: Address = "127.0.0.1:8080"
    allow_lan: bool = False
    lang: Lang = "nl"
    state_dir: Path = field(default_factory=lambda: places.state_dir("hub"))
    database: Annotated[
        str,
        Meta(
            pattern=r"^$|^(sqlite\+aiosqlite|postgresql\+asyncpg)://.+$",
            description="'sqlite+aiosqlite:///PATH' or 'postgresql+asyncpg://USER@HOST/NAME'",
        ),
    ] = ""
    tables: list[TableAddress] = field(default_factory=list)

    def clashes(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """A page that others can reach, without saying so; a table named twice."""
        if not self.listen:
            yield ("listen",), "must be an address, such as '127.0.0.1:8080': the hub is its page"
        elif fault := listen_fault(self.listen, allow_lan=self.allow_lan):
            yield ("listen",), fault
        for number, table in enumerate(self.tables):
            if table in self.tables[:number]:
                yield ("tables",), f"names {table!r} twice: name each table once"


def split_address(address: str) -> tuple[str, int]:
    """Host and port of an `Address` that is not empty.

    Returns:
        The host without brackets, and the port.
    """
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def listen_fault(address: str, *, allow_lan: bool) -> str | None:
    """What is wrong with listening on an `Address` that is not empty; None when nothing is.

    Args:
        address: Host and port.
        allow_lan: The organiser said that other machines may connect.
    """
    host, port = split_address(address)
    if not 1 <= port <= 65535:
        return f"must have a port in 1..65535, got {port}"
    if host == "localhost":
        return None
    try:
        is_loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        return f"must begin with an IP address or localhost, got {host!r}"
    if is_loopback or allow_lan:
        return None
    return (
        f"can be reached from other machines as {address!r}, and nothing yet checks who they are: "
        "use 127.0.0.1, or set allow_lan = true beside it"
    )
