"""What runs right before or right after a function, on its thread."""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.forms import forms
from server.analyst.kinds.kind import Call
from server.analyst.queries import query
from server.analyst.question import Question
from server.analyst.wording import amount, cited, joined

_FORMS = forms("next_to_it")
SHOWN = 3


def side(question: Question) -> str:
    """`before` or `after`, where what ran next to one function is asked for; else empty."""
    if len({*(question.names or question.maybe)}) > 1 or question.time_ranges:
        return ""
    found = _FORMS.side.search(question.text)
    return "" if found is None else "before" if found["before"] or found["before_zh"] else "after"


def calls(question: Question, handle: str) -> list[Call]:
    """The queries for it, of calls and of samples; none where something else is asked."""
    at = side(question)
    if not at:
        return []
    names = {"before": ("lead", "before_calls"), "after": ("lag", "after_calls")}[at]
    of_samples = query("next_to_samples").format(frame=handle, turn=names[0])
    return [("query_trace", {"sql": query(names[1]).format(frame=handle)}), ("query_trace", {"sql": of_samples})]


def answer(question: Question, evidence: Evidence, row: dict[str, Any]) -> str:
    """What it is most often, and the first time; empty where the recording has no order of it."""
    asked = calls(question, row["handle"])
    tables = [found for _, arguments in asked if (found := evidence.first("query_trace", **arguments))]
    found = next((one for one in tables if one["rows"]), None)
    if found is None:
        return ""
    rows = [{cell["column"]: cell for cell in one} for one in found["rows"]]
    at, all_of = side(question), rows[0]["all_of"]["value"]
    first = min(rows, key=lambda one: one["begun_ms"]["value_ns"])
    when = amount(first["begun_ms"]["value_ns"], "nanoseconds")
    begins = f"**Right {at} {cited(row)} it is {_named(rows[0])}**, on its thread"
    if len(rows) == 1:
        times = f", each of {linked(f'{all_of:,}', all_of)} times" if all_of > 1 else ""
        return f"{begins}{times}, {'first ' if all_of > 1 else ''}at {when}."
    many = [f"{_named(one)} {linked(_times(one), one['times']['value'])}" for one in rows[1:SHOWN]]
    most = f"{linked(_times(rows[0]), rows[0]['times']['value'])} of {linked(f'{all_of:,}', all_of)} times"
    of_first = f"{at} the first, which {'begins' if at == 'before' else 'ends'} at {when}, it is {_named(first)}"
    return f"{begins}, {most}, then {joined(many)}; {of_first}."


def _times(row: dict[str, Any]) -> str:
    return f"{row['times']['value']:,}"


def _named(row: dict[str, Any]) -> str:
    name, frame = row["name"].get("name"), row["frame"].get("name")
    return cited({"name": name, "handle": frame}) if name and frame else "nothing"
