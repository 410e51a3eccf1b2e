"""GHC's time and allocation profiles: the JSON of `+RTS -pj` and the report of `+RTS -p` or `-P`.

Format: https://downloads.haskell.org/ghc/latest/docs/users_guide/profiling.html. The report rounds to tenths of a
percent, unless `-P` adds ticks and bytes.
"""

import re
from dataclasses import dataclass, field

import msgspec
import numpy as np

from traces.builder import TraceBuilder
from traces.formats.call_tree.callees_first import callees_first
from traces.formats.time_units import nanoseconds
from traces.stacks import StackTable
from traces.values import Unit, ValueType

VALUES = (ValueType("time", Unit.NANOSECONDS), ValueType("allocated", Unit.BYTES))
PLACE = re.compile(r"(.+):\(?(\d{1,9})[,:](\d{1,9})\)?(?:-.*)?")
TOTAL_TIME = re.compile(r"total time *= *([\d.]{1,20}) secs +\((\d{1,15}) ticks @ (\d{1,12}) us")
TOTAL_ALLOC = re.compile(r"total alloc *= *([\d,]{1,30}) bytes")
ROW = re.compile(
    r"( *)(\S+) +(\S+) +(?:(\S(?:.*?\S)??) +)?(\d{1,12}) +(\d{1,18}) +([\d.]{1,6}) +([\d.]{1,6})"
    r" +[\d.]{1,6} +[\d.]{1,6}(?: +(\d{1,18}) +(\d{1,18}))? *"
)
MAX_ROW = 4_000


class CostCentre(msgspec.Struct, gc=False):
    id: int
    label: str = ""
    module: str = ""
    source: str | None = msgspec.field(name="src_loc", default=None)


class Node(msgspec.Struct):
    id: int
    alloc: float | int = 0
    ticks: float | int = 0
    children: list["Node"] = []


class File(msgspec.Struct):
    centres: list[CostCentre] = msgspec.field(name="cost_centres")
    profile: Node
    program: str = ""
    tick_us: int = msgspec.field(name="tick_interval", default=1_000)


@dataclass(slots=True)
class Row:
    """A line of the report's tree."""

    frame: int
    time: float
    alloc: float
    children: list["Row"] = field(default_factory=list)


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile with time and allocated bytes. Raises DamagedTrace."""
    if bytes(content[:256]).lstrip()[:1] == b"{":
        _read_json(content, builder)
    else:
        _read_report(str(content, "utf-8", "replace"), builder)


def _read_json(content: memoryview, builder: TraceBuilder) -> None:
    file = msgspec.json.decode(content, type=File)
    frames = {c.id: _frame(builder, c.label, c.module, c.source) for c in file.centres}
    stacks = StackTable()
    leaves: list[int] = []
    costs: list[tuple[float, float]] = []
    try:
        for node, leaf in callees_first([file.profile], lambda n: n.children, lambda n: frames[n.id], stacks):
            leaves.append(leaf)
            costs.append((node.ticks, node.alloc))
        time = nanoseconds([ticks * file.tick_us for ticks, _ in costs], 1_000)
    except KeyError as error:
        raise builder.damaged("its tree names a cost centre that is not in its list.") from error
    except ValueError as error:
        raise builder.damaged(f"{error}.") from error
    allocated = np.array([alloc for _, alloc in costs], np.float64)
    builder.add_sampled(file.program or builder.name, stacks, leaves, [time, allocated], values=VALUES)


def _frame(builder: TraceBuilder, label: str, module: str, source: str | None) -> int:
    name = f"{module}.{label}"
    category = "gc" if module == "GC" else "idle" if module == "IDLE" else None
    if source is None or source.startswith("<"):
        return builder.frame(name, category=category)
    place = PLACE.fullmatch(source)
    if place is None:
        return builder.frame(name, source, category=category)
    return builder.frame(name, place[1], int(place[2]), int(place[3]), category)


def _read_report(text: str, builder: TraceBuilder) -> None:
    head, found, body = text.partition("individual")
    total_time, total_alloc = TOTAL_TIME.search(head), TOTAL_ALLOC.search(head)
    if not found or total_time is None or total_alloc is None:
        raise builder.damaged("the report breaks off before its tree.")
    tick = int(total_time[3]) * 1_000
    duration, alloc = int(total_time[2]) * tick, float(total_alloc[1].replace(",", ""))
    roots: list[Row] = []
    open_rows: list[tuple[int, Row]] = []
    unread = 0
    for line in body.split("\n")[2:]:
        match = ROW.fullmatch(line[:MAX_ROW].rstrip())
        if match is None:
            unread += bool(line.strip())
            continue
        indent, label, module, source, _, _, time_share, alloc_share, ticks, size = match.groups()
        try:
            row = Row(
                _frame(builder, label, module, source),
                int(ticks) * tick if ticks else float(time_share) / 100 * duration,
                float(size) if size else float(alloc_share) / 100 * alloc,
            )
        except ValueError:
            unread += 1
            continue
        while open_rows and open_rows[-1][0] >= len(indent):
            open_rows.pop()
        (open_rows[-1][1].children if open_rows else roots).append(row)
        open_rows.append((len(indent), row))
    builder.warn("unread_lines", "lines of the report that are cut or malformed were skipped", unread)
    if roots and not any(line.rstrip().endswith("bytes") for line in body.split("\n", 3)[:3]):
        builder.warn("rounded", "the report rounds to tenths of a percent; +RTS -P or -pj records exact numbers")
    stacks = StackTable()
    walked = list(callees_first(roots, lambda r: r.children, lambda r: r.frame, stacks))
    time = np.array([row.time for row, _ in walked], np.float64)
    allocated = np.array([row.alloc for row, _ in walked], np.float64)
    builder.add_sampled(builder.name, stacks, [leaf for _, leaf in walked], [time, allocated], values=VALUES)
