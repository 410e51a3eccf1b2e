"""Questions over many recordings: the tool plans and checks them, what it found is the answer."""

from dataclasses import replace
from typing import Any

from server.agent.questions.spoken_comparisons import may_compare_labels
from server.agent.questions.spoken_paths import is_path
from server.agent.questions.spoken_questions import is_over_runs
from server.agent.questions.typed_sql import of_library, statement_of
from server.analyst.evidence import Evidence
from server.analyst.wording import coded
from traces.analysis.units import format_share, format_value
from traces.values import Unit

ASK = "ask_traces"
_NOT_KNOWN = "I do not know this"
NOT_KNOWN = (
    '**I do not know this as a question over your recordings.** I know, for one: "since when is f slow?", "does the '
    'long GC pause come back?", "main against feature-x". Of this recording alone:'
)
SHOWN_ROWS = 10
CELL_CHARACTERS = 60
_AS_JSON = " As JSON: "
_ERROR = "validation error: "


def asks_over_recordings(prompt: str) -> bool:
    """Whether a prompt may be about many recordings."""
    return is_over_runs(prompt) or may_compare_labels(prompt) or is_path(prompt) or _is_sql_over_them(prompt)


def over_recordings(evidence: Evidence) -> str | None:
    """The answer; what stood in its way, where that is something named that is not there; None where this is another
    kind of question."""
    found = next(result for result in evidence.results if result.tool == ASK)
    if not found.failed:
        said = (found.data["detail"], " ".join(found.data.get("notes", [])), _rows(found.data))
        return "\n\n".join(filter(None, said))
    why = found.text.partition(_AS_JSON)[0].rpartition(_ERROR)[2].strip()
    over = is_over_runs(evidence.prompt) or is_path(evidence.prompt) or _is_sql_over_them(evidence.prompt)
    if _NOT_KNOWN in why or not over:
        return None
    return f"**I cannot answer that over your recordings.** {why}"


def not_known(evidence: Evidence) -> str:
    """What an answer about this recording begins with where its prompt asks for many in words that no rule knows;
    else nothing."""
    tried = any(one.tool == ASK and one.failed and _NOT_KNOWN in one.text for one in evidence.results)
    return NOT_KNOWN if tried and is_over_runs(evidence.prompt) else ""


def _is_sql_over_them(prompt: str) -> bool:
    sql = statement_of(prompt)
    return sql is not None and of_library(sql)


def _rows(data: dict[str, Any]) -> str:
    """The rows of SQL, the first of them, as a table."""
    if not data.get("rows") or "columns" not in data:
        return ""
    columns, rows = data["columns"], data["rows"][:SHOWN_ROWS]
    lines = ["| " + " | ".join(coded(name, CELL_CHARACTERS) for name in columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]
    if (rest := len(data["rows"]) - len(rows)) > 0:
        lines.append(f"\n{rest:,} more in the table of the step.")
    return "\n".join(lines)


def _cell(cell: dict[str, Any]) -> str:
    if "name" in cell:
        return coded(cell["name"], CELL_CHARACTERS)
    if (value := cell.get("value_ns")) is not None:
        return format_value(float(value), Unit.NANOSECONDS)
    if (share := cell.get("value_share")) is not None:
        return format_share(float(share))
    value = cell.get("value")
    return "" if value is None else f"{value:,.6g}" if isinstance(value, int | float) else str(value)


def without_them(evidence: Evidence) -> Evidence:
    """As if they had not been asked."""
    return replace(evidence, results=tuple(one for one in evidence.results if one.tool != ASK))
