"""Layout and style that scripts forced in a browser: how often, how long it took, and which function did it."""

from typing import Any

from server.analyst.evidence import Evidence, busy_of
from server.analyst.figures import linked
from server.analyst.forms import forms
from server.analyst.kinds.kind import Call
from server.analyst.queries import query
from server.analyst.question import Question
from server.analyst.sentence_forms import asks_for_any
from server.analyst.wording import amount, cited_profile, coded, joined, share
from traces.insights.page import SCRIPT

_FORMS = forms("forced_layouts")
_STEPS = ("Layout", "UpdateLayoutTree", "RecalculateStyles")
_NAMES = {"Layout": "layouts"}
MUCH, SOME = 0.3, 0.05
"""Parts of a thread's work from which it is why that is slow, and from which it adds to it."""


def _query(name: str, profile: str = "") -> str:
    return query(name).format(scripts=SCRIPT, steps=_STEPS, profile=profile)


FORCED = _query("forced_layouts")


def queries(evidence: Evidence) -> list[Call]:
    """What is looked up of a page: what was forced, and then by whom."""
    if not evidence.called("query_trace"):
        return [("query_trace", {"sql": FORCED})]
    rows = _rows(evidence, FORCED)
    if not rows or not _forced(rows):
        return []
    by_sample, by_stack = _who(rows)
    asked = evidence.first("query_trace", sql=by_sample)
    return [("query_trace", {"sql": by_sample if asked is None or asked["rows"] else by_stack})]


def _who(rows: list[dict[str, Any]]) -> tuple[str, str]:
    profile = rows[0]["profile"]
    return _query("forced_by_sample", profile), _query("forced_by_stack", profile)


def _rows(evidence: Evidence, sql: str) -> list[dict[str, Any]]:
    """The rows of a query by their columns."""
    found = evidence.first("query_trace", sql=sql) or {"rows": []}
    return [
        {one["column"]: one.get("name", one.get("value_ns", one.get("value"))) for one in row} for row in found["rows"]
    ]


def _forced(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps that scripts forced in the thread that has the most of it."""
    return [row for row in rows if row["profile"] == rows[0]["profile"] and row["forced"]]


def written(question: Question, evidence: Evidence) -> list[str]:
    """How much was forced, and who forced it, what is asked for first; empty where there were no layouts."""
    rows = _rows(evidence, FORCED)
    if not rows:
        return []
    there, steps = evidence.profile(rows[0]["profile"]), _forced(rows)
    where = f" in {cited_profile(there)}" if there else ""
    if not steps:
        return [f"**No: scripts forced none of the {_count(rows[0]['runs'])} updates of layout and style**{where}."]
    parts = [
        f"{_count(row['forced'])} of {_count(row['runs'])} {_NAMES.get(row['name'], 'style updates')} "
        f"({amount(row['forced_ms'], 'nanoseconds')} of {amount(row['all_ms'], 'nanoseconds')})"
        for row in steps
    ]
    together = sum((row["forced_ms"] for row in steps[1:]), steps[0]["forced_ms"])
    in_all = f", {amount(together, 'nanoseconds')} together" if len(steps) > 1 else ""
    none = "" if any(row["name"] == "Layout" for row in steps) else ", and no layout"
    much = f"**{_verdict(question, together, there)}Scripts forced {joined(parts)}{in_all}{none}**{where}."
    by_sample, by_stack = _who(rows)
    who = _rows(evidence, by_sample) or _rows(evidence, by_stack)
    if not who:
        return [much]
    first, *others = [f"{_cited(row)} ({amount(row['forced_ms'], 'nanoseconds')})" for row in who]
    then = f", then {joined(others)}" if others else ""
    if _FORMS.who.search(question.text):
        return [f"**{first} forces the most of it**{then}. {much.replace('**', '')}"]
    return [f"{much} Most of it is in {first}{then}."]


def _verdict(question: Question, together: float, there: dict[str, Any] | None) -> str:
    """Yes or no where that is asked, by its part of what the thread did."""
    if not question.is_yes_or_no:
        return ""
    if asks_for_any(question.text) or there is None or not busy_of(there):
        return "Yes. "
    part = together / busy_of(there)
    said = "Yes" if part >= MUCH else "Partly" if part >= SOME else "Hardly"
    return f"{said}, it is {share(part)} of what the thread does. "


def _cited(row: dict[str, Any]) -> str:
    return f"[{coded(row['name'])}](#{row['frame']})" if row["frame"] else coded(row["name"])


def _count(value: Any) -> str:
    return linked(f"{int(value):,}", value)
