"""What a model knows of a trace before its first word: deterministic."""

from dataclasses import asdict, dataclass
from typing import Any

from server.agent.tools.contract.finding_data import insight_data, said
from server.agent.tools.contract.named_windows import NamedWindow, looked_at, named_windows, seen_window
from server.agent.tools.get_top_functions import TopFunctions, answer_top_functions
from server.agent.tools.get_trace_summary import NoArguments, answer_summary
from server.protocol.wire_values import ViewerState
from traces.insights.registry import first_findings
from traces.model import Trace

NOTHING_SEEN = ViewerState()


@dataclass(frozen=True, slots=True)
class FirstLook:
    """For the model: the summary and `top`, the heaviest functions, as text, a finding a line, the trace's strings
    quoted; `data` is what the figures in it are, for the checks. `stable_windows` are those of `windows` that do not
    follow the person's view.
    """

    summary: str
    top: str
    findings: tuple[str, ...]
    data: dict[str, Any]
    stable_windows: tuple[NamedWindow, ...] = ()
    windows: tuple[NamedWindow, ...] = ()
    seen: str = ""


def first_look(trace: Trace, viewer: ViewerState = NOTHING_SEEN) -> FirstLook:
    """Summary, heaviest functions, the worst findings and the windows worth a name; what the person looks at."""
    summary = answer_summary(trace, NoArguments())
    top = answer_top_functions(trace, TopFunctions(limit=5))
    worst = first_findings(trace)
    seen = seen_window(trace, viewer)
    stable = named_windows(trace, worst)
    windows = (*stable, *([seen] if seen else []))
    findings = tuple(f"{finding.severity} {finding.id}: {said(finding)}" for finding in worst)
    return FirstLook(
        summary.text,
        top.text,
        findings,
        {
            "summary": summary.data,
            "top": top.data,
            "insights": [insight_data(trace, finding) for finding in worst],
            "windows": [asdict(window) for window in windows],
        },
        stable,
        windows,
        looked_at(trace, viewer),
    )
