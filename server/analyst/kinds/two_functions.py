"""Questions that set one function against another."""

import re
from typing import Any

from server.agent.verification.recompute import last_part
from server.analyst.evidence import Evidence
from server.analyst.kinds.kind import Call
from server.analyst.kinds.meant_functions import around_of, meant
from server.analyst.kinds.one_function import about, then
from server.analyst.question import Question
from server.analyst.wording import cited, neighbours, noun, own, total

MORE = re.compile(r"\b(?:more|worse|slower|heavier|bigger|longer|hotter|costlier)\b.*\bthan\b")


OVER = 1.001
"""How many times what the main profile has of a function all must have for the answer to be about all."""


def then_two(question: Question, evidence: Evidence) -> list[Call]:
    """Both in the main profile, and in all where there are several like it."""
    calls = then(question, evidence)
    rows = meant(question, evidence)[:2] if evidence.runs_in_several else []
    return [*calls, *(("get_callers_callees", {"frame": row["handle"], "profile": "all"}) for row in rows)]


def _in_all(around: dict[str, Any], evidence: Evidence) -> dict[str, Any] | None:
    return evidence.first("get_callers_callees", frame=around["frame"]["handle"], profile="all")


def _weight(around: dict[str, Any]) -> float:
    return float(around["frame"]["total_value"])


def two(question: Question, evidence: Evidence) -> list[str]:
    one, other = around_of(question, evidence), around_of(question, evidence, 1)
    if one is None or other is None:
        return about(question, evidence)
    everywhere = [_in_all(around, evidence) for around in (one, other)]
    of_more = [a for a, b in zip(everywhere, (one, other), strict=True) if a and _weight(a) > OVER * _weight(b)]
    where = ""
    if of_more and everywhere[0] and everywhere[1]:
        one, other, where = everywhere[0], everywhere[1], ", of all threads together"
    unit = one["unit"]
    by_total = sorted((one["frame"], other["frame"]), key=lambda row: -row["total_value"])
    more, less = by_total
    figures = [f"{cited(row)} takes {total(row, unit)} in total and {own(row, unit)} itself" for row in by_total]
    word = "Both take the same" if more["total_value"] == less["total_value"] else f"{cited(more)} takes more"
    parts = [f"**{_whether_more(question, more, less)}{word}**: {figures[0]}; {figures[1]}{where}."]
    below = [row for row in (one, other) if any(c["handle"] == more["handle"] for c in row["callers"])]
    if below and below[0]["frame"]["handle"] == less["handle"]:
        parts.append(f"{cited(less)} is called by {cited(more)}, so its {noun(unit)} is part of that.")
    return [*parts, "\n".join(f"- {neighbours(around, unit)}" for around in (one, other))]


def _whether_more(question: Question, more: dict[str, Any], less: dict[str, Any]) -> str:
    """`Yes: ` or `No: ` where it is asked whether one function takes more than another, named after it."""
    text = question.text.casefold()
    at = [text.find(last_part(row["name"]).casefold()) for row in (more, less)]
    if not (question.asks_whether and MORE.search(text)) or min(at) < 0 or more["total_value"] == less["total_value"]:
        return ""
    return "Yes: " if at[0] < at[1] else "No: "
