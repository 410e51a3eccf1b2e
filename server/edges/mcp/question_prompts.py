"""Questions that another program's user may choose, in words that lead through the tools."""

from mcp import types
from mcp.shared.exceptions import MCPError

from server.quoting import quoted

WHY = types.Prompt(
    name="why_is_this_slow",
    title="Why is this slow?",
    description="Where the time of a trace goes, why, and what would change it.",
    arguments=[types.PromptArgument(name="trace", description="name or id; default: the newest")],
)
COMPARE = types.Prompt(
    name="compare_these",
    title="Compare these",
    description="What got slower, appeared or vanished from one trace to another.",
    arguments=[
        types.PromptArgument(name="before", description="name or id of a trace", required=True),
        types.PromptArgument(name="after", description="name or id; default: the newest"),
    ],
)
PROMPTS = {one.name: one for one in (WHY, COMPARE)}

_WHY = (
    "Why is {trace} slow? Call get_trace_summary and get_insights, then get_top_functions by self time and "
    "get_call_tree, then get_callers_callees of what dominates. Begin the answer with that function, its amount and "
    "its share; then who calls it; then what to try and what it could save at most. Say what the trace cannot tell."
)
_COMPARE = (
    "What changed from the trace {before} to {after}? Call compare_traces for {after} with others={others}, then "
    "get_callers_callees of what grew most. Say first what got slower and by how much, then what appeared and "
    "vanished; two single runs also differ by chance."
)


def chosen_prompt(name: str, arguments: dict[str, str]) -> types.GetPromptResult:
    """The question with its traces put in, quoted. Raises MCPError for an unknown prompt and a missing argument."""
    prompt = PROMPTS.get(name)
    if prompt is None:
        raise MCPError(types.INVALID_PARAMS, f"there is no prompt {quoted(name, 60)}; there are {', '.join(PROMPTS)}")
    missing = [one.name for one in prompt.arguments or [] if one.required and not arguments.get(one.name)]
    if missing:
        raise MCPError(types.INVALID_PARAMS, f"{name} needs {', '.join(missing)}")
    after = arguments.get("after" if prompt is COMPARE else "trace")
    newest = "the newest trace"
    if prompt is COMPARE:
        before = quoted(arguments["before"])
        text = _COMPARE.format(before=before, after=quoted(after) if after else newest, others=f"[{before}]")
    else:
        text = _WHY.format(trace=f"the trace {quoted(after)}" if after else newest)
    content = types.TextContent(type="text", text=text)
    return types.GetPromptResult(
        description=prompt.description, messages=[types.PromptMessage(role="user", content=content)]
    )
