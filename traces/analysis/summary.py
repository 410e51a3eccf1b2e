"""What a trace is: the first thing a person or a model is told about it."""

from dataclasses import asdict, dataclass
from typing import Any

from traces.analysis.window import whole
from traces.model import Profile, Trace
from traces.values import ProfileKind, TraceWarning, Unit, ValueType


@dataclass(frozen=True, slots=True)
class ProfileSummary:
    """`duration` is the axis' length in its own unit, `total` what is not idle in the default value's `unit`.

    `idle_share` is the part of a time axis during which nothing ran (None where the axis is not time).
    """

    handle: str
    name: str
    pid: str
    tid: str
    kind: ProfileKind
    unit: Unit
    duration: float
    total: float
    idle_share: float | None
    sample_count: int
    span_count: int
    values: tuple[ValueType, ...]


@dataclass(frozen=True, slots=True)
class TraceSummary:
    """Everything here is exact. `duration_ns` spans all timelines; None where no profile has a time axis."""

    name: str
    format: str
    source_bytes: int
    unit: Unit
    duration_ns: int | None
    frame_count: int
    default_profile: str
    profiles: tuple[ProfileSummary, ...]
    warnings: tuple[TraceWarning, ...]
    can_answer: tuple[str, ...]
    cannot_answer: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain values, names in snake_case."""
        return asdict(self)


def summarise(trace: Trace) -> TraceSummary:
    """The summary of a trace."""
    timed = [p for p in trace.profiles if p.axis.is_time]
    default = trace.profiles[trace.default_profile]
    can, cannot = _questions(trace)
    return TraceSummary(
        name=trace.name,
        format=trace.format,
        source_bytes=trace.source_bytes,
        unit=default.unit,
        duration_ns=int(max(p.axis_end for p in timed) - min(p.axis_start for p in timed)) if timed else None,
        frame_count=len(trace.frames),
        default_profile=default.handle,
        profiles=tuple(_profile(p) for p in trace.profiles),
        warnings=trace.warnings,
        can_answer=can,
        cannot_answer=cannot,
    )


def idle_share(profile: Profile) -> float | None:
    """The part of the time axis during which the profile did nothing; None where that cannot be said."""
    length = profile.axis_end - profile.axis_start
    if not (profile.axis.is_time and profile.unit.is_time) or length <= 0:
        return None
    busy = whole(profile.tree, profile.tree.total_values[profile.default_value])
    return min(max(1 - busy / length, 0.0), 1.0)


def _profile(p: Profile) -> ProfileSummary:
    return ProfileSummary(
        handle=p.handle,
        name=p.name,
        pid=p.pid,
        tid=p.tid,
        kind=p.kind,
        unit=p.unit,
        duration=p.axis_end - p.axis_start,
        total=whole(p.tree, p.tree.total_values[p.default_value]),
        idle_share=idle_share(p),
        sample_count=len(p.samples) if p.samples is not None else 0,
        span_count=len(p.spans) if p.spans is not None else 0,
        values=p.values,
    )


def _questions(trace: Trace) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What this kind of data can and cannot tell, so that nobody reads more into it."""
    can, cannot = ["which functions use the most, by themselves and with what they call", "who calls a function"], []
    kinds = {p.kind for p in trace.profiles}
    units = {value.unit for p in trace.profiles for value in p.values}
    if ProfileKind.EVENTED in kinds:
        can.append("how often and for how long each call of an evented profile ran")
    if ProfileKind.SAMPLED in kinds:
        cannot.append("exact call counts and durations of single calls in sampled profiles")
    ordered = any(p.axis.is_time and trace.format not in UNORDERED for p in trace.profiles)
    (can if ordered else cannot).append("what happened when, and in which order")
    (can if Unit.NANOSECONDS in units else cannot).append("how long things took in seconds")
    (can if Unit.BYTES in units else cannot).append("how much memory was allocated")
    if len(trace.profiles) < 2:
        cannot.append("what other threads and processes did")
    return tuple(can), tuple(cannot)


UNORDERED = frozenset({"pprof", "collapsed"})
"""Formats whose samples are sums: they have no moment in time."""
