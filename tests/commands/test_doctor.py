"""The doctor finds what is wrong on machines that are made up, and says it in words."""

from __future__ import annotations

import ast
import json
import socket
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.commands import doctor
from companion.commands.checkup import machine as of_machine
from companion.commands.checkup import rig as of_rig
from companion.commands.checkup.finding import Finding, Machine
from companion.config import CameraConfig, PanelConfig, TableConfig, load_table, places
from companion.journal import Journal, NewRecord, StateFolder
from companion.words import LANGUAGES
from companion.words.catalog import read_po

WITH_MODULES = {"picamera2", "gpiozero", "lgpio"}


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, folder in (("CONFIG", "etc"), ("STATE", "state")):
        monkeypatch.setenv(f"XDG_{variable}_HOME", str(tmp_path / folder))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.setattr(places, "SYSTEM_CONFIG", tmp_path / "system")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


@pytest.fixture
def pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine with a camera, pins and the modules that drive them."""
    (tmp_path / "root/dev").mkdir(parents=True)
    for device in ("media0", "video0", "gpiochip0"):
        (tmp_path / "root/dev" / device).touch()
    monkeypatch.setattr(of_rig.util, "find_spec", lambda name: object() if name in WITH_MODULES else None)
    return Machine(root=tmp_path / "root")


def codes(findings: Any) -> list[tuple[str, str]]:
    """State and code of each finding."""
    return [(finding.state, finding.code) for finding in findings]


def asked(*words: str) -> tuple[int, list[dict[str, Any]]]:
    """Exit code and JSON lines of the doctor."""
    result = CliRunner().invoke(main, ["doctor", "--json", *words])
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]


def test_a_whole_rig_is_well(pi: Machine) -> None:
    """With its devices and modules there, the standard rig has nothing to mend."""
    assert [("ok", "present")] == codes(of_rig.camera(CameraConfig(), pi))
    assert [("ok", "present")] == codes(of_rig.panel(PanelConfig(), pi))


def test_a_camera_that_is_unplugged_is_found(pi: Machine) -> None:
    """Without a media device the cable is what to look at."""
    pi.at("/dev/media0").unlink()

    assert [("fail", "not-connected")] == codes(of_rig.camera(CameraConfig(), pi))


def test_a_usb_camera_is_looked_for_where_it_was_configured(pi: Machine) -> None:
    """The configured device is checked, and video0 when none is named."""
    named = CameraConfig(driver="v4l2", device="/dev/video9")

    assert [("fail", "no-device")] == codes(of_rig.camera(named, pi))
    assert [("ok", "present")] == codes(of_rig.camera(CameraConfig(driver="v4l2"), pi))


def test_a_device_of_others_names_its_group(pi: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that the person may not open is told with the group to join."""
    monkeypatch.setattr(of_rig.os, "access", lambda _path, _mode: False)

    (finding,) = of_rig.panel(PanelConfig(), pi)

    assert ("fail", "not-allowed", "gpio") == (finding.state, finding.code, finding.values["group"])


def test_missing_drivers_are_named_one_by_one(pi: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each module that a driver needs has its own line."""
    monkeypatch.setattr(of_rig.util, "find_spec", lambda _name: None)

    assert [("fail", "no-module")] == codes(of_rig.camera(CameraConfig(), pi))
    assert [("fail", "no-module"), ("fail", "no-module")] == codes(of_rig.panel(PanelConfig(), pi))


@pytest.mark.parametrize(("driver", "state"), [("none", "warn"), ("sim", "warn")])
def test_a_rig_without_camera_is_legal(pi: Machine, driver: Any, state: str) -> None:
    """Dice by hand, or simulated ones, are said and are no failure."""
    assert [(state, driver)] == codes(of_rig.camera(CameraConfig(driver=driver), pi))


@pytest.mark.parametrize(("driver", "state"), [("screen", "ok"), ("sim", "warn")])
def test_a_rig_without_buttons_is_legal(pi: Machine, driver: Any, state: str) -> None:
    """Buttons on the screen are as good as any."""
    assert [(state, driver)] == codes(of_rig.panel(PanelConfig(driver=driver), pi))


def test_a_replay_must_exist(pi: Machine, tmp_path: Path) -> None:
    """A replay of nothing fails before the game and not in it."""
    there = CameraConfig(driver="replay", device=str(tmp_path))
    gone = CameraConfig(driver="replay", device=str(tmp_path / "gone"))

    assert [("warn", "replay")] == codes(of_rig.camera(there, pi))
    assert [("fail", "no-device")] == codes(of_rig.camera(gone, pi))


def test_the_service_is_called_on_its_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped, deaf and killed are three different findings."""
    monkeypatch.setattr(of_rig, "ANSWER_S", 0.2)
    path = tmp_path / "t.sock"
    stopped = codes(of_rig.service(path))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        deaf = codes(of_rig.service(path))
    killed = codes(of_rig.service(path))

    assert [("warn", "not-running")] == stopped
    assert [("fail", "silent")] == deaf
    assert [("fail", "no-answer")] == killed


def test_the_journal_is_verified(tmp_path: Path) -> None:
    """An empty table is well, a whole chain holds, and a changed record is found."""
    config = TableConfig(state_dir=tmp_path / "facts")
    before = codes(of_rig.journal(config))
    config.state_dir.mkdir()
    file = StateFolder(config.state_dir).journal
    record = NewRecord(type="table.opened", v=1, by="screen", at_ns=1, data={"table": "1"})
    with Journal.open(file, table_id="1") as journal:
        journal.append([record, record], boot="b", wall="2026-11-29T18:00:00.000Z")

    assert [("ok", "none-yet")] == before
    assert [("ok", "holds", 2)] == [
        (finding.state, finding.code, finding.values["records"]) for finding in of_rig.journal(config)
    ]
    file.write_bytes(b"this was a journal once")
    assert [("fail", "broken")] == codes(of_rig.journal(config))


@pytest.mark.parametrize(
    ("free_mb", "state", "code"), [(100, "fail", "full"), (500, "warn", "tight"), (5000, "ok", "room")]
)
def test_the_disk_is_judged_before_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free_mb: int, state: str, code: str
) -> None:
    """Too little room is said while there is still time to make some."""
    usage = of_machine.shutil._ntuple_diskusage(10**12, 0, free_mb * 1024**2)  # type: ignore[attr-defined]
    monkeypatch.setattr(of_machine.shutil, "disk_usage", lambda _place: usage)

    assert [(state, code)] == codes(of_machine.disk("table", tmp_path / "not/yet/there"))


