"""The first bytes of a file, as every format's detection sees them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, Self

from traces.decompression import CONTROL
from traces.lazy_regex import lazy_regex

TOKEN = lazy_regex(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\]:]', re.DOTALL)
"""A string that the head cuts off ends with it: looked for again at each of its own quotes it would cost the square."""
JSON = lazy_regex(rb'\s*(?:\{\s*(?:["}]|\Z)|\[\s*(?:["\]{]|\Z))')
"""How JSON that may be a trace begins: `[unknown];main 3` is a stack."""


@dataclass(frozen=True, slots=True)
class JsonOutline:
    """Names of the root object's values, and of the first objects inside an array at the root."""

    root: Literal["object", "array"]
    keys: frozenset[str]
    element_keys: frozenset[str]


FIRST_ELEMENTS = 3
"""Of an array: the first may be empty, or say what the others are."""
FEW_BROKEN, MOST_BROKEN = 3, 0.1
"""Bytes of a text that may not be UTF-8: a few of a short one, of a long one as many as those of a text in Latin-1."""
PACKED = lazy_regex(r"\.(gz|zst|zip)$")


@dataclass(frozen=True, slots=True)
class Head:
    """`data` is the beginning of the decompressed content; `text` is it decoded (None: binary); `json` its outline.

    `name` is in small letters, without the ending that says how the file is packed.
    """

    name: str
    data: bytes
    text: str | None
    json: JsonOutline | None

    @classmethod
    def of(cls, data: bytes | memoryview, name: str) -> Self:
        """The head of a file called `name`."""
        start = bytes(data)
        return cls(PACKED.sub("", name.lower()), start, _text(start), outline(start))

    def with_keys(self, keys: Iterable[str]) -> Self:
        """The same head of a JSON object, with more names known."""
        assert self.json is not None
        return replace(self, json=replace(self.json, keys=self.json.keys | frozenset(keys)))

    @property
    def is_page(self) -> bool:
        """Whether it begins as a page does: programs and documents hold pieces of pages."""
        return self.text is not None and self.json is None and self.text.lstrip().startswith("<")

    def share(self, pattern: re.Pattern[str]) -> float:
        """Of the lines of a text that are neither blank nor comments (`#`), the part that begins as the pattern says; 0
        of JSON and of what is no text."""
        if self.text is None or self.json is not None:
            return 0.0
        lines = [line for line in self.text.split("\n") if line.strip() and not line.startswith("#")]
        return sum(pattern.match(line) is not None for line in lines) / max(1, len(lines))


def outline(data: bytes) -> JsonOutline | None:
    """The names at the top of a JSON text that may break off anywhere; None when it does not begin as one."""
    if JSON.match(data) is None:
        return None
    start = data.lstrip()[:1]
    keys: set[str] = set()
    element_keys: set[str] = set()
    depth = 0
    elements = 0
    last = b""
    for match in TOKEN.finditer(data):
        token = match[0]
        first = token[:1]
        if first == b'"':
            last = token
        elif first == b":":
            if depth == 1:
                keys.add(last[1:-1].decode("utf-8", "replace"))
            elif depth == 2 and start == b"[" and elements <= FIRST_ELEMENTS:
                element_keys.add(last[1:-1].decode("utf-8", "replace"))
        elif first in b"{[":
            depth += 1
            elements += depth == 2
        else:
            depth -= 1
    return JsonOutline("object" if start == b"{" else "array", frozenset(keys), frozenset(element_keys))


def _text(data: bytes) -> str | None:
    if CONTROL.search(data):
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        # A character may be cut at the end of the head; symbols of old programs may hold stray bytes.
        text = data.decode("utf-8", "replace")
        broken = text.count("\ufffd")
        return text if error.start >= len(data) - 3 or broken <= max(FEW_BROKEN, MOST_BROKEN * len(text)) else None
