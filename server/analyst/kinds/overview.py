"""The answer to "why is this slow?": what dominates, the way to it, who calls it, what to try, what to keep in
mind.
"""

from typing import Any

from server.analyst.evidence import Evidence, Lead, busy_of, lead_of, length_of
from server.analyst.figures import linked
from server.analyst.findings import findings, limits, sentence_of
from server.analyst.kinds.kind import DOMINATES, FINDINGS, OWN_CODE, Call
from server.analyst.kinds.paths import LEADS, division, is_entry, parts_of, parts_said, passes, path_to
from server.analyst.kinds.reasons import SYMPTOM
from server.analyst.kinds.unnamed_functions import standing_in
from server.analyst.preempted import counted_to_callers
from server.analyst.pseudo_frames import PSEUDO_FRAMES, collects, is_pseudo
from server.analyst.question import Question
from server.analyst.wording import (
    amount,
    cited,
    cited_profile,
    in_calls,
    joined,
    located,
    neighbours,
    noun,
    own,
    share,
    shortened,
    table,
    total,
    verb,
)
from traces.analysis.waiting_names import waits

AS_MUCH = 0.85
"""Part of the hottest function's value from which the next ones are as hot as it."""
MOSTLY_IDLE = 0.9
"""Idle share of a thread from which what it does cannot be why anything takes long."""
SOME_IDLE = 0.05
HEADLINE_SHARE = 0.3
"""Part of the time from which a finding explains a trace better than its hottest function."""
OTHER_PROFILES = 3
"""Profiles besides the main one that an overview ranks: the busiest threads of a program, not all of its pools."""

ABOUT = 0.03
"""How much more of the time a kind of work may hold than the function that it is said to be the work of."""
THROUGH = 1.8
"""Times the hottest function's value that a caller must hold, with the libraries it calls, to be named before it."""

OF_THE_LEAD = 0.15
"""Part of the time from which a finding about the hottest function is named with it."""
NEARLY = 0.8
"""Part of the hottest function's share that a finding must reach to be named before it."""
HEADLINES = ("n-plus-one", "n-plus-one-calls", "sequential-calls", "slow-query")
ALLOCATE_LESS = (
    "What to try: the collector itself cannot be mended; allocate less. Look for short-lived objects made in loops, "
    "for copies of large data, and for explicit calls of the collector; an allocation profile says where."
)


def then(question: Question, evidence: Evidence) -> list[Call]:
    """First the other busy profiles, if there are any; then, in the profile that leads, findings, tree, picture and
    neighbours.
    """
    summary, lead = evidence.summary, evidence.lead
    if summary is None or evidence.called("get_call_tree"):
        return []
    if lead is None:
        return [FINDINGS]
    others = other_profiles(summary)
    if others and len(evidence.all("get_top_functions")) == 1:
        return [("get_top_functions", {"sort_by": "self", "limit": 5, "profile": handle}) for handle in others]
    where = {} if lead.profile == summary["default_profile"] else {"profile": lead.profile}
    return [
        ("get_insights", where),
        ("get_call_tree", {"max_nodes": 60} | where),
        (OWN_CODE[0], OWN_CODE[1] | where),
        ("generate_flamegraph_screenshot", {"mode": "left_heavy"} | where),
        *(("get_callers_callees", {"frame": row["handle"]} | where) for row in alike(lead)),
    ]


def other_profiles(summary: dict[str, Any]) -> list[str]:
    """The busiest profiles of the main one's kind and unit, at least a tenth as busy as the main one."""
    main = next(row for row in summary["profiles"] if row["handle"] == summary["default_profile"])
    alike = [
        row
        for row in summary["profiles"]
        if row is not main
        and (row["kind"], row["unit"]) == (main["kind"], main["unit"])
        and busy_of(row) * 10 > busy_of(main)
    ]
    return [row["handle"] for row in sorted(alike, key=lambda row: -busy_of(row))[:OTHER_PROFILES]]


