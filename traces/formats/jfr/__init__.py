"""Java Flight Recorder, and the pages of async-profiler."""

from traces.formats.format import CALLS, RUNNING, SAMPLED, Format, sums
from traces.formats.head import Head
from traces.values import Counts, Facts, Waits

JFR_CHUNK = b"FLR\0"

ALLOCATIONS = Facts(counts=Counts.EVENTS, waits=Waits.NEITHER)
LOCKS = sums(Counts.EVENTS, Waits.WAITING)
"""Threads wait at the same time: what they waited is added up, and its moments are not kept."""
WAITS_IN_TIME = Facts(counts=Counts.EVENTS, waits=Waits.WAITING)
"""Of one thread, which waits for one thing at a time."""
EVENTS = sums(Counts.EVENTS)
PROCESSOR_TIME = sums(Counts.SAMPLES, Waits.WORK)


def looks_like_jfr(head: Head) -> bool:
    """The first bytes of a chunk."""
    return head.data[:4] == JFR_CHUNK


def looks_like_async_profiler(head: Head) -> bool:
    """A page that names async-profiler and draws on a canvas."""
    return head.is_page and all(sign in (head.text or "") for sign in ("async-profiler", "<canvas"))


JFR = Format(
    "jfr",
    "Java Flight Recorder",
    looks_like_jfr,
    __name__,
    (RUNNING, SAMPLED, ALLOCATIONS, LOCKS, PROCESSOR_TIME, WAITS_IN_TIME, EVENTS, CALLS),
    threads=True,
)
ASYNC_PROFILER = Format(
    "async-profiler",
    "async-profiler pages",
    looks_like_async_profiler,
    __name__,
    (sums(Counts.SAMPLES, count_value=0),),
)
