"""What a heap is made of: explanations that can't win are not weighed."""

from __future__ import annotations

import pytest

from companion.sim import examples
from companion.vision import explain, judge
from companion.vision.explain import Explanation
from companion.vision.heap import Pile
from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings
from companion.vision.solve import Solid


def least_costs(ways: list[Explanation], limit: float) -> tuple[float, float]:
    """Of the best explanation, and of the best in which a die leans or stands on another, if it is any good."""
    others = [way.cost for way in ways if way.leaning is not None or way.raised is not None]
    return ways[0].cost, min([limit, *others])


def test_what_is_not_weighed_could_not_win(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaving out what must cost too much changes neither the best explanation nor the best one that leans."""
    asked: list[tuple[Pile, list[Solid]]] = []

    def record(pile: Pile, solids: list[Solid]) -> list[Explanation]:
        asked.append((pile, solids))
        return explain.explain(pile, solids)

    monkeypatch.setattr(judge, "explain", record)
    for kind, seed in (("cocked_die", 70005), ("cocked_die", 70009), ("stacked", 70003)):
        scene = next(examples.scenes(seed, 1, kind))
        BoxReader(ReaderSettings(die_mm=scene.dice[0].truth.size_mm)).read(scene.image, look_outside=False)
    quick = [explain.explain(*one) for one in asked]
    limit = explain.OPEN
    monkeypatch.setattr(explain, "OPEN", 1e9)
    monkeypatch.setattr(explain, "SMALL_LEAN_DEG", 90.0)
    whole = [explain.explain(*one) for one in asked]

    assert [least_costs(ways, limit) for ways in quick] == [least_costs(ways, limit) for ways in whole]
    assert sum(map(len, quick)) < sum(map(len, whole)), "nothing was left out"
