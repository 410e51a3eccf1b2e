"""Profiling logs of Papyrus, the script engine of Skyrim and Fallout 4.

Lines are `milliseconds:PUSH:stack:depth:object:function`, and POP. Format: StartScriptProfiling in
https://www.creationkit.com/index.php?title=Debug_Script. A script's stack is a frame of its own.
"""

import re

import numpy as np

from traces.builder import TraceBuilder
from traces.nesting import match_begin_end

EVENT = re.compile(r"(\d{1,12}):(PUSH|POP):(\d{1,18}):\d{1,9}:(.*?):([^:]*)")
UNUSED = re.compile(r"^\d{1,12}:(?:START|STOP|QUEUE_PUSH|QUEUE_POP):| log opened |^Log closed")
"""Lines that are no calls: a call that waits for its turn is not running."""
MAX_LINE = 4_000


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile. Raises DamagedTrace where time runs backwards."""
    events = _events(content, builder)
    started = any(begins for _, begins, _, _ in events)
    time: list[int] = []
    frame: list[int] = []
    is_begin: list[bool] = []
    depth: dict[str, int] = {}

    def add(at: int, name: str, *, begins: bool) -> None:
        time.append(at)
        frame.append(builder.frame(name))
        is_begin.append(begins)

    for index, (at, begins, stack, function) in enumerate(events):
        if begins:
            if stack not in depth:
                add(at, f"STACK {stack}", begins=True)
            depth[stack] = depth.get(stack, 0) + 1
            add(at, function, begins=True)
            continue
        if stack not in depth and started and at == events[0][0]:  # it ran when the log began
            add(at, f"STACK {stack}", begins=True)
            add(at, function, begins=True)
            depth[stack] = 1
        add(at, function, begins=False)
        if stack not in depth:
            continue
        depth[stack] = max(0, depth[stack] - 1)
        # A stack that goes on at once was not given up in between.
        goes_on = index + 1 < len(events) and events[index + 1][2] == stack
        if depth[stack] == 0 and not goes_on:
            add(at, f"STACK {stack}", begins=False)
            del depth[stack]
    times = np.array(time, np.int64)
    if (np.diff(times) < 0).any():
        raise builder.damaged("its times run backwards.")
    builder.add_evented(builder.name, match_begin_end(times, np.array(frame, np.int32), is_begin))


def _events(content: memoryview, builder: TraceBuilder) -> list[tuple[int, bool, str, str]]:
    """Time (ns), whether it is a push, stack and function of each line."""
    events: list[tuple[int, bool, str, str]] = []
    unread = 0
    for line in str(content, "utf-8", "replace").split("\n"):
        match = EVENT.fullmatch(line[:MAX_LINE].strip())
        if match is not None:
            events.append((int(match[1]) * 1_000_000, match[2] == "PUSH", match[3], match[5]))
        else:
            unread += bool(line.strip()) and UNUSED.search(line[:MAX_LINE]) is None
    builder.warn("unread_lines", "lines that are cut or malformed were skipped", unread)
    return events
