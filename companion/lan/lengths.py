"""A hall's length as it travels from the hub to one table, in a letter that only that table can open.

Theory. A letter to one table, for one game and one seal, could still be held up on its way, or be kept and sent again
for a later game of the same name. So the table gives out a *turn* with its key: the moment by its own boot clock,
with a mark that only this run of its service can make. The letter is about that turn, and is opened within `TURN_NS`
or never. It is about the phase of the tournament, too: a table that was set up anew in another phase after the hub had
looked would else start or refuse by whether the length lies in the other range, and so tell where it lies.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import ClassVar

from companion.lan.boxes import BoxUnreadable, closed, opened
from companion.session.seal import Secret

TURN_NS = 5_000_000_000
"""For so long after it gave out a turn a table opens a letter about it."""

_TURN = 48
_CONTENT = re.compile(r"([0-9]{4}) ([0-9a-f]{32})")


class LetterLate(BoxUnreadable):
    """A letter came too long after the table was asked for its key, or is of another evening."""

    code: ClassVar[str] = "letter-late"


def turn(now_ns: int, secret: bytes) -> str:
    """A turn that a table gives out at a moment of its boot clock."""
    stamp = f"{now_ns:016x}"
    return stamp + hmac.new(secret, stamp.encode("ascii"), hashlib.sha256).hexdigest()[: _TURN - len(stamp)]


def is_turn_of_now(told: str, now_ns: int, secret: bytes) -> bool:
    """Whether a turn was given out a moment ago."""
    try:
        given_ns = int(told[:16], 16)
    except ValueError:
        given_ns = -1
    is_own = given_ns >= 0 and hmac.compare_digest(turn(given_ns, secret).encode(), told.encode())
    return is_own and 0 <= now_ns - given_ns <= TURN_NS


def check_turn(box: str, now_ns: int, secret: bytes) -> None:
    """Pass if a letter is about a turn that was given out a moment ago.

    Raises:
        LetterLate: It is not.
    """
    if not is_turn_of_now(box[:_TURN], now_ns, secret):
        raise LetterLate(
            "the letter with the length came too late, or was sent before: it is not opened; let the hub start anew"
        )


def about(table: str, game: str, phase: str, seal: str, turn: str) -> bytes:
    """What a letter is for: one game of one table in one phase, one seal, one moment; so nobody can send it again."""
    return f"{table}\n{game}\n{phase}\n{seal}\n{turn}".encode()


def letter(secret: Secret, *, table: str, game: str, phase: str, public: bytes, turn: str) -> str:
    """The length for one table, in hexadecimal; always of the same size.

    Args:
        secret: The length.
        table: The reader.
        game: The reader's game.
        phase: Phase of the tournament in which it is played.
        public: The reader's key.
        turn: What the reader gave out with it.

    Raises:
        ValueError: `public` is no key.
    """
    return turn + closed(_content(secret), public=public, about=about(table, game, phase, secret.seal, turn)).hex()


def read_letter(box: str, *, table: str, game: str, phase: str, seal: str, private: bytes) -> Secret:
    """The length in a letter.

    Raises:
        BoxUnreadable: It can't be opened, or what is in it is not what was sealed.
    """
    return _read(box[_TURN:], about(table, game, phase, seal, box[:_TURN]), seal=seal, private=private)


def told_letter(secret: Secret, *, table: str, public: bytes) -> str:
    """The length for a table that plays by it no more, in hexadecimal.

    Raises:
        ValueError: `public` is no key.
    """
    return closed(_content(secret), public=public, about=_about_told(table, secret.seal)).hex()


def read_told(box: str, *, table: str, seal: str, private: bytes) -> Secret:
    """The length in a letter that tells it afterwards.

    Raises:
        BoxUnreadable: It can't be opened, or what is in it is not what was sealed.
    """
    return _read(box, _about_told(table, seal), seal=seal, private=private)


def _about_told(table: str, seal: str) -> bytes:
    return f"told\n{table}\n{seal}".encode()


def _content(secret: Secret) -> bytes:
    return f"{secret.minutes:04} {secret.salt}".encode()


def _read(box: str, about: bytes, *, seal: str, private: bytes) -> Secret:
    try:
        content = opened(bytes.fromhex(box), private=private, about=about).decode("ascii")
    except ValueError as error:
        if isinstance(error, BoxUnreadable):
            raise
        raise BoxUnreadable("the letter with the length is no letter: let the hub send it again") from None
    match = _CONTENT.fullmatch(content)
    secret = Secret(int(match[1]), match[2]) if match else None
    if secret is None or secret.seal != seal:
        raise BoxUnreadable("the length in the letter is not the one that was sealed: let the hub send it again")
    return secret
