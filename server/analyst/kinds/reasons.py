"""Why one function is slow: the finding of a cause within what it takes."""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.findings import claimed
from server.analyst.forms import forms
from server.analyst.kinds import single_events
from server.analyst.kinds.kind import Call
from server.analyst.question import Intent, Question
from server.analyst.wording import CALLS

_FORMS = forms("reasons")

EXPLAINS = 0.3
"""Part of a function's total that a finding must explain to be why it is slow."""
SYMPTOM = "long_task"
"""The class that says when something takes long, and not why: it comes last."""
MOSTLY_ALL = 0.7
"""Total share from which all that is found in the recording is found in that function."""


def asks_why(question: Question) -> bool:
    """Whether a cause is asked for, in any of the languages."""
    return question.why or _FORMS.asks_why.search(question.text) is not None


MOST_OF_IT = 0.4
"""Part of all that a function takes from which one of its calls is why."""


def single_calls(question: Question, handle: str, where: dict[str, Any], evidence: Evidence) -> list[Call]:
    """The query for a function's longest calls, where it is asked why and calls were recorded one by one."""
    asks = question.intent is Intent.FUNCTION and asks_why(question) and evidence.counted == CALLS
    return [single_events.of_function(handle, "", where.get("profile"))] if asks else []


def one_long_call(question: Question, evidence: Evidence, around: dict[str, Any]) -> str:
    """Where it is asked why a function takes what it does: the one call of many that took most of it."""
    row = around["frame"]
    ways = [single_events.of_function(row["handle"], "", one) for one in (None, around["profile"])]
    calls = next((found for way in ways if (found := single_events.found(way, evidence))), None)
    if not asks_why(question) or calls is None or calls.count < 2 or not row["total_value"]:
        return ""
    took = calls.rows[0][2]
    if took < MOST_OF_IT * row["total_value"]:
        return ""
    return f"{single_events.said(calls, 'call', 'longest', evidence)} That one call is most of it. "


def why_slow(question: Question, evidence: Evidence, around: dict[str, Any]) -> str:
    """Where the cause of a function's cost is asked: the worst finding of a cause within what it takes."""
    row = around["frame"]
    if not asks_why(question) or row["total_value"] <= 0:
        return ""
    below = {row["handle"], *(one["handle"] for one in around["callees"])}
    tree = evidence.first("get_call_tree", root=row["handle"])
    below |= {one["handle"] for one in (tree["nodes"] if tree else [])} | {
        one.get("frame", "") for one in (tree["nodes"] if tree else [])
    }
    for found in sorted(evidence.found(), key=lambda one: one["cause"] == SYMPTOM):
        enough = (found["share"] or 0) >= EXPLAINS * row["total_share"]
        inside = any(one["handle"] in below for one in found["evidence"])
        if found["cause"] and enough and (inside or row["total_share"] >= MOSTLY_ALL):
            return f"{claimed(found)} "
    return ""
