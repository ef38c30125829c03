"""The one error body of every API here: `{"problem": …, "message": …, "values": {…}}`.

`problem` is a stable word that clients translate, `message` an English sentence for logs and for words that a client
does not know, `values` the offenders by name. A fault of the program itself never shows its inside: it is logged with
its traceback, and the client hears `internal`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
import structlog
from aiohttp import web

log = structlog.get_logger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Problem(Exception):
    """A refusal that the asker gets to read; raised by a server, and again by a client that got it.

    Args:
        code: Stable word.
        message: What is wrong, where, and what to do, in English.
        values: Offenders by name, plain JSON values.
        status: HTTP status, 4xx or 5xx.

    Attributes:
        code: As given.
        message: As given.
        values: As given.
        status: As given.
    """

    def __init__(self, code: str, message: str, values: Mapping[str, Any] | None = None, *, status: int = 400) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.values = dict(values or {})
        self.status = status

    def response(self) -> web.Response:
        """The problem as an answer."""
        body = {"problem": self.code, "message": self.message, "values": self.values}
        return web.Response(status=self.status, body=msgspec.json.encode(body), content_type="application/json")


_OF_HTTP = {
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    413: "too-large",
}


@web.middleware
async def problems(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn every failure of a handler into the one error body."""
    try:
        return await handler(request)
    except Problem as problem:
        return problem.response()
    except web.HTTPException as error:
        if error.status < 400:
            raise
        code = _OF_HTTP.get(error.status, f"http-{error.status}")
        message = f"{request.method} {request.path}: {error.reason.lower()}"
        answer = Problem(code, message, {"path": request.path}, status=error.status).response()
        if "Allow" in error.headers:
            answer.headers["Allow"] = error.headers["Allow"]
        return answer
    except ConnectionResetError:
        raise
    except Exception:
        log.exception("request failed", method=request.method, path=request.path)
        message = f"{request.method} {request.path} failed inside this program: its log says why"
        return Problem("internal", message, {"path": request.path}, status=500).response()


def problem_of(status: int, body: bytes) -> Problem | None:
    """The problem that an answer holds; None when the body is not the one error body."""
    try:
        raw = msgspec.json.decode(body, type=_Body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return Problem(raw.problem, raw.message, raw.values, status=status)


class _Body(msgspec.Struct):
    problem: str
    message: str
    values: dict[str, Any]
