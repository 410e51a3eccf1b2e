"""Where in the chart a figure of a tool result is of, so that a click on it arrives.

A figure of a finding is at what the finding names, in the window that it is about; one of a row at the thing that the
row names; one of a result as a whole at the first thing in it.
"""

import re
from typing import Any

from server.agent.verification.references.addressed_values import Place
from traces.handles import profile_index
from traces.model import Trace

_THING = re.compile(r"[fnsp][0-9]{1,10}")
HANDLES = ("handle", "frame_handle", "node", "span")


def place_in(trace: Trace, data: dict[str, Any], part: Any, about: str | None) -> Place | None:
    """`data` is all that the result has, `part` the row or finding that the figure stands in, `about` the thing that
    the row names. None where nothing of the chart is named. Raises TraceError for a profile that does not exist."""
    handle = about or _named(part) or _named(data)
    profile = _profile(part) or _profile(data)
    handle = handle or profile
    if handle is None:
        return None
    window = None if profile is None else _window(part, trace.profiles[profile_index(trace, profile)].axis_start)
    return Place(handle, profile if window or handle != profile else None, window)


def _named(part: Any) -> str | None:
    """The first thing that a finding, a row or a result names."""
    if isinstance(part, list):  # of a query: its column of handles
        handles = (one["name"] for one in part if str(one.get("column", "")).endswith("handle") and "name" in one)
        return next((handle for handle in handles if _is_thing(handle)), None)
    if not isinstance(part, dict):
        return None
    own = next((str(part[key]) for key in HANDLES if _is_thing(part.get(key))), None)
    listed: list[Any] = next((part[key] for key in ("evidence", "rows") if isinstance(part.get(key), list)), [])
    return own or next((found for one in listed if (found := _named(one))), None)


def _profile(part: Any) -> str | None:
    profile = part.get("profile") if isinstance(part, dict) else None
    return str(profile) if _is_thing(profile) and str(profile).startswith("p") else None


def _window(part: Any, axis_start: float) -> tuple[float, float] | None:
    """The window of a finding, which counts from its profile's start, on the axis."""
    window = part.get("window") if isinstance(part, dict) else None
    if not isinstance(window, dict) or not all(isinstance(window.get(edge), int | float) for edge in ("start", "end")):
        return None
    return axis_start + float(window["start"]), axis_start + float(window["end"])


def _is_thing(value: Any) -> bool:
    return isinstance(value, str) and _THING.fullmatch(value) is not None
