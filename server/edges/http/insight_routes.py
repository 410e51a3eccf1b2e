"""What stands out in a trace, over HTTP: findings by rule, no model, no cost."""

from dataclasses import replace
from typing import Any

from fastapi import APIRouter

from server.agent.tools.get_insights import insight_data, thread_of
from server.edges.http.services import CurrentCaller, ForTraces
from server.edges.http.trace_routes import index_of
from server.quoting import plain
from traces.handles import profile_at
from traces.insights.insight import Evidence
from traces.insights.registry import insights, ranked
from traces.model import Trace

routes = APIRouter(prefix="/traces", tags=["traces"])


@routes.get("/{trace_id}/insights")
async def all_insights(
    trace_id: str, caller: CurrentCaller, services: ForTraces, profile: str | None = None
) -> dict[str, Any]:
    """Findings that the trace has, worst first; then what was not found or cannot be judged, and why."""
    _, opened = await services.library.open(caller, trace_id)
    answer: dict[str, Any] = await services.workers.ask(opened, insights_json, index_of(profile, "profile"))
    return answer


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
