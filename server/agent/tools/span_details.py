"""get_span_details: one call with its arguments, read from the upload when asked for."""

import json
import mmap
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from server.agent.tools.contract.tool import Outcome, Tool, ToolArguments
from server.agent.tools.contract.tool_context import Asking
from server.quoting import place, quoted
from traces.analysis.units import format_value
from traces.handles import profile_of_span, resolve
from traces.model import NONE, Trace
from traces.reader import read_arguments

MOST_ARGUMENTS = 30
"""Of one call: shown in order, the rest counted."""


class SpanDetails(ToolArguments):
    handle: Annotated[str, Field(description="s12")]


def span_details(trace: Trace, handle: str, upload: Path | None) -> Outcome:
    """Where and how long a call was, and its arguments. Raises UnknownHandle, InvalidQuestion, DamagedTrace."""
    profile, row = profile_of_span(trace, resolve(trace, handle.strip().lstrip("#"), "span").index)
    spans = profile.spans
    assert spans is not None
    frame = int(profile.tree.frame[spans.node[row]])
    start, end = (float(at[row] - profile.axis_start) for at in (spans.start, spans.end))
    above = int(spans.parent[row])
    recorded = int(spans.args_length[row]) > 0
    value = _arguments(trace, f"s{profile.span_base + row}", upload) if recorded and upload is not None else None
    lines = [
        f"s{profile.span_base + row} f{frame} {quoted(trace.frame_name(frame))}"
        f"{place(trace.frame_file(frame), trace.frame_line(frame))} in {profile.handle}: "
        f"{format_value(end - start, profile.axis)} from {format_value(start, profile.axis)}, "
        f"self {format_value(float(spans.self_value[row]), profile.axis)}, depth {int(spans.depth[row])}"
        + ("" if above == NONE else f", called by s{profile.span_base + above}")
    ]
    given = value if isinstance(value, dict) else {} if value is None else {"value": value}
    shown = list(given.items())[:MOST_ARGUMENTS]
    lines += [f"{quoted(str(key), 60)}: {quoted(_text(argument), 300)}" for key, argument in shown]
    if len(given) > len(shown):
        lines.append(f"… {len(given) - len(shown)} more arguments")
    if not given:
        lines.append("no arguments were recorded" if not recorded else "its arguments are not at hand here")
    return Outcome(
        text="\n".join(lines),
        data={
            "handle": f"s{profile.span_base + row}",
            "frame": f"f{frame}",
            "name": trace.frame_name(frame),
            "profile": profile.handle,
            "unit": profile.axis.value,
            "start": start,
            "end": end,
            "duration": end - start,
            "self_value": float(spans.self_value[row]),
            "depth": int(spans.depth[row]),
            "has_arguments": recorded,
            "arguments": [{"name": str(key), "text": _text(argument)[:300]} for key, argument in shown],
        },
        ui={"handle": f"s{profile.span_base + row}", "profile": profile.handle},
        warning=not given,
    )


def _arguments(trace: Trace, handle: str, upload: Path) -> Any:
    with upload.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return read_arguments(data, trace, [handle])[handle]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


async def ask_span(asking: Asking, arguments: SpanDetails) -> Outcome:
    outcome = await asking.workers.ask(asking.trace, span_details, arguments.handle, None)
    if not outcome.data["has_arguments"] or asking.tool_context is None or "upload" not in asking.tool_context.has:
        return outcome
    async with asking.tool_context.upload() as upload:  # only now: it is copied from where it is stored
        return await asking.workers.ask(asking.trace, span_details, arguments.handle, upload)


GET_SPAN_DETAILS = Tool(
    name="get_span_details",
    description="For one call (s12): its caller, duration and recorded arguments.",
    arguments=SpanDetails,
    ask=ask_span,
    doing=lambda a: f"Looking at the call {a.handle[:20]}",
    fields=frozenset({"handle", "frame", "name", "profile", "unit", "start", "end", "duration", "self_value", "depth"})
    | {"has_arguments", "arguments", "text"},
    narrow="name another span",
)
