"""Which file a trace means: the one whose path has the longest end in common with the trace's."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from server.ports.repositories import MAX_SOURCE_BYTES

MAX_ENTRIES = 50_000
"""Files looked at for one frame: a large checkout without what it depends on."""

MOST_OTHERS = 3
SKIPPED = frozenset({"node_modules", "__pycache__", "dist", "build", "target"})


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file by its path, and others that fit as well."""

    path: str
    lines: tuple[str, ...]
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Excerpt:
    """`first` is the number of the first of `lines`; `others` are files that fit as well."""

    file: str
    first: int
    lines: tuple[str, ...]
    total: int
    others: tuple[str, ...]


def excerpt(folder: Path, named: str, line: int | None, around: int) -> Excerpt | None:
    """Lines around `line` of the file in `folder` that fits best; None when no name fits."""
    found = file_in_folder(folder, named)
    return None if found is None else excerpt_of(found, line, around)


def excerpt_of(file: SourceFile, line: int | None, around: int) -> Excerpt:
    """Lines around `line`, or the first ones."""
    middle = min(line or 1, max(len(file.lines), 1))
    first = max(middle - around, 1)
    return Excerpt(file.path, first, file.lines[first - 1 : middle + around], len(file.lines), file.others)


def file_in_folder(folder: Path, named: str) -> SourceFile | None:
    """Nothing outside the folder is read: links are resolved, and what they lead to must lie inside."""
    root, parts = folder.resolve(), parts_of(named)
    if not parts:
        return None
    files = {str(file.relative_to(root)): file for file in _files(root, parts[-1])}
    best, *others = best_fitting(parts, files) or ("",)
    if not best:
        return None
    text = files[best].read_bytes().decode("utf-8", "replace")
    return SourceFile(best, tuple(text.splitlines()), tuple(others[:MOST_OTHERS]))


def parts_of(named: str) -> tuple[str, ...]:
    """A path or address without its scheme, query and drive; no part climbs."""
    path = unquote(urlsplit(named).path) if "://" in named else named
    parts = PurePosixPath(path.replace("\\", "/")).parts
    return tuple(part for part in parts if part not in ("/", "..", ".") and not part.endswith(":"))


def best_fitting(parts: tuple[str, ...], paths: Iterable[str]) -> list[str]:
    """Paths that end as `parts` do, those with the longest common end; none where not even the name fits."""
    longest, found = 1, list[str]()
    for path in paths:
        own = PurePosixPath(path).parts
        same = 0
        while same < min(len(own), len(parts)) and own[-1 - same] == parts[-1 - same]:
            same += 1
        if same > longest:
            longest, found = same, [path]
        elif same == longest:
            found.append(path)
    return found


def is_skipped(folders: Iterable[str]) -> bool:
    """Whether a path through these folders is of what was generated, installed or hidden."""
    return any(one in SKIPPED or one.startswith(".") for one in folders)


def _files(root: Path, name: str) -> list[Path]:
    """Plain files of a name below the root, at most `MAX_ENTRIES` entries looked at; links are not followed."""
    found, looked_at = [], 0
    for folder, folders, names in os.walk(root, followlinks=False):
        folders[:] = sorted(one for one in folders if not is_skipped((one,)))
        looked_at += len(names) + len(folders)
        if name in names:
            file = Path(folder) / name
            inside = file.is_file() and file.resolve().is_relative_to(root) and not file.is_symlink()
            if inside and file.stat().st_size <= MAX_SOURCE_BYTES:
                found.append(file)
        if looked_at > MAX_ENTRIES:
            break
    return found
