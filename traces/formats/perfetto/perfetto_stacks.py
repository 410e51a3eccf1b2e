"""Stacks in a Perfetto trace: sampled ones of traced_perf and of Chromium, and allocations of heapprofd.

Format: https://github.com/google/perfetto, protos/perfetto/trace/profiling (profile_packet.proto, profile_common.proto)
and interned_data.proto. Names, mappings, frames and stacks are numbered by their writer; heapprofd of Android 10 has
its tables in the packet itself. A frame without a name is its place in the mapped file.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from traces.builder import TraceBuilder
from traces.formats.format import RUNNING, sums
from traces.formats.perfetto.perfetto_packets import INTERNED, Packets, column, parts
from traces.kernels.protobuf import Fields, scan_fields, scan_varints
from traces.losses import LOST
from traces.model import Int64
from traces.stacks import StackTable
from traces.values import Counts, Unit, ValueType, Waits

HEAP, STREAMING, PERF = 37, 54, 66
STRINGS, PATHS, FRAMES, STACKS, MAPPINGS = "strings", "paths", "frames", "stacks", "mappings"
INTERNED_TABLES = {5: STRINGS, 17: PATHS, 6: FRAMES, 7: STACKS, 19: MAPPINGS}
HEAP_TABLES = {1: STRINGS, 2: FRAMES, 3: STACKS, 4: MAPPINGS}
SAMPLE = (ValueType("samples", Unit.COUNT),)
HEAP_VALUES = (
    ValueType("alloc_objects", Unit.COUNT),
    ValueType("alloc_space", Unit.BYTES),
    ValueType("inuse_objects", Unit.COUNT),
    ValueType("inuse_space", Unit.BYTES),
)
HEAP_FACTS = sums(Counts.EVENTS, Waits.NEITHER, count_value=2)
SAMPLED_FACTS = RUNNING
MAX_THREADS = 1_000
Key = tuple[int, int]
"""State and number."""


@dataclass(slots=True)
class Tables:
    """What numbers mean, by state."""

    strings: dict[Key, str] = field(default_factory=dict)
    paths: dict[Key, str] = field(default_factory=dict)
    frames: dict[Key, tuple[int, int, int]] = field(default_factory=dict)
    """Name, mapping and place in it."""
    stacks: dict[Key, list[int]] = field(default_factory=dict)
    mappings: dict[Key, list[int]] = field(default_factory=dict)
    """The parts of its path."""

    def read(self, data: bytes, entries: Fields, states: Int64, numbers: dict[int, str]) -> None:
        """Read tables of these fields; `states` are those of the messages that hold them. Raises NotReadable."""
        for number, kind in numbers.items():
            of, firsts, lasts = parts(entries, number)
            said = scan_fields(data, firsts, lasts)
            idents = column(said, len(of), 1).tolist()
            keys = list(zip(states[of].tolist(), idents, strict=True))
            if kind in (STRINGS, PATHS):
                table = self.strings if kind == STRINGS else self.paths
                rows, begins, ends = parts(said, 2)
                for row, begin, end in zip(rows.tolist(), begins.tolist(), ends.tolist(), strict=True):
                    table[keys[row]] = data[begin:end].decode("utf-8", "replace")
            elif kind == FRAMES:
                columns = (column(said, len(of), inner).tolist() for inner in (2, 3, 4))
                self.frames.update(zip(keys, zip(*columns, strict=True), strict=True))
            else:
                table_of_lists = self.stacks if kind == STACKS else self.mappings
                for key, members in zip(keys, _lists(data, said, len(of), 2 if kind == STACKS else 7), strict=True):
                    table_of_lists[key] = members


def _lists(data: bytes, said: Fields, count: int, number: int) -> list[list[int]]:
    """A repeated number of each message, packed or not."""
    found: list[list[int]] = [[] for _ in range(count)]
    rows = np.flatnonzero(said.number == number)
    numbers, ends = scan_varints(data, said, rows)
    begin = 0
    for row, end in zip(said.message[rows].tolist(), ends.tolist(), strict=True):
        found[row] += numbers[begin:end].tolist()
        begin = end
    return found


class Paths:
    """The builder's frames of each stack, outermost first, read once."""

    def __init__(self, tables: Tables, builder: TraceBuilder) -> None:
        self._tables = tables
        self._builder = builder
        self._known: dict[Key, list[int]] = {}

    def of(self, key: Key) -> list[int]:
        """Empty where the stack is not in the file."""
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = [self._frame((key[0], at)) for at in self._tables.stacks.get(key, ())]
        return known

    def _frame(self, key: Key) -> int:
        name, mapping, place = self._tables.frames.get(key, (0, 0, 0))
        file = [self._path((key[0], part)) for part in self._tables.mappings.get((key[0], mapping), ())]
        text = self._tables.strings.get((key[0], name))
        if not text:
            text = f"{file[-1].rpartition('/')[2]}+0x{place:x}" if file and file[-1] else f"0x{place:x}"
        return self._builder.frame(text, "/" + "/".join(file).lstrip("/") if file else None)

    def _path(self, key: Key) -> str:
        return self._tables.paths.get(key) or self._tables.strings.get(key, "")


