"""Pages in Chrome: forced layout, rendering, event handlers, scripts, timers.

The events are those of Chrome's `devtools.timeline` category; names as Chrome writes them.
"""

import numpy as np

from traces.analysis.units import format_share, format_value
from traces.analysis.window import Window
from traces.equal_rows import distinct
from traces.insights.insight import (
    Detector,
    Kind,
    Severity,
    State,
    Verdict,
    not_applicable,
    passed,
)
from traces.insights.subject import Subject, durations, root_spans
from traces.insights.thresholds import threshold
from traces.insights.timeline import busiest_function
from traces.model import NONE, Int64, Profile

NAVIGATION = ("navigationStart",)
NO_PAGE = "it is no timeline of a page in Chrome"
SCRIPT = (
    "FunctionCall",
    "EvaluateScript",
    "v8.evaluateModule",
    "FireAnimationFrame",
    "TimerFire",
    "EventDispatch",
    "v8.run",
)
LAYOUT = ("Layout", "UpdateLayoutTree", "RecalculateStyles", "InvalidateLayout")
RENDERING = (*LAYOUT, "PrePaint", "Paint", "Layerize", "Commit", "CompositeLayers", "UpdateLayer", "HitTest")
STARTING = ("EvaluateScript", "v8.compile", "v8.compileModule", "v8.evaluateModule", "V8.CompileCode")
PARSING = ("ParseHTML", "ParseAuthorStyleSheet")
TIMERS = ("TimerFire", "FireIdleCallback")


def page_thread(subject: Subject) -> Profile | None:
    """The timeline of the page's thread: where its main frame navigated or painted, else the main profile's, else the
    one with most script."""
    if not subject.is_page:
        return None
    if (painted := _thread_of_marks(subject)) is not None:
        return painted
    if subject.timeline is not None:
        return subject.timeline
    frames = subject.frames_named(*SCRIPT)
    return max(subject.timelines, key=lambda p: len(subject.spans_of(p, frames)))


def _thread_of_marks(subject: Subject) -> Profile | None:
    """The timeline in which the last of these marks of the main frame lies, the paint before the navigation."""
    instants, strings = subject.trace.instants, subject.trace.strings
    known = {strings[at]: at for at in distinct(instants.name).tolist()}
    for mark in ("firstContentfulPaint", *NAVIGATION):
        rows = np.flatnonzero(instants.name == known.get(mark, NONE))
        profile = int(instants.profile[rows[-1]]) if len(rows) else NONE
        if found := [p for p in subject.timelines if p.index == profile]:
            return found[0]
    return None


def _outermost(subject: Subject, profile: Profile, frames: np.typing.NDArray[np.bool_]) -> Int64:
    """Calls of some frames that lie in no other of them."""
    assert profile.spans is not None
    rows = subject.spans_of(profile, frames)
    if not len(rows):
        return rows
    ends = np.maximum.accumulate(profile.spans.end[rows])
    outer: Int64 = rows[np.concatenate(([True], profile.spans.start[rows][1:] >= ends[:-1]))]
    return outer


def _within(subject: Subject, profile: Profile, rows: Int64, frames: np.typing.NDArray[np.bool_]) -> Int64:
    """Those of the rows that lie inside a call of some frames."""
    assert profile.spans is not None
    outer = _outermost(subject, profile, frames)
    if not len(outer) or not len(rows):
        return rows[:0]
    last = np.searchsorted(profile.spans.start[outer], profile.spans.start[rows], side="right") - 1
    inside = (last >= 0) & (profile.spans.end[outer[np.maximum(last, 0)]] >= profile.spans.end[rows])
    found: Int64 = rows[inside & (outer[np.maximum(last, 0)] != rows)]
    return found


def _per_task(subject: Subject, profile: Profile) -> tuple[Int64, Int64, Int64, Int64] | None:
    """Tasks, and for each the time in layout forced by script and how often; and the forced layouts themselves."""
    assert profile.spans is not None
    layouts = _outermost(subject, profile, subject.frames_named(*LAYOUT))
    forced = _within(subject, profile, layouts, subject.frames_named(*SCRIPT))
    if not len(forced):
        return None
    roots = root_spans(profile)
    task = np.searchsorted(profile.spans.start[roots], profile.spans.start[forced], side="right") - 1
    # Where styles and layout are events of their own, one forced layout is both.
    names = subject.frames_named("Layout")[profile.tree.frame[profile.spans.node[forced]]]
    counted = task[names] if names.any() else task
    spent = np.bincount(task, weights=durations(profile, forced), minlength=len(roots)).astype(np.int64)
    return roots, spent, np.bincount(counted, minlength=len(roots)), forced


