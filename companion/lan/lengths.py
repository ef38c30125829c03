"""A hall's length as it travels from the hub to one table, in a letter that only that table can open."""

from __future__ import annotations

import re

from companion.lan.boxes import BoxUnreadable, closed, opened
from companion.session.seal import Secret

_CONTENT = re.compile(r"([0-9]{4}) ([0-9a-f]{32})")


def about(table: str, game: str, seal: str) -> bytes:
    """What a letter is for: one game of one table, and one seal; so nobody can send it again."""
    return f"{table}\n{game}\n{seal}".encode()


def letter(secret: Secret, *, table: str, game: str, public: bytes) -> str:
    """The length for one table, in hexadecimal; always of the same size.

    Raises:
        ValueError: `public` is no key.
    """
    content = f"{secret.minutes:04} {secret.salt}".encode()
    return closed(content, public=public, about=about(table, game, secret.seal)).hex()


def read_letter(box: str, *, table: str, game: str, seal: str, private: bytes) -> Secret:
    """The length in a letter.

    Raises:
        BoxUnreadable: It can't be opened, or what is in it is not what was sealed.
    """
    try:
        content = opened(bytes.fromhex(box), private=private, about=about(table, game, seal)).decode("ascii")
    except ValueError as error:
        if isinstance(error, BoxUnreadable):
            raise
        raise BoxUnreadable("the letter with the length is no letter: let the hub send it again") from None
    match = _CONTENT.fullmatch(content)
    secret = Secret(int(match[1]), match[2]) if match else None
    if secret is None or secret.seal != seal:
        raise BoxUnreadable("the length in the letter is not the one that was sealed: let the hub send it again")
    return secret
