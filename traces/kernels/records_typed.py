"""The usual case of `records_rows`: members that are what they should be, decoded to Python's own types at once.

What is not so, the raw way reads again: it alone says what odd members mean.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from struct import pack
from typing import Any, Self, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Raw
from msgspec.structs import astuple

from traces.kernels.records import NONE, Field, Kind
from traces.kernels.scaled import MISSING, nearest, read_again, scaled_numbers

T = TypeVar("T")
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Tokens = Callable[[], list[Raw]]
Types = dict[Kind, tuple[Any, Any]]
Word = str | int | None
"""What a text column may hold; None is no text. A number of this kind is written in one way only, but for -0."""
FREE_ESCAPES = tuple(b"u/")
"""What follows the backslash of an escape that may stand for another spelling: without them, a word has but one."""
FEW_SPACES = 5
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
SILENT = {Kind.OBJECT: None, **{kind: nothing for kind, (_, nothing) in TYPES.items()}}
WRITTEN = TYPES | {Kind.SCALED: AS_WRITTEN, Kind.INTEGERS: (list[Raw], None)}
"""The same for numbers as they are written."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of a document and their offsets in it. Each is one record or, with `arrays`, an array of them."""

    values: Sequence[bytes | memoryview]
    offsets: Sequence[int]
    arrays: bool

    def text(self) -> bytes:
        """All of them, one byte between two."""
        first = self.values[0]
        return first if isinstance(first, bytes) and len(self.values) == 1 else b",".join(self.values)


class _NotTold(Exception):
    """Words do not tell how texts are written."""


class Words(dict[Word, int]):
    """The index of each word among the texts of a column, which it grows."""

    def __init__(self, texts: dict[bytes, int]) -> None:
        super().__init__({None: NONE})
        self._texts = texts

    def __missing__(self, word: Word) -> int:
        if word == 0:
            raise KeyError(word)  # it may be -0
        return self.keep(word)

    def keep(self, word: Word) -> int:
        """The index of a word that is known from now on."""
        text = msgspec.json.encode(word)
        text = text[1:-1] if isinstance(word, str) else text
        index = self[word] = self._texts.setdefault(text, len(self._texts))
        return index

    def sizes(self) -> tuple[int, int]:
        """How many words and texts are known."""
        return len(self), len(self._texts)

    def shrink(self, words: int, texts: int) -> None:
        """Know no more than when there were so many."""
        while len(self) > words:
            self.popitem()
        while len(self._texts) > texts:
            self._texts.popitem()

    def indices(self, said: Sequence[Word]) -> Int32:
        """The index of each of some words. Raises KeyError for a first 0."""
        return np.frombuffer(pack(f"{len(said)}i", *map(self.__getitem__, said)), np.int32)


@dataclass(frozen=True, slots=True)
class TypedColumns:
    """What `count` records said, by column; one that is not there says nothing. All texts are words, given as indices,
    or, where words do not tell enough, tokens. Slices are offsets and lengths in the document. Of lists there are the
    numbers, how many each record has, and which have one. `sizes` are the numbers of records of each part."""

    count: int
    sizes: list[int]
    words: dict[str, Int32] = field(default_factory=dict)
    tokens: dict[str, Sequence[bytes]] = field(default_factory=dict)
    numbers: dict[str, Int64] = field(default_factory=dict)
    slices: dict[str, tuple[Int64, Int64]] = field(default_factory=dict)
    lists: dict[str, tuple[Int64, Int64, Flags]] = field(default_factory=dict)


