"""Single calls in time: one call far longer than the others of its function, and calls that grow with their number."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.analysis.units import format_share, format_value
from traces.analysis.window import Window
from traces.equal_rows import distinct
from traces.insights.insight import Confidence, Detector, Kind, Severity, State, Verdict, not_applicable, passed
from traces.insights.subject import Subject, durations
from traces.insights.thresholds import threshold
from traces.kernels.columns import pick
from traces.lazy_regex import lazy_regex
from traces.model import Int64, Profile, Spans
from traces.values import ProfileKind

NO_SINGLE = "single calls were not recorded: samples and sums do not know them"
DISPATCHING = lazy_regex(
    r"RunTask|RunLoop|OnMessage\w*|Dispatch|HandlePostMessage|^FunctionCall$|_run_once|^Handle\._run$"
)
"""Frames of a scheduler: their calls have nothing in common but who makes them."""
MOST = 60
"""Functions looked at, the heaviest."""


@dataclass(frozen=True, slots=True)
class _Calls:
    """All calls of one of the program's own functions that lie in no other call of it, in order of time."""

    frame: int
    rows: Int64
    lasted: Int64


def _single_calls(subject: Subject, least: int, share: float) -> tuple[Profile, Spans, list[_Calls]] | None:
    """The calls of each own function called often enough and heavy enough, heaviest first; None without a timeline."""
    profile = subject.profile
    if profile.kind is not ProfileKind.EVENTED or not profile.axis.is_time or profile.spans is None:
        return None
    spans, tree = profile.spans, profile.tree
    total, count = subject.frames.total_value, subject.frames.count
    own = subject.own.frames
    own = own & ~subject.own.named(DISPATCHING)
    chosen = np.flatnonzero(own & (count >= least) & (total >= share * subject.total))
    chosen = chosen[np.argsort(-total[chosen], kind="stable")][:MOST]
    if not len(chosen):
        return profile, spans, []
    nodes = np.isin(tree.frame, chosen) & (tree.outermost == 1)
    of_all = spans.ended(np.flatnonzero(pick(nodes.view(np.uint8), spans.node) if nodes.any() else nodes[:0]))
    place = np.zeros(len(subject.trace.frames), np.uint8)  # MOST fit, and single bytes are sorted by counting
    place[chosen] = np.arange(len(chosen))
    place_of = pick(place, pick(tree.frame, spans.node[of_all]))
    by_place = of_all[np.argsort(place_of, kind="stable")]
    last = np.cumsum(np.bincount(place_of, minlength=len(chosen)))
    found = []
    for frame, of_frame in zip(chosen.tolist(), np.split(by_place, last[:-1]), strict=True):
        if len(of_frame) >= least:
            rows = of_frame[np.argsort(spans.start[of_frame], kind="stable")]
            found.append(_Calls(frame, rows, durations(profile, rows)))
    return profile, spans, found


