"""Time ranges of a trace that have a name: what people mean by "the long task" or "load", with the numbers that tools
ask for.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from server.protocol.wire_values import ViewerState
from server.quoting import quoted
from traces.analysis.hottest_windows import hottest_windows
from traces.analysis.longest import longest_spans
from traces.analysis.units import format_value
from traces.errors import TraceError
from traces.handles import place_behind, profile_at, profile_index, resolve
from traces.insights.insight import Insight
from traces.insights.thresholds import threshold
from traces.model import Profile, Trace
from traces.values import ProfileKind, Unit

MS = 1_000_000
TASKS = 3
BUSIER = 1.5
"""A window stands out from this many times the average."""
LOADED = ("loadEventEnd", "loadEventStart", "MarkLoad")
STARTED = ("navigationStart", "FrameStartedLoading", "CommitLoad")


@dataclass(frozen=True, slots=True)
class NamedWindow:
    """From the profile's start, in milliseconds."""

    name: str
    start_ms: float
    end_ms: float
    profile: str

    def line(self) -> str:
        """As tools take it."""
        return f"{self.name}: start_time_ms={self.start_ms:.6g} end_time_ms={self.end_ms:.6g} profile={self.profile}"


def named_windows(trace: Trace, found: tuple[Insight, ...] = ()) -> tuple[NamedWindow, ...]:
    """The page's load, the longest tasks, the busiest window, and where findings lie, each range once; empty for a
    trace whose main profile has no times.
    """
    main = profile_at(trace, None)
    if not main.has_times or main.axis_end <= main.axis_start:
        return ()
    windows: dict[tuple[float, float, str], NamedWindow] = {}
    for window in (*_load(trace, main), *_tasks(trace, main), *_findings(trace, found), *_busiest(trace, main)):
        windows.setdefault((round(window.start_ms), round(window.end_ms), window.profile), window)
    names: dict[str, int] = {}
    for at, window in windows.items():
        names[window.name] = names.get(window.name, 0) + 1
        if names[window.name] > 1:  # two moments that read alike
            windows[at] = replace(window, name=f"{window.name} ({names[window.name]})")
    return tuple(windows.values())


def _window(profile: Profile, name: str, start: float, end: float) -> NamedWindow:
    return NamedWindow(
        name, float(start - profile.axis_start) / MS, float(end - profile.axis_start) / MS, profile.handle
    )


def _load(trace: Trace, main: Profile) -> Iterator[NamedWindow]:
    instants = trace.instants
    known = {trace.strings[int(i)]: int(i) for i in np.unique(instants.name)} if len(instants.time) else {}

    def moments(names: tuple[str, ...]) -> list[int]:
        first_known = [known[name] for name in names if name in known][:1]
        return [int(time) for time in np.sort(instants.time[np.isin(instants.name, first_known)])]

    ends = [time for time in moments(LOADED) if main.axis_start < time <= main.axis_end]
    if ends:
        begins = [time for time in moments(STARTED) if time < ends[-1]]
        yield _window(main, "load", max(begins[-1] if begins else 0, main.axis_start), ends[-1])


def _tasks(trace: Trace, main: Profile) -> Iterator[NamedWindow]:
    if main.kind is not ProfileKind.EVENTED:
        return
    length = threshold("long-tasks.length")
    for row in longest_spans(trace, profile=main.index, limit=TASKS, outermost=True).rows:
        if length <= row.duration < 0.8 * (main.axis_end - main.axis_start):
            at = format_value(row.start - main.axis_start, Unit.NANOSECONDS)
            yield _window(main, f"the long task at {at}", row.start, row.end)


def _findings(trace: Trace, found: tuple[Insight, ...]) -> Iterator[NamedWindow]:
    for one in found:
        profile = trace.profiles[trace.default_profile if one.profile is None else profile_index(trace, one.profile)]
        if one.window is not None and profile.has_times:
            yield _window(profile, one.id, one.window.start, one.window.end)


def _busiest(trace: Trace, main: Profile) -> Iterator[NamedWindow]:
    found = hottest_windows(trace, limit=1)
    for row in found.rows:
        if row.value > BUSIER * found.average:
            yield _window(main, "the busiest stretch", row.start, min(row.end, main.axis_end))


def looked_at(trace: Trace, viewer: ViewerState) -> str:
    """What the person is looking at, in one line; handles with their names, the window as tools take it."""
    parts = [f"the {viewer.view} view" if viewer.view else ""]
    if viewer.profile:
        parts.append(f"profile {_known(trace, viewer.profile)}")
    if viewer.selection:
        parts.append(f"selected {_known(trace, viewer.selection)}")
    if viewer.window:
        parts.append(_zoomed(trace, viewer))
    return ", ".join(part for part in parts if part) or "nothing in particular"


def seen_window(trace: Trace, viewer: ViewerState) -> NamedWindow | None:
    """The time range that the person has zoomed to; None without one, or where the profile has no times."""
    if viewer.window is None:
        return None
    try:
        profile = profile_at(trace, profile_index(trace, viewer.profile) if viewer.profile else None)
    except TraceError:
        return None
    start, end = max(viewer.window.start, profile.axis_start), min(viewer.window.end, profile.axis_end)
    if not profile.has_times or start >= end:
        return None
    return _window(profile, "what is in view", start, end)


def _zoomed(trace: Trace, viewer: ViewerState) -> str:
    seen = seen_window(trace, viewer)
    return "a window outside this profile's time" if seen is None else f"zoomed to {seen.line()}"


def _known(trace: Trace, text: str) -> str:
    """A handle with its name; what is none, quoted."""
    try:
        handle = resolve(trace, text)
    except TraceError:
        return f"{quoted(text, 40)} (not in this trace)"
    return f"{handle} {quoted(place_behind(trace, handle)[0], 80)}"
