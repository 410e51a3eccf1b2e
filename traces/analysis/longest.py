"""The longest single calls, or in sampled profiles the longest runs of samples of one call path."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.filters import FrameFilter, frames_that, shown_frames
from traces.analysis.filters import pattern as expression
from traces.analysis.selection import select
from traces.analysis.thread_states import split
from traces.analysis.time_axis import need_times
from traces.analysis.time_ranges import sample_runs
from traces.analysis.window import Window, full_axis, spans_near
from traces.handles import ProfileChoice
from traces.kernels.columns import pick
from traces.mapped_profile import node_refs, span_refs
from traces.model import Int64, Profile, Spans, Trace
from traces.values import ProfileKind, ThreadState, Unit


@dataclass(frozen=True, slots=True)
class LongSpan:
    """`start` and `end` are on the axis; `self_value` is what it spent outside its callees (None where samples cannot
    tell). `running` is how long its thread was on a processor, in nanoseconds, `runnable`, `sleeping` and `blocked` how
    long it was in the other states; None where the file does not say.
    `arguments` says whether the file has arguments of this call."""

    handle: str
    frame: int
    name: str
    file: str | None
    line: int | None
    profile: str
    start: float
    end: float
    duration: float
    self_value: float | None
    depth: int
    arguments: bool
    running: int | None = None
    runnable: int | None = None
    sleeping: int | None = None
    blocked: int | None = None


@dataclass(frozen=True, slots=True)
class LongSpans:
    """Longest first. `exact` is False where samples stand for calls: two calls in a row look like one."""

    rows: tuple[LongSpan, ...]
    total_rows: int
    exact: bool
    unit: Unit
    profile: str


def longest_spans(
    trace: Trace,
    *,
    profile: ProfileChoice = None,
    limit: int = 15,
    window: Window | None = None,
    pattern: str | None = None,
    outermost: bool = False,
    frame_filter: FrameFilter | None = None,
) -> LongSpans:
    """Calls by duration; `pattern` is text in the name or file, `outermost` leaves those that nothing shown called.

    Full durations, of calls that touch the window; those without an end have none.

    Raises UnknownHandle, InvalidQuestion, NoTimes (samples without).
    """
    chosen = select(trace, profile)
    if window is not None or chosen.kind is ProfileKind.SAMPLED:
        need_times(chosen.profiles, "how long single calls took")
    shown = shown_frames(trace, frame_filter) if frame_filter else np.ones(len(trace.frames), bool)
    matching = shown & frames_that(trace, expression(pattern)) if pattern else shown
    rows: list[LongSpan] = []
    total = 0
    for one in chosen.profiles:
        longest_of = _longest_calls if chosen.kind is ProfileKind.EVENTED else _longest_sample_runs
        nodes = matching[one.tree.frame]
        if outermost:
            under = one.tree.levels.at_or_below(shown[one.tree.frame])
            nodes = nodes & ~np.append(under, np.False_)[one.tree.parent]
        found, count = longest_of(trace, one, nodes, window, limit=max(limit, 0))
        rows += found
        total += count
    rows.sort(key=lambda row: (-row.duration, row.start, row.depth))
    return LongSpans(
        tuple(rows[: max(limit, 0)]), total, chosen.kind is ProfileKind.EVENTED, chosen.axis, chosen.handle
    )


def longest_calls_of(trace: Trace, profile: Profile, frame: int, count: int) -> tuple[LongSpan, ...]:
    """The longest calls of one function in one evented profile, the longest first."""
    found, _ = _longest_calls(trace, profile, profile.tree.frame == frame, None, limit=count)
    return tuple(found)


def _longest_calls(
    trace: Trace,
    profile: Profile,
    nodes: np.typing.NDArray[np.bool_],
    window: Window | None,
    *,
    limit: int,
) -> tuple[list[LongSpan], int]:
    spans, tree = profile.spans, profile.tree
    assert spans is not None
    near = spans_near(spans, window)
    shown = nodes[near.of(spans.node)]
    if len(spans.unfinished):
        shown &= ~np.isin(near.rows, spans.unfinished)
    places = None if nodes.all() and not len(spans.unfinished) else np.flatnonzero(shown)
    if places is None:
        duration = near.of(spans.end) - near.of(spans.start)
        largest = _largest(duration, limit)
    else:
        rows = near.row(places)
        duration = spans.end[rows] - spans.start[rows]
        largest = places[_largest(duration, limit)]
    chosen = near.row(largest)
    states = split(trace, profile, spans.start[chosen], spans.end[chosen])
    found = []
    refs = span_refs(profile, chosen).tolist()
    for at, row in enumerate(chosen.tolist()):
        frame = int(tree.frame[spans.node[row]])
        start, end = spans.start[row].item(), spans.end[row].item()
        found.append(
            LongSpan(
                handle=f"s{refs[at]}",
                frame=frame,
                name=trace.frame_name(frame),
                file=trace.frame_file(frame),
                line=trace.frame_line(frame),
                profile=profile.handle,
                start=start,
                end=end,
                duration=end - start,
                self_value=spans.self_value[row].item(),
                depth=int(spans.depth[row]),
                arguments=bool(spans.args_length[row] > 0),
                **_of_states(spans, row, None if states is None else states[:, at]),
            )
        )
    return found, len(duration)


def _of_states(spans: Spans, row: int, states: Int64 | None) -> dict[str, int | None]:
    """How a call's thread spent it: by its scheduling, else by what the call says of the processor."""
    if states is None:
        return {"running": on_processor(spans, row)}
    return {state.name.lower(): int(states[state]) for state in ThreadState}


