"""What a file has besides samples and spans, as the builder collects it: moments, levels, intervals, arrows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from traces.edges import Edges, no_edges
from traces.equal_rows import distinct
from traces.model import (
    NONE,
    AsyncSpans,
    Counters,
    Flows,
    Instants,
    Int32,
    Int64,
    Requests,
    ThreadStates,
    UInt8,
    no_states,
)

Texts = Sequence[str]
"""What a column of indices points into; index -1 is the last of them."""


class Request(NamedTuple):
    """A row of the requests, as `model.Requests` has them, with texts."""

    profile: int
    start: int
    end: int
    server: int = NONE
    size: int = NONE
    url: str | None = None
    kind: str | None = None
    priority: str | None = None
    blocking: str | None = None
    found_in: str | None = None
    document: str | None = None


@dataclass(frozen=True, slots=True)
class SideTables:
    """Rows (`points` become instants too) and lists of columns, each a batch; times on the file's clock, profiles by
    index (-1: the trace itself). Edges are batches of the builder's frames, in order of profiles and values."""

    points: list[tuple[int, int, str]] = field(default_factory=list)
    instants: list[tuple[Int32, Int64, Int32, Texts]] = field(default_factory=list)
    readings: list[tuple[int, int, str, float]] = field(default_factory=list)
    intervals: list[tuple[Int32, Int64, Int64, Int32, Texts, Int32, Texts]] = field(default_factory=list)
    arrows: list[tuple[Int32, Int64, Int32, Int64, Int32, Texts]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    states: list[tuple[int, Int64, Int64, UInt8]] = field(default_factory=list)
    edges: list[Edges] = field(default_factory=list)

    def times(self) -> list[Int64]:
        """All times in the tables, to be checked."""
        found = [batch[1] for batch in self.instants]
        found += [times for batch in self.intervals for times in batch[1:3]]
        found += [times for batch in self.states for times in batch[1:3]]
        found += [times for batch in self.arrows for times in (batch[1], batch[3])]
        found += [np.array([row[1] for row in rows], np.int64) for rows in (self.points, self.readings, self.requests)]
        return [*found, np.array([row.end for row in self.requests], np.int64)]

    def finished(
        self, zero: int, index: Callable[[str | None], int]
    ) -> tuple[Instants, Counters, AsyncSpans, Flows, Requests]:
        """The tables in order of time, on the trace's clock; `index` interns a text."""
        instants = [(profile, time - zero, _interned(name, t, index)) for profile, time, name, t in self.instants]
        instants.append(
            (
                np.array([row[0] for row in self.points], np.int32),
                np.array([row[1] for row in self.points], np.int64) - zero,
                np.array([index(row[2]) for row in self.points], np.int32),
            )
        )
        readings = sorted(self.readings, key=lambda row: row[1])
        counters = Counters(
            np.array([row[0] for row in readings], np.int32),
            np.array([row[1] for row in readings], np.int64) - zero,
            np.array([index(row[2]) for row in readings], np.int32),
            np.array([row[3] for row in readings], np.float64),
        )
        intervals = [
            (profile, start - zero, end - zero, _interned(name, t, index), _interned(ident, i, index))
            for profile, start, end, name, t, ident, i in self.intervals
        ]
        arrows = [
            (source, start - zero, target, end - zero, _interned(name, t, index))
            for source, start, target, end, name, t in self.arrows
        ]
        return (
            Instants(*_in_order(instants, "iqi")),
            counters,
            AsyncSpans(*_in_order(intervals, "iqqii")),
            Flows(*_in_order(arrows, "iqiqi")),
            _requests(self.requests, zero, index),
        )

    def frames_of_edges(self) -> list[Int32]:
        """The frames that edges name."""
        return [frames for batch in self.edges for frames in (batch.callee, batch.caller[batch.caller >= 0])]

    def recorded_edges(self, number: Int32) -> Edges:
        """Who called whom, of frames that have these numbers in the trace."""
        return Edges.joined(self.edges).numbered(number) if self.edges else no_edges()

    def thread_states(self, zero: int) -> ThreadStates:
        """What threads did, in order of their profiles."""
        if not self.states:
            return no_states()
        batches = sorted(self.states, key=lambda batch: batch[0])
        profile = np.repeat(np.array([row[0] for row in batches], np.int32), [len(row[1]) for row in batches])
        start, end, state = (np.concatenate([row[k] for row in batches]) for k in (1, 2, 3))
        return ThreadStates(profile, start - zero, end - zero, state)


def _requests(rows: Sequence[Request], zero: int, index: Callable[[str | None], int]) -> Requests:
    ordered = sorted(rows, key=lambda row: row.start)
    texts = [[index(text) for text in row[5:]] for row in ordered]
    said = np.array(texts, np.int32).reshape(-1, 6).T
    start, end = (np.array([row[k] for row in ordered], np.int64) - zero for k in (1, 2))
    server, size = (np.array([row[k] for row in ordered], np.int64) for k in (3, 4))
    return Requests(np.array([row.profile for row in ordered], np.int32), start, end, server, size, *said)


def _interned(column: Int32, texts: Texts, index: Callable[[str], int]) -> Int32:
    known = np.zeros(len(texts) + 1, np.int32)
    for used in distinct(column).tolist():
        known[used] = index(texts[used])
    interned: Int32 = known[column]
    return interned


def _in_order(batches: Sequence[tuple[Int32 | Int64, ...]], kinds: str) -> list[np.ndarray[Any, Any]]:
    """The batches' columns as one table, by the second column, which is its time."""
    if not batches:
        return [np.zeros(0, kind) for kind in kinds]
    columns = [np.concatenate(parts) for parts in zip(*batches, strict=True)]
    order = np.argsort(columns[1], kind="stable")
    return [column[order] for column in columns]
