"""How long a thread was on a processor during its slices: `tdur` of complete events, and the thread's own clock (`tts`)
at a begin and its end, both in microseconds.

Format: as in `trace_event`.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from traces.analysis.units import format_value
from traces.builder import MAX_TIME_NS, TraceBuilder, too_long
from traces.equal_rows import numbered
from traces.formats.trace_event.event_list import Events
from traces.kernels.scaled import MISSING
from traces.kernels.spans import no_times
from traces.model import NONE, Int32, Int64, Values
from traces.values import Unit

CPU_TIME = (
    "slices were on a processor for {cpu} by their own account, though they lasted {wall}: likelier is what they "
    "lasted, and the time on a processor was cut there"
)


class Closed(NamedTuple):
    """Begins that an end closed, by their places among a thread's events, and when."""

    begin: Int64
    end: Int64

    @classmethod
    def of(cls, source: Int64 | Int32, end: Values, unfinished: Int32, begins: npt.NDArray[np.bool_]) -> "Closed":
        """Those among nested spans, `source` being the places that `begins` marks some of."""
        closed = begins[source]
        closed[unfinished] = False
        return cls(source[closed].astype(np.int64), end[closed].astype(np.int64))


@dataclass(slots=True)
class RunningTimes:
    """Of each event: how long it was on a processor, -1 where that is not known (of a begin it follows from its end),
    and the thread's clock at begins and ends, MISSING where they do not say it. Both are empty where no event says it.
    """

    running: Int64
    clock: Int64
    count: int = 0
    ran: int = 0
    lasted: int = 0

    @classmethod
    def of(cls, events: Events) -> Self:
        """What the events say. Chrome's `tdur` stands for the duration of an event without one."""
        is_pair = events.rows("phase", "B", "E")
        clock = events.table.taken("thread_clock")
        has_clock = bool((is_pair & (clock != MISSING)).any())
        running = events.table.taken("running")
        known = running != MISSING
        found = cls(no_times(), clock if has_clock else no_times())
        if known.any():
            duration = events.table.numbers("duration")
            lasts = duration != MISSING
            if (known & ~lasts).any():
                duration = np.where(lasts, duration, running)
                events.table.columns["duration"] = replace(events.table.columns["duration"], values=duration)
            known &= lasts & events.rows("phase", "X") & (running >= 0) & (running <= MAX_TIME_NS)
            found.compare(running[known], duration[known])
        if has_clock or known.any():
            found.running = np.where(known, running, NONE)
        return found

    def compare(self, running: Int64, lasted: Int64) -> None:
        """Add what contradicts the time by the clock to what is warned of."""
        longer = too_long(running, lasted)
        self.count += int(longer.sum())
        self.ran += int(running[longer].sum())
        self.lasted += int(lasted[longer].sum())

    def of_slices(self, rows: Int64 | slice) -> Int64:
        """Of the events in these rows; none where no event says it."""
        return self.running[rows] if len(self.running) else self.running

    def of_pairs(
        self, rows: Int64 | slice, time: Int64, ends: Int64, closed: Closed, thread: Int32 | None = None
    ) -> Int64:
        """The same, with begins by the thread's clock at the event that ended them. `time` is of the rows, `ends` and
        `closed` are places among them; `thread` is the number of each row's thread, where there are several."""
        running = self.of_slices(rows)
        if not len(self.clock):
            return running
        clock = self.clock[rows]
        ends = ends[clock[ends] != MISSING]
        known = clock[closed.begin] != MISSING
        begin, until = closed.begin[known], closed.end[known]
        if not len(ends) or not len(begin):
            return running
        moments, inverse = numbered(np.concatenate((time[ends], until)))
        place = inverse
        if thread is not None:
            place += np.concatenate((thread[ends], thread[begin])).astype(np.int64) * len(moments)
        of_ends, of_spans = place[: len(ends)], place[len(ends) :]
        order = np.argsort(of_ends, kind="stable")
        at = np.searchsorted(of_ends[order], of_spans, "right") - 1  # of several at one moment the last
        found = (at >= 0) & (of_ends[order[at]] == of_spans)
        begin, end = begin[found], ends[order[at[found]]]
        ran = clock[end] - clock[begin]
        fits = (ran >= 0) & (ran <= MAX_TIME_NS)
        begin, end, ran = begin[fits], end[fits], ran[fits]
        self.compare(ran, time[end] - time[begin])
        running = running.copy()
        running[begin] = ran
        return running

    def warn(self, builder: TraceBuilder) -> None:
        """Say which slices contradict the time by the clock."""
        wall, cpu = (format_value(figure, Unit.NANOSECONDS) for figure in (self.lasted, self.ran))
        builder.warn("cpu_time", CPU_TIME.format(cpu=cpu, wall=wall), self.count)