def test_a_folder_of_others_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person without rights learns that it is the service's folder."""
    monkeypatch.setattr(of_machine.os, "access", lambda _path, _mode: False)

    assert [("warn", "not-ours")] == codes(of_machine.disk("table", tmp_path))


def test_the_wall_clock_names_its_source(tmp_path: Path) -> None:
    """Network, battery and neither are told apart."""
    machine = Machine(root=tmp_path)
    neither = codes(of_machine.wall_clock(machine))
    machine.at("/sys/class/rtc/rtc0").mkdir(parents=True)
    battery = codes(of_machine.wall_clock(machine))
    machine.at("/run/systemd/timesync").mkdir(parents=True)
    machine.at("/run/systemd/timesync/synchronized").touch()
    network = codes(of_machine.wall_clock(machine))

    assert [("warn", "drifting")] == neither
    assert [("ok", "battery")] == battery
    assert [("ok", "synchronised")] == network


def test_groups_are_named_with_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only groups that exist here and that the person lacks are named."""
    known = [of_machine.grp.struct_group((name, "x", 1, [])) for name in ("video", "gpio", "users")]
    monkeypatch.setattr(of_machine.grp, "getgrall", lambda: known)

    (lacking,) = of_machine.groups(frozenset({"video"}), is_root=False)
    (enough,) = of_machine.groups(frozenset({"video", "gpio"}), is_root=False)
    (root,) = of_machine.groups(frozenset(), is_root=True)

    assert ("warn", "gpio") == (lacking.state, lacking.values["groups"])
    assert [("ok", "enough"), ("ok", "root")] == codes([enough, root])


def test_missing_packages_are_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a database is a table, not a fault."""
    monkeypatch.setattr(of_machine.util, "find_spec", lambda name: object() if name == "numpy" else None)

    findings = list(of_machine.packages())

    assert ["ok", "warn", "warn", "warn", "warn"] == [finding.state for finding in findings]
    assert {"desktop", "hub"} == {finding.values["extra"] for finding in findings[1:]}


def test_a_package_without_a_registered_version_is_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Debian's OpenCV registers no version: it is listed by its name alone."""

    def unknown(name: str) -> str:
        raise of_machine.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(of_machine.util, "find_spec", lambda name: object() if name == "cv2" else None)
    monkeypatch.setattr(of_machine.metadata, "version", unknown)

    (present, *_) = of_machine.packages()

    assert ("ok", "cv2") == (present.state, present.values["list"])


def test_the_groups_of_this_process_have_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers that nobody named are passed over, as containers hand them out."""
    monkeypatch.setattr(of_machine.os, "getgroups", lambda: [0, 987654])

    assert frozenset({"root"}) == of_machine.own_groups()


def test_a_configuration_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """A folder in the place of the file is a finding, not a crash."""
    _, (finding,) = of_rig.configuration("table", load_table, tmp_path)

    assert ("fail", "unreadable", str(tmp_path)) == (finding.state, finding.code, finding.values["file"])


def test_a_socket_of_others_names_its_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who may not open the socket learns which group may."""

    class Closed(socket.socket):
        def connect(self, address: object) -> None:
            raise PermissionError(13, f"Permission denied: {address!r}")

    monkeypatch.setattr(of_rig.socket, "socket", Closed)

    (finding,) = of_rig.service(tmp_path / "t.sock")

    assert ("fail", "not-allowed", "companion-ui") == (finding.state, finding.code, finding.values["group"])


