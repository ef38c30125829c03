"""Truth of the simulator's examples in the form of rendered scenes' truth."""

from __future__ import annotations

import json

import numpy as np

from companion.sim import clips, examples, records


def test_a_still_tells_its_camera_and_its_dice() -> None:
    """The camera of the record puts each die's place in the world where the record says that it is seen."""
    (scene,) = examples.scenes(5, 1, "cocked_wall")

    told = json.loads(json.dumps(records.still(scene, "still_1.png")))

    assert ("still_1.png", "cocked_wall") == (told["image"], told["category"])
    camera = told["camera"]
    for die, true in zip(told["dice"], scene.dice, strict=True):
        seen = np.array(camera["R"]).reshape(3, 3) @ (np.array(true.truth.position_mm) - camera["position_mm"])
        flat = seen[:2] / seen[2]
        pixel = flat * (1 + camera["k1"] * (flat @ flat)) * camera["fx"] + [camera["cx"], camera["cy"]]
        np.testing.assert_allclose(pixel, die["center_px"], atol=0.01)
        assert (die["value"] is None) == (die["verdict"] == "cocked")
    assert {
        "value",
        "verdict",
        "lean_deg",
        "height_mm",
        "colour",
        "size_mm",
        "center_px",
        "visible",
        "pip_contrast",
    } == (set(told["dice"][0]))


def test_a_film_tells_of_all_dice_at_each_rest() -> None:
    """The second throw lists the dice of both; only its own moved."""
    (clip,) = clips.clips(3, 1, "two_sided")

    told = records.film(clip, "clip_1.mp4")

    first, second = told["throws"]
    assert (3, 5) == (len(first["dice"]), len(second["dice"]))
    assert [False] * 3 + [True] * 2 == [die["moved"] for die in second["dice"]]
    assert first["start_ms"] < first["settled_ms"] < second["start_ms"]


def test_a_hand_that_takes_dice_is_an_event() -> None:
    """Removal is told with its time, under the name that scorers know."""
    (clip,) = clips.clips(3, 1, "removal")

    told = records.film(clip, "clip_2.mp4")

    assert ["hand"] == [event["type"] for event in told["events"]]
    assert told["throws"][0]["settled_ms"] < told["events"][0]["start_ms"] < told["events"][0]["end_ms"]


def test_a_late_die_is_a_throw_of_its_own() -> None:
    """As scorers have it: two dice roll and lie, and the third follows a second later."""
    (clip,) = clips.clips(3, 1, "late")

    first, late = records.film(clip, "clip_4.mp4")["throws"]

    assert first["settled_ms"] < late["start_ms"] < late["settled_ms"]
    assert [1] == [sum(die["moved"] for die in late["dice"])]
    assert 3 == len(late["dice"])


def test_a_die_put_down_starts_with_the_hand() -> None:
    """The first motion in the picture is the hand's, not the die's."""
    (clip,) = clips.clips(3, 1, "placed")

    (throw,) = records.film(clip, "clip_3.mp4")["throws"]

    assert throw["start_ms"] < throw["dice_start_ms"] < throw["settled_ms"]
    assert [False] == [die["rolled"] for die in throw["dice"]]
