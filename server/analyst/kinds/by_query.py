"""Questions that a query answers: typed SQL, charts, the order of events, requests, what grows with time."""

import re
from typing import Any

from server.analyst.chosen_intent import SQL
from server.analyst.evidence import Evidence, Result, lead_of
from server.analyst.findings import sentence_of
from server.analyst.forms import forms
from server.analyst.kinds import database_queries, next_to_it, one_function, overview, scaling
from server.analyst.kinds.kind import BY_SELF, SUMMARY, Call
from server.analyst.kinds.loaded_files import by_size, sizes
from server.analyst.kinds.meant_functions import meant
from server.analyst.kinds.moments_and_calls import NO_MOMENTS
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.reasons import asks_why
from server.analyst.moments import is_next_to
from server.analyst.queries import query
from server.analyst.question import Question
from server.analyst.wording import amount, cited, coded, joined, moment
from traces.lazy_regex import lazy_regex

_FORMS = forms("by_query")
_KNOWN_FORMS = forms("known_forms")

_STARTS = lazy_regex(r"\b(?:explain\s+select|select|with)\b", re.IGNORECASE)
SHOWN = 10
PHASES = 6
ROUTE = 120
GROWING = query("growing")
CALLS_BETWEEN = query("calls_between")
SAMPLES_BETWEEN = query("samples_between")
REQUESTS = query("requests")

REQUESTS_BY_NAME = query("requests_by_name")


def statement_in(text: str) -> str:
    """The SQL that a prompt is, or ends in (`run this: select ...`); empty where it only speaks of it."""
    starts = (found.start() for found in _STARTS.finditer(text))
    return next((text[at:] for at in starts if SQL.match(text[at:])), "")


def first_sql(question: Question, evidence: Evidence) -> list[Call]:
    statement = statement_in(question.text)
    return [("query_trace", {"sql": statement})] if statement else [SUMMARY]


