"""Austin's text samples: `P<pid>;T<interpreter>:<thread>;file:function:line;... metric`, and `# key: value` lines.

Format: https://p403n1x87.github.io/austin. The metric is microseconds, bytes of memory (`mode: memory`), or both with a
flag for idle threads (`mode: full`). Lines are where a function was, not where it begins: a function is one frame with
the lowest of them.
"""

import re
from dataclasses import replace

import numpy as np

from traces.bounds import MAX_STACK_DEPTH
from traces.builder import TraceBuilder
from traces.equal_rows import distinct, rows_of_each
from traces.kernels.library import NotReadable
from traces.kernels.lines import Lines, scan_lines
from traces.kernels.trees import Paths
from traces.losses import LOST
from traces.model import NONE, Int32, Int64, Values
from traces.stacks import with_frames
from traces.values import Facts, Unit, ValueType, Waits

MODE = re.compile(rb"^# mode: (\w+)", re.MULTILINE)
ERRORS = re.compile(rb"^# errors: ([0-9/]+)", re.MULTILINE)
LAST_BYTES = 4_096
"""In which the comments at the end stand."""
SAMPLE = re.compile(rb"^(P[^\n]*) (-?\d{1,15})(?:,([01]),(-?\d{1,15}))?\r?$", re.MULTILINE)
LINE_DIGITS = 9
OLD_PLACE = re.compile(r"(\S+) \((.*)\)(?:;L(\d{1,9}))?", re.DOTALL)
COLLECTOR = ":GC:"
MAX_LINE = 1 << 30
WALL, CPU = ValueType("wall time", Unit.NANOSECONDS), ValueType("CPU time", Unit.NANOSECONDS)
ALLOCATED, FREED = ValueType("allocated", Unit.BYTES), ValueType("freed", Unit.BYTES)


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile a thread; samples lie end to end. Raises DamagedTrace."""
    head = bytes(content[:4_096])
    mode = found[1] if (found := MODE.search(head)) else b"wall"
    try:
        if mode in {b"memory", b"full"}:
            lines, values, columns = _read_memory(bytes(content), builder, full=mode == b"full")
        else:
            lines = scan_lines(content, MAX_STACK_DEPTH, builder.progress.counter)
            values, columns = (CPU if mode == b"cpu" else WALL,), [lines.weight.astype(np.int64) * 1_000]
    except NotReadable as error:
        raise builder.damaged(f"{error}.") from error
    builder.warn("skipped_lines", "lines without a stack and a metric were skipped", lines.skipped)
    failed = ERRORS.search(bytes(content[-LAST_BYTES:]))
    warn_of_errors(builder, failed[1].decode() if failed else "")
    names = lines.names.decoded()
    frames = _frames(names, lines.paths, builder)
    facts = facts_of_mode(builder.facts, mode.decode())
    top = _ancestors(lines.paths, 1)
    nodes = dict(rows_of_each(top))
    number = np.full(len(top) + 1, NONE, np.int32)  # the last row is for NONE
    for thread, samples in rows_of_each(top[lines.paths.leaf]):
        pid, tid = _ids(names, lines.paths, thread)
        paths = with_frames(_below(lines.paths, nodes[thread], number, samples), frames)
        name = f"pid {pid}, thread {tid}" if tid else f"pid {pid}"
        weights = [column[samples] for column in columns]
        builder.add_sampled(name, paths, paths.leaf, weights, values=values, pid=pid, tid=tid, facts=facts)


def warn_of_errors(builder: TraceBuilder, said: str) -> None:
    """Warn of samples that Austin could not take, of how many it says at the end: `12/3456`."""
    number = said.partition("/")[0][:15]
    count = int(number) if number.isascii() and number.isdecimal() else 0
    builder.warn(LOST, "samples were lost while recording, as they could not be read", count)


def facts_of_mode(facts: Facts, mode: str) -> Facts:
    """What Austin's mode makes of its profiles: bytes have no times, CPU time leaves waiting out."""
    waits = {"wall": Waits.BOTH, "full": Waits.BOTH, "cpu": Waits.WORK, "memory": Waits.NEITHER}
    return replace(facts, waits=waits.get(mode, Waits.UNKNOWN))


