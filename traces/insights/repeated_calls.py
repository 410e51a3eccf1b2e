"""One query per row, and the same work done again: from exact numbers of calls, through whatever lies between.

The functions are counted below the nearest function of the program that ran so much less often than they did, however
many helpers, comprehensions or levels of recursion lie between the two.
"""

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.analysis.units import format_share
from traces.equal_rows import distinct
from traces.insights.culprits import frames_of
from traces.insights.insight import Confidence, Detector, Kind, Severity, State, Verdict, not_applicable, passed
from traces.insights.requests import CALL, NUMBERS, QUERY
from traces.insights.subject import Subject
from traces.insights.thresholds import threshold
from traces.lazy_regex import lazy_regex
from traces.model import Int64
from traces.values import Counts, Unit, Waits

ASKING = lazy_regex(
    r"(?:^|[\s.:>#'_(])(?:execute(?:_sql|_query|Query|Update)?|fetch(?:one|all|many|_one|_all|_row|_rows|Row|All)|"
    r"query(?:_one|_all|_row|Row|One|All)?|find_?[Oo]ne|find_?[Bb]y_?[Ii]d|(?:mysqli|pg|odbc|sqlite)_(?:query|exec)|"
    r"exec_query|select_all|select_one|sqlite3_(?:prepare\w*|exec)|PQexec\w*|mysql_(?:real_)?query|run_?[Qq]uery|"
    r"run_sql|do_query|hgetall|urlopen|(?:http_?)?[Rr]ound_?[Tt]rip|send_?[Rr]equest|getresponse|curl_exec|"
    r"requests?\.(?:get|post|request)|httpGet|http_get|http\.(?:get|request)|fetch)(?![A-Za-z0-9])"
)
"""Functions that ask a database or a server, as the drivers of Python, JavaScript, Go, Java, PHP, Ruby and C name
them."""
TEXT = lazy_regex(r"^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|GET|POST|PUT|PATCH|HEAD)\s")
"""Names that are the text of a query or request: those that differ in values only are one."""
BATCH = lazy_regex(r"many|batch|bulk", re.IGNORECASE)
ONCE = lazy_regex(
    r"(?:^|[.:>#\s])(?:_?(?:re)?load(?:s|ed)?_?(?!er|ing)\w*|[Ll]oad[A-Z]\w*|_?(?:read|get|open|fetch|parse|decode)_?"
    r"(?:the_)?(?:[Cc]onfig\w*|[Ss]ettings|[Rr]ules|[Ss]chema|[Tt]emplates?|[Rr]ates|[Tt]ables?|[Cc]atalogu?e?|"
    r"[Dd]ictionary|[Mm]anifest|[Ll]ocale)|_?(?:re)?compile_?\w*|MustCompile|[Cc]ompile[A-Z]\w*|"
    r"_?(?:build|make|create|init|prepare|compute|construct|new)_?(?:the_)?(?:[A-Za-z]+_?)?"
    r"(?:[Ii]ndex|[Tt]able|[Ll]ookup|[Mm]ap|[Ss]chema|[Tt]emplate|[Pp]arser|[Ee]ngine|[Cc]lient|[Ss]ession|[Pp]ool|"
    r"[Cc]onnection|[Mm]atrix|[Rr]egex|[Pp]attern|[Cc]ontext)|connect|create_default_context)$"
)
"""Functions whose result can mostly be kept: they load, compile or build what does not depend on the one asking."""
SETTLED = lazy_regex(
    r"(?:load|read|get|open|fetch|parse)_?(?:the_|all_?)?(?:[cC]onfig\w*|[sS]ettings|[rR]ules|[sS]chema|[tT]emplates?|[rR]ates|"
    r"[tT]ables?|[cC]atalogu?e?|[dD]ictionary|[mM]anifest|[lL]ocale|[pP]ermissions|[fF]lags|[cC]ountries|[cC]urrencies)$"
)
"""Functions whose result does not depend on the row that is asked for, by their names."""
COMPILING = lazy_regex(
    r"(?:^|[.:#/])(?:(?:re)?compile_?(?:[rR]ules?|[pP]atterns?|[tT]emplates?|[rR]egex\w*|[eE]xpr\w*|[qQ]uery|[fF]ilters?|"
    r"[gG]lobs?)|regexp\.(?:Must)?Compile\w*|template\.\(\*Template\)\.Parse|parse_?[tT]emplate\w*|regcomp|"
    r"regex[.:]Pattern[.:]compile|re\.compile|sre_compile\.compile|Template[.:](?:compile|from_string))(?:\s\(.*)?$"
)
"""Functions that make out of a text what can be kept, also where samples do not count how often."""
ENTRY = lazy_regex(r"^(?:main[.:])?(?:main|Main|<module>|run|init|__init__|start_?[uU]p|set_?up)(?:\s\(.*)?$")
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
        found = [self._one(rows[self._shape(rows) == shape], own=own) for shape in distinct(self._shape(rows)).tolist()]
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
        through, by_way = self._through(rows, under) if not own else (target, calls[under])
        return Repeated(target, through, under, by_way, runs[under], value)

    def _through(self, rows: Int64, under: int) -> tuple[int, int]:
        """The own function nearest to the calls that is no general helper for asking, and the calls by way of it."""
        calls: dict[int, int] = {}
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
            calls[chosen] = calls.get(chosen, 0) + int(self.count[row])
        most = max(weight, key=lambda frame: weight[frame])
        return most, calls[most]


