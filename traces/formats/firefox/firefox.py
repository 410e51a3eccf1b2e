"""Firefox profiles: raw and processed forms of the Firefox Profiler, and what DevTools saved until 2019."""

import re

import msgspec
import numpy as np

from traces.builder import TraceBuilder
from traces.errors import DamagedTrace
from traces.formats.firefox import gecko, gecko_processed
from traces.formats.firefox.gecko import MILLISECOND
from traces.formats.firefox.gecko_thread import HIDDEN, GeckoThread, add_thread
from traces.formats.time_units import nanoseconds
from traces.kernels.json_rows import Cell

CALL = re.compile(r"(.*)\s\(((?:(?!\s\().)*?)(?::(\d+))?(?::(\d+))?\)")
PRIVATE = ("resource:", "self-hosted")
OPEN_END_MS = 1e12
Pauses = list[tuple[int, int]]
Paused = tuple[GeckoThread, Pauses]


class DevToolsFile(msgspec.Struct):
    profile: gecko.Process
    duration: float = 0


class Version(msgspec.Struct):
    processed: int | None = msgspec.field(name="preprocessedProfileVersion", default=None)


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile a thread; the main thread that works most is the default. Raises DamagedTrace."""
    try:
        if (root := _raw(content)) is not None:
            try:
                _add(_raw_threads(root, builder), root.meta, builder)
            except (DamagedTrace, ValueError, msgspec.DecodeError):
                msgspec.json.decode(content, type=gecko.ProcessOfRows)  # what is wrong with a row is found first
                raise
            return
        parts = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
        if "profile" in parts:
            _read_devtools(msgspec.json.decode(content, type=DevToolsFile), builder)
        elif msgspec.json.decode(parts["meta"], type=Version).processed is not None:
            processed = msgspec.json.decode(content, type=gecko_processed.File)
            threads = [(thread, _pauses(pauses)) for thread, pauses in gecko_processed.threads(processed, builder)]
            _add(threads, processed.meta, builder)
        else:
            root = msgspec.json.decode(content, type=gecko.Process)
            _add(_raw_threads(root, builder), root.meta, builder)
    except ValueError as error:
        raise builder.damaged(f"{error}.") from error


def _raw(content: memoryview) -> gecko.Process | None:
    """The file's main process, if its form is the raw one: that is tried first, as it is decoded in one go."""
    try:
        root = msgspec.json.decode(content, type=gecko.Process)
    except msgspec.ValidationError:
        return None
    return root if root.meta.processed is None and not root.devtools else None


def _raw_threads(root: gecko.Process, builder: TraceBuilder) -> list[Paused]:
    threads: list[Paused] = []
    processes = [root]
    for process in processes:
        shift = process.meta.after(root.meta)
        pauses = _pauses(process.pauses, shift)
        threads += [(thread, pauses) for thread in gecko.threads(process, root, builder)]
        processes += process.processes
    return threads


def _add(threads: list[Paused], meta: gecko.Meta, builder: TraceBuilder) -> None:
    several = len({thread.pid for thread, _ in threads}) > 1
    lasting, began = nanoseconds([meta.interval, meta.start], MILLISECOND).tolist()
    builder.recorded(began)
    for key, value in (("runtime", meta.product), ("platform", meta.system), ("build_id", meta.build_id)):
        builder.origin.says(key, value)
    times = [time for thread, _ in threads for time in (thread.times.min(), thread.times.max() + lasting)]
    extent = (int(min(times)), int(max(times))) if times else None
    for thread, pauses in threads:
        label = thread.name or f"tid {thread.tid}"
        name = f"{thread.process or 'process'} (pid {thread.pid}), {label}" if several else label
        first = builder.profile_count
        add_thread(thread, builder, name=name, interval=lasting, pauses=pauses, extent=extent)
        if thread.is_main:
            builder.mark_main(range(first, builder.profile_count))


def _pauses(pauses: list[gecko.Pause], shift: int = 0) -> Pauses:
    ends = [(p.start, p.end if p.end is not None else OPEN_END_MS) for p in pauses if p.start is not None]
    return [
        (start + shift, end + shift)
        for start, end in nanoseconds(np.array(ends).reshape(-1), MILLISECOND).reshape(-1, 2).tolist()
    ]


def _read_devtools(file: DevToolsFile, builder: TraceBuilder) -> None:
    """Only functions of the page are stacks, as DevTools itself showed them. Times count from the recording's start."""
    end = nanoseconds([file.duration], MILLISECOND).item()
    for thread in file.profile.threads:
        if thread.samples.is_empty:
            continue
        thread.markers = gecko.Table()  # on another clock
        read = gecko.read_thread(thread, builder)
        (places,) = thread.frame_table.columns(location=Cell.INTEGER)
        read.frames = [_page_frame(location, builder) for location in gecko.locations(thread, places, builder)]
        read.categories = [None] * len(read.frames)
        add_thread(read, builder, name=thread.name, interval=0, extent=(0, end))


def _page_frame(location: str, builder: TraceBuilder) -> int:
    call = CALL.fullmatch(location)
    if call is None or call[2].startswith(PRIVATE):
        return HIDDEN
    line, column = call[3], call[4]  # the column counts from 0
    return builder.frame(call[1], call[2], int(line) if line else None, int(column) + 1 if column else None)
