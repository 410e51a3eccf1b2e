"""Trace event JSON: Chrome performance traces, viztracer, PyTorch (Kineto), Hermes and many others.

Format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (Trace Event Format). Read are
B, E and X events and thread names; V8's samples go to `chrome`, samples with stack frames to `trace_event_samples`,
moments, levels, intervals and arrows to `side_events`. Arguments are not part of a frame's identity: the same call with
other arguments is the same function; where they stand in the file is kept.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from traces.builder import MAX_TIME_NS, TraceBuilder
from traces.formats.time_units import moment_written
from traces.formats.trace_event import CHROME, SAMPLES, other_clocks, side_events, small_threads, trace_event_samples
from traces.formats.trace_event import chrome_samples as chrome
from traces.formats.trace_event.event_list import Events, ThreadKey, Threads
from traces.formats.trace_event.lost_events import warn_of_losses
from traces.formats.trace_event.running_times import Closed, RunningTimes
from traces.kernels.columns import first_rows, pick
from traces.kernels.library import NotReadable
from traces.kernels.scaled import MISSING
from traces.model import NONE, Int32, Int64
from traces.nesting import Nested, match_begin_end, nest_slices

COMPLETE, BEGIN, END, NO_SLICE, OTHER = range(5)
KINDS = {"X": COMPLETE, "B": BEGIN, "E": END, **dict.fromkeys(("M", "P", *side_events.PHASES), NO_SLICE)}
VIZTRACER_CATEGORIES = frozenset({"fee", "FEE"})
VIZTRACER_NAME = re.compile(r"(.+) \(((?:(?! \().)+):(\d{1,9})\)")
"""viztracer's function slices carry their place in the name: `walk (/app/walker.py:72)`."""
UNNAMED = "(unnamed)"
HERMES_ARGS = frozenset({"url", "line", "column", "allocatedName"})
"""Hermes writes where a function is into the arguments of every event."""


Said = TypeVar("Said")


class Metadata(msgspec.Struct):
    started: Any = msgspec.field(name="startTime", default=None)
    source: Any = None
    product: Any = msgspec.field(name="product-version", default=None)
    system: Any = msgspec.field(name="os-name", default=None)


class HermesArgs(msgspec.Struct):
    url: str | None = None
    line: float | int | None = None
    column: float | int | None = None


Rows = Int64 | slice
"""Rows one after the other are a slice: columns are then views, not copies."""


@dataclass(frozen=True, slots=True)
class Slices:
    """The slices of one thread, in file order: complete ones, begins and ends; times in nanoseconds. `events` are their
    rows. Those of several threads lie one after the other, each within two of the `bounds`."""

    time: Int64
    duration: Int64
    frame: Int32
    kind: npt.NDArray[np.uint8]
    events: Rows
    bounds: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))

    def part(self, thread: int) -> "Slices":
        """Those of one of several threads."""
        mine = slice(self.bounds[thread], self.bounds[thread + 1])
        assert not isinstance(self.events, slice)
        return Slices(self.time[mine], self.duration[mine], self.frame[mine], self.kind[mine], self.events[mine])


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed one profile a thread, and those of V8's profiler first. Raises DamagedTrace."""
    try:
        events = Events.of(content, builder.progress.counter)
    except NotReadable as error:
        raise builder.damaged(f"{error}.") from error
    if not events.table.found and not events.table.members.keys() >= SAMPLES:
        raise builder.damaged("its traceEvents are no array.")
    if events.has_comma_at_end:
        builder.warn("loose_json", "a comma behind the last event was left out")
    elif events.table.unterminated:
        builder.warn("unterminated", "the list of events breaks off; what came before was read")
    elsewhere = other_clocks.leave_out(events, builder)
    threads = Threads.of(events)
    sampled = _read_samples(events, threads, builder)
    profiled = chrome.read_profiles(events, threads, builder)
    if profiled:
        builder.format = CHROME.name
    lanes = _Lanes(events, threads, builder, is_named_short=profiled > 0, has_samples=profiled > 0 or sampled)
    annotated = side_events.annotations(events)
    for keys, slices in _slices_by_thread(events, threads, annotated.rows, elsewhere, builder):
        lanes.add(keys, slices)
    lanes.running.warn(builder)
    side_events.read(events, lanes.profiles, annotated, builder)
    warn_of_losses(events, builder)
    _read_moment(events, builder)


