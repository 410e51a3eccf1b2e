"""Layout and style that scripts forced in a browser: how often, how long it took, and which function did it."""

from typing import Any

from server.analyst.evidence import Evidence, busy_of
from server.analyst.figures import linked
from server.analyst.forms import forms
from server.analyst.kinds.kind import Call
from server.analyst.question import Question
from server.analyst.sentence_forms import asks_for_any
from server.analyst.wording import amount, cited_profile, coded, joined, share
from traces.insights.page import SCRIPT

_FORMS = forms("forced_layouts")
_FORCED = (
    "WITH RECURSIVE inside AS (SELECT node FROM nodes WHERE name IN {scripts} UNION "
    "SELECT one.node FROM nodes one JOIN inside ON one.parent = inside.node), "
    "f AS (SELECT one.*, one.node IN (SELECT node FROM inside) AS forced, p.pid, p.tid FROM spans one "
    "JOIN profiles p ON p.profile = one.profile WHERE one.name IN {steps}) "
)
_MUCH = (
    "SELECT profile, name, count(*) AS runs, sum(dur_ms) AS all_ms, count(*) FILTER (forced) AS forced, "
    "coalesce(sum(dur_ms) FILTER (forced), 0) AS forced_ms FROM f GROUP BY profile, name "
    "ORDER BY sum(forced_ms) OVER (PARTITION BY profile) DESC, profile, forced_ms DESC LIMIT 3"
)
_BY_SAMPLE = (
    ", s AS (SELECT s.*, p.pid, p.tid FROM samples s JOIN profiles p ON p.profile = s.profile "
    "WHERE s.frame IS NOT NULL) SELECT s.frame, s.name, count(*) AS runs, sum(f.dur_ms) AS forced_ms "
    "FROM f ASOF JOIN s ON f.pid = s.pid AND f.tid = s.tid AND f.start_ns <= s.time_ns "
    "WHERE f.forced AND f.profile = '{profile}' "
    "AND s.time_ns <= f.start_ns + f.dur_ns GROUP BY s.frame, s.name ORDER BY forced_ms DESC LIMIT 3"
)
"""Who ran when it was forced, by the first sample in it of the same thread."""
_BY_STACK = (
    "SELECT '' AS frame, args['beginData'] ->> '$.stackTrace[0].functionName' AS name, count(*) AS runs, "
    "sum(dur_ms) AS forced_ms FROM spans WHERE profile = '{profile}' AND name IN {steps} AND "
    "args['beginData'] ->> '$.stackTrace[0].functionName' <> '' GROUP BY 2 ORDER BY forced_ms DESC LIMIT 3"
)
"""The same by the stack that the browser recorded with it."""
_STEPS = ("Layout", "UpdateLayoutTree", "RecalculateStyles")
_NAMES = {"Layout": "layouts"}
MUCH, SOME = 0.3, 0.05
"""Parts of a thread's work from which it is why that is slow, and from which it adds to it."""


def _query(statement: str, profile: str = "") -> str:
    return statement.format(scripts=SCRIPT, steps=_STEPS, profile=profile)


FORCED = _query(_FORCED + _MUCH)


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
    return _query(_FORCED + _BY_SAMPLE, profile), _query(_BY_STACK, profile)


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
    much = f"**{_verdict(question, together, there)}Scripts forced {joined(parts)}{in_all}**{where}."
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
