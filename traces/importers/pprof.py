"""pprof profiles (Go, node, parca, perf_to_profile). Format: github.com/google/pprof, proto/profile.proto.

All value types are kept. Inlined functions are frames of their own. A function is one frame whatever line it was
sampled at; its line is where it begins, where the file says so.
"""

import numpy as np

from traces.bounds import MAX_STACK_DEPTH
from traces.builder import TraceBuilder
from traces.importers.head import Head
from traces.importers.protobuf import BrokenMessage, fields
from traces.importers.time import in_unit, unit_named
from traces.kernels.library import NotReadable
from traces.kernels.protobuf import LENGTH, VARINT, Fields, scan_fields, scan_varints
from traces.kernels.trees import paths_of_stacks
from traces.model import NONE, Int32, Int64
from traces.values import ValueType

LENGTH_FIELDS = {1, 2, 3, 4, 5, 6, 11, 13}
VARINT_FIELDS = {7, 8, 9, 10, 12, 13, 14, 15}
SAMPLE_TYPE, SAMPLE, LOCATION, FUNCTION, STRING, TIME_NANOS, DEFAULT_TYPE = 1, 2, 4, 5, 6, 9, 14


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
    try:
        _read(content, builder)
    except NotReadable as error:
        raise builder.damaged(f"{error}.") from error
    except IndexError as error:
        raise builder.damaged("it points to a string, location or function that it does not hold.") from error
    except ValueError as error:
        raise builder.damaged(f"{error}.") from error


def _read(data: memoryview, builder: TraceBuilder) -> None:
    whole = scan_fields(data, [0], [len(data)])
    strings = [str(data[first:last], "utf-8", "replace") for first, last in _parts(whole, STRING).tolist()]
    types = _messages(data, whole, SAMPLE_TYPE)
    named = [
        (_text(strings, name), *unit_named(_text(strings, unit)))
        for name, unit in zip(_number(types, 1).tolist(), _number(types, 2).tolist(), strict=True)
    ]
    samples = _messages(data, whole, SAMPLE)
    locations, location_ends = _numbers(data, samples, 1)
    values, value_ends = _numbers(data, samples, 2)
    if (np.diff(value_ends, prepend=0) != len(named)).any():
        raise builder.damaged("a sample has another number of values than there are value types.")
    table = values.reshape(len(value_ends), len(named))
    columns = [in_unit(table[:, k], unit, factor) for k, (_, unit, factor) in enumerate(named)]
    frames, stacks = _frames_of_stacks(locations, location_ends, *_frames_of_locations(data, whole, strings, builder))
    del locations
    paths = paths_of_stacks(frames, stacks, MAX_STACK_DEPTH, inner_first=True)
    wanted = whole.first[(whole.number == DEFAULT_TYPE) & (whole.wire == VARINT)]
    default = strings[wanted[-1]] if len(wanted) and 0 < wanted[-1] < len(strings) else None
    began = whole.first[(whole.number == TIME_NANOS) & (whole.wire == VARINT)]
    builder.recorded_at_ns = int(began[-1]) if len(began) and began[-1] > 0 else None
    builder.add_sampled(
        builder.name,
        paths,
        paths.leaf,
        columns,
        values=tuple(ValueType(name or f"value {k}", unit) for k, (name, unit, _) in enumerate(named)),
        default_value=next((k for k, (name, _, _) in enumerate(named) if name == default), len(named) - 1),
    )


def _text(strings: list[str], index: int) -> str:
    if index < 0:
        raise IndexError(index)
    return strings[index]


def _parts(message: Fields, number: int) -> Int64:
    """Where the bytes of each field of a number lie."""
    rows = (message.number == number) & (message.wire == LENGTH)
    return np.stack((message.first[rows], message.last[rows]), axis=-1)


def _messages(data: memoryview, outer: Fields, number: int) -> Fields:
    """The fields of each message in a field of that number."""
    parts = _parts(outer, number)
    return scan_fields(data, parts[:, 0], parts[:, 1])


