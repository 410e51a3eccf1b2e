"""A trace's deterministic opening: what a person reads before any prompt."""

from dataclasses import dataclass

from server.agent.first_question import first_question
from server.quoting import plain
from traces.analysis.counters import counter_series, marks
from traces.analysis.functions import top_functions
from traces.analysis.summary import recorded, summarise
from traces.analysis.units import format_value
from traces.insights.registry import first_findings
from traces.model import Trace
from traces.values import Unit

MOST_NAMED = 8
VOWELS = frozenset("aeio")
"""Letters of names of formats that are spoken with a vowel: uftrace is not."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A sentence, a finding a line, and questions worth asking of this trace. Pickles."""

    summary: str
    findings: tuple[str, ...]
    suggestions: tuple[str, ...]


def opening(trace: Trace) -> Opening:
    """For the person: one sentence, the first findings, questions worth asking of this trace."""
    summary = summarise(trace)
    length = "" if summary.duration_ns is None else f", {format_value(summary.duration_ns, Unit.NANOSECONDS)} long"
    profiles = "one profile" if len(summary.profiles) == 1 else f"{len(summary.profiles)} profiles"
    functions = "one function" if summary.frame_count == 1 else f"{summary.frame_count} functions"
    article = "an" if summary.format[:1] in VOWELS else "a"
    what = f"{article} {summary.format} trace{length}{recorded(summary)}"
    sentence = f"{plain(summary.name)} is {what}: {profiles}, {functions}."
    if summary.frame_count == 0:
        sentence += f" {_without_functions(trace)}"
    hottest = top_functions(trace, sort_by="self", limit=1).rows
    questions = [first_question(summary.unit), "What are the top 10 functions?"]
    if hottest:
        questions.append(f"What about `{plain(hottest[0].name, 60).replace('`', chr(39))}`?")
    return Opening(
        summary=sentence,
        findings=tuple(
            f"{finding.title}: {finding.said(lambda evidence: plain(evidence.name, 80))}"
            for finding in first_findings(trace)
        ),
        suggestions=(*questions, "What can this trace answer?"),
    )


def _without_functions(trace: Trace) -> str:
    """What a recording holds that has no functions: its counters with their levels, and its marks."""
    said = [f"{plain(c.name, 40)} {c.lowest:,.6g} to {c.highest:,.6g}" for c in counter_series(trace)]
    said += [f"{plain(name, 40)} ×{count:,}" for name, count in marks(trace)]
    more = f" and {len(said) - MOST_NAMED:,} more" if len(said) > MOST_NAMED else ""
    return f"It holds no calls but levels and marks: {', '.join(said[:MOST_NAMED])}{more}."
