"""`.cpuprofile` of Node and Chrome: today's list of nodes, and the tree that Node 10 and older wrote."""

from itertools import pairwise
from typing import Any

import msgspec
import numpy as np

from traces.builder import TraceBuilder
from traces.formats.v8.v8_nodes import NODE, V8Profile, add_v8_counts, add_v8_profile
from traces.kernels.library import NotReadable
from traces.kernels.numbers import scan_numbers
from traces.kernels.record_columns import Field, Kind, Table
from traces.kernels.records import scan_records
from traces.kernels.scaled import MISSING, scaled

HITS = Field("hits", "hitCount", Kind.SCALED)
TIMES = ("timeDeltas", "timestamps")
"""When samples were taken: since the one before, or as older tools and some others write it, on the clock."""


class TreeNode(msgspec.Struct):
    id: int
    name: str = msgspec.field(name="functionName", default="")
    url: str = ""
    hits: int = msgspec.field(name="hitCount", default=0)
    line: float | None = msgspec.field(name="lineNumber", default=None)
    column: float | None = msgspec.field(name="columnNumber", default=0)  # not written then: the line's beginning
    children: list["TreeNode"] = []


class TreeFile(msgspec.Struct):
    head: TreeNode
    samples: list[int] | None = None
    timestamps: list[float | int] | None = None


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile. Raises DamagedTrace."""
    head = bytes(content[:4096])
    if b'"callFrame"' not in head and b'"head"' in head:
        content = _as_list(content, builder)
    try:
        if _has_times(content, builder):
            add_v8_profile(builder, _read_list(content, builder), builder.name)
        else:
            _add_counts(content, builder)
    except NotReadable as error:
        raise builder.damaged(f"{error}.") from error


def _has_times(content: memoryview, builder: TraceBuilder) -> bool:
    """Whether the samples' times are there; both lists are optional in the protocol."""
    members = scan_records(content, NODE, "nodes").members
    least = len("[]") if builder.breaks_off else 0
    return "samples" in members and any(members.get(name, (0, 0))[1] > least for name in TIMES)


def _add_counts(content: memoryview, builder: TraceBuilder) -> None:
    """How often nodes were sampled, as they say it themselves or as samples without times have it."""
    table = scan_records(content, (*NODE, HITS), "nodes", builder.progress.counter)
    if table.unterminated:
        raise builder.damaged("it breaks off.")
    hits = np.maximum(table.numbers("hits"), 0)  # missing ones are far below
    rows = np.flatnonzero(hits)
    ids, counts = table.numbers("id")[rows], hits[rows]
    if not len(rows) and "samples" in table.members:
        offset, length = table.members["samples"]
        ids, counts = np.unique(scan_numbers(content, ([offset], [length]))[0], return_counts=True)
    if not len(ids):
        raise builder.damaged("it has no samples or no time deltas.")
    add_v8_counts(builder, table, ids, counts.astype(np.int64), builder.name)
    if builder.breaks_off:
        builder.warn("times_lost", "times stand behind where the file breaks off: samples are counted instead")
    else:
        builder.warn("no_times", "the file has no times of its samples: they are counted")


def _read_list(content: memoryview, builder: TraceBuilder) -> V8Profile:
    table = scan_records(content, NODE, "nodes", builder.progress.counter)
    samples = table.members["samples"]
    if table.unterminated:
        raise builder.damaged("it breaks off.")
    start, end = (_time(content, table, name) for name in ("startTime", "endTime"))
    ids, _ = scan_numbers(content, ([samples[0]], [samples[1]]))
    deltas = table.members.get("timeDeltas") or table.members["timestamps"]
    times, _ = scan_numbers(content, ([deltas[0]], [deltas[1]]), scale=3)
    if "timeDeltas" not in table.members:
        times = np.diff(times, prepend=times[:1] if start == MISSING else start)
    if builder.breaks_off:
        ids, times = ids[: len(times)], times[: len(ids)]
    known = MISSING not in (start, end) and end > start and not builder.breaks_off
    length = end - start if known else 0
    return V8Profile(0 if start == MISSING else start, table, np.arange(table.count), ids, times, length)


def _time(content: memoryview, table: Table, name: str) -> int:
    offset, length = table.members.get(name, (0, 0))
    return scaled(bytes(content[offset : offset + length]), 3)


def _as_list(content: memoryview, builder: TraceBuilder) -> memoryview:
    """The tree of an old file as the list of a new one. Raises DamagedTrace."""
    file = msgspec.json.decode(content, type=TreeFile)
    nodes = []
    pending = [file.head]
    while pending:
        node = pending.pop()
        call = {"functionName": node.name, "url": node.url, "lineNumber": node.line, "columnNumber": node.column}
        children = [child.id for child in node.children]
        nodes.append({"id": node.id, "callFrame": call, "hitCount": node.hits, "children": children})
        pending.extend(node.children)
    samples = file.samples or []
    times = (file.timestamps or [])[: len(samples)]
    deltas = [0, *(now - before for before, now in pairwise(times))][: len(times)]
    document: dict[str, Any] = {"nodes": nodes, "startTime": times[0] if times else 0}
    if file.samples is not None:
        document["samples"] = samples
    if file.timestamps is not None:
        document["timeDeltas"] = deltas
    return memoryview(msgspec.json.encode(document))
