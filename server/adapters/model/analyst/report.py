"""The analyst's answer: sentences by rule around the tools' own figures, the dominating function first."""

from typing import assert_never

from server.adapters.model.analyst.evidence import Evidence
from server.adapters.model.analyst.overview import LEADS, overview
from server.adapters.model.analyst.question import Question, Topic
from server.adapters.model.analyst.wording import (
    amount,
    cited,
    cited_profile,
    coded,
    located,
    neighbours,
    noun,
    own,
    share,
    table,
    whole,
)

SIGNATURE = (
    "*Written by the built-in analyst: rules over the trace, not a language model. To connect one, set "
    "`OPENAI_API_KEY`, or `FLAMECHAT_MODEL_BASE_URL` for any OpenAI-compatible server, and start again.*"
)


def report(question: Question, evidence: Evidence) -> str:
    """The whole answer in Markdown."""
    match question.topic:
        case Topic.OVERVIEW:
            parts = overview(evidence)
        case Topic.TOP | Topic.WINDOW:
            parts = _ranking(question, evidence)
        case Topic.FUNCTION:
            parts = _function(question, evidence)
        case Topic.SHOW:
            parts = _shown(question, evidence)
        case Topic.GARBAGE:
            parts = _garbage(evidence)
        case Topic.PROFILES:
            parts = _profiles(evidence)
        case Topic.ABILITIES:
            parts = _abilities(evidence)
        case _:
            assert_never(question.topic)
    return "\n\n".join(part for part in [*parts, _failures(evidence), SIGNATURE] if part)


def _ranking(question: Question, evidence: Evidence) -> list[str]:
    found = evidence.first("get_top_functions")
    if not found or not found["rows"]:
        return ["No function has any weight there."]
    unit, rows, order = found["unit"], found["rows"], found["sort_by"]
    said = own if order == "self" else whole
    span = "" if question.window is None else f" between {question.window[0]:g} ms and {question.window[1]:g} ms"
    first = (
        f"**{cited(rows[0])} leads by {order} {noun(unit)}{span}**{located(rows[0])}: {said(rows[0], unit)} of "
        f"{amount(found['whole'], unit)}."
    )
    more = f"{found['total_rows']:,} functions in all." if found["total_rows"] > len(rows) else ""
    return [first, table([row for row in rows if row[f"{order}_share"] > 0] or rows[:1], unit), more]


def _function(question: Question, evidence: Evidence) -> list[str]:
    around = evidence.first("get_callers_callees")
    if around is None:
        return _unknown(question, evidence)
    unit, row = around["unit"], around["frame"]
    busy_itself = row["self_value"] * 2 > row["total_value"]
    first = (
        f"**{cited(row)}**{located(row)} takes {whole(row, unit)} in total and {own(row, unit)} itself, "
        f"counted {row['count']:,} times: it "
        f"{'does most of its work itself' if busy_itself else 'mostly passes through to what it calls'}."
    )
    parts = [first, neighbours(around, unit), around.get("remark") or ""]
    others = [match for match in evidence.matches if match["handle"] != row["handle"]][:4]
    if others:
        listed = ", ".join(f"{cited(match)} ({share(match['total_share'])})" for match in others)
        parts.append(f"Other matches: {listed}.")
    if evidence.first("generate_sandwich_flamegraph_screenshot"):
        parts.append("The sandwich picture shows its callers above and its callees below.")
    return parts


def _unknown(question: Question, evidence: Evidence) -> list[str]:
    asked = ", ".join(coded(name) for name in question.names) or coded(question.handle or "it")
    near = [row for result in evidence.all("find_frames") for row in result.data.get("nearest", [])][:5]
    parts = [f"This trace has no function that matches {asked}."]
    if near:
        parts.append("The nearest names are " + ", ".join(cited(row) for row in near) + ".")
    return [*parts, _leading(evidence, "What does take the most is")]


