"""A lot that anyone can replay: order from a published number, with nothing but SHA-256.

Theory. The organiser publishes a number that nobody could choose (dice thrown before everybody, the digits of a
lottery). From it a stream of 32-byte blocks is made: block k is SHA-256 of the text `NUMBER|PURPOSE|k`, k counting
from 0, and each block is read as one big-endian integer. To draw a place among n, take the next block modulo n;
blocks at or above the largest multiple of n below 2**256 are skipped, so every place is equally likely. Shuffling
is Fisher-Yates from the end: for i from n-1 down to 1, draw j among i+1 and swap places i and j.

The list that is shuffled is sorted first, so the order in which players were typed in plays no part.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from companion.rules.errors import DrawError

_SPAN = 2**256


def blocks(number: str, purpose: str) -> Iterator[int]:
    """The endless stream of integers in [0, 2**256) that a number gives for one purpose.

    Args:
        number: The published number, as text.
        purpose: What is drawn, such as 'round 1'; another purpose gives another stream.
    """
    at = 0
    while True:
        yield int.from_bytes(hashlib.sha256(f"{number}|{purpose}|{at}".encode()).digest(), "big")
        at += 1


def below(stream: Iterator[int], span: int) -> int:
    """The next number in [0, span) from a stream, each equally likely."""
    fair = _SPAN - _SPAN % span
    return next(value for value in stream if value < fair) % span


def shuffled(names: Iterable[str], *, number: str, purpose: str) -> tuple[str, ...]:
    """The names in the order that the lot gives.

    Args:
        names: Each once, in any order.
        number: The published number: letters and digits, at least one.
        purpose: What is drawn.

    Raises:
        DrawError: The number is empty or holds the separator.

    Source:
        nl1996 4.3 ("door loting"); risiko 8 and 10A.
    """
    if not number.strip() or "|" in number:
        raise DrawError(
            "bad-lot-number",
            f"the lot needs a published number without '|', got {number!r}; throw dice before everybody",
            number=number,
        )
    order = sorted(names)
    stream = blocks(number, purpose)
    for at in range(len(order) - 1, 0, -1):
        other = below(stream, at + 1)
        order[at], order[other] = order[other], order[at]
    return tuple(order)
