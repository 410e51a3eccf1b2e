"""The tool results of a conversation by number: what the scopes of addresses (`w7`, `c7`, `q7`, `i702`, `g7`) mean.

A result of this turn has its data. One of an earlier turn has its tool and arguments, stored with its message: a
question of the trace alone is asked again, so that any process can resolve it as long as the message lives.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AnyMessage, ToolMessage
from pydantic import ValidationError

from server.agent.tools.all_tools import TOOLS
from server.agent.tools.contract.arguments import Windowed, validated
from server.agent.tools.contract.named_windows import NamedWindow
from server.agent.tools.contract.resolving import chosen_selection, chosen_window, profile_choice
from server.agent.tools.contract.run_tool import shown_fields
from server.agent.tools.contract.tool import Tool, ToolArguments
from server.agent.tools.contract.tool_errors import ToolProblem
from server.agent.tools.contract.transforming import changed_by
from server.agent.tools.contract.window_argument import by_numbers
from server.ports.conversations import MessageRow, Sender
from traces.analysis.selection import Selection, select
from traces.analysis.window import Window
from traces.errors import TraceError
from traces.model import Trace
from traces.transforms.vocabulary import parsed_transforms

FINDINGS_OF_A_RESULT = 100
"""`i702` is the second finding of result 7."""
NUMBER = "number"
"""The key of a result's number, in its artifact and in its stored message."""

_TOOLS = {tool.name: tool for tool in TOOLS}


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """`data` is None when only the call is known; `rows` are the cells of a stored table, as they were shown, under
    their `columns`."""

    number: int
    tool: str
    arguments: dict[str, Any]
    data: dict[str, Any] | None
    rows: list[list[Any]] | None = None
    call: str | None = None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was returned, by number, and the windows whose names the model was given. Pickles."""

    results: dict[int, ToolOutcome] = field(default_factory=dict)
    windows: tuple[NamedWindow, ...] = ()


def last_number(rows: Sequence[MessageRow]) -> int:
    """The highest number that a stored result has; 0 without any."""
    return max((number for row in rows if isinstance(number := row.metadata.get(NUMBER), int)), default=0)


def returned(
    rows: Sequence[MessageRow], messages: Sequence[AnyMessage], windows: tuple[NamedWindow, ...]
) -> Conversation:
    """Stored rows and this turn's messages as results by number."""
    found: dict[int, ToolOutcome] = {}
    requests = {row.tool_call_id: row for row in rows if row.sender is Sender.TOOL_REQUEST}
    for row in rows:
        number = row.metadata.get(NUMBER)
        if row.sender is Sender.TOOL_RESULT and isinstance(number, int):
            request = requests.get(row.tool_call_id)
            arguments = row.tool_args or (request.tool_args if request else None) or {}
            table = row.metadata.get("table") or {}
            found[number] = ToolOutcome(
                number,
                row.tool_name or "",
                arguments,
                None,
                table.get("rows"),
                row.tool_call_id,
                tuple(map(str, table.get("columns") or ())),
            )
    for message in messages:
        if not isinstance(message, ToolMessage) or not isinstance(message.artifact, dict):
            continue
        artifact = message.artifact
        if isinstance(number := artifact.get(NUMBER), int):
            found[number] = ToolOutcome(
                number, artifact["tool"], artifact["arguments"], artifact["data"], None, message.tool_call_id
            )
    return Conversation(found, windows)


def data_of(trace: Trace, outcome: ToolOutcome) -> dict[str, Any] | None:
    """A result's data; None where it is neither known nor a question of this trace alone."""
    if outcome.data is not None:
        return outcome.data
    tool = _TOOLS.get(outcome.tool)
    arguments = _arguments(trace, outcome, ())
    if tool is None or tool.answer is None or arguments is None:
        return None
    try:
        answered = tool.answer(trace, arguments)
    except (ToolProblem, TraceError):
        return None
    return shown_fields(answered.data, tool.fields)


@dataclass(frozen=True, slots=True)
class LookedAt:
    """What a result looked at: one profile or all, one value, with or without libraries, in a window or not."""

    chosen: Selection
    window: Window | None


def looked_at(trace: Trace, outcome: ToolOutcome, windows: tuple[NamedWindow, ...]) -> LookedAt | None:
    """The scope `w` of a result; None where its tool looks at no profile."""
    arguments = _arguments(trace, outcome, windows)
    if arguments is None:
        return None
    try:
        profile: str | None = getattr(arguments, "profile", None)
        if transforms := parsed_transforms(getattr(arguments, "transforms", None)).upright:
            changed = changed_by(trace, transforms, profile)
            trace, profile = changed.trace, changed.profile_argument
        chosen = chosen_selection(trace, profile, my_code=bool(getattr(arguments, "my_code", False)))
        if value := getattr(arguments, "value", None):
            chosen = select(trace, profile_choice(chosen), value=value, frame_filter=chosen.frame_filter)
        start, end = (getattr(arguments, key, None) for key in ("start_time_ms", "end_time_ms"))
        return LookedAt(chosen, chosen_window(chosen, start, end))
    except (ToolProblem, TraceError):
        return None


def _arguments(trace: Trace, outcome: ToolOutcome, windows: tuple[NamedWindow, ...]) -> ToolArguments | None:
    tool: Tool[Any] | None = _TOOLS.get(outcome.tool)
    if tool is None:
        return None
    try:
        arguments = validated(tool, outcome.arguments)
        if isinstance(arguments, Windowed) and arguments.window is not None:
            return by_numbers(trace, arguments, windows)[0]
    except (ToolProblem, TraceError, ValidationError):
        return None
    return arguments
