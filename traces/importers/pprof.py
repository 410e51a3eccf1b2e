"""pprof profiles (Go, node, parca, perf_to_profile). Format: github.com/google/pprof, proto/profile.proto.

All value types are kept. Inlined functions are frames of their own. A function is one frame whatever line it was
sampled at; its line is where it begins, where the file says so.
"""

from dataclasses import dataclass, field

import numpy as np

from traces.builder import TraceBuilder
from traces.importers.head import Head
from traces.importers.protobuf import LENGTH, VARINT, BrokenMessage, fields, packed_varints, signed
from traces.importers.time import in_unit, unit_named
from traces.model import Int64, Values
from traces.stacks import StackTable
from traces.values import ValueType

LENGTH_FIELDS = {1, 2, 3, 4, 5, 6, 11, 13}
VARINT_FIELDS = {7, 8, 9, 10, 12, 13, 14, 15}
SAMPLE_TYPE, SAMPLE, LOCATION, FUNCTION, STRING, DEFAULT_TYPE = 1, 2, 4, 5, 6, 14


@dataclass(slots=True)
class Tables:
    """The parts of a profile that samples point into."""

    strings: list[str] = field(default_factory=list)
    types: list[tuple[int, int]] = field(default_factory=list)
    locations: dict[int, list[int]] = field(default_factory=dict)  # function ids, innermost (inlined) first
    addresses: dict[int, int] = field(default_factory=dict)
    functions: dict[int, tuple[int, int, int]] = field(default_factory=dict)  # name, file, first line
    default_type: int = 0


def looks_like(head: Head) -> bool:
    """Fields of a Profile message, each with its own wire type, among them a well-formed sample type."""
    if not head.data or head.data[:1] in b"{[":
        return False
    types = 0
    try:
        for number, wire, first, last in fields(head.data, 0, len(head.data)):
            if number not in (LENGTH_FIELDS if wire == LENGTH else VARINT_FIELDS if wire == VARINT else ()):
                return False
            if number == SAMPLE_TYPE:
                inner = [(n, w) for n, w, _, _ in fields(head.data, first, last)]
                if not inner or any(n not in (1, 2) or w != VARINT for n, w in inner):
                    return False
                types += 1
    except BrokenMessage:
        # The head cuts the message; what stood before must have shown a sample type, and a text never does.
        return types > 0 and len(head.data) >= 1024
    return types > 0


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile. Raises DamagedTrace."""
    data = bytes(content)
    try:
        tables, samples = _read_tables(data)
        locations, location_ends = _column(data, samples, 1)
        values, value_ends = _column(data, samples, 2)
    except BrokenMessage as error:
        raise builder.damaged(f"{error}.") from error
    count = len(tables.types)
    if (np.diff(value_ends, prepend=0) != count).any():
        raise builder.damaged("a sample has another number of values than there are value types.")
    try:
        named = [(tables.strings[name], *unit_named(tables.strings[unit])) for name, unit in tables.types]
        table = values.reshape(-1, count) if count else values.reshape(len(samples), 0)
        columns: list[Values] = [in_unit(table[:, k], unit, factor) for k, (_, unit, factor) in enumerate(named)]
        stacks, leaves = _stacks(tables, locations, location_ends, builder)
    except IndexError as error:
        raise builder.damaged("it points to a string, location or function that it does not hold.") from error
    except ValueError as error:
        raise builder.damaged(f"{error}.") from error
    wanted = tables.strings[tables.default_type] if 0 < tables.default_type < len(tables.strings) else None
    default = next((k for k, (name, _, _) in enumerate(named) if name == wanted), count - 1)
    builder.add_sampled(
        builder.name,
        stacks,
        leaves,
        columns,
        values=tuple(ValueType(name or f"value {k}", unit) for k, (name, unit, _) in enumerate(named)),
        default_value=default,
    )


def _read_tables(data: bytes) -> tuple[Tables, list[tuple[int, int]]]:
    tables = Tables()
    samples: list[tuple[int, int]] = []
    for number, wire, first, last in fields(data, 0, len(data)):
        if number == SAMPLE:
            samples.append((first, last))
        elif number == LOCATION:
            _read_location(data, first, last, tables)
        elif number == FUNCTION:
            said = {n: value for n, w, value, _ in fields(data, first, last) if w == VARINT}
            tables.functions[said.get(1, 0)] = (said.get(2, 0), said.get(4, 0), signed(said.get(5, 0)))
        elif number == STRING:
            tables.strings.append(data[first:last].decode("utf-8", "replace"))
        elif number == SAMPLE_TYPE:
            said = {n: value for n, w, value, _ in fields(data, first, last) if w == VARINT}
            tables.types.append((said.get(1, 0), said.get(2, 0)))
        elif number == DEFAULT_TYPE and wire == VARINT:
            tables.default_type = first
    return tables, samples


def _read_location(data: bytes, first: int, last: int, tables: Tables) -> None:
    ident = address = 0
    functions: list[int] = []
    for number, wire, value, end in fields(data, first, last):
        if number == 1 and wire == VARINT:
            ident = value
        elif number == 3 and wire == VARINT:
            address = value
        elif number == 4 and wire == LENGTH:
            functions.append(next((v for n, w, v, _ in fields(data, value, end) if n == 1 and w == VARINT), 0))
    tables.locations[ident] = functions
    tables.addresses[ident] = address


def _column(data: bytes, samples: list[tuple[int, int]], wanted: int) -> tuple[Int64, Int64]:
    """A repeated int field of all samples as one column, and where each sample's part ends in it."""
    pieces: list[bytes] = []
    sizes: list[int] = []
    for first, last in samples:
        size = 0
        for number, wire, value, end in fields(data, first, last):
            if number != wanted:
                continue
            # A writer may give the numbers packed or one by one.
            piece = data[value:end] if wire == LENGTH else _as_varint(value)
            pieces.append(piece)
            size += len(piece)
        sizes.append(size)
    numbers, ends = packed_varints(np.frombuffer(b"".join(pieces), np.uint8))
    return numbers, np.searchsorted(ends, np.cumsum(sizes), side="right").astype(np.int64)


def _as_varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _stacks(tables: Tables, locations: Int64, ends: Int64, builder: TraceBuilder) -> tuple[StackTable, list[int]]:
    frames: dict[int, int] = {}
    for ident, (name, file, line) in tables.functions.items():
        place = tables.strings[file] or None
        frames[ident] = builder.frame(tables.strings[name] or "(unknown)", place, line if line > 0 else None)
    expanded: dict[int, list[int]] = {}
    for ident, functions in tables.locations.items():
        if any(f not in frames for f in functions):
            raise IndexError(ident)
        # Without symbols the address is all there is to know.
        expanded[ident] = [frames[f] for f in reversed(functions)] or [builder.frame(f"0x{tables.addresses[ident]:x}")]
    single = all(len(frames_of) == 1 for frames_of in expanded.values())
    outer_first = locations.tolist()
    stacks = StackTable()
    paths: list[list[int]] = []
    begin = 0
    try:
        for end in ends.tolist():
            path = outer_first[begin:end]
            path.reverse()
            if single:
                paths.append([expanded[location][0] for location in path])
            else:
                paths.append([frame for location in path for frame in expanded[location]])
            begin = end
    except KeyError as error:
        raise IndexError from error
    return stacks, stacks.leaves(paths)
