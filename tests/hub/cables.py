"""What can happen to the cable between a hub and one of its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from companion.lan.client import TableClient
from companion.lan.errors import Unreachable

from .hall_rig import HallRig

Call = Callable[..., Any]


def client_of(rig: HallRig, table: str) -> TableClient:
    """Who speaks with a table."""
    contact = rig.hall.contact_of(table)
    assert contact is not None
    return rig.clients[contact.address]


@contextmanager
def instead(rig: HallRig, table: str, call: str, does: Callable[[Call], Call]) -> Iterator[Call]:
    """For a while something else happens when the hub makes one of its calls to a table.

    Args:
        rig: The hall.
        table: Which table.
        call: 'command' or 'key'.
        does: Makes what happens from the call as it is.

    Yields:
        The call as it is.
    """
    client = client_of(rig, table)
    own = getattr(client, call)
    setattr(client, call, does(own))
    try:
        yield own
    finally:
        setattr(client, call, own)


def answer_lost(own: Call) -> Call:
    """The table does it, and nobody hears it say so."""

    async def unanswered(*args: Any, **more: Any) -> Any:
        await own(*args, **more)
        raise Unreachable("the cable fell out")

    return unanswered


def deafened(rig: HallRig, table: str) -> tuple[list[tuple[str, str]], Callable[[], None]]:
    """The cable of a table falls out: what it was asked (id and command), and the call that plugs it in again."""
    asked: list[tuple[str, str]] = []

    def silent(_own: Call) -> Call:
        async def unheard(command_id: str, command: str, *_args: Any, **_more: Any) -> Any:
            asked.append((command_id, command))
            raise Unreachable("the cable fell out")

        return unheard

    torn = ExitStack()
    torn.enter_context(instead(rig, table, "command", silent))
    return asked, torn.close
