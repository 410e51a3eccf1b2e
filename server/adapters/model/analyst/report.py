"""The analyst's answer: sentences by rule around the tools' own figures, the dominating function first."""

from itertools import groupby
from typing import Any, assert_never

from server.adapters.model.analyst.evidence import PSEUDO_FRAMES, Evidence, Lead, lead_of
from server.adapters.model.analyst.question import Question, Topic
from server.adapters.model.analyst.wording import (
    amount,
    cited,
    cited_profile,
    coded,
    located,
    noun,
    own,
    share,
    table,
    verb,
    whole,
)
from server.agent.quoting import plain

SIGNATURE = (
    "*Written by the built-in analyst: rules over the trace, not a language model. To connect one, set "
    "`OPENAI_API_KEY`, or `FLAMECHAT_MODEL_BASE_URL` for any OpenAI-compatible server, and start again.*"
)

DOMINATES = 0.1
"""Self share from which one function is worth naming as what dominates; below it the time is spread."""

PATH_STEPS = 8
FEW_SAMPLES = 100
"""Below this many samples a share of some percent is within chance."""


def report(question: Question, evidence: Evidence) -> str:
    """The whole answer in Markdown."""
    match question.topic:
        case Topic.OVERVIEW:
            parts = _overview(evidence)
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


def _overview(evidence: Evidence) -> list[str]:
    lead = evidence.lead
    if lead is None:
        return ["This trace holds no work to attribute: no function has any self time in its main profile."]
    rows = [row for row in lead.rows[:5] if row["self_value"] > 0]
    spent = f"Where the {noun(lead.unit)} is {verb(lead.unit)}:\n\n{table(rows, lead.unit)}"
    return [
        _verdict(lead, evidence),
        _pseudo_remark(lead),
        _path(evidence),
        _callers(evidence),
        spent if len(rows) > 1 else "",
        _other_profiles(evidence, lead),
        _advice(evidence, lead),
        _caveats(evidence),
    ]


def _verdict(lead: Lead, evidence: Evidence) -> str:
    row, unit = lead.row, lead.unit
    deeper = row["total_value"] > row["self_value"]
    through = f", and {whole(row, unit)} including what it calls" if deeper else ", nothing in what it calls"
    profile = _profile(evidence, lead.profile)
    of_it = f"of {amount(lead.whole, unit)}" + (f" in {cited_profile(profile)}" if profile else "")
    spent = f"{own(row, unit)} {of_it} is {verb(unit)} in it itself{through}."
    if row["self_share"] >= DOMINATES:
        return f"**{cited(row)} dominates**{located(row)}: {spent}"
    return (
        f"**{cited(row)} is the heaviest function, but nothing dominates**{located(row)}: {spent} "
        f"The {noun(unit)} is spread over many functions."
    )


def _profile(evidence: Evidence, handle: str) -> dict[str, Any] | None:
    """The profile's row when the trace has several, so that it is worth naming."""
    summary = evidence.first("get_trace_summary")
    if not summary or len(summary["profiles"]) < 2:
        return None
    return next((row for row in summary["profiles"] if row["handle"] == handle), None)


def _pseudo_remark(lead: Lead) -> str:
    first = lead.rows[0]
    if first["name"] not in PSEUDO_FRAMES or first is lead.row:
        return ""
    more = f"{own(first, lead.unit)}, under {cited(first)}"
    return f"The profiler puts more, {more}, which is not one function of the program."


def _other_profiles(evidence: Evidence, lead: Lead) -> str:
    """What leads in the other profiles that were ranked."""
    lines = []
    for result in evidence.all("get_top_functions"):
        profile = _profile(evidence, result.data["profile"])
        other = lead_of(result.data)
        if profile and other and other.profile != lead.profile:
            lines.append(f"- {cited_profile(profile)}: {cited(other.row)} with {own(other.row, other.unit)}")
    return "The hottest function elsewhere:\n\n" + "\n".join(lines) if lines else ""