def overview(question: Question, evidence: Evidence) -> list[str]:
    """The verdict first, then its evidence."""
    lead = evidence.lead
    if lead is None:
        return [
            "This trace holds no work to attribute: no function has any self time in its main profile.",
            caveats(evidence),
        ]
    rows = [row for row in lead.rows[:5] if row["self_value"] > 0]
    spent = f"Where the {noun(lead.unit)} is {verb(lead.unit)}:\n\n{table(rows, lead.unit)}"
    return [
        verdict(lead, evidence),
        _pseudo_remark(lead),
        path_to(evidence),
        "" if _through(lead, evidence) else _own_code(evidence, lead),
        findings(evidence, lead, said=_headline_id(lead, evidence)),
        caveats(evidence),
        counted_to_callers(evidence),
        _advice(evidence, lead),
        division(evidence, lead) if lead.row["self_share"] >= LEADS else "",
        _other_profiles(evidence, lead),
        _callers(evidence),
        spent if len(rows) > 1 else "",
    ]


def verdict(lead: Lead, evidence: Evidence) -> str:
    """The first paragraph: what it is that takes the time, in the plainest words that hold."""
    ways = (_idle, _few, _headline, _through, equals)
    return next((said for way in ways if (said := way(lead, evidence))), "") or _hottest(lead, evidence)


def _hottest(lead: Lead, evidence: Evidence) -> str:
    row, unit = lead.row, lead.unit
    deeper = row["total_value"] > row["self_value"]
    through = f", and {total(row, unit)} including what it calls" if deeper else ", nothing in what it calls"
    profile = _profile(evidence, lead.profile)
    of_it = f"of {amount(lead.total, unit)}" + (f" in {cited_profile(profile)}" if profile else "")
    spent = f"{own(row, unit)} {of_it} is {verb(unit)} in it itself{in_calls(row, evidence.counted)}{through}."
    if row["self_share"] >= LEADS:
        leads = "dominates" if row["self_share"] >= DOMINATES else "is the hottest function"
        where = f"{located(row)}{standing_in(row, evidence)}"
        return f"**{cited(row)} {leads}**{where}: {spent}{_waiting(lead, evidence)}{_recursive(evidence, row)}"
    parts = parts_of(evidence)
    if len(parts) > 1 or (parts and parts[0]["inside"]):
        goes = "divides into" if len(parts) > 1 else "goes to"
        return (
            f"**No single function dominates: the {noun(unit)} {goes} {parts_said(parts, unit)}.** By itself the "
            f"heaviest function is {cited(row)}{located(row)}{standing_in(row, evidence)}: {spent}"
        )
    return (
        f"**{cited(row)} is the heaviest function, but nothing dominates**{located(row)}"
        f"{standing_in(row, evidence)}: {spent} "
        f"The {noun(unit)} is spread over many functions.{passes(evidence)}"
    )


def _waiting(lead: Lead, evidence: Evidence) -> str:
    """A word on what only looks like work."""
    if evidence.measures_waiting:
        return " This profile measures waiting, not work."
    if not waits(lead.row["name"]) or evidence.only_running:
        return ""
    caller = _caller(evidence)
    by = f" {cited(caller)} waits there." if caller else ""
    return f" By its name that is waiting, not computing: the program waits for something outside.{by}"


def _recursive(evidence: Evidence, row: dict[str, Any]) -> str:
    around = evidence.first("get_callers_callees")
    if around and around["recursive"] and around["frame"]["handle"] == row["handle"]:
        return f" {cited(row)} calls itself: it is recursive."
    return ""


def _idle(lead: Lead, evidence: Evidence) -> str:
    """A thread that hardly works does not explain why anything takes long."""
    main = evidence.profile(lead.profile)
    idle = (main or {}).get("idle_share") or 0.0
    waiting = evidence.finding("network-bound")
    # Before a thread began it waited for nothing: what it waits for is asked of its own time.
    idle_while_there = 1 - busy_of(main) / main["duration"] if main and idle and main["duration"] else 0.0
    if not main or (idle < MOSTLY_IDLE and not (waiting and idle_while_there >= 0.5)):
        return ""
    length = length_of(main)
    busy = f"it works for {amount(busy_of(main), main['unit'])} of {amount(length, 'nanoseconds')}"
    said = (
        f"**{cited_profile(main)} is idle {share(idle)} of the time**: {busy}, so no function of it explains a delay."
    )
    if waiting:
        said = f"**It waits for the network.** {sentence_of(waiting)} {said}"
    return f"{said} Of what little ran, the most is in {cited(lead.row)}: {own(lead.row, lead.unit)}."