def test_an_untested_python_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python that nobody tested is a warning."""
    monkeypatch.setattr(of_machine.platform, "python_version_tuple", lambda: ("3", "19", "0"))

    assert [("warn", "untested")] == codes(of_machine.versions())


def test_a_wrong_configuration_fails_and_the_rest_is_still_checked(tmp_path: Path) -> None:
    """Every fault of the file is a line, and the machine is examined all the same."""
    file = tmp_path / "table.toml"
    file.write_text("[hw.camera]\nfps = 300\nwdth = 1\n", encoding="utf-8")

    code, lines = asked("--config", str(file))

    wrong = [line["said"] for line in lines if line["code"] == "wrong"]
    assert (1, 2) == (code, len(wrong))
    assert any("hw.camera.fps must lie in 5..60, got 300 (table.toml:2)" in said for said in wrong)
    assert {"versions", "disk"} <= {line["part"] for line in lines}


@pytest.mark.parametrize(
    ("flags", "millidegrees", "expected"),
    [
        ("0x0", "48000", [("ok", "cool")]),
        ("0x1", "48000", [("fail", "sagging"), ("ok", "cool")]),
        ("0x50000", "81000", [("warn", "sagged"), ("warn", "was-slowed"), ("warn", "hot")]),
        ("0x4", "", [("warn", "slowed")]),
    ],
)
def test_power_and_heat_are_said_before_the_game(
    tmp_path: Path, flags: str, millidegrees: str, expected: list[tuple[str, str]]
) -> None:
    """A weak supply fails, one that was weak and a hot processor warn."""
    machine = Machine(root=tmp_path)
    for path, text in (
        ("/sys/devices/platform/soc/soc:firmware/get_throttled", flags),
        ("/sys/class/thermal/thermal_zone0/temp", millidegrees),
    ):
        if text:
            machine.at(path).parent.mkdir(parents=True)
            machine.at(path).write_text(text + "\n", encoding="ascii")

    assert expected == codes(of_rig.power(machine))


def test_a_machine_that_tells_nothing_of_its_power_has_no_line(tmp_path: Path) -> None:
    """A laptop is not asked what only a Pi knows."""
    assert [] == codes(of_rig.power(Machine(root=tmp_path)))


def test_a_rig_that_needs_nothing_is_well(tmp_path: Path) -> None:
    """With dice by hand and buttons on the screen there is nothing to fail: exit code 0."""
    file = tmp_path / "table.toml"
    file.write_text('hw.camera.driver = "none"\nhw.panel.driver = "screen"\n', encoding="utf-8")

    code, lines = asked("--config", str(file))

    assert (0, []) == (code, [line for line in lines if line["state"] == "fail"])


def test_lines_are_plain_text_in_the_language_asked_for(tmp_path: Path) -> None:
    """Each line is a state, a part and what to do."""
    file = tmp_path / "table.toml"
    file.write_text('hw.camera.driver = "none"\n', encoding="utf-8")

    result = CliRunner().invoke(main, ["doctor", "--lang", "nl", "--config", str(file)])

    assert "warn  camera: geen camera volgens de configuratie: stenen worden met de hand ingevoerd" in result.stdout
    assert all(line.split()[0] in {"ok", "warn", "fail"} for line in result.stdout.splitlines())


def test_the_doctor_works_without_the_report_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the typeface cannot be looked for, that is a warning and no crash."""
    monkeypatch.setattr(doctor.util, "find_spec", lambda _name: None)

    findings = list(doctor.examine(None, Machine()))

    assert ("warn", "missing") in codes(finding for finding in findings if finding.part == "typeface")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_finding_has_its_sentence(lang: str) -> None:
    """No code of a check is without words, in any language."""
    text = (files("companion.words") / "locale" / lang / "LC_MESSAGES/doctor.po").read_text(encoding="utf-8")

    assert set() == _spoken_codes() - set(read_po(text, source=lang))


def _spoken_codes() -> set[str]:
    """PART.CODE of every finding in the checks, read from their source; a code may be one of two."""
    spoken = {"camera.none", "camera.sim", "panel.screen", "panel.sim"}
    devices = ("no-device", "not-allowed", "present")
    spoken |= {f"{part}.{code}" for part in ("camera", "panel") for code in devices}
    for module in (of_machine, of_rig):
        for call in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "found":
                part, code = call.args[0], call.args[2]
                choices = [code.body, code.orelse] if isinstance(code, ast.IfExp) else [code]
                if isinstance(part, ast.Constant):
                    spoken |= {f"{part.value}.{one.value}" for one in choices if isinstance(one, ast.Constant)}
                    spoken.add(f"part.{part.value}")
    return spoken


def test_findings_are_facts() -> None:
    """A finding cannot be changed after it was found."""
    finding = Finding(part="disk", state="ok", code="room", values={})

    with pytest.raises(AttributeError):
        finding.state = "fail"  # type: ignore[misc]


def test_the_usual_file_is_examined(tmp_path: Path) -> None:
    """Without --config the table's file in its usual place is the one that is checked."""
    folder = tmp_path / "etc/companion"
    folder.mkdir(parents=True)
    (folder / "table.toml").write_text('hw.camera.driver = "none"\n', encoding="utf-8")

    _, lines = asked()

    assert load_table().hw.camera.driver == next(line["code"] for line in lines if line["part"] == "camera")
