"""One query per row, and the same work done again: from exact numbers of calls, through whatever lies between.

The functions are counted below the nearest function of the program that ran so much less often than they did, however
many helpers, comprehensions or levels of recursion lie between the two.
"""

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.analysis.units import format_share
from traces.insights.culprits import frames_of
from traces.insights.insight import Confidence, Detector, Kind, Severity, State, Verdict, not_applicable, passed
from traces.insights.requests import CALL, NUMBERS, QUERY
from traces.insights.subject import Subject
from traces.insights.thresholds import threshold
from traces.model import Int64
from traces.values import Counts

ASKING = re.compile(
    r"(?:^|[\s.:>#'_(])(?:execute(?:_sql|_query|Query|Update)?|fetch(?:one|all|many|_one|_all|_row|_rows|Row|All)|"
    r"query(?:_one|_all|_row|Row|One|All)?|find_?[Oo]ne|find_?[Bb]y_?[Ii]d|(?:mysqli|pg|odbc|sqlite)_(?:query|exec)|"
    r"exec_query|select_all|select_one|sqlite3_(?:prepare\w*|exec)|PQexec\w*|mysql_(?:real_)?query|run_?[Qq]uery|"
    r"run_sql|do_query|hgetall|urlopen|(?:http_?)?[Rr]ound_?[Tt]rip|send_?[Rr]equest|getresponse|curl_exec|"
    r"requests?\.(?:get|post|request)|httpGet|http_get|http\.(?:get|request)|fetch)(?![A-Za-z0-9])"
)
"""Functions that ask a database or a server, as the drivers of Python, JavaScript, Go, Java, PHP, Ruby and C name
them."""
TEXT = re.compile(r"^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|GET|POST|PUT|PATCH|HEAD)\s")
"""Names that are the text of a query or request: those that differ in values only are one."""
BATCH = re.compile(r"many|batch|bulk", re.IGNORECASE)
ONCE = re.compile(
    r"(?:^|[.:>#\s])(?:_?(?:re)?load(?:s|ed)?_?(?!er|ing)\w*|[Ll]oad[A-Z]\w*|_?(?:read|get|open|fetch|parse|decode)_?"
    r"(?:the_)?(?:[Cc]onfig\w*|[Ss]ettings|[Rr]ules|[Ss]chema|[Tt]emplates?|[Rr]ates|[Tt]ables?|[Cc]atalogu?e?|"
    r"[Dd]ictionary|[Mm]anifest|[Ll]ocale)|_?(?:re)?compile_?\w*|MustCompile|[Cc]ompile[A-Z]\w*|"
    r"_?(?:build|make|create|init|prepare|compute|construct|new)_?(?:the_)?(?:[A-Za-z]+_?)?"
    r"(?:[Ii]ndex|[Tt]able|[Ll]ookup|[Mm]ap|[Ss]chema|[Tt]emplate|[Pp]arser|[Ee]ngine|[Cc]lient|[Ss]ession|[Pp]ool|"
    r"[Cc]onnection|[Mm]atrix|[Rr]egex|[Pp]attern|[Cc]ontext)|connect|create_default_context)$"
)
"""Functions whose result can mostly be kept: they load, compile or build what does not depend on the one asking."""
NO_COUNTS = "how often functions were called was not recorded: samples do not count calls"


@dataclass(frozen=True, slots=True)
class Repeated:
    """`calls` of `target` below `runs` of `under`, by way of `through`, the own function nearest to them (each a
    frame). `value` is what the calls took with all they call."""

    target: int
    through: int
    under: int
    calls: int
    runs: int
    value: float


