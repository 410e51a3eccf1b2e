"""The cache of opened traces, which servers and commands of one machine share: a folder of columns by content key, and
small files that lead to them from what is known before a file is read.

Both are written aside and renamed, so that any number of processes may read, write and clear the folder at once. It may
be removed at any time: what is not found, cut or of another engine is read again from the trace.
"""

import hashlib
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path

from server.adapters.workers.cache_eviction import (
    COLUMNS,
    LIMIT,
    POINTER,
    UNFINISHED,
    cached_files,
    evict,
    mark_used,
    remove,
)
from server.adapters.workers.findings_file import FindingsFile
from traces import cache
from traces.cache import ENGINE_VERSION
from traces.errors import DamagedTrace
from traces.findings_place import PLACE
from traces.model import Trace

UNFINISHED_S = 3_600
"""Nobody writes a file of columns for longer: what is older was left by a process that died."""

SETTLED_S = 2
"""A file that was changed more recently may change again without looking different: FAT keeps times to two seconds."""

COLUMNS_NAME = re.compile(r"[a-z0-9]+-[0-9a-f]{64}" + re.escape(COLUMNS))


@dataclass(frozen=True, slots=True)
class FileState:
    """Where a file lies and all that changes when it does: size, times of content and of inode, inode and device."""

    path: Path
    looks: str
    changed_at: float

    @classmethod
    def of(cls, file: Path) -> "FileState":
        """Of a file as it is now. Raises OSError."""
        path = file.resolve(strict=True)
        stat = path.stat()
        looks = f"{stat.st_size},{stat.st_mtime_ns},{stat.st_ctime_ns},{stat.st_ino},{stat.st_dev}"
        return cls(path, looks, max(stat.st_mtime, stat.st_ctime))

    @property
    def pointer(self) -> str:
        """The name of what leads from the path to its columns."""
        return f"place-{hashlib.sha256(os.fsencode(self.path)).hexdigest()[:32]}"


@dataclass(frozen=True, slots=True)
class CachedTrace:
    """One file of columns: its trace's name and format, its size and when it was last used, in seconds since 1970."""

    name: str
    format: str
    size_bytes: int
    used_at: float


class TraceCache:
    """Columns below `folder`, which is made when something is kept. `most_bytes` is the bound of who asks; one that was
    set for the folder counts where it is smaller.
    """

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self.folder = folder
        self._ours = folder / ENGINE_VERSION
        self._most_bytes = most_bytes

    def columns(self, content_key: str) -> Path:
        """Where the columns of a content lie if they are there."""
        return self._ours / f"{content_key}{COLUMNS}"

    def find(self, pointer: str, looks: str = "") -> Path | None:
        """The columns that a pointer leads to, if it was made for what `looks` so."""
        try:
            columns, _, then = (self._ours / f"{pointer}{POINTER}").read_text(encoding="ascii").partition(" ")
        except (OSError, ValueError):
            return None
        return self._ours / columns if then == looks and COLUMNS_NAME.fullmatch(columns) else None

    def point(self, pointer: str, columns: Path, looks: str = "") -> None:
        """Lead from a name to columns, from now on. Raises OSError."""
        self._write(self._ours / f"{pointer}{POINTER}", [f"{columns.name} {looks}".rstrip().encode("ascii")])

    def forget(self, pointer: str) -> None:
        """Remove the columns that a pointer leads to, and itself. Raises OSError."""
        columns = self.find(pointer)
        if columns is not None:
            remove(columns)
        (self._ours / f"{pointer}{POINTER}").unlink(missing_ok=True)

    def at_place(self, state: FileState) -> Trace | None:
        """The trace of a file that has not changed since it was read."""
        columns = self.find(state.pointer, state.looks)
        return None if columns is None else self.open(columns)

    def remember_place(self, state: FileState, content_key: str, *, now: float) -> None:
        """Find a file's columns by its place from now on, if it surely is what was read. Raises OSError."""
        if now - state.changed_at > SETTLED_S and FileState.of(state.path) == state:
            self.point(state.pointer, self.columns(content_key), state.looks)

    def open(self, columns: Path) -> Trace | None:
        """The trace, mapped; None where there is none that this engine opens. A broken file is removed."""
        try:
            with columns.open("rb") as file:
                trace = cache.decode(mmap(file.fileno(), 0, access=ACCESS_READ))
                stat = os.fstat(file.fileno())
        except FileNotFoundError:
            return None
        except (OSError, ValueError, DamagedTrace):
            with suppress(OSError):
                remove(columns)
            return None
        with suppress(OSError):  # of another user, or on a file system that is only read
            mark_used(columns, stat)
        trace.answers[PLACE] = FindingsFile(columns)
        return trace

    def keep(self, trace: Trace) -> Path:
        """Write the trace's columns, completely or not at all, then make room for them. Returns where they lie. Raises
        OSError.
        """
        columns = self.columns(trace.content_key)
        self._write(columns, cache.encode(trace))
        self.evict(keep=columns)
        trace.answers[PLACE] = FindingsFile(columns)
        return columns

    def evict(self, *, keep: Path | None = None) -> None:
        """Remove what is beyond the bound. Raises OSError."""
        evict(self.folder, keep=keep, most_bytes=self.most_bytes, unfinished_s=UNFINISHED_S)

    @property
    def most_bytes(self) -> int:
        """The bound in force."""
        try:
            limit = int((self.folder / LIMIT).read_text(encoding="ascii"))
        except (OSError, ValueError):
            return self._most_bytes
        return min(self._most_bytes, limit)

    def limit(self, most_bytes: int) -> None:
        """Bound the folder from now on, for everyone, and remove what is beyond. Raises OSError."""
        self._write(self.folder / LIMIT, [str(most_bytes).encode("ascii")])
        self.evict()

    def clear(self) -> int:
        """Remove all columns; returns how many bytes they had. Raises OSError."""
        freed = sum(stat.st_size for _, stat in cached_files(self.folder))
        evict(self.folder, keep=None, most_bytes=0, unfinished_s=UNFINISHED_S)
        return freed

    def traces(self) -> list[CachedTrace]:
        """What is kept, used last first."""
        found = []
        for file, stat in cached_files(self._ours):
            with suppress(OSError, ValueError, DamagedTrace), file.open("rb") as opened:
                trace = cache.decode(mmap(opened.fileno(), 0, access=ACCESS_READ))
                found.append(CachedTrace(trace.name, trace.format, stat.st_size, stat.st_atime))
        return sorted(found, key=lambda one: -one.used_at)

    def _write(self, file: Path, buffers: list[bytes] | list[bytes | memoryview]) -> None:
        for folder in (self.folder.parent, self.folder, file.parent):  # names of files are nobody else's business
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        aside = file.with_name(f"{file.name}.{os.getpid()}-{os.urandom(4).hex()}{UNFINISHED}")
        try:
            with aside.open("wb") as out:
                out.writelines(buffers)
            aside.replace(file)
        finally:
            with suppress(OSError):
                aside.unlink(missing_ok=True)
