"""ask_traces: how a function, a finding or a figure developed over the person's recordings."""

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from server.agent.questions.run_tables import described_tables
from server.agent.questions.shown_names import quoted_names
from server.agent.tools.contract.tool import Outcome, Tool, ToolArguments
from server.agent.tools.contract.tool_context import Asking
from server.agent.tools.contract.tool_errors import ToolFailed, ToolRetry
from server.errors import BadRequest, ModelFailed, ServerError
from server.protocol.wire_values import Table
from server.quoting import quoted
from traces.model import Trace

if TYPE_CHECKING:
    from server.agent.questions.planner import PlanWriter
    from server.agent.questions.run_answers import RunsAnswer

LINES = 40
EXAMPLE = (
    '{"form": "series", "measure": {"kind": "function", "name": "f", "value": "self"}, "runs": {"labels": '
    '{"branch": "main"}, "last": 20}, "by": "release"}; form recurrence takes "above": 0.05 and kind finding; form '
    'compare takes "before" and "after" in place of "runs", and no measure for all functions; form path takes '
    '"steps": [{"name": "f"}, {"name": "g"}]; '
    "form sql takes "
    '"sql": "select ... from lib.functions" (lib.traces, lib.functions, lib.findings, lib.measures)'
)


class AskTraces(ToolArguments):
    question: Annotated[str, Field(min_length=1, max_length=10_000, description="in words, or as JSON")]
    chart: Annotated[bool, Field(description="draw it, too")] = False


class QueryLibrary(ToolArguments):
    sql: Annotated[str, Field(min_length=1, max_length=8_000, description="one SELECT (DuckDB)")]


async def ask_runs(asking: Asking, arguments: AskTraces) -> Outcome:
    outcome, answer = await _asked(asking, arguments.question, asking.plan)
    if not arguments.chart or not answer.chart.get("points"):
        return outcome
    picture = await asking.workers.ask(asking.trace, draw, answer.chart, answer.headline)
    return replace(outcome, picture=picture)


def draw(_: Trace, chart: dict[str, Any], headline: str) -> bytes:
    """The chart of an answer as PNG; of the trace nothing is asked."""
    from server.agent.questions.drawn_answers import drawn_answer  # noqa: PLC0415 - only where one is drawn

    return drawn_answer(chart, headline).png


async def ask_sql(asking: Asking, arguments: QueryLibrary) -> Outcome:
    return (await _asked(asking, json.dumps({"form": "sql", "sql": arguments.sql})))[0]


async def _asked(asking: Asking, question: str, plan: "PlanWriter | None" = None) -> "tuple[Outcome, RunsAnswer]":
    runs = None if asking.tool_context is None else asking.tool_context.runs
    if runs is None:
        raise ToolFailed("there are no other recordings here", "unavailable")
    try:
        answer = await runs.ask(question, plan, asking.progress)
    except BadRequest as error:
        raise ToolRetry(f"{quoted_names(str(error))} As JSON: {EXAMPLE}") from None
    except ModelFailed as error:
        raise ToolFailed(f"the question could not be planned: {error}", "unavailable") from None
    except ServerError as error:
        raise ToolFailed(str(error)) from None
    lines = [quoted_names(one) for one in (answer.headline, *answer.notes)]
    lines.append(" | ".join(("row", *answer.columns)))
    texts = range(len(answer.columns)) if answer.question["form"] == "sql" else (0,)
    lines += [
        f"r{number} | "
        + " | ".join(
            quoted(cell) if place in texts and not _is_number(cell) else cell for place, cell in enumerate(row)
        )
        for number, row in list(enumerate(answer.rows, 1))[-LINES:]
    ]
    if len(answer.rows) > LINES:
        lines.append(f"… {len(answer.rows) - LINES} older rows in the table")
    outcome = Outcome(
        text="\n".join(lines),
        data=answer.data
        | {"detail": answer.headline, "notes": list(answer.notes), "measured": answer.question.get("measure", {})},
        table=Table(columns=list(answer.columns), rows=[list(row) for row in answer.rows]),
        ui=answer.as_payload(),
    )
    return outcome, answer


def _is_number(cell: str) -> bool:
    return not cell.strip("0123456789.,-+e") and cell != ""


ASK_TRACES = Tool(
    name="ask_traces",
    description="For questions over many recordings: since when f is slow, f by release, does a finding come back, "
    "main against feature-x; and how many calls of f reach g, then h. A sentence and rows come back.",
    arguments=AskTraces,
    ask=ask_runs,
    doing=lambda _: "Looking through the recordings",
    fields=frozenset(
        {
            "detail",
            "notes",
            "measured",
            "groups",
            "name",
            "points",
            "trace_id",
            "trace",
            "created",
            "is_there",
            "runs",
            "since",
        }
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
    | {"value_ns", "value_bytes", "value_count", "share", "before_runs", "after_runs", "found", "returns"}
    | {"columns", "row_count", "more", "rows", "column", "value"},
    narrow="name fewer recordings: the last 20, or one branch",
    needs=frozenset({"history"}),
)

QUERY_LIBRARY = Tool(
    name="query_library",
    description="For what ask_traces does not answer, by SQL (DuckDB) over what all recordings measured: at most 1,000 "
    "rows come back, 40 are shown.\n" + described_tables(),
    arguments=QueryLibrary,
    ask=ask_sql,
    doing=lambda _: "Querying the recordings",
    fields=frozenset({"detail", "notes", "measured", "columns", "row_count", "more", "rows", "column", "name", "value"})
    | {"value_ns", "value_share"},
    narrow="aggregate, or select fewer columns",
    needs=frozenset({"history", "library"}),
)
