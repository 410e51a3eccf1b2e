"""Questions about garbage collection: what it takes, and how many collections there were."""

import re
from typing import Any

from server.analyst.evidence import COLLECTORS, Evidence, collects
from server.analyst.findings import sentence_of
from server.analyst.kinds.kind import BY_SELF, FINDINGS, SUMMARY, Call
from server.analyst.kinds.one_function import leading
from server.analyst.kinds.paths import LEADS
from server.analyst.question import Question
from server.analyst.sentence_forms import asks_how_many
from server.analyst.wording import CALLS, cited, counted, joined, located, neighbours, noun, own, total

MATCHES = 50
KINDS_NAMED = 6
"""Functions of collectors that are named."""


def first_garbage(question: Question, evidence: Evidence) -> list[Call]:
    return [
        SUMMARY,
        *(("find_frames", {"pattern": one, "regex": True, "limit": MATCHES}) for one in COLLECTORS),
        BY_SELF,
        FINDINGS,
    ]


MUCH = 0.3
"""Share from which collecting is what it is about."""
MORE = 1.2
"""How many times as much all collectors must take as the heaviest of them to be worth a word."""


def then_garbage(question: Question, evidence: Evidence) -> list[Call]:
    rows = _collectors(evidence)
    return [("get_callers_callees", {"frame": rows[0]["handle"]})] if rows else []


def _collectors(evidence: Evidence) -> list[dict[str, Any]]:
    rows = [row for row in evidence.matches if row["total_value"] > 0 and collects(row["name"])]
    return sorted({row["handle"]: row for row in rows}.values(), key=lambda row: -row["total_value"])


def garbage(question: Question, evidence: Evidence) -> list[str]:
    rows = _collectors(evidence)
    found = evidence.first("find_frames")
    closing = leading(evidence, "What takes the most is")
    if not rows or not found:
        none = (
            "**No frame in this trace is named like garbage collection**: either there was none, "
            "or this profiler does not record it."
        )
        return [none, closing]
    unit, heaviest = found["unit"], rows[0]
    if asks_how_many(question.text) and (said := _collections(question, rows, found)):
        return [said, closing if evidence.lead and evidence.lead.row["handle"] != heaviest["handle"] else ""]
    together = max(heaviest["total_share"], found["total_share"])
    size = "a large part" if together >= LEADS else "a small part"
    verdict = "Yes" if together >= MUCH else "Partly" if together >= LEADS else "No"
    more = ""
    if found["total_share"] > heaviest["total_share"] * MORE:
        more = f", and all that is named so takes {total(found, unit)} together"
    listed = [f"- {cited(row)}{located(row)}: {total(row, unit)} in total, {own(row, unit)} itself" for row in rows[:6]]
    finding = evidence.finding("explicit-collection", "garbage-collection", "collection-pause")
    around = evidence.first("get_callers_callees")
    return [
        (
            f"**{verdict}: {cited(heaviest)} is the heaviest frame named like garbage collection, with "
            f"{total(heaviest, unit)}**{more}, {size} of the {noun(unit)}."
        ),
        f"{sentence_of(finding)} {finding['advice']}" if finding else "",
        neighbours(around, unit) if around else "",
        "\n".join(listed) if len(rows) > 1 else "",
        "These are matches by name. Totals of frames that call each other must not be added." if len(rows) > 1 else "",
        closing if evidence.lead and evidence.lead.row["handle"] != heaviest["handle"] else "",
    ]


_FULL = re.compile(r"\b(?:full|major|old)\b", re.IGNORECASE)


def _collections(question: Question, rows: list[dict[str, Any]], found: dict[str, Any]) -> str:
    """How many collections of which kind, where single ones were recorded."""
    if found["counted"] != CALLS:
        most = f"{cited(rows[0])} takes {total(rows[0], found['unit'])} in total"
        return f"**How many collections there were cannot be said: samples were taken, and none was counted.** {most}."
    full = [row for row in rows if re.search(r"full|major|mark.?sweep", row["name"], re.IGNORECASE)]
    chosen = full if full and _FULL.search(question.text) else rows
    said = [
        f"{counted(row, 'collections')} in {cited(row)} ({total(row, found['unit'])})" for row in chosen[:KINDS_NAMED]
    ]
    return f"**Recorded were {joined(said)}.**"
