"""What is stored with a trace of what it showed: its findings, and what knows its program again."""

from typing import Any

from server.agent.tools.contract.finding_data import said
from server.quoting import clamp
from traces.analysis.fingerprint import fingerprint
from traces.analysis.functions import top_functions
from traces.insights.registry import insights, ranked
from traces.model import Trace

KEPT_FINDINGS, FINDING_CHARACTERS = 8, 240
"""Findings stored with a trace: the worst, which later searches look for."""

KEPT_FUNCTIONS, PROGRAM_CHARACTERS = 30, 120


def kept_findings(trace: Trace) -> list[dict[str, str]]:
    """The worst findings of a trace, in the words that are stored with it: `{id, severity, detail}`."""
    return [
        {"id": one.id, "severity": str(one.severity), "detail": clamp(said(one), FINDING_CHARACTERS)}
        for one in ranked(insights(trace))[:KEPT_FINDINGS]
    ]


def kept_program(trace: Trace) -> dict[str, Any]:
    """`{fingerprint, functions: [{name, file, share}]}`, the shares those of self value."""
    functions: list[dict[str, Any]] = []
    if len(trace.profiles):
        table = top_functions(trace, sort_by="self", limit=KEPT_FUNCTIONS)
        functions = [
            {
                "name": clamp(row.name, PROGRAM_CHARACTERS),
                "file": clamp(row.file or "", PROGRAM_CHARACTERS),
                "share": round(float(row.self_share), 4),
            }
            for row in table.rows
            if row.self_share > 0
        ]
    return {"fingerprint": fingerprint(trace), "functions": functions}


def origin_of(trace: Trace) -> dict[str, str]:
    """What a trace says of the run that it is of."""
    return dict(trace.origin)
