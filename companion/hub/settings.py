"""The hub's configuration with what the command line puts on top of it."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from companion.config.shapes import HubConfig, listen_fault

_LISTEN = re.compile(r"(\d{1,3}(\.\d{1,3}){3}|localhost|\[[0-9a-fA-F:]+\]):(\d{1,5})")


class BadListen(ValueError):
    """An address to listen on that is none, or that others can reach without anybody having said so.

    Attributes:
        code: Stable word.
    """

    code = "bad-listen"


def merged(
    config: HubConfig,
    *,
    listen: str | None = None,
    allow_lan: bool = False,
    state: Path | None = None,
    tables: tuple[str, ...] = (),
    lang: str | None = None,
) -> HubConfig:
    """The configuration as the command line wants it.

    Args:
        config: As read from the file.
        listen: ADDRESS:PORT; port 0 takes a free one.
        allow_lan: Whether other machines may connect.
        state: Folder of the store.
        tables: Addresses of tables, beside those of the file.
        lang: Language of pages that ask for none.

    Raises:
        BadListen: `listen` is no address, or not on this machine only.
    """
    may_be_reached = allow_lan or config.allow_lan
    if listen is not None:
        _check_listen(listen, allow_lan=may_be_reached)
    return msgspec.structs.replace(
        config,
        listen=config.listen if listen is None else listen,
        allow_lan=may_be_reached,
        state_dir=config.state_dir if state is None else state,
        tables=[*config.tables, *tables],
        lang=config.lang if lang is None else lang,
    )


def _check_listen(listen: str, *, allow_lan: bool) -> None:
    match = _LISTEN.fullmatch(listen)
    if match is None:
        raise BadListen(f"--listen takes ADDRESS:PORT, such as 127.0.0.1:8080, got {listen!r}")
    # Port 0 is right here and nowhere else: a demo takes whatever port is free.
    probed = listen.removesuffix(":0") + ":1" if match.group(3) == "0" else listen
    fault = listen_fault(probed, allow_lan=allow_lan)
    if fault is not None:
        raise BadListen(f"--listen {fault}".replace("set allow_lan = true beside it", "add --allow-lan"))
