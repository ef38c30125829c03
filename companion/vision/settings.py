"""Measures of the rig that the reader must know: box, markers, camera, dice. All have the standard rig's values."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class RigGeometry:
    """The box and its markers, in mm; origin in the middle of the floor, x right, y up as seen, z to the camera.

    Attributes:
        floor_mm: Inner floor of the box, width and depth.
        wall_height_mm: Height of the walls above the floor.
        wall_thick_mm: Thickness of the walls.
        marker_mm: Side of a marker's black square.
        marker_ids: ArUco 4x4_50 ids, clockwise from top left.
        marker_out_mm: How far a marker's centre lies outside the inner corner, along both axes.
        camera_height_mm: Nominal height of the camera above the floor.
        view_deg: Horizontal field of view of the camera.
    """

    floor_mm: tuple[float, float] = (240.0, 180.0)
    wall_height_mm: float = 30.0
    wall_thick_mm: float = 8.0
    marker_mm: float = 30.0
    marker_ids: tuple[int, int, int, int] = (0, 1, 2, 3)
    marker_out_mm: float = 40.0
    camera_height_mm: float = 500.0
    view_deg: float = 66.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderSettings:
    """Everything that a rig may set about reading.

    Attributes:
        rig: Box, markers and camera.
        die_mm: Edge of the dice when measured at calibration; None lets the reader choose among `die_sizes_mm`.
        die_sizes_mm: Sizes that may occur.
        cocked_deg: From this lean on a die is cocked.
        attack_colour: Body colour of the attack dice.
        defence_colour: Body colour of the defence dice.
        most_dice: More dice than this are told to people: no game throws so many at once.
        markers_every: The tray is searched again after so many full readings.
    """

    rig: RigGeometry = field(default_factory=RigGeometry)
    die_mm: float | None = None
    die_sizes_mm: tuple[float, ...] = (12.0, 14.0, 16.0)
    cocked_deg: float = 4.5
    attack_colour: str = "red"
    defence_colour: str = "blue"
    most_dice: int = 6
    markers_every: int = 30