class _Lanes:
    """Adds the slices of threads as profiles; `profiles` are their indices."""

    def __init__(
        self, events: Events, threads: Threads, builder: TraceBuilder, *, is_named_short: bool, has_samples: bool
    ) -> None:
        self.profiles: dict[ThreadKey, int] = {}
        self._builder = builder
        self._named = threads.short_name if is_named_short else threads.full_name
        self._has_samples = has_samples
        self.running = RunningTimes.of(events)  # before durations are asked for
        self._latest = _latest(events)
        self._places, self._sizes = events.table.slices("args")

    def add(self, keys: Sequence[ThreadKey], slices: Slices) -> None:
        """Add one thread, or small ones of which all slices are complete, or none is."""
        if len(keys) == 1:
            self._add_one(keys[0], slices)
            return
        bounds = slices.bounds
        said = self._sizes[slices.events] > len("{}")
        has_said = np.repeat(np.logical_or.reduceat(said, bounds[:-1]), np.diff(bounds))
        columns = small_threads.Columns(
            slices.time,
            slices.duration,
            slices.frame,
            slices.kind,
            np.where(has_said, self._places[slices.events], 0),
            _length_of_some(self._sizes[slices.events]),
            self.running.of_slices(slices.events),
            bounds,
        )
        threads = [(self._name(key), *key) for key in keys]
        first = self._builder.profile_count
        if slices.kind[0] == COMPLETE:
            small_threads.add_complete(self._builder, threads, columns)
        else:

            def add_alone(place: int) -> None:
                self._add_one(keys[place], slices.part(place))

            running_of = partial(self._of_pairs, slices)
            small_threads.add_paired(self._builder, threads, columns, self._latest, add_alone, running_of)
        self.profiles.update(zip(keys, range(first, first + len(keys)), strict=True))

    def _add_one(self, key: ThreadKey, slices: Slices) -> None:
        said = bool((self._sizes[slices.events] > len("{}")).any())
        nested = _nest(slices, self._latest)
        closed = Closed.of(nested.source, nested.end, nested.unfinished, slices.kind == BEGIN)
        running = self._of_pairs(slices, closed)
        self.profiles[key] = self._builder.add_evented(
            self._name(key),
            nested,
            pid=key[0],
            tid=key[1],
            args_offset=self._places[slices.events] if said else None,
            args_length=_length_of_some(self._sizes[slices.events]) if said else None,
            running=running if len(running) else None,
        )

    def _of_pairs(self, slices: Slices, closed: Closed, thread: Int32 | None = None) -> Int64:
        return self.running.of_pairs(slices.events, slices.time, np.flatnonzero(slices.kind == END), closed, thread)

    def _name(self, key: ThreadKey) -> str:
        return self._named(key) + (" tasks" if self._has_samples else "")


def _latest(events: Events) -> int | None:
    """The last moment of all slices, to which those without an end are drawn; None where each says how long it is."""
    if not events.rows("phase", "B").any():
        return None
    rows = events.rows("phase", "X", "B", "E") & (events.time != MISSING)
    lasting = events.table.numbers("duration")[rows]
    ends = events.time[rows] + np.where(lasting == MISSING, 0, np.clip(lasting, 0, MAX_TIME_NS))
    return int(ends.max()) if len(ends) else None


def _read_moment(events: Events, builder: TraceBuilder) -> None:
    """When and by whom it was recorded: DevTools says it in the metadata, PyTorch how long after 1970 its times count
    from."""
    metadata = _member(events, "metadata", Metadata) or Metadata()
    for key, value in (("recorder", metadata.source), ("runtime", metadata.product), ("platform", metadata.system)):
        builder.origin.says(key, value)
    started = metadata.started if isinstance(metadata.started, str) else ""
    moment, offset = moment_written(started) or (None, None)
    builder.recorded(moment, utc_offset_minutes=offset)
    base = _member(events, "baseTimeNanoseconds", int)
    if base is not None:
        timed = events.time[events.time != MISSING]
        builder.recorded(base + int(timed.min()) if len(timed) else None)


def _member(events: Events, name: str, kind: type[Said]) -> Said | None:
    """A member of the file other than its events; None where there is none, or another kind of it."""
    offset, length = events.table.members.get(name, (0, 0))
    try:
        return msgspec.json.decode(events.content[offset : offset + length], type=kind) if length else None
    except msgspec.ValidationError:
        return None


def _length_of_some(sizes: Int32) -> Int32:
    """How long the arguments of events are; empty ones are none."""
    return np.where(sizes > len("{}"), sizes, 0)


