"""Nsight Systems exports as SQLite (`nsys export --type sqlite`): CUDA and OS calls, NVTX ranges, kernels, CPU samples.

Format: "SQLite Schema Reference" of the Nsight Systems user guide (https://docs.nvidia.com/nsight-systems/UserGuide).
Times are nanoseconds. `globalTid` holds the process in bits 24 to 47 and the thread in the lowest 24. The database is
opened in memory, with a bound on what a query may do.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from traces.builder import TraceBuilder
from traces.nesting import nest_slices
from traces.stacks import StackTable
from traces.values import Unit, ValueType

if TYPE_CHECKING:
    from sqlite3 import Connection

JOURNAL = slice(18, 20)
"""Versions to write and read: 2 asks for a write-ahead log, which a database in memory cannot have."""
STEPS_AT_ONCE = 1_000_000
MAX_STEPS = 20_000
"""Of so many instructions of SQLite each: minutes of work, which no export of a gigabyte needs."""
MAX_TEXT_BYTES = 16 << 20
ID_BITS = 0xFFFFFF
CALLS = {"CUPTI_ACTIVITY_KIND_RUNTIME": "cuda", "CUPTI_ACTIVITY_KIND_DRIVER": "cuda", "OSRT_API": "os"}
DEVICE = {
    "CUPTI_ACTIVITY_KIND_KERNEL": None,
    "CUPTI_ACTIVITY_KIND_MEMCPY": "(memory copy)",
    "CUPTI_ACTIVITY_KIND_MEMSET": "(memory set)",
}
"""What is drawn for a device's activities; a kernel has its own name."""
KERNEL_NAME = "demangledName"
UNNAMED = "(unnamed)"
PUSH_POP = 59
"""`eventType` of NVTX ranges that begin and end on one thread."""


