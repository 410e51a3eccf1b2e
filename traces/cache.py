"""A trace as bytes that map: raw columns behind a JSON header, opened in place without reading them.

Layout: magic `FCTRACE1`, uint32 header length, uint32 CRC-32 of the header (both little-endian), the header (JSON);
then each column at the offset that the header gives, which is that of a page unless the column is smaller. `decode`
checks every offset, length, type and count against the file, so that a damaged, cut or foreign file is refused and made
again; the columns' contents are not read.
"""

import zlib
from dataclasses import dataclass
from mmap import mmap
from typing import Any

import msgspec
import numpy as np

from traces.errors import DamagedTrace
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
    Trace,
)
from traces.values import Facts, ProfileKind, Role, RoleRule, TraceWarning, Unit, ValueType

ENGINE_VERSION = "13"
"""Part of every cache key: raise it whenever an importer or the model gives other columns for the same bytes."""

MAGIC = b"FCTRACE1"
PREFIX_BYTES = 16
PAGE_BYTES, LINE_BYTES = 4096, 64
"""What large and small columns are aligned to: a trace of thousands of threads has many of a few bytes."""
Column = np.ndarray[Any, np.dtype[Any]]

REQUEST_NUMBERS = frozenset({"start", "end", "server", "size"})
TABLES: tuple[tuple[str, type, tuple[tuple[str, str], ...]], ...] = (
    ("strings", Strings, (("arena", "u1"), ("offsets", "i8"))),
    ("frames", Frames, tuple((n, "i4") for n in ("name", "file", "line", "column", "category"))),
    ("instants", Instants, (("profile", "i4"), ("time", "i8"), ("name", "i4"))),
    ("counters", Counters, (("profile", "i4"), ("time", "i8"), ("name", "i4"), ("value", "f8"))),
    ("async_spans", AsyncSpans, (("profile", "i4"), ("start", "i8"), ("end", "i8"), ("name", "i4"), ("ident", "i4"))),
    ("flows", Flows, tuple((n, "i8" if "time" in n else "i4") for n in Flows.__slots__)),
    ("requests", Requests, tuple((n, "i8" if n in REQUEST_NUMBERS else "i4") for n in Requests.__slots__)),
)
TREE = (("frame", "i4"), ("parent", "i4"), ("depth", "i4"), ("count", "i8"), ("outermost", "u1"))
SPANS = (("parent", "i4"), ("node", "i4"), ("depth", "i4"), ("args_offset", "i8"), ("args_length", "i4"))


class _Place(msgspec.Struct, array_like=True):
    dtype: str
    offset: int
    count: int


class _Profile(msgspec.Struct):
    name: str
    pid: str
    tid: str
    kind: ProfileKind
    axis: Unit
    axis_start: int | float
    axis_end: int | float
    values: list[ValueType]
    default_value: int
    facts: Facts
    role: Role
    role_rule: RoleRule


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
    warnings: list[TraceWarning]
    profiles: list[_Profile]
    columns: dict[str, _Place]


def encode(trace: Trace) -> list[bytes | memoryview]:
    """The buffers of a cache file, in order: write them one after another."""
    columns = _columns(trace)
    header = _Header(
        engine=ENGINE_VERSION,
        total_bytes=0,
        name=trace.name,
        format=trace.format,
        content_key=trace.content_key,
        source_bytes=trace.source_bytes,
        default_profile=trace.default_profile,
        recorded_at_ns=trace.recorded_at_ns,
        utc_offset_minutes=trace.utc_offset_minutes,
        warnings=list(trace.warnings),
        profiles=[
            _Profile(
                *(p.name, p.pid, p.tid, p.kind, p.axis, p.axis_start, p.axis_end),
                *(list(p.values), p.default_value, p.facts, p.role, p.role_rule),
            )
            for p in trace.profiles
        ],
        columns={name: _Place(column.dtype.str[1:], 1 << 50, len(column)) for name, column in columns.items()},
    )
    header.total_bytes = 1 << 50  # the longest numbers there can be: the header gets no longer once they are known
    at = first = _aligned(PREFIX_BYTES + len(msgspec.json.encode(header)), PAGE_BYTES)
    body: list[bytes | memoryview] = []
    for name, column in columns.items():
        offset = _aligned(at, column.nbytes)
        header.columns[name].offset = offset
        if offset > at:
            body.append(bytes(offset - at))
        if column.nbytes:
            body.append(np.ascontiguousarray(column).data.cast("B"))
        at = offset + column.nbytes
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
    profiles: list[Profile] = []
    node_base = span_base = 0
    for index, row in enumerate(header.profiles):
        profile = _profile(source, index, row, node_base, span_base)
        profiles.append(profile)
        node_base += len(profile.tree)
        span_base += len(profile.spans) if profile.spans is not None else 0
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
        profiles=tuple(profiles),
        default_profile=header.default_profile,
        recorded_at_ns=header.recorded_at_ns,
        utc_offset_minutes=header.utc_offset_minutes,
        warnings=tuple(header.warnings),
        **tables,
    )


