"""Sentences in four languages from reasons, events, problems and health codes."""

from companion.words.catalog import LANGUAGES, CatalogError
from companion.words.sentences import UnknownLanguage, Words, duration

__all__ = ["LANGUAGES", "CatalogError", "UnknownLanguage", "Words", "duration"]