class TypedRecords:
    """Reads parts of a document. `able` says whether it has types for all fields; `texts` are those of each column."""

    def __init__(self, fields: Sequence[Field], texts: Mapping[str, dict[bytes, int]]) -> None:
        named = {f"f{place}": each for place, each in enumerate(fields)}
        self._named = sorted(named.items(), key=lambda item: item[1].weak)
        depth = 1 + max((each.level for each in fields), default=0)
        self._levels = [{name: each for name, each in named.items() if each.level == level} for level in range(depth)]
        kinds = [[each.kind for each in level.values()] for level in self._levels]
        self._has_texts = Kind.TEXT in chain(*kinds)
        self.able = (
            all(each.key for each in fields)
            and list(chain(*kinds)).count(Kind.SLICE) <= 1
            and [level.count(Kind.OBJECT) for level in kinds] == [1] * (depth - 1) + [0]
            and not any(each.weak and each.kind is Kind.INTEGERS for each in fields)
        )
        self._known = {column: Words(known) for column, known in texts.items()}
        if self.able:
            self._words = _Structs.of(self._levels, TYPES)
            self._as_written = _Structs.of(self._levels, TYPES | {Kind.TEXT: AS_WRITTEN})

    def read(self, parts: Parts) -> TypedColumns | None:
        """The columns of some parts; None where a type does not fit."""
        for structs in (self._words, self._as_written):
            try:
                records, sizes = structs.decode(parts)
            except (msgspec.ValidationError, ValueError):
                continue
            except (msgspec.DecodeError, RecursionError):
                return None
            try:
                return self._columns(structs, records, sizes, parts)
            except _NotTold:
                continue
        return None

    def _columns(self, structs: "_Structs", records: list[Any], sizes: list[int], parts: Parts) -> TypedColumns:
        columns = TypedColumns(len(records), sizes)
        members = structs.members(records, self._levels)
        said = {
            name: (each, members[name])
            for name, each in self._named
            if members.get(name) and not _all_silent(members[name], SILENT[each.kind])
        }
        words = structs is self._words and self._has_texts
        if words:
            self._add_words(columns, said, parts)
        for name, (each, values) in said.items():
            if each.kind is Kind.TEXT and not words:
                _add(columns.tokens, each, [bytes(value or b"") for value in values], NO_TOKENS)
            elif each.kind is Kind.INTEGERS:
                columns.lists[each.column] = _lists(each, values, partial(self._tokens, name, parts))
            elif each.kind is Kind.SLICE:
                columns.slices[each.column] = _places(each, values, sizes, parts, escapes=not words)
        self._add_numbers(columns, said, parts)
        return columns

    def _add_words(self, columns: TypedColumns, said: "Said", parts: Parts) -> None:
        """Raises _NotTold where the words may be written in another way than the one that they are known by."""
        slices: list[Raw] = next((values for each, values in said.values() if each.kind is Kind.SLICE), [])
        text = parts.text()
        if _escapes_freely(text, slices):
            raise _NotTold
        texts: dict[str, Sequence[Word]] = {}
        for each, values in said.values():
            if each.kind is Kind.TEXT:
                _add(texts, each, values, (None,))
        for column, words in texts.items():
            known = self._known[column]
            before = known.sizes()
            try:
                columns.words[column] = found = known.indices(words)
                has_zero = 0 in known and (found == known[0]).any()
            except KeyError:
                has_zero = True
            if has_zero:
                if _says_minus_zero(text, slices):
                    known.shrink(*before)  # what comes behind a -0 would stand before it
                    raise _NotTold
                known.keep(0)
                columns.words[column] = known.indices(words)

    def _add_numbers(self, columns: TypedColumns, said: "Said", parts: Parts) -> None:
        scaled = {name: each for name, (each, _) in said.items() if each.kind is Kind.SCALED}
        numbers: dict[str, Int64] = {}
        for scale in {each.scale for each in scaled.values()}:
            names = [name for name, each in scaled.items() if each.scale == scale]
            flat = chain.from_iterable(said[name][1] for name in names)
            values = np.frombuffer(pack(f"{columns.count * len(names)}d", *flat)).reshape(len(names), -1)
            for name, row, near, sure in zip(names, values, *nearest(values, scale), strict=True):
                numbers[name] = read_again(row, near, sure, scale, partial(self._tokens, name, parts))
        for name, each in scaled.items():
            known = columns.numbers.get(each.column)
            mine = numbers[name]
            columns.numbers[each.column] = mine if known is None else np.where(known == MISSING, mine, known)

    def _tokens(self, wanted: str, parts: Parts) -> list[Raw]:
        """How the numbers of one member are written, one after another."""
        levels = [
            {name: each for name, each in level.items() if name == wanted or each.kind is Kind.OBJECT}
            for level in self._levels
        ]
        structs = _Structs.of(levels, WRITTEN)
        said = structs.members(structs.decode(parts)[0], levels)[wanted]
        if any(level[wanted].kind is Kind.INTEGERS for level in levels if wanted in level):
            return list(chain.from_iterable(numbers for numbers in said if numbers))
        return [token for token in said if token]


