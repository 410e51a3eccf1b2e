"""draw_chart: activity over time, how long calls took, self time as bars, a counter's level."""

import difflib
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from rendering.errors import InvalidOption
from server.agent.tools.contract.arguments import FrameArgument, ProfileArgument
from server.agent.tools.contract.resolving import chosen_frame, chosen_profile
from server.agent.tools.contract.tool import Outcome, Tool, ToolArguments
from server.agent.tools.contract.tool_errors import ToolRetry
from server.agent.tools.get_top_functions import TopFunctions, answer_top_functions
from server.quoting import quoted
from traces.analysis.units import format_share, format_value
from traces.model import Profile, Trace

if TYPE_CHECKING:
    from rendering.picture import Picture

LISTED_COUNTERS = 8
WIDTH, HEIGHT = 1000, 500


class DrawChart(ToolArguments):
    kind: Annotated[
        Literal["activity", "durations", "self_time", "counter"],
        Field(description="durations: histogram of a frame's calls; counter: its level over time"),
    ]
    frame: FrameArgument | None = None
    counter: Annotated[str | None, Field(description="its name")] = None
    profile: ProfileArgument = None


def answer_chart(trace: Trace, arguments: DrawChart) -> Outcome:
    profile = chosen_profile(trace, arguments.profile)
    try:
        picture, what, where = _drawn(trace, arguments, profile.index)
    except InvalidOption as error:
        raise ToolRetry(str(error)) from None
    lines = [f"{what}, {picture.width}×{picture.height} PNG", *(f"note: {note}" for note in picture.notes)]
    lines += _in_words(trace, arguments.kind, profile, where)
    return Outcome(
        text="\n".join(lines),
        data={"kind": arguments.kind, "profile": profile.handle, "notes": list(picture.notes)}
        | where
        | _spread(trace, arguments.kind, profile, where),
        ui=where | {"profile": profile.handle} | picture.shown,
        picture=picture.png,
    )


def _drawn(trace: Trace, arguments: DrawChart, profile: int) -> "tuple[Picture, str, dict[str, Any]]":
    from rendering.charts import (  # noqa: PLC0415 - drawing takes 0.1 s to load, and few turns draw
        render_activity,
        render_counter,
        render_durations,
        render_self_time,
    )
    from rendering.options import SheetOptions  # noqa: PLC0415 - as above

    options = SheetOptions(profile=profile, width=WIDTH, height=HEIGHT)
    match arguments.kind:
        case "activity":
            return render_activity(trace, options), "activity over time", {}
        case "self_time":
            return render_self_time(trace, options), "self time by function", {}
        case "durations":
            if arguments.frame is None:
                raise ToolRetry("durations are of one function: name its frame")
            frame, _ = chosen_frame(trace, arguments.frame, chosen_profile(trace, f"p{profile}"))
            said = f"how long calls of f{frame} {quoted(trace.frame_name(frame), 80)} took"
            return render_durations(trace, frame, options), said, {"handle": f"f{frame}"}
        case "counter":
            name = _counter(trace, arguments.counter)
            return render_counter(trace, name, options), f"the counter {quoted(name, 80)}", {"name": name}


def _counter(trace: Trace, requested: str | None) -> str:
    """A counter by name. Raises ToolRetry naming the nearest."""
    from rendering.charts import counter_names  # noqa: PLC0415 - as above

    names = counter_names(trace)
    if requested in names:
        return requested
    if len(names) == 1 and requested is None:
        return names[0]
    near = difflib.get_close_matches(requested or "", names, n=LISTED_COUNTERS, cutoff=0.3) or names[:LISTED_COUNTERS]
    listed = ", ".join(quoted(name, 60) for name in near)
    raise ToolRetry(f"name a counter: {listed}" if names else "this trace has no counters")


def _spread(trace: Trace, kind: str, profile: Profile, where: dict[str, Any]) -> dict[str, Any]:
    """How long a function's calls took, as numbers, where their axis is time."""
    from rendering.charts import durations  # noqa: PLC0415 - as above

    if kind != "durations" or not profile.axis.is_time:
        return {}
    took = durations(trace, int(where["handle"][1:]), profile)
    names = ("least_ns", "median_ns", "p95_ns", "longest_ns")
    values = dict(zip(names, map(float, np.percentile(took, (0, 50, 95, 100))), strict=True))
    return values | {"call_count": len(took), "name": trace.frame_name(int(where["handle"][1:]))}


def _in_words(trace: Trace, kind: str, profile: Profile, where: dict[str, Any]) -> list[str]:
    """What the chart shows, for a model without eyes: the trace's words quoted, the numbers as they are drawn."""
    from rendering.charts import activity, durations  # noqa: PLC0415 - as above

    match kind:
        case "activity":
            lines, _, _ = activity(trace)
            return [
                f"{one.profile.handle} {quoted(one.profile.name, 80)} {format_share(float(one.busy.mean()))} busy"
                for one in lines
            ]
        case "self_time":
            return answer_top_functions(trace, TopFunctions(profile=profile.handle)).text.splitlines()
        case "durations":
            took = durations(trace, int(where["handle"][1:]), profile)
            least, median, high, most = (
                format_value(float(value), profile.axis) for value in np.percentile(took, (0, 50, 95, 100))
            )
            return [f"{len(took):,} calls: least {least}, median {median}, p95 {high}, longest {most}"]
        case _:
            counters = trace.counters
            named = [trace.strings[index] == where["name"] for index in counters.name.tolist()]
            values = counters.value[np.array(named)]
            least, most, last = (f"{value:,.6g}" for value in (values.min(), values.max(), values[-1]))
            return [f"{len(values):,} readings from {least} to {most}, {last} at the end"]


DRAW_CHART = Tool(
    name="draw_chart",
    description="For a course or spread: a PNG of the threads' activity, durations, self time or a counter.",
    arguments=DrawChart,
    answer=answer_chart,
    doing=lambda a: f"Drawing a chart of {a.kind.replace('_', ' ')}",
    fields=frozenset(
        {"kind", "profile", "handle", "name", "notes", "call_count", "least_ns", "median_ns", "p95_ns", "longest_ns"}
    ),
    narrow="name one profile",
)