def _leading(evidence: Evidence, words: str) -> str:
    """One sentence about the hottest function, or nothing when the tools did not rank any."""
    lead = evidence.lead
    return (
        "" if lead is None else f"{words} {cited(lead.row)}, with {own(lead.row, lead.unit)} of self {noun(lead.unit)}."
    )


def _shown(question: Question, evidence: Evidence) -> list[str]:
    parts = []
    if evidence.first("get_callers_callees"):
        parts = _function(question, evidence)
    elif question.names or question.handle:
        parts = _unknown(question, evidence)
    else:
        drawn = evidence.first("generate_flamegraph_screenshot")
        order = "as it happened" if drawn and drawn["view"] == "time_order" else "merged, heaviest first"
        shown = f"It shows [`{drawn['profile']}`](#{drawn['profile']}), {order}." if drawn else ""
        parts = [_leading(evidence, "Here is the picture. Its heaviest function is"), shown]
    moved = evidence.first("show_in_viewer")
    return [*parts, "The flame chart beside this conversation shows it now." if moved else ""]


def _garbage(evidence: Evidence) -> list[str]:
    rows = [row for row in evidence.matches if row["total_value"] > 0]
    found = evidence.first("find_frames")
    closing = _leading(evidence, "What takes the most is")
    if not rows or not found:
        none = (
            "**No frame in this trace is named like garbage collection**: either there was none, "
            "or this profiler does not record it."
        )
        return [none, closing]
    unit = found["unit"]
    size = "a large part" if rows[0]["total_share"] >= LEADS else "a small part"
    first = (
        f"**{cited(rows[0])} is the heaviest frame named like garbage collection: {whole(rows[0], unit)}**, "
        f"{size} of the {noun(unit)}."
    )
    listed = [f"- {cited(row)}{located(row)}: {whole(row, unit)} in total, {own(row, unit)} itself" for row in rows[:6]]
    caution = "These are matches by name. Totals of frames that call each other must not be added."
    return [first, "\n".join(listed), caution, closing]


def _profiles(evidence: Evidence) -> list[str]:
    listed = evidence.first("list_profiles")
    if not listed:
        return ["The profiles of this trace could not be listed."]
    rows = listed["profiles"]
    busiest = max(rows, key=lambda row: row.get("total") or 0)
    busy = amount(busiest["total"], busiest["unit"])
    lines = []
    for row in sorted(rows, key=lambda row: -(row.get("total") or 0))[:12]:
        idle = f", idle {share(row['idle_share'])}" if row.get("idle_share") else ""
        lines.append(f"- {cited_profile(row)}: {row['kind']}, {amount(row['total'], row['unit'])} busy{idle}")
    return [
        f"**{cited_profile(busiest)} is the busiest of {listed['total_profiles']}: {busy}.**",
        "\n".join(lines),
        _leading(evidence, "In the main profile the heaviest function is"),
    ]


def _abilities(evidence: Evidence) -> list[str]:
    summary = evidence.first("get_trace_summary")
    if not summary:
        return ["The summary of this trace could not be read."]
    length = f", {amount(summary['duration_ns'], 'nanoseconds')} long" if summary.get("duration_ns") else ""
    count = len(summary["profiles"])
    first = (
        f"This is a **{summary['format']}** trace{length}, with {count} profile{'s' if count != 1 else ''} and "
        f"{summary['frame_count']:,} functions."
    )
    parts = [first]
    for title, items in (("It can answer", summary["can_answer"]), ("It cannot answer", summary["cannot_answer"])):
        if items:
            parts.append(f"{title}:\n\n" + "\n".join(f"- {item}" for item in items))
    return [*parts, _leading(evidence, "For a start, the heaviest function is")]


def _failures(evidence: Evidence) -> str:
    failed = dict.fromkeys(result.tool for result in evidence.results if result.failed)
    return f"({', '.join(failed)} could not answer, so this is without it.)" if failed else ""
