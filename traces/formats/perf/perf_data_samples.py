"""The samples of a perf.data as columns, and when its other records were made.

Format: perf_event_open(2) and include/uapi/linux/perf_event.h of Linux. Its event says which fields a sample has, its
identifier, whose place does not depend on the event, which event it is of.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.builder import MAX_TIME_NS, TraceBuilder
from traces.equal_rows import rows_of_each
from traces.formats.perf.perf_data_records import Event, Records, Words
from traces.model import NONE, Int64

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID = (1 << bit for bit in range(10))
STACK_USER, IDENTIFIER = 1 << 13, 1 << 16
IN_ORDER = (IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD)
"""Fields of one word, in the order in which a sample has them; what a counter read and the stack come behind them."""
AT_END = (TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER)
"""The same of what other records say at their end."""
ENABLED, RUNNING, COUNTER_ID, GROUP, COUNTER_LOST = (1 << bit for bit in range(5))
HALF = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True, slots=True)
class Samples:
    """One a row, in order of time; without times (`is_timed`), of the file. `first` is the word where a stack of `size`
    begins, `period` -1 where it is unknown, `ip` 0 where it was not recorded."""

    is_timed: bool
    event: Int64
    time: Int64
    pid: Int64
    tid: Int64
    mode: Int64
    ip: Words
    period: Int64
    first: Int64
    size: Int64


class Layout:
    """Where the records' fields are. Raises DamagedTrace where several events cannot be distinguished."""

    def __init__(self, records: Records, builder: TraceBuilder) -> None:
        self._records = records
        self._builder = builder
        self._events = records.events
        if not self._events:
            raise builder.damaged("it does not say which events were recorded.")
        fields = {event.fields for event in self._events}
        self._event_word: int | None = None  # the word of a sample that names its event
        if len(self._events) > 1:
            if all(mask & IDENTIFIER for mask in fields):
                self._event_word = 1
            elif len(fields) == 1 and (mask := next(iter(fields))) & ID:
                self._event_word = 1 + _before(mask, ID)
            else:
                raise builder.damaged("its samples do not say which event they are of.")
        self.is_timed = all(mask & TIME for mask in fields)
        numbers = [(number, index) for index, event in enumerate(self._events) for number in event.ids]
        numbers.sort()
        self._numbers = np.array([number for number, _ in numbers], np.uint64)
        self._event_of = np.array([index for _, index in numbers] + [NONE], np.int64)

    def samples(self, rows: Int64) -> Samples:
        """The samples in some rows of the records."""
        records = self._records
        event = np.zeros(len(rows), np.int64)
        if self._event_word is not None:
            self._check(rows, records.size[rows] > self._event_word)
            event = self._events_of(records.words[records.at[rows] + self._event_word])
            unknown = event == NONE
            self._builder.warn("unknown_event", "samples of events that the file does not describe", int(unknown.sum()))
            rows, event = rows[~unknown], event[~unknown]
        columns = np.zeros((7, len(rows)), np.int64)
        ip = np.zeros(len(rows), np.uint64)
        for index, mine in rows_of_each(event):
            ip[mine], columns[:, mine] = self._columns(rows[mine], self._events[index])
        time, pid, tid, period, first, size, mode = columns
        if not self.is_timed:
            time = rows.astype(np.int64)
        order = np.argsort(time, kind="stable")
        event, time, pid, tid, mode, period, first, size = (
            column[order] for column in (event, time, pid, tid, mode, period, first, size)
        )
        return Samples(self.is_timed, event, time, pid, tid, mode, ip[order], period, first, size)

    def _columns(self, rows: Int64, event: Event) -> tuple[Words, Int64]:
        records, fields = self._records, event.fields
        at, size = records.at[rows], records.size[rows]
        place = {field: 1 + _before(fields, field) for field in IN_ORDER if fields & field}
        behind = np.full(len(rows), 1 + len(place))
        self._check(rows, size >= behind)
        absent = np.zeros(len(rows), np.uint64)

        def column(field: int) -> Words:
            return records.words[at + place[field]] if field in place else absent

        if fields & READ:
            each = 1 + bool(event.read_format & COUNTER_ID) + bool(event.read_format & COUNTER_LOST)
            times = bool(event.read_format & ENABLED) + bool(event.read_format & RUNNING)
            if event.read_format & GROUP:
                self._check(rows, size > behind)
                counters = records.words[at + behind]
                self._check(rows, counters <= size.astype(np.uint64))
                behind = behind + 1 + times + counters.astype(np.int64) * each
            else:
                behind = behind + times + each
        first, depth = at, np.zeros(len(rows), np.int64)
        if fields & CALLCHAIN:
            self._check(rows, size > behind)
            said = records.words[at + behind]
            self._check(rows, said <= (size - behind - 1).astype(np.uint64))
            first, depth = at + behind + 1, said.astype(np.int64)
        if fields & STACK_USER or event.keeps_branches:
            self._builder.warn(
                "not_unwound", "stacks recorded with --call-graph dwarf or lbr were not unwound", len(rows)
            )
        time, ids = column(TIME), column(TID)
        if len(time) and int(time.max()) > MAX_TIME_NS:
            raise self._builder.damaged("the time of a sample is out of range.")
        fixed = np.full(len(rows), NONE if event.period is None else event.period, np.int64)
        period = column(PERIOD).view(np.int64) if fields & PERIOD else fixed
        if fields & PERIOD and len(period) and period.min() < 0:
            raise self._builder.damaged("the period of a sample is out of range.")
        mode = records.misc[rows].astype(np.int64)
        pid, tid = (ids & HALF).astype(np.int64), (ids >> np.uint64(32)).astype(np.int64)
        return column(IP), np.stack((time.astype(np.int64), pid, tid, period, first, depth, mode))

    def times(self, rows: Int64) -> Int64:
        """When records that are no samples were made; 0 where they do not say, the row where no record has times."""
        if not self.is_timed:
            return rows.astype(np.int64)
        records = self._records
        at, size = records.at[rows], records.size[rows]
        event = np.zeros(len(rows), np.int64)
        if self._event_word == 1:
            # What perf itself wrote at the beginning has no number: it is of the first event.
            event = np.maximum(self._events_of(records.words[at + size - 1]), 0)
        found = np.zeros(len(rows), np.int64)
        for index, of_event in rows_of_each(event):
            known = self._events[index]
            from_end = sum(bool(known.fields & field) for field in AT_END[AT_END.index(TIME) :])
            mine = of_event[size[of_event] > from_end]
            if known.says_when:
                said = records.words[(at + size)[mine] - from_end]
                found[mine] = np.minimum(said, np.uint64(MAX_TIME_NS)).astype(np.int64)
        return found

    def _events_of(self, numbers: npt.NDArray[np.uint64]) -> Int64:
        place = np.searchsorted(self._numbers, numbers)
        known = place < len(self._numbers)
        known[known] = self._numbers[place[known]] == numbers[known]
        return np.where(known, self._event_of[np.where(known, place, -1)], NONE)

    def _check(self, rows: Int64, fits: npt.NDArray[np.bool_]) -> None:
        if not fits.all():
            raise self._builder.damaged(f"record {rows[~fits][0]:,}, a sample, is shorter than its fields.")


def _before(fields: int, field: int) -> int:
    """How many words of a sample stand before a field."""
    return sum(bool(fields & other) for other in IN_ORDER[: IN_ORDER.index(field)])
