"""Events of another clock: one time since 1970 among times since the start makes a recording of 55 years."""

import numpy as np

from traces.builder import TraceBuilder
from traces.formats.trace_event.event_list import Events
from traces.kernels.scaled import MISSING

FAR_NS = 100 * 86_400 * 1_000_000_000
"""A hundred days: longer than anybody records, shorter than between any two clocks that are mixed up."""


def leave_out(events: Events, builder: TraceBuilder) -> int:
    """Take the time from events that lie further from the middle one, or last longer, and warn of them. Returns how
    many of them are slices, which are not drawn. Metadata has no place in time: many write 0 there."""
    time, duration = events.time, events.table.numbers("duration")
    timed = time != MISSING
    if not timed.any():
        return 0
    if int(time.max()) - int(time.min(where=timed, initial=time.max())) <= FAR_NS >= int(duration.max()):
        return 0
    timed &= ~events.rows("phase", "M")
    if not timed.any():
        return 0
    half = (np.count_nonzero(timed) - 1) // 2
    middle = int(np.partition(time[timed], half)[half])
    limits = np.iinfo(np.int64)
    far = (time < max(middle - FAR_NS, limits.min)) | (time > min(middle + FAR_NS, limits.max)) | (duration > FAR_NS)
    far &= timed
    builder.warn(
        "other_clock", "events that lie or last more than 100 days beyond the others were left out", int(far.sum())
    )
    time[far] = MISSING
    return int((far & events.rows("phase", "X", "B", "E")).sum())
