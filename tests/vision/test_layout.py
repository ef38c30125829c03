"""Drawn patterns of pips laid over cut-out faces."""

from __future__ import annotations

import numpy as np
import pytest

from companion.vision import layout, second
from tests.vision import drawn

_MIDDLE, _EDGES = np.array([120.0, 120.0]), drawn.edges(60.0, 17.0)


@pytest.mark.parametrize(("body", "pip", "light"), [(drawn.WHITE, drawn.BLACK, False), (drawn.RED, drawn.WHITE, True)])
@pytest.mark.parametrize("value", range(1, 7))
def test_every_number_has_its_pattern(value: int, body: drawn.Colour, pip: drawn.Colour, light: bool) -> None:
    """The pattern of the number explains most, far ahead of the others, and the pips' lightness is told."""
    seen = layout.read(second.cut(drawn.photograph([value], body=body, pip=pip), _MIDDLE, _EDGES))

    assert (value, light) == (seen.value, seen.light_pips)
    assert seen.explained > 0.6
    assert seen.margin > 0.15
    assert np.abs(np.array(seen.body) - body).max() < 25


def test_a_cross_is_no_pattern() -> None:
    """A cross is next to a five, but no number leaves all others far behind."""
    seen = layout.read(second.cut(drawn.photograph([7]), _MIDDLE, _EDGES))

    assert seen.margin < 0.15


def test_an_even_surface_says_nothing() -> None:
    """Without any contrast there is no number."""
    seen = layout.read(np.full((36, 36, 3), 120, np.uint8))

    assert (0, 0.0, 0.0) == (seen.value, seen.explained, seen.contrast)
