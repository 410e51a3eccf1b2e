"""Two views of one thread that contradict each other: what its spans cover, and what its samples show."""

from collections.abc import Iterator

from traces.analysis.thread_time import ThreadTime, thread_time, views_of_thread
from traces.analysis.units import format_value
from traces.missing_ends import shortened
from traces.model import Profile, Trace
from traces.values import ProfileKind, TraceWarning, Unit

CONTRADICTION = 0.1
"""Of the larger of the two: less is the ends of samples, and what a recorder does not see."""
LEAST_NS = 20_000_000
"""Twenty samples of V8: less is chance."""
NAMED = 3


def contradictions(trace: Trace) -> Iterator[TraceWarning]:
    """A warning where some thread's spans and samples say that it was busy for times that differ by more than a
    tenth."""
    found: list[tuple[int, str]] = []
    for profile in trace.profiles:
        if profile.kind is not ProfileKind.SAMPLED or not profile.has_times:
            continue
        spans = next((view for view in views_of_thread(trace, profile) if view.spans is not None), None)
        if spans is not None and (one := _compared(trace, profile, spans)) is not None:
            found.append(one)
    if found:
        worst = "; ".join(text for _, text in sorted(found, reverse=True)[:NAMED])
        more = f"; and {len(found) - NAMED} more" if len(found) > NAMED else ""
        yield TraceWarning("two_views", f"views of a thread contradict each other: {worst}{more}", len(found))


def _compared(trace: Trace, sampled: Profile, spans: Profile) -> tuple[int, str] | None:
    by_samples, by_spans = thread_time(trace, sampled), thread_time(trace, spans)
    if by_samples is None or by_spans is None:
        return None
    low, high = _worked(by_samples), _worked(by_samples) + by_samples.unknown
    covered = _worked(by_spans)
    gap = max(low - covered, covered - high)
    if gap <= max(CONTRADICTION * max(covered, low), LEAST_NS):
        return None
    likelier = "the spans, as samples are missing"
    if low > covered:
        likelier = "the samples, as its spans do not cover what ran"
    lasted = (format_value(value, Unit.NANOSECONDS) for value in (covered, low))
    said = "{} ({}) is busy for {} by its spans and {} by its samples".format(
        shortened(sampled.name), f"{spans.handle}, {sampled.handle}", *lasted
    )
    return gap, f"{said}; likelier are {likelier}"


def _worked(time: ThreadTime) -> int:
    return time.busy + time.waiting
