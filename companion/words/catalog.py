"""A translation catalog, read from its `.po` file.

Theory: a compiled `.mo` beside the `.po` can be older than it, and then the screen says something that nobody wrote
any more. So there is no `.mo` at all: the `.po` that people edit is the file that runs. It is read strictly (a line
that fits nothing is an error with file and line number), packed in memory into gettext's binary form, and handed to
the standard library, which does the plural rules of each language.
"""

from __future__ import annotations

import ast
import gettext
import io
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

LANGUAGES = ("nl", "en", "it", "cs")
"""Languages of the screen, in the order in which it offers them."""


class CatalogError(ValueError):
    """A catalog is not a well-formed `.po` file.

    Attributes:
        code: Stable word for docs.
    """

    code = "catalog-broken"


@dataclass(slots=True)
class _Entry:
    """One message while it is being read; `parts` holds its fields by keyword."""

    line: int
    fuzzy: bool = False
    parts: dict[str, str] = field(default_factory=dict)


def read_po(text: str, *, source: str) -> dict[str, tuple[str, ...]]:
    """The messages of a `.po` text: msgid to its translations, one per plural form.

    Args:
        text: The whole file.
        source: Its name, for the error.

    Returns:
        A mapping with the header under the empty key. Fuzzy and empty translations are left out, as gettext does.

    Raises:
        CatalogError: A line fits nothing, a string is not quoted well, or a message comes twice.
    """
    messages: dict[str, tuple[str, ...]] = {}
    for entry in _entries(text, source):
        parts = entry.parts
        if "msgid" not in parts:
            raise CatalogError(f"a message without msgid ({source}:{entry.line}); see docs/words.md")
        key = parts["msgid"]
        if key in messages:
            raise CatalogError(f"message {key!r} is there twice ({source}:{entry.line}); keep one")
        forms = tuple(value for name, value in sorted(parts.items()) if name.startswith("msgstr"))
        if all(forms) and forms and not entry.fuzzy:
            messages[key] = forms
    return messages


def _entries(text: str, source: str) -> Iterable[_Entry]:
    entry: _Entry | None = None
    current = ""
    fuzzy = False
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            if entry is not None:
                yield entry
                entry, fuzzy = None, False
            fuzzy = fuzzy or (line.startswith("#,") and "fuzzy" in line)
            continue
        if entry is None:
            entry = _Entry(line=number, fuzzy=fuzzy)
        if not line.startswith('"'):
            keyword, _, line = line.partition(" ")
            if keyword not in {"msgid", "msgid_plural", "msgstr"} and not keyword.startswith("msgstr["):
                raise CatalogError(f"{keyword!r} is no keyword of a catalog ({source}:{number}); see docs/words.md")
            current = keyword
            entry.parts[current] = ""
        entry.parts[current] += _unquoted(line.strip(), source, number)
    if entry is not None:
        yield entry


def _unquoted(quoted: str, source: str, number: int) -> str:
    try:
        value = ast.literal_eval(quoted)
    except (ValueError, SyntaxError):
        value = None
    if not isinstance(value, str) or not quoted.startswith('"'):
        raise CatalogError(f"expected a string in double quotes, got {quoted!r} ({source}:{number})")
    return value


def packed(messages: Mapping[str, tuple[str, ...]]) -> bytes:
    """The messages in the binary form that `gettext.GNUTranslations` reads.

    Source:
        GNU gettext manual, "The Format of GNU MO Files".
    """
    pairs = sorted(
        # A message with several forms carries its plural after a zero byte, as the format asks.
        ((key + "\0" + key if len(forms) > 1 else key).encode(), "\0".join(forms).encode())
        for key, forms in messages.items()
    )
    table_at = 7 * 4
    text_at = table_at + 16 * len(pairs)
    ids, texts, blob = [], [], b""
    for key, _ in pairs:
        ids.append((len(key), text_at + len(blob)))
        blob += key + b"\0"
    for _, value in pairs:
        texts.append((len(value), text_at + len(blob)))
        blob += value + b"\0"
    header = struct.pack("<7I", 0x950412DE, 0, len(pairs), table_at, table_at + 8 * len(pairs), 0, 0)
    return header + b"".join(struct.pack("<2I", *place) for place in (*ids, *texts)) + blob


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """One language: which keys have a sentence, which of them count, and the sentences."""

    keys: frozenset[str]
    counted: frozenset[str]
    translations: gettext.GNUTranslations

    def pattern(self, key: str, number: object) -> str:
        """The sentence of a key with its placeholders, in the plural form for `number`."""
        if key in self.counted:
            # Where nobody says how many, the form for many is the safer one to read.
            return self.translations.ngettext(key, key, number if isinstance(number, int) else 2)
        return self.translations.gettext(key)


@cache
def load(lang: str) -> Catalog:
    """The catalog of one language.

    Raises:
        CatalogError: The file is broken.
        FileNotFoundError: The package was installed without its catalogs.
    """
    path = files("companion.words") / "locale" / lang / "LC_MESSAGES" / "companion.po"
    messages = read_po(path.read_text(encoding="utf-8"), source=f"{lang}/companion.po")
    return Catalog(
        keys=frozenset(messages) - {""},
        counted=frozenset(key for key, forms in messages.items() if len(forms) > 1),
        translations=gettext.GNUTranslations(io.BytesIO(packed(messages))),
    )
