"""The events of a trace-event file as columns, and the names that they give to processes and threads."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import msgspec
import numpy as np
import numpy.typing as npt

from traces.kernels.columns import pick
from traces.kernels.inputs import ReadCounter
from traces.kernels.record_columns import Field, Kind, Table
from traces.kernels.records import scan_records
from traces.lazy_regex import lazy_regex
from traces.model import NONE, Int32, Int64

ThreadKey = tuple[str, str]
"""Process and thread id as text: producers write numbers, numbers as text, and words ("PyTorch Profiler")."""

LOOSE_END = lazy_regex(rb",\s*\]\s*$")
LAST_BYTES = 256
EVENT = (
    Field("args", "args", Kind.SLICE),
    Field("category", "cat", Kind.TEXT),
    Field("duration", "dur", Kind.SCALED, scale=3),
    Field("ident", "id", Kind.TEXT),
    Field("", "id2", Kind.OBJECT),
    Field("global_ident", "global", Kind.TEXT, level=1),
    Field("local_ident", "local", Kind.TEXT, level=1),
    Field("name", "name", Kind.TEXT),
    Field("phase", "ph", Kind.TEXT),
    Field("pid", "pid", Kind.TEXT),
    Field("running", "tdur", Kind.SCALED, scale=3),
    Field("tid", "tid", Kind.TEXT),
    Field("time", "ts", Kind.SCALED, scale=3),  # microseconds
    Field("thread_clock", "tts", Kind.SCALED, scale=3),
)
"""In the order of Chrome's own members, in which they are looked for."""


@dataclass(frozen=True)
class Events:
    """The events of a file in its order. Times are nanoseconds, `MISSING` where there is none; texts are -1 there."""

    content: memoryview
    table: Table

    @classmethod
    def of(cls, content: memoryview, counter: ReadCounter | None = None) -> Self:
        """Read the events, and advance the counter. Raises NotReadable."""
        return cls(content, scan_records(content, EVENT, "traceEvents", counter))

    @property
    def time(self) -> Int64:
        return self.table.numbers("time")

    @property
    def has_comma_at_end(self) -> bool:
        """Whether they are a list that ends with a comma before its bracket: nothing is missing."""
        return self.table.unterminated and LOOSE_END.search(self.content[-LAST_BYTES:]) is not None

    def rows(self, column: str, *texts: str) -> npt.NDArray[np.bool_]:
        """Where a column says one of some texts."""
        said = np.array([text in texts for text in self.table.texts(column)] + [False], np.bool_)
        return pick(said, self.table.ids(column)) if said.any() else np.zeros(self.table.count, np.bool_)

    def text(self, column: str, row: int) -> str | None:
        """What one event says in a column."""
        index = int(self.table.ids(column)[row])
        return None if index == NONE else self.table.texts(column)[index]

    def args(self, row: int) -> memoryview:
        """The arguments of one event as JSON; empty where it has none."""
        offsets, lengths = self.table.slices("args")
        return self.content[offsets[row] : offsets[row] + lengths[row]]

    @cached_property
    def thread(self) -> tuple[Int32, tuple[ThreadKey, ...]]:
        """The thread of each event, and the threads in order of their processes' first appearance."""
        pids, tids = self.table.texts("pid"), self.table.texts("tid")
        width = len(tids) + 1
        ids = self.table.ids("pid"), self.table.ids("tid")
        if self.table.count and all(column.min() == column.max() for column in ids):
            pid, tid = (int(column[0]) for column in ids)
            key = (id_text(pids[pid] if pid >= 0 else None), id_text(tids[tid] if tid >= 0 else None))
            return np.broadcast_to(np.int32(0), self.table.count), (key,)
        small: npt.DTypeLike = np.int64 if (len(pids) + 1) * width > FEW_PAIRS else np.int32
        pairs = ids[0].astype(small)
        pairs += 1
        pairs *= width
        pairs += ids[1]
        pairs += 1
        distinct, numbers = _numbered(pairs, (len(pids) + 1) * width)
        keys: dict[ThreadKey, int] = {}
        pid_of, tid_of = ([id_text(None), *map(id_text, texts)] for texts in (pids, tids))
        thread_of = []
        for pair in distinct.tolist():
            pid, tid = divmod(pair, width)
            thread_of.append(keys.setdefault((pid_of[pid], tid_of[tid]), len(keys)))
        if len(thread_of) == len(keys):
            return numbers, tuple(keys)
        return np.array(thread_of, np.int32)[numbers], tuple(keys)


