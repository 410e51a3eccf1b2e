"""FreeBSD's `pmcstat -G`: who called a sampled function, an indented line each, `share [samples] function @ object`.

Format: pmcstat(8), callgraph output. A line without an object is in the object of the line before.
"""

import re

import numpy as np

from traces.builder import TraceBuilder
from traces.stacks import StackTable
from traces.values import Unit, ValueType

TITLE = re.compile(r"@ (\S+) \[\d+ samples\]")
LINE = re.compile(r"( *)\d+(?:\.\d+)?% +\[(\d{1,15})\] +(\S.*)")
MAX_LINE = 4_000


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile an event, a sample a full path; samples whose callers are not listed are counted as dropped."""
    event = "samples"
    calls: list[tuple[int, int, int]] = []
    place: str | None = None
    unread = 0
    for text in str(content, "utf-8", "replace").split("\n"):
        line = text[:MAX_LINE].rstrip()
        title = TITLE.fullmatch(line)
        match = LINE.fullmatch(line)
        if title is not None:
            _add(event, calls, builder)
            event, calls = title[1], []
        elif match is not None:
            name, at, said = match[3].partition(" @ ")
            place = said if at else place
            calls.append((len(match[1]), int(match[2]), builder.frame(name, place)))
        else:
            unread += bool(line)
    _add(event, calls, builder)
    builder.warn("unread_lines", "lines that are cut or malformed were skipped", unread)


def _add(event: str, calls: list[tuple[int, int, int]], builder: TraceBuilder) -> None:
    if not calls:
        return
    paths: list[list[int]] = []
    weights: list[int] = []
    callers: list[tuple[int, int]] = []  # indent and frame, from the sampled function outwards
    unlisted: list[int] = []
    dropped = 0
    for index, (indent, samples, frame) in enumerate(calls):
        while callers and callers[-1][0] >= indent:
            callers.pop()
            dropped += max(0, unlisted.pop())
        if unlisted:
            unlisted[-1] -= samples
        callers.append((indent, frame))
        is_last = index + 1 == len(calls) or calls[index + 1][0] <= indent
        unlisted.append(0 if is_last else samples)
        if is_last:
            paths.append([frame for _, frame in reversed(callers)])
            weights.append(samples)
    dropped += sum(max(0, rest) for rest in unlisted)
    builder.warn("unlisted_callers", "samples whose callers the report leaves out were dropped", dropped)
    stacks = StackTable()
    leaves = stacks.leaves(paths)
    name = builder.name if builder.profile_count == 0 else f"{builder.name}, {event}"
    values = (ValueType(event, Unit.COUNT),)
    builder.add_sampled(name, stacks, leaves, [np.array(weights, np.float64)], values=values)
