"""From a TOML file to a checked configuration, or to every fault in it at once.

The walk goes key by key, and not through one conversion of the whole, because a person who mends a file wants
all its faults together, each with its line, its range and the page that explains it.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import msgspec

from companion.config import places
from companion.config.lines import Key, key_lines, line_of
from companion.config.shapes import HubConfig, Shape, TableConfig, UiConfig

PAGE = "docs/config.md"

ShapeT = TypeVar("ShapeT", bound=Shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong in a configuration file.

    Attributes:
        code: Stable word: unknown-key, wrong-value, clash, not-toml, not-text or missing-file.
        key: The key at fault, dotted; empty when the file as a whole is at fault.
        line: Where it stands, counted from 1; None when it is not written down.
        message: One sentence with the rule, the offender, the place and the way out.
    """

    code: str
    key: str
    line: int | None
    message: str


class ConfigError(ValueError):
    """A configuration file that cannot be used, with all its faults.

    Attributes:
        path: The file.
        faults: What is wrong, in the order of the file's shape.
    """

    def __init__(self, path: Path, faults: tuple[Fault, ...]) -> None:
        super().__init__("\n".join(fault.message for fault in faults))
        self.path = path
        self.faults = faults


def load_table(path: Path | None = None) -> TableConfig:
    """The configuration of `companion table`.

    Args:
        path: The file; by default the one in its usual place, and plain defaults when there is none.

    Raises:
        ConfigError: The file named is missing, or something in it is wrong.
        OSError: The file cannot be read.
    """
    return _load("table", TableConfig, path)


def load_ui(path: Path | None = None) -> UiConfig:
    """The configuration of `companion ui`; arguments and errors as for `load_table`."""
    return _load("ui", UiConfig, path)


def load_hub(path: Path | None = None) -> HubConfig:
    """The configuration of `companion hub`; arguments and errors as for `load_table`."""
    return _load("hub", HubConfig, path)


def _load(program: places.Program, shape: type[ShapeT], path: Path | None) -> ShapeT:
    named = path is not None
    file = path or places.config_file(program)
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        if named:
            raise _whole(file, "missing-file", "there is no such configuration file") from None
        return shape()
    except UnicodeDecodeError as error:
        raise _whole(file, "not-text", f"is not UTF-8 text ({error.reason}): save it as UTF-8") from error
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _whole(file, "not-toml", f"is not valid TOML: {_lowered(str(error))}") from error
    return _Walk(file, text).build(shape, raw, ())


def _whole(file: Path, code: str, what: str) -> ConfigError:
    return ConfigError(file, (Fault(code=code, key="", line=None, message=f"{file}: {what}; see {PAGE}"),))


