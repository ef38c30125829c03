"""The configuration says what is wrong, where, and what would be right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from companion.config import (
    CameraConfig,
    ConfigError,
    TableConfig,
    config_file,
    load_hub,
    load_table,
    load_ui,
    places,
    socket_path,
    state_dir,
)
from companion.config.lines import key_lines, line_of


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "etc"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.setattr(places, "SYSTEM_CONFIG", tmp_path / "system")


def written(tmp_path: Path, text: str, name: str = "table.toml") -> Path:
    """A configuration file with this text."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def faults_of(tmp_path: Path, text: str) -> list[tuple[str, str, int | None]]:
    """What is found wrong in a table's file, as (code, key, line)."""
    with pytest.raises(ConfigError) as caught:
        load_table(written(tmp_path, text))
    return [(fault.code, fault.key, fault.line) for fault in caught.value.faults]


def test_no_file_means_the_standard_rig(tmp_path: Path) -> None:
    """Without a file the table is the rig of the documentation, in the person's own folders."""
    config = load_table()

    assert ("picamera2", "gpio", 4.5) == (
        config.hw.camera.driver,
        config.hw.panel.driver,
        config.vision.cocked_deg,
    )
    assert tmp_path / "state/companion/table" == config.state_dir
    assert tmp_path / "run/companion/table.sock" == config.network.socket


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    """A mistyped --config is refused, never replaced by defaults."""
    with pytest.raises(ConfigError) as caught:
        load_table(tmp_path / "tabel.toml")

    assert ["missing-file"] == [fault.code for fault in caught.value.faults]


def test_the_usual_file_is_found(tmp_path: Path) -> None:
    """Without --config the file in the usual place is read."""
    folder = tmp_path / "etc/companion"
    folder.mkdir(parents=True)
    written(folder, 'lang = "it"\nwidth = 720\nheight = 1280\n', "ui.toml")

    config = load_ui()

    assert ("it", 720, 1280) == (config.lang, config.width, config.height)


def test_range_message_has_rule_offender_line_and_page(tmp_path: Path) -> None:
    """A value out of range is answered with everything needed to mend it."""
    path = written(tmp_path, "[hw.camera]\n\nfps = 300\n")

    with pytest.raises(ConfigError) as caught:
        load_table(path)

    assert "hw.camera.fps must lie in 5..60, got 300 (table.toml:3); see docs/config.md#hw-camera-fps" == str(
        caught.value
    )


@pytest.mark.parametrize(
    ("load", "text", "key"),
    [(load_table, '[network]\nsocket = "{}"\n', "network.socket"), (load_ui, 'socket = "{}"\n', "socket")],
)
def test_a_socket_that_no_system_takes_is_refused(
    tmp_path: Path, load: Callable[[Path], object], text: str, key: str
) -> None:
    """A path that is too long for a socket is told before anything starts, by table and by screen."""
    path = written(tmp_path, text.format("/" + "d" * 103))
    load(written(tmp_path, text.format("/" + "d" * 102), "longest.toml"))

    with pytest.raises(ConfigError) as caught:
        load(path)

    assert f"{key} must be a path of at most 103 bytes, got 104: " in str(caught.value)


def test_unknown_key_names_its_nearest_neighbour(tmp_path: Path) -> None:
    """A misspelt key is refused, and the right spelling offered."""
    path = written(tmp_path, "[hw.camera]\nwdth = 3\n")

    with pytest.raises(ConfigError) as caught:
        load_table(path)

    assert "hw.camera.wdth is not a key of this file: did you mean 'width'? (table.toml:2)" in str(caught.value)


def test_all_faults_are_told_together(tmp_path: Path) -> None:
    """One start is enough to learn of every mistake."""
    text = 'table = "7 x"\nlang = "de"\n[hw.camera]\nfps = "30"\n[vision]\ncocked_deg = nan\n'

    assert [
        ("wrong-value", "table", 1),
        ("wrong-value", "lang", 2),
        ("wrong-value", "hw.camera.fps", 4),
        ("wrong-value", "vision.cocked_deg", 6),
    ] == faults_of(tmp_path, text)


@pytest.mark.parametrize(
    "value", ["4", "61", "300", "-1", '"30"', "30.5", "true", "[]", "{}", "nan"], ids=lambda value: value
)
def test_fps_takes_nothing_but_its_range(tmp_path: Path, value: str) -> None:
    """Neither the neighbours of the range nor another type gets through."""
    assert [("wrong-value", "hw.camera.fps", 1)] == faults_of(tmp_path, f"hw.camera.fps = {value}\n")


@pytest.mark.parametrize("value", [5, 60])
def test_the_ends_of_a_range_are_inside(tmp_path: Path, value: int) -> None:
    """5..60 means from five up to and including sixty."""
    config = load_table(written(tmp_path, f"hw.camera.fps = {value}\n"))

    assert value == config.hw.camera.fps


