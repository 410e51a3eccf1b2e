"""What people see of a page in Chrome: paints, interactions, shifts; and whose scripts run."""

from urllib.parse import urlsplit

import numpy as np

from traces.analysis.units import format_share, format_value
from traces.analysis.window import Window
from traces.equal_rows import distinct
from traces.insights.insight import (
    Confidence,
    Detector,
    Evidence,
    Kind,
    Severity,
    State,
    Verdict,
    not_applicable,
    passed,
)
from traces.insights.page import LOADING, NAVIGATION, NO_PAGE, page_thread
from traces.insights.subject import Subject
from traces.insights.thresholds import threshold
from traces.model import NONE, Int64

OF_UNKNOWN = " (unknown frame)"
"""What marks have behind their name where the file does not show whose they are (traces/formats/trace_event)."""
BROWSER_SCHEMES = frozenset({"http", "https"})


LARGEST_PAINT = ("largestContentfulPaint::Candidate",)
FIRST_PAINT = ("firstContentfulPaint",)


def painted(subject: Subject, names: tuple[str, ...]) -> tuple[int, int] | None:
    """The navigation before the last of these paints, and that paint; None where one of them is not there."""
    paints, started = subject.marks(*names), subject.marks(*NAVIGATION)
    before = started[started <= paints[-1]] if len(paints) else started[:0]
    return (int(before[-1]), int(paints[-1])) if len(before) else None


def slowest_interaction(subject: Subject) -> tuple[int, int] | None:
    """Begin and end of the slowest interaction; None where none was timed."""
    rows = _interactions(subject)
    if not len(rows):
        return None
    spans = subject.trace.async_spans
    worst = int(rows[np.argmax(spans.end[rows] - spans.start[rows])])
    return int(spans.start[worst]), int(spans.end[worst])


def _interactions(subject: Subject) -> Int64:
    spans, strings = subject.trace.async_spans, subject.trace.strings
    timing = next((name for name in distinct(spans.name).tolist() if strings[name] == "EventTiming"), NONE)
    return np.flatnonzero(spans.name == timing)


def _paint(subject: Subject, names: tuple[str, ...], key: str, what: str) -> Verdict:
    """A verdict on when a paint came after the navigation before it; the last candidate counts."""
    paints, started = subject.marks(*names), subject.marks(*NAVIGATION)
    if not subject.is_page:
        return not_applicable(NO_PAGE)
    if not (len(paints) and len(started)) and len(subject.marks(*(f"{name}{OF_UNKNOWN}" for name in names))):
        return not_applicable(f"which frame was painted cannot be told, so {what.lower()} of the page is not known")
    if not len(paints) or not len(started):
        return not_applicable(f"{what} and the navigation before it are not in the trace's columns")
    paint = painted(subject, names)
    if paint is None:
        return not_applicable("the navigation is not in the recording")
    began, last = paint
    took = last - began
    profile = page_thread(subject)
    assert profile is not None
    said = format_value(took, profile.axis)
    if took <= threshold(f"{key}.medium"):
        return passed(f"{what} came after {said}")
    return Verdict(
        State.FAIL,
        f"{what} came {said} after the navigation, on {{0}}.",
        Severity.HIGH if took > threshold(f"{key}.high") else Severity.MEDIUM,
        (Evidence(profile.handle, profile.name, said),),
        window=Window(float(began), float(last)),
        advice="See what runs and what is waited for before it: the server, blocking scripts and styles, images.",
    )


def _largest_paint(subject: Subject) -> Verdict:
    return _paint(subject, LARGEST_PAINT, "lcp", "The largest contentful paint")


def _first_paint(subject: Subject) -> Verdict:
    return _paint(subject, FIRST_PAINT, "fcp", "The first contentful paint")


