"""A trace as bytes that map: raw columns behind a JSON header, opened in place without reading them.

Layout: magic `FCTRACE1`, uint32 header length, uint32 CRC-32 of the header (both little-endian), the header (JSON);
then each column at the offset that the header gives, which is that of a page unless the column is smaller. A column of
profiles is that of all of them, one after the other, so that thousands of threads have no more columns than one.
`decode` checks every offset, length, type and count against the file, so that a damaged, cut or foreign file is refused
and made again; the columns' contents are not read.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from mmap import mmap
from typing import Any

import msgspec
import numpy as np

from traces.edges import EDGE_TYPES, Edges
from traces.errors import DamagedTrace
from traces.kernels.spans import joined_times
from traces.model import (
    AsyncSpans,
    CallTree,
    Counters,
    Flows,
    Frames,
    Instants,
    Profile,
    Requests,
    Samples,
    Spans,
    Strings,
    ThreadStates,
    Trace,
)
from traces.values import Facts, ProfileKind, Role, RoleRule, TraceWarning, Unit, ValueType

ENGINE_VERSION = "31"
"""Part of every cache key: raise it whenever an importer or the model gives other columns for the same bytes."""

MAGIC = b"FCTRACE1"
PREFIX_BYTES = 16
PAGE_BYTES, LINE_BYTES = 4096, 64
"""What large and small columns are aligned to: a trace of thousands of threads has many of a few bytes."""
LONGEST = 1 << 50
"""In place of sizes and offsets that are not known yet: the header gets no longer once they are."""
Column = np.ndarray[Any, np.dtype[Any]]

REQUEST_NUMBERS = frozenset({"start", "end", "server", "size"})
TABLES: tuple[tuple[str, type, tuple[tuple[str, str], ...]], ...] = (
    ("strings", Strings, (("arena", "u1"), ("offsets", "i8"))),
    ("frames", Frames, tuple((n, "i4") for n in ("name", "file", "line", "column", "category"))),
    ("instants", Instants, (("profile", "i4"), ("time", "i8"), ("name", "i4"))),
    ("counters", Counters, (("profile", "i4"), ("time", "i8"), ("name", "i4"), ("value", "f8"))),
    ("async_spans", AsyncSpans, (("profile", "i4"), ("start", "i8"), ("end", "i8"), ("name", "i4"), ("ident", "i4"))),
    ("flows", Flows, tuple((n, "i8" if "time" in n else "i4") for n in Flows.__slots__)),
    ("thread_states", ThreadStates, (("profile", "i4"), ("start", "i8"), ("end", "i8"), ("state", "u1"))),
    ("edges", Edges, tuple(zip(Edges.__slots__, EDGE_TYPES, strict=True))),
    ("requests", Requests, tuple((n, "i8" if n in REQUEST_NUMBERS else "i4") for n in Requests.__slots__)),
)
TREE = (("frame", "i4"), ("parent", "i4"), ("depth", "i4"), ("count", "i8"), ("outermost", "u1"))
SPANS = (("parent", "i4"), ("node", "i4"), ("depth", "i4"), ("args_offset", "i8"), ("args_length", "i4"))
NUMBERS = ("tree.self", "tree.total", "sample.time", "sample.weight", "span.start", "span.end", "span.own")
"""Columns of 8 bytes: integers where a profile's unit is time, else floats. A tree or a sample has one a value."""
SMALL_PARTS = 4_096
"""Bytes: profiles' columns that are smaller on average are joined before they are written."""


class _Place(msgspec.Struct, array_like=True):
    dtype: str
    offset: int
    count: int


class _Measure(msgspec.Struct, array_like=True):
    """What profiles measure, as threads of a recording do alike."""

    kind: ProfileKind
    axis: Unit
    values: list[ValueType]
    default_value: int
    facts: Facts


_Alike = tuple[ProfileKind, Unit, tuple[ValueType, ...], int, Facts]
"""A measure, to look for."""


class _Profile(msgspec.Struct, array_like=True):
    """`rows` are samples or spans."""

    name: str
    pid: str
    tid: str
    measure: int
    axis_start: int | float
    axis_end: int | float
    role: Role
    role_rule: RoleRule
    nodes: int
    rows: int
    unfinished: int


