"""The four catalogs hold the same messages, and hold them well."""

from __future__ import annotations

from importlib.resources import files
from io import BytesIO
from string import Formatter

import pytest
from babel.messages.pofile import read_po as babel_read_po

from companion.words import LANGUAGES, CatalogError
from companion.words.catalog import read_po
from companion.words.keys_hub import SENTENCES

LOCALE = files("companion.words") / "locale"
CATALOGS = sorted(path.name for path in (LOCALE / "en" / "LC_MESSAGES").iterdir() if path.name.endswith(".po"))


def po_text(lang: str, catalog: str = "companion.po") -> str:
    """The text of one catalog in a language."""
    return (LOCALE / lang / "LC_MESSAGES" / catalog).read_text(encoding="utf-8")


def messages(lang: str, catalog: str = "companion.po") -> dict[str, tuple[str, ...]]:
    """The messages of one catalog in a language, without the header."""
    found = read_po(po_text(lang, catalog), source=f"{lang}/{catalog}")
    del found[""]
    return found


def placeholders(pattern: str) -> set[str]:
    """The names in braces of a sentence."""
    return {name for _, name, _, _ in Formatter().parse(pattern) if name is not None}


@pytest.mark.parametrize("catalog", CATALOGS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_has_every_message(lang: str, catalog: str) -> None:
    """No sentence is missing in any language, and none is left over."""
    expected = set(messages("en", catalog))

    assert expected == set(messages(lang, catalog))


@pytest.mark.parametrize("catalog", CATALOGS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_placeholders_agree_with_english(lang: str, catalog: str) -> None:
    """A translation fills in exactly the values that the English sentence does; a plural may leave out its number."""
    english = messages("en", catalog)
    wrong = {}
    for key, forms in messages(lang, catalog).items():
        wanted = set().union(*(placeholders(form) for form in english[key]))
        for form in forms:
            got = placeholders(form)
            if not (got == wanted or (len(forms) > 1 and got | {"n"} == wanted | {"n"})):
                wrong[key] = form

    assert {} == wrong


@pytest.mark.parametrize("lang", LANGUAGES)
def test_plural_forms_are_all_there(lang: str) -> None:
    """A message that counts has as many forms as the language asks for, in all languages alike."""
    wanted = 3 if lang == "cs" else 2
    counted = {key for key, forms in messages("en").items() if len(forms) > 1}
    found = messages(lang)

    assert dict.fromkeys(counted, wanted) == {key: len(forms) for key, forms in found.items() if len(forms) > 1}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_hubs_sentences_are_complete(lang: str) -> None:
    """The hub's page says the same in every language, with the same values."""
    wanted = {key: placeholders(texts["en"]) for key, texts in SENTENCES.items()}

    assert wanted == {key: placeholders(texts[lang]) for key, texts in SENTENCES.items()}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_our_reader_agrees_with_babel(lang: str) -> None:
    """The reader of this project and Babel's find the same messages."""
    catalog = babel_read_po(BytesIO(po_text(lang).encode()))
    theirs = {
        (m.id if isinstance(m.id, str) else m.id[0]): ((m.string,) if isinstance(m.string, str) else tuple(m.string))
        for m in catalog
        if m.id
    }

    assert theirs == messages(lang)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('msgid "a"\nmsgstr "b"\n\nmsgid "a"\nmsgstr "c"\n', "there twice (x.po:4)"),
        ('msgid "a"\nmsgctxt "b"\n', "'msgctxt' is no keyword of a catalog (x.po:2)"),
        ("msgid 'a'\n", "expected a string in double quotes"),
        ('msgid "a\n', "(x.po:1)"),
        ('msgstr "a"\n', "a message without msgid (x.po:1)"),
    ],
)
def test_a_broken_catalog_is_refused_with_its_line(text: str, complaint: str) -> None:
    """A catalog that is not well formed stops with file and line, and is not half read."""
    with pytest.raises(CatalogError) as caught:
        read_po(text, source="x.po")

    assert complaint in str(caught.value)


def test_a_doubtful_translation_is_not_used() -> None:
    """Fuzzy and empty messages are left out; continued strings are joined."""
    text = '#, fuzzy\nmsgid "a"\nmsgstr "b"\n\nmsgid "c"\nmsgstr ""\n\n#~ msgid "d"\nmsgid "e"\nmsgstr "f"\n" g"\n'

    assert {"e": ("f g",)} == read_po(text, source="x.po")