def _interaction(subject: Subject) -> Verdict:
    spans = subject.trace.async_spans
    rows = _interactions(subject)
    if not len(rows):
        return not_applicable("timings of interactions are not in the trace's columns")
    lasted = spans.end[rows] - spans.start[rows]
    worst = int(np.argmax(lasted))
    profile = page_thread(subject) or subject.profile
    said = format_value(int(lasted[worst]), profile.axis)
    if lasted[worst] <= threshold("inp.medium"):
        return passed(f"the slowest of {len(rows):,} interactions took {said}")
    row = int(rows[worst])
    return Verdict(
        State.FAIL,
        f"The slowest of {len(rows):,} interactions on {{0}} took {said} from input to the next paint.",
        Severity.HIGH if lasted[worst] > threshold("inp.high") else Severity.MEDIUM,
        (Evidence(profile.handle, profile.name, said),),
        window=Window(float(spans.start[row]), float(spans.end[row])),
        advice="Look at what runs in that window: input delay, handlers, then rendering.",
    )


def _layout_shifts(subject: Subject) -> Verdict:
    if not subject.is_page:
        return not_applicable(NO_PAGE)
    if not len(subject.trace.instants.time) and "LayoutShift" not in subject.named:
        return not_applicable("moments such as layout shifts are not in the trace's columns")
    times = subject.marks("LayoutShift")
    if len(times) < threshold("layout-shifts.count"):
        return passed("nothing moved by itself")
    profile = page_thread(subject)
    assert profile is not None
    at = format_value(int(times[0]) - profile.axis_start, profile.axis)
    return Verdict(
        State.FAIL,
        f"Content on {{0}} moved by itself {len(times):,} times, first at {at}; how far is not in the columns.",
        Severity.LOW,
        (Evidence(profile.handle, profile.name, f"{len(times):,} shifts"),),
        window=Window(float(times[0]), float(times[-1]) + 1),
        advice="Reserve space for images, ads and late content.",
        confidence=Confidence.MEDIUM,
    )


def _third_parties(subject: Subject) -> Verdict:
    by_host: dict[str, float] = {}
    own = subject.frames.self_value
    heaviest: dict[str, int] = {}
    for frame in np.flatnonzero(own > 0).tolist():
        host = web_host(subject.trace.frame_file(frame) or "")
        if host:
            by_host[host] = by_host.get(host, 0.0) + float(own[frame])
            if host not in heaviest or own[frame] > own[heaviest[host]]:
                heaviest[host] = frame
    if not by_host:
        return not_applicable("no function comes from a web address")
    ranked = sorted(by_host, key=lambda host: -by_host[host])
    foreign = ranked[1:]
    value = sum(by_host[host] for host in foreign)
    share = value / sum(by_host.values())
    if not foreign or share < threshold("third-parties.share"):
        return passed(f"{format_share(share)} of script time comes from other hosts than the busiest", share=share)
    rows = tuple(
        Evidence(
            f"f{heaviest[host]}",
            subject.trace.frame_name(heaviest[host]),
            subject.amount(by_host[host]),
            by_host[host] / subject.total,
        )
        for host in foreign[:5]
    )
    return Verdict(
        State.FAIL,
        f"{format_share(share)} of script time ({subject.amount(value)}) comes from {len(foreign):,} other hosts than "
        f"the busiest; the heaviest function of the first, with {rows[0].value}, is {{0}}.",
        Severity.MEDIUM,
        rows,
        profile=subject.profile.handle,
        share=value / subject.total,
        advice="Load them later or on demand, or do without.",
    )


def web_host(url: str) -> str:
    """The host of a web page's address, with its port; empty for any other."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return parts.netloc.rpartition("@")[2] if parts.scheme in BROWSER_SCHEMES else ""


DETECTORS = (
    Detector("largest-paint", Kind.PAGE, "Late largest paint (LCP)", "largest contentful paint after navigation",
             _largest_paint, ("lcp.medium", "lcp.high"), LOADING),
    Detector("first-paint", Kind.PAGE, "Late first paint (FCP)", "first contentful paint after navigation",
             _first_paint, ("fcp.medium", "fcp.high"), LOADING),
    Detector("slow-interaction", Kind.PAGE, "Slow interaction (INP)", "input to next paint", _interaction,
             ("inp.medium", "inp.high"), ("What runs during the slowest interaction?",)),
    Detector("layout-shifts", Kind.PAGE, "Layout shifts (CLS)", "content that moves by itself", _layout_shifts,
             ("layout-shifts.count",)),
    Detector("third-parties", Kind.PAGE, "Third parties", "script time by host", _third_parties,
             ("third-parties.share",), ("Which hosts' scripts take most?",), Confidence.MEDIUM),
)  # fmt: skip
