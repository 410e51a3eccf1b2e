"""The analyst's answer: sentences by rule around the tools' own figures, the answer first."""

from server.analyst.evidence import Evidence
from server.analyst.kinds.all_kinds import KINDS
from server.analyst.kinds.knowing import CONNECT
from server.analyst.plan import settled
from server.analyst.question import Question, Topic
from server.analyst.wording import cited_profile

SIGNATURE = f"*Written by the built-in analyst: rules over the trace, not a language model. {CONNECT}*"
OPTIONAL = frozenset({"search_findings", "get_usage", "get_hottest_windows"})
"""Tools whose refusal changes nothing in the answer."""

_TIMELESS = frozenset(
    {Topic.LANGUAGE, Topic.USAGE, Topic.ABILITIES, Topic.COMPARE, Topic.PAGE, Topic.PROFILES, Topic.MEMORY}
)

_NARROWED = frozenset({Topic.WINDOW, Topic.COMPARE, Topic.LANGUAGE, Topic.USAGE, Topic.ABILITIES})


def report(question: Question, evidence: Evidence) -> str:
    """The full answer in Markdown."""
    question = settled(question, evidence)
    first, *others = KINDS[question.topic].write(question, evidence)
    carried = _carried(question, evidence)
    opening = f"{_wrong_unit(question, evidence)} {carried}{first}".lstrip()  # the answer stands in one paragraph
    parts = [_misread(question), opening, question.note, _of_all(question), *others]
    return "\n\n".join(part for part in [*parts, _failures(evidence), SIGNATURE] if part)


def _carried(question: Question, evidence: Evidence) -> str:
    """What the answer before was about, where this one goes on about it."""
    if question.carried is None:
        return ""
    profile = evidence.profile(question.profile)
    is_main = profile is None or profile["handle"] == (evidence.summary or {}).get("default_profile")
    where = "" if is_main or profile is None else f" in {cited_profile(profile)}"
    return f"About {question.carried}{where}, as before: "


def _of_all(question: Question) -> str:
    """A word when the question names a time that its kind of answer cannot be narrowed to."""
    if not question.time_ranges or question.topic in _NARROWED:
        return ""
    return "(This is about the whole recording: this kind of answer cannot be narrowed to the time you name.)"


def _wrong_unit(question: Question, evidence: Evidence) -> str:
    """A word first when a duration is asked of a trace that measures none."""
    if question.topic in _TIMELESS or evidence.unit == "nanoseconds":
        return ""
    if evidence.unit == "bytes" and (question.asks_time or question.asks_speed):
        return "**This trace measures bytes of memory, not time or CPU**: how long anything takes is not in it."
    if evidence.unit == "bytes" or not question.asks_time:
        return ""
    return (
        "**This trace holds counts (samples, calls or instructions), not time**: how long anything takes is not in it."
    )


def _misread(question: Question) -> str:
    if question.understood:
        return ""
    if len(question.text.split()) < 4:
        return "(The rules of the built-in analyst do not know this: I take it as “where does the time go?”.)"
    return (
        "(The rules of the built-in analyst do not know this question: here is what dominates. They know functions, "
        "callers, threads, stretches of time, waiting, memory and findings; anything else needs a language model.)"
    )


def _failures(evidence: Evidence) -> str:
    failed = dict.fromkeys(
        result.tool
        for result in evidence.results
        if result.failed and result.tool not in OPTIONAL and "my_code" not in result.arguments
    )
    return f"({', '.join(failed)} could not answer, so this is without it.)" if failed else ""
