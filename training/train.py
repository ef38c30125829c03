"""Train a network on renderings alone: `python -m training.train face|finder --minutes M --out FILE`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from training import samples
from training.nets import FOUND, SHAPE, VALUES, FaceReader, Finder

_SEED, _HELD_OUT_SEED = 20261130, 77
_POOL = {"face": 40000, "finder": 6000}


class _Pool:
    """The latest samples; each is used some times before younger ones push it out."""

    def __init__(self, kind: str, seed: int) -> None:
        self._kind, self._rng = kind, np.random.default_rng(seed)
        self.inputs: list[npt.NDArray[np.uint8]] = []
        self.truths: list[npt.NDArray[np.float32]] = []
        self._next = 0

    def grow(self, count: int) -> None:
        """Draw `count` more patches."""
        for _ in range(count):
            if self._kind == "face":
                crops, values = samples.faces(self._rng)
                for crop, value in zip(crops, values, strict=True):
                    self._keep(crop, np.array(value, np.float32))
            else:
                self._keep(*samples.patch(self._rng))

    def _keep(self, given: npt.NDArray[np.uint8], truth: npt.NDArray[np.float32]) -> None:
        if len(self.inputs) < _POOL[self._kind]:
            self.inputs.append(given)
            self.truths.append(truth)
        else:
            self.inputs[self._next], self.truths[self._next] = given, truth
            self._next = (self._next + 1) % len(self.inputs)

    def batch(self, size: int) -> tuple[Tensor, Tensor]:
        """Samples of the pool, some mirrored or with their colours exchanged: dice know no left and no blue."""
        chosen = self._rng.integers(0, len(self.inputs), size)
        given = np.stack([self.inputs[i] for i in chosen]).transpose(0, 3, 1, 2).astype(np.float32) / 255
        truth = np.stack([self.truths[i] for i in chosen])
        for row in range(size):
            if self._rng.random() < 0.3:
                given[row] = given[row, self._rng.permutation(3)]
            if self._rng.random() < 0.5:
                given[row] = given[row, :, :, ::-1]
                if truth.ndim > 1:
                    truth[row] = truth[row, :, :, ::-1]
                    # Mirrored: x, the turn's sine and the squeeze's imaginary part change their sign.
                    truth[row, [2, 6, 8]] *= -1
        return torch.from_numpy(given), torch.from_numpy(truth)


def loss_of(kind: str, net: nn.Module, given: Tensor, truth: Tensor) -> Tensor:
    """How far a network is from the truth."""
    # Half the time with half the bits; weights and losses stay whole.
    with torch.autocast("cpu", torch.bfloat16):
        said = net(given.contiguous(memory_format=torch.channels_last))
    said = said.float()
    if kind == "face":
        return functional.cross_entropy(said, truth.long(), label_smoothing=0.02)
    found, known = said[:, FOUND][:, 0], truth[:, 0] >= 0
    here = truth[:, 0] == 1
    sure = torch.sigmoid(found).detach()
    hard = torch.where(here, 1 - sure, sure).clamp(min=0.02) ** 1.5
    each = functional.binary_cross_entropy_with_logits(found, here.float(), reduction="none") * hard
    total = each[known].sum() / max(1, int(here.sum())) * 2.0
    if here.any():
        values = said[:, VALUES].permute(0, 2, 3, 1)[here]
        total = total + functional.cross_entropy(values, truth[:, 1][here].long(), label_smoothing=0.02)
        shape, true = said[:, SHAPE].permute(0, 2, 3, 1)[here], truth[:, 2:].permute(0, 2, 3, 1)[here]
        weight = torch.tensor([1.0, 1.0, 5.0, 1.0, 1.0, 4.0, 4.0])
        total = total + (functional.smooth_l1_loss(shape, true, reduction="none", beta=0.1) * weight).mean() * 2
    return total


def report(kind: str, net: nn.Module, held: _Pool) -> str:
    """Figures over renderings of another seed."""
    net.eval()
    size = 64 if kind == "face" else 8
    given = np.stack(held.inputs).transpose(0, 3, 1, 2)
    truth = torch.from_numpy(np.stack(held.truths))
    with torch.no_grad():
        said = torch.cat(
            [
                net(torch.from_numpy(part.astype(np.float32) / 255))
                for part in np.array_split(given, max(1, len(given) // size))
            ]
        )
    net.train()
    if kind == "finder":
        found = torch.sigmoid(said[:, 0])
        here, empty = truth[:, 0] == 1, truth[:, 0] == 0
        text = f"seen {(found[here] > 0.5).float().mean():.3f} false {(found[empty] > 0.5).float().mean():.5f} "
        error = (said[:, SHAPE] - truth[:, 2:]).abs().permute(0, 2, 3, 1)[here].mean(0)
        text += "shape " + " ".join(f"{part:.3f}" for part in error.tolist()) + " "
        said, truth = said[:, VALUES].permute(0, 2, 3, 1)[here], truth[:, 1][here]
    else:
        text = ""
    sure, value = torch.softmax(said, 1).max(1)
    right = value == truth.long()
    text += f"right {right.float().mean():.4f}"
    for limit in (0.8, 0.9, 0.95):
        taken = (sure > limit) & (value > 0)
        text += f" | >{limit}: {taken.float().mean():.3f} wrong {(~right[taken]).float().mean():.4f}"
    return text


def main() -> None:
    """Train, report, keep the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["face", "finder"])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--begin", type=Path, help="weights to go on from")
    parser.add_argument("--rate", type=float, default=1.0, help="steps smaller than usual, to go on from good weights")
    parser.add_argument("--seed", type=int, default=_SEED)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(asked.seed)
    net: nn.Module = FaceReader() if asked.kind == "face" else Finder()
    if asked.begin:
        net.load_state_dict(torch.load(asked.begin))
    net = net.to(memory_format=torch.channels_last)
    size, fresh = (128, 2) if asked.kind == "face" else (16, 1)
    peak = (2e-3 if asked.kind == "face" else 1.5e-3) * asked.rate
    pool, held = _Pool(asked.kind, asked.seed), _Pool(asked.kind, _HELD_OUT_SEED)
    held.grow(160)
    pool.grow(200)
    best = torch.optim.AdamW(net.parameters(), lr=peak, weight_decay=1e-3)
    begun, spent, step, said = time.monotonic(), 0.0, 0, 0.0
    while spent < 1.0:
        rate = peak * min(1.0, (step + 1) / 200) * max(0.01, (1 - spent) ** 0.9)
        for group in best.param_groups:
            group["lr"] = rate
        pool.grow(fresh)
        loss = loss_of(asked.kind, net, *pool.batch(size))
        best.zero_grad()
        loss.backward()
        best.step()
        said += (loss.item() - said) * (0.02 if step else 1.0)
        step += 1
        spent = (time.monotonic() - begun) / 60 / asked.minutes
        if step % 300 == 0 or spent >= 1.0:
            sys.stdout.write(f"{step} {spent:.2f} loss {said:.3f} {report(asked.kind, net, held)}\n")
            sys.stdout.flush()
            torch.save(net.state_dict(), asked.out)


if __name__ == "__main__":
    main()