Said = dict[str, tuple[Field, list[Any]]]
"""What records say of a field, by its name in them."""
Level = dict[str, Field]
"""Fields by the name that their members have in a record."""


@dataclass(frozen=True, slots=True)
class _Structs:
    """Decoders of one record and of an array of them; of each level, a record that says nothing."""

    one: msgspec.json.Decoder[Any]
    many: msgspec.json.Decoder[list[Any]]
    blank: list[Any]

    @classmethod
    def of(cls, levels: Sequence[Level], types: Types) -> Self:
        kinds: list[Any] = []
        for level in reversed(levels):
            inner = (kinds[0] | None, None) if kinds else ()
            members = [
                (name, *(inner if each.kind is Kind.OBJECT else types[each.kind])) for name, each in level.items()
            ]
            rename = {name: each.key for name, each in level.items()}
            kinds.insert(0, msgspec.defstruct("Record", members, rename=rename, gc=False))
        decoder = msgspec.json.Decoder
        return cls(decoder(kinds[0]), decoder(list[kinds[0]]), [kind() for kind in kinds])  # type: ignore[valid-type]

    def decode(self, parts: Parts) -> tuple[list[Any], list[int]]:
        """All records, and how many each part holds."""
        if not parts.arrays:
            return list(map(self.one.decode, parts.values)), [1] * len(parts.values)
        arrays = list(map(self.many.decode, parts.values))
        return list(chain.from_iterable(arrays)), list(map(len, arrays))

    def members(self, records: list[Any], levels: Sequence[Level]) -> dict[str, list[Any]]:
        """What the records say, by the fields' names; without the levels that no record has."""
        members: dict[str, list[Any]] = {}
        for depth, level in enumerate(levels):
            said = list(chain.from_iterable(map(astuple, records)))
            members |= {name: said[place :: len(level)] for place, name in enumerate(level)}
            records = next((members[name] for name, each in level.items() if each.kind is Kind.OBJECT), [])
            none = records.count(None)
            if none == len(records):
                break
            if none:
                blank = self.blank[depth + 1]
                records = [blank if record is None else record for record in records]
        return members


def _add(columns: dict[str, Sequence[T]], each: Field, said: list[T], nothing: tuple[T, ...]) -> None:
    """Add what a field says to its column; what says nothing yields to the weak field that comes after."""
    known = columns.get(each.column)
    if known is not None:
        said = [spare if first in nothing else first for first, spare in zip(known, said, strict=True)]
    columns[each.column] = said


def _stands_outside(spelling: bytes, text: bytes, parts: list[Raw]) -> bool:
    """Whether something stands in a text outside of some of its parts."""
    return spelling in text and text.count(spelling) != b" ".join(parts).count(spelling)


def _escapes_freely(text: bytes, parts: list[Raw]) -> bool:
    """Whether something may be escaped, outside of some parts of a text, that need not be or in another way."""
    return b"\\" in text and _count_free(text) != _count_free(b" ".join(parts))


