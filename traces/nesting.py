"""From slices and begin/end events to properly nested spans.

Rules, measured on real files: slices sort by start, then longest first, then file order; a slice that starts when
another ends is its sibling; one that starts inside its parent and ends after it is clamped to the parent's end and
counted. An end closes the innermost open span of its name, and with it what is still open above; an end without a
begin is dropped and counted; what is open at the end of the file closes at the last accepted moment.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from traces.bounds import MAX_STACK_DEPTH
from traces.model import NONE, Int32, Int64, Values


@dataclass(frozen=True, slots=True)
class Nested:
    """Spans in preorder. `source` is each span's index in the input; the counts are what was repaired."""

    source: Int64
    start: Values
    end: Values
    frame: Int32
    parent: Int32
    depth: Int32
    clamped: int = 0
    unmatched_ends: int = 0
    unclosed: int = 0
    too_deep: int = 0


def nest_slices(start: Values, end: Values, frame: Int32) -> Nested:
    """Nest complete slices, given in file order."""
    order = np.lexsort((-end, start))  # stable: file order decides last
    parents: list[int] = []
    depths: list[int] = []
    kept: list[int] = []
    stack: list[int] = []  # open spans, as rows of the result
    ends: list[int | float] = []  # clamped ends of the result's rows
    clamped = too_deep = 0
    starts_sorted, ends_sorted = start[order].tolist(), end[order].tolist()
    for position, (begin, said) in enumerate(zip(starts_sorted, ends_sorted, strict=True)):
        while stack and ends[stack[-1]] <= begin:
            stack.pop()
        if len(stack) >= MAX_STACK_DEPTH:
            too_deep += 1
            continue
        parent, finish = NONE, said
        if stack:
            parent = stack[-1]
            if finish > ends[parent]:
                finish = ends[parent]
                clamped += 1
        parents.append(parent)
        depths.append(len(stack))
        stack.append(len(kept))
        kept.append(position)
        ends.append(finish)
    source = order[np.array(kept, np.int64)]
    return Nested(
        source=source,
        start=start[source],
        end=np.array(ends, end.dtype),
        frame=frame[source],
        parent=np.array(parents, np.int32),
        depth=np.array(depths, np.int32),
        clamped=clamped,
        too_deep=too_deep,
    )


def match_begin_end(time: Values, frame: Int32, is_begin: Sequence[bool], latest: float | None = None) -> Nested:
    """Match begins and ends, given in time order (file order within one moment). `source` is each begin's index.

    What never ends closes at the last accepted moment, or at `latest` if that is later.
    """
    source: list[int] = []
    ends: list[int | float] = []
    parents: list[int] = []
    depths: list[int] = []
    stack: list[int] = []  # open spans, as rows of the result
    open_frames: list[int] = []
    unmatched = too_deep = ignored_depth = 0
    times, frames = time.tolist(), frame.tolist()
    last = times[0] if times else 0
    for event, (at, name, begins) in enumerate(zip(times, frames, is_begin, strict=True)):
        if begins:
            last = at
            if len(stack) >= MAX_STACK_DEPTH:
                too_deep += 1
                ignored_depth += 1
                continue
            parents.append(stack[-1] if stack else NONE)
            depths.append(len(stack))
            stack.append(len(source))
            open_frames.append(name)
            source.append(event)
            ends.append(at)
        elif ignored_depth:
            ignored_depth -= 1
        elif open_frames and open_frames[-1] == name:
            ends[stack.pop()] = last = at
            open_frames.pop()
        elif name in open_frames:
            while True:
                ends[stack.pop()] = last = at
                if open_frames.pop() == name:
                    break
        else:
            unmatched += 1
    for span in stack:
        ends[span] = last if latest is None else max(last, latest)
    rows = np.array(source, np.int64)
    return Nested(
        source=rows,
        start=time[rows],
        end=np.array(ends, time.dtype),
        frame=frame[rows],
        parent=np.array(parents, np.int32),
        depth=np.array(depths, np.int32),
        unmatched_ends=unmatched,
        unclosed=len(stack),
        too_deep=too_deep,
    )


def self_durations(start: Values, end: Values, parent: Int32) -> Values:
    """What each span spent outside its children."""
    own = end - start
    inner = parent >= 0
    np.subtract.at(own, parent[inner], (end - start)[inner])
    return own