def _outlier_call(subject: Subject) -> Verdict:
    least = int(threshold("outlier-call.calls"))
    calls = _single_calls(subject, least, threshold("outlier-call.share"))
    if calls is None:
        return not_applicable(NO_SINGLE)
    profile, spans, functions = calls
    for one in functions:
        usual = float(np.median(one.lasted))
        worst = int(np.argmax(one.lasted))
        longest = int(one.lasted[worst])
        if longest < threshold("outlier-call.share") * subject.total:
            continue
        # A pause of the system or of a collection is short, and makes no calls.
        more = len(_below(spans, int(one.rows[worst])))
        middle = len(_below(spans, int(_median(one))))
        works = more >= threshold("outlier-call.calls-below") * middle + threshold("outlier-call.calls-below")
        much = works or longest >= threshold("outlier-call.length")
        alike = np.count_nonzero(one.lasted >= longest / 3)
        if much and longest >= threshold("outlier-call.ratio") * usual and alike <= max(1, len(one.lasted) // 50):
            return _outlier(subject, profile, spans, one, worst, usual)
    return passed("no single call of a heavy function is many times as long as the others")


def _outlier(subject: Subject, profile: Profile, spans: Spans, calls: _Calls, worst: int, usual: float) -> Verdict:
    row, longest = int(calls.rows[worst]), int(calls.lasted[worst])
    start = float(spans.start[row])
    differs = _difference(subject, profile, spans, calls, row)
    evidence = [subject.evidence(calls.frame, subject.frames.total_value), subject.span_evidence(profile, row)]
    said = ""
    if differs is not None:
        frame, here, there = differs
        evidence.append(subject.evidence(frame, subject.frames.total_value))
        said = f" Most of the difference is {{2}}: {subject.amount(here)} in it, {subject.amount(there)} usually."
    times = f"{longest / usual:,.0f} times the median" if usual else "all others none"
    share = longest / subject.total
    return Verdict(
        State.FAIL,
        f"One of {len(calls.rows):,} calls of {{0}} lasts {subject.amount(longest)}, {times} "
        f"({subject.amount(usual)}): call {worst + 1:,}, from {format_value(start - profile.axis_start, profile.axis)} "
        f"on, {format_share(share)} of all.{said}",
        Severity.HIGH if share >= threshold("hot-function.medium") else Severity.MEDIUM,
        tuple(evidence),
        profile=profile.handle,
        window=Window(start, start + longest),
        share=min(share, 1.0),
        advice="Look at the input of that call: what differs from the others. Limit it, page it, or do it in chunks.",
    )


def _difference(
    subject: Subject, profile: Profile, spans: Spans, calls: _Calls, row: int
) -> tuple[int, float, float] | None:
    """The function below one call that has most by itself beyond what it has below the median call."""
    middle = _median(calls)
    frame_of, own = profile.tree.frame[spans.node], spans.self_value
    here, there = (_below(spans, one) for one in (row, middle))
    size = len(subject.trace.frames)
    long = np.bincount(frame_of[here], own[here], minlength=size)
    short = np.bincount(frame_of[there], own[there], minlength=size)
    frame = int(np.argmax(long - short))
    return (
        None
        if frame == calls.frame or long[frame] <= short[frame]
        else (frame, float(long[frame]), float(short[frame]))
    )


def _median(calls: _Calls) -> int:
    """The call of the middle length."""
    return int(calls.rows[np.argsort(calls.lasted, kind="stable")[len(calls.rows) // 2]])


def _below(spans: Spans, row: int) -> npt.NDArray[np.int64]:
    """A call and all calls in it: they follow it in preorder until one begins at its end or later."""
    depth = spans.depth
    after = np.flatnonzero(depth[row + 1 :] <= depth[row])
    end = row + 1 + int(after[0]) if len(after) else len(spans)
    return np.arange(row, end, dtype=np.int64)


def _growing_calls(subject: Subject) -> Verdict:
    least = int(threshold("growth.calls"))
    calls = _single_calls(subject, least, threshold("growth.share"))
    if calls is None:
        return not_applicable(NO_SINGLE)
    profile, _, functions = calls
    found = [(rise, one) for one in functions if (rise := _rise(one.lasted)) is not None]
    if not found:
        return passed("no heavy function's calls become longer from first to last")
    rise, one = found[-1]
    value = float(one.lasted.sum())
    share = value / subject.total
    first, _, last = np.array_split(one.lasted, 3)
    return Verdict(
        State.FAIL,
        f"Calls of {{0}} grow with their number: the first third of {len(one.rows):,} last "
        f"{subject.amount(float(first.mean()))} on average, the last third {subject.amount(float(last.mean()))}, "
        f"{rise:.1f} times; their sum ({subject.amount(value)}, {format_share(share)}) grows like the square.",
        Severity.HIGH if share >= threshold("hot-function.high") else Severity.MEDIUM,
        (subject.evidence(one.frame, subject.frames.total_value),),
        profile=profile.handle,
        share=min(share, 1.0),
        advice="Each call walks what the earlier ones left: look things up in a set, a map or an index, or keep a "
        "running result.",
        confidence=Confidence.MEDIUM,
    )


def _rise(lasted: Int64) -> float | None:
    """How many times longer the last third of calls is than the first, if lengths rise steadily with their number."""
    first, middle, last = (float(np.mean(part)) for part in np.array_split(lasted, 3))
    if first <= 0 or last < threshold("growth.ratio") * first or not first < middle < last:
        return None
    # Spearman's: the correlation of ranks, which a single long call does not make.
    order = np.argsort(np.argsort(lasted, kind="stable"), kind="stable")
    correlation = float(np.corrcoef(order, np.arange(len(lasted)))[0, 1])
    return last / first if correlation >= threshold("growth.correlation") else None


def _serial_waits(subject: Subject) -> Verdict:
    """Calls that wait, one after the other below one call."""
    calls = _single_calls(subject, int(threshold("serial-waits.calls")), threshold("serial-waits.share"))
    if calls is None:
        return not_applicable(NO_SINGLE)
    profile, spans, functions = calls
    named = (one for one in functions if WAITING.search(subject.trace.frame_name(one.frame)))
    rows_of = [(one, _in_a_row(profile, spans, one)) for one in named]
    found = [(sum(_saving(profile, rows) for rows in rows), one, rows) for one, rows in rows_of if rows]
    if not found:
        return passed("no calls that wait follow each other below one call")
    saving, one, every = max(found, key=lambda entry: entry[0])
    share = saving / subject.total
    if share < threshold("serial-waits.share"):
        return passed("overlapping calls that wait would save little", share=share)
    rows = max(every, key=lambda rows: _saving(profile, rows))
    total, count = sum(float(durations(profile, rows).sum()) for rows in every), sum(len(rows) for rows in every)
    each = subject.amount(float(np.median(durations(profile, rows))))
    return Verdict(
        State.FAIL,
        f"{len(rows):,} calls of {{0}} wait one after the other, {each} each; all {count:,} take "
        f"{subject.amount(total)}. Together, at the same time, they would save {subject.amount(saving)} "
        f"({format_share(share)}).",
        Severity.HIGH if share >= threshold("hot-function.high") else Severity.MEDIUM,
        (subject.evidence(one.frame, subject.frames.total_value), subject.span_evidence(profile, int(rows[0]))),
        profile=profile.handle,
        window=Window(float(spans.start[rows[0]]), float(spans.end[rows[-1]])),
        share=share,
        advice="If none needs another's answer, start them together (gather, a pool, Promise.all) and await them all.",
        confidence=Confidence.MEDIUM,
    )


def _in_a_row(profile: Profile, spans: Spans, calls: _Calls) -> list[Int64]:
    """The calls below each one call, where they are several, long, alike, and follow each other."""
    found = []
    below = spans.parent[calls.rows]
    for parent in distinct(below).tolist():
        rows = calls.rows[below == parent]
        lasted = durations(profile, rows)
        if len(rows) < threshold("serial-waits.calls") or np.median(lasted) < threshold("serial-waits.length"):
            continue
        gaps = spans.start[rows][1:] - spans.end[rows][:-1]
        if _alike(profile, rows) and gaps.sum() < lasted.sum() / 4:
            found.append(rows)
    return found


def _saving(profile: Profile, rows: Int64) -> float:
    """What some calls would save at the same time: all but the longest."""
    lasted = durations(profile, rows)
    return float(lasted.sum() - lasted.max())


def _alike(profile: Profile, rows: Int64) -> bool:
    """Whether some calls take about as long as each other, as waits for one sort of answer do."""
    lasted = durations(profile, rows)
    return bool(lasted.std() <= lasted.mean())


WAITING = lazy_regex(
    r"(?:^|[._])(?:fetch|ask|request|download|call|await|poll|recv|receive|ping|wait|sleep|get|query|send)(?:_\w+|[A-Z]\w*)?$"
)
"""Functions that wait for somebody's answer, by their names."""


DETECTORS = (
    Detector("serial-waits", Kind.WAITING, "Serial waits", "calls that wait one after the other below one call",
             _serial_waits, ("serial-waits.calls", "serial-waits.length", "serial-waits.share", "hot-function.high"),
             ("What could run at the same time?",), Confidence.MEDIUM, "serial_waits"),
    Detector("outlier-call", Kind.CODE, "Outlier call", "one call many times as long as the median of its function's",
             _outlier_call, ("outlier-call.calls", "outlier-call.ratio", "outlier-call.share", "outlier-call.length",
              "outlier-call.calls-below", "hot-function.medium"), ("What differs in the longest call?",),
             cause="outlier_call"),
    Detector("growing-calls", Kind.CODE, "Growth with size", "calls of one function that become longer one by one",
             _growing_calls, ("growth.calls", "growth.ratio", "growth.correlation", "growth.share",
              "hot-function.high"), ("Does it grow with the input?",), Confidence.MEDIUM, "superlinear_growth"),
)  # fmt: skip