def _few(lead: Lead, evidence: Evidence) -> str:
    """Too few samples to name a culprit."""
    main = evidence.profile(lead.profile)
    few = evidence.finding("few-samples")
    if not few or not main or not 0 < main["sample_count"] <= FEW:
        return ""
    most = main["sample_count"] * TICK if main["unit"] == "nanoseconds" else FEW
    if main["unit"] == "bytes" or main["total"] > most:
        return ""
    number = main["count"] if main["counted"] == "samples" else main["sample_count"]  # rows of it may be idle
    first = f"**Too few samples to name a bottleneck**: {number:,} in all, so a share may be chance."
    return f"{first} Most of them are in {cited(lead.row)}: {own(lead.row, lead.unit)} itself. {few['advice']}"


FEW = 10
"""Samples up to which nothing is said of any share but that it may be chance."""
TICK = 20e6
"""What one sample of time weighs at most, in ns: when they weigh more, each stands for many that were added up."""


def _headline_of(lead: Lead, evidence: Evidence) -> dict[str, Any] | None:
    """The finding that explains the trace better than its hottest function, by its class of cause or of those that
    always do."""
    rows = [row for row in evidence.found() if row["id"] in HEADLINES or (row["cause"] or SYMPTOM) != SYMPTOM]
    least = max(HEADLINE_SHARE, NEARLY * lead.row["self_share"])
    rows = [row for row in rows if row["confidence"] != "low" and (row["share"] or 0) >= _least(row, lead, least)]
    return next(iter(rows), None)


def _least(row: dict[str, Any], lead: Lead, least: float) -> float:
    """A finding about the hottest function itself says more of it than its figures, from a smaller share on."""
    return OF_THE_LEAD if lead.row["handle"] in [one["handle"] for one in row["evidence"]] else least


def _headline_id(lead: Lead, evidence: Evidence) -> str:
    found = _headline_of(lead, evidence)
    return str(found["id"]) if found else ""


def _headline(lead: Lead, evidence: Evidence) -> str:
    found = _headline_of(lead, evidence)
    if not found:
        return ""
    rest = f"By self {noun(lead.unit)} {cited(lead.row)} leads with {own(lead.row, lead.unit)}."
    return f"**{found['title']}**: {sentence_of(found)} {found['advice']} {rest}"


def equals(lead: Lead, evidence: Evidence) -> str:
    """Several functions that weigh about the same are one answer."""
    rows = alike(lead)
    if len(rows) < 2:
        return ""
    named = joined([f"{own(row, lead.unit)} in {cited(row)}" for row in rows])
    return (
        f"**{joined([cited(row) for row in rows])} take about as much each**: of {amount(lead.total, lead.unit)}, "
        f"{named}. Mending one of them leaves the other{'s' if len(rows) > 2 else ''}."
    )


def alike(lead: Lead) -> list[dict[str, Any]]:
    """The hottest function and those about as hot, when each matters and they are few."""
    rows = [
        row
        for row in lead.rows
        if row["self_value"] >= AS_MUCH * lead.row["self_value"] and row["name"] not in PSEUDO_FRAMES
    ]
    return rows if lead.row["self_share"] >= DOMINATES / 2 and len(rows) <= 4 else rows[:1]


