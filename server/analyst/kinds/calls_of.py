"""Questions about single calls of a function: the slowest, how their lengths are spread, with which arguments."""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.kinds import call_counts, one_function
from server.analyst.kinds.kind import BY_SELF, SUMMARY, Call
from server.analyst.kinds.one_function import leading, meant
from server.analyst.question import Intent, Question
from server.analyst.wording import amount, cited, coded, located

OUTLIER = 3.0
"""Times the middle call's length from which the longest one stands out."""
SHOWN = 4
LISTED_ARGUMENTS = 4
NO_SINGLE_CALLS = (
    "**Single calls are not in this trace**: it holds samples or sums, so which call took long, and how their lengths "
    "are spread, it cannot say. A profiler that records every call can (viztracer, uftrace, a Chrome trace, spans)."
)


def first(question: Question, evidence: Evidence) -> list[Call]:
    if question.names or question.maybe or question.handle:
        return one_function.first(question, evidence)
    return [SUMMARY, BY_SELF, ("get_longest_calls", {"limit": 5})]


def then(question: Question, evidence: Evidence) -> list[Call]:
    """The longest calls of the function and how long they took; then what the slowest of them was given."""
    rows = meant(question, evidence)
    named = question.names or question.maybe or question.handle
    calls: list[Call] = []
    if named and rows and not evidence.called("get_longest_calls"):
        name = rows[0]["name"][:100]
        calls = [
            ("get_longest_calls", {"filter": name, "limit": 5}),
            ("get_top_functions", {"filter": name, "limit": 5}),
        ]
        if question.intent is Intent.CALLS_OF and "histogram" in question.text.casefold():
            calls.append(("draw_chart", {"kind": "durations", "frame": rows[0]["handle"]}))
        return calls
    longest = _longest(question, evidence)
    return [("get_span_details", {"handle": longest[0]["handle"]})] if longest and longest[0]["handle"] else []


def _longest(question: Question, evidence: Evidence) -> list[dict[str, Any]]:
    """The longest single calls, of the function in question where one is; none where calls are not recorded."""
    found = evidence.first("get_longest_calls")
    if not found or not found["exact"]:
        return []
    rows: list[dict[str, Any]] = found["rows"]
    named = question.names or question.maybe or question.handle
    frames = [row["handle"] for row in meant(question, evidence)] if named else []
    return [row for row in rows if not frames or row["frame"] in frames] or rows


def calls_of(question: Question, evidence: Evidence) -> list[str]:
    if (question.names or question.maybe or question.handle) and not meant(question, evidence):
        return one_function.unknown(question, evidence)
    found, rows = evidence.first("get_longest_calls"), _longest(question, evidence)
    if not rows or found is None:
        return (
            [NO_SINGLE_CALLS, *call_counts.how_often(question, evidence)[:1]]
            if _function(question, evidence)
            else [
                NO_SINGLE_CALLS,
                leading(evidence, "Over all of the recording the hottest function is"),
            ]
        )
    unit, longest = found["unit"], rows[0]
    took = f"**The slowest call of {_called(longest)} took {amount(longest['duration'], unit)}**"
    first_ = (
        f"{took}, from {amount(longest['start'], unit)} on{located(longest)}.{_spread(question, evidence, longest)}"
    )
    others = [f"{_span(row)} {amount(row['duration'], unit)} at {amount(row['start'], unit)}" for row in rows[1:SHOWN]]
    return [first_, _arguments(evidence), f"After it: {', '.join(others)}." if others else "", _drawn(evidence)]


def _function(question: Question, evidence: Evidence) -> bool:
    return bool((question.names or question.maybe or question.handle) and evidence.first("get_callers_callees"))


def _called(row: dict[str, Any]) -> str:
    return cited({"name": row["name"], "handle": row["handle"]})


def _span(row: dict[str, Any]) -> str:
    return _called(row)


def _spread(question: Question, evidence: Evidence, longest: dict[str, Any]) -> str:
    """How many calls there were, how long the middle one took, and whether the longest stands out."""
    rankings = [result.data for result in evidence.all("get_top_functions") if "filter" in result.arguments]
    rows = [
        row for data in rankings for row in data["rows"] if row["handle"] == longest["frame"] and "durations" in row
    ]
    if not rows:
        return ""
    took, unit = rows[0]["durations"], "nanoseconds"
    middle = f" Of its {took['calls']:,} calls the middle one took {amount(took['median'], unit)}"
    if took["calls"] > 1 and took["median"] > 0 and took["longest"] >= OUTLIER * took["median"]:
        return f"{middle}: it is an outlier, {took['longest'] / took['median']:,.0f} times as long."
    return f"{middle}, so it is not far from the others."


def _arguments(evidence: Evidence) -> str:
    details = evidence.first("get_span_details")
    if details is None:
        return ""
    if not details["arguments"]:
        return "With which arguments it was called is not recorded."
    listed = ", ".join(
        f"{coded(one['name'], 40)} = {coded(one['text'], 120)}" for one in details["arguments"][:LISTED_ARGUMENTS]
    )
    return f"It was called with {listed}."


def _drawn(evidence: Evidence) -> str:
    return "The histogram shows how long its calls took." if evidence.first("draw_chart") else ""
