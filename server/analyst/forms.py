"""How prompts are put: the expressions of `forms.toml`, by the part of the analyst that asks for them."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from traces.lazy_regex import lazy_regex

TABLE = Path(__file__).with_name("forms.toml")
LISTS = "words"
"""The part of the table that has lists of words."""
_NAMED = re.compile(r"\{\{(?:(\w+)\.)?(\w+)\}\}")
"""Another form of the same part, or of the part that is named before it."""


class Forms:
    """The forms of one part; each is compiled when a text comes that may have it."""

    def __init__(self, part: str) -> None:
        self._part = part

    def __getattr__(self, name: str) -> re.Pattern[str]:
        found = lazy_regex(expression(self._part, name), re.IGNORECASE)
        setattr(self, name, found)
        return found


@cache
def forms(part: str) -> Forms:
    """Those of a part."""
    return Forms(part)


def first_form(part: str, text: str) -> str:
    """The name of the first form of a part that a text has; empty without one."""
    return next((name for name in table()[part] if getattr(forms(part), name).search(text)), "")


def expression(part: str, name: str) -> str:
    """A form as it is compiled, with those that it is made of. Raises AttributeError for one that the table lacks."""
    text = table()[part].get(name)
    if text is None:
        raise AttributeError(f"no form {name!r} of {part!r}")
    return _NAMED.sub(lambda found: expression(found[1] or part, found[2]), text.replace("\n", ""))


@cache
def table() -> dict[str, Any]:
    """All of them, as they are written."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


@cache
def word_list(name: str) -> frozenset[str]:
    """One of the lists, with those that it is made of."""
    found = table()[LISTS][name]
    if not isinstance(found, str):
        return frozenset(found)
    return frozenset(_NAMED.sub(lambda one: " ".join(word_list(one[2])), found).split())