def _path(evidence: Evidence) -> str:
    """From the root to the leading function where it weighs most; if the tree does not hold it, down the heaviest child
    as long as that carries most of the weight.
    """
    tree, lead = evidence.first("get_call_tree"), evidence.lead
    if not tree or not tree["nodes"] or not lead:
        return ""
    nodes = {node["handle"]: node for node in tree["nodes"]}
    own_nodes = [node for node in tree["nodes"] if node["frame_handle"] == lead.row["handle"]]
    path: list[dict[str, Any]] = []
    if own_nodes:
        above: dict[str, Any] | None = max(own_nodes, key=lambda node: node["total_value"])
        while above is not None:
            path.insert(0, above)
            above = nodes.get(above["parent"] or "")
    else:
        level = [node for node in tree["nodes"] if node["parent"] is None]
        while level:
            heaviest = max(level, key=lambda node: node["total_value"])
            if path and heaviest["total_value"] * 2 < path[-1]["total_value"]:
                break
            path.append(heaviest)
            level = [node for node in tree["nodes"] if node["parent"] == heaviest["handle"]]
    steps = [list(run) for _, run in groupby(path, key=lambda node: node["frame_handle"])]
    shown = steps[-PATH_STEPS:]
    if len(shown) < 2:
        return ""
    said = " → ".join(f"{cited(run[0])} {share(run[0]['total_share'])}{_nested(run)}" for run in shown)
    return f"The heaviest path{' to it' if own_nodes else ''}: {'… → ' if len(steps) > len(shown) else ''}{said}."


def _nested(run: list[dict[str, Any]]) -> str:
    """How deep a function calls itself there, and what the innermost call still holds."""
    return "" if len(run) < 2 else f" (calls itself {len(run) - 1} deep, down to {share(run[-1]['total_share'])})"


def _callers(evidence: Evidence) -> str:
    around = evidence.first("get_callers_callees")
    return _neighbours(around, around["unit"]) if around else ""


def _neighbours(around: dict[str, Any], unit: str) -> str:
    sentences = []
    for key, words, none in (
        ("callers", "It is called from", "Nothing calls it."),
        ("callees", "It calls", "It calls nothing else."),
    ):
        rows = [row for row in around[key] if row["handle"]][:4]
        listed = ", ".join(f"{cited(row)} ({amount(row['value'], unit)})" for row in rows)
        sentences.append(f"{words} {listed}." if rows else none)
    return " ".join(sentences)


def _advice(evidence: Evidence, lead: Lead) -> str:
    around = evidence.first("get_callers_callees") or {"callers": []}
    caller = next((row for row in around["callers"] if row["handle"] and row["name"] not in PSEUDO_FRAMES), None)
    lines = [f"Making {cited(lead.row)} itself cheaper can save at most {own(lead.row, lead.unit)}."]
    if caller and caller["name"] != lead.row["name"]:
        lines.append(f"Calling it less often means looking at {cited(caller)}, its heaviest caller.")
    return "What to try: " + " ".join(lines)


def _caveats(evidence: Evidence) -> str:
    summary = evidence.first("get_trace_summary")
    if not summary:
        return ""
    notes = [plain(warning["text"], 300).rstrip(".") + "." for warning in summary.get("warnings", [])[:3]]
    told = evidence.lead.profile if evidence.lead else summary["default_profile"]
    main = next((p for p in summary["profiles"] if p["handle"] == told), None)
    if main and main.get("idle_share"):
        notes.append(f"That profile is idle {share(main['idle_share'])} of its time; idle time is left out above.")
    if main and main["kind"] == "sampled" and (count := main.get("sample_count")) and count < FEW_SAMPLES:
        notes.append(f"There are only {count:,} samples: small shares are within chance.")
    return "Keep in mind: " + " ".join(notes) if notes else ""


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
    parts = [first, _neighbours(around, unit), around.get("remark") or ""]
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
    closing = _leading(evidence, "What dominates is")
    if not rows or not found:
        none = (
            "**No frame in this trace is named like garbage collection**: either there was none, "
            "or this profiler does not record it."
        )
        return [none, closing]
    unit = found["unit"]
    size = "a large part" if rows[0]["total_share"] >= DOMINATES else "a small part"
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