def _read_memory(
    data: bytes, builder: TraceBuilder, *, full: bool
) -> tuple[Lines, tuple[ValueType, ...], list[Values]]:
    rows = [row for row in SAMPLE.findall(data) if bool(row[2]) == full]
    lines = scan_lines(b"\n".join(row[0] + b" 1" for row in rows), MAX_STACK_DEPTH)
    said = sum(1 for line in data.split(b"\n") if line.strip() and line[:1] != b"#")
    builder.warn("skipped_lines", "lines without a stack and a metric were skipped", said - len(rows))
    metric = np.array([int(row[1]) for row in rows], np.int64)
    if not full:
        return lines, (ALLOCATED, FREED), [metric.clip(0), (-metric).clip(0)]
    if len(metric) and metric.min() < 0:
        raise builder.damaged("a sample has a negative time.")
    busy = np.array([row[2] == b"0" for row in rows], np.int64)
    memory = np.array([int(row[3]) for row in rows], np.int64)
    columns: list[Values] = [metric * 1_000, metric * busy * 1_000, memory.clip(0), (-memory).clip(0)]
    return lines, (WALL, CPU, ALLOCATED, FREED), columns


def _ancestors(paths: Paths, depth: int) -> Int64:
    """Each node's ancestor at a depth; above it, the node itself. Each look takes all of them twice as far up."""
    found = np.where(paths.depth > depth, paths.parent, np.arange(len(paths)))
    for _ in range(int(paths.depth.max(initial=0)).bit_length()):
        found = found[found]
    return found


def _ids(names: list[str], paths: Paths, thread: int) -> tuple[str, str]:
    parent = int(paths.parent[thread])
    if parent < 0:
        return names[paths.frame[thread]].removeprefix("P"), ""
    tid = names[paths.frame[thread]].removeprefix("T").removeprefix("0:")
    return names[paths.frame[parent]].removeprefix("P"), tid


def _below(paths: Paths, nodes: Int64, number: Int32, samples: Int64) -> Paths:
    """The part of the tree below a thread, which is itself no frame; `number` is filled with its nodes' new numbers."""
    kept = nodes[paths.depth[nodes] >= 2]
    number[kept] = np.arange(len(kept), dtype=np.int32)
    return Paths(
        frame=paths.frame[kept],
        parent=number[paths.parent[kept]],
        depth=(paths.depth[kept] - 2).astype(np.int32),
        leaf=number[paths.leaf[samples]],
        truncated=paths.truncated,
    )


def _frames(names: list[str], paths: Paths, builder: TraceBuilder) -> Int32:
    """The builder's frame of each name, NONE for processes and threads."""
    called = distinct(paths.frame[paths.depth >= 2])
    places = [_place(names[index]) for index in called.tolist()]
    lowest: dict[tuple[str, str | None], int] = {}
    for name, file, line in places:
        lowest[name, file] = min(line or MAX_LINE, lowest.get((name, file), MAX_LINE))
    number: dict[tuple[str, str | None], int] = {}
    for (name, file), line in lowest.items():
        shown, category = ("(garbage collector)", "gc") if name == COLLECTOR else (name, None)
        number[name, file] = builder.frame(shown, file, line if line < MAX_LINE else None, category=category)
    frames = np.full(len(names), NONE, np.int32)
    frames[called] = [number[name, file] for name, file, _ in places]
    return frames


def _place(name: str) -> tuple[str, str | None, int]:
    place, _, line = name.rpartition(":")
    file, _, function = place.rpartition(":")
    if function and ":" in place and line.isdecimal() and len(line) <= LINE_DIGITS:
        return function, file or None, int(line)
    old = OLD_PLACE.fullmatch(name)
    if old is not None:
        return old[1], old[2] or None, int(old[3] or 0)
    return name, None, 0