def _count_free(text: bytes) -> int:
    """How many escapes there are of which a character has a choice."""
    codes = np.frombuffer(text, np.uint8)
    slashes = (codes == ord("\\")).nonzero()[0]
    runs = np.maximum.accumulate(np.where(np.diff(slashes, prepend=-2) > 1, slashes, 0))
    escaped = codes[slashes[(slashes - runs) % 2 == 0] + 1]
    return int(np.isin(escaped, FREE_ESCAPES).sum())


def _says_minus_zero(text: bytes, parts: list[Raw]) -> bool:
    """Whether -0, which becomes the number 0, may stand outside of some parts."""
    codes = np.frombuffer(text, np.uint8)
    minus = np.flatnonzero(codes[:-1] == ord("-"))
    minus = minus[codes[minus + 1] == ord("0")]
    begins = (codes[minus - 1] == ord(":")) | (codes[minus - 1] <= ord(" "))
    return bool(begins.any()) and _stands_outside(b"-0", text, parts)


def _all_silent(values: list[Any], silent: Any) -> bool:
    return values[0] is silent and values.count(silent) == len(values)


def _lists(each: Field, values: list[list[float] | None], tokens: Tokens) -> tuple[Int64, Int64, Flags]:
    said = np.array([numbers is not None for numbers in values], np.bool_)
    sizes = np.array([len(numbers or ()) for numbers in values], np.int64)
    numbers = list(chain.from_iterable(numbers for numbers in values if numbers))
    return scaled_numbers(numbers, each.scale, tokens), sizes, said


def _places(each: Field, values: list[Raw], sizes: list[int], parts: Parts, *, escapes: bool) -> tuple[Int64, Int64]:
    """Offset and length of the values of a key, each in a record of its own; length 0 is none.

    `escapes` says whether escapes may stand outside of them, which a key may be spelled with.
    """
    lengths = np.frombuffer(pack(f"{len(values)}q", *map(len, values)), np.int64)
    said = lengths > 0
    text = parts.text()
    count = int(np.count_nonzero(said))
    places = None if escapes and _escapes_freely(text, values) else _behind_keys(each.key, text, count)
    if places is not None:
        begins = np.cumsum([0, *(len(part) + 1 for part in parts.values[:-1])])
    else:
        places = np.array([address_of(value) for value in values if value], np.int64)
        begins = np.array([address_of(part) for part in parts.values], np.int64)
    moved = np.array(parts.offsets) - begins
    places += moved if len(sizes) == 1 else np.repeat(moved, sizes)[said]
    if count == len(values):
        return places, lengths
    offsets = np.zeros(len(values), np.int64)
    offsets[said] = places
    return offsets, lengths


def _behind_keys(key: str, text: bytes, count: int) -> Int64 | None:
    """Where the values of a key that is spelled plainly begin, if it stands nowhere but before those."""
    codes = np.frombuffer(text, np.uint8)
    begins = _ends_of(b'"%b"' % key.encode(), codes)
    if len(begins) != count or not (codes[begins] == ord(":")).all():
        return None
    begins += 1
    for _ in range(FEW_SPACES):
        space = codes[begins] <= ord(" ")
        if not space.any():
            return begins
        begins += space
    return None


def _ends_of(word: bytes, text: npt.NDArray[np.uint8]) -> Int64:
    """Where each occurrence of a word of two bytes or more ends."""
    size = len(word)
    if len(text) < size:
        return np.empty(0, np.int64)
    likely = text[size - 1 :] == word[-1]
    likely &= text[size - 2 : -1] == word[-2]
    found = likely.nonzero()[0]
    words = np.ndarray(len(likely), f"S{size}", text, strides=(1,))  # one that begins at each byte
    ends: Int64 = found[words[found] == word] + size
    return ends


def address_of(part: Raw | bytes | memoryview) -> int:
    """Where some bytes begin in memory."""
    return int(np.frombuffer(part, np.uint8).__array_interface__["data"][0])