def _read_samples(events: Events, threads: Threads, builder: TraceBuilder) -> bool:
    members = events.table.members
    if not members.keys() >= SAMPLES:
        return False
    parts = (events.content[offset : offset + size] for offset, size in (members["samples"], members["stackFrames"]))
    samples = msgspec.json.decode(next(parts), type=list[trace_event_samples.Sample] | None)
    frames = msgspec.json.decode(next(parts), type=dict[str, trace_event_samples.StackFrame] | None)
    if samples is None or frames is None:
        return False
    trace_event_samples.read(samples, frames, threads, builder)
    return True


def _slices_by_thread(
    events: Events, threads: Threads, left_out: Int64, elsewhere: int, builder: TraceBuilder
) -> Iterator[tuple[list[ThreadKey], Slices]]:
    """The slices of each thread that has some, without the rows that are left out, by process and thread id; those of
    small threads that are alike together. Of those without a time some were left out `elsewhere`."""
    said = np.array([KINDS.get(phase, OTHER) for phase in events.table.texts("phase")] + [OTHER], np.uint8)
    kind = pick(said, events.table.ids("phase"))  # an event without a phase is the last
    is_slice = kind <= END
    counts = np.bincount(kind, minlength=OTHER + 1).tolist()
    builder.warn(
        "not_drawn",
        "events of a kind that is not known here were not read",
        counts[OTHER],
    )
    is_slice &= events.time != MISSING
    timeless = sum(counts[: END + 1]) - int(is_slice.sum()) - elsewhere
    is_slice[left_out] = False
    found = int(is_slice.sum())
    builder.warn("no_time", "events without a time were dropped", timeless)
    if not found:
        if timeless:
            raise builder.damaged("none of its slices has a time.")
        return
    rows = _rows_where(is_slice)
    frame = _frames(events, rows, builder)
    frame[(kind[rows] == END) & (events.table.ids("name")[rows] == NONE)] = NONE  # closes the innermost
    time, duration, kind = events.time[rows], events.table.taken("duration")[rows], kind[rows]
    least = duration.min()
    if least == MISSING:
        duration = np.where(duration == MISSING, 0, duration)
    negative = int((duration < 0).sum()) if least < 0 else 0
    builder.warn("negative_duration", "negative durations were read as 0", negative)
    if not -MAX_TIME_NS <= time.min() <= max(time.max(), duration.max()) <= MAX_TIME_NS:
        raise builder.damaged("a time is out of range.")
    if negative:
        duration = duration.clip(0)
    thread, keys = events.thread
    number = thread[rows]
    if number.min() == number.max():
        yield [keys[number[0]]], Slices(time, duration, frame, kind, rows)
        return
    used = sorted(np.flatnonzero(np.bincount(number)).tolist(), key=lambda index: threads.order(keys[index]))
    place = np.zeros(len(keys), np.uint16 if len(keys) < 1 << 16 else np.int32)
    place[used] = np.arange(len(used))
    places = place[number]
    order = np.argsort(places, kind="stable")
    sizes = np.bincount(places)
    stops = np.cumsum(sizes)
    complete = np.bincount(places[kind == COMPLETE], minlength=len(used))
    for group in small_threads.groups(sizes, complete):
        start = stops[group.first] - sizes[group.first]
        mine = order[start : stops[group.stop - 1]]
        among = mine + rows.start if isinstance(rows, slice) else rows[mine]
        bounds = np.append(start, stops[group.first : group.stop]) - start
        columns = (time[mine], duration[mine], frame[mine], kind[mine])
        yield [keys[index] for index in used[group.first : group.stop]], Slices(*columns, among, bounds)


def _rows_where(is_slice: npt.NDArray[np.bool_]) -> Rows:
    first, stop = int(is_slice.argmax()), len(is_slice) - int(is_slice[::-1].argmax())
    return slice(first, stop) if is_slice[first:stop].all() else np.flatnonzero(is_slice)


def _frames(events: Events, rows: Rows, builder: TraceBuilder) -> Int32:
    """The builder's frame of each slice."""
    names = events.table.ids("name")[rows]
    if _keys(events.args(rows.start if isinstance(rows, slice) else rows[0])) >= HERMES_ARGS:
        numbers = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        hermes = [
            _hermes_frame(builder, events.text("name", row) or UNNAMED, events.args(row)) for row in numbers.tolist()
        ]
        return np.array(hermes, np.int32)
    size = len(events.table.texts("name")) + 1  # no name is the last one
    first = first_rows(names, size)
    used = np.flatnonzero(first != NONE)
    first[used] = first[used] + rows.start if isinstance(rows, slice) else rows[first[used]]
    frame_of = np.full(size, NONE, np.int32)
    for name in used[np.argsort(first[used])].tolist():
        row = int(first[name])
        frame_of[name] = _frame(builder, events.text("name", row) or UNNAMED, events.text("category", row) or None)
    return pick(frame_of, names)