def _verdict(subject: Subject, found: Repeated, what: str, advice: str, confidence: Confidence) -> Verdict:
    share = found.value / subject.total
    name = subject.trace.frame_name
    frames = list(dict.fromkeys((found.through, found.under, found.target)))
    place = {frame: f"{{{index}}}" for index, frame in enumerate(frames)}
    times = f"{found.calls:,} calls in {found.runs:,} run{'s' if found.runs != 1 else ''} of {place[found.under]}"
    if found.through not in (found.under, found.target):
        spent = float(subject.frames.total_value[found.through])
        cost = f"{subject.amount(spent)} ({format_share(spent / subject.total)})"
        times = f"{place[found.through]} makes {times} and takes {cost}"
    return Verdict(
        State.FAIL,
        f"{what}: {times}; {place[found.target]} takes {subject.amount(found.value)} "
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
    asked = counted.repeated(asking, own=False)
    found = _worth(subject, [one for one in asked if not SETTLED.search(subject.trace.frame_name(one.through))])
    if found is None:
        return passed("no query or request is repeated often and long below one function")
    advice = "Ask for all rows at once, before the loop: a join, IN (...), a batch or an eager load."
    return _verdict(subject, found, "One query per row", advice, Confidence.MEDIUM)


def _compiled_again(subject: Subject) -> Verdict:
    """Samples do not count calls, but what makes ready what can be kept, among the work of one and the same function,
    is done at each of its calls."""
    if subject.unit is Unit.BYTES or subject.profile.waits is Waits.WAITING:
        return not_applicable(NO_COUNTS)
    own, tree = subject.own, subject.heavy
    rows = own.entering(own.named(COMPILING))
    value = float(tree.total[rows].sum())
    if value < threshold("repeated-work.sampled") * subject.total:
        return not_applicable(NO_COUNTS)
    heaviest = int(rows[np.argmax(tree.total[rows])])
    under = _with_other_work(subject, heaviest, value)
    if under is None:
        return passed("what compiles or loads is no part of a function with other work")
    target = int(tree.frame[rows[np.argmax(tree.total[rows])]])
    through = own.weightiest(rows, tree.total[rows]) or target
    shown = list(dict.fromkeys((through, under, target)))
    place = {frame: f"{{{index}}}" for index, frame in enumerate(shown)}
    share = value / subject.total
    return Verdict(
        State.FAIL,
        f"The same work is repeated: {place[through]} takes {subject.amount(value)} ({format_share(share)}), beside "
        f"the other work of {place[under]}, which calls for it again and again.",
        Severity.HIGH if share >= threshold("hot-function.high") else Severity.MEDIUM,
        tuple(subject.evidence(frame, subject.frames.total_value) for frame in shown),
        profile=subject.profile.handle,
        share=min(share, 1.0),
        advice="Do it once, before the loop, and keep the result, or cache it.",
        confidence=Confidence.MEDIUM,
    )


def _with_other_work(subject: Subject, row: int, value: float) -> int | None:
    """The own function nearest above a row that does other work, too, and is not how the program begins."""
    for above in reversed(subject.own.path(row)[:-1]):
        frame = int(subject.heavy.frame[above])
        name = subject.trace.frame_name(frame)
        other = float(subject.frames.total_value[frame]) - value
        begins = ENTRY.match(name) is not None
        if subject.own.frames[frame] and not begins and other >= threshold("repeated-work.other") * subject.total:
            return frame
    return None


def _repeated_work(subject: Subject) -> Verdict:
    if subject.profile.counts is not Counts.CALLS:
        return _compiled_again(subject)
    counted = _Counted(subject)
    frames = subject.own.named(ONCE)
    # One that asks a database for what is named after no setting asks for a row: that is a query per row.
    asking = subject.own.above(subject.own.named(ASKING)[subject.heavy.frame])
    asks = {
        int(subject.heavy.frame[row]) for end in distinct(asking[asking >= 0]) for row in subject.own.path(int(end))
    }
    found = _worth(
        subject,
        [
            one
            for one in counted.repeated(frames, own=True)
            if one.target not in asks or SETTLED.search(subject.trace.frame_name(one.target))
        ],
    )
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
             "one function, by exact counts of calls", _repeated_work,
             (*COUNTED, "repeated-work.sampled", "repeated-work.other"),
             ("How often is it called?", "What calls it?"), Confidence.MEDIUM, "repeated_work"),
)  # fmt: skip
