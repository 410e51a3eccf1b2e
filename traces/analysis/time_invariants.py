"""The law of docs/time.md: busy, waiting, idle and unknown of each profile add up to the recording."""

from traces.analysis.thread_time import thread_time
from traces.model import Trace
from traces.values import Clock


def check_time(trace: Trace) -> None:
    """Returns nothing; raises AssertionError where the parts of a profile's time are not the recording."""
    for profile in trace.profiles:
        time = thread_time(trace, profile)
        if time is None:
            continue
        parts = time.busy, time.waiting, time.idle, time.unknown
        assert min(parts) >= 0, "no part of a thread's time is negative"
        assert sum(parts) == time.length, "busy, waiting, idle and unknown add up"
        if profile.has_times and profile.clock is Clock.TRACE:
            assert time.length == trace.duration_ns, "a thread's time is that of the recording"
