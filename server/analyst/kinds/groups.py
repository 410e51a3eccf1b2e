"""Questions about a file, package, class or phase: the sums over the functions whose name or file holds the word."""

import re
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.kinds import one_function
from server.analyst.kinds.device import asks_how_busy, on_device
from server.analyst.kinds.kind import BY_SELF, SUMMARY, Call
from server.analyst.kinds.one_function import leading
from server.analyst.question import Question
from server.analyst.wording import cited, coded, joined, located, own, total

MATCHES = 50
SHOWN = 4
LITTLE = 0.02
"""Share of the main profile below which what is named may be elsewhere."""
RANKS = re.compile(r"\b(?:slowest|longest|worst)\b", re.IGNORECASE)


def first(question: Question, evidence: Evidence) -> list[Call]:
    names = question.names or question.maybe
    return [SUMMARY, *(("find_frames", {"pattern": name, "limit": MATCHES}) for name in names), BY_SELF]


def then(question: Question, evidence: Evidence) -> list[Call]:
    """All profiles together, where the main one holds little of what is named."""
    names = question.names or question.maybe
    several = len((evidence.summary or {"profiles": []})["profiles"]) > 1
    found = {name: evidence.first("find_frames", pattern=name) for name in names}
    little = [name for name, data in found.items() if data and data["rows"] and data["total_share"] < LITTLE]
    return [("find_frames", {"pattern": name, "limit": MATCHES, "profile": "all"}) for name in little if several]


def _found(name: str, evidence: Evidence) -> dict[str, Any] | None:
    """What the name matches: in all profiles, where these hold more of it than the main one."""
    main, everywhere = (evidence.first("find_frames", pattern=name, profile=which) for which in (None, "all"))
    return everywhere if everywhere and main and everywhere["total_value"] > main["total_value"] else main


def _sums(question: Question, evidence: Evidence) -> list[tuple[str, dict[str, Any]]]:
    """Each name that something matches, with what it matches: by total value, or by self value where totals overlap."""
    found = [(name, _found(name, evidence)) for name in question.names or question.maybe]
    with_weight = [(name, data) for name, data in found if data and data["total_value"] > 0]
    overlap = sum(data["total_share"] for _, data in with_weight) > 1
    by = "self_value" if overlap else "total_value"
    return sorted(with_weight, key=lambda one: -one[1][by])


def group(question: Question, evidence: Evidence) -> list[str]:
    """One group with its heaviest functions, or several in order of their totals; files of it where none is named."""
    of_device = on_device(evidence) if not question.names and asks_how_busy(question.text) else []
    if of_device and question.maybe in ((), ("kernel",)):
        return of_device
    sums = _sums(question, evidence)
    if not (question.names or question.maybe):
        return _by_file(evidence)
    if not sums:
        return one_function.unknown(question, evidence)
    name, found = sums[0]
    unit = found["unit"]
    rows = sorted(found["rows"], key=lambda row: -row["self_value"])
    heaviest = "\n".join(f"- {cited(row)}{located(row)}: {own(row, unit)} itself" for row in rows[:SHOWN])
    if len(sums) > 1:
        ranked = joined([f"{coded(one)} {total(data, unit)} ({own(data, unit)} itself)" for one, data in sums])
        missing = [one for one in question.names or question.maybe if one not in dict(sums)]
        none = f" Nothing is named like {joined([coded(one) for one in missing])}." if missing else ""
        return [
            f"**{coded(name)} takes the most of them**{' itself' if _overlap(sums) else ''}: in total, {ranked}.{none}",
            f"The heaviest of {coded(name)}:\n\n{heaviest}",
            _overlap(sums),
        ]
    if RANKS.search(question.text) and len(rows) > 1 and rows[0]["self_value"] != rows[0]["total_value"]:
        ranked_rows = sorted(rows, key=lambda row: -row["total_value"])
        listed_rows = joined([f"{cited(row)} with {total(row, unit)}" for row in ranked_rows[1 : SHOWN + 1]])
        return [f"**The longest is {cited(ranked_rows[0])}: {total(ranked_rows[0], unit)}**, then {listed_rows}."]
    where = " of all profiles together" if found["profile"] == "all" else ""
    many = f"The {found['total_matches']:,} functions" if found["total_matches"] > 1 else "The one function"
    verb = "take" if found["total_matches"] > 1 else "takes"
    return [
        (
            f"**{many} whose name or file holds {coded(name)} {verb} {total(found, unit)} in total and "
            f"{own(found, unit)} themselves{where}**, counting what they call in the first."
        ),
        heaviest,
        leading(evidence, "What takes the most of all is"),
    ]


def _overlap(sums: list[tuple[str, dict[str, Any]]]) -> str:
    """A word where totals contain each other."""
    if sum(data["total_share"] for _, data in sums) > 1:
        return "They call each other, so their totals overlap and are no parts of one sum."
    return ""


def _by_file(evidence: Evidence) -> list[str]:
    lead = evidence.lead
    if lead is None:
        return ["**Nothing in this trace has any weight to group.**"]
    files: dict[str, float] = {}
    for row in lead.rows:
        if row["file"]:
            files[row["file"]] = files.get(row["file"], 0.0) + row["self_share"]
    if not files:
        return ["**This trace does not say in which file its functions are.**", leading(evidence, "The heaviest is")]
    return [
        (
            f"**Which file, package or class?** Name it and I add its functions up. The heaviest function is "
            f"{cited(lead.row)}{located(lead.row)}, with {own(lead.row, lead.unit)} itself."
        )
    ]
