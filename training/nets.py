"""The two networks: one finds upper faces in a picture, one reads a face that was cut out."""

from __future__ import annotations

from torch import Tensor, nn

# What the finder says of each cell: a face here?, none and 1 to 6, place in cells, size, turn and squeeze.
FOUND, VALUES, SHAPE = slice(0, 1), slice(1, 8), slice(8, 15)
STRIDE = 8
# Size of which the finder's size output is the logarithm's origin, px.
NOMINAL_PX = 24.0
FACE_PX = 36


def _layer(before: int, after: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU(inplace=True)
    )


class _Refined(nn.Module):
    """A layer that adds to what it was given."""

    def __init__(self, wide: int) -> None:
        super().__init__()
        self.layer = _layer(wide, wide)

    def forward(self, given: Tensor) -> Tensor:
        """Layer and what it was given."""
        return given + self.layer(given)


class Finder(nn.Module):
    """Picture (n, 3, rows, cols), BGR 0 to 1, to cells (n, 15, rows / 8, cols / 8)."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _layer(3, 16, 2), _layer(16, 32, 2), _layer(32, 32), _layer(32, 48, 2), *(_Refined(48) for _ in range(5))
        )
        self.head = nn.Conv2d(48, 15, 1)
        nn.init.constant_(self.head.bias[:1], -3.0)

    def forward(self, picture: Tensor) -> Tensor:
        """What is said of each cell."""
        return self.head(self.body(picture - 0.45))


class FaceReader(nn.Module):
    """Cut-out faces (n, 3, 36, 36), BGR 0 to 1, to scores (n, 7): none and 1 to 6."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _layer(3, 12, 2), _layer(12, 24), _layer(24, 40, 2), _layer(40, 40), _layer(40, 56, 2), nn.Flatten()
        )
        self.head = nn.Linear(56 * 25, 7)

    def forward(self, crop: Tensor) -> Tensor:
        """What is said of each face."""
        return self.head(nn.functional.dropout(self.body(crop - 0.45), 0.2, self.training))
