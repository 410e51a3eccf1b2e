"""What a model writes to a tool: the fields that tools share, and the check of a complete call."""

import difflib
from typing import Annotated, Any

from pydantic import Field, ValidationError

from server.agent.tools.contract.resolving import NEAREST
from server.agent.tools.contract.tool import Tool, ToolArguments
from server.agent.tools.contract.tool_errors import ToolRetry
from server.quoting import quoted

ProfileArgument = Annotated[str | None, Field(description="p0; default: main")]
ProfilesArgument = Annotated[str | None, Field(description="p0, or all; default: main")]
MyCodeArgument = Annotated[bool, Field(description="no libraries")]
StartArgument = Annotated[float | None, Field(ge=0, description="from profile start")]
EndArgument = Annotated[float | None, Field(gt=0)]
TransformsArgument = Annotated[str | None, Field(description="as in get_top_functions")]
"""Other call trees (traces/transforms/vocabulary.py). Of one tool the schema says how they are written; they are many,
and every turn pays for the schemas."""
FrameArgument = Annotated[str, Field(min_length=1, description="f12 or exact name")]


class Windowed(ToolArguments):
    """Arguments of a tool that looks at a time range: by name, or from and to. `window_argument.by_numbers` replaces
    the name.
    """

    window: Annotated[str | None, Field(max_length=100, description="or a range by name")] = None
    profile: str | None = None
    start_time_ms: StartArgument = None
    end_time_ms: EndArgument = None


def validated(tool: Tool[Any], arguments: dict[str, Any]) -> ToolArguments:
    """The arguments as the tool's type. Raises ToolRetry that names each wrong field, and the nearest known one for an
    unknown.
    """
    try:
        checked: ToolArguments = tool.arguments.model_validate(arguments)
    except ValidationError as error:
        known = [field.alias or name for name, field in tool.arguments.model_fields.items()]
        raise ToolRetry(
            f"{tool.name}: " + "; ".join(_problem(dict(problem), known) for problem in error.errors()[:NEAREST])
        ) from None
    return checked


def _problem(problem: dict[str, Any], known: list[str]) -> str:
    field = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        near = difflib.get_close_matches(field, known, n=1, cutoff=0.4)
        instead = f"did you mean {near[0]}?" if near else "arguments are " + (", ".join(known) or "none")
        return f"no argument {quoted(field, 40)}: {instead}"
    return f"{field or 'arguments'}: {problem['msg']}"
