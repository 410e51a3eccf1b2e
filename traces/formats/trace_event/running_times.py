"""How long a thread was on a processor during its slices: `tdur` of complete events, in microseconds.

Format: as in `trace_event`. Begins and ends have the thread's clock (`tts`), which is not read.
"""

from dataclasses import replace

import numpy as np

from traces.analysis.units import format_value
from traces.builder import MAX_TIME_NS, TraceBuilder, too_long
from traces.formats.trace_event.event_list import Events
from traces.kernels.scaled import MISSING
from traces.kernels.spans import no_times
from traces.model import NONE, Int64
from traces.values import Unit

CPU_TIME = (
    "slices were on a processor for {cpu} by their own account, though they lasted {wall}: likelier is what they "
    "lasted, and the time on a processor was cut there"
)


def running_times(events: Events, builder: TraceBuilder) -> Int64:
    """How long each complete slice was on a processor, by Chrome's `tdur`; -1 where that is not known (a begin and an
    end have none), no rows where no event says it. It stands for the duration of an event without one."""
    running = events.table.taken("running")
    known = running != MISSING
    if not known.any():
        return no_times()
    duration = events.table.numbers("duration")
    lasts = duration != MISSING
    if (known & ~lasts).any():
        duration = np.where(lasts, duration, running)
        events.table.columns["duration"] = replace(events.table.columns["duration"], values=duration)
    known &= lasts & events.rows("phase", "X") & (running >= 0) & (running <= MAX_TIME_NS)
    longer = known & too_long(running, duration)
    if longer.any():
        wall, cpu = (format_value(int(column[longer].sum()), Unit.NANOSECONDS) for column in (duration, running))
        builder.warn("cpu_time", CPU_TIME.format(cpu=cpu, wall=wall), int(longer.sum()))
    return np.where(known, running, NONE) if known.any() else no_times()
