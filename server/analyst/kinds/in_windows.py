"""What a function that is named takes within the time that is named with it; without a name, what leads there."""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.kinds import moments_and_calls as times
from server.analyst.kinds.kind import Call
from server.analyst.kinds.meant_functions import is_named
from server.analyst.kinds.one_function import leading
from server.analyst.question import Question
from server.analyst.wording import amount, cited, coded, moment, own, total

MATCHES = 20


def then(question: Question, evidence: Evidence) -> list[Call]:
    """The rows of the function, and all that a time range without a name is asked for."""
    calls = times.then_window(question, evidence)
    if not question.names:
        return calls
    asked = {"sort_by": "total", "limit": MATCHES, "filter": question.names[0][:100]}
    windows = [arguments for tool, arguments in calls if tool == "get_top_functions" and "start_time_ms" in arguments]
    return [("get_top_functions", one | asked) for one in windows[:1]] or calls


def window(question: Question, evidence: Evidence) -> list[str]:
    """The function's figures there; where it does not run then, that."""
    found = _of_name(evidence) if question.names else None
    if found is None:
        return times.window(question, evidence)
    result, arguments = found
    name, unit = question.names[0], result["unit"]
    named = [row for row in result["rows"] if is_named(row, name)] or result["rows"]
    running = [row for row in named if row["total_value"] > 0]
    start, end = (moment(arguments[key]) for key in ("start_time_ms", "end_time_ms"))
    if not running:
        return [f"**{coded(name)} does not run between {start} and {end}** in the main profile.", ""]
    row = running[0]
    return [
        (
            f"**Between {start} and {end} {cited(row)} takes {total(row, unit)} in total and {own(row, unit)} "
            f"itself**, of {amount(result['whole'], unit)} in that time."
        ),
        leading(evidence, "Over all of it the hottest function is"),
    ]


def _of_name(evidence: Evidence) -> tuple[dict[str, Any], dict[str, Any]] | None:
    return next(
        (
            (one.data, one.arguments)
            for one in evidence.all("get_top_functions")
            if {"filter", "start_time_ms"} <= one.arguments.keys()
        ),
        None,
    )
