"""Linux `perf.data`, as `perf record` writes it: addresses of samples, and what was mapped there.

Format: see perf_data_records. It holds no symbols: frames are `module+0xoffset`, where the offset is that in the file.
Stacks, times and weights are those of what `perf script` prints of the same recording.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from traces import losses
from traces.builder import TraceBuilder
from traces.equal_rows import distinct_rows, numbered
from traces.errors import UnrecognisedTrace
from traces.formats.perf.perf_data_history import History, name_of, read_history
from traces.formats.perf.perf_data_records import (
    AUXTRACE,
    Event,
    Records,
    Words,
    read_records,
)
from traces.formats.perf.perf_data_samples import Layout, Samples
from traces.formats.perf.perf_threads import PerfThread, add_threads
from traces.model import NONE, Int32, Int64

LOST, THROTTLE, SAMPLE, LOST_SAMPLES = 2, 5, 9, 13
FIRST_MARK = np.uint64(2**64 - 4_095)
MODE, IN_KERNEL, IN_PROCESS = 7, 1, 2
ELSEWHERE = {3: "[hypervisor]", 4: "[guest.kernel]", 5: "[guest]"}
BEHIND_MARK = np.zeros(4_096, np.int32)
BEHIND_MARK[[32, 128, 512, 640, 2048, 2176, 2560]] = (3, IN_KERNEL, IN_PROCESS, IN_PROCESS, 5, 4, 5)
"""Whose the addresses behind a mark in a stack are, by the negative of the mark."""
FRAMES_AT_ONCE = 1 << 20
MAX_ADDRESSES = 4_000_000
"""So many places are more than any program has; further addresses are named by their module alone."""


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile a thread and event. Raises DamagedTrace, TraceTooLarge, UnrecognisedTrace (processor traces)."""
    records = read_records(content, builder)
    traced, rows = len(records.of_kind(AUXTRACE)), records.of_kind(SAMPLE)
    if traced and not len(rows):
        raise UnrecognisedTrace(
            f"{builder.name}: this perf.data holds a processor's own trace (Intel PT or alike), not samples. "
            "Run `perf script --itrace=i10usg` on it and choose what that prints."
        )
    builder.warn("processor_traces", "pieces of a processor's own trace were not read", traced)
    _warn_of_losses(records, builder)
    if not len(rows):
        return
    layout = Layout(records, builder)
    samples = layout.samples(rows)
    history = read_history(records, layout, builder)
    frames, ends = _Stacks(records.words, samples, history, builder).frames()
    threads = list(_threads(samples, records.events, history))
    if threads:
        add_threads(threads, threads[0].event, frames, ends, builder)


def _warn_of_losses(records: Records, builder: TraceBuilder) -> None:
    lost = sum(int.from_bytes(records.content(row)[8:16], "little") for row in records.of_kind(LOST).tolist())
    lost += sum(int.from_bytes(records.content(row)[:8], "little") for row in records.of_kind(LOST_SAMPLES).tolist())
    builder.warn(losses.LOST, "samples and other records were lost while recording", min(lost, 2**53))
    throttled = len(records.of_kind(THROTTLE))
    builder.warn("throttled", "times the kernel stopped sampling for a while, as it took too much time", throttled)


