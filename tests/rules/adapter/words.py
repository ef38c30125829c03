"""What an operation of the vectors is: its fields in, its fields out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companion.rules.ruleset import Ruleset

Given = Mapping[str, Any]
Answer = dict[str, Any]
Operations = dict[str, Callable[[Given, Ruleset], Answer]]
