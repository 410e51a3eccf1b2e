"""show_in_viewer and navigate: move the chart the person is looking at. Offered only while it is on their page."""

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from server.agent.tools.compare_traces import named_trace
from server.agent.tools.contract.arguments import ProfileArgument, Windowed
from server.agent.tools.contract.resolving import NS_PER_MS, chosen_frame, chosen_profile, chosen_window
from server.agent.tools.contract.tool import Outcome, PageReply, Tool
from server.agent.tools.contract.tool_context import Asking
from server.agent.tools.contract.tool_errors import ToolRetry
from server.agent.tools.viewer.read_view import VIEW_FIELDS, described_view
from server.protocol.events import ViewerAction
from server.protocol.mounted import NavigateArgs, ShownView
from server.protocol.wire_values import Window
from server.quoting import quoted
from traces.analysis.window import Window as AxisWindow
from traces.errors import TraceError
from traces.handles import Kind, parse_handle
from traces.model import Profile, Trace


class ShowInViewer(Windowed):
    handle: Annotated[str | None, Field(description="select this: f12, n34, s56 or p0")] = None
    view: Literal["time_order", "left_heavy", "sandwich"] | None = None
    profile: ProfileArgument = None


def answer_show(trace: Trace, arguments: ShowInViewer) -> Outcome:
    profile = chosen_profile(trace, arguments.profile)
    window = chosen_window(profile, arguments.start_time_ms, arguments.end_time_ms)
    handle, name = _target(trace, arguments.handle, profile)
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


def _target(trace: Trace, named: str | None, profile: Profile) -> tuple[str | None, str]:
    """The handle to select and the name of the thing; a function's name is taken for its frame."""
    if named is None:
        return None, ""
    text = named.strip().lstrip("#")
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
    description="For showing what you explain: selects a thing, zooms to a window or sets the view of the "
    "person's chart.",
    arguments=ShowInViewer,
    answer=answer_show,
    doing=lambda _: "Moving the viewer",
    fields=frozenset({"action", "handle", "view", "profile"}),
    narrow="name one handle",
    needs=frozenset({"viewer"}),
    guidance="use it when the person asks to see something, or once at the end when one place explains the answer.",
)


class Navigate(Windowed):
    action: Literal["set_view", "zoom", "select", "highlight", "compare"]
    handle: Annotated[str | None, Field(description="for select and zoom")] = None
    view: Literal["time_order", "left_heavy", "sandwich"] | None = None
    profile: ProfileArgument = None
    pattern: Annotated[str | None, Field(max_length=200, description="to highlight; none ends it")] = None
    other: Annotated[str | None, Field(description="trace to compare with, by name or id")] = None


async def ask_navigate(asking: Asking, arguments: Navigate) -> Outcome:
    if arguments.action != "compare":
        return await asking.workers.ask(asking.trace, answer_navigate, arguments)
    if arguments.other is None:
        raise ToolRetry("compare needs other: the name or id of the trace before")
    known = await named_trace(asking, arguments.other)
    shown = {"action": "compare", "view": "diff", "trace_id": known.trace_id}
    action = ViewerAction(action="compare", view="diff", trace_id=known.trace_id, profile=arguments.profile)
    text = f"the viewer now shows what changed since {quoted(known.name, 80)}"
    return Outcome(text=text, data=shown, ui=shown, action=action, asked=_asked(action))


def answer_navigate(trace: Trace, arguments: Navigate) -> Outcome:
    """Raises ToolRetry for an action without what it acts on."""
    profile = chosen_profile(trace, arguments.profile)
    window = chosen_window(profile, arguments.start_time_ms, arguments.end_time_ms)
    handle, name = _target(trace, arguments.handle, profile)
    wrong = {
        "set_view": "" if arguments.view or arguments.profile else "set_view needs a view or a profile",
        "zoom": "" if window or handle else "zoom needs start_time_ms and end_time_ms, or a handle",
        "select": "" if handle else "select needs a handle",
        "highlight": "",
        "compare": "",
    }[arguments.action]
    if arguments.view == "sandwich" and (handle is None or not handle.startswith("f")):
        wrong = "the sandwich view needs the handle of a frame"
    if wrong:
        raise ToolRetry(wrong)
    thing = f"{handle} {quoted(name, 80)}" if handle else ""
    match arguments.action:
        case "set_view":
            said = f"the viewer now shows {arguments.view or 'the same view'} of {profile.handle}"
        case "zoom":
            said = f"the viewer is zoomed to {thing or _time_range(window, profile)}"
        case "select":
            said = f"{thing} is selected in the viewer"
        case _:
            said = (
                f"the viewer highlights {quoted(arguments.pattern)}" if arguments.pattern else "nothing is highlighted"
            )
    shown = {"action": arguments.action, "handle": handle, "view": arguments.view, "profile": arguments.profile}
    action = ViewerAction(
        action=arguments.action,
        handle=handle,
        window=None if window is None else Window(start=float(window.start), end=float(window.end)),
        view=arguments.view,
        profile=profile.handle if arguments.profile or window else None,
        pattern=arguments.pattern,
    )
    shown |= {"pattern": arguments.pattern}
    return Outcome(text=said, data=shown, ui=shown, action=action, asked=_asked(action))


def _asked(action: ViewerAction) -> dict[str, Any]:
    """What a page that answers is asked with."""
    fields = set(NavigateArgs.model_fields)
    asked = NavigateArgs.model_validate(action.model_dump(mode="json", include=fields))
    return asked.model_dump(mode="json", by_alias=True)


def answered_navigate(trace: Trace, reply: PageReply) -> Outcome:
    """Where the viewer really went. Raises ToolRetry for a profile that is not there."""
    status, problem = reply.result["status"], reply.result.get("problem")
    data = {"action": reply.asked["action"], "status": status}
    if reply.result.get("view") is None:
        why = f": {quoted(problem, 200)}" if problem else ""
        said = "nobody_there: no page moved" if status == "nobody_there" else f"the viewer did not go there{why}"
        return Outcome(text=f"{said}. Do not say that it shows it.", data=data, warning=True)
    view = described_view(trace, ShownView.model_validate(reply.result["view"]))
    note = f"the page says: {quoted(problem, 200)}\n" if problem else ""
    return replace(view, text=note + view.text, data=view.data | data, warning=status != "shown" or bool(problem))


def _time_range(window: AxisWindow | None, profile: Profile) -> str:
    assert window is not None
    start, end = ((at - profile.axis_start) / NS_PER_MS for at in (window.start, window.end))
    return f"{start:.6g} ms to {end:.6g} ms of {profile.handle}"


NAVIGATE = Tool(
    name="navigate",
    description="For what the person wants shown: one step of their viewer (view, zoom, selection, highlight, "
    "comparison).",
    arguments=Navigate,
    ask=ask_navigate,
    doing=lambda a: f"Moving the viewer: {a.action.replace('_', ' ')}",
    answered=answered_navigate,
    guidance="say where the viewer is as its result has it, which may be elsewhere.",
    fields=VIEW_FIELDS | {"action", "pattern", "trace_id", "status"},
    narrow="name one handle",
    needs=frozenset({"viewer"}),
)
