"""The answer to "why is this slow?": what dominates, the way to it, who calls it, what to try, what to keep in mind."""

from itertools import groupby
from typing import Any

from server.adapters.model.analyst.evidence import PSEUDO_FRAMES, Evidence, Lead, lead_of
from server.adapters.model.analyst.findings import findings, limits
from server.adapters.model.analyst.wording import (
    amount,
    cited,
    cited_profile,
    located,
    neighbours,
    noun,
    own,
    share,
    table,
    verb,
    whole,
)
from server.agent.quoting import plain

DOMINATES = 0.3
"""Self share from which one function dominates; it then holds about as much as the three next together."""
LEADS = 0.1
"""Self share from which one function is worth naming as the hottest; below it the time is spread."""

PATH_STEPS = 8


def overview(evidence: Evidence) -> list[str]:
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
        findings(evidence, lead),
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
    if row["self_share"] >= LEADS:
        leads = "dominates" if row["self_share"] >= DOMINATES else "is the hottest function"
        return f"**{cited(row)} {leads}**{located(row)}: {spent}"
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
    return neighbours(around, around["unit"]) if around else ""


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
    notes = [_sentence(plain(warning["text"], 300)) for warning in summary.get("warnings", [])[:3]]
    told = evidence.lead.profile if evidence.lead else summary["default_profile"]
    main = next((p for p in summary["profiles"] if p["handle"] == told), None)
    if main and main.get("idle_share"):
        notes.append(f"That profile is idle {share(main['idle_share'])} of its time; idle time is left out above.")
    notes += limits(evidence)
    return "Keep in mind: " + " ".join(notes) if notes else ""


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."