class _Header(msgspec.Struct):
    engine: str
    total_bytes: int
    name: str
    format: str
    content_key: str
    source_bytes: int
    default_profile: int
    recorded_at_ns: int | None
    utc_offset_minutes: int | None
    recorded_for_ns: int | None
    origin: dict[str, str]
    warnings: list[TraceWarning]
    measures: list[_Measure]
    profiles: list[_Profile]
    columns: dict[str, _Place]


def encode(trace: Trace) -> list[bytes | memoryview]:
    """The buffers of a cache file, in order: write them one after another."""
    columns = _columns(trace)
    measures: dict[_Alike, int] = {}
    rows = [_row(profile, measures) for profile in trace.profiles]
    header = _Header(
        engine=ENGINE_VERSION,
        total_bytes=LONGEST,
        name=trace.name,
        format=trace.format,
        content_key=trace.content_key,
        source_bytes=trace.source_bytes,
        default_profile=trace.default_profile,
        recorded_at_ns=trace.recorded_at_ns,
        utc_offset_minutes=trace.utc_offset_minutes,
        recorded_for_ns=trace.recorded_for_ns,
        origin=dict(trace.origin),
        warnings=list(trace.warnings),
        measures=[
            _Measure(kind, axis, list(values), default, facts) for kind, axis, values, default, facts in measures
        ],
        profiles=rows,
        columns={
            name: _Place(dtype, LONGEST, sum(len(part) for part in parts)) for name, (dtype, parts) in columns.items()
        },
    )
    at = first = _aligned(PREFIX_BYTES + len(msgspec.json.encode(header)), PAGE_BYTES)
    body: list[bytes | memoryview] = []
    for name, (_, parts) in columns.items():
        size = sum(part.nbytes for part in parts)
        offset = _aligned(at, size)
        header.columns[name].offset = offset
        if offset > at:
            body.append(bytes(offset - at))
        body += [np.ascontiguousarray(part).data.cast("B") for part in _joined(parts, size) if part.nbytes]
        at = offset + size
    header.total_bytes = at
    text = msgspec.json.encode(header)
    prefix = MAGIC + len(text).to_bytes(4, "little") + zlib.crc32(text).to_bytes(4, "little")
    return [prefix + text + bytes(first - PREFIX_BYTES - len(text)), *body]


def decode(buffer: bytes | memoryview | mmap) -> Trace:
    """The trace whose columns lie in the buffer (not copied: keep it mapped). Raises DamagedTrace for another file."""
    data = memoryview(buffer)
    header = _header(data)
    source = _Source(data, header.columns)
    tables = {
        name: kind(**{field: source.take(f"{name}.{field}", dtype) for field, dtype in columns})
        for name, kind, columns in TABLES
    }
    profiles = tuple(_profiles(header, source))
    if not 0 <= header.default_profile < len(profiles):
        raise _damaged("its default profile does not exist")
    strings = tables["strings"]
    if len(strings.offsets) == 0 or strings.offsets[-1] != len(strings.arena):
        raise _damaged("its strings do not fit their arena")
    return Trace(
        name=header.name,
        format=header.format,
        content_key=header.content_key,
        source_bytes=header.source_bytes,
        profiles=profiles,
        default_profile=header.default_profile,
        recorded_at_ns=header.recorded_at_ns,
        utc_offset_minutes=header.utc_offset_minutes,
        recorded_for_ns=header.recorded_for_ns,
        origin=header.origin,
        warnings=tuple(header.warnings),
        **tables,
    )


def _row(p: Profile, measures: dict[_Alike, int]) -> _Profile:
    measure = (p.kind, p.axis, p.values, p.default_value, p.facts)
    number = measures.setdefault(measure, len(measures))
    rows = p.spans if p.spans is not None else p.samples
    assert rows is not None
    unfinished = len(p.spans.unfinished) if p.spans is not None else 0
    extent = (p.axis_start, p.axis_end)
    return _Profile(p.name, p.pid, p.tid, number, *extent, p.role, p.role_rule, len(p.tree), len(rows), unfinished)


