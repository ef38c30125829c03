"""What each program of the table is told at its start: one TOML file each, checked key by key."""

from companion.config.places import Program, config_file, socket_fault, socket_path, state_dir
from companion.config.reading import ConfigError, Fault, load_hub, load_table, load_ui
from companion.config.shapes import (
    CameraConfig,
    ClockConfig,
    HubConfig,
    HwConfig,
    NetworkConfig,
    PanelConfig,
    PinsConfig,
    StickConfig,
    TableConfig,
    UiConfig,
    VisionConfig,
)

__all__ = [
    "CameraConfig",
    "ClockConfig",
    "ConfigError",
    "Fault",
    "HubConfig",
    "HwConfig",
    "NetworkConfig",
    "PanelConfig",
    "PinsConfig",
    "Program",
    "StickConfig",
    "TableConfig",
    "UiConfig",
    "VisionConfig",
    "config_file",
    "load_hub",
    "load_table",
    "load_ui",
    "socket_fault",
    "socket_path",
    "state_dir",
]
