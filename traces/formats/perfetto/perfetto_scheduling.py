"""Scheduling in a Perfetto trace: what ran on each processor, and what each thread did.

Format: https://github.com/google/perfetto, protos/perfetto/trace/ftrace (sched.proto: sched_switch, sched_waking;
ftrace_event_bundle.proto: the same in columns). The states are the kernel's (`prev_state` of sched_switch, include/
linux/sched.h), and follow each other as in Perfetto's table thread_state: a thread that leaves a processor sleeps, is
blocked, or could go on; one that is woken could go on.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from traces.builder import TraceBuilder
from traces.formats.perfetto.perfetto_packets import Packets, column, parts
from traces.kernels.protobuf import LENGTH, Fields, scan_fields, scan_varints
from traces.model import NONE, Int64
from traces.nesting import nest_slices
from traces.values import ThreadState

COMPACT, SWITCH, WAKING = 4, 4, 20
PREV_TID, PREV_STATE, NEXT_NAME, NEXT_TID = 2, 4, 5, 6
WOKEN = 2
INTERRUPTIBLE, UNINTERRUPTIBLE, ENDED, LOWER_BITS = 1, 2, 16 | 32, 0xFF
SLEEPS, IS_WOKEN, RUNS = 0, 1, 2
"""Events of a thread at one moment come in this order."""
GONE = 4
"""Behind the states: a thread that ended."""
IDLE = 0
MAX_THREADS = 1_000
BEYOND = f"threads beyond the first {MAX_THREADS:,} were not read"


@dataclass(frozen=True, slots=True)
class Threads:
    """Names by thread, and the process of each."""

    names: dict[int, str] = field(default_factory=dict)
    processes: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Switches:
    """From one thread to another on a processor; `previous` is -1 where the file leaves it to the switch before."""

    time: Int64
    cpu: Int64
    previous: Int64
    state: Int64
    thread: Int64


def read_scheduling(
    packets: Packets, bundles: Fields, cpus: Int64, events: Fields, times: Int64, of_cpu: Int64, threads: Threads
) -> tuple[_Switches, tuple[Int64, Int64]] | None:
    """All switches by processor and time, and the times and threads of wakings; None without a switch. Names that only
    switches have are added to the threads'."""
    rows, begins, ends = parts(events, SWITCH)
    fields = scan_fields(packets.data, begins, ends)
    tids = column(fields, len(rows), NEXT_TID)
    batches = [
        (
            times[rows],
            of_cpu[rows],
            column(fields, len(rows), PREV_TID, NONE),
            column(fields, len(rows), PREV_STATE),
            tids,
        )
    ]
    latest = {int(tids[row]): name for row, name in _texts(packets.data, fields, NEXT_NAME) if name}
    threads.names.update({tid: name for tid, name in latest.items() if tid not in threads.names})
    rows, begins, ends = parts(events, WAKING)
    woken = [(times[rows], column(scan_fields(packets.data, begins, ends), len(rows), WOKEN))]
    for switches, waking in _in_columns(packets.data, bundles, cpus, threads):
        batches.append(switches)
        woken.append(waking)
    time, cpu, previous, state, thread = (np.concatenate(columns) for columns in zip(*batches, strict=True))
    if not len(time):
        return None
    order = np.lexsort((time, cpu))
    time, cpu, previous, state, thread = (each[order] for each in (time, cpu, previous, state, thread))
    follows = np.flatnonzero((previous == NONE) & (np.diff(cpu, prepend=NONE) == 0))
    previous[follows] = thread[follows - 1]
    moments, idents = (np.concatenate(columns) for columns in zip(*woken, strict=True))
    return _Switches(time, cpu, previous, state, thread), (moments, idents)


def _in_columns(
    data: bytes, bundles: Fields, cpus: Int64, threads: Threads
) -> Iterator[tuple[tuple[Int64, Int64, Int64, Int64, Int64], tuple[Int64, Int64]]]:
    """Switches and wakings of one processor as columns: times as steps, names as places in a table."""
    of, firsts, lasts = parts(bundles, COMPACT)
    for bundle, first, last in zip(of.tolist(), firsts.tolist(), lasts.tolist(), strict=True):
        fields = scan_fields(data, [first], [last])
        table = [text for _, text in _texts(data, fields, 5)]
        steps, states, tids, names, wakings, woken = (_numbers(data, fields, number) for number in (1, 2, 3, 6, 7, 8))
        size = min(len(steps), len(tids))
        state = np.zeros(size, np.int64)
        state[: len(states)] = states[:size]
        for tid, name in dict(zip(tids.tolist(), names.tolist(), strict=False)).items():
            if 0 <= name < len(table) and table[name]:
                threads.names.setdefault(tid, table[name])
        time, cpu = np.cumsum(steps)[:size], np.full(size, cpus[bundle])
        count = min(len(wakings), len(woken))
        yield (time, cpu, np.full(size, NONE), state, tids[:size]), (np.cumsum(wakings)[:count], woken[:count])


def _numbers(data: bytes, fields: Fields, number: int) -> Int64:
    return scan_varints(data, fields, np.flatnonzero((fields.number == number) & (fields.wire == LENGTH)))[0]


def _texts(data: bytes, fields: Fields, number: int) -> Iterator[tuple[int, str]]:
    rows, firsts, lasts = parts(fields, number)
    for row, first, last in zip(rows.tolist(), firsts.tolist(), lasts.tolist(), strict=True):
        yield row, data[first:last].decode("utf-8", "replace")