def _layouts(subject: Subject, profile: Profile) -> int:
    """How many layouts were recorded, forced or not."""
    return len(subject.spans_of(profile, subject.frames_named("Layout")))


def _at(profile: Profile, row: int) -> Window:
    assert profile.spans is not None
    return Window(float(profile.spans.start[row]), float(max(profile.spans.end[row], profile.spans.start[row] + 1)))


def _forced_reflow(subject: Subject) -> Verdict:
    profile = page_thread(subject)
    if profile is None:
        return not_applicable(NO_PAGE)
    found = _per_task(subject, profile)
    if found is None or found[1].max() < threshold("forced-reflow.length"):
        return passed("scripts force little or no layout")
    roots, spent, count, forced = found
    worst = int(np.argmax(spent))
    first = subject.span_evidence(profile, int(roots[worst]))
    longest = int(forced[np.argmax(durations(profile, forced))])
    return Verdict(
        State.FAIL,
        f"Scripts force style and layout while they run: {format_value(int(spent[worst]), profile.axis)} in "
        f"{int(count[worst]):,} {'update' if count[worst] == 1 else 'updates'} within one task, {{0}}.",
        Severity.HIGH if spent[worst] >= 10 * threshold("forced-reflow.length") else Severity.MEDIUM,
        (first, subject.span_evidence(profile, longest)),
        profile=profile.handle,
        window=_at(profile, int(roots[worst])),
        advice="Read sizes and positions before changing anything, or after the next frame; do not alternate.",
    )


def _layout_thrashing(subject: Subject) -> Verdict:
    profile = page_thread(subject)
    if profile is None:
        return not_applicable(NO_PAGE)
    found = _per_task(subject, profile)
    if found is None or found[2].max() < threshold("layout-thrashing.count"):
        return passed("no task forces layout again and again")
    roots, spent, count, _ = found
    worst = int(np.argmax(count))
    script = busiest_function(subject, _at(profile, int(roots[worst])))
    part = min(float(spent.sum()) / max(float(durations(profile, roots).sum()), 1.0), 1.0)
    return Verdict(
        State.FAIL,
        f"Within one task, {{{len(script)}}}, scripts force layout {int(count[worst]):,} times "
        f"({format_value(int(spent[worst]), profile.axis)}; {_layouts(subject, profile):,} layouts in all): "
        "reading and changing alternate" + (", most in {0}." if script else "."),
        Severity.HIGH if part >= threshold("hot-function.high") else Severity.MEDIUM,
        (*script, subject.span_evidence(profile, int(roots[worst]))),
        profile=profile.handle,
        window=_at(profile, int(roots[worst])),
        share=part,
        advice="Batch: read everything first, then change everything.",
    )


def _longest(subject: Subject, names: tuple[str, ...], low: str, high: str | None, what: str, advice: str) -> Verdict:
    """A verdict on the longest single call of some names."""
    profile = page_thread(subject)
    if profile is None:
        return not_applicable(NO_PAGE)
    rows = subject.spans_of(profile, subject.frames_named(*names))
    if profile.spans is not None:  # An event inside an event of its kind is the same wait of the person.
        rows = rows[profile.tree.outermost[profile.spans.node[rows]] == 1]
    lasted = durations(profile, rows)
    if not len(rows) or lasted.max() < threshold(low):
        return passed(f"never did {what} take long")
    slow = rows[lasted >= threshold(low)]
    order = slow[np.argsort(-durations(profile, slow), kind="stable")][:3].tolist()
    first = subject.span_evidence(profile, order[0])
    window = _at(profile, order[0])
    limit = format_value(threshold(low), profile.axis)
    times = "Once" if len(slow) == 1 else f"{len(slow):,} times"
    return Verdict(
        State.FAIL,
        f"{times} {what} took {limit} or more; the longest, {{0}}, took {first.value} from "
        f"{format_value(window.start - profile.axis_start, profile.axis)} on.",
        Severity.HIGH if high is not None and lasted.max() >= threshold(high) else Severity.MEDIUM,
        tuple(subject.span_evidence(profile, row) for row in order),
        profile=profile.handle,
        window=window,
        advice=advice,
    )


def _large_layout(subject: Subject) -> Verdict:
    advice = "Fewer elements, simpler selectors, and containment (contain, content-visibility) make it smaller."
    return _longest(subject, LAYOUT, "large-layout.length", None, "a style or layout update", advice)


