"""The only maker of traces: importers feed it frames, samples and spans; `build` gives the finished columns.

builder = TraceBuilder("small.json", "example")
main, draw = builder.frame("main", "app.py", 1), builder.frame("draw", "app.py", 9)
stacks = StackTable()
leaves = stacks.leaves([[main], [main, draw]])
builder.add_sampled("main thread", stacks, leaves, [np.array([5_000_000, 10_000_000])])
trace = builder.build(content_key="0" * 64, source_bytes=1)
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from traces.bounds import MAX_PROFILES, TOO_MANY_PROFILES
from traces.drafts import (
    PENDING_ROWS,
    SMALL_ROWS,
    Draft,
    Moments,
    SampleRows,
    SpanRows,
    finish,
    finish_threads,
    frames_in_order,
    likeness,
)
from traces.errors import DamagedTrace, EmptyTrace, TraceTooLarge
from traces.first_profile import first_profile
from traces.frame_table import FrameTable, in_order_of_use
from traces.kernels.columns import pick
from traces.kernels.spans import no_times
from traces.kernels.texts import Texts
from traces.kernels.trees import Paths
from traces.missing_ends import Half, MissingEnds
from traces.model import NONE, Int32, Int64, Profile, Trace, Values
from traces.nesting import Nested
from traces.origin import Origin
from traces.progress import Progress
from traces.restated import restated
from traces.side_tables import SideTables
from traces.stacks import StackTable
from traces.string_arena import StringArena
from traces.values import Clock, Counts, Facts, Order, TraceWarning, Unit, ValueType, Waits

TIME = ValueType("time", Unit.NANOSECONDS)
TIMELINE = Facts()
"""Samples in time, each counting once: what a profile is unless the format or its importer knows more."""
MAX_TIME_NS = 1 << 61
"""Beyond 73 years of nanoseconds a time is a broken number, and sums could leave int64."""
MINUTES_A_DAY = 1_440
CLAMPED = "slices that ended after their parent were cut at the parent's end"
MAX_REASON = 400
"""Characters of what is wrong: a place in deeply nested JSON may be named by thousands."""
LEAST_CONTRADICTION_NS = 1_000_000


class TraceBuilder:
    """Collects what one file says. `name` is the file's; importers may sharpen `format`, and advance `progress` as they
    read. `facts` are the format's own: those of a sampled profile that is added without any. Adding a profile more than
    `bounds.MAX_PROFILES` raises TraceTooLarge."""

    def __init__(
        self, name: str, format_name: str, progress: Progress | None = None, *, facts: Facts = TIMELINE
    ) -> None:
        self.name = name
        self.format = format_name
        self.facts = facts
        self.progress = progress or Progress()
        self.default_profile: int | None = None
        self.breaks_off = ""  # where the file does, if it does: part of what is wrong with it
        self._frames = FrameTable()
        self._drafts: list[Draft] = []
        self._pending: list[Draft] = []  # small ones whose trees are made together
        self._pending_rows = 0
        self._moments: Moments = []
        self._warnings: dict[str, TraceWarning] = {}
        self._missing_ends = MissingEnds()
        self._recorded: dict[str, int] = {}
        self.side_tables = SideTables()
        self.origin = Origin()

    def recorded(self, at_ns: int | None, *, utc_offset_minutes: int | None = None, for_ns: int | None = None) -> None:
        """When the recording began, in nanoseconds since 1970 (UTC), how far clocks there were ahead of UTC, and how
        long it ran. The first that is said counts; what no clock shows is not kept."""
        for key, value in (("at_ns", at_ns), ("for_ns", for_ns)):
            if value is not None and 0 < value < 1 << 63:
                self._recorded.setdefault(key, value)
        if utc_offset_minutes is not None and abs(utc_offset_minutes) < MINUTES_A_DAY:
            self._recorded.setdefault("utc_offset_minutes", utc_offset_minutes)

    @property
    def profile_count(self) -> int:
        return len(self._drafts)

    def mark_main(self, profiles: Iterable[int]) -> None:
        """The file says of these profiles that their thread is its process's main one."""
        for profile in profiles:
            self._drafts[profile].is_main = True

    def frame(
        self,
        name: str,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        category: str | None = None,
    ) -> int:
        """The index of a frame; the same name, file, line and column is the same frame (the first category stays)."""
        return self._frames.index(name, file, line, column, category)

    def frames(self, names: Texts | Sequence[tuple[str, str | None]]) -> Int32:
        """The indices of frames that are only names, which are distinct as bytes, or have a name and a file each."""
        return self._frames.indices(names)

    def warn(self, code: str, text: str, count: int = 1) -> None:
        """Say what was dropped, clamped or repaired; counts of one code add up."""
        if count <= 0:
            return
        known = self._warnings.get(code)
        self._warnings[code] = TraceWarning(code, text, count + (known.count if known else 0))

    def half_intervals(self, code: str, text: str, halves: Sequence[Half], count: int) -> None:
        """Warn of `count` intervals of which one end is missing; `halves` are at least the first of them."""
        self._missing_ends.add_halves(code, text, halves, count)

    def name_of(self, profile: int) -> str:
        """A profile's name; empty for -1."""
        return self._drafts[profile].name if profile >= 0 else ""

    def damaged(self, reason: str) -> DamagedTrace:
        """The error to raise for a broken file of this format; of a long reason, how it begins and how it ends."""
        if len(reason) > MAX_REASON:
            reason = f"{reason[: MAX_REASON // 2]} … {reason[-MAX_REASON // 2 :]}"
        reason = self.breaks_off + reason
        return DamagedTrace(f"{self.name}: this {self.format} file is damaged: {reason} Record or export it again.")

    def instant(self, profile: int, time: int, name: str) -> None:
        """A point in time (nanoseconds on the file's clock); `profile` -1 is the trace itself."""
        self.side_tables.points.append((profile, time, name))

    def counter(self, profile: int, time: int, name: str, value: float) -> None:
        """A reading of a level (time in nanoseconds on the file's clock)."""
        self.side_tables.readings.append((profile, time, name, value))

    def add_sampled(
        self,
        name: str,
        stacks: StackTable | Paths,
        leaf: Sequence[int] | Int32 | Int64,
        weights: Sequence[Values],
        *,
        values: tuple[ValueType, ...] = (TIME,),
        default_value: int = 0,
        time: Values | None = None,
        axis: Unit | None = None,
        axis_start: float | None = None,
        axis_end: float | None = None,
        pid: str = "",
        tid: str = "",
        facts: Facts | None = None,
    ) -> int:
        """Add samples (leaf nodes of `stacks`, -1 idle; a weight column per value); returns the profile's index.

        Without `time` the samples lie end to end by their default weight. `facts` are the profile's where they are not
        the format's; an axis that is no time never has an order in time. Raises DamagedTrace for negative or non-finite
        weights and times.
        """
        leaves = np.asarray(leaf, np.int32)
        columns = tuple(self._column(w, v.unit) for w, v in zip(weights, values, strict=True))
        if any(len(column) and column.min() < 0 for column in columns):
            raise self.damaged("a sample has a negative weight.")
        axis = axis or values[default_value].unit
        if time is None:
            begins = np.zeros(len(columns[default_value]) + 1, columns[default_value].dtype)
            np.cumsum(columns[default_value], out=begins[1:])
            time, axis_start, axis_end = begins[:-1], 0, begins[-1].item()
        time = self._column(time, axis)
        if (time[1:] < time[:-1]).any():
            raise self.damaged("its samples are not in time order.")
        start = axis_start if axis_start is not None else (time[0].item() if len(time) else 0)
        if axis_end is None:
            lasting = columns[default_value][-1].item() if len(time) and values[default_value].unit == axis else 0
            axis_end = time[-1].item() + lasting if len(time) else start
        paths = stacks.paths() if isinstance(stacks, StackTable) else stacks
        self._too_deep(paths.truncated)
        rows = SampleRows(time, leaves, columns, paths)
        facts = _fitting(facts or self.facts, axis)
        return self._add(name, pid, tid, axis, (start, axis_end), values, default_value, rows, facts)

    def add_evented(
        self,
        name: str,
        nested: Nested,
        *,
        unit: Unit = Unit.NANOSECONDS,
        axis_start: float | None = None,
        axis_end: float | None = None,
        pid: str = "",
        tid: str = "",
        args_offset: Int64 | None = None,
        args_length: Int32 | None = None,
        running: Int64 | None = None,
        clock: Clock = Clock.TRACE,
    ) -> int:
        """Add nested spans, whose columns become the builder's; returns the profile's index. `args_*` and `running`
        (nanoseconds on a processor, -1: not known) are rows of the input that `nested` indexes. Calls are counted,
        and last while they wait."""
        start, end = self._column(nested.start, unit), self._column(nested.end, unit)
        size = len(start)
        self._missing_ends.add(name, nested, unit, self._frames.name)
        rows = SpanRows(
            start=start,
            end=end,
            frame=nested.frame,
            parent=nested.parent,
            args_offset=args_offset[nested.source] if args_offset is not None else np.zeros(size, np.int64),
            args_length=args_length[nested.source] if args_length is not None else np.zeros(size, np.int32),
            unfinished=nested.unfinished,
            running=no_times()
            if running is None
            else fitted_running(running[nested.source], start, end, nested.unfinished),
        )
        self.warn("clamped", CLAMPED, nested.clamped)
        self._too_deep(nested.too_deep)
        first = (start[0].item() if size else 0) if axis_start is None else axis_start
        last = (end.max().item() if size else first) if axis_end is None else axis_end
        values = (ValueType("time", unit) if unit.is_time else ValueType("weight", unit),)
        facts = _fitting(Facts(counts=Counts.CALLS, waits=Waits.BOTH, clock=clock), unit)
        return self._add(name, pid, tid, unit, (first, last), values, 0, rows, facts)

    def add_threads(self, threads: Sequence[tuple[str, str, str]], rows: SpanRows, bounds: Int64, clamped: int) -> int:
        """Add the nested spans of threads (name, process id, thread id), of which each has some: those of thread `t`
        are `bounds[t]` to `bounds[t + 1]`, in nanoseconds, and parents and unfinished rows count through all. Returns
        the index of the first thread's profile. Raises DamagedTrace, TraceTooLarge."""
        rows = replace(rows, start=self._column(rows.start, TIME.unit), end=self._column(rows.end, TIME.unit))
        self.warn("clamped", CLAMPED, clamped)
        begins, latest = rows.start[bounds[:-1]].tolist(), np.maximum.reduceat(rows.end, bounds[:-1]).tolist()
        facts = Facts(counts=Counts.CALLS, waits=Waits.BOTH, clock=Clock.TRACE)
        cuts = np.searchsorted(rows.unfinished, bounds)
        for thread in np.flatnonzero(np.diff(cuts)).tolist():
            some = rows.unfinished[cuts[thread] : cuts[thread + 1]]
            columns = (rows.start[some], rows.end[some], rows.frame[some])
            self._missing_ends.add_unfinished(threads[thread][0], *columns, TIME.unit, self._frames.name)
        self._finish_pending()
        self._make_room(len(threads))
        extents = zip(begins, latest, strict=True)
        drafts = [Draft(*t, TIME.unit, *at, (TIME,), 0, facts, None) for t, at in zip(threads, extents, strict=True)]
        self._drafts += drafts
        self._moments += finish_threads(drafts, rows, bounds)
        return len(self._drafts) - len(drafts)

    def build(self, *, content_key: str, source_bytes: int) -> Trace:
        """The finished trace. Raises EmptyTrace when there is neither a sample nor a span nor anything else."""
        self._finish_pending()
        sizes = [len(draft) for draft in self._drafts]
        if not any(sizes) and not (sizes and any(len(times) for times in self.side_tables.times())):
            raise EmptyTrace(
                f"{self.name}: this {self.format} file holds neither samples nor spans. "
                "Record it again while the program works."
            )
        zero = self._zero()
        self._move_to_the_trace_clock(zero)
        profiles, used, number = self._profiles_with_frames_in_order()
        frames = self._frames.columns(used, strings := StringArena())
        warnings = (*self._warnings.values(), *self._missing_ends.warnings(zero))
        if any(len(t) and not -MAX_TIME_NS <= t.min() <= t.max() <= MAX_TIME_NS for t in self.side_tables.times()):
            raise self.damaged("a time is out of range.")
        instants, counters, async_spans, flows, requests = self.side_tables.finished(zero, strings.index)
        trace = Trace(
            name=self.name,
            format=self.format,
            content_key=content_key,
            source_bytes=source_bytes,
            strings=strings.columns(),
            frames=frames,
            profiles=profiles,
            default_profile=self.default_profile or 0,
            instants=instants,
            counters=counters,
            async_spans=async_spans,
            flows=flows,
            requests=requests,
            thread_states=self.side_tables.thread_states(zero),
            edges=self.side_tables.recorded_edges(number),
            warnings=warnings,
            recorded_at_ns=self._recorded.get("at_ns"),
            utc_offset_minutes=self._recorded.get("utc_offset_minutes"),
            recorded_for_ns=self._recorded.get("for_ns"),
            origin=self.origin.labels,
        )
        return trace if self.default_profile is not None else restated(trace, default_profile=first_profile(trace))

    def _column(self, values: Values | Sequence[float], unit: Unit) -> Values:
        column = np.asarray(values)
        if column.dtype.kind == "f" and not np.isfinite(column).all():
            raise self.damaged("a time or weight is not a finite number.")
        if not unit.is_time:
            return column.astype(np.float64, copy=False)
        if len(column) and not -MAX_TIME_NS <= column.min() <= column.max() <= MAX_TIME_NS:
            raise self.damaged("a time is out of range.")
        return (np.rint(column) if column.dtype.kind == "f" else column).astype(np.int64, copy=False)

    def _too_deep(self, count: int) -> None:
        self.warn("too_deep", "stacks deeper than 65,535 frames were cut", count)

    def _add(
        self,
        name: str,
        pid: str,
        tid: str,
        axis: Unit,
        extent: tuple[float, float],
        values: tuple[ValueType, ...],
        default_value: int,
        rows: SampleRows | SpanRows,
        facts: Facts,
    ) -> int:
        self._make_room(1)
        start, end = (round(e) if axis.is_time else float(e) for e in extent)
        draft = Draft(name, pid, tid, axis, start, max(start, end), values, default_value, facts, rows)
        self._drafts.append(draft)
        if draft.cost > SMALL_ROWS:
            self._finish([draft])
        else:
            self._pending.append(draft)
            self._pending_rows += draft.cost
            if self._pending_rows > PENDING_ROWS:
                self._finish_pending()
        return len(self._drafts) - 1

    def _make_room(self, more: int) -> None:
        if len(self._drafts) + more > MAX_PROFILES:
            raise TraceTooLarge(f"{self.name}: this {self.format} file {TOO_MANY_PROFILES.format(most=MAX_PROFILES)}")

    def _finish_pending(self) -> None:
        groups: dict[tuple[object, ...], list[Draft]] = {}
        for draft in self._pending:
            groups.setdefault(likeness(draft), []).append(draft)
        self._pending, self._pending_rows = [], 0
        for group in groups.values():
            self._finish(group)

    def _finish(self, alike: list[Draft]) -> None:
        moments = finish(alike)
        if alike[0].facts.order is Order.TIME:
            self._moments += moments

    def _zero(self) -> int:
        """The earliest moment; sums have none, wherever their axis begins."""
        return int(min((d.axis_start for d in self._drafts if d.facts.order is Order.TIME), default=0))

    def _move_to_the_trace_clock(self, zero: int) -> None:
        """Put the times of profiles where the trace begins, without a copy: they may fill half of the memory."""
        if zero == 0:
            return
        for column in self._moments:
            np.subtract(column, zero, out=column)
        for draft in self._drafts:
            if draft.facts.order is Order.TIME:
                draft.move(zero)

    def _profiles_with_frames_in_order(self) -> tuple[tuple[Profile, ...], Int32 | Int64, Int32]:
        """The profiles, with the frames that trees use numbered by first appearance; then those that only edges name.
        The others are forgotten."""
        every = frames_in_order(self._drafts)
        used, number = in_order_of_use([every, *self.side_tables.frames_of_edges()], len(self._frames))
        frame = every if number is every else pick(number, every)
        profiles, node_base, span_base = list[Profile](), 0, 0
        for draft in self._drafts:
            until = node_base + draft.nodes.stop - draft.nodes.start
            profiles.append(draft.profile(len(profiles), frame[node_base:until], node_base, span_base))
            node_base = until
            span_base += len(draft.spans.start) if draft.spans is not None else 0
        return tuple(profiles), used, number


def fitted_running(running: Int64, start: Values, end: Values, unfinished: Int32) -> Int64:
    """Times on a processor: cut where they contradict how long spans lasted, and not known of what never ended."""
    length = end - start
    fitted = np.where(too_long(running, length), length, running)
    fitted[unfinished] = NONE
    return fitted


def too_long(running: Int64, length: Int64) -> npt.NDArray[np.bool_]:
    """Which times on a processor contradict the time by the clock: less is that two clocks are read one after the
    other."""
    contradict: npt.NDArray[np.bool_] = running > length + np.maximum(length // 10, LEAST_CONTRADICTION_NS)
    return contradict


def _fitting(facts: Facts, axis: Unit) -> Facts:
    """The facts of a profile on this axis: without time there are no moments."""
    if facts.order is Order.TIME and axis.is_time:
        return facts
    return replace(facts, order=Order.NONE, clock=Clock.NONE)
