"""The raw form of a Firefox profile, as the browser writes it (`MOZ_PROFILER_SHUTDOWN`, DevTools of old).

Format: tools/profiler/core in mozilla-central (ProfileBufferEntry.h); tables are rows whose columns `schema` names.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np

from traces.builder import TraceBuilder
from traces.formats.firefox.gecko_thread import (
    CPU_TIME,
    GARBAGE_COLLECTION,
    INTERVAL,
    INTERVAL_END,
    INTERVAL_START,
    GeckoThread,
    Markers,
)
from traces.formats.time_units import in_unit, nanoseconds, unit_named
from traces.model import NONE
from traces.values import ValueType

FUNCTION = re.compile(r"(?:(.*) \(((?:(?! \().)+?):(\d+)(?::(\d+))?\)|(.+?):(\d+)(?::(\d+))?)(?:\[\d+\])?")
MILLISECOND = 1_000_000
TRACED = {"start": INTERVAL_START, "end": INTERVAL_END}


class Row(msgspec.Struct, array_like=True, gc=False):
    """One row of a table; it may end early."""

    c0: Any = None
    c1: Any = None
    c2: Any = None
    c3: Any = None
    c4: Any = None
    c5: Any = None
    c6: Any = None
    c7: Any = None


class MarkerRow(Row, array_like=True, gc=False):
    """What a marker carries besides its name and time is not decoded."""

    c5: msgspec.Raw = msgspec.Raw(b"null")


AnyRow = TypeVar("AnyRow", bound=Row)


class Table(msgspec.Struct, Generic[AnyRow]):
    """Rows, and which column of them is what."""

    fields: dict[str, int] = msgspec.field(name="schema", default_factory=dict)
    rows: list[AnyRow] = msgspec.field(name="data", default_factory=list)

    def column(self, name: str) -> list[Any]:
        """The values of one column; None where a row has none."""
        at = self.fields.get(name)
        if at is None or f"c{at}" not in Row.__struct_fields__:
            return [None] * len(self.rows)
        return list(map(attrgetter(f"c{at}"), self.rows))


class Thread(msgspec.Struct):
    samples: Table[Row]
    stack_table: Table[Row] = msgspec.field(name="stackTable")
    frame_table: Table[Row] = msgspec.field(name="frameTable")
    strings: list[str] = msgspec.field(name="stringTable")
    name: str = ""
    process: str | None = msgspec.field(name="processName", default=None)
    pid: int | str = ""
    tid: int | str = ""
    markers: Table[MarkerRow] = msgspec.field(default_factory=Table[MarkerRow])


class Category(msgspec.Struct):
    name: str


class Units(msgspec.Struct):
    cpu: str = msgspec.field(name="threadCPUDelta", default="")


class Meta(msgspec.Struct):
    start: float = msgspec.field(name="startTime", default=0)
    monotonic_start: int | None = msgspec.field(name="startTimeAsClockMonotonicNanosecondsSinceBoot", default=None)
    interval: float = 1
    categories: list[Category] = []
    units: Units | None = msgspec.field(name="sampleUnits", default=None)
    processed: int | None = msgspec.field(name="preprocessedProfileVersion", default=None)
    product: Any = None
    system: Any = msgspec.field(name="oscpu", default=None)
    build_id: Any = msgspec.field(name="appBuildID", default=None)

    def after(self, root: "Meta") -> int:
        """By how many nanoseconds this process began after the root. Raises ValueError."""
        if self.monotonic_start is not None and root.monotonic_start is not None:
            return self.monotonic_start - root.monotonic_start
        return nanoseconds([self.start - root.start], MILLISECOND).item()


class Library(msgspec.Struct):
    start: int
    end: int
    name: str
    offset: int = 0
    path: str | None = None


class Pause(msgspec.Struct):
    start: float | None = msgspec.field(name="startTime", default=None)
    end: float | None = msgspec.field(name="endTime", default=None)


class Process(msgspec.Struct):
    meta: Meta
    threads: list[Thread]
    libs: list[Library] = []
    pauses: list[Pause] = msgspec.field(name="pausedRanges", default_factory=list)
    processes: list["Process"] = []
    devtools: msgspec.Raw = msgspec.field(name="profile", default=msgspec.Raw(b""))
    """What DevTools saved has the process in here."""


@dataclass(slots=True)
class Libraries:
    """Which file an address was mapped from."""

    rows: list[Library]
    starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.rows = sorted(self.rows, key=lambda library: library.start)
        self.starts = [library.start for library in self.rows]

    def place(self, address: int) -> tuple[str, str | None]:
        """What to call an address without a symbol: its library and where in it, and the library's path."""
        at = bisect_right(self.starts, address) - 1
        if at < 0 or address >= self.rows[at].end:
            return f"0x{address:x}", None
        library = self.rows[at]
        return f"{library.name}+0x{address - library.start + library.offset:x}", library.path


