"""Which functions of the trace a question is about: by handle, by name, by a name as people write it."""

import re
from typing import Any

from server.agent.verification.recompute import is_written, last_part
from server.analyst.evidence import Evidence
from server.analyst.kinds.kind import Call
from server.analyst.question import Intent, Question

OF_ALL_THREADS = frozenset({Intent.HOW_OFTEN, Intent.CALLERS, Intent.CALLEES, Intent.TWO_FUNCTIONS})
"""Intents whose answers are of all threads in which a function runs, where none is named."""
OF_LAST_PART = 40
"""Functions of one name that are looked at for the one of a module or class."""


def is_named(row: dict[str, Any], said: str) -> bool:
    """Whether a row's function is the one that a person writes so."""
    name, asked_for = row["name"].removesuffix("()"), said.removesuffix("()")
    ways = (name, last_part(name), last_part(name).strip("_"), name.strip("#*=- "))
    if asked_for in ways or asked_for.casefold() in [way.casefold() for way in ways]:
        return True
    return is_written(name.casefold(), (row["file"] or "").casefold(), asked_for.casefold())


def still_to_find(question: Question, evidence: Evidence) -> list[Call]:
    """The searches for the last part of names that nothing has: recorders write the receiver of `RateCache.Get` in
    brackets, and the module of `re.compile` in the file's name."""
    if question.handle:
        return []
    missing = [one for one in question.names or question.maybe if not is_found(one, evidence)]
    ends = dict.fromkeys(last_part(one.removesuffix("()")) for one in missing)
    return [
        ("find_frames", {"pattern": end, "limit": OF_LAST_PART})
        for end in ends
        if evidence.first("find_frames", pattern=end) is None
    ]


def is_found(name: str, evidence: Evidence) -> bool:
    """Whether a function has this word for its name."""
    return any(is_named(row, name) for row in evidence.rows("find_frames", pattern=name))


def matches_of(name: str, evidence: Evidence) -> list[dict[str, Any]]:
    """What the name stands for: what holds it, or what is written so."""
    rows = evidence.rows("find_frames", pattern=name)
    if any(is_named(row, name) for row in rows):
        return rows
    ends = evidence.first("find_frames", pattern=last_part(name.removesuffix("()"))) or {"rows": []}
    return [row for row in ends["rows"] if is_named(row, name)] or rows


def meant(question: Question, evidence: Evidence) -> list[dict[str, Any]]:
    """The functions in question, one a name: of the same name the heaviest, else the heaviest that holds the name; the
    hottest function when none is named.
    """
    if question.handle:
        known = evidence.first("get_callers_callees", frame=question.handle)
        return [known["frame"]] if known else []
    names = question.names or question.maybe
    if not names:
        return [evidence.lead.row] if evidence.lead and question.intent is not Intent.SHOW else []
    found: dict[str, dict[str, Any]] = {}
    for exact in (True, False):
        for name in names:
            matches = matches_of(name, evidence)
            rows = [row for row in matches if not exact or is_named(row, name)]
            rows = namesake(rows, matches, name) if exact and rows else rows
            if rows and not any(is_named(row, name) for row in found.values()):
                found.setdefault(rows[0]["handle"], rows[0])
        if found and question.intent is not Intent.TWO_FUNCTIONS:
            break
    return list(found.values())


VARIANT = 100
"""By how much a variant of a function must weigh more to be meant by its name."""


def namesake(rows: list[dict[str, Any]], matches: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Those of that very name; but the variant that a loader chose (`__strcmp_avx2` for `strcmp`) where it is what
    weighs."""
    variants = [row for row in matches if name in re.findall(r"[^\W_]+", row["name"]) and row not in rows]
    heaviest = max(variants, key=lambda row: row["total_value"], default=None)
    most = max(row["total_value"] for row in rows)
    return [heaviest, *rows] if heaviest is not None and heaviest["total_value"] > VARIANT * most else rows


def around_of(question: Question, evidence: Evidence, index: int = 0) -> dict[str, Any] | None:
    rows = meant(question, evidence)
    if len(rows) <= index:
        return None
    handle = rows[index]["handle"]
    results = [result.data for result in evidence.all("get_callers_callees")]
    counts = question.intent in OF_ALL_THREADS and not question.profile
    results.sort(key=lambda data: (data["frame"]["total_value"] <= 0, counts and data["profile"] != "all"))
    return next((data for data in results if data["frame"]["handle"] == handle), None)
