"""Where a table answers: a Unix socket on this machine, or HTTP."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from companion.lan.errors import BadAddress


@dataclass(frozen=True, slots=True)
class TableAddress:
    """One place where a table answers; exactly one of the two is set.

    Attributes:
        socket: Path of the Unix socket.
        url: Scheme, host and port, without a path.
    """

    socket: Path | None = None
    url: str | None = None

    @classmethod
    def parse(cls, text: str) -> TableAddress:
        """The address that `unix:/path/to/table.sock` or `http://host:port` names.

        Raises:
            BadAddress: It is neither.
        """
        if text.startswith("unix:"):
            path = text.removeprefix("unix:")
            if not path.startswith("/"):
                raise _bad(text)
            return cls(socket=Path(path))
        try:
            parts = urlsplit(text)
            port_is_right = parts.port is None or parts.port > 0
        except ValueError as error:
            raise _bad(text) from error
        is_plain = parts.path in ("", "/") and not (parts.query or parts.fragment or parts.username)
        if parts.scheme not in ("http", "https") or not parts.hostname or not is_plain or not port_is_right:
            raise _bad(text)
        return cls(url=f"{parts.scheme}://{parts.netloc}")

    def __str__(self) -> str:
        return f"unix:{self.socket}" if self.socket is not None else str(self.url)


def _bad(text: str) -> BadAddress:
    return BadAddress(
        f"{text!r} is no address of a table: write unix:/path/to/table.sock or http://host:port", address=text
    )
