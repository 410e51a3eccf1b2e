"""The analyst's answer: sentences by rule around the tools' own figures, the dominating function first."""

from typing import Any, assert_never

from server.adapters.model.analyst.evidence import PSEUDO_FRAMES, Evidence
from server.adapters.model.analyst.question import Question, Topic
from server.adapters.model.analyst.wording import amount, cited, located, noun, own, share, table, whole
from server.agent.quoting import plain

SIGNATURE = (
    "*Written by the built-in analyst: rules over the trace, not a language model. To connect one, set `OPENAI_API_KEY`, "
    "or `FLAMECHAT_MODEL_BASE_URL` for any OpenAI-compatible server, and start again.*"
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
    table_ = evidence.first("get_top_functions", sort_by="self")
    if not table_ or not evidence.hottest:
        return ["This trace holds no work to attribute: no function has any self time in its main profile."]
    unit, hot = table_["unit"], evidence.hottest
    rows = [row for row in table_["rows"][:5] if row["self_value"] > 0]
    return [
        _verdict(hot, unit, table_["whole"]),
        _pseudo_remark(table_, unit),
        _path(evidence, unit),
        _callers(evidence, hot, unit),
        f"Where the {noun(unit)} is spent itself:\n\n{table(rows, unit)}" if len(rows) > 1 else "",
        _advice(evidence, hot, unit),
        _caveats(evidence),
    ]


def _verdict(hot: dict[str, Any], unit: str, all_of_it: float) -> str:
    spent = f"{own(hot, unit)} of the {amount(all_of_it, unit)} of {noun(unit)} is spent in it itself"
    if hot["self_share"] >= DOMINATES:
        return f"**{cited(hot)} dominates**{located(hot)}: {spent}, and {whole(hot, unit)} including what it calls."
    return (
        f"**{cited(hot)} is the heaviest function, but nothing dominates**{located(hot)}: {spent}; "
        f"the {noun(unit)} is spread over {'many functions' if unit else 'it'}."
    )


def _pseudo_remark(table_: dict[str, Any], unit: str) -> str:
    above = [row for row in table_["rows"][:1] if row["name"] in PSEUDO_FRAMES and len(table_["rows"]) > 1]
    return "".join(
        f"The profiler puts more, {own(row, unit)}, under {cited(row)}, which is not one function of the program."
        for row in above
    )


def _path(evidence: Evidence, unit: str) -> str:
    """From the root down the heaviest child, as long as it carries the weight; the uninteresting upper part is skipped."""
    tree = evidence.first("get_call_tree")
    if not tree or not tree["nodes"]:
        return ""
    children: dict[str | None, list[dict[str, Any]]] = {}
    for node in tree["nodes"]:
        children.setdefault(node["parent"], []).append(node)
    path: list[dict[str, Any]] = []
    level = children.get(None, [])
    while level:
        heaviest = max(level, key=lambda node: node["total_value"])
        if path and heaviest["total_share"] < path[-1]["total_share"] / 4:
            break
        path.append(heaviest)
        level = children.get(heaviest["handle"], [])
    shown = path[-PATH_STEPS:]
    if len(shown) < 2:
        return ""
    steps = " → ".join(f"{cited(node)} {share(node['total_share'])}" for node in shown)
    skipped = "… → " if len(path) > len(shown) else ""
    return f"The heaviest path: {skipped}{steps}."


def _callers(evidence: Evidence, hot: dict[str, Any], unit: str) -> str:
    around = evidence.first("get_callers_callees")
    if not around or around["frame"]["handle"] != hot["handle"]:
        return ""
    return _neighbours(around, unit)


def _neighbours(around: dict[str, Any], unit: str) -> str:
    sentences = []
    for key, verb, none in (
        ("callers", "It is called from", "Nothing calls it."),
        ("callees", "It calls", "It calls nothing else."),
    ):
        rows = [row for row in around[key] if row["total_value"] > 0][:4]
        listed = ", ".join(f"{cited(row)} ({amount(row['total_value'], unit)})" for row in rows)
        sentences.append(f"{verb} {listed}." if rows else none)
    return " ".join(sentences)


def _advice(evidence: Evidence, hot: dict[str, Any], unit: str) -> str:
    around = evidence.first("get_callers_callees") or {"callers": []}
    caller = next((row for row in around["callers"] if row["name"] not in PSEUDO_FRAMES), None)
    lines = [f"Doing the work inside {cited(hot)} cheaper can save at most {own(hot, unit)}."]
    if caller and caller["name"] != hot["name"]:
        lines.append(f"Calling it less often means looking at {cited(caller)}, its heaviest caller.")
    return "What to try: " + " ".join(lines)


def _caveats(evidence: Evidence) -> str:
    summary = evidence.first("get_trace_summary")
    if not summary:
        return ""
    notes = [f"{warning['text']}" for warning in summary.get("warnings", [])[:3]]
    main = next((p for p in summary["profiles"] if p["handle"] == _main(summary)), None)
    if main and main.get("idle_share"):
        notes.append(f"The main profile is idle {share(main['idle_share'])} of its time; idle time is left out above.")
    if main and main["kind"] == "sampled" and (count := main.get("sample_count")) and count < FEW_SAMPLES:
        notes.append(f"There are only {count:,} samples: small shares are within chance.")
    if len(summary["profiles"]) > 1 and main:
        notes.append(
            f"This is about the main profile, `{plain(main['name'], 60).replace('`', chr(39))}`; the trace has {len(summary['profiles'])}."
        )
    return "Keep in mind: " + " ".join(plain(note, 300) for note in notes) if notes else ""


def _main(summary: dict[str, Any]) -> str:
    default = summary.get("default_profile")
    return f"p{default}" if isinstance(default, int) else str(default)


def _ranking(question: Question, evidence: Evidence) -> list[str]:
    found = evidence.first("get_top_functions")
    if not found or not found["rows"]:
        return ["No function has any weight there."]
    unit, rows = found["unit"], found["rows"]
    key = f"{found['sort_by']}_share"
    said = own if found["sort_by"] == "self" else whole
    span = ""
    if question.window:
        span = f" between {question.window[0]:g} ms and {question.window[1]:g} ms"
    return [
        f"**{cited(rows[0])} leads by {found['sort_by']} {noun(unit)}{span}**{located(rows[0])}: {said(rows[0], unit)} of "
        f"{amount(found['whole'], unit)}.",
        table([row for row in rows if row[key] > 0] or rows[:1], unit),
        f"{found['total_rows']} functions in all." if found["total_rows"] > len(rows) else "",
    ]


def _function(question: Question, evidence: Evidence) -> list[str]:
    around = evidence.first("get_callers_callees")
    if around is None:
        return _unknown(question, evidence)
    unit, row = around["unit"], around["frame"]
    weight = (
        "does most of its work itself"
        if row["self_value"] * 2 > row["total_value"]
        else "mostly passes through to what it calls"
    )
    parts = [
        f"**{cited(row)}**{located(row)} takes {whole(row, unit)} in total and {own(row, unit)} itself, in {row['count']:,} "
        f"{'calls or samples'}: it {weight}.",
        _neighbours(around, unit),
        around.get("remark") or "",
    ]
    others = [match for match in evidence.matches if match["handle"] != row["handle"]][:4]
    if others:
        parts.append(
            "Other matches: " + ", ".join(f"{cited(match)} ({share(match['total_share'])})" for match in others) + "."
        )
    if evidence.called("generate_sandwich_flamegraph_screenshot"):
        parts.append("The sandwich picture shows its callers above and its callees below.")
    return parts


def _unknown(question: Question, evidence: Evidence) -> list[str]:
    asked = ", ".join(f"`{plain(name, 80).replace('`', chr(39))}`" for name in question.names) or f"`{question.handle}`"
    near = [row for result in evidence.all("find_frames") for row in result.data.get("nearest", [])][:5]
    parts = [f"This trace has no function that matches {asked}."]
    if near:
        parts.append("The nearest names are " + ", ".join(cited(row) for row in near) + ".")
    table_ = evidence.first("get_top_functions")
    if table_ and evidence.hottest:
        parts.append(
            f"What does take {noun(table_['unit'])}: {cited(evidence.hottest)} with {own(evidence.hottest, table_['unit'])}."
        )
    return parts


def _shown(question: Question, evidence: Evidence) -> list[str]:
    moved = evidence.first("show_in_viewer")
    parts = []
    if evidence.first("get_callers_callees"):
        parts = _function(question, evidence)
    elif question.names or question.handle:
        parts = _unknown(question, evidence)
    elif table_ := evidence.first("get_top_functions"):
        drawn = evidence.first("generate_flamegraph_screenshot")
        hot = evidence.hottest
        if hot:
            parts.append(
                f"Here is the picture. The heaviest function in it is **{cited(hot)}** with {own(hot, table_['unit'])}."
            )
        if drawn:
            parts.append(drawn["description"])
    return [*parts, "The flame chart beside this conversation shows it now." if moved else ""]


def _garbage(evidence: Evidence) -> list[str]:
    rows = [row for row in evidence.matches if row["total_value"] > 0]
    found = evidence.first("find_frames")
    unit = found["unit"] if found else "nanoseconds"
    hot = evidence.hottest
    closing = f"What does dominate is {cited(hot)} with {own(hot, unit)}." if hot else ""
    if not rows:
        return [
            "**No frame in this trace is named like garbage collection**, so either there was none or this profiler does not record it.",
            closing,
        ]
    listed = "\n".join(
        f"- {cited(row)}{located(row)}: {whole(row, unit)} in total, {own(row, unit)} itself" for row in rows[:6]
    )
    size = "a large part" if rows[0]["total_share"] >= DOMINATES else "a small part"
    return [
        f"**{cited(rows[0])} is the heaviest frame named like garbage collection: {whole(rows[0], unit)}**, {size} of the {noun(unit)}.",
        listed,
        "These are matches by name; look at each before counting on it. Totals of frames that call each other must not be added.",
        closing,
    ]


def _profiles(evidence: Evidence) -> list[str]:
    listed = evidence.first("list_profiles")
    if not listed:
        return ["The profiles of this trace could not be listed."]
    rows = listed["profiles"]
    busiest = max(rows, key=lambda row: row.get("total") or 0)
    name = plain(busiest["name"], 80).replace("`", "'")
    parts = [
        f"**[`{name}`](#{busiest['handle']}) is the busiest of {listed['total_profiles']}: {amount(busiest['total'], busiest['unit'])}.**"
    ]
    for row in rows[:12]:
        label = plain(row["name"], 80).replace("`", "'")
        idle = f", idle {share(row['idle_share'])}" if row.get("idle_share") else ""
        parts.append(f"- [`{label}`](#{row['handle']}): {row['kind']}, {amount(row['total'], row['unit'])} busy{idle}")
    parts = [parts[0], "\n".join(parts[1:])]
    table_ = evidence.first("get_top_functions")
    if evidence.hottest and table_:
        parts.append(
            f"In the main profile {cited(evidence.hottest)} leads with {own(evidence.hottest, table_['unit'])}."
        )
    return parts


def _abilities(evidence: Evidence) -> list[str]:
    summary = evidence.first("get_trace_summary")
    if not summary:
        return ["The summary of this trace could not be read."]
    length = f", {amount(summary['duration_ns'], 'nanoseconds')} long" if summary.get("duration_ns") else ""
    count = len(summary["profiles"])
    parts = [
        f"This is a **{summary['format']}** trace{length}, with {count} profile{'s' if count != 1 else ''} and "
        f"{summary['frame_count']:,} functions."
    ]
    if summary["can_answer"]:
        parts.append("It can answer:\n\n" + "\n".join(f"- {item}" for item in summary["can_answer"]))
    if summary["cannot_answer"]:
        parts.append("It cannot answer:\n\n" + "\n".join(f"- {item}" for item in summary["cannot_answer"]))
    table_ = evidence.first("get_top_functions")
    if evidence.hottest and table_:
        parts.append(
            f"For a start: {cited(evidence.hottest)} has the most self {noun(table_['unit'])}, {own(evidence.hottest, table_['unit'])}."
        )
    return parts


def _failures(evidence: Evidence) -> str:
    failed = [result for result in evidence.results if result.failed]
    return "".join(f"({result.tool} could not answer, so this is without it.) " for result in failed[:3]).strip()
