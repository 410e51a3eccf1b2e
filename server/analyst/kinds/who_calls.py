"""Questions for who calls a function, and whether one function calls another."""

from dataclasses import replace
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.kinds import one_function
from server.analyst.kinds.kind import Call
from server.analyst.kinds.meant_functions import meant, still_to_find
from server.analyst.kinds.one_function import NAMED
from server.analyst.question import Question
from server.analyst.sentence_forms import relation_asked_of
from server.analyst.wording import cited, coded, listed

EVERYWHERE = "all"


def _pair(question: Question, evidence: Evidence) -> list[dict[str, Any] | None]:
    """What is called and by what, as far as the trace has them; nothing where no such pair is asked for."""
    if len(question.names) != 2 or relation_asked_of(question.text) != question.names:
        return []
    rows = [meant(replace(question, names=(name,)), evidence) for name in question.names]
    return [found[0] if found else None for found in rows]


def then(question: Question, evidence: Evidence) -> list[Call]:
    if missing := still_to_find(question, evidence):
        return missing
    pair = _pair(question, evidence)
    if not pair:
        return one_function.then(question, evidence)
    callee, caller = pair
    if callee is None or caller is None:
        return []
    return [
        ("get_callers_callees", {"frame": callee["handle"], "profile": EVERYWHERE}),
        ("get_call_tree", {"root": caller["handle"], "profile": EVERYWHERE}),
    ]


def callers(question: Question, evidence: Evidence) -> list[str]:
    """Whether the one calls the other, directly or through others, where that is asked; else who calls a function."""
    pair = _pair(question, evidence)
    if not pair:
        return one_function.callers(question, evidence)
    callee, caller = pair
    if callee is None or caller is None:
        missing = tuple(name for name, row in zip(question.names, pair, strict=True) if row is None)
        return one_function.unknown(replace(question, names=missing), evidence)
    around = evidence.first("get_callers_callees", frame=callee["handle"], profile=EVERYWHERE)
    if around is None:
        return one_function.callers(question, evidence)
    tree = evidence.first("get_call_tree", root=caller["handle"]) or {"nodes": [], "cut_nodes": 0}
    rows = [row for row in around["callers"] if row["handle"]]
    they = f"{cited(callee)} is called from {listed(rows, around['unit'], NAMED)}" if rows else "nothing calls it"
    if caller["handle"] in [row["handle"] for row in rows]:
        return [f"**Yes: {cited(caller)} calls {cited(callee)}.** {they[:1].upper()}{they[1:]}."]
    if any(node["frame_handle"] == callee["handle"] for node in tree["nodes"]):
        return [f"**Yes, through others: {cited(callee)} runs below {cited(caller)}.** Directly, {they}."]
    known = "" if not tree.get("cut_nodes") and not around["more_callers"] else ", not directly"
    return [f"**No{known}: {they}, and not from {coded(caller['name'])}.**"]
