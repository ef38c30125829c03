"""A panel without a single wire: all presses come from the screen. A legal rig, not a fault."""

from __future__ import annotations

from collections.abc import Callable

from companion.hw.clock import boot_ns
from companion.hw.ports import Edge, Lamp, RigError


class ScreenPanel:
    """A panel that has no buttons, no lamps and no buzzer; a `companion.hw.ports.Panel`."""

    @property
    def name(self) -> str:
        """'screen'."""
        return "screen"

    def buttons(self) -> tuple[str, ...]:
        """None."""
        return ()

    def lamp(self, name: str) -> Lamp:
        """No lamp.

        Raises:
            RigError: Always; the panel has none.
        """
        raise RigError("lamp", "no-such-lamp", f"no lamp {name!r}: this table has only its screen", name=name)

    def buzzer(self) -> None:
        """None."""

    def listen(self, on_edge: Callable[[Edge], None]) -> None:
        """Nothing ever calls."""

    def heard_until_ns(self, button: str) -> int:  # noqa: ARG002  it has none
        """No button, so nothing is on its way."""
        return boot_ns()

    def close(self) -> None:
        """Nothing to let go of."""
