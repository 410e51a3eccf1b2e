"""What other threads do while one waits: who holds a lock no recording says, what runs at that time many do."""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.forms import forms
from server.analyst.kinds.kind import Call
from server.analyst.queries import query
from server.analyst.wording import amount, cited, coded, joined
from traces.analysis.waiting_names import waits

_FORMS = forms("meanwhile")

MEANWHILE = query("meanwhile")
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
    ran = [(frame["name"], name["name"], at["value_ns"], above) for frame, name, at, *above in found["rows"]]
    if not ran or ran[0][2] <= 0:
        return ""
    most, *others = [_ran(*one) for one in ran[:NAMED]]
    further = f", then {joined(others)}" if others else ""
    too = ", where they wait, too" if waits(ran[0][1]) else ""
    return f"; while one thread waits in {cited(row)}, the others are mostly in {most}{too}{further}."


def _ran(frame: str, name: str, took: float, above: list[dict[str, Any]]) -> str:
    """A function and for how long; of a wait what calls it, too: that is what has what others wait for."""
    caller = f" of [{coded(above[1]['name'])}](#{above[0]['name']})" if waits(name) and above[0].get("name") else ""
    return f"[{coded(name)}](#{frame}){caller} ({amount(took, 'nanoseconds')})"