def _through(lead: Lead, evidence: Evidence) -> str:
    """Nothing leads by itself, but one function of the program's own is what leads there."""
    own_lead = evidence.own_lead
    kind = next((row for row in evidence.findings("overhead") if (row["share"] or 0) >= HEADLINE_SHARE), None)
    if kind and own_lead and kind["share"] > own_lead.row["self_share"] + ABOUT:
        kind = None
    if (
        own_lead is None
        or is_entry(own_lead.row["name"])
        or own_lead.row["self_share"] < max(DOMINATES, THROUGH * lead.row["self_share"])
    ):
        return ""
    if own_lead.row["handle"] == lead.row["handle"] or (lead.row["self_share"] >= DOMINATES and len(alike(lead)) < 2):
        return ""
    row, unit = own_lead.row, own_lead.unit
    said = (
        f"**Most of the {noun(unit)} is {verb(unit)} on behalf of {cited(row)}**{located(row)}: {own(row, unit)} of "
        f"{amount(own_lead.total, unit)}{in_calls(row, evidence.counted)}, counting the libraries that it "
        f"calls."
    )
    if kind:
        said += f" {sentence_of(kind)} {kind['advice']}"
    below = joined([f"{cited(one)} with {own(one, unit)}" for one in alike(lead)[:3]])
    return f"{said} By self {noun(unit)} the most is in {below}."


def _own_code(evidence: Evidence, lead: Lead) -> str:
    """The program's own function behind library code."""
    found = evidence.own_lead
    if found is None or found.row["handle"] == lead.row["handle"] or is_entry(found.row["name"]):
        return ""
    if found.row["self_share"] < LEADS:
        return ""
    return (
        f"Counting library code to the code that calls it, {cited(found.row)}{located(found.row)} leads with "
        f"{own(found.row, found.unit)}{in_calls(found.row, evidence.counted)}."
    )


def _profile(evidence: Evidence, handle: str) -> dict[str, Any] | None:
    """The profile's row when the trace has several, so that it is worth naming."""
    summary = evidence.summary
    if not summary or len(summary["profiles"]) < 2:
        return None
    return evidence.profile(handle)


def _pseudo_remark(lead: Lead) -> str:
    row = lead.rows[0]
    if not is_pseudo(row) or row is lead.row:
        return ""
    more = f"{own(row, lead.unit)}, under {cited(row)}"
    return f"The profiler puts more, {more}, which is not one function of the program."


def _other_profiles(evidence: Evidence, lead: Lead) -> str:
    """What leads in the other profiles that were ranked."""
    lines = []
    for result in evidence.all("get_top_functions"):
        profile = _profile(evidence, result.data["profile"])
        other = lead_of(result.data)
        if profile and other and other.profile != lead.profile and "my_code" not in result.arguments:
            lines.append(f"- {cited_profile(profile)}: {cited(other.row)} with {own(other.row, other.unit)}")
    return "The hottest function elsewhere:\n\n" + "\n".join(lines) if lines else ""


def _callers(evidence: Evidence) -> str:
    results = [result.data for result in evidence.all("get_callers_callees")]
    return "\n\n".join(neighbours(around, around["unit"]) for around in results)


def _caller(evidence: Evidence) -> dict[str, Any] | None:
    around = evidence.first("get_callers_callees") or {"callers": []}
    return next((row for row in around["callers"] if row["handle"] and row["name"] not in PSEUDO_FRAMES), None)


def _advice(evidence: Evidence, lead: Lead) -> str:
    caller = _caller(evidence)
    if collects(lead.row["name"]):
        return ALLOCATE_LESS
    lines = [f"Making {cited(lead.row)} itself cheaper can save at most {own(lead.row, lead.unit)}."]
    if caller and caller["name"] != lead.row["name"]:
        lines.append(f"Calling it less often means looking at {cited(caller)}, its heaviest caller.")
    return "What to try: " + " ".join(lines)


def caveats(evidence: Evidence) -> str:
    """What to keep in mind: the file's warnings, idle time, and what the way of recording hides."""
    summary = evidence.summary
    if not summary:
        return ""
    notes = [_sentence(_counted(warning)) for warning in summary.get("warnings", [])[:3]]
    main = evidence.main
    if main and (main.get("idle_share") or 0) >= SOME_IDLE and evidence.lead:
        notes.append(f"That profile is idle {share(main['idle_share'])} of its time; idle time is left out above.")
    notes += limits(evidence)
    return "Keep in mind: " + " ".join(notes) if notes else ""


def _counted(warning: dict[str, Any]) -> str:
    """What a warning says, with how often where that is more than once."""
    text, count = shortened(warning["text"], 300), warning["count"]
    return text if count <= 1 else f"{text} ({linked(f'{count:,}', count)})"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."