def _columns(trace: Trace) -> dict[str, Column]:
    columns: dict[str, Column] = {}
    for name, _, fields in TABLES:
        table = getattr(trace, name)
        columns.update((f"{name}.{field}", getattr(table, field)) for field, _ in fields)
    for p in trace.profiles:
        at = f"p{p.index}"
        columns.update((f"{at}.tree.{field}", getattr(p.tree, field)) for field, _ in TREE)
        for k in range(len(p.values)):
            columns[f"{at}.self.{k}"] = p.tree.self_values[k]
            columns[f"{at}.total.{k}"] = p.tree.total_values[k]
        if p.samples is not None:
            columns[f"{at}.time"], columns[f"{at}.leaf"] = p.samples.time, p.samples.leaf
            columns.update((f"{at}.weight.{k}", weights) for k, weights in enumerate(p.samples.weights))
        if p.spans is not None:
            columns.update((f"{at}.span.{field}", getattr(p.spans, field)) for field, _ in SPANS)
            columns[f"{at}.start"], columns[f"{at}.end"] = p.spans.start, p.spans.end
            columns[f"{at}.own"], columns[f"{at}.unfinished"] = p.spans.self_value, p.spans.unfinished
    return columns


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


def _profile(source: _Source, index: int, row: _Profile, node_base: int, span_base: int) -> Profile:
    at = f"p{index}"
    nodes = source.take(f"{at}.tree.frame", "i4").size
    if not 0 <= row.default_value < len(row.values):
        raise _damaged("a profile's default value does not exist")
    if row.facts.count_value is not None and not 0 <= row.facts.count_value < len(row.values):
        raise _damaged("a profile's value of counts does not exist")
    value_types = ["i8" if value.unit.is_time else "f8" for value in row.values]
    tree = CallTree(
        **{field: source.take(f"{at}.tree.{field}", dtype, nodes) for field, dtype in TREE},
        self_values=tuple(source.take(f"{at}.self.{k}", dtype, nodes) for k, dtype in enumerate(value_types)),
        total_values=tuple(source.take(f"{at}.total.{k}", dtype, nodes) for k, dtype in enumerate(value_types)),
    )
    axis_type = "i8" if row.axis.is_time else "f8"
    samples = spans = None
    if row.kind is ProfileKind.SAMPLED:
        time = source.take(f"{at}.time", axis_type)
        weights = tuple(source.take(f"{at}.weight.{k}", dtype, time.size) for k, dtype in enumerate(value_types))
        samples = Samples(time, source.take(f"{at}.leaf", "i4", time.size), weights)
    else:
        start = source.take(f"{at}.start", axis_type)
        spans = Spans.known(
            start=start,
            end=source.take(f"{at}.end", axis_type, start.size),
            node_depth=tree.depth,
            self_value=source.take(f"{at}.own", axis_type, start.size),
            unfinished=source.take(f"{at}.unfinished", "i4"),
            **{field: source.take(f"{at}.span.{field}", dtype, start.size) for field, dtype in SPANS},
        )
    return Profile(
        index=index,
        name=row.name,
        pid=row.pid,
        tid=row.tid,
        kind=row.kind,
        axis=row.axis,
        axis_start=row.axis_start,
        axis_end=row.axis_end,
        values=tuple(row.values),
        default_value=row.default_value,
        tree=tree,
        samples=samples,
        spans=spans,
        node_base=node_base,
        span_base=span_base,
        facts=row.facts,
        role=row.role,
        role_rule=row.role_rule,
    )


def _aligned(at: int, size: int) -> int:
    """Where something of this size may begin, from `at` on."""
    step = PAGE_BYTES if size >= PAGE_BYTES else LINE_BYTES
    return -(-at // step) * step


def _damaged(reason: str) -> DamagedTrace:
    return DamagedTrace(f"The cached columns cannot be used: {reason}. They are made again from the trace.")
