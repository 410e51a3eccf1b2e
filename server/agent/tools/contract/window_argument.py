"""Windows by name: what a tool's `window` stands for, in the numbers that its question takes."""

import difflib
from collections.abc import Iterable
from typing import Any, TypeVar

from server.agent.tools.contract.arguments import Windowed
from server.agent.tools.contract.named_windows import NamedWindow, named_windows
from server.agent.tools.contract.resolving import NEAREST, chosen_profile, chosen_selection
from server.agent.tools.contract.tool_errors import ToolRetry
from server.quoting import quoted
from traces.insights.registry import insights, ranked
from traces.model import Trace

NS_PER_MS = 1_000_000
W = TypeVar("W", bound=Windowed)


def known_windows(facts: dict[str, Any]) -> tuple[NamedWindow, ...]:
    """The windows among the facts of the trace that a turn's model was given."""
    return tuple(NamedWindow(**window) for window in facts.get("windows", ()))


def by_numbers(trace: Trace, arguments: W, known: tuple[NamedWindow, ...]) -> tuple[W, str]:
    """The arguments with the named window's times, and a line that says which: one of `known`, or where any finding
    lies. The window's own profile is meant where none is named. Raises ToolRetry naming the nearest.
    """
    assert arguments.window is not None
    if arguments.start_time_ms is not None or arguments.end_time_ms is not None:
        raise ToolRetry("window and start_time_ms, end_time_ms say the same: give either")
    folded = _plain(arguments.window)
    window = _named(folded, known) or _named(folded, every := named_windows(trace, ranked(insights(trace))))
    if window is None:
        raise ToolRetry(_unknown(arguments.window, {one.name: one for one in (*known, *every)}))
    profile = arguments.profile or window.profile
    # Every profile counts from its own start.
    own, asked = chosen_profile(trace, window.profile), chosen_selection(trace, profile)
    shift = (own.axis_start - asked.axis_start) / NS_PER_MS
    times = {"start_time_ms": max(window.start_ms + shift, 0.0), "end_time_ms": window.end_ms + shift}
    if times["end_time_ms"] <= 0:
        raise ToolRetry(f"{asked.handle} begins after {window.name}: leave the profile out to ask about {own.handle}")
    found = NamedWindow(window.name, times["start_time_ms"], times["end_time_ms"], asked.handle)
    return arguments.model_copy(update={**times, "window": None, "profile": profile}), found.line()


def _plain(name: str) -> str:
    return " ".join(name.casefold().split()).strip("\"'`“”")


def _named(folded: str, windows: Iterable[NamedWindow]) -> NamedWindow | None:
    return next((window for window in windows if window.name.casefold() == folded), None)


def _unknown(named: str, windows: dict[str, NamedWindow]) -> str:
    if not windows:
        return f"no window {quoted(named, 60)}: no stretch of this trace has a name; use start_time_ms and end_time_ms"
    near = difflib.get_close_matches(_plain(named), windows, n=NEAREST, cutoff=0.3)
    listed = list(dict.fromkeys([*near, *windows]))[:NEAREST]
    more = len(windows) - len(listed)
    return (
        f"no window {quoted(named, 60)}; there are {', '.join(listed)}"
        + (f" and {more} more" if more > 0 else "")
        + ", or use start_time_ms and end_time_ms"
    )