@dataclass(slots=True)
class Lane:
    """The slices of one thread or stream."""

    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    frame: list[int] = field(default_factory=list)


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile a thread and a stream, and one a thread of CPU samples. Raises DamagedTrace."""
    import sqlite3  # noqa: PLC0415 - 10 ms that the other formats need not wait for

    with closing(sqlite3.connect(":memory:")) as database:
        try:
            data = bytearray(content)
            data[JOURNAL] = b"\1\1"
            database.deserialize(data)
            steps = iter(range(MAX_STEPS))
            database.set_progress_handler(lambda: next(steps, None) is None, STEPS_AT_ONCE)
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_TEXT_BYTES)
            database.execute("PRAGMA trusted_schema = OFF")
            database.text_factory = lambda text: text.decode("utf-8", "replace")
            _Export(database, builder).read()
        except (sqlite3.Error, OverflowError) as error:
            raise builder.damaged("its database is damaged, or is not what Nsight Systems exports.") from error


class _Export:
    def __init__(self, database: "Connection", builder: TraceBuilder) -> None:
        self._database = database
        self._builder = builder
        # Views and virtual tables could run what the file's author wrote.
        rows = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
        self._tables = {name for name, sql in rows if isinstance(sql, str) and sql.upper().startswith("CREATE TABLE")}
        self._texts: dict[int, str] = {}
        self._processes: dict[int, str] = {}
        self._threads: dict[int, str] = {}
        self._lanes: dict[tuple[str, str, str], Lane] = {}
        self._unread = self._not_drawn = 0

    def read(self) -> None:
        """Feed all profiles."""
        self._texts = {i: v for i, v in self._rows("StringIds", "id", "value") if _is_integer(i) and isinstance(v, str)}
        for thread, name in self._rows("ThreadNames", "globalTid", "nameId"):
            if _is_integer(thread) and name in self._texts:
                self._threads[thread] = self._texts[name]
        for table, category in CALLS.items():
            for start, end, thread, name in self._rows(table, "start", "end", "globalTid", "nameId"):
                self._add(self._thread(thread), start, end, self._texts.get(name), category)
        ranges = ("start", "end", "globalTid", "eventType", "text", "textId")
        for start, end, thread, kind, text, name in self._rows("NVTX_EVENTS", *ranges):
            if kind == PUSH_POP:
                self._add(self._thread(thread), start, end, text or self._texts.get(name), "nvtx")
            else:
                self._not_drawn += 1
        for table, what in DEVICE.items():
            for start, end, device, stream, name in self._rows(
                table, "start", "end", "deviceId", "streamId", KERNEL_NAME
            ):
                lane = (f"GPU {device}, stream {stream}", f"GPU {device}", str(stream))
                self._add(lane, start, end, what or self._texts.get(name), "gpu")
        for (name, pid, tid), lane_of in self._lanes.items():
            start, end = np.array(lane_of.start, np.int64), np.array(lane_of.end, np.int64)
            nested = nest_slices(start, np.maximum(start, end), np.array(lane_of.frame, np.int32))
            self._builder.add_evented(name, nested, pid=pid, tid=tid)
        self._read_samples()
        self._builder.warn(
            "not_drawn", "NVTX marks and ranges from one thread to another were not read", self._not_drawn
        )
        self._builder.warn("unread_rows", "rows without a time or a thread were skipped", self._unread)

    def _rows(self, table: str, *columns: str) -> Iterator[tuple[Any, ...]]:
        """Rows of a table; columns that this version of the exporter does not write are None."""
        if table not in self._tables:
            return iter(())
        known = {row[1] for row in self._database.execute(f"PRAGMA table_info({table})")}
        chosen = ", ".join(f'"{column}"' if column in known else "NULL" for column in columns)
        return self._database.execute(f"SELECT {chosen} FROM {table}")  # noqa: S608 -- names of this module only

    def _thread(self, thread: Any) -> tuple[str, str, str] | None:
        if not _is_integer(thread):
            return None
        pid, tid = str(thread >> 24 & ID_BITS), str(thread & ID_BITS)
        name = self._threads.get(thread)
        return (f"{name} (pid {pid}, tid {tid})" if name else f"pid {pid}, tid {tid}"), pid, tid

    def _add(self, key: tuple[str, str, str] | None, start: Any, end: Any, name: Any, category: str) -> None:
        if key is None or not _is_integer(start) or not _is_integer(end):
            self._unread += 1
            return
        lane = self._lanes.setdefault(key, Lane())
        lane.start.append(start)
        lane.end.append(end)
        lane.frame.append(self._builder.frame(str(name or UNNAMED), category=category))

    def _read_samples(self) -> None:
        """CPU samples: a chain of symbols each, innermost first; every sample counts as one."""
        chains: dict[int, list[tuple[int, int]]] = {}
        for sample, depth, symbol, module in self._rows("SAMPLING_CALLCHAINS", "id", "stackDepth", "symbol", "module"):
            if _is_integer(sample) and _is_integer(depth):
                frame = self._builder.frame(self._texts.get(symbol) or UNNAMED, self._texts.get(module))
                chains.setdefault(sample, []).append((depth, frame))
        threads: dict[tuple[str, str, str], list[tuple[int, list[int]]]] = {}
        for sample, start, thread in self._rows("COMPOSITE_EVENTS", "id", "start", "globalTid"):
            key = self._thread(thread)
            if key is None or not _is_integer(start):
                self._unread += 1
            else:
                chain = sorted(chains.get(sample, ()), reverse=True)
                threads.setdefault(key, []).append((start, [frame for _, frame in chain]))
        for (name, pid, tid), samples in threads.items():
            samples.sort(key=lambda sample: sample[0])
            stacks = StackTable()
            time = np.array([start for start, _ in samples], np.int64)
            self._builder.add_sampled(
                f"{name}, CPU samples",
                stacks,
                stacks.leaves([stack for _, stack in samples]),
                [np.ones(len(samples), np.int64)],
                values=(ValueType("samples", Unit.COUNT),),
                time=time,
                axis=Unit.NANOSECONDS,
                pid=pid,
                tid=tid,
            )


def _is_integer(value: Any) -> TypeGuard[int]:
    return isinstance(value, int)
