"""read_view: what is on the person's screen, as their page says it; and the same words for where a navigation ended."""

from typing import Any

from server.agent.tools.contract.resolving import chosen_profile
from server.agent.tools.contract.tool import Outcome, Tool
from server.agent.tools.contract.tool_context import Asking
from server.agent.tools.contract.tool_errors import ToolFailed
from server.agent.tools.get_trace_summary import NoArguments
from server.protocol.mounted import ShownBox, ShownView
from server.quoting import place, quoted
from traces.analysis.units import format_share, format_value
from traces.errors import TraceError
from traces.handles import place_behind, resolve
from traces.model import Profile, Trace
from traces.values import Unit

VIEW_FIELDS = frozenset(
    {"profile", "view", "unit", "start", "end", "depth", "selection", "search", "filters", "boxes"}
) | {"handle", "name", "row", "value", "share"}


async def ask_view(asking: Asking, arguments: NoArguments) -> Outcome:
    if asking.view is None:
        raise ToolFailed("the page does not say what it shows", "unavailable")
    return await asking.workers.ask(asking.trace, described_view, asking.view)


def described_view(trace: Trace, view: ShownView) -> Outcome:
    """The view in words, the trace's names for its handles. Raises ToolRetry for a profile that is not there."""
    profile = chosen_profile(trace, view.profile)
    is_time = view.view == "time_order"
    unit = profile.axis if is_time else profile.unit
    first = profile.axis_start if is_time else 0.0
    start, end = (float(at) - first for at in (view.window.start, view.window.end))
    length = max(end - start, 0.0)
    rows = [row for box in view.boxes if (row := _box(trace, box, first, (start, end)))]
    selected = "" if view.selection is None else f", selected {_named(trace, view.selection)}"
    searched = f", searched for {quoted(view.search, 80)}" if view.search else ""
    filters = f", filtered by {', '.join(quoted(one, 60) for one in view.filters)}" if view.filters else ""
    where = f"{view.view} of {profile.handle} {quoted(profile.name, 60)}, {_range(profile, view, start, end)}"
    lines = [f"on screen: {where}, {view.depth} rows deep{selected}{searched}{filters}"]
    if rows:
        lines.append("widest boxes there:")
    for row in rows:
        where = f"{row['handle']} {quoted(row['name'], 80)}{row.pop('place')}"
        share = f", {format_share(row['share'])} of what is shown" if length else ""
        lines.append(f"{where} row {row['row']}: {format_value(row['value'], unit)}{share}")
    return Outcome(
        text="\n".join(lines),
        data={
            "profile": profile.handle,
            "view": view.view,
            "unit": unit.value,
            "start": start,
            "end": end,
            "depth": view.depth,
            "selection": view.selection,
            "search": view.search,
            "filters": list(view.filters),
            "boxes": rows,
        },
        warning=not rows,
    )


def _range(profile: Profile, view: ShownView, start: float, end: float) -> str:
    if view.view != "time_order" or profile.axis is not Unit.NANOSECONDS:
        return f"{format_value(end - start, profile.unit)} wide"
    return f"start_time_ms={start / 1e6:.6g} end_time_ms={end / 1e6:.6g}"


def _box(trace: Trace, box: ShownBox, first: float, shown: tuple[float, float]) -> dict[str, Any] | None:
    """None for a function that the trace does not have. The width is what of it lies within the window."""
    try:
        name, file, line = place_behind(trace, resolve(trace, box.frame, "frame"))
    except TraceError:
        return None
    start, end = shown
    width = max(min(box.end - first, end) - max(box.start - first, start), 0.0)
    return {
        "handle": box.frame,
        "name": name,
        "place": place(file, line),
        "row": box.row,
        "value": width,
        "share": width / (end - start) if end > start else 0.0,
    }


def _named(trace: Trace, text: str) -> str:
    try:
        return f"{text} {quoted(place_behind(trace, resolve(trace, text))[0], 80)}"
    except TraceError:
        return f"{quoted(text, 20)} (not in this trace)"


READ_VIEW = Tool(
    name="read_view",
    description="For what the person looks at: the profile, window, depth, widest boxes, selection and search on "
    "their screen.",
    arguments=NoArguments,
    ask=ask_view,
    doing=lambda _: "Reading the viewer",
    fields=VIEW_FIELDS,
    narrow="ask about one box",
    needs=frozenset({"view"}),
)
