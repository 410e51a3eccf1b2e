"""A kind of question: its calls and its words."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.findings import claimed, of_causes
from server.analyst.question import Question

Call = tuple[str, dict[str, Any]]
Calls = Callable[[Question, Evidence], list[Call]]

SUMMARY: Call = ("get_trace_summary", {})
BY_SELF: Call = ("get_top_functions", {"sort_by": "self", "limit": 10})
OWN_CODE: Call = ("get_top_functions", {"sort_by": "self", "limit": 5, "my_code": True})
FINDINGS: Call = ("get_insights", {})


def nothing_more(question: Question, evidence: Evidence) -> list[Call]:
    """For kinds that one round answers."""
    return []


@dataclass(frozen=True, slots=True)
class Kind:
    """`first` are the calls of the first round, `then` of every later one until it has none (calls made already are
    left out), `write` the paragraphs of the answer."""

    first: Calls
    write: Callable[[Question, Evidence], list[str]]
    then: Calls = nothing_more


WEIGHS = 0.15
"""Share from which a finding of the cause that is asked for is the answer, and not an aside."""


def because(kind: Kind, *causes: str) -> Kind:
    """The kind; its answer begins with the worst finding of these classes of cause, if that weighs. One that does not
    comes second."""

    def first(question: Question, evidence: Evidence) -> list[Call]:
        return [*kind.first(question, evidence), FINDINGS]

    def write(question: Question, evidence: Evidence) -> list[str]:
        found = of_causes(evidence, causes)
        parts = kind.write(question, evidence)
        if not found:
            return parts
        share = found[0]["share"]
        weighs = found[0]["severity"] == "high" if share is None else share >= WEIGHS
        return [claimed(found[0]), *parts] if weighs else [parts[0], claimed(found[0]), *parts[1:]]

    return Kind(first, write, kind.then)