def _number(messages: Fields, number: int) -> Int64:
    """A varint field of each message, the last if there are several, 0 if there is none."""
    found = np.zeros(len(messages.ends), np.int64)
    rows = np.flatnonzero((messages.number == number) & (messages.wire == VARINT))
    found[messages.message[rows]] = messages.first[rows]
    return found


def _numbers(data: memoryview, messages: Fields, number: int) -> tuple[Int64, Int64]:
    """A repeated varint field of all messages as one column, and where each message's part ends in it."""
    rows = np.flatnonzero(messages.number == number)
    numbers, ends = scan_varints(data, messages, rows)
    return numbers, np.concatenate(([0], ends))[np.searchsorted(rows, messages.ends)]


def _frames_of_locations(
    data: memoryview, whole: Fields, strings: list[str], builder: TraceBuilder
) -> tuple[Int64, Int32, Int64]:
    """The id of each location, the builder's frames of all of them, innermost first, and where each one's end."""
    functions = _messages(data, whole, FUNCTION)
    parts = (_number(functions, number).tolist() for number in (1, 2, 4, 5))
    frame_of: dict[int, int] = {}
    for ident, name, file, line in zip(*parts, strict=True):
        place = _text(strings, file) or None
        frame_of[ident] = builder.frame(_text(strings, name) or "(unknown)", place, line if line > 0 else None)
    locations = _messages(data, whole, LOCATION)
    lines = _messages(data, locations, 4)
    try:
        of_lines = [frame_of[function] for function in _number(lines, 1).tolist()]
    except KeyError as error:
        raise IndexError from error
    line_rows = (locations.number == 4) & (locations.wire == LENGTH)
    sizes = np.bincount(locations.message[line_rows], minlength=len(locations.ends))
    unnamed = np.flatnonzero(sizes == 0)
    addresses = _number(locations, 3).view(np.uint64)[unnamed]
    # Without symbols the address is all there is to know.
    of_addresses = [builder.frame(f"0x{address:x}") for address in addresses.tolist()]
    frames = np.insert(np.array(of_lines, np.int32), (np.cumsum(sizes) - sizes)[unnamed], of_addresses)
    return _number(locations, 1), frames, np.cumsum(np.maximum(sizes, 1))


def _frames_of_stacks(wanted: Int64, stacks: Int64, idents: Int64, frames: Int32, ends: Int64) -> tuple[Int32, Int64]:
    """The frames of a sequence of locations, and where each stack ends in it; `stacks` says so of the locations.

    A large profile points to millions of locations: where each is one frame, one look into a table is all they cost.
    """
    if len(frames) == len(idents):
        return _looked_up(idents, frames, wanted), stacks
    row = _looked_up(idents, np.arange(len(idents), dtype=np.int32), wanted)
    sizes = np.diff(ends, prepend=0)
    stops = np.cumsum(sizes[row])
    each = np.arange(stops[-1] if len(stops) else 0) + np.repeat(ends[row] - stops, sizes[row])
    return frames[each], np.concatenate(([0], stops))[stacks]


def _looked_up(idents: Int64, values: Int32, wanted: Int64) -> Int32:
    """The value of each wanted id (none is negative), the last of ids that are equal. Raises IndexError for one that
    is not there."""
    if not len(wanted):
        return np.empty(0, np.int32)
    low, high = int(wanted.min()), int(wanted.max())
    found: Int32
    if low >= 0 and high <= 4 * len(idents) + 1024:
        table = np.full(high + 1, NONE, np.int32)
        known = (idents >= 0) & (idents <= high)
        table[idents[known]] = values[known]
        found = table[wanted]
    else:
        order = np.argsort(idents, kind="stable")
        last = np.searchsorted(idents[order], wanted, "right") - 1
        there = (last >= 0) & (idents[order][last] == wanted) if len(order) else np.zeros(len(wanted), np.bool_)
        found = np.full(len(wanted), NONE, np.int32)
        found[there] = values[order[last[there]]]
    if found.min() < 0:
        raise IndexError
    return found
