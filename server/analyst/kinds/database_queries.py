"""Questions for queries to a database: which is the heaviest, how many there are, whether it is them."""

import re
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.findings import sentence_of
from server.analyst.forms import expression, forms
from server.analyst.kinds.kind import BY_SELF, FINDINGS, SUMMARY, Call
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.paths import LEADS
from server.analyst.kinds.waiting import MATCHES, matches
from server.analyst.question import Question
from server.analyst.wording import amount, cited, in_calls, neighbours, own, total

_FORMS = forms("database_queries")


def first_queries(question: Question, evidence: Evidence) -> list[Call]:
    pattern = expression("frames_that_wait", "the database")
    return [SUMMARY, BY_SELF, FINDINGS, ("find_frames", {"pattern": pattern, "regex": True, "limit": MATCHES})]


def then_queries(question: Question, evidence: Evidence) -> list[Call]:
    rows = matches(evidence)
    main = evidence.main
    if not rows:
        return []
    calls: list[Call] = [("get_callers_callees", {"frame": rows[0]["handle"]})]
    if main and main["kind"] == "evented":
        calls.append(("get_longest_calls", {"filter": rows[0]["name"][:100], "limit": 3}))
    return calls


_LOADS_A_FILE = re.compile(r"(?:include|require)(?:_once)?(?:::|$)")
"""PHP's loading of a file, which has the file's name: one that deals with queries is not one."""


def _whether(question: Question, row: dict[str, Any]) -> str:
    """Yes or no, where that is asked."""
    if not question.is_yes_or_no:
        return ""
    much = row["total_share"]
    return "**Yes.** " if much >= 0.3 else "**Partly.** " if much >= LEADS else "**No, hardly.** "


_HAS_TEXT = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE)\b")


def _texts(question: Question, row: dict[str, Any]) -> str:
    """A word first where one of the queries is asked for, and none is recorded by its text."""
    if not _FORMS.which_query.search(question.text) or _HAS_TEXT.search(row["name"]):
        return ""
    return "**Which query cannot be said: functions were recorded, and not what they were called with.** "


def queries(question: Question, evidence: Evidence) -> list[str]:
    rows = [row for row in matches(evidence) if not _LOADS_A_FILE.match(row["name"])]
    findings = evidence.findings("requests")
    if not rows and not findings:
        none = "**No query and no request is recorded in this trace**: no function or event is named like one."
        return [
            none,
            leading(evidence, "What takes the most is"),
            "To see queries, trace them: with OpenTelemetry, or a profiler that records calls with their arguments.",
        ]
    parts = []
    if findings:
        first = findings[0]
        parts.append(f"**{first['title']}**: {sentence_of(first)} {first['advice']}")
        parts += [f"- {row['title']}: {sentence_of(row)}" for row in findings[1:3]]
    if rows and (found := evidence.first("find_frames")):
        unit, row = found["unit"], rows[0]
        parts.append(
            f"{_texts(question, row)}{_whether(question, row)}"
            f"**Of what is named like a query, {cited(row)} is the heaviest**"
            f"{in_calls(row, found['counted'])}: "
            f"{total(row, unit)} in total, {own(row, unit)} itself."
        )
        around = evidence.first("get_callers_callees")
        parts.append(neighbours(around, around["unit"]) if around else "")
    longest = evidence.rows("get_longest_calls")
    if longest:
        row = longest[0]
        parts.append(f"The longest single one, {cited(row)}, took {amount(row['duration'], 'nanoseconds')}.")
    return [*parts, leading(evidence, "What takes the most of all is")]
