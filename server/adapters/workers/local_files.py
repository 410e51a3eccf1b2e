"""Files of this machine, opened through the cache: what a command or a server has read is mapped."""

import os
import time
from collections.abc import Callable
from mmap import ACCESS_READ, mmap
from pathlib import Path

from server.adapters.workers.kept_sizes import SMALLEST_KEPT_BYTES
from server.adapters.workers.trace_cache import FileState, TraceCache
from traces.content_key import content_key
from traces.file_names import under_name
from traces.model import Trace
from traces.progress import Progress
from traces.reader import read_trace


class LocalFiles:
    """Reads through `cache`; without one every file is parsed. `remark` gets one line, once, when the cache cannot be
    written.
    """

    def __init__(self, cache: TraceCache | None, remark: Callable[[str], None]) -> None:
        self._cache = cache
        self._remark = remark
        self._remarked = False

    def read(self, source: Path, name: str, progress: Progress) -> Trace:
        """The trace of a file, under a name. Raises TraceError, and OSError where the file cannot be read."""
        if self._cache is None or source.stat().st_size < SMALLEST_KEPT_BYTES:
            return read_trace(_mapped(source), name=name, progress=progress)
        state = FileState.of(source)
        known = self._cache.at_place(state)
        if known is not None:
            return under_name(known, name)
        data = _mapped(source)
        key = content_key(data)
        known = self._cache.open(self._cache.columns(key))
        if known is not None:
            trace = under_name(known, name)
        else:
            trace = read_trace(data, name=name, progress=progress, key=key)
        self._keep(self._cache, trace, state, is_new=known is None)
        return trace

    def columns(self, trace: Trace) -> Path | None:
        """The file of its columns, if it is in the cache."""
        columns = self._cache.columns(trace.content_key) if self._cache is not None else None
        return columns if columns is not None and columns.is_file() else None

    def _keep(self, cache: TraceCache, trace: Trace, state: FileState, *, is_new: bool) -> None:
        try:
            if is_new:
                cache.keep(trace)
            cache.remember_place(state, trace.content_key, now=time.time())
        except OSError as error:
            if not self._remarked:
                self._remarked = True
                self._remark(f"{cache.folder}: {error.strerror or error}; traces are read anew each time")


def _mapped(source: Path) -> bytes | mmap:
    with source.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        return mmap(file.fileno(), 0, access=ACCESS_READ) if size else b""
