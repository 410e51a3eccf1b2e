"""What the values of a Java Flight Recorder chunk look like, as its metadata declare it, and how to read them.

Format: https://github.com/openjdk/jdk, jdk.jfr.internal.consumer (MetadataReader, ParserFactory). Numbers of whole
types are LEB128 of at most nine bytes, the ninth with all its bits.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

FIXED = {"boolean": 1, "byte": 1, "float": 4, "double": 8}
NUMBERS = frozenset({"short", "char", "int", "long"})
STRING = "java.lang.String"
MAX_NESTING = 100
NO_TYPE = -1

Reader = Callable[[bytes, int], tuple[Any, int]]
"""Reads one value at a position: the value, and the position after it. IndexError at the end of the data."""

Reference = tuple[int, int]
"""A place in a constant pool, type and key, followed when it is asked for."""


class BrokenChunk(ValueError):
    """Bytes that are not as the format says."""


def number(data: bytes, at: int) -> tuple[int, int]:
    """A LEB128 number, signed when it has nine bytes, and the position after it."""
    byte = data[at]
    if byte < 128:
        return byte, at + 1
    value = byte & 127
    for shift in range(7, 56, 7):
        at += 1
        byte = data[at]
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at + 1
    value |= data[at + 1] << 56
    return value - (1 << 64) if value >> 63 else value, at + 2


@dataclass(slots=True)
class Type:
    """What values of a type hold: name, type, whether it is a reference, whether it is an array."""

    name: str
    fields: list[tuple[str, int, bool, bool]] = field(default_factory=list)


@dataclass(slots=True)
class Types:
    """All types of a chunk by number. Structures are read as dictionaries, references are not followed."""

    declared: dict[int, Type] = field(default_factory=dict)
    strings: int = NO_TYPE
    utc_offset_minutes: int | None = None
    _readers: dict[int, Reader] = field(default_factory=dict)

    def reader(self, ident: int) -> Reader:
        """How values of a type are read."""
        known = self._readers.get(ident)
        if known is None:
            declared = self.declared.get(ident)
            if declared is None:
                raise BrokenChunk("a value has a type that is not declared")
            known = self._readers[ident] = self._primitive(declared.name) or self._structure(declared)
        return known

    def _primitive(self, name: str) -> Reader | None:
        if name in NUMBERS:
            return number
        if name == STRING:
            return self.text
        size = FIXED.get(name)
        if size is None:
            return None

        def fixed(data: bytes, at: int) -> tuple[Any, int]:
            return data[at] if size == 1 else None, at + size

        return fixed

    def _structure(self, declared: Type) -> Reader:
        plan: list[tuple[str, int, Reader | None]] = []

        def structure(data: bytes, at: int) -> tuple[dict[str, Any], int]:
            if not plan:  # types may refer to each other, so that readers are looked up late
                for name, ident, refers, is_array in declared.fields:
                    plan.append((name, ident, self._field(ident, refers=refers, is_array=is_array)))
            values: dict[str, Any] = {}
            for name, ident, read in plan:
                if read is None or read is number:
                    value = data[at]
                    at += 1
                    if value > 127:
                        value, at = number(data, at - 1)
                    values[name] = (ident, value) if read is None else value
                else:
                    before = at
                    values[name], at = read(data, at)
                    if at == before:  # types that hold each other twice would be read for ever
                        raise BrokenChunk("a field has no contents")
            return values, at

        return structure

    def _field(self, ident: int, *, refers: bool, is_array: bool) -> Reader | None:
        """None for a reference."""
        if not is_array:
            return None if refers else self.reader(ident)
        element = None if refers else self.reader(ident)

        def array(data: bytes, at: int) -> tuple[list[Any], int]:
            count, at = number(data, at)
            values: list[Any] = []
            for _ in range(count):
                before = at
                if element is None:
                    key, at = number(data, at)
                    values.append((ident, key))
                else:
                    value, at = element(data, at)
                    values.append(value)
                if at == before:
                    raise BrokenChunk("an array has elements without contents")
            return values, at

        return array

    def text(self, data: bytes, at: int) -> tuple[str | Reference | None, int]:
        """A text, or where in the constant pools it is."""
        encoding = data[at]
        at += 1
        if encoding == 0:
            return None, at
        if encoding == 1:
            return "", at
        if encoding == 2:
            key, at = number(data, at)
            return (self.strings, key), at
        size, at = number(data, at)
        if not 0 <= size <= len(data) - at:
            raise BrokenChunk("a text is longer than its chunk")
        if encoding == 4:
            plain = data[at : at + size]
            if plain.isascii():
                return plain.decode("ascii"), at + size
            characters: list[str] = []
            for _ in range(size):
                code, at = number(data, at)
                characters.append(chr(code & 0xFFFF))
            return "".join(characters).encode("utf-16", "surrogatepass").decode("utf-16", "replace"), at
        if encoding not in (3, 5):
            raise BrokenChunk("a text has an unknown encoding")
        return data[at : at + size].decode("utf-8" if encoding == 3 else "latin-1", "replace"), at + size


def _minutes(milliseconds: str) -> int | None:
    return int(milliseconds) // 60_000 if re.fullmatch(r"-?[0-9]{1,9}", milliseconds) else None


def read_types(data: bytes) -> Types:
    """The types that the body of a metadata event declares: texts, then elements that hold attributes and elements.

    Raises BrokenChunk, IndexError.
    """
    types = Types()
    count, at = number(data, 0)
    strings: list[str] = []
    for _ in range(min(count, len(data) - at)):
        text, at = types.text(data, at)
        strings.append(text if isinstance(text, str) else "")
    open_types: list[tuple[Type | None, int]] = []  # the elements around, and how many children they still have
    while True:
        name, attributes, children, at = _element(data, at, strings)
        around = next((known for known, _ in reversed(open_types) if known is not None), None)
        declared = None
        if name == "class":
            ident = _identifier(attributes.get("id"))
            declared = types.declared[ident] = Type(attributes.get("name", ""))
            if declared.name == STRING and types.strings == NO_TYPE:
                types.strings = ident
        elif name == "region":
            types.utc_offset_minutes = _minutes(attributes.get("gmtOffset", ""))
        elif name == "field" and around is not None:
            around.fields.append(
                (
                    attributes.get("name", ""),
                    _identifier(attributes.get("class")),
                    attributes.get("constantPool") == "true",
                    attributes.get("dimension", "0") != "0",
                )
            )
        if len(open_types) > MAX_NESTING:
            raise BrokenChunk("its metadata are nested too deeply")
        open_types.append((declared, children))
        while open_types and open_types[-1][1] == 0:
            open_types.pop()
        if not open_types:
            return types
        known, left = open_types[-1]
        open_types[-1] = known, left - 1


def _element(data: bytes, at: int, strings: list[str]) -> tuple[str, dict[str, str], int, int]:
    """Name, attributes, number of children, and the position after it."""
    name, at = number(data, at)
    count, at = number(data, at)
    attributes: dict[str, str] = {}
    for _ in range(count):
        key, at = number(data, at)
        value, at = number(data, at)
        attributes[strings[key]] = strings[value]
    children, at = number(data, at)
    return strings[name], attributes, max(0, children), at


def _identifier(text: str | None) -> int:
    if text is None or not text.isdecimal():
        raise BrokenChunk("a type has no number")
    return int(text)
