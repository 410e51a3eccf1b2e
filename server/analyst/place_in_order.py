"""The function at a place of the order of all: `the second?`, `what else`."""

from dataclasses import replace

from server.analyst.evidence import Evidence
from server.analyst.ordinals import NEXT, what_else
from server.analyst.pseudo_frames import is_pseudo
from server.analyst.question import Question

PASSES_ON = 0.1
"""Part of its total below which what a function does itself is not what a symptom is about."""


def ranked_there(question: Question, evidence: Evidence) -> Question:
    """About the function of that place: of the program's own ones where what leads is a wait on their behalf."""
    lead = evidence.own_lead if evidence.measures_waiting and evidence.own_lead else evidence.lead
    rows = [row for row in lead.rows if row["self_value"] > 0 and not is_pseudo(row)] if lead else []
    place = question.place or 0
    if place == NEXT:
        before, keeps = evidence.spoken_of, [one["self_value"] >= PASSES_ON * one["total_value"] for one in rows]
        of_it = (at for at, one in enumerate(rows) if before and one["handle"] == before.handle and keeps[at])
        at = next(of_it, None)
        place = 1 + (at or 0)
        if before and at is not None and what_else(question.text):
            known = {before.handle, *(handle for some in before.subjects for _, handle in some)}
            place = next((at for at, one in enumerate(rows) if one["handle"] not in known), place)
    row = rows[place] if place < len(rows) else None
    names = () if row else (question.text,)
    return replace(question, handle=row["handle"] if row else None, names=names, place=None)
