"""The API's part in the referee's first PIN: chosen before the game, so that nobody becomes referee in it.

Theory. Where no PIN was chosen, whoever is at the screen first chooses it and is the referee: they could end the game
and have a hall's length shown. So no game starts without a PIN, and none is chosen on the screen while one is played. A
table that has lost its PIN in the middle of a game, as one restored from a copy has, gets it from the organiser, on its
machine.
"""

from __future__ import annotations

import msgspec
from aiohttp import web

from companion.lan.problems import Problem
from companion.session.transitions import MAY, Phase
from companion.table.pins import PinNotSet, PinTooLate, RefereePin
from companion.table.service import TableService


class ChoosePin(msgspec.Struct, forbid_unknown_fields=True):
    """The body of `PUT /v1/pin`."""

    pin: str


def add_pin(app: web.Application, pin: RefereePin, service: TableService, *, may_choose: bool) -> None:
    """`PUT /v1/pin`: the first PIN, at the table's own screen, between games."""

    async def choose(request: web.Request) -> web.Response:
        if not may_choose:
            raise Problem("not-yours", "a PIN is chosen at the table's own screen", {}, status=403)
        try:
            chosen = msgspec.json.decode(await request.read(), type=ChoosePin).pin
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise Problem("malformed-body", f"the body is not as documented: {error}", {}, status=400) from error
        if not pin.is_set and service.state.phase not in MAY["set_up_table"].phases:
            raise PinTooLate(
                "while a game is played nobody at the screen chooses the first PIN: they would be its referee; the "
                "organiser does, on this machine: companion table --choose-pin"
            )
        pin.choose(chosen)
        return web.json_response({"pin_set": True})

    app.router.add_put("/v1/pin", choose)


def must_be_chosen(pin: RefereePin, service: TableService) -> None:
    """Pass if a game that is about to start has a referee.

    Raises:
        PinNotSet: No PIN was chosen.
    """
    if service.state.phase is Phase.READY and not pin.is_set:
        raise PinNotSet("choose the referee's PIN of this table before the game starts")
