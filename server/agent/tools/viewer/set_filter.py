"""set_filter: leaves out of the person's chart what hides an answer, by the transforms that links have too."""

from typing import Annotated, Any, Literal

from pydantic import Field

from server.agent.tools.contract.resolving import chosen_frame, chosen_profile
from server.agent.tools.contract.tool import Outcome, Tool, ToolArguments
from server.agent.tools.contract.tool_errors import ToolRetry
from server.protocol.events import ViewerAction
from server.quoting import quoted
from traces.model import Trace

TRANSFORMS = {"focus": "focus-function", "hide": "drop-function", "merge": "merge-function"}
WORDS = {"focus": "only samples with", "hide": "no sample with", "merge": "its callers in place of"}


class SetFilter(ToolArguments):
    filter: Literal["focus", "hide", "merge", "only", "none"]
    frame: Annotated[str | None, Field(description="function for focus, hide, merge: handle or name")] = None
    text: Annotated[str | None, Field(max_length=200, description="for only: part of a name or file")] = None


def answer_filter(trace: Trace, arguments: SetFilter) -> Outcome:
    """Raises ToolRetry for a filter without what it is about."""
    shown: dict[str, Any] = {"filter": arguments.filter, "handle": None, "text": None}
    if arguments.filter == "none":
        return _outcome("", "the viewer shows everything again", shown)
    if arguments.filter == "only":
        if not arguments.text:
            raise ToolRetry("only needs text")
        encoded = arguments.text.replace("%", "%25").replace(",", "%2C")
        said = f"the viewer shows only samples with {quoted(arguments.text, 80)}"
        return _outcome(f"filter-samples:{encoded}", said, shown | {"text": arguments.text})
    if arguments.frame is None:
        raise ToolRetry(f"{arguments.filter} needs frame")
    frame, _ = chosen_frame(trace, arguments.frame.strip().lstrip("#"), chosen_profile(trace, None))
    name = quoted(trace.frame_name(frame), 80)
    said = f"the viewer shows {WORDS[arguments.filter]} f{frame} {name}"
    return _outcome(f"{TRANSFORMS[arguments.filter]}:f{frame}", said, shown | {"handle": f"f{frame}"})


def _outcome(transform: str, said: str, shown: dict[str, Any]) -> Outcome:
    action = ViewerAction(action="set_filter", filter=transform)
    return Outcome(text=said, data=shown, ui={"action": "set_filter", **shown}, action=action)


SET_FILTER = Tool(
    name="set_filter",
    description="For what hides the answer: filters the person's chart by a function or a text; none ends it.",
    arguments=SetFilter,
    answer=answer_filter,
    doing=lambda _: "Filtering the viewer",
    fields=frozenset({"filter", "handle", "text"}),
    narrow="name one function",
    needs=frozenset({"viewer"}),
)
