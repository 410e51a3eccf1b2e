"""Which script of a page runs longest: browsers name it in the arguments of what they did, and as no function."""

from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.forms import forms
from server.analyst.kinds.kind import Call
from server.analyst.queries import query
from server.analyst.question import Question
from server.analyst.wording import amount, coded

_FORMS = forms("scripts")

BY_SCRIPT = query("by_script")
_KEPT = 80
"""Characters of an address, its end."""


def scripts_asked_for(question: Question) -> list[Call]:
    """The query for what each script of a page took; nothing where none is asked for."""
    return [("query_trace", {"sql": BY_SCRIPT})] if _FORMS.of_scripts.search(question.text) else []


def longest_scripts(evidence: Evidence) -> list[str]:
    """The script with the longest run and the next ones; nothing where no script is named in arguments."""
    found = evidence.first("query_trace", sql=BY_SCRIPT)
    rows = [
        (place.get("name") or place.get("value"), longest["value_ns"], together["value_ns"], runs["value"])
        for place, longest, together, runs in (found or {"rows": []})["rows"]
    ]
    if not rows:
        return []
    place, longest, together, runs = rows[0]
    first = f"**{_address(place)} runs longest of all scripts: {amount(longest, 'nanoseconds')} without a break**"
    times = linked(f"{int(runs):,}", runs)
    others = "\n".join(
        f"- {_address(one)}: {amount(ns, 'nanoseconds')} at most, {amount(total, 'nanoseconds')} in all"
        for one, ns, total, _ in rows[1:]
    )
    in_all = f", {amount(together, 'nanoseconds')} in {times} runs" if runs > 1 else ""
    return [f"{first}{in_all}.", others]


def _address(place: object) -> str:
    text = str(place)
    return coded(text if len(text) <= _KEPT else "…" + text[1 - _KEPT :])
