"""The usual case of `records_rows`: members that are what they should be, decoded to Python's own types at once.

What is not so, the raw way reads again: it alone says what odd members mean.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Raw

from traces.kernels.records import Field, Kind
from traces.kernels.scaled import MISSING, scaled_numbers

T = TypeVar("T")
Int64 = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Tokens = Callable[[], list[Raw]]
Types = dict[Kind, tuple[Any, Any]]
Word = str | int | None
"""What a text column may hold; None is no text. A number of this kind is written in one way only, but for -0."""
FEW_SPACES = 4
ABSENT = float("nan")
"""JSON has no such number."""
AS_WRITTEN = (Raw, Raw(b""))
NO_TOKENS = (b"", b"null")
TYPES: Types = {
    Kind.TEXT: (Word, None),
    Kind.SCALED: (float, ABSENT),
    Kind.SLICE: AS_WRITTEN,
    Kind.INTEGERS: (list[float], None),
}
"""The type of a member, and what stands for one that is not there."""
WRITTEN = TYPES | {Kind.SCALED: AS_WRITTEN, Kind.INTEGERS: (list[Raw], None)}
"""The same for numbers as they are written."""


GETTERS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "f0": lambda records: [record.f0 for record in records],
    "f1": lambda records: [record.f1 for record in records],
    "f2": lambda records: [record.f2 for record in records],
    "f3": lambda records: [record.f3 for record in records],
    "f4": lambda records: [record.f4 for record in records],
    "f5": lambda records: [record.f5 for record in records],
    "f6": lambda records: [record.f6 for record in records],
    "f7": lambda records: [record.f7 for record in records],
    "f8": lambda records: [record.f8 for record in records],
    "f9": lambda records: [record.f9 for record in records],
    "f10": lambda records: [record.f10 for record in records],
    "f11": lambda records: [record.f11 for record in records],
    "f12": lambda records: [record.f12 for record in records],
    "f13": lambda records: [record.f13 for record in records],
}
"""The members of records by their names; more fields are not able. A name that the interpreter sees is read in a third
of attrgetter's time."""


@dataclass(frozen=True, slots=True)
class TypedColumns:
    """What `count` records said, by column. All texts are words or, where words do not tell enough, tokens. Slices are
    offsets and lengths in the piece. Of lists there are the numbers, how many each record has, and which have one."""

    count: int
    words: dict[str, Sequence[Word]] = field(default_factory=dict)
    tokens: dict[str, Sequence[bytes]] = field(default_factory=dict)
    numbers: dict[str, Int64] = field(default_factory=dict)
    slices: dict[str, tuple[Int64, Int64]] = field(default_factory=dict)
    lists: dict[str, tuple[Int64, Int64, Flags]] = field(default_factory=dict)


class TypedRecords:
    """Reads pieces of an array of records. `able` says whether it has types for all fields; `sliced` whether one of
    them is a slice."""

    def __init__(self, fields: Sequence[Field]) -> None:
        named = {name: each for name, each in zip(GETTERS, fields, strict=False) if each.key}
        self._outer = {name: each for name, each in named.items() if each.level == 0}
        self._inner = {name: each for name, each in named.items() if each.level == 1}
        outer, inner = ([each.kind for each in level.values()] for level in (self._outer, self._inner))
        self.sliced = Kind.SLICE in outer
        self.able = (
            len(self._outer) + len(self._inner) == len(fields)
            and {*outer} <= {*TYPES, Kind.OBJECT}
            and {*inner} <= {Kind.TEXT, Kind.SCALED}
            and max(outer.count(Kind.SLICE), outer.count(Kind.OBJECT)) <= 1
            and not any(each.weak and each.kind is Kind.INTEGERS for each in fields)
        )
        if self.able:
            self._decoder = _decoder(self._outer, self._inner)
            self._decoder_of_tokens = _decoder(self._outer, self._inner, TYPES | {Kind.TEXT: AS_WRITTEN})

    def read(self, piece: bytes) -> TypedColumns | None:
        """The columns of a piece, `[{...},{...}]`; None where a type does not fit."""
        return self._read(piece, self._decoder) or self._read(piece, self._decoder_of_tokens)

    def _read(self, piece: bytes, decoder: msgspec.json.Decoder[list[Any]]) -> TypedColumns | None:
        try:
            records = decoder.decode(piece)
        except (msgspec.DecodeError, RecursionError, ValueError):
            return None
        columns = TypedColumns(len(records))
        members = _members(records, self._outer, self._inner)
        slices = next((members[name] for name, each in self._outer.items() if each.kind is Kind.SLICE), [])
        as_written = decoder is self._decoder_of_tokens
        if not as_written and (_stands_outside(b"\\", piece, slices) or _says_minus_zero(piece, slices)):
            return None
        for name, each in sorted((self._outer | self._inner).items(), key=lambda item: item[1].weak):
            values = members[name]
            if each.kind is Kind.TEXT:
                if as_written:
                    _add(columns.tokens, each, [bytes(value or b"") for value in values], NO_TOKENS)
                else:
                    _add(columns.words, each, values, (None,))
            elif each.kind is Kind.SCALED:
                numbers = _numbers(each, values, partial(self._tokens, name, piece))
                known = columns.numbers.get(each.column, numbers)
                columns.numbers[each.column] = np.where(known == MISSING, numbers, known)
            elif each.kind is Kind.INTEGERS:
                columns.lists[each.column] = _lists(each, values, partial(self._tokens, name, piece))
            elif each.kind is Kind.SLICE:
                columns.slices[each.column] = _places(each, values, piece, escapes=as_written)
        return columns

    def _tokens(self, wanted: str, piece: bytes) -> list[Raw]:
        """How the numbers of one member are written, one after another."""
        outer = {name: each for name, each in self._outer.items() if name == wanted or each.kind is Kind.OBJECT}
        inner = {name: each for name, each in self._inner.items() if name == wanted}
        said = _members(_decoder(outer, inner, WRITTEN).decode(piece), outer, inner, WRITTEN)[wanted]
        if (outer | inner)[wanted].kind is Kind.INTEGERS:
            return list(chain.from_iterable(numbers for numbers in said if numbers))
        return [token for token in said if token]


