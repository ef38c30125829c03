"""What the camera sees of the rig (markers, focus, light), as items of the health page."""

from __future__ import annotations

from collections.abc import Callable

from companion.hw.ports import Image
from companion.table.health import Item, item
from companion.vision.settings import RigGeometry
from companion.vision.view import BLURRED_PX, DIM, look_over

GLARE = 0.05
"""Share of the picture that is blown out from which on a lamp mirrors in the dice."""


def view(newest: Callable[[], Image | None], geometry: RigGeometry) -> tuple[Item, ...]:
    """Markers, focus and light of the newest picture; nothing without one.

    Args:
        newest: The camera's newest picture, or None.
        geometry: The rig.
    """
    image = newest()
    if image is None:
        return ()
    seen = look_over(image, geometry)
    found = [
        item("markers", "ok", "all", count=seen.markers)
        if seen.markers == seen.wanted
        else item("markers", "warn", "few", count=seen.markers, wanted=seen.wanted)
    ]
    if seen.edge_px is not None:
        is_sharp = seen.edge_px < BLURRED_PX
        found.append(
            item(
                "focus",
                "ok" if is_sharp else "warn",
                "sharp" if is_sharp else "blurred",
                edge_px=round(seen.edge_px, 1),
            )
        )
    percent = round(seen.mean / 2.55)
    if seen.glare > GLARE:
        found.append(item("light", "warn", "glare", percent=round(seen.glare * 100)))
    elif seen.mean < DIM:
        found.append(item("light", "warn", "dim", percent=percent))
    else:
        found.append(item("light", "ok", "even", percent=percent))
    return tuple(found)
