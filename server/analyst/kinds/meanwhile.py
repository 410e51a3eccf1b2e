"""What other threads do while one waits: who holds a lock no recording says, what runs at that time many do."""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.forms import forms
from server.analyst.kinds.kind import Call
from server.analyst.wording import amount, cited, coded, joined
from traces.analysis.waiting_names import waits

_FORMS = forms("meanwhile")

MEANWHILE = (
    "WITH w AS (SELECT profile, start_ns AS began, start_ns + dur_ns AS ended FROM spans WHERE frame = '{frame}' "
    "AND dur_ns IS NOT NULL ORDER BY dur_ns DESC LIMIT 300), "
    "o AS (SELECT profile, frame, name, start_ns AS began, start_ns + dur_ns AS ended FROM spans "
    "WHERE frame <> '{frame}' AND dur_ns IS NOT NULL AND self_ns * 2 >= dur_ns "
    "AND ((SELECT count(DISTINCT profile) FROM w) < 2 OR profile IN (SELECT profile FROM w))) "
    "SELECT o.frame, any_value(o.name) AS name, "
    "sum(least(o.ended, w.ended) - greatest(o.began, w.began)) / 1e6 AS overlap_ms "
    "FROM w JOIN o ON o.profile <> w.profile AND o.began < w.ended AND o.ended > w.began "
    "GROUP BY o.frame ORDER BY overlap_ms DESC LIMIT 4"
)
"""Functions that do their work themselves in other threads, while one waits: in those that wait for it, too, where
there are several. The 300 longest waits are looked at."""
NAMED = 2


def asks_for_holder(text: str) -> bool:
    """Whether it asks who has what others wait for."""
    return _FORMS.who.search(text) is not None and _FORMS.holder.search(text) is not None


def _waited_in(rows: list[dict[str, Any]], evidence: Evidence) -> dict[str, Any] | None:
    """The wait that was spoken of, else the heaviest of these."""
    spoken_of = evidence.spoken_of
    if spoken_of and waits(spoken_of.name) and spoken_of.handle.startswith("f"):
        return {"name": spoken_of.name, "handle": spoken_of.handle}
    return rows[0] if rows else None


def in_other_threads(rows: list[dict[str, Any]], evidence: Evidence) -> list[Call]:
    """The query for what runs elsewhere while a thread waits in one of these functions."""
    row = _waited_in(rows, evidence)
    return [("query_trace", {"sql": MEANWHILE.format(frame=row["handle"])})] if row else []


def said_of_others(rows: list[dict[str, Any]], evidence: Evidence) -> str:
    """`; meanwhile the others are mostly in ...`, the most first; empty where nothing is known to run."""
    row = _waited_in(rows, evidence)
    found = evidence.first("query_trace", sql=MEANWHILE.format(frame=row["handle"])) if row else None
    if row is None or not found:
        return ""
    listed = [(frame["name"], name["name"], at["value_ns"]) for frame, name, at in found["rows"]]
    ran = [one for one in listed if not waits(one[1])]
    if not ran:
        return ""
    most, *others = [f"[{coded(name)}](#{frame}) ({amount(at, 'nanoseconds')})" for frame, name, at in ran[:NAMED]]
    further = f", then {joined(others)}" if others else ""
    return f"; while one thread waits in {cited(row)}, the others are mostly in {most}{further}."