def on_processor(spans: Spans, row: int) -> int | None:
    """For how many nanoseconds of a span its thread was on a processor; None where the file does not say."""
    known = len(spans.running) > 0 and spans.running[row] >= 0
    return int(spans.running[row]) if known else None


def _longest_sample_runs(
    trace: Trace,
    profile: Profile,
    nodes: np.typing.NDArray[np.bool_],
    window: Window | None,
    *,
    limit: int,
) -> tuple[list[LongSpan], int]:
    assert profile.samples is not None
    runs_of_samples = sample_runs(profile, profile.samples, window or full_axis(profile))
    duration = runs_of_samples.end - runs_of_samples.start
    places = None if nodes.all() else np.flatnonzero(pick(nodes, runs_of_samples.node))
    largest = _largest(duration, limit) if places is None else places[_largest(duration[places], limit)]
    found = []
    refs = node_refs(profile, runs_of_samples.node[largest]).tolist()
    for at, row in enumerate(largest.tolist()):
        node = int(runs_of_samples.node[row])
        frame = int(profile.tree.frame[node])
        start, end = float(runs_of_samples.start[row]), float(runs_of_samples.end[row])
        found.append(
            LongSpan(
                handle=f"n{refs[at]}",
                frame=frame,
                name=trace.frame_name(frame),
                file=trace.frame_file(frame),
                line=trace.frame_line(frame),
                profile=profile.handle,
                start=start,
                end=end,
                duration=end - start,
                self_value=None,
                depth=int(profile.tree.depth[node]),
                arguments=False,
            )
        )
    return found, len(duration) if places is None else len(places)


def _largest(duration: np.typing.NDArray[np.generic], count: int) -> np.typing.NDArray[np.int64]:
    """The rows of the largest durations, largest first, earlier rows first among equals."""
    rows = np.arange(len(duration))
    if 0 < count < len(rows):
        least = np.partition(duration, len(duration) - count)[len(duration) - count]
        rows = np.flatnonzero(duration >= least)
    ranked: np.typing.NDArray[np.int64] = rows[np.lexsort((rows, -duration[rows].astype(np.float64)))]
    return ranked[:count]
