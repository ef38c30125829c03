"""How the session says no."""

from __future__ import annotations

from typing import Any, ClassVar


class SessionError(Exception):
    """Root of the session's refusals.

    Attributes:
        code: Stable word for docs and translations.
        values: Offenders by name, for the sentence on the screen.
    """

    code: ClassVar[str] = "session"

    def __init__(self, message: str, **values: Any) -> None:
        super().__init__(message)
        self.values = values


class NotNow(SessionError, ValueError):
    """The command is not possible in this phase."""

    code = "not-now"


ONLY_FINISHING = (
    "the signal was given: only what was under way may be finished; nothing new begins and no armies are moved up"
)


class OnlyFinishing(NotNow):
    """The signal was given: only the throw or the combat under way is finished."""

    code = "only-finishing"


class NotYours(SessionError, PermissionError):
    """The asker may not send this command."""

    code = "not-yours"


class Refused(SessionError, ValueError):
    """The command is possible now, but what it asks for is not; `problem` says what is wrong with it."""

    code = "refused"

    def __init__(self, problem: str, message: str, **values: Any) -> None:
        super().__init__(message, **values)
        self.problem = problem