class _Walk:
    """One pass over one file, collecting its faults."""

    def __init__(self, file: Path, text: str) -> None:
        self._file = file
        self._lines = key_lines(text)
        self._faults: list[Fault] = []

    def build(self, shape: type[ShapeT], raw: Mapping[str, Any], key: Key) -> ShapeT:
        built = self._table(shape, raw, key)
        if built is None:
            raise ConfigError(self._file, tuple(self._faults))
        self._clashes(built, key)
        if self._faults:
            raise ConfigError(self._file, tuple(self._faults))
        return built

    def _table(self, shape: type[ShapeT], raw: Any, key: Key) -> ShapeT | None:
        if not isinstance(raw, dict):
            self._fault("wrong-value", key, f"must be a table [{'.'.join(key)}], got {raw!r}")
            return None
        known = {spec.name: spec.type for spec in msgspec.structs.fields(shape)}
        self._unknown(raw, tuple(known), key)
        before = len(self._faults)
        values = {name: self._value(known[name], raw[name], (*key, name)) for name in known if name in raw}
        return None if len(self._faults) > before else shape(**values)

    def _unknown(self, raw: Mapping[str, Any], known: tuple[str, ...], key: Key) -> None:
        for name in raw:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                cure = f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(known)}"
                self._fault("unknown-key", (*key, name), f"is not a key of this file: {cure}")

    def _value(self, kind: Any, raw: Any, key: Key) -> Any:
        plain, meta = _split(kind)
        if isinstance(plain, type) and issubclass(plain, Shape):
            return self._table(plain, raw, key)
        if get_origin(plain) is dict and isinstance(raw, dict):
            names, inner = get_args(plain)
            known = get_args(names)
            self._unknown(raw, known, key)
            return {name: self._value(inner, raw[name], (*key, name)) for name in raw if name in known}
        if get_origin(plain) is list and isinstance(raw, list) and not _too_long(raw, meta):
            (inner,) = get_args(plain)
            return [self._value(inner, value, (*key, str(number))) for number, value in enumerate(raw)]
        try:
            return msgspec.convert(raw, kind, dec_hook=self._path)
        except msgspec.ValidationError:
            self._fault("wrong-value", key, _expectation(plain, meta, raw))
            return None

    def _path(self, kind: type, raw: Any) -> Any:
        if kind is not Path or not isinstance(raw, str) or not raw:
            raise ValueError
        return self._file.parent / Path(raw).expanduser()

    def _clashes(self, table: Shape, key: Key) -> None:
        for names, what in table.clashes():
            self._fault("clash", *[(*key, *name.split(".")) for name in names], what)
        for spec in msgspec.structs.fields(table):
            inner = getattr(table, spec.name)
            if isinstance(inner, Shape):
                self._clashes(inner, (*key, spec.name))

    def _fault(self, code: str, *keys_and_what: Any) -> None:
        *keys, what = keys_and_what
        lines = [line_of(key, self._lines) for key in keys]
        written = [line for line in dict.fromkeys(lines) if line is not None]
        where = f"{self._file.name}:{','.join(map(str, written))}" if written else str(self._file)
        named = " and ".join(self._named(key) for key in keys)
        self._faults.append(
            Fault(
                code=code,
                key=".".join(keys[0]),
                line=written[0] if written else None,
                message=f"{named} {what} ({where}); see {PAGE}{self._anchor(code, keys[0])}",
            )
        )

    def _named(self, key: Key) -> str:
        # The owner of a file that clashes with a default would look in vain for the second key.
        around = key[:-1] if key[-1].isdigit() else key
        return ".".join(key) + ("" if around in self._lines else " (by default)")

    def _anchor(self, code: str, key: Key) -> str:
        if code == "unknown-key":
            return ""
        # Seats and numbers have no heading of their own: their table's explains them.
        return "#" + "-".join(part for part in key[:4] if not part.isdigit()).replace("_", "-")


def _split(kind: Any) -> tuple[Any, msgspec.Meta]:
    if get_origin(kind) is Annotated:
        plain, *marks = get_args(kind)
        return plain, next(mark for mark in marks if isinstance(mark, msgspec.Meta))
    return kind, msgspec.Meta()


def _too_long(raw: list[Any], meta: msgspec.Meta) -> bool:
    return meta.max_length is not None and len(raw) > meta.max_length


_NOUNS = {int: "a whole number", float: "a number", bool: "true or false", str: "a text in quotes"}


def _expectation(plain: Any, meta: msgspec.Meta, raw: Any) -> str:
    if get_origin(plain) is Literal:
        return f"must be one of {', '.join(map(repr, get_args(plain)))}, got {raw!r}"
    if meta.ge is not None and meta.le is not None:
        span = f"{meta.ge:g}..{meta.le:g}" if plain is float else f"{meta.ge}..{meta.le}"
        is_number = isinstance(raw, int | float) and not isinstance(raw, bool)
        if is_number and not (plain is int and isinstance(raw, float)):
            return f"must lie in {span}, got {raw!r}"
        return f"must be {_NOUNS[plain]} in {span}, got {raw!r}"
    if meta.max_length is not None:
        return f"must be a list of at most {meta.max_length}, got {raw!r}"
    if meta.description:
        return f"must be {meta.description}, got {raw!r}"
    if plain is Path:
        return f"must be a path in quotes, got {raw!r}"
    if get_origin(plain) in (dict, list):
        return f"must be a {'table' if get_origin(plain) is dict else 'list'}, got {raw!r}"
    return f"must be {_NOUNS[plain]}, got {raw!r}"


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