def test_two_parts_on_one_pin_are_both_named(tmp_path: Path) -> None:
    """A wiring clash names both parts, and both lines."""
    text = "[hw.panel.pins.buttons]\nseat1 = 5\n[hw.panel.pins.lamps]\nbeacon = 5\n"

    with pytest.raises(ConfigError) as caught:
        load_table(written(tmp_path, text))

    assert (
        "hw.panel.pins.buttons.seat1 and hw.panel.pins.lamps.beacon are both on pin 5: "
        "give each part a pin of its own (table.toml:2,4); see docs/config.md#hw-panel-pins-buttons"
    ) == str(caught.value)


def test_a_clash_with_a_default_says_so(tmp_path: Path) -> None:
    """Nobody searches the file for a pin that it does not hold."""
    with pytest.raises(ConfigError) as caught:
        load_table(written(tmp_path, "hw.panel.pins.buzzers = [17]\n"))

    assert "hw.panel.pins.buttons.seat1 (by default) and hw.panel.pins.buzzers.0" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[hw.panel.pins.buttons]\nseat7 = 5\n", "hw.panel.pins.buttons.seat7"),
        ("[hw.panel.pins]\nbuzzers = [9, 10, 11]\n", "hw.panel.pins.buzzers"),
        ("[hw.panel.pins]\nbuzzers = [9, 28]\n", "hw.panel.pins.buzzers.1"),
        ("[hw.panel]\npins = 4\n", "hw.panel.pins"),
        ("hw = [1]\n", "hw"),
    ],
)
def test_pins_are_checked_one_by_one(tmp_path: Path, text: str, key: str) -> None:
    """An unknown part, too many buzzers, a pin that the header lacks and a wrong shape are each found."""
    assert [key] == [fault[1] for fault in faults_of(tmp_path, text)]


def test_a_smaller_panel_replaces_the_standard_one(tmp_path: Path) -> None:
    """Buttons that are written down are all the buttons there are."""
    config = load_table(written(tmp_path, "[hw.panel.pins]\nbuttons = { seat1 = 2 }\nbuzzers = []\n"))

    assert {"seat1": 2} == config.hw.panel.pins.buttons
    assert [] == config.hw.panel.pins.buzzers


def test_a_replay_needs_something_to_play(tmp_path: Path) -> None:
    """Asking for "replay" without a device is refused."""
    assert [("clash", "hw.camera.device", 1)] == faults_of(tmp_path, 'hw.camera.driver = "replay"\n')


def test_dice_of_one_colour_are_refused(tmp_path: Path) -> None:
    """Attack and defence dice must differ for the camera."""
    text = '[vision]\nattack_colour = "blue"\n'

    assert [("clash", "vision.attack_colour", 2)] == faults_of(tmp_path, text)


@pytest.mark.parametrize(
    "address",
    ["0.0.0.0:8700", "192.168.1.7:8700", "[::]:8700", "127.0.0.1:0", "127.0.0.1:70000", "999.1.1.1:80", "7"],
)
def test_the_network_is_shut_unless_opened(tmp_path: Path, address: str) -> None:
    """Only loopback may be listened on, as long as nobody said otherwise."""
    assert ["network.listen"] == [fault[1] for fault in faults_of(tmp_path, f'network.listen = "{address}"\n')]


@pytest.mark.parametrize("address", ["127.0.0.1:8700", "localhost:8700", "[::1]:8700"])
def test_loopback_may_be_listened_on(tmp_path: Path, address: str) -> None:
    """This machine's own addresses need no permission."""
    assert address == load_table(written(tmp_path, f'network.listen = "{address}"\n')).network.listen


def test_the_lan_is_opened_in_so_many_words(tmp_path: Path) -> None:
    """allow_lan is the organiser's own decision."""
    config = load_table(written(tmp_path, 'network = { listen = "0.0.0.0:8700", allow_lan = true }\n'))

    assert "0.0.0.0:8700" == config.network.listen


def test_paths_start_at_their_file(tmp_path: Path) -> None:
    """A relative folder means beside the file, wherever the program was started."""
    assert tmp_path / "facts" == load_table(written(tmp_path, 'state_dir = "facts"\n')).state_dir


@pytest.mark.parametrize(
    ("content", "code"), [(b"table = \n", "not-toml"), (b"\xff\xfe\x00", "not-text"), (b'a = "x', "not-toml")]
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: bytes, code: str) -> None:
    """Broken TOML and a file that is no text get one sentence each."""
    path = tmp_path / "table.toml"
    path.write_bytes(content)

    with pytest.raises(ConfigError) as caught:
        load_table(path)

    assert [code] == [fault.code for fault in caught.value.faults]


def test_hub_takes_tables_by_address_and_by_socket(tmp_path: Path) -> None:
    """Both kinds of table address are accepted, in order."""
    path = written(tmp_path, 'tables = ["http://10.0.0.7:8700", "unix:/run/companion/table.sock"]\n', "hub.toml")

    assert ["http://10.0.0.7:8700", "unix:/run/companion/table.sock"] == load_hub(path).tables


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('tables = ["table7"]\n', "tables.0"),
        ('tables = ["unix:/a", "unix:/a"]\n', "tables"),
        ('tables = "unix:/a"\n', "tables"),
        ('listen = ""\n', "listen"),
        ('listen = "0.0.0.0:8080"\n', "listen"),
        ('database = "mysql://x"\n', "database"),
        ("state_dir = 7\n", "state_dir"),
    ],
)
def test_hub_refuses_what_it_cannot_use(tmp_path: Path, text: str, key: str) -> None:
    """Each key of the hub's file has its own refusal."""
    with pytest.raises(ConfigError) as caught:
        load_hub(written(tmp_path, text, "hub.toml"))

    assert [key] == [fault.key for fault in caught.value.faults]


