"""Every reason and every refusal that a test meets is one that the lists of codes promise."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings

from companion.rules.errors import ERROR_CODES, RulesError
from companion.rules.reason import REASON_CODES, Reason
from companion.rules.ruleset import Ruleset, load_ruleset

# A busy machine is no failure of the rules.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(autouse=True)
def _promised_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    plain_reason, plain_error = Reason.__init__, RulesError.__init__

    def reason(self: Reason, **fields: Any) -> None:
        plain_reason(self, **fields)
        assert set(REASON_CODES[self.code]) == set(self.values), self.code

    def error(self: RulesError, code: str, message: str, **values: Any) -> None:
        plain_error(self, code, message, **values)
        assert set(ERROR_CODES[code]) == set(values), code

    monkeypatch.setattr(Reason, "__init__", reason)
    monkeypatch.setattr(RulesError, "__init__", error)


@pytest.fixture
def nl() -> Ruleset:
    """The Dutch rules at their defaults."""
    return load_ruleset("nl1996")


@pytest.fixture
def it() -> Ruleset:
    """The Italian rules at their defaults."""
    return load_ruleset("risiko")
