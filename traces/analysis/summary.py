"""What a trace is: the first thing a person or a model reads about it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, overload

from traces.analysis.quality import Quality, quality_of
from traces.analysis.small_trees import small_tree
from traces.analysis.thread_states import of_calls
from traces.analysis.thread_time import View, processor_time, stands_for_thread, thread_time
from traces.analysis.time_axis import duration_ns, what_it_is
from traces.analysis.units import format_moment, format_share, format_value
from traces.analysis.window import root_total
from traces.model import Profile, Trace
from traces.unchecked import unchecked
from traces.values import (
    Clock,
    Counts,
    Order,
    ProfileKind,
    Role,
    RoleRule,
    TraceWarning,
    Unit,
    ValueType,
    Waits,
)


@dataclass(frozen=True)
class ProfileSummary:
    """`duration` is the axis' length in its own unit, `total` what is not idle in the default value's `unit`.

    `busy`, `waiting`, `idle` and `unknown` are nanoseconds that add up to the recording (`thread_time`; None for what
    is no time), `running` of them those of calls on a processor, `runnable`, `sleeping` and `blocked` those in the
    other states, of a thread as it was scheduled all that is recorded (None where the file does not say), `idle_share`
    the part of `idle` (None without times). `stands_for_thread` is False for a view of a thread that has a better one.
    `counted` is what counts are a number of, None without any, and `count` their sum. `role` is what the thread is
    for, by `role_rule`; `quality` says how the samples were taken and what they miss.
    """

    handle: str
    name: str
    pid: str
    tid: str
    kind: ProfileKind
    unit: Unit
    duration: float
    total: float
    busy: int | None
    waiting: int | None
    idle: int | None
    unknown: int | None
    running: int | None
    runnable: int | None
    sleeping: int | None
    blocked: int | None
    idle_share: float | None
    stands_for_thread: bool
    sample_count: int
    span_count: int
    values: tuple[ValueType, ...]
    quality: Quality
    order: Order
    counts: Counts
    counted: str | None
    count: int | None
    clock: Clock
    waits: Waits
    role: Role
    role_rule: RoleRule


class ProfileSummaries(Sequence[ProfileSummary]):
    """Those of a trace's profiles, each made when it is first asked for: a recording may have fifteen thousand, of
    which a person reads ten. Pickled it is the tuple of all."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def __len__(self) -> int:
        return len(self._trace.profiles)

    @overload
    def __getitem__(self, index: int) -> ProfileSummary: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ProfileSummary, ...]: ...
    def __getitem__(self, index: int | slice) -> ProfileSummary | tuple[ProfileSummary, ...]:
        profiles = self._trace.profiles[index]
        return tuple(map(self._of, profiles)) if isinstance(profiles, tuple) else self._of(profiles)

    def _of(self, profile: Profile) -> ProfileSummary:
        made: dict[int, ProfileSummary] = self._trace.answers.setdefault("profile summaries", {})
        if profile.index not in made:
            made[profile.index] = _profile(self._trace, profile)
        return made[profile.index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (tuple(self),)


@dataclass(frozen=True, slots=True)
class TraceSummary:
    """Everything here is exact. `duration_ns` spans all profiles on the trace's clock, else is that of the longest with
    a clock of its own; None where nothing has times.

    `recorded_at_ns` is when the recording began, since 1970 in UTC, `utc_offset_minutes` how far clocks there were
    ahead of UTC, and `recorded_for_ns` how long it was recorded, each where the file has it. The counts are of the side
    tables: points in time, readings of levels, intervals that need not nest, arrows.
    """

    name: str
    format: str
    source_bytes: int
    unit: Unit
    duration_ns: int | None
    frame_count: int
    default_profile: str
    profiles: Sequence[ProfileSummary]
    warnings: tuple[TraceWarning, ...]
    can_answer: tuple[str, ...]
    cannot_answer: tuple[str, ...]
    recorded_at_ns: int | None
    utc_offset_minutes: int | None
    recorded_for_ns: int | None
    instant_count: int
    counter_count: int
    async_count: int
    flow_count: int

    def as_json(self) -> dict[str, Any]:
        """Plain values, names in snake_case."""
        said = asdict(replace(self, profiles=tuple(self.profiles)))
        for row, profile in zip(said["profiles"], self.profiles, strict=True):
            row["quality"]["rate_hz"] = profile.quality.rate_hz
        return said


def summarise(trace: Trace) -> TraceSummary:
    """The summary of a trace, which is made once."""
    if "summary" not in trace.answers:
        trace.answers["summary"] = _summarised(trace)
    summary: TraceSummary = trace.answers["summary"]
    return replace(summary, profiles=ProfileSummaries(trace))


def _summarised(trace: Trace) -> TraceSummary:
    """The summary without those of its profiles: kept among the trace's answers it may not hold the trace itself."""
    default = trace.profiles[trace.default_profile]
    can, cannot = _questions(trace, ProfileSummaries(trace)[trace.default_profile].quality)
    return TraceSummary(
        name=trace.name,
        format=trace.format,
        source_bytes=trace.source_bytes,
        unit=default.unit,
        duration_ns=duration_ns(trace),
        frame_count=len(trace.frames),
        default_profile=default.handle,
        profiles=(),
        warnings=trace.warnings,
        can_answer=can,
        cannot_answer=cannot,
        recorded_at_ns=trace.recorded_at_ns,
        utc_offset_minutes=trace.utc_offset_minutes,
        recorded_for_ns=trace.recorded_for_ns,
        instant_count=len(trace.instants.time),
        counter_count=len(trace.counters.time),
        async_count=len(trace.async_spans.start),
        flow_count=len(trace.flows.name),
    )


def recorded(summary: TraceSummary) -> str:
    """When and for how long it was recorded, as the end of a line on its length; empty where the file does not say."""
    at, long = summary.recorded_at_ns, summary.recorded_for_ns
    began = "" if at is None else f" {format_moment(at, summary.utc_offset_minutes)}"
    length = "" if long is None else f" for {format_value(long, Unit.NANOSECONDS)}"
    return f", recorded{began}{length}" if began or length else ""


def time_shares(profile: ProfileSummary) -> list[str]:
    """What a profile's time was besides busy, as shares of the recording."""
    length = sum(part or 0 for part in (profile.busy, profile.waiting, profile.idle, profile.unknown))
    if profile.idle_share is None or not length:
        return []
    rest = {"idle": profile.idle, "waiting": profile.waiting, "unknown": profile.unknown}
    shares = [f"{name} {format_share(part / length)}" for name, part in rest.items() if part]
    return [*_states(profile), *shares]


def _states(profile: ProfileSummary) -> list[str]:
    """What the file has of the thread's states."""
    others = {"runnable": profile.runnable, "sleeping": profile.sleeping, "blocked": profile.blocked}
    states = [f"{format_value(spent, Unit.NANOSECONDS)} {name}" for name, spent in others.items() if spent]
    if profile.running is None or profile.running == profile.busy:
        return states
    return [f"{format_value(profile.running, Unit.NANOSECONDS)} of it on a processor", *states]


def _profile(trace: Trace, p: Profile) -> ProfileSummary:
    time, small = thread_time(trace, p), small_tree(trace, p)
    states = of_calls(trace, p) if len(trace.thread_states) else None
    counted = small.count if small else p.tree.count.sum() if p.counts is not Counts.NONE else 0
    return unchecked(
        ProfileSummary,
        handle=p.handle,
        name=p.name,
        pid=p.pid,
        tid=p.tid,
        kind=p.kind,
        unit=p.unit,
        duration=p.axis_end - p.axis_start,
        total=float(small.total) if small else root_total(p.tree, p.tree.total_values[p.default_value]),
        busy=None if time is None else time.busy,
        waiting=None if time is None else time.waiting,
        idle=None if time is None else time.idle,
        unknown=None if time is None else time.unknown,
        running=processor_time(p) if states is None else states.running,
        runnable=None if states is None else states.runnable,
        sleeping=None if states is None else states.sleeping,
        blocked=None if states is None else states.blocked,
        idle_share=time.idle_share if time is not None and time.by is not View.SUMS else None,
        stands_for_thread=stands_for_thread(trace, p),
        sample_count=len(p.samples) if p.samples is not None else 0,
        span_count=len(p.spans) if p.spans is not None else 0,
        values=p.values,
        quality=quality_of(trace, p),
        order=p.order,
        counts=p.counts,
        counted=p.count_name,
        count=None if p.counts is Counts.NONE else int(counted),
        clock=p.clock,
        waits=p.waits,
        role=p.role,
        role_rule=p.role_rule,
    )


def _questions(trace: Trace, quality: Quality) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What this kind of data can and cannot answer, so that nobody reads more into it."""
    can, cannot = ["which functions use the most, by themselves and with what they call", "who calls a function"], []
    kinds = {p.kind for p in trace.profiles}
    units = {value.unit for p in trace.profiles for value in p.values}
    sampled = [p for p in trace.profiles if p.kind is ProfileKind.SAMPLED]
    if ProfileKind.EVENTED in kinds:
        can.append("how often and for how long each call of an evented profile ran")
    if sampled and all(p.counts is Counts.CALLS for p in sampled):
        can.append("how often each function was called")
        cannot.append("durations of single calls: the recording has their sums")
    elif sampled:
        cannot.append("exact call counts and durations of single calls in sampled profiles")
    main = trace.profiles[trace.default_profile]
    if any(p.has_times for p in trace.profiles):
        can.append("what happened when, and in which order")
    else:
        cannot.append(f"what happened when, and in which order: it is {what_it_is(main)}")
    apart = sum(p.clock is Clock.OWN for p in trace.profiles)
    if apart > 1:
        cannot.append(f"what happened at the same time: {apart} profiles have each a clock of its own")
    (can if Unit.NANOSECONDS in units else cannot).append("how long things took in seconds")
    (can if Unit.BYTES in units else cannot).append("how much memory was allocated")
    if len(trace.profiles) < 2:
        cannot.append("what other threads and processes did")
    cannot += _gaps(quality)
    return tuple(can), tuple(cannot)


def _gaps(quality: Quality) -> list[str]:
    """What the way of recording hides in the main profile."""
    hidden = []
    rate = "" if quality.rate_hz is None else f" at {quality.rate_hz:,.3g} Hz"
    if quality.only_running:
        hidden.append(f"waiting for locks, input and output or sleep: code was sampled{rate} only while it ran")
    elif quality.interval_ns is not None:
        apart = format_value(quality.interval_ns, Unit.NANOSECONDS)
        hidden.append(f"what lasts less than {apart}: samples are so far apart")
    if quality.regular_share is not None and quality.regular_share < IRREGULAR:
        hidden.append("short moments evenly: samples came at irregular intervals")
    if quality.cut_share:
        hidden.append(f"what called {format_share(quality.cut_share)} of the stacks: the profiler cut them off")
    if quality.unnamed_share >= UNNAMED_SHARE:
        hidden.append(f"the names of {format_share(quality.unnamed_share)}: symbols were missing when it was recorded")
    return hidden


IRREGULAR = 0.7
"""Below this part of regular intervals a gap between samples may be a pause or a profiler that came late."""
UNNAMED_SHARE = 0.02
"""From this share on, code without names can hide the answer."""
