"""What a page loaded, by size: the largest file of a kind, and how much all of them are."""

from typing import Any

from server.analyst.asked_things import asks_of_sizes
from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.forms import first_form, forms
from server.analyst.kinds.kind import Call
from server.analyst.queries import query
from server.analyst.question import Question
from server.analyst.wording import amount, coded

_FORMS = forms("loaded_files")
_KINDS = {
    "script": "(kind = 'Script' OR url LIKE '%.js' OR url LIKE '%.mjs')",
    "style sheet": "(kind = 'Stylesheet' OR url LIKE '%.css')",
    "image": "kind = 'Image'",
    "font": "kind = 'Font'",
}
ROUTE = 120


def _kind(text: str) -> str:
    return first_form("loaded_kinds", text).replace("_", " ")


def by_size(question: Question) -> list[Call]:
    """The query for the largest of what was loaded; nothing where that is not asked for."""
    if not asks_of_sizes(question.text):
        return []
    return [
        ("query_trace", {"sql": query("requests_by_size").format(of_kind=_KINDS.get(_kind(question.text), "true"))})
    ]


def sizes(question: Question, evidence: Evidence) -> list[str]:
    """The largest file and how much all are, what is asked for first; empty where it asks for something else."""
    calls = by_size(question)
    found = evidence.first("query_trace", **calls[0][1]) if calls else None
    if found is None:
        return []
    rows: list[dict[str, Any]] = [
        {one["column"]: one.get("name", one.get("value_bytes", one.get("value"))) for one in row}
        for row in found["rows"]
    ]
    what = _kind(question.text) or "file"
    if not rows:
        return [f"**No {what} was loaded that this trace has a request for**: it cannot say how large one is."]
    if rows[0]["size_bytes"] is None:
        count = linked(f"{int(rows[0]['requests']):,}", rows[0]["requests"])
        return [f"**How large they are cannot be said: none of the {count} requests has a size in this trace.**"]
    most = f"{coded(rows[0]['url'], ROUTE)}: {amount(rows[0]['size_bytes'], 'bytes')}"
    count = linked(f"{int(rows[0]['requests']):,}", rows[0]["requests"])
    in_all = f"{amount(rows[0]['all_bytes'], 'bytes')} came in {count} requests"
    others = "\n".join(
        f"- {coded(row['url'], ROUTE)}: {amount(row['size_bytes'], 'bytes')}"
        for row in rows[1:]
        if row["size_bytes"] is not None
    )
    if _FORMS.largest.search(question.text):
        return [f"**The largest {what} is {most}**; {in_all}.", others]
    return [f"**{in_all}**, the largest {what} {most}.", others]
