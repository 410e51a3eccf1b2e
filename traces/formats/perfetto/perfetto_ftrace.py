"""The kernel's own events in a Perfetto trace: which thread ran on which processor, what programs write as marks, and
Android's frames.

Format: https://github.com/google/perfetto, protos/perfetto/trace/ftrace (ftrace_event_bundle.proto, sched.proto),
trace/android/frame_timeline_event.proto, trace/ps/process_tree.proto. Marks are Android's atrace texts: `B|pid|name`
and `E` on a thread, `C|pid|name|level`, `S` and `F|pid|name|cookie` for what is on no thread.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from traces.builder import TraceBuilder
from traces.formats.perfetto.perfetto_packets import Packets, column, parts
from traces.kernels.protobuf import LENGTH, Fields, scan_fields, scan_varints
from traces.model import NONE, Int64
from traces.nesting import match_begin_end, nest_slices

BUNDLE, PROCESS_TREE, FRAME_TIMELINE = 1, 2, 76
CPU, EVENT, COMPACT = 1, 2, 4
TIME, TID, PRINT, SWITCH = 1, 2, 3, 4
NEXT_NAME, NEXT_TID = 5, 6
FRAME_KINDS = {1: "Expected display frame", 2: "Display frame", 3: "Expected surface frame", 4: "Surface frame"}
FRAME_END, LAYER = 5, 5
IDLE = 0
UNNAMED = "(unnamed)"
LEVEL = re.compile(r"-?[0-9]{1,18}")
MAX_THREADS = 1_000
Switch = tuple[int, int, int, str]
"""Time, processor, the thread that runs from then on, its name."""


@dataclass(frozen=True, slots=True)
class Threads:
    """Names by thread, and the process of each."""

    names: dict[int, str] = field(default_factory=dict)
    processes: dict[int, int] = field(default_factory=dict)


def read_kernel_events(packets: Packets, builder: TraceBuilder) -> None:
    """Feed slices of threads, then processors and threads as they ran, and what is on no thread. Raises NotReadable."""
    of, firsts, lasts = packets.parts(BUNDLE)
    bundles = scan_fields(packets.data, firsts, lasts)
    cpus = column(bundles, len(of), CPU)
    rows, begins, ends = parts(bundles, EVENT)
    events = scan_fields(packets.data, begins, ends)
    threads = _threads(packets)
    times, tids = column(events, len(rows), TIME), column(events, len(rows), TID)
    _add_marks(packets, events, (times, tids), threads, builder)
    switches = [*_switches(packets, events, times, cpus[rows]), *_compact_switches(packets, bundles, cpus)]
    _add_running(switches, threads, builder)
    _add_frames(packets, builder)


def _threads(packets: Packets) -> Threads:
    found = Threads()
    _, firsts, lasts = packets.parts(PROCESS_TREE)
    trees = scan_fields(packets.data, firsts, lasts)
    for number, name_field in ((1, 3), (2, 2)):
        rows, begins, ends = parts(trees, number)
        said = scan_fields(packets.data, begins, ends)
        idents, owners = column(said, len(rows), 1).tolist(), column(said, len(rows), 3).tolist()
        names = dict(reversed(list(_texts(packets.data, said, name_field))))
        for row, ident in enumerate(idents):
            if name := names.get(row):
                found.names[ident] = name.rpartition("/")[2] if number == 1 else name
            if number == 2:  # a thread says its process
                found.processes[ident] = owners[row] or ident
            else:
                found.processes.setdefault(ident, ident)
    return found


def _texts(data: bytes, said: Fields, number: int) -> Iterator[tuple[int, str]]:
    rows, firsts, lasts = parts(said, number)
    for row, first, last in zip(rows.tolist(), firsts.tolist(), lasts.tolist(), strict=True):
        yield row, data[first:last].decode("utf-8", "replace")


def _add_marks(
    packets: Packets, events: Fields, columns: tuple[Int64, Int64], threads: Threads, builder: TraceBuilder
) -> None:
    rows, begins, ends = parts(events, PRINT)
    texts = dict(_texts(packets.data, scan_fields(packets.data, begins, ends), 2))
    times, tids = (column[rows].tolist() for column in columns)
    of_thread: dict[int, list[tuple[int, int, bool]]] = {}
    open_spans: dict[tuple[str, str, str], int] = {}
    spans: list[tuple[str, int, int]] = []
    for at, text in sorted(texts.items(), key=lambda item: times[item[0]]):
        kind, _, rest = text.rstrip("\n").partition("|")
        pid, _, said = rest.partition("|")
        name, _, value = said.rpartition("|")
        if kind == "B":
            of_thread.setdefault(tids[at], []).append((times[at], builder.frame(said or UNNAMED), True))
            if pid.isdecimal():
                threads.processes.setdefault(tids[at], int(pid))
        elif kind == "E":
            of_thread.setdefault(tids[at], []).append((times[at], NONE, False))
        elif kind == "C" and LEVEL.fullmatch(value):
            builder.counter(NONE, times[at], name, float(value))
        elif kind == "S":
            open_spans[pid, name, value] = times[at]
        elif kind == "F" and (begin := open_spans.pop((pid, name, value), None)) is not None:
            spans.append((name, begin, times[at]))
    _add_intervals(spans, builder)
    for tid, marks in list(of_thread.items())[:MAX_THREADS]:
        if not any(begins for _, _, begins in marks):
            continue
        time, frame = np.array([m[0] for m in marks]), np.array([m[1] for m in marks], np.int32)
        is_begin = np.array([m[2] for m in marks])
        nested = match_begin_end(time, np.zeros(len(marks), np.int32), is_begin, int(time[-1]))
        pid = str(threads.processes.get(tid, ""))
        named = replace(nested, frame=frame[nested.source], first_unmatched=None)
        builder.add_evented(threads.names.get(tid) or f"tid {tid}", named, pid=pid, tid=str(tid))
    builder.warn("threads", f"threads beyond the first {MAX_THREADS:,} were not read", len(of_thread) - MAX_THREADS)


def _switches(packets: Packets, events: Fields, times: Int64, cpus: Int64) -> Iterator[Switch]:
    rows, begins, ends = parts(events, SWITCH)
    said = scan_fields(packets.data, begins, ends)
    names = dict(_texts(packets.data, said, NEXT_NAME))
    tids = column(said, len(rows), NEXT_TID).tolist()
    for at, (time, cpu, tid) in enumerate(zip(times[rows].tolist(), cpus[rows].tolist(), tids, strict=True)):
        yield time, cpu, tid, names.get(at, "")


def _compact_switches(packets: Packets, bundles: Fields, cpus: Int64) -> Iterator[Switch]:
    """Columns of one processor: times as steps, names as places in a table."""
    of, firsts, lasts = parts(bundles, COMPACT)
    for bundle, first, last in zip(of.tolist(), firsts.tolist(), lasts.tolist(), strict=True):
        said = scan_fields(packets.data, [first], [last])
        table = [text for _, text in _texts(packets.data, said, 5)]
        times, tids, names = (_numbers(packets.data, said, number) for number in (1, 3, 6))
        cpu = int(cpus[bundle])
        for time, tid, name in zip(np.cumsum(times).tolist(), tids.tolist(), names.tolist(), strict=False):
            yield time, cpu, tid, table[name] if 0 <= name < len(table) else ""


def _numbers(data: bytes, said: Fields, number: int) -> Int64:
    return scan_varints(data, said, np.flatnonzero((said.number == number) & (said.wire == LENGTH)))[0]


def _add_running(switches: list[Switch], threads: Threads, builder: TraceBuilder) -> None:
    """What ran on each processor, and when each thread ran: from one switch of a processor to its next."""
    if not switches:
        return
    switches.sort(key=lambda switch: (switch[1], switch[0]))
    on_cpu: dict[int, list[tuple[int, int, int]]] = {}
    of_thread: dict[int, list[tuple[int, int, int]]] = {}
    for (time, cpu, tid, name), following in zip(switches, [*switches[1:], None], strict=True):
        if following is None or following[1] != cpu or tid == IDLE:
            continue
        label = threads.names.get(tid) or name or f"tid {tid}"
        threads.names.setdefault(tid, label)
        on_cpu.setdefault(cpu, []).append((time, following[0], builder.frame(f"{label} ({tid})")))
        of_thread.setdefault(tid, []).append((time, following[0], builder.frame(f"Running on CPU {cpu}")))
    for cpu, rows in sorted(on_cpu.items()):
        _add_slices(f"CPU {cpu}", rows, builder)
    busiest = sorted(of_thread, key=lambda tid: -sum(end - start for start, end, _ in of_thread[tid]))
    for tid in busiest[:MAX_THREADS]:
        pid = str(threads.processes.get(tid, ""))
        _add_slices(f"{threads.names[tid]} on processors", of_thread[tid], builder, pid=pid, tid=str(tid))
    builder.warn("threads", f"threads beyond the first {MAX_THREADS:,} were not read", len(busiest) - MAX_THREADS)


def _add_slices(
    name: str, rows: list[tuple[int, int, int]], builder: TraceBuilder, *, pid: str = "", tid: str = ""
) -> None:
    start, end, frame = np.array(sorted(rows), np.int64).T
    nested = nest_slices(start.copy(), np.maximum(start, end), frame.astype(np.int32))
    builder.add_evented(name, nested, pid=pid, tid=tid)


def _add_frames(packets: Packets, builder: TraceBuilder) -> None:
    """Android's frames, expected and as they were: each from the packet that begins it to the one that ends it."""
    of, firsts, lasts = packets.parts(FRAME_TIMELINE)
    said = scan_fields(packets.data, firsts, lasts)
    edges: list[tuple[int, int, str]] = []
    for number in (*FRAME_KINDS, FRAME_END):
        rows, begins, ends = parts(said, number)
        inner = scan_fields(packets.data, begins, ends)
        layers = dict(_texts(packets.data, inner, LAYER)) if number in (3, 4) else {}
        times, cookies = packets.times[of[rows]].tolist(), column(inner, len(rows), 1).tolist()
        for at, (time, cookie) in enumerate(zip(times, cookies, strict=True)):
            label = FRAME_KINDS.get(number, "")
            edges.append((time, cookie, f"{label}: {layers[at]}" if layers.get(at) else label))
    open_frames: dict[int, tuple[int, str]] = {}
    spans: list[tuple[str, int, int]] = []
    for time, cookie, name in sorted(edges):
        if name:
            open_frames[cookie] = time, name
        elif (opened := open_frames.pop(cookie, None)) is not None:
            spans.append((opened[1], opened[0], time))
    _add_intervals(spans, builder)


def _add_intervals(spans: list[tuple[str, int, int]], builder: TraceBuilder) -> None:
    if not spans:
        return
    texts = list(dict.fromkeys(name for name, _, _ in spans))
    place = {name: at for at, name in enumerate(texts)}
    size = len(spans)
    builder.side_tables.intervals.append(
        (
            np.full(size, NONE, np.int32),
            np.array([start for _, start, _ in spans], np.int64),
            np.array([end for _, _, end in spans], np.int64),
            np.array([place[name] for name, _, _ in spans], np.int32),
            texts,
            np.zeros(size, np.int32),
            [""],
        )
    )
