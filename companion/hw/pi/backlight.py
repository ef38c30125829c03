"""The light behind the touch screen, through the kernel's backlight class.

The screen is dimmed while a table rests and never switched off: a tap that wakes a black screen also presses what lies
under the finger.
"""

from __future__ import annotations

from pathlib import Path

from companion.hw.ports import RigError

CLASS_DIR = Path("/sys/class/backlight")
DIMMEST = 0.05
"""Least share of the full light: the screen can still be read."""


class Backlight:
    """One screen's light.

    Args:
        class_dir: Where the kernel lists lights; a folder of the same shape in tests.

    Raises:
        RigError: There is no light that can be set.
    """

    def __init__(self, class_dir: Path = CLASS_DIR) -> None:
        lights = sorted(class_dir.iterdir()) if class_dir.is_dir() else []
        if not lights:
            raise RigError("screen", "no-backlight", f"no screen in {class_dir} whose light can be set")
        self._light = lights[0]
        self._full = _number(self._light / "max_brightness")

    @property
    def name(self) -> str:
        """The kernel's name of the light."""
        return self._light.name

    def share(self) -> float:
        """How bright it is, 0 to 1."""
        return _number(self._light / "brightness") / self._full

    def set(self, share: float) -> None:
        """Set the light.

        Args:
            share: Of the full light, `DIMMEST` to 1.

        Raises:
            RigError: Out of range, or this user may not set it.
        """
        if not DIMMEST <= share <= 1:
            raise RigError(
                "screen", "bad-brightness", f"brightness must lie in {DIMMEST}..1, got {share!r}", value=share
            )
        try:
            (self._light / "brightness").write_text(str(max(1, round(share * self._full))), encoding="ascii")
        except OSError as refused:
            raise RigError(
                "screen",
                "backlight-refused",
                f"the light of {self.name} can't be set: may this user (group 'video')? {refused}",
                name=self.name,
            ) from refused


def _number(path: Path) -> int:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError) as odd:
        raise RigError(
            "screen", "backlight-refused", f"{path} can't be read as a number: {odd}", path=str(path)
        ) from odd
