"""A trace's deterministic opening: what a person reads before any prompt, and what a model knows
before its first word.
"""

from dataclasses import asdict, dataclass
from typing import Any

from server.agent.named_windows import NamedWindow, looked_at, named_windows, seen_window
from server.agent.quoting import plain
from server.agent.tools.functions import TopFunctions, answer_top_functions
from server.agent.tools.insights import insight_data, said
from server.agent.tools.summary import NoArguments, answer_summary, recorded
from server.protocol.values import Opening, ViewerState
from traces.analysis.functions import top_functions
from traces.analysis.summary import summarise
from traces.analysis.units import format_value
from traces.insights.registry import first_findings
from traces.model import Trace
from traces.values import Unit

NOTHING_SEEN = ViewerState()


@dataclass(frozen=True, slots=True)
class FirstLook:
    """For the model: the summary and the heaviest functions as text, a finding a line, the trace's strings quoted;
    `data` is what the figures in it are, for the checks.
    """

    summary: str
    findings: tuple[str, ...]
    data: dict[str, Any]
    windows: tuple[NamedWindow, ...] = ()
    seen: str = ""


def first_look(trace: Trace, viewer: ViewerState = NOTHING_SEEN) -> FirstLook:
    """Summary, heaviest functions, the worst findings and the windows worth a name; what the person looks at."""
    told = answer_summary(trace, NoArguments())
    top = answer_top_functions(trace, TopFunctions(limit=5))
    worst = first_findings(trace)
    seen = seen_window(trace, viewer)
    windows = (*named_windows(trace, worst), *([seen] if seen else []))
    findings = tuple(f"{finding.severity} {finding.id}: {said(finding)}" for finding in worst)
    return FirstLook(
        f"{told.text}\n{top.text}",
        findings,
        {
            "summary": told.data,
            "top": top.data,
            "insights": [insight_data(trace, finding) for finding in worst],
            "windows": [asdict(window) for window in windows],
        },
        windows,
        looked_at(trace, viewer),
    )


def opening(trace: Trace) -> Opening:
    """For the person: one sentence, the first findings, questions worth asking of this trace."""
    summary = summarise(trace)
    length = "" if summary.duration_ns is None else f", {format_value(summary.duration_ns, Unit.NANOSECONDS)} long"
    profiles = "one profile" if len(summary.profiles) == 1 else f"{len(summary.profiles)} profiles"
    sentence = (
        f"{plain(summary.name)} is a {summary.format} trace{length}{recorded(summary)}: {profiles}, "
        f"{summary.frame_count} functions."
    )
    hottest = top_functions(trace, sort_by="self", limit=1).rows
    questions = ["Why is this slow?", "What are the top 10 functions?"]
    if hottest:
        questions.append(f"What about `{plain(hottest[0].name, 60).replace('`', chr(39))}`?")
    return Opening(
        summary=sentence,
        findings=[
            f"{finding.title}: {finding.said(lambda evidence: plain(evidence.name, 80))}"
            for finding in first_findings(trace)
        ],
        suggestions=[*questions, "What can this trace answer?"],
    )
