"""The words of the command line's own papers and reports, in the language of the person at the terminal."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.resources import files

import click

from companion.words import LANGUAGES
from companion.words.catalog import read_po

lang_option = click.option(
    "--lang",
    type=click.Choice(LANGUAGES),
    default=lambda: spoken_language(os.environ),
    show_default="the terminal's language",
    help="Language of what is printed.",
)


class Sayings:
    """The sentences of one catalog of the command line, by key.

    Args:
        catalog: Name of the catalog, such as 'paper'.
        lang: One of `LANGUAGES`.
    """

    def __init__(self, catalog: str, lang: str) -> None:
        file = files("companion.words") / "locale" / lang / "LC_MESSAGES" / f"{catalog}.po"
        self._sentences = read_po(file.read_text(encoding="utf-8"), source=f"{lang}/{catalog}.po")

    def knows(self, key: str) -> bool:
        """Whether there is a sentence for the key."""
        return key in self._sentences

    def __call__(self, key: str, /, **values: object) -> str:
        """The sentence of a key, its values filled in.

        Raises:
            KeyError: There is no such key, or it needs a value that was not given.
        """
        return self._sentences[key][0].format(**values)


def spoken_language(environment: Mapping[str, str]) -> str:
    """The language that the terminal asks for, or English where we do not speak it.

    Source: POSIX.1-2017, Base Definitions 8.2: the first of these variables that is set decides.
    """
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if wish := environment.get(variable, ""):
            return wish[:2] if wish[:2] in LANGUAGES else "en"
    return "en"
