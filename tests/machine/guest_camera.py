"""In the emulated machine: a camera that shows one picture with fresh noise, twice a second."""

from __future__ import annotations

import fcntl
import struct
import sys
import time
from pathlib import Path

import cv2
import numpy as np

DEVICE = Path("/dev/video10")


def yuyv(picture: np.ndarray) -> np.ndarray:
    """The picture as a USB camera sends it, shape (rows, columns, 2)."""
    yuv = cv2.cvtColor(picture, cv2.COLOR_BGR2YUV)
    out = np.empty((*yuv.shape[:2], 2), np.uint8)
    out[..., 0] = yuv[..., 0]
    out[:, 0::2, 1] = yuv[:, 0::2, 1]
    out[:, 1::2, 1] = yuv[:, 0::2, 2]
    return out


def main(path: str) -> None:
    """Feed the picture until killed."""
    picture = cv2.imread(path)
    rows, columns = picture.shape[:2]
    with DEVICE.open("wb", buffering=0) as device:
        # VIDIOC_S_FMT for output: type, then the pixel format, padded to the kernel's 208 bytes.
        size = columns * rows * 2
        fmt = struct.pack("<I4xIIIIIII", 2, columns, rows, 0x56595559, 1, columns * 2, size, 8)
        fcntl.ioctl(device, 0xC0D05605, bytearray(fmt.ljust(208, b"\0")))
        chance = np.random.default_rng(1)
        while True:
            noisy = np.clip(picture.astype(np.int16) + chance.integers(-3, 4, picture.shape, np.int16), 0, 255)
            device.write(yuyv(noisy.astype(np.uint8)).tobytes())
            time.sleep(0.4)


if __name__ == "__main__":
    main(sys.argv[1])
