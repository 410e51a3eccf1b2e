"""The raw form of a Firefox profile, as the browser writes it (`MOZ_PROFILER_SHUTDOWN`, DevTools of old).

Format: tools/profiler/core in mozilla-central (ProfileBufferEntry.h); tables are rows whose columns `schema` names.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from traces.builder import TraceBuilder
from traces.formats.firefox.gecko_thread import (
    CPU_TIME,
    GARBAGE_COLLECTION,
    INTERVAL,
    INTERVAL_END,
    INTERVAL_START,
    GeckoThread,
    Markers,
    Rows,
)
from traces.formats.time_units import in_unit, nanoseconds, unit_named
from traces.kernels.json_rows import COLUMNS, Cell, scan_rows
from traces.model import NONE, Int32, Values
from traces.values import Unit, ValueType

FUNCTION = re.compile(r"(?:(.*) \(((?:(?! \().)+?):(\d+)(?::(\d+))?\)|(.+?):(\d+)(?::(\d+))?)(?:\[\d+\])?")
MILLISECOND = 1_000_000
EMPTY = re.compile(rb"\s*\[\s*\]")
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


CARRIED = 5
"""Which cell that is."""
Column = Int32 | npt.NDArray[np.float64] | list[Any]
"""Integers (-1: none) or numbers (NaN: none) where the rows hold nothing else, or else the cells (None: none)."""


class Table(msgspec.Struct):
    """Rows, and which column of them is what."""

    fields: dict[str, int] = msgspec.field(name="schema", default_factory=dict)
    data: msgspec.Raw = msgspec.Raw(b"[]")

    @property
    def is_empty(self) -> bool:
        return EMPTY.match(memoryview(self.data)) is not None

    def columns(self, row: type[Row] = Row, **kinds: Cell) -> list[Column]:
        """The columns of these names. Raises what msgspec raises."""
        cells = {name: self.fields.get(name, NONE) for name in kinds}
        asked = {at: kinds[name] for name, at in cells.items() if 0 <= at < COLUMNS}
        columns = None
        if asked and len(asked) == sum(0 <= at < COLUMNS for at in cells.values()):
            other = {CARRIED: Cell.ANYTHING} if row is MarkerRow else {}
            columns = scan_rows(memoryview(self.data), [(other | asked).get(at, Cell.SKIPPED) for at in range(COLUMNS)])
        if columns is None:
            return self.cells(row, *kinds)
        size = len(columns[next(iter(asked))])
        return [columns[at] if at in asked else _nothing(kinds[name], size) for name, at in cells.items()]

    def cells(self, row: type[Row], *names: str) -> list[Column]:
        """The columns of these names, a cell at a time."""
        rows = msgspec.json.decode(self.data, type=list[row])  # type: ignore[valid-type]
        places = [self.fields.get(name, NONE) for name in names]
        return [list(map(attrgetter(f"c{at}"), rows)) if 0 <= at < COLUMNS else [None] * len(rows) for at in places]


def _nothing(kind: Cell, size: int) -> Column:
    return np.full(size, NONE, np.int32) if kind is Cell.INTEGER else np.full(size, np.nan)


class Thread(msgspec.Struct):
    samples: Table
    stack_table: Table = msgspec.field(name="stackTable")
    frame_table: Table = msgspec.field(name="frameTable")
    strings: list[str] = msgspec.field(name="stringTable")
    name: str = ""
    process: str | None = msgspec.field(name="processName", default=None)
    pid: int | str = ""
    tid: int | str = ""
    markers: Table = msgspec.field(default_factory=Table)


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


class TableOfRows(msgspec.Struct):
    rows: list[Row] = msgspec.field(name="data", default_factory=list)


class TableOfMarkers(msgspec.Struct):
    rows: list[MarkerRow] = msgspec.field(name="data", default_factory=list)


class ThreadOfRows(msgspec.Struct):
    samples: TableOfRows
    stack_table: TableOfRows = msgspec.field(name="stackTable")
    frame_table: TableOfRows = msgspec.field(name="frameTable")
    markers: TableOfMarkers = msgspec.field(default_factory=TableOfMarkers)


class ProcessOfRows(msgspec.Struct):
    """A process with each row, to say where one is that is none."""

    threads: list[ThreadOfRows]
    processes: list["ProcessOfRows"] = []


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
    cpu = unit_named(process.meta.units.cpu if process.meta.units else "")
    for thread in process.threads:
        if thread.samples.is_empty:
            continue
        read = read_thread(thread, builder, shift, cpu)
        places, categories = thread.frame_table.columns(location=Cell.INTEGER, category=Cell.INTEGER)
        read.categories = _named(categories, names)
        frames = []
        for place in zip(locations(thread, places, builder), read.categories, strict=True):
            if (frame := frame_of.get(place)) is None:
                frame = frame_of[place] = _frame(*place, libraries, builder)
            frames.append(frame)
        read.frames = frames
        yield read


def read_thread(
    thread: Thread, builder: TraceBuilder, shift: int = 0, cpu: tuple[Unit, int] | None = None
) -> GeckoThread:
    """What all raw forms share, still without frames; `cpu` is what processor times are in. Raises DamagedTrace,
    ValueError for times that are none."""
    markers = thread.markers
    stacks, times, spent = thread.samples.columns(stack=Cell.INTEGER, time=Cell.NUMBER, threadCPUDelta=Cell.NUMBER)
    prefixes, frames = thread.stack_table.columns(prefix=Cell.INTEGER, frame=Cell.INTEGER)
    try:
        return GeckoThread(
            name=thread.name,
            process=thread.process or "",
            pid=str(thread.pid),
            tid=str(thread.tid),
            prefixes=_rows(prefixes),
            stacks=_rows(frames, needed=True),
            samples=_rows(stacks),
            times=nanoseconds(_needed(times), MILLISECOND) + shift,
            weights=[] if cpu is None else _processor_times(spent, *cpu),
            markers=markers_of(thread.strings, *_marker_columns(markers), shift),
        )
    except (TypeError, IndexError) as error:
        raise builder.damaged("a table lacks a number, or names a row that is not in the file.") from error


def _marker_columns(markers: Table) -> tuple[Column, Column, Column, Column]:
    """Names, beginnings, ends and phases."""
    if "time" in markers.fields and "startTime" not in markers.fields:
        name, time, data = markers.cells(MarkerRow, "name", "time", "data")
        return name, *before_phases(_listed(time), _listed(data))
    kinds = {"name": Cell.INTEGER, "startTime": Cell.NUMBER, "endTime": Cell.NUMBER, "phase": Cell.INTEGER}
    name, start, end, phase = markers.columns(MarkerRow, **kinds)
    return name, start, end, phase


def _processor_times(spent: Column, unit: Unit, factor: int) -> list[tuple[ValueType, Values]]:
    """The column, unless no sample has any."""
    if not (np.nan_to_num(spent).any() if isinstance(spent, np.ndarray) else any(spent)):
        return []
    try:
        known = np.array(spent, np.float64)  # None becomes NaN
    except TypeError as error:
        raise ValueError("a processor time is no number") from error
    deltas = in_unit(np.fmax(known, 0), unit, factor)
    return [(CPU_TIME if unit.is_time else ValueType("CPU cycles", unit), deltas)]


def _needed(column: Column) -> Column:
    """Raises TypeError where a cell has none."""
    if isinstance(column, np.ndarray) and (np.isnan(column) if column.dtype.kind == "f" else column < 0).any():
        raise TypeError("a row has no number")
    return column


def _rows(column: Column, *, needed: bool = False) -> Rows:
    """Numbers of rows, -1 for none unless one is needed. Raises TypeError."""
    if isinstance(column, np.ndarray):
        return _needed(column) if needed else column  # type: ignore[return-value]
    return [NONE if row is None and not needed else int(row) for row in column]


def _listed(column: Column) -> list[Any]:
    return column if isinstance(column, list) else column.tolist()


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
    names: Column,
    starts: Column,
    ends: Column,
    phases: Column,
    shift: int = 0,
) -> Markers:
    """Markers from the columns of their table. Raises ValueError for times that are none, TypeError and IndexError for
    names that are none."""
    begin, end = (nanoseconds(_or_zero(times), MILLISECOND) + shift for times in (starts, ends))
    name = np.asarray(names) if len(names) else np.zeros(0, np.int64)
    if name.dtype.kind not in "iu":
        raise TypeError("a marker's name is no number")
    if len(name) and not 0 <= name.min() <= name.max() < len(strings):
        raise IndexError("a marker names a string that is not in the file")
    if not len(name) == len(begin) == len(end) == len(phases):
        raise ValueError("a table of markers has columns of several lengths")
    return Markers.of(strings, name.astype(np.int64), begin, end, phases)


def _or_zero(times: Column) -> Column:
    if isinstance(times, np.ndarray):
        return np.where(np.isnan(times), 0, times)
    return [time or 0 for time in times]


def locations(thread: Thread, places: Column, builder: TraceBuilder) -> list[str]:
    """What each row of the frame table says about its place. Raises DamagedTrace."""
    try:
        return [thread.strings[place] for place in _listed(_needed(places))]
    except (TypeError, IndexError) as error:
        raise builder.damaged("a frame names a string that is not in the file.") from error


def named(category: Any, names: Sequence[str]) -> str | None:
    """A category's name; None where a frame has none."""
    return names[category] if isinstance(category, int) and 0 <= category < len(names) else None