def sql(question: Question, evidence: Evidence) -> list[str]:
    found = evidence.first("query_trace")
    if not statement_in(question.text):
        return [
            "**Type the query itself, and I run it**: it begins with SELECT or WITH, over the tables of this trace."
        ]
    if found is None:
        failed = next((result.text for result in evidence.results if result.tool == "query_trace"), "")
        return [f"**That query could not be run.** {failed}"]
    columns = found["columns"]
    head = f"**{found['row_count']:,} row{'' if found['row_count'] == 1 else 's'}**" + (", and more" * found["more"])
    lines = ["| " + " | ".join(coded(name, 40) for name in columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in found["rows"][:SHOWN]]
    rest = found["row_count"] - SHOWN
    return [f"{head}.", "\n".join(lines) if found["rows"] else "", f"{rest:,} more in the table." if rest > 0 else ""]


def _cell(cell: dict[str, Any]) -> str:
    if "name" in cell:
        return coded(cell["name"]).replace("|", "\\|")
    if "value_ns" in cell:
        return amount(cell["value_ns"], "nanoseconds")
    if "value_bytes" in cell:
        return amount(cell["value_bytes"], "bytes")
    value = cell["value"]
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def first_draw(question: Question, evidence: Evidence) -> list[Call]:
    if (question.names or question.maybe or question.handle) and not _FORMS.by_function.search(question.text):
        return one_function.first(question, evidence)
    lower = question.text.casefold()
    over_time = any(word in lower for word in ("over time", "activity", "timeline", "cpu usage", "utili", "busy"))
    return [SUMMARY, BY_SELF, ("draw_chart", {"kind": "activity" if over_time else "self_time"})]


def then_draw(question: Question, evidence: Evidence) -> list[Call]:
    rows = meant(question, evidence) if question.names or question.maybe or question.handle else []
    if not rows or evidence.called("draw_chart") or _FORMS.by_function.search(question.text):
        return []
    return [("draw_chart", {"kind": "durations", "frame": rows[0]["handle"]})]


def draw(question: Question, evidence: Evidence) -> list[str]:
    drawn = evidence.first("draw_chart")
    if drawn is None:
        failed = next((result.text for result in evidence.results if result.tool == "draw_chart"), "")
        return [
            f"**That chart cannot be drawn of this trace.** {failed}",
            leading(evidence, "The heaviest function is"),
        ]
    if "call_count" in drawn:
        median, high, longest = (amount(drawn[name], "nanoseconds") for name in ("median_ns", "p95_ns", "longest_ns"))
        calls = f"**The histogram shows how long {drawn['call_count']:,} calls of {cited(drawn)} took**"
        return [f"{calls}: {median} in the median, {high} at the 95th percentile, the longest {longest}."]
    what = {"activity": "activity over time", "self_time": "self time by function", "durations": "how long calls took"}
    return [
        f"**The chart shows {what.get(drawn['kind'], drawn['kind'])}.**",
        leading(evidence, "The heaviest function is"),
    ]


NOT_LOOKED_UP = "**When that ran could not be looked up this time.**"
"""In place of saying that the recording has no moments, where a look at them failed."""


def first_timeline(question: Question, evidence: Evidence) -> list[Call]:
    if question.names or question.maybe or question.handle:
        return one_function.first(question, evidence)
    return [SUMMARY, BY_SELF, ("get_hottest_windows", {"limit": 20})]


def then_timeline(question: Question, evidence: Evidence) -> list[Call]:
    rows = meant(question, evidence) if question.names or question.maybe or question.handle else []
    if rows and is_next_to(question.text) and (ran := _ran(evidence)) and not _next_to_it(evidence):
        first, last, main = ran  # a window counts from the start of the main profile
        part = (
            {"end_time_ms": first - main} if is_next_to(question.text) == "before" else {"start_time_ms": last - main}
        )
        return [("get_top_functions", {"sort_by": "self", "limit": 5} | part)]
    if not rows:
        return []
    handle = rows[0]["handle"]
    if (next_calls := next_to_it.calls(question, handle)) and not evidence.called("query_trace"):
        return next_calls
    if next_to_it.answer(question, evidence, rows[0]):
        return []
    if any("AS first_ms" in one.arguments.get("sql", "") for one in evidence.all("query_trace")):
        return [] if _ran(evidence) else one_function.then(question, evidence)
    main = (evidence.summary or {"default_profile": "p0"})["default_profile"]
    return [
        ("query_trace", {"sql": query.replace("?", handle).format(main=main)})
        for query in (CALLS_BETWEEN, SAMPLES_BETWEEN)
    ]


def _moments(evidence: Evidence) -> list[Result]:
    """What was asked for when a function ran first and last."""
    return [one for one in evidence.all("query_trace") if "AS first_ms" in one.arguments["sql"] and one.data["rows"]]


def _ran(evidence: Evidence) -> tuple[float, float, float] | None:
    """When the function in question ran first and last and the main profile begins, in ms; None where that is not
    known."""
    for result in _moments(evidence):
        count, first, last, main = result.data["rows"][0]
        if count.get("value"):
            return first["value_ns"] / 1e6, last["value_ns"] / 1e6, (main.get("value_ns") or 0) / 1e6
    return None


def _next_to_it(evidence: Evidence) -> dict[str, Any] | None:
    """The ranking of the time before or after."""
    times = {"start_time_ms", "end_time_ms"}
    return next((one.data for one in evidence.all("get_top_functions") if times & one.arguments.keys()), None)


def _beyond(question: Question, evidence: Evidence) -> str:
    """What leads before or after the function in question, where that is asked."""
    ran, around = _ran(evidence), _next_to_it(evidence)
    if ran is None or around is None:
        return ""
    lead, at = lead_of(around), is_next_to(question.text)
    when = f"Before that, until {moment(ran[0])}" if at == "before" else f"After that, from {moment(ran[1])} on"
    if lead is None or lead.row["self_value"] <= 0:
        return f"**{when}, nothing ran in this profile.**"
    most = f"the most is in {cited(lead.row)}: {amount(lead.row['self_value'], lead.unit)} itself"
    return f"**{when}, {most}**, of {amount(lead.total, lead.unit)} of work."


def timeline(question: Question, evidence: Evidence) -> list[str]:
    """When a function ran first and last; or what leads in each part of the recording, in order."""
    named = question.names or question.maybe or question.handle
    rows = meant(question, evidence) if named else []
    if named and not rows:
        return one_function.unknown(question, evidence)
    if rows and (beyond := next_to_it.answer(question, evidence, rows[0]) or _beyond(question, evidence)):
        return [beyond]
    if rows:
        for result in _moments(evidence):
            count, first, last, _ = result.data["rows"][0]
            if count.get("value"):
                what = "calls" if count["column"] == "spans" else "samples"
                began, ended = moment(first["value_ns"] / 1e6), moment(last["value_ns"] / 1e6)
                said = f"**{cited(rows[0])} runs first at {began} and last until {ended}**"
                return [f"{said}, in {count['value']:,} {what}."]
        failed = any(result.failed for result in evidence.results if result.tool == "query_trace")
        return [NOT_LOOKED_UP if failed else NO_MOMENTS, *one_function.about(question, evidence)[:1]]
    found = evidence.first("get_hottest_windows")
    if not found or not found["rows"]:
        return [NO_MOMENTS, leading(evidence, "Over all of it the hottest function is")]
    parts = sorted(found["rows"], key=lambda row: row["start"])
    phases: list[tuple[dict[str, Any], float, float]] = []
    for row in parts:
        if not row["functions"]:
            continue
        leads = row["functions"][0]
        if phases and phases[-1][0]["handle"] == leads["handle"]:
            phases[-1] = (leads, phases[-1][1], row["end"])
        else:
            phases.append((leads, row["start"], row["end"]))
    spans = [f"{cited(lead)} from {moment(start / 1e6)} to {moment(end / 1e6)}" for lead, start, end in phases[:PHASES]]
    return [
        f"**In order, what leads is {joined(spans)}.**",
        leading(evidence, "Over all of it the hottest function is"),
    ]


def first_requests(question: Question, evidence: Evidence) -> list[Call]:
    if of_sizes := by_size(question):
        return [SUMMARY, *of_sizes]
    return [*database_queries.first_queries(question, evidence), ("query_trace", {"sql": REQUESTS})]


def then_requests(question: Question, evidence: Evidence) -> list[Call]:
    if by_size(question):
        return []
    found = evidence.first("query_trace")
    by_name: list[Call] = [] if found and found["rows"] else [("query_trace", {"sql": REQUESTS_BY_NAME})]
    if by_name and asks_why(question):
        by_name += overview.then(question, evidence)
    return [*by_name, *database_queries.then_queries(question, evidence)]


def requests(question: Question, evidence: Evidence) -> list[str]:
    """The slowest requests; where none is recorded as one, what is named like a query."""
    if of_sizes := sizes(question, evidence):
        return of_sizes
    found = next((one.data for one in evidence.all("query_trace") if one.data["rows"]), None)
    if not found:
        of_all = overview.overview if asks_why(question) else database_queries.queries
        return of_all(question, evidence)
    rows = [(url["name"], start, took) for url, _, start, took in found["rows"]]
    url, start, took = rows[0]
    lines = [f"- {coded(one, ROUTE)}: {amount(length['value_ns'], 'nanoseconds')}" for one, _, length in rows[1:]]
    findings = [f"{sentence_of(row)} {row['advice']}".strip() for row in evidence.findings("requests")[:2]]
    slowest = amount(took["value_ns"], "nanoseconds")
    return [
        f"**The slowest request is {coded(url, ROUTE)}: {slowest}**, from {moment(start['value_ns'] / 1e6)} on.",
        *findings,
        "\n".join(lines),
    ]


def then_growth(question: Question, evidence: Evidence) -> list[Call]:
    if _KNOWN_FORMS.scales.search(question.text):
        return scaling.calls(question, evidence)
    if (evidence.main or {}).get("kind") == "evented":
        return [("query_trace", {"sql": GROWING})]
    return overview.then(question, evidence) if asks_why(question) else []


def growth(question: Question, evidence: Evidence) -> list[str]:
    """Functions whose calls get longer; honest where single calls are not recorded."""
    if _KNOWN_FORMS.scales.search(question.text):
        return scaling.said(question, evidence)
    found = evidence.first("query_trace")
    main = evidence.main
    closing = leading(evidence, "What takes the most is")
    if main is not None and main["kind"] != "evented":
        if asks_why(question):
            return overview.overview(question, evidence)
        return [
            "**This trace cannot say whether anything gets slower**: single calls are not in it, only samples or sums.",
            closing,
        ]
    if not found:
        return ["**Whether calls get longer could not be looked up here.**", closing]
    if not found["rows"]:
        return ["**No: no function's calls get clearly longer during the recording.**", closing]
    rows = [{cell["column"]: cell for cell in row} for row in found["rows"]]
    grown = [
        f"[{coded(row['name']['name'])}](#{row['frame']['name']}) from "
        f"{amount(row['first_ms']['value_ns'], 'nanoseconds')} to {amount(row['last_ms']['value_ns'], 'nanoseconds')} "
        f"a call, in {row['calls']['value']:,} calls"
        for row in rows
    ]
    return [f"**Yes, calls get longer: {grown[0]}.**", "\n".join(f"- {one}" for one in grown[1:]), closing]