def _slow_handler(subject: Subject) -> Verdict:
    advice = "Do the least in the handler: show the answer first, do the rest later or in a worker."
    return _longest(subject, ("EventDispatch",), "slow-handler.medium", "slow-handler.high", "an event handler", advice)


def _parsing(subject: Subject) -> Verdict:
    advice = "Send less HTML and CSS at once, or let it stream."
    return _longest(subject, PARSING, "parsing.length", None, "parsing HTML or style sheets", advice)


def _sum(subject: Subject, names: tuple[str, ...]) -> tuple[Profile, int, Int64] | None:
    profile = page_thread(subject)
    if profile is None:
        return None
    rows = _outermost(subject, profile, subject.frames_named(*names))
    return profile, int(durations(profile, rows).sum()), rows


def _busy_share(subject: Subject, names: tuple[str, ...], key: str, what: str, advice: str) -> Verdict:
    """A verdict on a part of the time in which the page's thread is busy."""
    found = _sum(subject, names)
    if found is None:
        return not_applicable(NO_PAGE)
    profile, spent, rows = found
    share = spent / max(int(durations(profile, root_spans(profile)).sum()), 1)
    said = f"{format_value(spent, profile.axis)} ({format_share(share)})"
    if not len(rows) or share < threshold(key):
        return passed(f"{what} {said} of the busy time")
    longest = int(rows[np.argmax(durations(profile, rows))])
    return Verdict(
        State.FAIL,
        f"{what} {said} of the thread's busy time, in {len(rows):,} pieces; the longest is {{0}}.",
        Severity.MEDIUM,
        (subject.span_evidence(profile, longest),),
        profile=profile.handle,
        share=share,
        advice=advice,
    )


def _rendering(subject: Subject) -> Verdict:
    advice = "Change fewer elements, animate transform and opacity only, keep off-screen parts out of layout."
    return _busy_share(subject, RENDERING, "rendering.share", "Style, layout and paint take", advice)


def _timers(subject: Subject) -> Verdict:
    advice = "Fewer or slower timers; let events drive, and use requestAnimationFrame for what is seen."
    return _busy_share(subject, TIMERS, "timers.share", "Running timers takes", advice)


def _script_start(subject: Subject) -> Verdict:
    found = _sum(subject, STARTING)
    if found is None:
        return not_applicable(NO_PAGE)
    profile, spent, rows = found
    said = format_value(spent, profile.axis)
    if spent < threshold("script-start.length"):
        return passed(f"compiling and first running scripts takes {said}")
    longest = int(rows[np.argmax(durations(profile, rows))])
    return Verdict(
        State.FAIL,
        f"Compiling and first running scripts takes {said} in all; the longest is {{0}}.",
        Severity.MEDIUM if spent >= 5 * threshold("script-start.length") else Severity.LOW,
        (subject.span_evidence(profile, longest),),
        profile=profile.handle,
        window=_at(profile, longest),
        advice="Ship less script, split it, and load what the first view does not need later.",
    )


LAYOUTS = ("Which scripts force layout?",)
LOADING = ("What happens before the first paint?",)
DETECTORS = (
    Detector("forced-reflow", Kind.PAGE, "Forced reflow", "layout that scripts force while they run", _forced_reflow,
             ("forced-reflow.length",), LAYOUTS),
    Detector("layout-thrashing", Kind.PAGE, "Layout thrashing", "tasks that force layout again and again",
             _layout_thrashing, ("layout-thrashing.count", "hot-function.high"), LAYOUTS, cause="layout_thrashing"),
    Detector("large-layout", Kind.PAGE, "Large style or layout update", "single updates that take long",
             _large_layout, ("large-layout.length",), LAYOUTS),
    Detector("rendering", Kind.PAGE, "Much rendering", "the part of busy time in style, layout and paint", _rendering,
             ("rendering.share",), LAYOUTS),
    Detector("slow-handler", Kind.PAGE, "Slow event handler", "event handlers that people feel", _slow_handler,
             ("slow-handler.medium", "slow-handler.high"), ("Which handler is slow?",)),
    Detector("script-start", Kind.PAGE, "Starting scripts", "compiling and first running scripts", _script_start,
             ("script-start.length",), LOADING),
    Detector("parsing", Kind.PAGE, "Long parsing", "parsing HTML and style sheets at a stretch", _parsing,
             ("parsing.length",), LOADING),
    Detector("timers", Kind.PAGE, "Busy timers", "the part of busy time in timers", _timers, ("timers.share",)),
)  # fmt: skip
