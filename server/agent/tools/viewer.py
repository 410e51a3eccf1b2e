"""show_in_viewer: moves the chart the person is looking at. Offered only while that chart is on his page."""

from typing import Annotated, Any, Literal

from pydantic import Field

from server.agent.quoting import quoted
from server.agent.tools.arguments import (
    EndArgument,
    ProfileArgument,
    StartArgument,
    chosen_frame,
    chosen_profile,
    chosen_window,
)
from server.agent.tools.tool import Outcome, Tool, ToolArguments, ToolRetry
from server.protocol.events import ViewerAction
from server.protocol.values import Window
from traces.errors import TraceError
from traces.handles import Kind, parse_handle
from traces.model import Trace


class ShowInViewer(ToolArguments):
    handle: Annotated[str | None, Field(description="select this: f12, n34, s56 or p0")] = None
    view: Literal["time_order", "left_heavy", "sandwich"] | None = None
    profile: ProfileArgument = None
    start_time_ms: StartArgument = None
    end_time_ms: EndArgument = None


def answer_show(trace: Trace, arguments: ShowInViewer) -> Outcome:
    profile = chosen_profile(trace, arguments.profile)
    window = chosen_window(profile, arguments.start_time_ms, arguments.end_time_ms)
    handle, name = _target(trace, arguments, profile)
    if handle is None and window is None and arguments.view is None and arguments.profile is None:
        raise ToolRetry("say what to show: a handle, a window, a view or a profile")
    shown: dict[str, Any] = {"action": "show", "handle": handle, "view": arguments.view, "profile": arguments.profile}
    parts = [f"{handle} {quoted(name, 80)}" if handle else "", f"the {arguments.view} view" if arguments.view else ""]
    if window is not None:
        parts.append(f"{arguments.start_time_ms or 0:g} ms to {(window.end - profile.axis_start) / 1e6:g} ms")
    return Outcome(
        text="the viewer now shows " + (", ".join(part for part in parts if part) or profile.handle),
        data=shown,
        ui=shown,
        action=ViewerAction(
            action="show",
            handle=handle,
            window=None if window is None else Window(start=float(window.start), end=float(window.end)),
            view=arguments.view,
            profile=profile.handle if arguments.profile or window else None,
        ),
    )


def _target(trace: Trace, arguments: ShowInViewer, profile: Any) -> tuple[str | None, str]:
    """The handle to select and the name of the thing; a function's name is taken for its frame."""
    if arguments.handle is None:
        return None, ""
    text = arguments.handle.strip().lstrip("#")
    try:
        kind: Kind | None = parse_handle(text).kind
    except TraceError:
        kind = None
    if kind == "profile":
        chosen = chosen_profile(trace, text)
        return chosen.handle, chosen.name
    frame, _ = chosen_frame(trace, text, profile)
    return (f"f{frame}" if kind in ("frame", None) else text), trace.frame_name(frame)


SHOW_IN_VIEWER = Tool(
    name="show_in_viewer",
    description="Move the person's own flame chart: select a thing by handle, zoom to a window, or change the view.",
    arguments=ShowInViewer,
    answer=answer_show,
    doing=lambda _: "Moving the viewer",
    fields=frozenset({"action", "handle", "view", "profile"}),
    narrow="name one handle",
    needs=frozenset({"viewer"}),
)
