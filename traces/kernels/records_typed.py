"""The usual case of `records_rows`: members that are what they should be, decoded to Python's own types at once.

What is not so, the raw way reads again: it alone says what odd members mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Raw

from traces.kernels.records import Field, Kind
from traces.kernels.scaled import MISSING, scaled_numbers

Int64 = npt.NDArray[np.int64]
Word = str | int | None
"""What a text column may hold; None is no text. A number of this kind is written in one way only, but for -0."""
FEW_SPACES = 4
ABSENT = float("nan")
"""JSON has no such number."""
TYPES: dict[Kind, tuple[Any, Any]] = {
    Kind.TEXT: (Word, None),
    Kind.SCALED: (float, ABSENT),
    Kind.SLICE: (Raw, Raw(b"")),
}


@dataclass(frozen=True, slots=True)
class TypedColumns:
    """What `count` records said, by column; slices are offsets and lengths in the piece."""

    count: int
    texts: dict[str, Sequence[Word]] = field(default_factory=dict)
    numbers: dict[str, Int64] = field(default_factory=dict)
    slices: dict[str, tuple[Int64, Int64]] = field(default_factory=dict)


class TypedRecords:
    """Reads pieces of an array of records. `able` says whether it has types for all fields."""

    def __init__(self, fields: Sequence[Field]) -> None:
        named = {f"f{place}": each for place, each in enumerate(fields) if each.key}
        self._outer = {name: each for name, each in named.items() if each.level == 0}
        self._inner = {name: each for name, each in named.items() if each.level == 1}
        outer, inner = ([each.kind for each in level.values()] for level in (self._outer, self._inner))
        self.able = (
            len(self._outer) + len(self._inner) == len(fields)
            and {*outer} <= {*TYPES, Kind.OBJECT}
            and {*inner} <= {Kind.TEXT}
            and max(outer.count(Kind.SLICE), outer.count(Kind.OBJECT)) <= 1
        )
        if self.able:
            self._decoder: msgspec.json.Decoder[list[Any]] = msgspec.json.Decoder(
                list[_struct(self._outer, _struct(self._inner))]  # type: ignore[misc]
            )

    def read(self, piece: bytes) -> TypedColumns | None:
        """The columns of a piece, `[{...},{...}]`; None where something in it is unusual."""
        try:
            records = self._decoder.decode(piece)
        except (msgspec.DecodeError, RecursionError, ValueError):
            return None
        columns = TypedColumns(len(records))
        plain: list[Raw] = []  # what may be spelled as it likes
        for name, each in sorted(self._outer.items(), key=lambda item: item[1].weak):
            values = list(map(attrgetter(name), records))
            if each.kind is Kind.OBJECT:
                for inner_name, inner in self._inner.items():
                    _add_words(columns, inner, _inside(values, inner_name))
            elif each.kind is Kind.TEXT:
                _add_words(columns, each, values)
            elif each.kind is Kind.SCALED:
                numbers = _numbers(each, values, piece)
                known = columns.numbers.get(each.column, numbers)
                columns.numbers[each.column] = np.where(known == MISSING, numbers, known)
            else:
                plain = values
                columns.slices[each.column] = _places(each.key.encode(), values, piece)
        return None if _spelled_unusually(piece, plain) else columns


def _add_words(columns: TypedColumns, each: Field, words: list[Word]) -> None:
    known = columns.texts.get(each.column)
    if known is not None:
        words = [spare if word is None else word for word, spare in zip(known, words, strict=True)]
    columns.texts[each.column] = words


def _inside(objects: list[Any], name: str) -> list[Word]:
    if objects.count(None) == len(objects):
        return objects
    return [getattr(found, name, None) for found in objects]


def _struct(fields: dict[str, Field], inner: Any = None) -> Any:
    members = [
        (name, *((inner | None, None) if each.kind is Kind.OBJECT else TYPES[each.kind]))
        for name, each in fields.items()
    ]
    return msgspec.defstruct("Record", members, rename={name: each.key for name, each in fields.items()}, gc=False)


def _spelled_unusually(piece: bytes, parts: list[Raw]) -> bool:
    """Whether outside of some parts stands an escape, which the decoded text no longer shows, or -0, read as 0."""
    text = np.frombuffer(piece, np.uint8)
    odd = [b"\\"] if b"\\" in piece else []
    if ((text[:-1] == ord("-")) & (text[1:] == ord("0"))).any():
        odd.append(b"-0")
    inside = b" ".join(parts) if odd else b""
    return any(piece.count(spelling) != inside.count(spelling) for spelling in odd)


def _numbers(each: Field, values: list[float], piece: bytes) -> Int64:
    """The scaled numbers, MISSING where there is none."""

    def tokens() -> list[Raw]:
        alone = msgspec.json.decode(piece, type=list[_struct({"token": Field("", each.key, Kind.SLICE)})])  # type: ignore[misc]
        return [token for record in alone if (token := record.token)]

    column = np.array(values, np.float64)
    said = ~np.isnan(column)
    numbers = np.full(len(values), MISSING, np.int64)
    numbers[said] = scaled_numbers(column[said], each.scale, tokens)
    return numbers


def _places(key: bytes, parts: list[Raw], piece: bytes) -> tuple[Int64, Int64]:
    """Offset and length of the values of a key, each in a record of its own; length 0 is none.

    Outside of these values is no escape, so each has its key, spelled plainly, before it. If the key stands nowhere
    else, the places of the keys are those of the values.
    """
    lengths = np.fromiter(map(len, parts), np.int64, len(parts))
    said = np.flatnonzero(lengths)
    offsets = np.zeros(len(parts), np.int64)
    text = np.frombuffer(piece, np.uint8)
    begins = _ends_of(b'"%b"' % key, text)
    if len(begins) == len(said) and (text[begins] == ord(":")).all():
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
