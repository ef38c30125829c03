"""Rigid-body throws: a box, a table and dice in MuJoCo, from the hand to rest.

MuJoCo is a desktop extra and is imported when a world is made, never before: a Pi plays the flights that were
computed here and stored (see `companion.sim.baked`).

Theory: dice are light plastic (about 1.4 g/cm3) on felt. What matters for a throw that looks and rests like a real
one is how much a bounce gives back (little on felt, more on wood), that friction makes a die tumble rather than
slide, and that a die leaning on a wall keeps leaning: for that the friction cone must be the true one (elliptic)
and must not creep, which is what the solver options below are for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.sim import truth, turns
from companion.sim.flight import RATE_HZ, Flight
from companion.sim.turns import Floats

_STEPS_PER_SAMPLE = 16
_DENSITY_KG_M3 = 1400.0
_QUIET_SAMPLES = 24
_LONGEST_S = 4.0
_MM = 1e-3


class WorldError(RuntimeError):
    """The physics can't be had or did not come to rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How one die leaves the hand.

    Attributes:
        position_mm: Where it leaves, world frame, shape (3,).
        quat: Its turn there, shape (4,).
        velocity_mm_s: Its speed, shape (3,).
        spin_rad_s: Its spin in its own frame, shape (3,).
    """

    position_mm: Floats
    quat: Floats
    velocity_mm_s: Floats
    spin_rad_s: Floats


class World:
    """A box on a table with a number of dice of one size.

    Args:
        dice: How many dice.
        size_mm: Their edge length.
        felt: Friction of the floor's felt.
        wall: Friction of the walls.

    Raises:
        WorldError: MuJoCo is not installed.
    """

    def __init__(self, dice: int, size_mm: float, *, felt: float = 0.75, wall: float = 0.5) -> None:
        try:
            import mujoco
        except ImportError as missing:
            raise WorldError(
                "throws can't be computed here: MuJoCo is not installed; "
                "use the stored throws or install the extra 'desktop'"
            ) from missing
        self._engine: Any = mujoco
        self.size_mm = size_mm
        self.dice = dice
        self._model = mujoco.MjModel.from_xml_string(_scene(dice, size_mm, felt, wall))
        self._state = mujoco.MjData(self._model)

    def throw(self, launches: list[Launch], *, kind: str = "clean") -> Flight | None:
        """The flight of dice that leave the hand as told, or None when they are not at rest after four seconds."""
        state, model = self._state, self._model
        self._engine.mj_resetData(model, state)
        for index, launch in enumerate(launches):
            state.qpos[7 * index : 7 * index + 3] = launch.position_mm * _MM
            state.qpos[7 * index + 3 : 7 * index + 7] = launch.quat
            state.qvel[6 * index : 6 * index + 3] = launch.velocity_mm_s * _MM
            state.qvel[6 * index + 3 : 6 * index + 6] = launch.spin_rad_s
        self._engine.mj_forward(model, state)
        poses, touched_at = self._run()
        if poses is None:
            return None
        positions = poses[:, :, :3].transpose(1, 0, 2) / _MM
        quats = poses[:, :, 3:].transpose(1, 0, 2)
        rest_at = tuple(_rest_sample(positions[i], quats[i]) for i in range(self.dice))
        last = max(rest_at) + 1
        _lay_flat(positions, quats, rest_at, self.size_mm)
        return Flight(
            kind=kind,
            size_mm=self.size_mm,
            positions=positions[:, :last],
            quats=quats[:, :last],
            rolled=tuple(_tumbled(quats[i, touched_at[i] : last]) for i in range(self.dice)),
            rest_at=rest_at,
        )

    def _run(self) -> tuple[Floats | None, list[int]]:
        state, model, count = self._state, self._model, self.dice
        poses = [state.qpos.reshape(count, 7).copy()]
        touched_at = [int(RATE_HZ * _LONGEST_S)] * count
        for sample in range(1, int(RATE_HZ * _LONGEST_S)):
            for _ in range(4):
                self._engine.mj_step(model, state, nstep=_STEPS_PER_SAMPLE // 4)
                for body in set(model.geom_bodyid[state.contact.geom[: state.ncon].ravel()]) - {0}:
                    touched_at[body - 1] = min(touched_at[body - 1], sample)
            poses.append(state.qpos.reshape(count, 7).copy())
            if sample >= _QUIET_SAMPLES and _unmoved(poses[-_QUIET_SAMPLES], poses[-1]):
                return np.array(poses), touched_at
        return None, touched_at


def _unmoved(before: Floats, after: Floats) -> bool:
    """Whether no die went further than 0.1 mm or 0.4 degrees: contact solvers keep trembling, poses do not."""
    gone = np.linalg.norm(after[:, :3] - before[:, :3], axis=-1).max() / _MM
    alike = np.abs(np.sum(after[:, 3:] * before[:, 3:], axis=-1)).min()
    return bool(gone < 0.1 and alike > np.cos(np.radians(0.4) / 2))


def _rest_sample(positions: Floats, quats: Floats) -> int:
    """First sample from which a die stays within 0.15 mm and half a degree of where it ends."""
    moved = np.linalg.norm(positions - positions[-1], axis=-1) > 0.15
    turned = np.abs(quats @ quats[-1]) < np.cos(np.radians(0.5) / 2)
    stirring = np.flatnonzero(moved | turned)
    return int(stirring[-1]) + 1 if len(stirring) else 0


def _lay_flat(positions: Floats, quats: Floats, rest_at: tuple[int, ...], size_mm: float) -> None:
    """Give each die its last pose from its rest on, and level the flat ones exactly (in place).

    Soft contacts let a resting die sink by some hundredths of a millimetre and lean by some tenths of a degree;
    that is the solver's softness, not the throw's.
    """
    for die, rest in enumerate(rest_at):
        position, quat = positions[die, -1].copy(), quats[die, -1].copy()
        if truth.leans_deg(quat) < 2.0:
            top = truth.FACE_NORMALS[truth.top_faces(quat) - 1]
            up = turns.matrices(quat) @ top
            axis = np.cross(up, [0.0, 0.0, 1.0])
            if np.linalg.norm(axis) > 1e-9:
                quat = turns.product(turns.about(axis, float(np.arccos(min(1.0, up[2])))), quat)
            level = round((position[2] / size_mm) - 0.5)
            if abs(position[2] - (level + 0.5) * size_mm) < 0.6:
                position[2] = (level + 0.5) * size_mm
        positions[die, rest:], quats[die, rest:] = position, quat


def _tumbled(quats: Floats) -> bool:
    return len(quats) > 0 and len(np.unique(truth.top_faces(quats))) > 1


def _scene(dice: int, size_mm: float, felt: float, wall: float) -> str:
    half_x, half_y = truth.FLOOR_X_MM / 2 * _MM, truth.FLOOR_Y_MM / 2 * _MM
    thick, high = truth.WALL_THICK_MM * _MM, truth.WALL_HEIGHT_MM * _MM
    walls = [
        (half_x + thick / 2, 0.0, thick / 2, half_y + thick),
        (-half_x - thick / 2, 0.0, thick / 2, half_y + thick),
        (0.0, half_y + thick / 2, half_x + thick, thick / 2),
        (0.0, -half_y - thick / 2, half_x + thick, thick / 2),
    ]
    wall_geoms = "".join(
        f'<geom type="box" class="wall" pos="{x} {y} {high / 2}" size="{sx} {sy} {high / 2}"/>'
        for x, y, sx, sy in walls
    )
    half = size_mm / 2 * _MM
    mass = _DENSITY_KG_M3 * (size_mm * _MM) ** 3
    bodies = "".join(
        f'<body><freejoint/><geom type="box" class="die" size="{half} {half} {half}" mass="{mass}"/></body>'
        for _ in range(dice)
    )
    return f"""
    <mujoco>
      <option timestep="{1 / (RATE_HZ * _STEPS_PER_SAMPLE)}" gravity="0 0 -9.81" cone="elliptic" impratio="10"
              noslip_iterations="4" integrator="implicitfast"/>
      <default>
        <default class="felt">
          <geom friction="{felt} 0.001 0.0001" solref="0.004 0.45" priority="1" condim="4"/>
        </default>
        <default class="wall">
          <geom friction="{wall} 0.001 0.0001" solref="0.004 0.35" priority="1" condim="4"/>
        </default>
        <default class="die"><geom friction="0.35 0.001 0.0001" solref="0.004 0.4" condim="4"/></default>
      </default>
      <worldbody>
        <geom type="plane" class="felt" size="2 2 0.1"/>
        {wall_geoms}
        {bodies}
      </worldbody>
    </mujoco>
    """
