"""read_source: the lines around a frame, from the one folder that the settings name."""

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated
from urllib.parse import unquote, urlsplit

import anyio.to_thread
from pydantic import Field

from server.agent.tools.contract.arguments import FrameArgument
from server.agent.tools.contract.resolving import chosen_frame, chosen_profile
from server.agent.tools.contract.tool import Outcome, Tool, ToolArguments
from server.agent.tools.contract.tool_context import Asking
from server.agent.tools.contract.tool_errors import ToolRetry
from server.agent.tools.search_findings import context_of
from server.quoting import plain, quoted
from traces.model import Trace

MAX_FILE_BYTES = 4 << 20
"""Larger files are data or generated."""

MAX_ENTRIES = 50_000
"""Files looked at for one frame: a large checkout without what it depends on."""

LONGEST_LINE = 200

SKIPPED = frozenset({"node_modules", "__pycache__", "dist", "build", "target"})


class ReadSource(ToolArguments):
    frame: FrameArgument
    context_lines: Annotated[int, Field(ge=1, le=60)] = 12


@dataclass(frozen=True, slots=True)
class Place:
    handle: str
    name: str
    file: str | None
    line: int | None


def place_of(trace: Trace, frame: str) -> Place:
    """Where a frame is defined, as the trace says. Raises ToolRetry naming the nearest frames."""
    index, _ = chosen_frame(trace, frame, chosen_profile(trace, None))
    return Place(f"f{index}", trace.frame_name(index), trace.frame_file(index), trace.frame_line(index))


@dataclass(frozen=True, slots=True)
class Excerpt:
    """`first` is the number of the first of `lines`; `others` are files that fit as well."""

    file: str
    first: int
    lines: tuple[str, ...]
    total: int
    others: tuple[str, ...]


async def ask_source(asking: Asking, arguments: ReadSource) -> Outcome:
    place = await asking.workers.ask(asking.trace, place_of, arguments.frame)
    if place.file is None:
        raise ToolRetry(f"the trace does not say in which file {place.handle} {quoted(place.name, 80)} is")
    folder = context_of(asking).source_folder
    if folder is None:
        raise ToolRetry("no folder of sources is configured")
    found = await anyio.to_thread.run_sync(excerpt, folder, place.file, place.line, arguments.context_lines)
    if found is None:
        raise ToolRetry(f"no file in the source folder fits {quoted(place.file, 120)} of {place.handle}")
    at = "its beginning: the trace names no line" if place.line is None else f"line {place.line}"
    lines = [f"{place.handle} {quoted(place.name, 80)} in {quoted(found.file, 120)} ({found.total} lines), {at}"]
    if found.others:
        lines.append("these fit as well: " + ", ".join(quoted(other, 80) for other in found.others))
    for number, line in enumerate(found.lines, found.first):
        mark = ">" if number == place.line else " "
        lines.append(f"{mark}{number}: {quoted(line, LONGEST_LINE)}")
    return Outcome(
        text="\n".join(lines),
        data={
            "handle": place.handle,
            "name": place.name,
            "file": found.file,
            "line": place.line,
            "lines": [{"number": number, "text": line} for number, line in enumerate(found.lines, found.first)],
        },
        ui={"handle": place.handle, "file": found.file, "line": place.line, "text": list(map(plain, found.lines))},
        warning=bool(found.others),
    )


def excerpt(folder: Path, said: str, line: int | None, around: int) -> Excerpt | None:
    """Lines around `line` of the file in `folder` whose path ends most like the trace's; None when no name fits.

    Nothing outside the folder is read: links are resolved, and what they lead to must lie inside.
    """
    fitting = _fitting(folder.resolve(), _parts(said))
    if not fitting:
        return None
    best, *others = fitting
    text = best.read_bytes().decode("utf-8", "replace").splitlines()
    middle = min(line or 1, max(len(text), 1))
    first = max(middle - around, 1)
    root = folder.resolve()
    return Excerpt(
        file=str(best.relative_to(root)),
        first=first,
        lines=tuple(text[first - 1 : middle + around]),
        total=len(text),
        others=tuple(str(other.relative_to(root)) for other in others[:3]),
    )


def _parts(said: str) -> tuple[str, ...]:
    """A path or address without its scheme, query and drive; no part climbs."""
    path = unquote(urlsplit(said).path) if "://" in said else said
    parts = PurePosixPath(path.replace("\\", "/")).parts
    return tuple(part for part in parts if part not in ("/", "..", ".") and not part.endswith(":"))


def _fitting(root: Path, parts: tuple[str, ...]) -> list[Path]:
    """Files that end as `parts` do, those with the longest common end."""
    if not parts:
        return []
    longest, found = 0, []
    for file in _files(root, parts[-1]):
        own = file.relative_to(root).parts
        same = 0
        while same < min(len(own), len(parts)) and own[-1 - same] == parts[-1 - same]:
            same += 1
        if same > longest:
            longest, found = same, [file]
        elif same == longest:
            found.append(file)
    return found


def _files(root: Path, name: str) -> list[Path]:
    """Plain files of a name below the root, at most `MAX_ENTRIES` entries looked at; links are not followed."""
    found, looked_at = [], 0
    for folder, folders, names in os.walk(root, followlinks=False):
        folders[:] = sorted(one for one in folders if one not in SKIPPED and not one.startswith("."))
        looked_at += len(names) + len(folders)
        if name in names:
            file = Path(folder) / name
            inside = file.is_file() and file.resolve().is_relative_to(root) and not file.is_symlink()
            if inside and file.stat().st_size <= MAX_FILE_BYTES:
                found.append(file)
        if looked_at > MAX_ENTRIES:
            break
    return found


READ_SOURCE = Tool(
    name="read_source",
    description="For the code itself: the lines around a function, from the configured source folder.",
    arguments=ReadSource,
    ask=ask_source,
    doing=lambda a: f"Reading the source of {plain(a.frame, 60)}",
    fields=frozenset({"handle", "name", "file", "line", "lines", "number", "text"}),
    narrow="use fewer context_lines",
    needs=frozenset({"sources"}),
)
