"""The `samples` and `stackFrames` of trace event JSON, as Hermes (React Native) writes them."""

from typing import Any

import msgspec
import numpy as np

from traces.builder import TraceBuilder
from traces.formats.format import RUNNING
from traces.formats.perf.sample_lengths import usual_interval
from traces.formats.time_units import nanoseconds
from traces.formats.trace_event.event_list import ThreadKey, Threads, id_text
from traces.model import NONE, Int64
from traces.stacks import StackTable


class Sample(msgspec.Struct, gc=False):
    ts: float | int | str
    sf: Any
    pid: Any = None
    tid: Any = None
    cpu: Any = None


class StackFrame(msgspec.Struct, gc=False):
    name: str = ""
    category: str | None = None
    parent: Any = None


def read(samples: list[Sample], frames: dict[str, StackFrame], threads: Threads, builder: TraceBuilder) -> None:
    """Feed a profile a thread: a sample lasts until its thread's next, the last weighs nothing. One that a processor's
    clock took lasts no longer than there is between two of a processor: a thread without samples did not run. Raises
    DamagedTrace."""
    longest = _between(samples, builder)
    by_thread: dict[ThreadKey, list[Sample]] = {}
    for sample in samples:
        by_thread.setdefault((id_text(sample.pid), id_text(sample.tid)), []).append(sample)
    for key, rows in by_thread.items():
        times = _times(rows, builder)
        order = np.argsort(times, kind="stable")
        times = times[order]
        stacks = StackTable()
        paths: dict[str, int] = {}
        leaves = [_leaf(id_text(rows[i].sf), frames, paths, stacks, builder) for i in order]
        lasting = np.diff(times, append=times[-1:])
        facts = builder.facts
        if longest:
            lasting[-1] = longest
            lasting, facts = np.minimum(lasting, longest), RUNNING
        builder.add_sampled(
            threads.full_name(key),
            stacks,
            leaves,
            [lasting],
            time=times,
            axis_end=(times[-1] + lasting[-1]).item(),
            pid=key[0],
            tid=key[1],
            facts=facts,
        )


def _times(samples: list[Sample], builder: TraceBuilder) -> Int64:
    try:
        return nanoseconds([sample.ts for sample in samples], 1_000)
    except ValueError as error:
        raise builder.damaged(f"{error}.") from error


def _between(samples: list[Sample], builder: TraceBuilder) -> int:
    """What most samples of a processor lie apart (ns); 0 where none says which processor it is of."""
    by_processor: dict[int, list[Sample]] = {}
    for sample in samples:
        if type(sample.cpu) is not int or sample.cpu < 0:
            return 0
        by_processor.setdefault(sample.cpu, []).append(sample)
    gaps = [np.diff(np.sort(_times(rows, builder))) for rows in by_processor.values()]
    return usual_interval(np.concatenate(gaps)) if gaps else 0


def _leaf(
    leaf_id: str, frames: dict[str, StackFrame], paths: dict[str, int], stacks: StackTable, builder: TraceBuilder
) -> int:
    pending: list[str] = []
    at: str | None = leaf_id
    while at is not None and at not in paths:
        if at not in frames:
            raise builder.damaged("a sample names a stack frame that is not in the file.")
        if len(pending) > len(frames):
            raise builder.damaged("its stack frames form a cycle.")
        pending.append(at)
        parent = frames[at].parent
        at = None if parent is None else id_text(parent)
    leaf = paths[at] if at is not None else NONE
    for ident in reversed(pending):
        frame = frames[ident]
        leaf = paths[ident] = stacks.child(leaf, builder.frame(frame.name or "(unnamed)", category=frame.category))
    return leaf
