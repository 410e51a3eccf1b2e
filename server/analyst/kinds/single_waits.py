"""The longest single wait, where waits were recorded one by one: a JVM's monitors, a runtime's locks."""

from server.analyst.evidence import Evidence
from server.analyst.kinds.kind import Call
from server.analyst.question import Question
from server.analyst.sentence_forms import asks_for_the_longest_wait, place_asked_for
from server.analyst.wording import amount, coded

_ONE_BY_ONE = (
    "SELECT frame, name, weight_ms FROM samples WHERE profile = '{profile}' AND weight_ms > 0 "
    "ORDER BY weight_ms DESC LIMIT 4"
)


def single_waits(question: Question, evidence: Evidence) -> list[Call]:
    """The query for the longest waits of the profile that records them; nothing without one, or unasked."""
    if not (evidence.waiting_profiles and asks_for_the_longest_wait(question.text)):
        return []
    return [("query_trace", {"sql": _ONE_BY_ONE.format(profile=evidence.waiting_profiles[0])})]


def longest_wait(question: Question, evidence: Evidence) -> list[str]:
    """The longest wait and the next ones; nothing where they were not asked for or are not recorded one by one."""
    calls = single_waits(question, evidence)
    found = evidence.first("query_trace", sql=calls[0][1]["sql"]) if calls else None
    rows = [(frame["name"], name["name"], took["value_ns"]) for frame, name, took in (found or {"rows": []})["rows"]]
    if not rows:
        return []
    place = min(place_asked_for(question.text), len(rows) - 1)
    frame, name, took = rows[place]
    which = ("", "second ", "third ", "fourth ")[place]
    after = ", ".join(amount(ns, "nanoseconds") for _, _, ns in rows[place + 1 :])
    return [
        f"**The {which}longest single wait took {amount(took, 'nanoseconds')}**, in [{coded(name)}](#{frame}).",
        f"After it: {after}." if after else "",
    ]