FEW_PAIRS = 1 << 22


def _numbered(values: npt.NDArray[Any], bound: int) -> tuple[Int64, Int32]:
    """The distinct values, all from 0 to below a bound, and the place of each value among them."""
    if bound > FEW_PAIRS:
        distinct, numbers = np.unique(values, return_inverse=True)
        return distinct, numbers.astype(np.int32)
    seen = np.zeros(bound, np.bool_)
    seen[values] = True
    if seen.sum() <= 1:
        return np.flatnonzero(seen), np.broadcast_to(np.int32(0), len(values))
    return np.flatnonzero(seen), (np.cumsum(seen) - 1).astype(np.int32)[values]


NAMING = ("process_name", "thread_name", "process_labels", "process_sort_index", "thread_sort_index")


class Named(msgspec.Struct):
    name: Any = None
    labels: Any = None
    sort_index: Any = None


@dataclass(slots=True)
class Threads:
    """What metadata events say of processes and threads. PyTorch calls all devices' processes "python" and labels them;
    Chrome labels a process with the page's title. Lower sort indices come first."""

    processes: dict[str, str] = field(default_factory=dict)
    threads: dict[ThreadKey, str] = field(default_factory=dict)
    name_counts: Counter[str] = field(default_factory=Counter)
    labels: dict[str, str] = field(default_factory=dict)
    process_order: dict[str, int] = field(default_factory=dict)
    thread_order: dict[ThreadKey, int] = field(default_factory=dict)

    @classmethod
    def of(cls, events: Events) -> Self:
        """The names that these events give."""
        names = cls()
        thread, keys = events.thread
        naming = events.rows("phase", "M") & events.rows("name", *NAMING)
        for row in np.flatnonzero(naming & (events.table.slices("args")[1] > 0)).tolist():
            said = msgspec.json.decode(events.args(row), type=Named)
            names._add(events.text("name", row), keys[thread[row]], said)
        names.name_counts.update(names.threads.values())
        return names

    def _add(self, what: str | None, key: ThreadKey, said: Named) -> None:
        if isinstance(said.name, str) and said.name:
            if what == "process_name":
                self.processes[key[0]] = said.name
            elif what == "thread_name":
                self.threads[key] = said.name
        if what == "process_labels" and isinstance(said.labels, str) and said.labels:
            self.labels[key[0]] = said.labels
        if isinstance(said.sort_index, int):
            if what == "process_sort_index":
                self.process_order[key[0]] = said.sort_index
            elif what == "thread_sort_index":
                self.thread_order[key] = said.sort_index

    def order(self, key: ThreadKey) -> tuple[int, str, int, str]:
        """Sorts threads as their producer wants them, then by process and thread id."""
        pid, tid = key
        return self.process_order.get(pid, 0), pid.zfill(10), self.thread_order.get(key, 0), tid.zfill(10)

    def short_name(self, key: ThreadKey) -> str:
        """The thread's name, with its process where other processes have a thread of that name."""
        name = self.threads.get(key)
        if name is None:
            return f"pid {key[0]}, tid {key[1]}"
        return name if self.name_counts[name] == 1 else f"{name} (pid {key[0]})"

    def full_name(self, key: ThreadKey) -> str:
        """Process and thread, by name where they have one."""
        process, thread = self.processes.get(key[0]), self.threads.get(key)
        if (labels := self.labels.get(key[0])) is not None:
            process = f"{process} {labels}" if process else labels
        if (
            process and process == thread and key[1] == "0"
        ):  # no thread is known, and uftrace names it after its process
            return f"{process} (pid {key[0]})"
        if process and thread:
            return f"{process} (pid {key[0]}), {thread} (tid {key[1]})"
        if process or thread:
            return f"{process or thread} (pid {key[0]}, tid {key[1]})"
        return f"pid {key[0]}, tid {key[1]}"


def id_text(ident: Any) -> str:
    """A process or thread id as text, a number or as it was written; 0 where the event has none."""
    if ident is None:
        return "0"
    if isinstance(ident, float) and ident.is_integer():
        return str(int(ident))
    text = str(ident)
    integer, point, part = text.partition(".")
    return integer if point and integer.isdigit() and not part.strip("0") else text
