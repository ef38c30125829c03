"""What every camera and every panel must keep, whatever drives it. A driver's test module inherits these classes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from companion.hw.clock import NS_PER_S, boot_ns
from companion.hw.ports import Camera, Edge, Frame, Panel, RigError


def next_frame(camera: Camera) -> Frame:
    """The next frame, waited for long enough that a slow machine is no failure."""
    frame = camera.read(5000)
    assert frame is not None
    return frame


class CameraContract:
    """Laws of `companion.hw.ports.Camera`; a subclass gives `opened`, which delivers at least three frames."""

    @pytest.fixture
    def opened(self) -> Iterator[Camera]:
        """A camera that delivers."""
        raise NotImplementedError

    def test_frames_are_bgr_pictures_with_a_luma_picture_of_the_same_moment(self, opened: Camera) -> None:
        """A frame holds a colour picture and, where the driver has one, a smaller grey one of the same view."""
        frame = next_frame(opened)

        assert (3, np.uint8) == (frame.image.shape[2], frame.image.dtype)
        if frame.luma is not None:
            assert (2, np.uint8) == (frame.luma.ndim, frame.luma.dtype)
            small = frame.image[
                :: frame.image.shape[0] // frame.luma.shape[0], :: frame.image.shape[1] // frame.luma.shape[1]
            ]
            assert abs(float(small.mean()) - float(frame.luma.mean())) < 40

    def test_stamps_and_numbers_only_go_up(self, opened: Camera) -> None:
        """Later frames have later stamps and higher numbers."""
        frames = [next_frame(opened) for _ in range(3)]

        assert sorted({frame.at_ns for frame in frames}) == [frame.at_ns for frame in frames]
        assert sorted({frame.number for frame in frames}) == [frame.number for frame in frames]

    def test_stamps_are_of_the_boot_clock(self, opened: Camera) -> None:
        """A stamp lies within seconds of the boot clock, whatever clock the source counts on."""
        frame = next_frame(opened)

        assert abs(boot_ns() - frame.at_ns) < 3 * NS_PER_S

    def test_a_frame_is_handed_out_once(self, opened: Camera) -> None:
        """A frame that was read keeps its own picture when the next one comes."""
        first = next_frame(opened)
        kept = first.image.copy()
        second = next_frame(opened)

        assert first.number != second.number
        assert np.array_equal(kept, first.image)

    def test_closing_twice_and_from_another_thread_is_fine(self, opened: Camera) -> None:
        """`close` may be called again, by anyone; reading after it says that it is closed."""
        next_frame(opened)
        other = threading.Thread(target=opened.close)
        other.start()
        other.join()
        opened.close()

        with pytest.raises(RigError) as told:
            while opened.read(10) is not None:
                pass
        assert ("camera", "closed") == (told.value.part, told.value.code)

    def test_it_has_a_name(self, opened: Camera) -> None:
        """The name begins with the driver's, for the screen."""
        assert opened.name


class PanelContract:
    """Laws of `companion.hw.ports.Panel`; a subclass gives `opened` and, if it has buttons, `press`."""

    @pytest.fixture
    def opened(self) -> Iterator[Panel]:
        """A panel."""
        raise NotImplementedError

    def wait_for_quiet(self, heard: list[Edge], button: str) -> list[Edge]:
        """A button's edges, when it has opened and gave none for a while, or after three seconds."""
        until_ns = boot_ns() + 3 * NS_PER_S
        while True:
            own = [edge for edge in list(heard) if edge.button == button]
            if own and not own[-1].pressed and boot_ns() - own[-1].at_ns >= NS_PER_S // 20:
                return own
            if boot_ns() >= until_ns:
                return own
            time.sleep(0.005)

    def press(self, panel: Panel, button: str) -> None:
        """Close and open a button's contact."""
        raise NotImplementedError

    def test_an_unknown_lamp_is_refused_by_name(self, opened: Panel) -> None:
        """Asking for a lamp that is not there names it."""
        with pytest.raises(RigError) as told:
            opened.lamp("seat9")

        assert ("lamp", "no-such-lamp", "seat9") == (told.value.part, told.value.code, told.value.values["name"])

    def test_each_press_gives_edges_of_its_button_in_order(self, opened: Panel) -> None:
        """Every button's edges arrive with its name, the closing first, stamps going up on the boot clock."""
        heard: list[Edge] = []
        opened.listen(heard.append)
        for button in opened.buttons():
            # On a busy machine the last bounce of another button may come after this one was pressed.
            self.press(opened, button)
            own = self.wait_for_quiet(heard, button)

            assert (True, False) == (own[0].pressed, own[-1].pressed)
            assert sorted(edge.at_ns for edge in own) == [edge.at_ns for edge in own]
            assert abs(boot_ns() - own[0].at_ns) < 3 * NS_PER_S

        assert set(opened.buttons()) == {edge.button for edge in heard}

    def test_closing_twice_is_fine(self, opened: Panel) -> None:
        """`close` may be called again."""
        opened.close()
        opened.close()

        assert opened.name
