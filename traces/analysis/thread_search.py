"""Functions that match, in every thread of a trace: how many in each, and a list of all over the threads."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.filters import frames_that
from traces.analysis.filters import pattern as expression
from traces.kernels.trees import sum_by_node
from traces.model import Int32, Int64, Profile, Trace, Values
from traces.values import Counts, Unit


@dataclass(frozen=True, slots=True)
class ThreadMatches:
    """What matches in one thread: how many functions, what they spent themselves, and how many `counted` they have
    (None without counts)."""

    handle: str
    name: str
    unit: Unit
    functions: int
    self_value: float
    count: int | None
    counted: str | None


@dataclass(frozen=True, slots=True)
class Match:
    """A function in a thread, which is a place in `ThreadSearch.threads`; values as in `FunctionRow`."""

    thread: int
    frame: int
    self_value: float
    total_value: float
    count: int | None


@dataclass(frozen=True, slots=True)
class ThreadSearch:
    """Threads with matches, and some of `total` matches: thread by thread, of each the largest total first. Threads
    that measure what the first thread of the trace does come first, those whose matches spent most before others."""

    threads: tuple[ThreadMatches, ...]
    matches: tuple[Match, ...]
    total: int
    frames: Int64


@dataclass(frozen=True, slots=True)
class _Found:
    """The matching functions of a thread, each once, largest total first."""

    thread: ThreadMatches
    frame: Int64
    self_value: Values
    total_value: Values
    count: Int64


def search_threads(
    trace: Trace, pattern: str, *, regex: bool = False, limit: int = 500, offset: int = 0
) -> ThreadSearch:
    """Functions whose name or file has the text (or matches the expression), any case, that some thread ran.

    Raises InvalidQuestion for a broken or long pattern.
    """
    matching = frames_that(trace, expression(pattern, regex=regex))
    main = trace.profiles[trace.default_profile]
    found = [one for profile in trace.profiles if (one := _in_thread(trace, profile, matching)) is not None]
    found.sort(key=lambda one: (one.thread.unit is not main.unit, -one.thread.self_value))
    total, matches = 0, []
    for place, one in enumerate(found):
        first, last = max(offset - total, 0), max(offset + limit - total, 0)
        total += len(one.frame)
        has_counts = one.thread.count is not None
        for row in range(first, min(last, len(one.frame))):
            count = int(one.count[row]) if has_counts else None
            values = one.self_value[row].item(), one.total_value[row].item()
            matches.append(Match(place, int(one.frame[row]), *values, count))
    frames = np.unique(np.concatenate([one.frame for one in found])) if found else np.zeros(0, np.int64)
    return ThreadSearch(tuple(one.thread for one in found), tuple(matches), total, frames)


def _in_thread(trace: Trace, profile: Profile, matching: np.typing.NDArray[np.bool_]) -> _Found | None:
    tree, value = profile.tree, profile.default_value
    nodes = np.flatnonzero(matching[tree.frame] & (tree.total_values[value] > 0))
    if not len(nodes):
        return None
    frame, inverse = np.unique(tree.frame[nodes], return_inverse=True)
    place: Int32 = inverse.astype(np.int32)
    own = sum_by_node(place, tree.self_values[value][nodes], len(frame))
    total = sum_by_node(place, (tree.total_values[value] * profile.outermost_ended)[nodes], len(frame))
    count = sum_by_node(place, tree.count[nodes], len(frame))
    order = np.lexsort((frame, -own, -total))
    thread = ThreadMatches(
        handle=profile.handle,
        name=profile.name,
        unit=profile.unit,
        functions=len(frame),
        self_value=own.sum().item(),
        count=None if profile.counts is Counts.NONE else int(count.sum()),
        counted=profile.count_name,
    )
    return _Found(thread, frame[order].astype(np.int64), own[order], total[order], count[order])
