"""The sentences of the hub's page in one language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from companion.words import LANGUAGES, Words
from companion.words.keys_hub import SENTENCES


class Texts:
    """Everything that the page says, in one language.

    Args:
        lang: One of `companion.words.LANGUAGES`.
    """

    def __init__(self, lang: str) -> None:
        self.lang = lang
        self._words = Words(lang)

    def say(self, key: str, **values: object) -> str:
        """The sentence of a key, its values filled in as they are.

        Raises:
            KeyError: There is no such key, or a value is missing: a fault of the page, not of its reader.
        """
        return SENTENCES[key][self.lang].format(**values)

    def pattern(self, key: str) -> str:
        """The sentence with its placeholders, for the page's own script."""
        return SENTENCES[key][self.lang]

    def phase(self, phase: str) -> str:
        """A phase by its name."""
        return self._words.say(f"phase.{phase}")

    def cause(self, cause: str) -> str:
        """A cause that somebody picked, or the words that they typed."""
        return self._words.shown("cause", cause)

    def colour(self, colour: str) -> str:
        """A colour by its name; one of a box that we do not know as it was typed."""
        return self._words.shown("colour", colour)

    def reason(self, reason: Mapping[str, Any], names: Mapping[str, str]) -> str:
        """The deciding step of a place."""
        return self._words.naming(names).reason(reason)

    def step(self, reason: Mapping[str, Any]) -> str:
        """What decided a place in the standings, short; an unknown step in the words of the rules."""
        key = f"hub.step.{reason['code']}"
        return self.say(key, **reason["values"]) if key in SENTENCES else self._words.reason(reason)

    def listed(self, items: Iterable[str]) -> str:
        """The items as people say them."""
        return self._words.listed(items)

    def trouble(self, trouble: Mapping[str, Any]) -> str:
        """Why a table cannot be collected from, or is not in step; with what the table itself answered.

        A code that only another program knows is shown with the message that came along.

        Args:
            trouble: `code`, `message`, `values` and, where a table refused something, `because` with the same three.
        """
        code, message, values = trouble["code"], trouble["message"], dict(trouble["values"])
        pattern = SENTENCES.get(f"hub.trouble.{code}")
        if pattern is None:
            return self._words.problem({"problem": code, "message": message, "values": values})
        if "what" in values:
            values["what"] = self._words.shown("command", values["what"])
        if trouble.get("because"):
            values["why"] = self.trouble(trouble["because"])
        try:
            return pattern[self.lang].format(**values)
        except (KeyError, IndexError):
            # The code came from another program, without the values that ours have.
            return str(message)


def chosen_language(wanted: str | None, accepted: str, default: str) -> str:
    """The language of a page.

    Args:
        wanted: What the address asks for, or None.
        accepted: The browser's `Accept-Language`, best first; weights are not needed to choose well among four.
        default: The hub's own.
    """
    if wanted in LANGUAGES:
        return wanted
    for part in accepted.split(","):
        code = part.split(";")[0].strip().lower().split("-")[0]
        if code in LANGUAGES:
            return code
    return default
