"""What stands out in a trace, as JSON values."""

from dataclasses import replace
from typing import Any

from server.agent.tools.contract.finding_data import insight_data, thread_of
from server.quoting import plain
from traces.handles import profile_at
from traces.insights.insight import Evidence
from traces.insights.registry import insights, ranked
from traces.model import Trace


def insights_json(trace: Trace, profile: int | None) -> dict[str, Any]:
    """`{insights, passed, notApplicable}`: windows are on their profile's axis, as a view's are; `thread` names the
    finding's where the trace has several."""
    every = insights(trace, profile=profile)
    others: dict[str, list[dict[str, str]]] = {"pass": [], "not_applicable": []}
    for one in every:
        if one.state in others:
            others[one.state].append({"id": one.id, "title": one.title, "why": one.detail})
    rows = []
    for one in ranked(every):
        shown = replace(one, evidence=tuple(_plain(evidence) for evidence in one.evidence))
        window = None if one.window is None else {"start": float(one.window.start), "end": float(one.window.end)}
        detail = shown.said(lambda evidence: evidence.name)
        thread = thread_of(trace, one, profile_at(trace, profile).index)
        rows.append(insight_data(trace, shown) | {"detail": detail, "window": window, "thread": thread})
    return {"insights": rows, "passed": others["pass"], "notApplicable": others["not_applicable"]}


def _plain(evidence: Evidence) -> Evidence:
    return replace(evidence, name=plain(evidence.name, 120))