class _Stacks:
    """The frames of all samples, some at a time."""

    def __init__(self, words: Words, samples: Samples, history: History, builder: TraceBuilder) -> None:
        self._words, self._samples, self._history, self._builder = words, samples, history, builder
        self._spaces = {
            IN_PROCESS: history.spaces_of(samples.pid, samples.time),
            IN_KERNEL: history.spaces_of_kernel(samples.time),
        }
        self._places: set[int] = set()
        self._unplaced = self._made = 0

    def frames(self) -> tuple[Int32, Int64]:
        """All frames in a row, innermost first, and where each sample's end."""
        sizes = self._samples.size
        found = np.empty(int(sizes.sum()) + len(sizes), np.int32)
        ends = np.zeros(len(sizes), np.int64)
        total = 0
        at_once = np.cumsum(sizes + 1) // FRAMES_AT_ONCE
        bounds = [0, *(np.flatnonzero(np.diff(at_once)) + 1).tolist(), len(sizes)]
        for first, last in pairwise(bounds):
            frames, counts = self._some(first, last)
            found[total : total + len(frames)] = frames
            ends[first:last] = total + np.cumsum(counts)
            total += len(frames)
        warn = self._builder.warn
        warn(
            "no_symbols",
            "addresses have no names here: `perf script` where it was recorded gives them",
            len(self._places),
        )
        warn("made_code", "of these are code made while the program ran (JIT), named in /tmp/perf-PID.map", self._made)
        warn("too_many_addresses", f"addresses beyond {MAX_ADDRESSES:,} were read as their module", self._unplaced)
        return found[:total], ends

    def _some(self, first: int, last: int) -> tuple[Int32, Int64]:
        """The frames of some samples, and how many each has."""
        size, begin = self._samples.size[first:last], self._samples.first[first:last]
        own_mode = (self._samples.mode[first:last] & MODE).astype(np.int32)
        ends = np.cumsum(size)
        row = np.repeat(np.arange(last - first), size)
        address = self._words[np.arange(len(row)) + np.repeat(begin - ends + size, size)]
        is_mark = address >= FIRST_MARK
        says = is_mark.copy()
        says[(ends - size)[size > 0]] = True
        mode = own_mode[row]
        mode[is_mark] = BEHIND_MARK[-address[is_mark].view(np.int64)]
        mode = mode[np.maximum.accumulate(np.where(says, np.arange(len(row)), 0))]
        address, row, mode = address[~is_mark], row[~is_mark], mode[~is_mark]
        counts = np.bincount(row, minlength=last - first)
        ip = self._samples.ip[first:last]
        alone = np.flatnonzero((counts == 0) & (ip != 0))
        if len(alone):
            at = (np.cumsum(counts) - counts)[alone]
            address = np.insert(address, at, ip[alone])
            row = np.insert(row, at, alone)
            mode = np.insert(mode, at, own_mode[alone])
            counts[alone] = 1
        space = np.full(len(row), NONE, np.int32)
        for whose, spaces in self._spaces.items():
            mine = mode == whose
            space[mine] = spaces[first:last][row[mine]]
        number = numbered(address)[1]
        which, firsts = distinct_rows(mode, space + 1, number.astype(np.int32))
        frames = [
            self._frame(*place)
            for place in zip(address[firsts].tolist(), mode[firsts].tolist(), space[firsts].tolist(), strict=True)
        ]
        return np.array(frames, np.int32)[which], counts

    def _frame(self, address: int, mode: int, space: int) -> int:
        if mode in ELSEWHERE:
            return self._builder.frame(ELSEWHERE[mode])
        mapping = self._history.spaces[space].find(address) if space != NONE else None
        name, file = name_of(address, mapping, in_kernel=mode == IN_KERNEL)
        is_place = "0x" in name
        if is_place and len(self._places) >= MAX_ADDRESSES:
            self._unplaced += 1
            return self._builder.frame(name.rpartition("+")[0] or "[unknown]", file)
        frame = self._builder.frame(name, file)
        if is_place and frame not in self._places:
            self._places.add(frame)
            self._made += name.startswith("0x")
        return frame


def _threads(samples: Samples, events: tuple[Event, ...], history: History) -> Iterator[PerfThread]:
    """The samples of each thread, name of it and event, in order of appearance."""
    event_names: dict[str, int] = {}
    name_of_event = np.array([event_names.setdefault(event.name, len(event_names)) for event in events], np.int64)
    event = name_of_event[samples.event]
    called = history.names_of(samples.tid, samples.time)
    pid, tid = (numbered(column)[1] for column in (samples.pid, samples.tid))
    which, firsts = distinct_rows(*(column.astype(np.int32) for column in (called + 1, pid, tid, event)))
    members = np.split(np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))[:-1])
    texts = list(event_names)
    for ranks, first in zip(members, firsts.tolist(), strict=True):
        name = int(called[first])
        own_pid, own_tid = (str(int(np.int32(column[first]))) for column in (samples.pid, samples.tid))
        period = samples.period[ranks]
        yield PerfThread(
            history.names[name] if name != NONE else "swapper" if own_tid == "0" else f":{own_tid}",
            own_pid,
            own_tid,
            texts[event[first]],
            ranks,
            samples.time[ranks] if samples.is_timed else None,
            period if (period >= 0).all() else None,
        )