def read_profiles(packets: Packets, builder: TraceBuilder) -> None:
    """Feed a profile a sampled thread, and one a process of which allocations were recorded. Raises NotReadable."""
    if not np.isin(packets.fields.number, (HEAP, STREAMING, PERF)).any():
        return
    tables = Tables()
    of, firsts, lasts = packets.parts(INTERNED)
    tables.read(packets.data, scan_fields(packets.data, firsts, lasts), packets.state[of], INTERNED_TABLES)
    paths = Paths(tables, builder)
    _add_samples(packets, paths, builder)
    _add_streamed(packets, paths, builder)
    _add_heaps(packets, tables, paths, builder)


def _add_samples(packets: Packets, paths: Paths, builder: TraceBuilder) -> None:
    of, firsts, lasts = packets.parts(PERF)
    said = scan_fields(packets.data, firsts, lasts)
    pids, tids, stacks = (column(said, len(of), number).tolist() for number in (2, 3, 4))
    states, times = packets.state[of].tolist(), packets.times[of].tolist()
    lost = column(said, len(of), 17)
    builder.warn(LOST, "events were lost while recording", min(int(lost.sum()), 1 << 53))
    rows = [
        ((pid, tid), time, paths.of((state, stack)))
        for pid, tid, stack, state, time in zip(pids, tids, stacks, states, times, strict=True)
        if stack
    ]
    _add_threads(rows, lambda key: f"Samples of tid {key[1]}", builder)


def _add_streamed(packets: Packets, paths: Paths, builder: TraceBuilder) -> None:
    """Chromium's own sampler: stacks of the writer's thread, with steps of microseconds."""
    of, firsts, lasts = packets.parts(STREAMING)
    said = scan_fields(packets.data, firsts, lasts)
    stacks, steps = (_lists(packets.data, said, len(of), number) for number in (1, 2))
    rows: list[tuple[Key, int, list[int]]] = []
    for packet, members, deltas in zip(of.tolist(), stacks, steps, strict=True):
        time, state = int(packets.times[packet]), int(packets.state[packet])
        for stack, delta in zip(members, [*deltas, *[0] * len(members)], strict=False):
            time += max(0, delta) * 1_000
            rows.append(((0, state), time, paths.of((state, stack))))
    _add_threads(rows, lambda key: f"Samples {key[1]}", builder)


def _add_threads(
    rows: Iterable[tuple[Key, int, list[int]]], name_of: Callable[[Key], str], builder: TraceBuilder
) -> None:
    of_thread: dict[Key, list[tuple[int, list[int]]]] = {}
    for key, time, path in rows:
        of_thread.setdefault(key, []).append((time, path))
    for key in sorted(of_thread, key=lambda key: -len(of_thread[key]))[:MAX_THREADS]:
        samples = sorted(of_thread[key], key=lambda sample: sample[0])
        stacks = StackTable()
        leaves = stacks.leaves([path for _, path in samples])
        builder.add_sampled(
            name_of(key),
            stacks,
            leaves,
            [np.ones(len(samples))],
            values=SAMPLE,
            time=np.array([time for time, _ in samples], np.int64),
            axis=Unit.NANOSECONDS,
            pid=str(key[0] or ""),
            tid=str(key[1]),
            facts=SAMPLED_FACTS,
        )
    builder.warn("threads", f"threads beyond the first {MAX_THREADS:,} were not read", len(of_thread) - MAX_THREADS)


def _add_heaps(packets: Packets, tables: Tables, paths: Paths, builder: TraceBuilder) -> None:
    """Of each process the sums of its last dump: dumps count from when recording began."""
    of, firsts, lasts = packets.parts(HEAP)
    profiles = scan_fields(packets.data, firsts, lasts)
    tables.read(packets.data, profiles, packets.state[of], HEAP_TABLES)
    dumps, begins, ends = parts(profiles, 5)
    said = scan_fields(packets.data, begins, ends)
    pids, moments = column(said, len(dumps), 1).tolist(), column(said, len(dumps), 9).tolist()
    rows, starts, stops = parts(said, 2)
    inner = scan_fields(packets.data, starts, stops)
    stacks, allocated, freed, count, freed_count, at_most = (
        column(inner, len(rows), number) for number in (1, 2, 3, 5, 6, 8)
    )
    latest: dict[int, int] = {}
    for pid, moment in zip(pids, moments, strict=True):
        latest[pid] = max(moment, latest.get(pid, moment))
    states = packets.state[of[dumps]]
    for pid, moment in latest.items():
        chosen = np.flatnonzero([pids[dump] == pid and moments[dump] == moment for dump in rows.tolist()])
        if not len(chosen):
            continue
        keys = zip(states[rows[chosen]].tolist(), stacks[chosen].tolist(), strict=True)
        table = StackTable()
        leaves = table.leaves([paths.of(key) for key in keys])
        in_use = np.maximum(allocated - freed, at_most)
        columns = (count, np.maximum(allocated, at_most), count - freed_count, in_use)
        builder.add_sampled(
            f"Heap of pid {pid}",
            table,
            leaves,
            [np.maximum(values[chosen], 0).astype(np.float64) for values in columns],
            values=HEAP_VALUES,
            default_value=3,
            pid=str(pid),
            facts=HEAP_FACTS,
        )