def _named(categories: Column, names: Sequence[str]) -> list[str | None]:
    """The name of each."""
    if isinstance(categories, list):
        return [named(category, names) for category in categories]
    known = [*names, None]
    return [known[category] for category in np.where(categories < len(names), categories, NONE).tolist()]


def _frame(location: str, category: str | None, libraries: Libraries, builder: TraceBuilder) -> int:
    if location.startswith("0x"):
        try:
            name, path = libraries.place(int(location, 16))
        except ValueError:
            name, path = location, None
        return builder.frame(name, path, category="native")
    kind = "gc" if category == GARBAGE_COLLECTION else category
    place = script_of(location)
    if place is None:
        return builder.frame(location, category=kind)
    function, file, line, column = place
    file = file.rsplit(" -> ", 1)[-1]  # a script that another one loaded
    return builder.frame(
        function or f"(anonymous {file.rsplit('/', 1)[-1]}:{line})",
        file,
        int(line),
        int(column) if column else None,
        kind,
    )


def script_of(location: str) -> tuple[str | None, str, str, str | None] | None:
    """Name, file, line and column of a function of a script, which is mostly `name (file:line:column)`."""
    name, opened, place = location.rpartition(" (")
    file, _, column = place.rpartition(":")
    file, _, line = file.rpartition(":")
    if opened and file and column[-1:] == ")" and column[:-1].isdecimal() and line.isdecimal() and "\n" not in location:
        return name, file, line, column[:-1]
    found = FUNCTION.fullmatch(location)
    return found and (found[1], found[2] or found[5], found[3] or found[6], found[4] or found[7])