def _columns(trace: Trace) -> dict[str, tuple[str, list[Column]]]:
    """The type and the parts of each column."""
    columns: dict[str, tuple[str, list[Column]]] = {}
    for name, _, fields in TABLES:
        table = getattr(trace, name)
        columns.update((f"{name}.{field}", (dtype, [getattr(table, field)])) for field, dtype in fields)
    trees = [p.tree for p in trace.profiles]
    samples = [p.samples for p in trace.profiles if p.samples is not None]
    spans = [p.spans for p in trace.profiles if p.spans is not None]
    columns.update((f"tree.{field}", (dtype, [getattr(tree, field) for tree in trees])) for field, dtype in TREE)
    columns.update((f"span.{field}", (dtype, [getattr(each, field) for each in spans])) for field, dtype in SPANS)
    columns["sample.leaf"] = "i4", [each.leaf for each in samples]
    columns["span.unfinished"] = "i4", [each.unfinished for each in spans]
    columns["span.running"] = "i8", [joined_times([each.running for each in spans], [len(each) for each in spans])]
    numbers = (
        [values for tree in trees for values in tree.self_values],
        [values for tree in trees for values in tree.total_values],
        [each.time for each in samples],
        [weights for each in samples for weights in each.weights],
        [each.start for each in spans],
        [each.end for each in spans],
        [each.self_value for each in spans],
    )
    for name, parts in zip(NUMBERS, numbers, strict=True):
        columns[name] = "i8", [part.view(np.int64) for part in parts]
    return columns


def _joined(parts: list[Column], size: int) -> list[Column]:
    """The same bytes, without an object for each thread of thousands."""
    return [np.concatenate(parts)] if len(parts) > 1 and size < SMALL_PARTS * len(parts) else parts


@dataclass(frozen=True, slots=True)
class _Source:
    data: memoryview
    places: dict[str, _Place]

    def take(self, name: str, dtype: str, count: int | None = None) -> Column:
        """A column of the buffer, checked against the type and count that it must have."""
        place = self.places.get(name)
        if place is None or place.dtype != dtype or (count is not None and place.count != count):
            raise _damaged(f"its column {name} is missing or of another kind")
        size = place.count * int(dtype[1])
        if place.count < 0 or place.offset < 0 or place.offset % LINE_BYTES or place.offset + size > len(self.data):
            raise _damaged(f"its column {name} lies outside the file")
        if place.count == 0:
            return np.zeros(0, f"<{dtype}")
        return np.frombuffer(self.data, f"<{dtype}", place.count, place.offset)


def _header(data: memoryview) -> _Header:
    if len(data) < PREFIX_BYTES or data[:8] != MAGIC:
        raise _damaged("it is no cache file")
    size = int.from_bytes(data[8:12], "little")
    text = data[PREFIX_BYTES : PREFIX_BYTES + size]
    if len(text) != size or zlib.crc32(text) != int.from_bytes(data[12:16], "little"):
        raise _damaged("its header is broken")
    try:
        header = msgspec.json.decode(text, type=_Header)
    except msgspec.MsgspecError as error:
        raise _damaged("its header is of another version") from error
    if header.engine != ENGINE_VERSION:
        raise _damaged(f"it was made by engine {header.engine}, this is {ENGINE_VERSION}")
    if header.total_bytes != len(data):
        raise _damaged("it is cut or too long")
    return header