Level = dict[str, Field]
"""Fields by the name that their members have in a record."""


def _decoder(outer: Level, inner: Level, types: Types = TYPES) -> msgspec.json.Decoder[list[Any]]:
    types = types | {Kind.OBJECT: (_struct(inner, types) | None, None)}
    return msgspec.json.Decoder(list[_struct(outer, types)])  # type: ignore[misc]


def _struct(level: Level, types: Types) -> Any:
    members = [(name, *types[each.kind]) for name, each in level.items()]
    return msgspec.defstruct("Record", members, rename={name: each.key for name, each in level.items()}, gc=False)


def _members(records: list[Any], outer: Level, inner: Level, types: Types = TYPES) -> dict[str, list[Any]]:
    members = {name: GETTERS[name](records) for name in outer}
    objects = next((members[name] for name, each in outer.items() if each.kind is Kind.OBJECT), [])
    none = objects.count(None)
    for name, each in inner.items():
        absent = types[each.kind][1]
        if none == len(objects):
            members[name] = [absent] * none
        elif none:
            members[name] = [getattr(found, name, absent) for found in objects]
        else:
            members[name] = GETTERS[name](objects)
    return members


def _add(columns: dict[str, Sequence[T]], each: Field, said: list[T], nothing: tuple[T, ...]) -> None:
    """Add what a field says to its column; what says nothing yields to the weak field that comes after."""
    known = columns.get(each.column)
    if known is not None:
        said = [spare if first in nothing else first for first, spare in zip(known, said, strict=True)]
    columns[each.column] = said


def _stands_outside(spelling: bytes, piece: bytes, parts: list[Raw]) -> bool:
    """Whether something stands in a piece outside of some of its parts."""
    return spelling in piece and piece.count(spelling) != b" ".join(parts).count(spelling)


def _says_minus_zero(piece: bytes, parts: list[Raw]) -> bool:
    """Whether -0, which becomes the number 0, may stand outside of some parts."""
    text = np.frombuffer(piece, np.uint8)
    minus = np.flatnonzero((text[:-1] == ord("-")) & (text[1:] == ord("0")))
    begins = (text[minus - 1] == ord(":")) | (text[minus - 1] <= ord(" "))
    return bool(begins.any()) and _stands_outside(b"-0", piece, parts)


def _numbers(each: Field, values: list[float], tokens: Tokens) -> Int64:
    """The scaled numbers, MISSING where there is none."""
    column = np.array(values, np.float64)
    said = ~np.isnan(column)
    numbers = np.full(len(values), MISSING, np.int64)
    if said.any():
        numbers[said] = scaled_numbers(column[said], each.scale, tokens)
    return numbers


def _lists(each: Field, values: list[list[float] | None], tokens: Tokens) -> tuple[Int64, Int64, Flags]:
    said = np.array([numbers is not None for numbers in values], np.bool_)
    if not said.any():
        return np.empty(0, np.int64), np.zeros(len(values), np.int64), said
    sizes = np.array([len(numbers or ()) for numbers in values], np.int64)
    numbers = list(chain.from_iterable(numbers for numbers in values if numbers))
    return scaled_numbers(numbers, each.scale, tokens), sizes, said


def _places(each: Field, parts: list[Raw], piece: bytes, *, escapes: bool) -> tuple[Int64, Int64]:
    """Offset and length of the values of a key, each in a record of its own; length 0 is none.

    Without an escape \\u outside of these values each has its key, spelled plainly, before it. If the key stands
    nowhere else, the places of the keys are those of the values. `escapes` says whether there may be some.
    """
    lengths = np.fromiter(map(len, parts), np.int64, len(parts))
    said = np.flatnonzero(lengths)
    offsets = np.zeros(len(parts), np.int64)
    text = np.frombuffer(piece, np.uint8)
    begins = _ends_of(b'"%b"' % each.key.encode(), text)
    alone = len(begins) == len(said) and bool((text[begins] == ord(":")).all())
    if alone and not (escapes and _stands_outside(b"\\u", piece, parts)):
        begins += 1
        for _ in range(FEW_SPACES):
            begins += text[begins] <= ord(" ")
        if (text[begins] > ord(" ")).all():
            offsets[said] = begins
            return offsets, lengths
    base = address_of(piece)
    offsets[said] = [address_of(parts[place]) - base for place in said.tolist()]
    return offsets, lengths


def _ends_of(word: bytes, text: npt.NDArray[np.uint8]) -> Int64:
    """Where each occurrence of a word of three bytes or more ends."""
    rest = len(word) - 2
    found = np.flatnonzero((text[rest:-1] == word[-2]) & (text[rest + 1 :] == word[-1]))
    for place, byte in enumerate(word[:-2]):
        found = found[text[found + place] == byte]
    return found + len(word)


def address_of(part: Raw | bytes) -> int:
    """Where some bytes begin in memory."""
    return int(np.frombuffer(part, np.uint8).__array_interface__["data"][0])
