"""The processed form of a Firefox profile: what profiler.firefox.com stores, and what samply and others write.

Format: docs-developer/processed-profile-format.md and CHANGELOG-formats.md of https://github.com/firefox-devtools/profiler.
Tables hold columns; since version 60 (strings: 56, sources: 58) those that threads share lie in `shared`.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from traces.builder import TraceBuilder
from traces.formats.firefox.gecko import MILLISECOND, Meta, Pause, before_phases, markers_of, named
from traces.formats.firefox.gecko_thread import CPU_TIME, GARBAGE_COLLECTION, GeckoThread
from traces.formats.time_units import in_unit, nanoseconds, unit_named
from traces.model import NONE
from traces.values import Unit, ValueType

WEIGHTS = {
    "samples": ValueType("samples", Unit.COUNT),
    "tracing-ms": ValueType("traced time", Unit.NANOSECONDS),  # written in milliseconds
    "bytes": ValueType("bytes", Unit.BYTES),
}


class Samples(msgspec.Struct):
    stack: list[int | None]
    time: list[float] | None = None
    deltas: list[float] | None = msgspec.field(name="timeDeltas", default=None)
    weight: list[float | None] | None = None
    weight_type: str = msgspec.field(name="weightType", default="samples")
    cpu: list[float | None] | None = msgspec.field(name="threadCPUDelta", default=None)


class StackColumns(msgspec.Struct):
    frame: list[int]
    prefix: list[int | None] | None = None
    prefix_offset: list[int] | None = msgspec.field(name="prefixOffset", default=None)
    category: list[int | None] | None = None


class FrameColumns(msgspec.Struct):
    func: list[int]
    category: list[int | None] | None = None
    lib: list[int | None] | None = None


class FunctionColumns(msgspec.Struct):
    name: list[int]
    file: list[int | None] | None = msgspec.field(name="fileName", default=None)
    source: list[int | None] | None = None
    resource: list[int | None] | None = None
    line: list[int | None] = msgspec.field(name="lineNumber", default_factory=list)
    column: list[int | None] = msgspec.field(name="columnNumber", default_factory=list)


class Sources(msgspec.Struct):
    filename: list[int]


class Resources(msgspec.Struct):
    name: list[int] = []


class Tables(msgspec.Struct):
    stacks: StackColumns | None = msgspec.field(name="stackTable", default=None)
    frames: FrameColumns | None = msgspec.field(name="frameTable", default=None)
    functions: FunctionColumns | None = msgspec.field(name="funcTable", default=None)
    strings: list[str] | None = msgspec.field(name="stringArray", default=None)
    sources: Sources | None = None
    resources: Resources | None = msgspec.field(name="resourceTable", default=None)


class Markers(msgspec.Struct):
    name: list[int] = []
    start: list[float | None] = msgspec.field(name="startTime", default_factory=list)
    end: list[float | None] = msgspec.field(name="endTime", default_factory=list)
    phase: list[int | None] = []
    time: list[float | None] | None = None
    data: msgspec.Raw = msgspec.Raw(b"[]")

    def lasting(self) -> tuple[list[Any], list[Any], list[Any]]:
        """Beginnings, ends and phases; before version 30 markers have a time. Raises ValueError."""
        if self.time is None or self.start:
            return self.start, self.end, self.phase
        return before_phases(self.time, msgspec.json.decode(self.data, type=list[Any]))


class Thread(Tables):
    samples: Samples = msgspec.field(default_factory=lambda: Samples([]))
    markers: Markers = msgspec.field(default_factory=Markers)
    name: str = ""
    process: str | None = msgspec.field(name="processName", default=None)
    pid: int | str = ""
    tid: int | str = ""
    pauses: list[Pause] = msgspec.field(name="pausedRanges", default_factory=list)
    is_main: Any = msgspec.field(name="isMainThread", default=None)


class Library(msgspec.Struct):
    name: str = ""


class File(msgspec.Struct):
    meta: Meta
    threads: list[Thread]
    shared: Tables = msgspec.field(default_factory=Tables)
    libs: list[Library] = []


def threads(file: File, builder: TraceBuilder) -> Iterator[tuple[GeckoThread, list[Pause]]]:
    """Each thread that has samples. Raises DamagedTrace, ValueError for times and weights that are none."""
    names = [category.name for category in file.meta.categories]
    cache: dict[int, list[int]] = {}
    for thread in file.threads:
        if not thread.samples.stack:
            continue
        try:
            yield _thread(thread, file, names, cache, builder), thread.pauses
        except IndexError as error:
            raise builder.damaged("a table names a row that is not in the file.") from error


def _thread(
    thread: Thread, file: File, names: list[str], cache: dict[int, list[int]], builder: TraceBuilder
) -> GeckoThread:
    samples = thread.samples
    stacks, frames = thread.stacks or file.shared.stacks, thread.frames or file.shared.frames
    strings = thread.strings if thread.strings is not None else file.shared.strings
    if stacks is None or frames is None or strings is None:
        raise builder.damaged("a thread has no tables of stacks, frames or strings.")
    if id(frames) not in cache:
        cache[id(frames)] = _frames(frames, thread, file, strings, _categories(stacks, frames), builder)
    times = samples.time if samples.time is not None else np.cumsum(np.array(samples.deltas or [], np.float64))
    if len(times) != len(samples.stack):
        raise builder.damaged(f"it has {len(samples.stack):,} samples but {len(times):,} times.")
    read = GeckoThread(
        name=thread.name,
        process=thread.process or "",
        pid=str(thread.pid),
        tid=str(thread.tid),
        is_main=thread.is_main is True,
        prefixes=_prefixes(stacks),
        stacks=stacks.frame,
        samples=[NONE if stack is None else stack for stack in samples.stack],
        times=nanoseconds(times, MILLISECOND),
        frames=cache[id(frames)],
        categories=[named(category, names) for category in _categories(stacks, frames)],
        markers=markers_of(
            strings,
            thread.markers.name,
            *thread.markers.lasting(),
        ),
    )
    if samples.weight is not None:
        kind = WEIGHTS.get(samples.weight_type, WEIGHTS["samples"])
        factor = MILLISECOND if kind.unit.is_time else 1
        read.weights.append((kind, in_unit([weight or 0 for weight in samples.weight], kind.unit, factor)))
        read.main_weight = None if samples.weight_type == "samples" else 0
    if samples.cpu is not None and any(samples.cpu):
        unit, factor = unit_named(file.meta.units.cpu if file.meta.units else "")
        cpu = in_unit(np.fmax(np.array(samples.cpu, np.float64), 0), unit, factor)  # None becomes NaN
        read.weights.append((CPU_TIME if unit.is_time else ValueType("CPU cycles", unit), cpu))
    if any(len(column) != len(samples.stack) for _, column in read.weights):
        raise builder.damaged("a column of its samples is shorter than the others.")
    return read


def _prefixes(stacks: StackColumns) -> list[int]:
    if stacks.prefix is not None:
        return [NONE if prefix is None else prefix for prefix in stacks.prefix]
    return [row - offset if offset else NONE for row, offset in enumerate(stacks.prefix_offset or [])]


def _categories(stacks: StackColumns, frames: FrameColumns) -> list[int | None]:
    """The category of each frame; before version 53 the stacks may be what knows it."""
    if frames.category is not None:
        return frames.category
    categories: list[int | None] = [None] * len(frames.func)
    for frame, category in zip(stacks.frame, stacks.category or [], strict=False):
        categories[frame] = category
    return categories


def _frames(
    frames: FrameColumns,
    thread: Thread,
    file: File,
    strings: list[str],
    categories: list[int | None],
    builder: TraceBuilder,
) -> list[int]:
    functions = thread.functions or file.shared.functions
    if functions is None:
        raise builder.damaged("it has no table of functions.")
    sources = thread.sources or file.shared.sources
    resources = thread.resources or file.shared.resources
    names = [category.name for category in file.meta.categories]
    read: list[int] = []
    for row, function in enumerate(frames.func):
        name, path = strings[functions.name[function]], None
        if functions.file is not None:
            path = functions.file[function]
        elif (
            functions.source is not None and sources is not None and (source := functions.source[function]) is not None
        ):
            path = sources.filename[source]
        if name.startswith("0x"):  # no symbol: say at least where it lies
            library = None
            if frames.lib is not None:
                at = frames.lib[row]
                library = file.libs[at].name if at is not None and at >= 0 else None
            elif functions.resource is not None and resources is not None:
                at = functions.resource[function]
                library = strings[resources.name[at]] if at is not None and at >= 0 else None
            name = f"{library}+{name}" if library else name
        category = named(categories[row], names)
        read.append(
            builder.frame(
                name,
                strings[path] if path is not None else None,
                functions.line[function] if functions.line else None,
                functions.column[function] if functions.column else None,
                "gc" if category == GARBAGE_COLLECTION else category,
            )
        )
    return read
