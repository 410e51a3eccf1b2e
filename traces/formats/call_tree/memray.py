"""What memray exports: flame graph pages, `transform gprof2dot` and `stats --json`.

memray's own recordings are its private format; these are what `memray flamegraph`, `transform` and `stats` make of
them. Format: memray's reporters (https://github.com/bloomberg/memray). A flame graph's nodes are columns in the page.
"""

import html
import re

import msgspec
import numpy as np

from traces.builder import TraceBuilder
from traces.errors import UnrecognisedTrace
from traces.formats.call_tree.callees_first import callees_first
from traces.formats.time_units import moment_written
from traces.stacks import StackTable
from traces.values import Unit, ValueType

BYTES = ValueType("allocated", Unit.BYTES)
COUNT = ValueType("allocations", Unit.COUNT)
PAGE_DATA = b"packed_data = "
PLACE = re.compile(r"([^:]*):(.*):(\d{1,9})", re.DOTALL)


class Nodes(msgspec.Struct):
    """A column a field; texts are numbers of the page's list of strings. Sizes count all below a node."""

    function: list[int]
    file: list[int] = msgspec.field(name="filename")
    line: list[int] = msgspec.field(name="lineno")
    children: list[list[int]]
    size: list[int] | None = msgspec.field(name="value", default=None)
    count: list[int] | None = msgspec.field(name="n_allocations", default=None)


class Page(msgspec.Struct):
    nodes: Nodes
    strings: list[str]


class Location(msgspec.Struct):
    location: str
    size: int = 0
    count: int = 0


class Metadata(msgspec.Struct):
    began: str | None = msgspec.field(name="start_time", default=None)


class Stats(msgspec.Struct):
    total: int = msgspec.field(name="total_num_allocations")
    total_bytes: int = msgspec.field(name="total_bytes_allocated")
    metadata: Metadata = msgspec.field(default_factory=Metadata)
    by_size: list[Location] = msgspec.field(name="top_allocations_by_size", default_factory=list)
    by_count: list[Location] = msgspec.field(name="top_allocations_by_count", default_factory=list)


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile: allocated bytes and how many allocations. Raises DamagedTrace."""
    if bytes(content[:256]).lstrip()[:1] == b"{":
        _read_stats(msgspec.json.decode(content, type=Stats), builder)
        return
    data = bytes(content)
    begin = data.find(PAGE_DATA)
    end = data.find(b";\n", begin)
    if begin < 0 or end < 0:
        raise builder.damaged("the page holds no data.")
    page = msgspec.json.decode(data[begin + len(PAGE_DATA) : end], type=Page)
    _read_page(page, builder)


def _read_page(page: Page, builder: TraceBuilder) -> None:
    nodes, strings = page.nodes, [html.unescape(text) for text in page.strings]
    if nodes.size is None or nodes.count is None:
        raise UnrecognisedTrace(
            f"{builder.name}: this is memray's flame graph over time, whose sums are made in the browser. "
            "Make it again without --temporal."
        )
    sizes, counts = nodes.size, nodes.count
    rows = len(nodes.function)
    if any(len(c) != rows for c in (nodes.file, nodes.line, nodes.children, sizes, counts)):
        raise builder.damaged("its columns are of different length.")
    if any(child <= parent or child >= rows for parent, below in enumerate(nodes.children) for child in below):
        raise builder.damaged("a node points to one that is not below it.")
    try:
        places = zip(nodes.function, nodes.file, nodes.line, strict=True)
        frames = [builder.frame(strings[f], strings[file] or None, line or None) for f, file, line in places]
    except IndexError as error:
        raise builder.damaged("a node names a text that it does not hold.") from error
    stacks = StackTable()
    own: list[tuple[int, int, int]] = []
    for node, leaf in callees_first(
        nodes.children[0] if rows else [], nodes.children.__getitem__, frames.__getitem__, stacks
    ):
        below = nodes.children[node]
        size = sizes[node] - sum(sizes[child] for child in below)
        own.append((leaf, size, counts[node] - sum(counts[child] for child in below)))
    _add(stacks, [row for row in own if row[1] > 0 or row[2] > 0], builder)


def _read_stats(stats: Stats, builder: TraceBuilder) -> None:
    """Only the heaviest places are in the file; what is left is said to be elsewhere."""
    moment, offset = moment_written(stats.metadata.began or "") or (None, None)
    builder.recorded(moment, utc_offset_minutes=offset)
    sizes = {row.location: row.size for row in stats.by_size}
    counts = {row.location: row.count for row in stats.by_count}
    rows = [(place, sizes.get(place, 0), counts.get(place, 0)) for place in dict.fromkeys((*sizes, *counts))]
    stacks = StackTable()
    own = [(stacks.child(-1, _frame(place, builder)), size, count) for place, size, count in rows]
    rest = stats.total_bytes - sum(sizes.values()), stats.total - sum(counts.values())
    if max(rest) > 0:
        own.append((stacks.child(-1, builder.frame("(other places)")), *rest))
    builder.warn("no_stacks", "the file holds only the places that allocate most, without their callers")
    _add(stacks, own, builder)


def _frame(place: str, builder: TraceBuilder) -> int:
    match = PLACE.fullmatch(place)
    return builder.frame(match[1], match[2] or None, int(match[3]) or None) if match else builder.frame(place)


def _add(stacks: StackTable, own: list[tuple[int, int, int]], builder: TraceBuilder) -> None:
    weights = [np.array([max(0, row[k]) for row in own], np.float64) for k in (1, 2)]
    builder.add_sampled(builder.name, stacks, [row[0] for row in own], weights, values=(BYTES, COUNT))
