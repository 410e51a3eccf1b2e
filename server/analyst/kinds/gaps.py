"""When nothing ran: how much of the time, and the longest times without a sample."""

from server.analyst.evidence import Evidence
from server.analyst.forms import forms
from server.analyst.kinds.kind import Call
from server.analyst.kinds.one_function import leading
from server.analyst.queries import query
from server.analyst.question import Question
from server.analyst.wording import amount, cited_profile, joined, share

_FORMS = forms("gaps")


def is_for_them(question: Question) -> bool:
    """Whether it asks when nothing ran."""
    return _FORMS.idle.search(question.text) is not None


def then(question: Question, evidence: Evidence) -> list[Call]:
    main = evidence.main
    if main is None or not is_for_them(question) or not (evidence.only_running and main.get("order") == "time"):
        return []
    return [("query_trace", {"sql": query("gaps").format(profile=main["handle"])})]


def _longest_gap(evidence: Evidence) -> str:
    """When no sample was taken for longest; empty where that was not looked up."""
    found = evidence.first("query_trace") or {"rows": []}
    gaps = [(at["value_ns"], gap["value_ns"]) for at, gap, _ in found["rows"] if gap.get("value_ns")]
    if not gaps:
        return ""
    first, *others = [f"{amount(gap, 'nanoseconds')} from {amount(at, 'nanoseconds')} on" for at, gap in gaps]
    after = f", then {joined(others)}" if others else ""
    return f"**The longest time without a sample is {first}**{after}."


def idle_times(evidence: Evidence) -> list[str]:
    """Idle times are measured as a sum; where the longest of them lies is not looked for."""
    main = evidence.main
    idle = (main or {}).get("idle_share")
    if main and (gap := _longest_gap(evidence)):
        sampled = f"{cited_profile(main)} was sampled only while it ran; why it did not, the recording does not say."
        return [gap, sampled]
    if main is None or idle is None:
        none = "**This trace cannot say when nothing ran**: idle time is not recorded in it."
        return [none, leading(evidence, "What takes the most is")]
    return [
        f"**{cited_profile(main)} is idle {share(idle)} of the time.** Which of its gaps is the longest, I cannot say.",
        leading(evidence, "What takes the most of the rest is"),
    ]
