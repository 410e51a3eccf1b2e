"""When a thread was idle: a bare `when?` after an answer that gave for how long nothing ran in it."""

from server.analyst.asks.answering import Row
from server.analyst.asks.ask_statements import table
from server.analyst.asks.asked_turn import Step
from server.analyst.asks.thread_answers import IDLE
from server.analyst.asks.thread_asks import asking, found_rows
from server.analyst.evidence import Evidence
from server.analyst.forms import forms
from server.analyst.wording import amount, joined

_FORMS = forms("thread_asks")
NS = "nanoseconds"
PART = 0.5
"""Of the longest pause, from which another one is named."""


def step(evidence: Evidence, offered: frozenset[str]) -> Step | None:
    """The query for the longest pauses, or what it found; None where the prompt asks for something else."""
    spoken = evidence.spoken_of
    is_asked = bool(evidence.openings) and IDLE in evidence.openings[-1] and _FORMS.bare_when.match(evidence.prompt)
    if not (is_asked and spoken and spoken.profile and "query_trace" in offered):
        return None
    sql = str(table()["idle_times"].format(profile=spoken.profile))
    if (rows := found_rows(sql, evidence)) is None:
        return asking(sql, evidence)
    return Step(text=_written(rows)) if rows else None


def _written(rows: list[Row]) -> str:
    long = sorted((row for row in rows if row["took"] >= PART * rows[0]["took"]), key=lambda row: float(row["start"]))
    each = joined([f"{amount(row['took'], NS)} from {amount(row['start'], NS)} on" for row in long])
    return f"**It {IDLE} {each}**, the longest of {amount(rows[0]['every'], NS)} in which nothing ran in it."
