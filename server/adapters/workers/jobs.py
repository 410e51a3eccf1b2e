"""What runs inside a worker process: read an upload into the cache, answer a question of a cached trace."""

import mmap
import os
import resource
import signal
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server.adapters.workers.cache_eviction import mark_used
from server.adapters.workers.findings_file import FindingsFile
from server.adapters.workers.pages import keep_freed_pages
from server.adapters.workers.shared_progress import Place, attached_progress
from server.adapters.workers.trace_cache import TraceCache
from server.ports.traces import OpenTrace
from traces import cache
from traces.content_key import content_key
from traces.errors import DamagedTrace
from traces.findings_place import PLACE
from traces.model import Trace
from traces.progress import Progress

if TYPE_CHECKING:
    from traces.gate.run_history import HistoryColumns

TRACES_KEPT_OPEN = 4
"""Mapped traces one worker keeps: a conversation asks about one, a comparison about two; mapping costs address space,
not memory.
"""

IMPORTER_NICENESS = 10
"""Importing yields to questions, which a person waits for."""


class CacheUnusable(Exception):
    """The file in the cache is gone, foreign or damaged."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one job may use; past it the system ends the worker (time) or refuses memory."""

    memory_bytes: int
    cpu_seconds: int


def import_trace(
    source: Path, name: str, key: str, kept: TraceCache, bounds: Bounds, place: Place | None = None
) -> Path:
    """Have a file's columns in the cache, where `key` leads to from then on: parsed, unless they are there. How far
    that is stands in the memory at `place`. Returns the columns. Raises TraceError kinds, MemoryError, OSError.
    """
    _bound(bounds)
    failure: list[BaseException] = []
    columns: list[Path] = []

    def work() -> None:
        os.nice(IMPORTER_NICENESS)
        try:
            columns.append(_columns(source, name, kept, attached_progress(place)))
            kept.point(key, columns[0])
        except BaseException as error:  # noqa: BLE001 - carried to the caller's thread, where it is raised
            failure.append(error)

    # On Linux niceness belongs to a thread: it ends with this one, and the process may answer questions next.
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return columns[0]


@dataclass(frozen=True, slots=True)
class MeasuredFile:
    """What a file measured. `key` is that of its content: equal bytes have equal keys."""

    key: str
    format: str
    measured: "HistoryColumns"


def measure(source: Path, name: str, bounds: Bounds) -> MeasuredFile:
    """What a file measured; nothing of it is kept. Raises TraceError kinds, MemoryError, OSError."""
    # Most workers answer questions: what only reads or measures files is half a second of a processor to load.
    from traces.gate.run_history import history_columns, run_history  # noqa: PLC0415
    from traces.reader import read_trace  # noqa: PLC0415

    _bound(bounds)
    with source.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        trace = read_trace(data, name=name)
        return MeasuredFile(content_key(data), trace.format, history_columns(run_history(trace)))


def answer(
    columns: Path, question: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], bounds: Bounds
) -> Any:
    """Answer a question of a cached trace; other traces among the arguments are opened too. Raises CacheUnusable,
    MemoryError and what the question raises.
    """
    _bound(bounds)
    keep_freed_pages()
    opened = (_open(value.columns) if isinstance(value, OpenTrace) else value for value in args)
    return question(_open(columns), *opened, **kwargs)


def is_readable(trace: Trace) -> bool:
    """A question whose answer proves that the cached file opens."""
    return len(trace.profiles) > 0


def _columns(source: Path, name: str, kept: TraceCache, progress: Progress) -> Path:
    """A command, or another upload of the same content, may have left them: then under its file's name."""
    from traces.reader import read_trace  # noqa: PLC0415 - as in `measure`

    with source.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        columns = kept.columns(content_key(data))
        known = kept.open(columns)
        if known is not None and known.name == name:
            return columns
        return kept.keep(read_trace(data, name=name, progress=progress))


_open_traces: OrderedDict[tuple[Path, int, int], Trace] = OrderedDict()


def _open(columns: Path) -> Trace:
    """The mapped trace, from the few that were used last. The key holds the file's identity: a rebuilt file is opened
    anew.
    """
    try:
        stat = columns.stat()
        key = (columns, stat.st_ino, stat.st_mtime_ns)
        if key not in _open_traces:
            with columns.open("rb") as file:
                trace = _open_traces[key] = cache.decode(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
                trace.answers[PLACE] = FindingsFile(columns)
    except (OSError, ValueError, DamagedTrace) as error:
        raise CacheUnusable(str(columns)) from error
    mark_used(columns, stat)
    _open_traces.move_to_end(key)
    while len(_open_traces) > TRACES_KEPT_OPEN:
        _open_traces.popitem(last=False)
    return _open_traces[key]


def _bound(bounds: Bounds) -> None:
    """Bound this process from here on: address space, and processor time beyond what it has used so far.

    Ctrl-C in a terminal reaches every process there; when a worker stops is the server's to say.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu_seconds = int(used.ru_utime + used.ru_stime) + bounds.cpu_seconds + 1
    limits = [(resource.RLIMIT_CPU, cpu_seconds)]
    if sys.platform == "linux":  # macOS refuses to bound the address space of a running process
        limits.append((resource.RLIMIT_AS, bounds.memory_bytes))
    for which, bound in limits:
        _, hard = resource.getrlimit(which)
        resource.setrlimit(which, (bound if hard == resource.RLIM_INFINITY else min(bound, hard), hard))
