"""How what a function takes grows with the size of its input: what one recording, of one size, can say of that."""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.kinds.caller_chains import chain_above
from server.analyst.kinds.kind import Call
from server.analyst.kinds.meant_functions import meant
from server.analyst.kinds.one_function import leading
from server.analyst.question import Question
from server.analyst.topic_words import best_named, pattern_of
from server.analyst.wording import CALLS, amount, cited, total

MANY = 10
"""Calls for each call of the function above it from which they may grow with the input."""
MOST = 0.3
"""Part of a function's total that one callee must take to be what its growth depends on."""
LONG = 100
"""Instructions or nanoseconds of a call from which it may go through something that is long itself."""
STEPS = 3
WORDS, MATCHES = 3, 50
TWICE = "record it again with twice the input: what is linear takes twice as long, and more is worse"


def calls(question: Question, evidence: Evidence) -> list[Call]:
    """The neighbours of the function in question, of who calls it, and of the heaviest that it calls, a round of
    questions each."""
    words = () if question.handle else (question.names or question.maybe)[:WORDS]
    if any(evidence.first("find_frames", pattern=one) is None for one in words):
        return [("find_frames", {"pattern": one, "limit": MATCHES}) for one in words]
    rows = _meant(question, evidence)
    if not rows:
        return []
    chain = [*chain_above(rows, evidence)[:1], rows[0], *_below(rows[0], evidence)]
    return [("get_callers_callees", {"frame": one["handle"]}) for one in chain]


def _meant(question: Question, evidence: Evidence) -> list[dict[str, Any]]:
    """The function in question: one of that very name, what holds the name, or what leads."""
    if question.names or question.maybe or question.handle:
        rows = meant(question, evidence)[:1]
    else:
        found = evidence.first("find_frames", pattern=pattern_of(question.stems)) if question.stems else None
        row = best_named(found["rows"], question.stems) if found else None
        rows = [row] if row else []
    return rows or ([evidence.lead.row] if evidence.lead else [])


def _below(row: dict[str, Any], evidence: Evidence) -> list[dict[str, Any]]:
    """What takes most of the function, what takes most of that, and so on."""
    found: list[dict[str, Any]] = []
    while row and len(found) < STEPS:
        around = evidence.first("get_callers_callees", frame=row["handle"])
        most = next((one for one in around["callees"] if one["handle"]), None) if around else None
        if around is None or most is None or most["value"] < MOST * around["frame"]["total_value"]:
            break
        found.append(most)
        row = most
    return found


def said(question: Question, evidence: Evidence) -> list[str]:
    """What one recording shows of growth: calls for each call, and what each takes."""
    rows, closing = _meant(question, evidence), leading(evidence, "What takes the most is")
    if not rows:
        return [f"**One recording, of one size, cannot show how that grows**: {TWICE}.", closing]
    around = evidence.first("get_callers_callees", frame=rows[0]["handle"])
    row, unit = (around or {"frame": rows[0]})["frame"], (around or {}).get("unit", evidence.unit)
    how = f"ne recording, of one size, cannot show how {cited(row)} grows"
    if evidence.counted != CALLS or not row["count"]:
        return [f"**O{how}**; here it takes {total(row, unit)}. To know, {TWICE}.", closing]
    for above in (row, *_below(row, evidence), *chain_above([row], evidence)[:1]):
        if by_calls := _by_calls(above["handle"], row, evidence):
            return [f"{by_calls} o{how}: {TWICE}.", closing]
    count, each = row["count"], amount(row["total_value"] / row["count"], unit)
    calls_ = f"one of its {count:,} calls" if count > 1 else "its one call"
    return [f"**O{how}**; here {calls_} takes {each}. To know, {TWICE}.", closing]


def _by_calls(handle: str, row: dict[str, Any], evidence: Evidence) -> str:
    """That a function calls another, one of them the one in question, many times in each of its calls; empty where it
    does not."""
    around = evidence.first("get_callers_callees", frame=handle)
    most = next((one for one in around["callees"] if one["handle"]), None) if around else None
    if around is None or most is None or most["value"] < MOST * around["frame"]["total_value"]:
        return ""
    times, count = most["direct_calls"] or 0, around["frame"]["count"]
    is_of_it = row["handle"] in (handle, most["handle"]) or most["value"] >= MOST * row["total_value"]
    inner = (evidence.first("get_callers_callees", frame=most["handle"]) or {"frame": most | {"self_value": 0}})[
        "frame"
    ]
    loops = inner["self_value"] >= MOST * most["value"] and times and most["value"] / times >= LONG
    if not count or times < MANY * count or not (is_of_it and loops):
        return ""
    per, each = f"{times / count:,.4g}", amount(most["value"] / times, around["unit"])
    calls_ = f"each of the {count:,} calls of" if count > 1 else "the one call of"
    return (
        f"**By its calls it may be quadratic: {calls_} {cited(around['frame'])} makes {per} of {cited(most)}, {each} "
        "each.** If both, the number and what one takes, grow with the length of the input, twice the length takes "
        "four times as long;"
    )