def test_lines_are_found_through_every_form_of_toml() -> None:
    """Long strings, arrays over several lines, inline tables and dotted keys keep their lines."""
    text = '# head\na = """\n[no.table]\n"""\nb.c = [\n  1,\n]\n\n["q r"]\nd = { e = { f = 1 } }\n[[t]]\ng = 1\n'

    lines = key_lines(text)

    assert {
        ("a",): 2,
        ("b",): 5,
        ("b", "c"): 5,
        ("q r",): 9,
        ("q r", "d"): 10,
        ("q r", "d", "e"): 10,
        ("q r", "d", "e", "f"): 10,
        ("t",): 11,
        ("t", "g"): 12,
    } == lines
    assert (10, None) == (line_of(("q r", "d", "x"), lines), line_of(("z",), lines))


def test_configurations_cannot_be_changed_afterwards() -> None:
    """What was checked is what is used."""
    with pytest.raises(AttributeError):
        TableConfig().table = "9"  # type: ignore[misc]


def test_an_appliance_has_the_system_folders(tmp_path: Path) -> None:
    """Where the system's configuration folder exists, nobody's home decides anything."""
    (tmp_path / "system").mkdir()

    assert tmp_path / "system/table.toml" == config_file("table")
    assert Path("/var/lib/companion/hub") == state_dir("hub")
    assert Path("/run/companion/table.sock") == socket_path()


def test_without_a_runtime_folder_the_socket_lies_with_the_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person without XDG_RUNTIME_DIR still gets a socket of their own."""
    monkeypatch.delenv("XDG_RUNTIME_DIR")

    assert tmp_path / "state/companion/table/table.sock" == socket_path()


def test_relative_xdg_folders_are_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As the XDG specification asks."""
    monkeypatch.setenv("XDG_CONFIG_HOME", "here")
    monkeypatch.setenv("HOME", str(tmp_path))

    assert tmp_path / ".config/companion/ui.toml" == config_file("ui")


def test_exposure_must_fit_into_a_frame(tmp_path: Path) -> None:
    """A shutter that stays open longer than a frame lasts is refused, naming both keys."""
    text = "[hw.camera]\nfps = 30\nexposure_us = 40000\n"

    with pytest.raises(ConfigError) as caught:
        load_table(written(tmp_path, text))

    assert "hw.camera.exposure_us and hw.camera.fps do not go together" in str(caught.value)
    assert "(table.toml:3,2)" in str(caught.value)


@pytest.mark.parametrize(("gains", "key"), [("[1.5]", ""), ("[1, 2, 3]", ""), ("[0, 1]", ".0"), ('["a", 1]', ".0")])
def test_white_balance_is_two_gains_or_none(tmp_path: Path, gains: str, key: str) -> None:
    """One gain, three, or one that is no gain are refused."""
    text = f"hw.camera.colour_gains = {gains}\n"

    assert [f"hw.camera.colour_gains{key}"] == [fault[1] for fault in faults_of(tmp_path, text)]


ODD = (
    "0",
    "-1",
    "1e400",
    "inf",
    "-nan",
    "9" * 30,
    '""',
    '"\\u0000"',
    "true",
    "[]",
    "[[]]",
    "[{}]",
    "{}",
    "{ a = 1 }",
    "2026-11-29",
    "07:32:00",
)
KEYS = (
    *(
        "table",
        "lang",
        "state_dir",
        "network",
        "network.socket",
        "network.listen",
        "network.allow_lan",
        "hw",
        "hw.camera",
    ),
    *(f"hw.camera.{key}" for key in CameraConfig.__struct_fields__),
    *("hw.panel", "hw.panel.driver", "hw.panel.pins", "hw.panel.pins.buttons", "hw.panel.pins.lamps"),
    *("hw.panel.pins.buzzers", "hw.panel.pins.buttons.seat1", "vision", "vision.cocked_deg", "vision.die_mm"),
    *("vision.attack_colour", "clock", "clock.scale", "nonsense", '"a.b".c', '""'),
)


@pytest.mark.parametrize("key", KEYS)
def test_no_value_gets_anything_but_an_answer(tmp_path: Path, key: str) -> None:
    """Whatever stands behind a key, it is taken or refused with the key's name; nothing else ever comes out."""
    for value in ODD:
        path = written(tmp_path, f"{key} = {value}\n")
        try:
            config = load_table(path)
        except ConfigError as refused:
            assert all(fault.line in (1, None) and fault.message for fault in refused.faults)
        else:
            assert isinstance(config, TableConfig)
