"""ask_traces: how a function, a finding or a figure developed over the person's recordings."""

from typing import Annotated

from pydantic import Field

from server.agent.questions.shown_names import quoted_names
from server.agent.tools.contract.tool import Outcome, Tool, ToolArguments
from server.agent.tools.contract.tool_context import Asking
from server.agent.tools.contract.tool_errors import ToolFailed, ToolRetry
from server.errors import BadRequest, ServerError
from server.protocol.wire_values import Table
from server.quoting import quoted

LINES = 40
EXAMPLE = (
    '{"form": "series", "measure": {"kind": "function", "name": "f", "value": "self"}, "runs": {"labels": '
    '{"branch": "main"}, "last": 20}, "by": "release"}; form recurrence takes "above": 0.05 and kind finding; form '
    'compare takes "before" and "after" in place of "runs"; form path takes "steps": [{"name": "f"}, {"name": "g"}]'
)


class AskTraces(ToolArguments):
    question: Annotated[str, Field(min_length=1, max_length=4_000, description="in words, or as JSON")]


async def ask_runs(asking: Asking, arguments: AskTraces) -> Outcome:
    runs = None if asking.tool_context is None else asking.tool_context.runs
    if runs is None:
        raise ToolFailed("there are no other recordings here", "unavailable")
    try:
        answer = await runs.ask(arguments.question)
    except BadRequest as error:
        raise ToolRetry(f"{quoted_names(str(error))} As JSON: {EXAMPLE}") from None
    except ServerError as error:
        raise ToolFailed(str(error)) from None
    lines = [quoted_names(one) for one in (answer.headline, *answer.notes)]
    lines.append(" | ".join(answer.columns))
    lines += [" | ".join([quoted(row[0]), *row[1:]]) for row in answer.rows[-LINES:]]
    if len(answer.rows) > LINES:
        lines.append(f"… {len(answer.rows) - LINES} older rows in the table")
    return Outcome(
        text="\n".join(lines),
        data=answer.data
        | {"detail": answer.headline, "notes": list(answer.notes), "measured": answer.question.get("measure", {})},
        table=Table(columns=list(answer.columns), rows=[list(row) for row in answer.rows]),
        ui=answer.as_payload(),
    )


ASK_TRACES = Tool(
    name="ask_traces",
    description="For questions over many recordings: since when f is slow, f by release, does a finding come back, "
    "main against feature-x; and how many calls of f reach g, then h. A sentence and rows come back.",
    arguments=AskTraces,
    ask=ask_runs,
    doing=lambda _: "Looking through the recordings",
    fields=frozenset(
        {"detail", "notes", "measured", "groups", "name", "points", "trace_id", "trace", "created", "is_there", "runs"}
    )
    | {
        f"{name}_{unit}"
        for name in ("before", "after", "lowest", "highest", "middle")
        for unit in ("ns", "bytes", "count")
    }
    | {
        f"{name}_share"
        for name in ("before", "after", "lowest", "highest", "middle", "growth", "least", "above", "value")
    }
    | {"value_ns", "value_bytes", "value_count", "share", "before_runs", "after_runs", "found", "returns"},
    narrow="name fewer recordings: the last 20, or one branch",
    needs=frozenset({"history"}),
)