def _profiles(header: _Header, source: _Source) -> Iterator[Profile]:
    """The profiles, whose columns are parts of those of all."""
    measures, rows = header.measures, header.profiles
    for measure in measures:
        if not 0 <= measure.default_value < len(measure.values):
            raise _damaged("a profile's default value does not exist")
        if measure.facts.count_value is not None and not 0 <= measure.facts.count_value < len(measure.values):
            raise _damaged("a profile's value of counts does not exist")
    if not all(0 <= row.measure < len(measures) and min(row.nodes, row.rows, row.unfinished) >= 0 for row in rows):
        raise _damaged("a profile's rows do not exist")
    counts = [len(measures[row.measure].values) for row in rows]
    sampled = [measures[row.measure].kind is ProfileKind.SAMPLED for row in rows]
    nodes, values = (sum(row.nodes for row in rows), sum(row.nodes * k for row, k in zip(rows, counts, strict=True)))
    spans = sum(row.rows for row, is_sampled in zip(rows, sampled, strict=True) if not is_sampled)
    samples = sum(row.rows for row in rows) - spans
    weights = sum(row.rows * k for row, k, is_sampled in zip(rows, counts, sampled, strict=True) if is_sampled)
    unfinished = sum(row.unfinished for row in rows)
    sizes = dict(zip(NUMBERS, (values, values, samples, weights, spans, spans, spans), strict=True))
    number = {name: _Numbers(source.take(name, "i8", count)) for name, count in sizes.items()}
    tree = [source.take(f"tree.{field}", dtype, nodes) for field, dtype in TREE]
    span = [source.take(f"span.{field}", dtype, spans) for field, dtype in SPANS]
    leaf = source.take("sample.leaf", "i4", samples)
    open_rows = source.take("span.unfinished", "i4", unfinished)
    running = source.take("span.running", "i8")
    if len(running) not in {0, spans}:
        raise _damaged("its times on a processor are not those of its spans")
    node_base = span_base = sample_base = open_base = span_first = 0
    shared = [tuple(measure.values) for measure in measures]
    for index, row in enumerate(rows):
        measure = measures[row.measure]
        is_time = [value.unit.is_time for value in measure.values]
        stop = node_base + row.nodes
        frame, parent, depth, count, outermost = [column[node_base:stop] for column in tree]
        own, total = (
            tuple([number[name].next(row.nodes, is_integer=each) for each in is_time])
            for name in ("tree.self", "tree.total")
        )
        rows_of_samples = rows_of_spans = None
        if measure.kind is ProfileKind.SAMPLED:
            rows_of_samples = Samples(
                number["sample.time"].next(row.rows, is_integer=measure.axis.is_time),
                leaf[sample_base : sample_base + row.rows],
                tuple([number["sample.weight"].next(row.rows, is_integer=each) for each in is_time]),
            )
            sample_base += row.rows
        else:
            start, end, own_values = [
                number[name].next(row.rows, is_integer=measure.axis.is_time)
                for name in ("span.start", "span.end", "span.own")
            ]
            above, node, span_depth, args_offset, args_length = [
                column[span_base : span_base + row.rows] for column in span
            ]
            rows_of_spans = Spans.known(
                start=start,
                end=end,
                parent=above,
                node=node,
                node_depth=depth,
                args_offset=args_offset,
                args_length=args_length,
                unfinished=open_rows[open_base : open_base + row.unfinished],
                depth=span_depth,
                self_value=own_values,
                running=running[span_first : span_first + row.rows],
            )
            span_first += row.rows
            open_base += row.unfinished
        yield Profile(
            index,
            row.name,
            row.pid,
            row.tid,
            measure.kind,
            measure.axis,
            row.axis_start,
            row.axis_end,
            shared[row.measure],
            measure.default_value,
            CallTree(frame, parent, depth, count, outermost, own, total),
            rows_of_samples,
            rows_of_spans,
            node_base,
            span_base,
            measure.facts,
            row.role,
            row.role_rule,
        )
        node_base = stop
        span_base += row.rows if rows_of_spans is not None else 0


class _Numbers:
    """A column of 8 bytes a row, of which each profile takes the next part."""

    def __init__(self, column: Column) -> None:
        self._integers, self._floats, self._at = column, column.view(np.float64), 0

    def next(self, count: int, *, is_integer: bool) -> Column:
        """The next rows."""
        at = self._at
        self._at = at + count
        return (self._integers if is_integer else self._floats)[at : at + count]


def _aligned(at: int, size: int) -> int:
    """Where something of this size may begin, from `at` on."""
    step = PAGE_BYTES if size >= PAGE_BYTES else LINE_BYTES
    return -(-at // step) * step


def _damaged(reason: str) -> DamagedTrace:
    return DamagedTrace(f"The cached columns cannot be used: {reason}. They are made again from the trace.")