class _Counted:
    """The heavy tree with how often each node was called."""

    def __init__(self, subject: Subject) -> None:
        self.subject, self.own, self.tree = subject, subject.own, subject.heavy
        self.count = subject.profile.tree.count[self.tree.node]
        self.outermost = subject.profile.tree.outermost[self.tree.node] == 1

    def repeated(self, frames: npt.NDArray[np.bool_], *, own: bool) -> list[Repeated]:
        """What of some functions was called again and again, a row a function; `own` ones are their own place."""
        rows = self.own.entering(frames)
        found = [
            self._one(rows[self._shape(rows) == shape], own=own) for shape in np.unique(self._shape(rows)).tolist()
        ]
        return sorted((one for one in found if one is not None), key=lambda one: -one.value)

    def _shape(self, rows: Int64) -> Int64:
        """A number for each row: the same for queries that differ in values only."""
        shapes: dict[str, int] = {}
        names = [self.subject.trace.frame_name(int(frame)) for frame in self.tree.frame[rows]]
        texts = [NUMBERS.sub("?", name) if TEXT.search(name) else name for name in names]
        return np.array([shapes.setdefault(text, len(shapes)) for text in texts], np.int64)

    def _one(self, rows: Int64, *, own: bool) -> Repeated | None:
        calls: dict[int, int] = {}
        runs: dict[int, int] = {}
        depth: dict[int, int] = {}
        total = int(self.count[rows].sum())
        for row in rows.tolist():
            seen: set[int] = set()
            path = self.own.path(row)[:-1]
            for place, above in enumerate(path):
                frame = int(self.tree.frame[above])
                if self.own.frames[frame] and frame not in seen:
                    seen.add(frame)
                    calls[frame] = calls.get(frame, 0) + int(self.count[row])
                    depth[frame] = max(depth.get(frame, 0), place)
        outer = self.outermost
        for frame in calls:
            runs[frame] = int(self.count[outer & (self.tree.frame == frame)].sum())
        often = threshold("repeated-calls.calls")
        fit = [f for f, n in calls.items() if runs[f] > 0 and n >= often * runs[f] and 2 * n >= total]
        if not fit:
            return None
        under = max(fit, key=lambda frame: (depth[frame], -calls[frame]))
        value = float(self.tree.total[rows].sum())
        target = int(self.tree.frame[rows[np.argmax(self.tree.total[rows])]])
        through = self._through(rows, under, target) if not own else target
        return Repeated(target, through, under, calls[under], runs[under], value)

    def _through(self, rows: Int64, under: int, target: int) -> int:
        """The own function nearest to the calls that is no general helper for asking."""
        weight: dict[int, float] = {}
        for row in rows.tolist():
            chosen = under
            for above in reversed(self.own.path(row)[:-1]):
                frame = int(self.tree.frame[above])
                name = self.subject.trace.frame_name(frame)
                if self.own.frames[frame] and not (ASKING.search(name) or QUERY.search(name)):
                    chosen = frame
                    break
            weight[chosen] = weight.get(chosen, 0.0) + float(self.tree.total[row])
        return max(weight, key=lambda frame: weight[frame])


def _verdict(subject: Subject, found: Repeated, what: str, advice: str, confidence: Confidence) -> Verdict:
    share = found.value / subject.total
    name = subject.trace.frame_name
    times = f"{found.calls:,} calls in {found.runs:,} run{'s' if found.runs != 1 else ''} of"
    frames = list(dict.fromkeys((found.through, found.under, found.target)))
    place = {frame: f"{{{index}}}" for index, frame in enumerate(frames)}
    through = f", through {place[found.through]}" if found.through not in (found.under, found.target) else ""
    return Verdict(
        State.FAIL,
        f"{what}: {times} {place[found.under]}{through}; {place[found.target]} takes {subject.amount(found.value)} "
        f"({format_share(share)}) with what it calls.",
        Severity.HIGH if share >= threshold("hot-function.high") else Severity.MEDIUM,
        tuple(subject.evidence(frame, subject.frames.total_value) for frame in frames if name(frame)),
        profile=subject.profile.handle,
        share=min(share, 1.0),
        advice=advice,
        confidence=confidence,
    )


def _worth(subject: Subject, found: list[Repeated]) -> Repeated | None:
    return found[0] if found and found[0].value >= threshold("repeated-calls.share") * subject.total else None


def _repeated_queries(subject: Subject) -> Verdict:
    if subject.profile.counts is not Counts.CALLS:
        return not_applicable(NO_COUNTS)
    counted = _Counted(subject)
    asking = np.zeros(len(subject.trace.frames), np.bool_)
    for frame in frames_of(subject.heavy).tolist():
        name = subject.trace.frame_name(frame)[:200]
        asking[frame] = bool(ASKING.search(name) or QUERY.search(name) or CALL.search(name)) and not BATCH.search(name)
    if not asking.any():
        return not_applicable("no functions with the names of queries or requests were recorded")
    found = _worth(subject, counted.repeated(asking, own=False))
    if found is None:
        return passed("no query or request is repeated often and long below one function")
    advice = "Ask for all rows at once, before the loop: a join, IN (...), a batch or an eager load."
    return _verdict(subject, found, "One query per row", advice, Confidence.MEDIUM)


def _repeated_work(subject: Subject) -> Verdict:
    if subject.profile.counts is not Counts.CALLS:
        return not_applicable(NO_COUNTS)
    counted = _Counted(subject)
    frames = subject.own.named(ONCE)
    found = _worth(subject, counted.repeated(frames, own=True))
    if found is None:
        return passed("nothing that loads, compiles or builds is called again and again below one function")
    advice = "If its result is the same each time, do it once before the loop and keep the result, or cache it."
    return _verdict(subject, found, "The same work is repeated", advice, Confidence.MEDIUM)


COUNTED = ("repeated-calls.calls", "repeated-calls.share", "hot-function.high")
DETECTORS = (
    Detector("repeated-queries", Kind.REQUESTS, "N+1 queries", "queries and requests called again and again below one "
             "function, by exact counts of calls", _repeated_queries, COUNTED,
             ("How often is it called?", "What calls it?"), Confidence.MEDIUM, "n_plus_one"),
    Detector("repeated-work", Kind.REQUESTS, "Work repeated", "loading, compiling and building again and again below "
             "one function, by exact counts of calls", _repeated_work, COUNTED,
             ("How often is it called?", "What calls it?"), Confidence.MEDIUM, "repeated_work"),
)  # fmt: skip
