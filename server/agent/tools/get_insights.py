"""get_insights: what stands out in a trace, found by rule, before anybody reads it."""

from typing import Annotated, Any

from pydantic import Field

from server.agent.tools.contract.arguments import ProfileArgument
from server.agent.tools.contract.finding_data import insight_data, profile_of, said
from server.agent.tools.contract.resolving import chosen_profile
from server.agent.tools.contract.tool import Outcome, Tool, ToolArguments
from server.quoting import quoted
from traces.analysis.units import format_value
from traces.handles import profile_index
from traces.insights.insight import Insight, State
from traces.insights.registry import insight, insights, ranked
from traces.model import Trace

LISTED = 20
"""Findings listed at once: a trace has about a dozen."""


class GetInsights(ToolArguments):
    name: Annotated[str | None, Field(description="one in detail, e.g. hot-function; default: all")] = None
    profile: ProfileArgument = None


def answer_insights(trace: Trace, arguments: GetInsights) -> Outcome:
    profile = chosen_profile(trace, arguments.profile).index
    if arguments.name is not None:
        return _detail(trace, insight(trace, arguments.name, profile=profile))
    every = insights(trace, profile=profile)
    found = ranked(every)
    lines = ["findings, worst first (severity, name, confidence):" if found else "nothing stands out"]
    lines += [
        f"{one.severity} {one.id} ({one.confidence}){_where(trace, one, profile)}: {said(one)}"
        for one in found[:LISTED]
    ]
    if len(found) > LISTED:
        lines.append(f"… {len(found) - LISTED} more")
    passed = sum(one.state is State.PASS for one in every)
    lines.append(f"{passed} others were looked for and not found; {len(every) - len(found) - passed} do not apply here")
    return Outcome(
        text="\n".join(lines),
        data={
            "insights": [insight_data(trace, one) for one in found],
            "passed": passed,
            "looked_for": len(every),
            "not_applicable": [one.id for one in every if one.state is State.NOT_APPLICABLE],
        },
    )


def _detail(trace: Trace, one: Insight) -> Outcome:
    lines = [f"{one.id}: {one.title}: {one.state} ({one.severity}, confidence {one.confidence})", said(one)]
    lines += [f"- {e.handle} {quoted(e.name, 80)} {e.value}".replace("-  ", "- ", 1).rstrip() for e in one.evidence]
    if one.window is not None:
        profile = profile_of(trace, one)
        start, end = (format_value(at - profile.axis_start, profile.axis) for at in (one.window.start, one.window.end))
        lines.append(f"window: {start} to {end} of {profile.handle}, by name {one.id}")
    if one.advice:
        lines.append(f"what to try: {one.advice}")
    lines += [f"worth asking: {question}" for question in one.questions]
    data = {"insights": [insight_data(trace, one)]}
    return Outcome(text="\n".join(lines), data=data, ui=_shown(trace, one), warning=one.state is State.NOT_APPLICABLE)


def _where(trace: Trace, one: Insight, asked: int) -> str:
    """The profile of a finding, for a reader, where it is another than the one asked for."""
    if one.profile is None or profile_index(trace, one.profile) == asked:
        return ""
    return f" in {one.profile} {quoted(profile_of(trace, one).name, 80)}"


def _shown(trace: Trace, one: Insight) -> dict[str, Any] | None:
    return {"handle": one.evidence[0].handle, "profile": profile_of(trace, one).handle} if one.evidence else None


GET_INSIGHTS = Tool(
    name="get_insights",
    description="For why it is slow or what is wrong: what stands out by rule (hot spots, long tasks, GC, N+1 "
    "queries, overheads, flaws of the recording), a line each; one by name with evidence and advice.",
    arguments=GetInsights,
    answer=answer_insights,
    doing=lambda a: "Looking for what stands out" if a.name is None else f"Looking at {a.name[:40]}",
    fields=frozenset(
        {"insights", "passed", "looked_for", "not_applicable", "id", "kind", "title", "state", "severity", "confidence"}
    )
    | {
        "detail",
        "template",
        "share",
        "profile",
        "window",
        "start",
        "end",
        "evidence",
        "handle",
        "cause",
        "name",
        "amount",
        "advice",
    }
    | {"questions"},
    narrow="ask for one by name",
)
