"""The cache kept within its size: the columns used last stay, those of other engines and of killed importers go."""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from traces.cache import ENGINE_VERSION

COLUMNS = ".columns"
FINDINGS = ".findings"
"""What was found in columns, next to them; it goes with them."""

POINTER = ".key"
"""A small file that leads from another name of a content to its columns."""

UNFINISHED = ".new"
LIMIT = "limit"
"""The file of a cache's own bound."""

OTHER_ENGINE_S = 86_400
"""For so long after their last use another version's columns are kept as one's own are."""

MOST_POINTERS = 4_096
"""Of files that were asked about under so many other paths the first are read again."""


def mark_used(columns: Path, stat: os.stat_result) -> None:
    """Note the use in the time of last access, which mounts often do not keep. The time of change is left as it is: it
    shows that a file was rebuilt. A file that was removed meanwhile is no error.
    """
    try:
        os.utime(columns, ns=(time.time_ns(), stat.st_mtime_ns))
    except FileNotFoundError:
        return


def evict(cache: Path, *, keep: Path | None, most_bytes: int, unfinished_s: int) -> None:
    """Remove columns, used longest ago first, until the cache holds `most_bytes` at most; `keep` always stays. First
    goes what no engine opens any more: other versions' columns, where nobody has used them for OTHER_ENGINE_S or
    `most_bytes` is 0, and what was being written more than `unfinished_s` ago.

    A worker that has a removed file mapped goes on reading it: the system frees it when the last one lets go. The
    trace is read again from its upload when it is next asked for.
    """
    for other in cache.iterdir():
        if other.is_dir() and other.name != ENGINE_VERSION and (not most_bytes or not _is_in_use(other)):
            with suppress(FileNotFoundError):  # another worker evicts too
                _remove_engine(other)
    ours = cache / ENGINE_VERSION
    pointers = sorted(_files(ours, POINTER), key=lambda one: -one[1].st_mtime_ns)
    for file, _ in pointers[MOST_POINTERS if most_bytes else 0 :]:
        file.unlink(missing_ok=True)
    written_since = time.time() - unfinished_s
    for file, stat in _files(ours, UNFINISHED):
        if stat.st_mtime < written_since:
            file.unlink(missing_ok=True)
    _remove_orphans(ours)
    kept = [(file, stat, stat.st_size + _findings_bytes(file)) for file, stat in cached_files(cache)]
    excess = sum(size for _, _, size in kept) - most_bytes
    for file, _, size in sorted(kept, key=lambda one: one[1].st_atime_ns):
        if excess > 0 and file != keep:
            remove(file)
            excess -= size


def remove(columns: Path) -> None:
    """Remove columns, and then what was found in them. Raises OSError."""
    columns.unlink(missing_ok=True)
    columns.with_suffix(FINDINGS).unlink(missing_ok=True)


def _remove_orphans(engine: Path) -> None:
    """Findings of columns that are gone, as a question left them that was asked while they went."""
    for file, _ in _files(engine, FINDINGS):
        if not file.with_suffix(COLUMNS).exists():
            file.unlink(missing_ok=True)


def _findings_bytes(columns: Path) -> int:
    try:
        return columns.with_suffix(FINDINGS).stat().st_size
    except FileNotFoundError:
        return 0


def _is_in_use(engine: Path) -> bool:
    """Whether a server of another version, as in a rolling deploy, has used columns of this engine lately."""
    since = time.time() - OTHER_ENGINE_S
    return any(max(stat.st_atime, stat.st_mtime) > since for _, stat in _files(engine, COLUMNS))


def cached_files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """The columns of one engine, or those of all in the cache's folder."""
    yield from _files(folder, COLUMNS)
    if folder.is_dir():
        for engine in folder.iterdir():
            yield from _files(engine, COLUMNS)


def _files(folder: Path, suffix: str) -> Iterator[tuple[Path, os.stat_result]]:
    for file in folder.glob(f"*{suffix}"):
        with suppress(FileNotFoundError):
            yield file, file.stat()


def _remove_engine(folder: Path) -> None:
    """Files that are not columns are not ours: they stay, and their folder with them."""
    for file in folder.iterdir():
        if file.suffix in {COLUMNS, FINDINGS, POINTER, UNFINISHED}:
            file.unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()
