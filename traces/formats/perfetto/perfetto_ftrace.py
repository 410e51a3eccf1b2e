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
from traces.formats.perfetto.perfetto_scheduling import BEYOND, MAX_THREADS, Threads, add_scheduling, read_scheduling
from traces.kernels.protobuf import Fields, scan_fields
from traces.missing_ends import HALF_INTERVALS, Half
from traces.model import NONE, Int64
from traces.nesting import match_begin_end

BUNDLE, PROCESS_TREE, FRAME_TIMELINE = 1, 2, 76
CPU, EVENT = 1, 2
TIME, TID, PRINT = 1, 2, 3
FRAME_KINDS = {1: "Expected display frame", 2: "Display frame", 3: "Expected surface frame", 4: "Surface frame"}
FRAME_END, LAYER = 5, 5
UNNAMED = "(unnamed)"
LEVEL = re.compile(r"-?[0-9]{1,18}")


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
    scheduling = read_scheduling(packets, bundles, cpus, events, times, cpus[rows], threads)
    if scheduling is not None:
        add_scheduling(scheduling, threads, builder)
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


@dataclass(slots=True)
class _Pairs:
    """Beginnings and ends by process, name and cookie, and what they join to."""

    waiting: dict[tuple[str, str, str], int] = field(default_factory=dict)
    spans: list[tuple[str, int, int]] = field(default_factory=list)
    halves: list[Half] = field(default_factory=list)

    def add(self, key: tuple[str, str, str], time: int, *, is_begin: bool) -> None:
        begin = self.waiting.pop(key, None)
        if is_begin:
            self.waiting[key] = time
            if begin is not None:
                self.halves.append(Half(key[1], "", begin, is_beginning=True))
        elif begin is None:
            self.halves.append(Half(key[1], "", time, is_beginning=False))
        else:
            self.spans.append((key[1], begin, time))

    def add_to(self, builder: TraceBuilder) -> None:
        self.halves += [Half(name, "", begin, is_beginning=True) for (_, name, _), begin in self.waiting.items()]
        builder.half_intervals("half_interval", HALF_INTERVALS, self.halves, len(self.halves))
        _add_intervals(self.spans, builder)


def _add_marks(
    packets: Packets, events: Fields, columns: tuple[Int64, Int64], threads: Threads, builder: TraceBuilder
) -> None:
    rows, begins, ends = parts(events, PRINT)
    texts = dict(_texts(packets.data, scan_fields(packets.data, begins, ends), 2))
    times, tids = (column[rows].tolist() for column in columns)
    of_thread: dict[int, list[tuple[int, int, bool]]] = {}
    pairs = _Pairs()
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
        elif kind in {"S", "F"}:
            pairs.add((pid, name, value), times[at], is_begin=kind == "S")
    pairs.add_to(builder)
    for tid, marks in list(of_thread.items())[:MAX_THREADS]:
        if not any(begins for _, _, begins in marks):
            continue
        time, frame = np.array([m[0] for m in marks]), np.array([m[1] for m in marks], np.int32)
        is_begin = np.array([m[2] for m in marks])
        nested = match_begin_end(time, np.zeros(len(marks), np.int32), is_begin, int(time[-1]))
        pid = str(threads.processes.get(tid, ""))
        unmatched = nested.first_unmatched and (nested.first_unmatched[0], NONE)
        named = replace(nested, frame=frame[nested.source], first_unmatched=unmatched)
        builder.add_evented(threads.names.get(tid) or f"tid {tid}", named, pid=pid, tid=str(tid))
    builder.warn("threads", BEYOND, len(of_thread) - MAX_THREADS)


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