def threads(process: Process, root: Process, builder: TraceBuilder) -> Iterator[GeckoThread]:
    """Each thread that has samples, with times on the root's clock. Raises DamagedTrace, ValueError."""
    shift = process.meta.after(root.meta)
    libraries = Libraries(process.libs)
    names = [category.name for category in process.meta.categories]
    frame_of: dict[tuple[str, str | None], int] = {}  # threads have much of their code in common
    for thread in process.threads:
        if not thread.samples.rows:
            continue
        categories = [named(category, names) for category in thread.frame_table.column("category")]
        read = read_thread(thread, builder, shift)
        read.categories = categories
        frames = []
        for place in zip(locations(thread, builder), categories, strict=True):
            if (frame := frame_of.get(place)) is None:
                frame = frame_of[place] = _frame(*place, libraries, builder)
            frames.append(frame)
        read.frames = frames
        cpu = thread.samples.column("threadCPUDelta")
        if any(cpu):
            unit, factor = unit_named(process.meta.units.cpu if process.meta.units else "")
            try:
                spent = np.array(cpu, np.float64)  # None becomes NaN
            except TypeError as error:
                raise ValueError("a processor time is no number") from error
            deltas = in_unit(np.fmax(spent, 0), unit, factor)
            read.weights.append((CPU_TIME if unit.is_time else ValueType("CPU cycles", unit), deltas))
        yield read


def read_thread(thread: Thread, builder: TraceBuilder, shift: int = 0) -> GeckoThread:
    """What all raw forms share, still without frames. Raises DamagedTrace, ValueError for times that are none."""
    markers = thread.markers
    starts, ends, phases = (markers.column(name) for name in ("startTime", "endTime", "phase"))
    if "time" in markers.fields and "startTime" not in markers.fields:
        starts, ends, phases = before_phases(markers.column("time"), markers.column("data"))
    try:
        return GeckoThread(
            name=thread.name,
            process=thread.process or "",
            pid=str(thread.pid),
            tid=str(thread.tid),
            prefixes=[NONE if prefix is None else int(prefix) for prefix in thread.stack_table.column("prefix")],
            stacks=[int(frame) for frame in thread.stack_table.column("frame")],
            samples=[NONE if stack is None else int(stack) for stack in thread.samples.column("stack")],
            times=nanoseconds(thread.samples.column("time"), MILLISECOND) + shift,
            markers=markers_of(
                thread.strings,
                markers.column("name"),
                starts,
                ends,
                phases,
                shift,
            ),
        )
    except (TypeError, IndexError) as error:
        raise builder.damaged("a table lacks a number, or names a row that is not in the file.") from error


def before_phases(times: Sequence[Any], data: Sequence[Any]) -> tuple[list[Any], list[Any], list[int]]:
    """Beginnings, ends and phases of markers as they were written until 2020: a time each, and what lasted says so in
    what it carries, with both ends or as the one that it is."""
    starts, ends, phases = list(times), list(times), [0] * len(times)
    for row, said in enumerate(data):
        if not isinstance(said, dict):
            continue
        if said.get("type") == "tracing":
            phases[row] = TRACED.get(str(said.get("interval")), 0)
        elif all(type(said.get(name)) in (int, float) for name in ("startTime", "endTime")):
            starts[row], ends[row], phases[row] = said["startTime"], said["endTime"], INTERVAL
    return starts, ends, phases


def markers_of(
    strings: Sequence[str],
    names: Sequence[int],
    starts: Sequence[float | None],
    ends: Sequence[float | None],
    phases: Sequence[Any],
    shift: int = 0,
) -> Markers:
    """Markers from the columns of their table. Raises ValueError for times that are none, TypeError and IndexError for
    names that are none."""
    begin, end = (nanoseconds([time or 0 for time in times], MILLISECOND) + shift for times in (starts, ends))
    name = np.array(names) if names else np.zeros(0, np.int64)
    if name.dtype.kind not in "iu":
        raise TypeError("a marker's name is no number")
    if len(name) and not 0 <= name.min() <= name.max() < len(strings):
        raise IndexError("a marker names a string that is not in the file")
    if not len(name) == len(begin) == len(end) == len(phases):
        raise ValueError("a table of markers has columns of several lengths")
    return Markers.of(strings, name.astype(np.int64), begin, end, phases)


def locations(thread: Thread, builder: TraceBuilder) -> list[str]:
    """What each row of the frame table says about its place. Raises DamagedTrace."""
    try:
        return [thread.strings[location] for location in thread.frame_table.column("location")]
    except (TypeError, IndexError) as error:
        raise builder.damaged("a frame names a string that is not in the file.") from error


def named(category: Any, names: Sequence[str]) -> str | None:
    """A category's name; None where a frame has none."""
    return names[category] if isinstance(category, int) and 0 <= category < len(names) else None


def _frame(location: str, category: str | None, libraries: Libraries, builder: TraceBuilder) -> int:
    if location.startswith("0x"):
        try:
            name, path = libraries.place(int(location, 16))
        except ValueError:
            name, path = location, None
        return builder.frame(name, path, category="native")
    kind = "gc" if category == GARBAGE_COLLECTION else category
    place = FUNCTION.fullmatch(location)
    if place is None:
        return builder.frame(location, category=kind)
    name, file, line, column = place[1], place[2] or place[5], place[3] or place[6], place[4] or place[7]
    file = file.rsplit(" -> ", 1)[-1]  # a script that another one loaded
    return builder.frame(
        name or f"(anonymous {file.rsplit('/', 1)[-1]}:{line})", file, int(line), int(column) if column else None, kind
    )
