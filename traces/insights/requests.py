"""Queries, requests and file access among spans: repeated, one after the other, slow, on the wrong thread."""

import re

import numpy as np

from traces.analysis.units import format_share, format_value
from traces.analysis.window import Window
from traces.insights.insight import Confidence, Detector, Kind, Severity, State, Verdict, not_applicable, passed
from traces.insights.subject import Subject, durations
from traces.insights.thresholds import threshold
from traces.insights.timeline import UI_THREAD
from traces.lazy_regex import lazy_regex
from traces.model import NONE, Int64, Profile

QUERY = lazy_regex(
    r"^\s*(?:SELECT|INSERT|UPDATE|DELETE|BEGIN|COMMIT|WITH)\b|\b(?:sql|SQL|query|Query|db\.|cursor\.|execute(?:many)?|"
    r"psycopg2?|mysql|mongo|redis|ActiveRecord|sqlite3?)\b|^db\b|\bdb[._]"
)
CALL = lazy_regex(
    r"^(?:GET|POST|PUT|PATCH|DELETE|HEAD)\s|\b(?:https?|fetch|grpc|rpc|HTTP|urlopen|requests\.\w+|XHR|axios|http\.client)\b"
    r"|^XHR"
)
FILES = lazy_regex(
    r"\b(?:fsync|readFileSync|writeFileSync|File(?:Read|Write|Open)|file\.(?:read|write)|io\.open|read_file|write_file)\b"
)
NUMBERS = lazy_regex(r"\d+|'[^']*'|\?|\$\d+")
NO_SPANS = "no spans with the names of queries or requests were recorded"


class _Runs:
    """Calls of one sort in a timeline, those of one caller that follow each other without overlap in one run."""

    def __init__(self, subject: Subject, profile: Profile, shape: Int64) -> None:
        assert profile.spans is not None
        self.profile, self.spans = profile, profile.spans
        rows = subject.spans_of(profile, shape >= 0)
        # Only the outermost: a query's own driver calls are no further queries.
        if len(rows):
            ends = np.maximum.accumulate(self.spans.end[rows])
            nested = np.concatenate(([False], self.spans.end[rows][1:] <= ends[:-1]))
            nested &= np.concatenate(([False], self.spans.start[rows][1:] < ends[:-1]))
            rows = rows[~nested]
        self.rows = rows
        keys = np.lexsort((rows, shape[profile.tree.frame[self.spans.node[rows]]], self.spans.parent[rows]))
        self.sorted = rows[keys]
        of = shape[profile.tree.frame[self.spans.node[self.sorted]]]
        above = self.spans.parent[self.sorted]
        gap = self.spans.start[self.sorted][1:] - self.spans.end[self.sorted][:-1]
        apart = (above[1:] != above[:-1]) | (of[1:] != of[:-1]) | (gap < 0) | (gap > threshold("sequential.gap"))
        self.first = np.concatenate(([0], np.flatnonzero(apart) + 1)) if len(rows) else np.zeros(0, np.int64)
        lasted = durations(profile, self.sorted)
        self.length = np.diff(np.append(self.first, len(rows)))
        self.spent = np.add.reduceat(lasted, self.first) if len(rows) else np.zeros(0, np.int64)
        self.longest = np.maximum.reduceat(lasted, self.first) if len(rows) else np.zeros(0, np.int64)

    def run(self, index: int) -> Int64:
        return self.sorted[self.first[index] : self.first[index] + self.length[index]]


def _all_runs(subject: Subject, pattern: re.Pattern[str], *, similar: bool, ui: bool = False) -> list[_Runs]:
    """The runs of every timeline that has some; only on the threads of an interface where `ui`."""
    shape = np.full(len(subject.trace.frames), NONE, np.int64)
    shapes: dict[str, int] = {}
    for name, frames in subject.named.items():
        if pattern.search(name):
            shape[frames] = shapes.setdefault(NUMBERS.sub("?", name) if similar else "", len(shapes))
    if not shapes:
        return []
    profiles = [profile for profile in subject.timelines if not ui or UI_THREAD.search(profile.name)]
    return [runs for profile in profiles if len((runs := _Runs(subject, profile, shape)).rows)]


def _repeated(subject: Subject, pattern: re.Pattern[str], length: str, what: str, advice: str) -> Verdict:
    """A verdict on the longest run of similar calls."""
    every = _all_runs(subject, pattern, similar=True)
    if not every:
        return not_applicable(NO_SPANS)
    candidates = [
        (int(runs.spent[k]), index, int(k))
        for index, runs in enumerate(every)
        for k in np.flatnonzero((runs.length >= threshold("n-plus-one.calls")) & (runs.spent > threshold(length)))
    ]
    if not candidates:
        return passed(f"no {what} is repeated often and long in a row")
    spent, index, run = max(candidates)
    runs = every[index]
    rows = runs.run(run)
    profile, spans = runs.profile, runs.spans
    first = subject.span_evidence(profile, int(rows[0]))
    parent = int(spans.parent[rows[0]])
    evidence = (first, *((subject.span_evidence(profile, parent),) if parent >= 0 else ()))
    under = " under {1}" if parent >= 0 else ""
    return Verdict(
        State.FAIL,
        f"{len(rows):,} calls like {{0}} run one after the other{under}, {format_value(spent, profile.axis)} together.",
        Severity.HIGH if len(rows) >= 10 * threshold("n-plus-one.calls") else Severity.MEDIUM,
        evidence,
        profile=profile.handle,
        window=Window(float(spans.start[rows[0]]), float(spans.end[rows[-1]])),
        share=spent / max(profile.axis_end - profile.axis_start, 1),
        advice=advice,
    )