def add_scheduling(found: tuple[_Switches, tuple[Int64, Int64]], threads: Threads, builder: TraceBuilder) -> None:
    """Add what ran on each processor, and each thread as it ran, with its states."""
    switches, (woken_at, woken) = found
    latest = int(max(switches.time.max(), woken_at.max(initial=switches.time.max())))
    same_cpu = np.diff(switches.cpu, append=NONE) == 0
    until = np.where(same_cpu, np.roll(switches.time, -1), latest)
    ran = np.flatnonzero((switches.thread != IDLE) & (until > switches.time))
    names = {tid: threads.names.get(tid) or f"tid {tid}" for tid in np.unique(switches.thread[ran]).tolist()}
    threads.names.update(names)
    labels = {tid: builder.frame(f"{name} ({tid})") for tid, name in names.items()}
    for cpu in np.unique(switches.cpu[ran]).tolist():
        rows = ran[switches.cpu[ran] == cpu]
        frame = np.array([labels[tid] for tid in switches.thread[rows].tolist()], np.int32)
        _add_slices(f"CPU {cpu}", switches.time[rows], until[rows], frame, builder)
    _add_threads(switches, ran, until, _states(switches, woken_at, woken, latest), threads, builder)


def _add_threads(
    switches: _Switches,
    ran: Int64,
    until: Int64,
    states: tuple[Int64, Int64, Int64, npt.NDArray[np.uint8]],
    threads: Threads,
    builder: TraceBuilder,
) -> None:
    tids, place = np.unique(switches.thread[ran], return_inverse=True)
    lasted = np.bincount(place, (until - switches.time)[ran])
    on_cpu = {cpu: builder.frame(f"Running on CPU {cpu}") for cpu in np.unique(switches.cpu[ran]).tolist()}
    order = ran[np.argsort(place, kind="stable")]
    stops = np.cumsum(np.bincount(place))
    of_state = states[0]
    for at in np.argsort(-lasted, kind="stable")[:MAX_THREADS].tolist():
        tid = int(tids[at])
        rows = order[stops[at - 1] if at else 0 : stops[at]]
        rows = rows[np.argsort(switches.time[rows], kind="stable")]
        frame = np.array([on_cpu[cpu] for cpu in switches.cpu[rows].tolist()], np.int32)
        mine = slice(*np.searchsorted(of_state, (tid, tid + 1)).tolist())
        start, end, state = states[1][mine], states[2][mine], states[3][mine]
        extent = int(start.min()), int(end.max())  # a thread that ran has states
        pid = str(threads.processes.get(tid, ""))
        name = f"{threads.names[tid]} on processors"
        profile = _add_slices(name, switches.time[rows], until[rows], frame, builder, (pid, str(tid)), extent)
        builder.side_tables.states.append((profile, start, end, state))
    builder.warn("threads", BEYOND, len(tids) - MAX_THREADS)


def _add_slices(
    name: str,
    start: Int64,
    end: Int64,
    frame: npt.NDArray[np.int32],
    builder: TraceBuilder,
    thread: tuple[str, str] = ("", ""),
    extent: tuple[int, int] | None = None,
) -> int:
    nested = nest_slices(start.copy(), end.copy(), frame)
    first, last = extent or (None, None)
    return builder.add_evented(name, nested, pid=thread[0], tid=thread[1], axis_start=first, axis_end=last)


def _states(
    switches: _Switches, woken_at: Int64, woken: Int64, latest: int
) -> tuple[Int64, Int64, Int64, npt.NDArray[np.uint8]]:
    """Threads in order with start, end and state, each until the thread's next event; what a waking finds running, or
    able to run, goes on."""
    left = np.flatnonzero(switches.previous > IDLE)
    count = len(left), len(woken), len(switches.thread)
    thread = np.concatenate((switches.previous[left], woken, switches.thread))
    time = np.concatenate((switches.time[left], woken_at, switches.time))
    kind = np.repeat(np.array((SLEEPS, IS_WOKEN, RUNS), np.uint8), count)
    state = np.concatenate(
        (
            _states_left_in(switches.state[left]),
            np.full(count[1], ThreadState.RUNNABLE, np.uint8),
            np.full(count[2], ThreadState.RUNNING, np.uint8),
        )
    )
    order = np.lexsort((kind, time, thread))
    order = order[thread[order] != IDLE]
    thread, time, kind, state = thread[order], time[order], kind[order], state[order]
    first = np.diff(thread, prepend=NONE) != 0
    waits = (kind == SLEEPS) & (state != ThreadState.RUNNABLE)
    changes = (kind != IS_WOKEN) | first | np.concatenate((np.zeros(1, np.bool_), waits[:-1]))
    thread, time, state = thread[changes], time[changes], state[changes]
    end = np.where(np.diff(thread, append=NONE) == 0, np.roll(time, -1), latest)
    shown = (state != GONE) & (end > time)
    return thread[shown], time[shown], end[shown], state[shown]


def _states_left_in(raw: Int64) -> npt.NDArray[np.uint8]:
    """What a thread does that leaves a processor, by the kernel's bits: stopped and parked ones sleep."""
    bits = raw & LOWER_BITS
    found = np.full(len(raw), ThreadState.SLEEPING, np.uint8)
    found[bits == 0] = ThreadState.RUNNABLE
    found[bits & UNINTERRUPTIBLE != 0] = ThreadState.BLOCKED
    found[bits & INTERRUPTIBLE != 0] = ThreadState.SLEEPING
    found[bits & ENDED != 0] = GONE
    return found