def _frame(builder: TraceBuilder, name: str, category: str | None) -> int:
    place = VIZTRACER_NAME.fullmatch(name) if category in VIZTRACER_CATEGORIES else None
    if place is not None:
        return builder.frame(place[1], place[2], int(place[3]), category=category)
    return builder.frame(name, category=category)


def _keys(args: memoryview) -> set[str]:
    try:
        return set(msgspec.json.decode(args, type=dict[str, msgspec.Raw])) if args else set()
    except msgspec.ValidationError:
        return set()  # arguments that are no object say nothing


def _hermes_frame(builder: TraceBuilder, name: str, said: memoryview) -> int:
    try:
        args = msgspec.json.decode(said, type=HermesArgs) if said else HermesArgs()
    except msgspec.ValidationError:  # of another form than those of the first event
        args = HermesArgs()
    line = int(args.line) if args.line is not None else None
    return builder.frame(name, args.url, line, int(args.column) if args.column is not None else None)


def _nest(slices: Slices, latest: int | None) -> Nested:
    time, duration, frame = slices.time, slices.duration, slices.frame
    is_complete = slices.kind == COMPLETE
    if is_complete.all():
        # The columns are nobody else's: those of the events are views, but no one asks for the time of a slice again.
        return nest_slices(time, np.add(time, duration, out=duration), frame, owned=True)
    complete, paired = np.flatnonzero(is_complete), np.flatnonzero(~is_complete)
    paired, matched = _match(paired[np.argsort(time[paired], kind="stable")], slices, latest)
    begins = paired[matched.source]
    if len(complete) == 0:
        return replace(matched, source=begins)
    # Slices of both kinds nest together; of equals, those of two events lie outside, as in speedscope.
    rows = np.concatenate((begins, complete))
    end = np.concatenate((matched.end, time[complete] + duration[complete]))
    nested = nest_slices(np.concatenate((matched.start, time[complete])), end, frame[rows])
    is_open = np.zeros(len(rows), np.bool_)
    is_open[matched.unfinished] = True
    unfinished = np.flatnonzero(is_open[nested.source]).astype(np.int32)
    cut = int((nested.end[unfinished] < end[nested.source[unfinished]]).sum())  # no end was recorded that could be cut
    return replace(
        nested,
        source=rows[nested.source],
        clamped=nested.clamped + matched.clamped - cut,
        unmatched_ends=matched.unmatched_ends,
        too_deep=nested.too_deep + matched.too_deep,
        unfinished=unfinished,
        first_unmatched=matched.first_unmatched,
    )


def _match(paired: Int64, slices: Slices, latest: int | None) -> tuple[Int64, Nested]:
    """Begins and ends, rows in order of time, matched; also where ends stand before the begins of the same moment."""

    def match(rows: Int64) -> Nested:
        return match_begin_end(slices.time[rows], slices.frame[rows], slices.kind[rows] == BEGIN, latest)

    matched = match(paired)
    if matched.unmatched_ends:
        order = _begins_first(slices.time[paired], slices.frame[paired], slices.kind[paired] == BEGIN)
        if order is not None and (better := match(paired[order])).unmatched_ends < matched.unmatched_ends:
            return paired[order], better
    return paired, matched


def _begins_first(time: Int64, frame: Int32, begins: npt.NDArray[np.bool_]) -> Int64 | None:
    """The order in which an end that closes no call stands behind the next begin of its function, if that is at the
    same moment: together they are a call that took no time. None where there is no such end."""
    order = np.argsort(frame, kind="stable")
    frame, time, begins = frame[order], time[order], begins[order]
    pair = np.flatnonzero((frame[1:] == frame[:-1]) & (time[1:] == time[:-1]) & begins[1:] & ~begins[:-1])
    step = np.where(begins, 1, -1)
    step[pair] = step[pair + 1] = 0
    first = np.flatnonzero(np.diff(frame, prepend=NONE - 1))  # of each function
    sizes = np.diff(first, append=len(frame))
    calls = np.cumsum(step)
    calls -= np.repeat(calls[first] - step[first], sizes)
    apart = np.repeat(np.arange(len(first)) * (len(frame) + 1), sizes)
    least = np.minimum(np.minimum.accumulate(calls - apart) + apart, 0)
    alone = pair[calls[pair] == least[pair]]
    if not len(alone):
        return None
    place = np.arange(len(frame), dtype=np.float64)
    place[order[alone]] = order[alone + 1] + 0.5
    return np.argsort(place, kind="stable")
