"""What may leave a table in a log bundle: facts without people, and logs without secrets.

Theory. A list of what is forbidden is never complete, so for facts it is the other way round: numbers and yes-or-no
pass, and of texts only those under keys whose values are words of the program. Everything else, and so all that people
typed, is replaced by how long it was. Players become player-1, player-2 in the order in which the journal names them. A
log is free text and can't be treated so: there every name and contact that the table knows is taken out, in whole and
word by word, whatever follows a word such as "pin" or "salt", and every long run of digits and letters that could be a
key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

OPEN_KEYS = frozenset(
    {
        "action", "board", "boot", "by", "camera", "cause", "clause", "code", "colour", "fate", "file", "how", "kind",
        "panel", "part", "phase", "ruleset_name", "side", "software", "source", "system", "throw", "type", "verdict",
        "wall", "why",
    }
)  # fmt: skip
"""Keys of facts under which only words of the program stand; each value is looked at all the same."""

CLOSED_KEYS = frozenset({"length_ms", "salt", "secret", "pin", "key", "contact", "name", "names", "reason"})
"""Keys whose value stays here whatever it is, a number too."""

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]{0,39}")
_HASH = re.compile(r"[0-9a-f]{64}")
_AFTER = re.compile(
    r"(?i)\b((?:\w+[_-])?(?:pin|secret|salt|passw\w*|token|api[_-]?key|key|length(?:_ms)?|database)\b['\"]?\s*[=:]?\s*)['\"]?[^\s'\",;]+"
)
_RUN = re.compile(r"\b(?=[A-Za-z+_-]*\d)[A-Za-z0-9+_-]{20,}={0,2}")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_GONE = "…"
_LEAST = 3


class Scrubber:
    """Takes people and secrets out of facts and logs.

    Args:
        people: Names and contacts that the table knows.
        players: Ids of players, in the order of the journal.
    """

    def __init__(self, people: Iterable[str], players: Iterable[str]) -> None:
        ids = list(dict.fromkeys(players))
        self._players = {player: f"player-{number}" for number, player in enumerate(ids, 1)}
        known = {part for text in people for part in (text, *text.split()) if len(part) >= _LEAST}
        known |= {player for player in ids if len(player) >= _LEAST}
        longest_first = sorted(known, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE) if longest_first else None

    def record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """A record of the journal as it may leave: the chain's hashes shortened, the fact without people."""
        kept = {name: record[name] for name in ("seq", "at_ns", "type", "v", "by", "boot", "wall")}
        kept["by"] = self._text("by", str(record["by"]))
        return kept | {"data": self._value("data", record["data"]), "hash": str(record["hash"])[:12] + _GONE}

    def log(self, text: str) -> str:
        """A log as it may leave."""
        text = _MAIL.sub(_GONE, text)
        if self._known is not None:
            text = self._known.sub(_GONE, text)
        return _RUN.sub(_GONE, _AFTER.sub(rf"\1{_GONE}", text))

    def _value(self, key: str, value: Any) -> Any:
        if key in CLOSED_KEYS:
            return _GONE
        if isinstance(value, bool | int | float) or value is None:
            return value
        if isinstance(value, str):
            return self._text(key, value)
        if isinstance(value, Mapping):
            return {self._key(str(inner)): self._value(str(inner), it) for inner, it in value.items()}
        return [self._value(key, it) for it in value]

    def _key(self, key: str) -> str:
        """A key of the program passes; one that is a player, or a text, does not."""
        if key in self._players:
            return self._players[key]
        return key if _WORD.fullmatch(key) and not self._names_somebody(key) else _GONE

    def _text(self, key: str, text: str) -> str:
        if text in self._players:
            return self._players[text]
        if _HASH.fullmatch(text):
            return text[:12] + _GONE
        if key in OPEN_KEYS and _WORD.fullmatch(text) and not self._names_somebody(text):
            return text
        return f"{_GONE}({len(text)})"

    def _names_somebody(self, text: str) -> bool:
        return self._known is not None and self._known.search(text) is not None