def _n_plus_one(subject: Subject) -> Verdict:
    advice = "Ask for all rows at once: a join, IN (...), a batch or an eager load."
    return _repeated(subject, QUERY, "n-plus-one.length", "query", advice)


def _n_plus_one_calls(subject: Subject) -> Verdict:
    advice = "Use a call that takes many ids, or send them at the same time."
    return _repeated(subject, CALL, "n-plus-one-calls.length", "request", advice)


def _sequential(subject: Subject) -> Verdict:
    every = _all_runs(subject, re.compile(f"{QUERY.pattern}|{CALL.pattern}"), similar=False)
    if not every:
        return not_applicable(NO_SPANS)
    best: tuple[int, int, int] | None = None
    for index, runs in enumerate(every):
        saving = runs.spent - runs.longest
        for k in np.flatnonzero((runs.length >= threshold("sequential.calls")) & (saving > 0)).tolist():
            if best is None or saving[k] > best[0]:
                best = int(saving[k]), index, k
    if best is None or best[0] < threshold("sequential.saving"):
        return passed("few queries or requests follow each other that could overlap")
    saving_ns, index, k = best
    runs, rows = every[index], every[index].run(best[2])
    spans, profile = runs.spans, runs.profile
    parent = int(spans.parent[rows[0]])
    around = int(spans.end[parent] - spans.start[parent]) if parent >= 0 else profile.axis_end - profile.axis_start
    share = saving_ns / max(around, 1)
    if share < threshold("sequential.share"):
        return passed("overlapping them would save little of what surrounds them", share=share)
    first = subject.span_evidence(profile, int(rows[0]))
    last = subject.span_evidence(profile, int(rows[-1]))
    return Verdict(
        State.FAIL,
        f"{len(rows):,} queries or requests, {{0}} to {{1}}, wait for each other: "
        f"{format_value(int(runs.spent[k]), profile.axis)}. If none needs another's answer, running them together "
        f"saves up to {format_value(saving_ns, profile.axis)} ({format_share(share)} of their caller).",
        Severity.MEDIUM,
        (first, last),
        profile=profile.handle,
        window=Window(float(spans.start[rows[0]]), float(spans.end[rows[-1]])),
        share=share,
        advice="Start those that do not depend on each other together, and await them all.",
        confidence=Confidence.MEDIUM,
    )


def _slow(
    subject: Subject, pattern: re.Pattern[str], low: str, high: str | None, what: str, advice: str, *, ui: bool
) -> Verdict:
    """A verdict on the longest single call of a sort, on the threads of an interface only where `ui`."""
    every = _all_runs(subject, pattern, similar=True, ui=ui)
    if not every:
        return not_applicable(NO_SPANS)
    slowest = [(int(durations(runs.profile, runs.rows).max()), index) for index, runs in enumerate(every)]
    longest, index = max(slowest)
    count = sum(int((durations(runs.profile, runs.rows) >= threshold(low)).sum()) for runs in every)
    if longest < threshold(low):
        return passed(f"no {what} takes long")
    runs = every[index]
    row = int(runs.rows[np.argmax(durations(runs.profile, runs.rows))])
    first = subject.span_evidence(runs.profile, row)
    start = float(runs.spans.start[row])
    return Verdict(
        State.FAIL,
        f"The slowest {what}, {{0}}, took {first.value} from "
        f"{format_value(start - runs.profile.axis_start, runs.profile.axis)} on; {count:,} took "
        f"{format_value(threshold(low), runs.profile.axis)} or more.",
        Severity.HIGH if high is not None and longest >= threshold(high) else Severity.MEDIUM,
        (first,),
        profile=runs.profile.handle,
        window=Window(start, start + longest),
        share=longest / max(runs.profile.axis_end - runs.profile.axis_start, 1),
        advice=advice,
    )


def _slow_query(subject: Subject) -> Verdict:
    advice = "Look at its plan: an index, fewer rows, fewer columns."
    return _slow(subject, QUERY, "slow-query.length", "slow-query.high", "query", advice, ui=False)


def _main_thread_access(subject: Subject) -> Verdict:
    advice = "Do it on another thread, or asynchronously: the interface stands still meanwhile."
    pattern = re.compile(f"{QUERY.pattern}|{FILES.pattern}")
    return _slow(
        subject, pattern, "main-thread-io.length", None, "file or database access on a main thread", advice, ui=True
    )


ROWS = ("Which queries are repeated?", "What calls them?")
DETECTORS = (
    Detector("n-plus-one", Kind.REQUESTS, "N+1 queries", "similar queries one after the other", _n_plus_one,
             ("n-plus-one.calls", "n-plus-one.length", "sequential.gap"), ROWS, Confidence.MEDIUM, "n_plus_one"),
    Detector("n-plus-one-calls", Kind.REQUESTS, "N+1 requests", "similar requests one after the other",
             _n_plus_one_calls, ("n-plus-one.calls", "n-plus-one-calls.length", "sequential.gap"), ROWS,
             Confidence.MEDIUM, "n_plus_one"),
    Detector("sequential-calls", Kind.REQUESTS, "Calls that could overlap", "queries and requests that wait in a row",
             _sequential, ("sequential.calls", "sequential.saving", "sequential.share", "sequential.gap"), ROWS,
             cause="serial_waits"),
    Detector("slow-query", Kind.REQUESTS, "Slow query", "single queries that take long", _slow_query,
             ("slow-query.length", "slow-query.high"), ROWS, Confidence.MEDIUM),
    Detector("main-thread-access", Kind.REQUESTS, "Access on the main thread",
             "file and database access on a thread that people feel", _main_thread_access, ("main-thread-io.length",),
             ("What blocks the main thread?",), Confidence.MEDIUM, "main_thread_io"),
)  # fmt: skip
