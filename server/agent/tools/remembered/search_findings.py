"""search_findings and get_usage: what the person's other traces showed, and their usage against their plan."""

import re
from typing import Annotated, Any

from pydantic import Field

from server.agent.tools.contract.kept_programs import programs_of, share_in
from server.agent.tools.contract.kept_with_trace import kept_program
from server.agent.tools.contract.tool import Outcome, Tool, ToolArguments
from server.agent.tools.contract.tool_context import Asking, KnownTrace, ToolContext
from server.agent.tools.contract.tool_errors import ToolFailed
from server.agent.tools.get_trace_summary import NoArguments
from server.quoting import quoted
from traces.analysis.fingerprint import SAME_PROGRAM, overlap

MOST_TRACES = 100
"""Other traces that data lists."""

_WORD = re.compile(r"\w{2,}")


class SearchFindings(ToolArguments):
    query: Annotated[str, Field(description="words of a finding or a trace's name; empty: the newest")] = ""
    limit: Annotated[int, Field(ge=1, le=30)] = 10


async def ask_findings(asking: Asking, arguments: SearchFindings) -> Outcome:
    others = await context_of(asking).traces()
    words = {word.casefold() for word in _WORD.findall(arguments.query)}
    this = await asking.workers.ask(asking.trace, kept_program)
    programs = await programs_of(asking, others)
    near = {
        known.trace_id: overlap(this["fingerprint"], str(programs.get(known.trace_id, {}).get("fingerprint", "")))
        for known in others
    }
    found = sorted(
        (
            (_matches(words, known, finding), near[known.trace_id] >= SAME_PROGRAM, -age, known, finding)
            for age, known in enumerate(others)
            for finding in _of(known)
        ),
        key=lambda one: one[:3],
        reverse=True,
    )
    hits = [one for one in found if one[0] or not words]
    shown = hits[: arguments.limit]
    head = f"{len(hits)} findings in {len(others)} other traces" + (f" for {quoted(arguments.query)}" if words else "")
    lines = [f"{head}, best first:" if shown else head]
    lines += [
        f"{quoted(known.name, 60)} ({known.created}, {known.trace_id}): {finding['severity']} {finding['id']}: "
        f"{finding['detail']}" + (" (of this program)" if same else "")
        for _, same, _, known, finding in shown
    ]
    if not shown and others:
        lines.append("newest traces: " + ", ".join(f"{quoted(one.name, 60)} ({one.created})" for one in others[:5]))
    if len(hits) > len(shown):
        lines.append(f"… {len(hits) - len(shown)} more: use more words or a higher limit")
    return Outcome(
        text="\n".join(lines),
        data={
            "matches": len(hits),
            "searched": len(others),
            "rows": [
                {"trace_id": known.trace_id, "trace": known.name, "created": known.created} | finding
                for *_, known, finding in shown
            ],
            "share": share_in(this, words),
            "traces": [
                {
                    "trace_id": known.trace_id,
                    "trace": known.name,
                    "created": known.created,
                    "overlap": round(near[known.trace_id], 2),
                    "share": share_in(programs.get(known.trace_id, {}), words),
                    "heaviest": next(iter(programs.get(known.trace_id, {}).get("functions") or []), None),
                }
                for known in others[:MOST_TRACES]
            ],
        },
        warning=not shown,
    )


def _of(known: KnownTrace) -> list[dict[str, str]]:
    """Its stored findings; those of a trace from before findings were stored are its warnings."""
    kept = known.summary.get("findings")
    if isinstance(kept, list):
        return [{key: str(one.get(key, "")) for key in ("id", "severity", "detail")} for one in kept]
    warnings = known.summary.get("warnings") or []
    return [{"id": str(one.get("code")), "severity": "info", "detail": str(one.get("text"))} for one in warnings]


def _matches(words: set[str], known: KnownTrace, finding: dict[str, str]) -> int:
    text = f"{finding['id']} {finding['detail']} {known.name} {known.summary.get('format', '')}".casefold()
    return sum(word in text for word in words)


def context_of(asking: Asking) -> ToolContext:
    """Raises ToolFailed where tools have nothing but the trace."""
    if asking.tool_context is None:
        raise ToolFailed("there are no other traces here", "unavailable")
    return asking.tool_context


async def ask_usage(asking: Asking, _: NoArguments) -> Outcome:
    usage = await context_of(asking).usage()

    def line(what: str, used: int, limit: int | None) -> str:
        if limit is None:
            return f"{what}: {used} used, no limit"
        return f"{what}: {used} of {limit} used, {max(limit - used, 0)} left"

    reset = "" if usage.resets_at is None else f"; resets {usage.resets_at:%Y-%m-%d %H:%M %Z}".rstrip()
    lines = [
        f"plan {quoted(usage.plan_name, 60)}",
        line("messages in this conversation", usage.messages_used, usage.messages_limit),
        line("conversations", usage.sessions_used, usage.sessions_limit) + reset,
    ]
    data: dict[str, Any] = usage.model_dump(mode="json")
    data["messages_left"] = None if usage.messages_limit is None else max(usage.messages_limit - usage.messages_used, 0)
    data["sessions_left"] = None if usage.sessions_limit is None else max(usage.sessions_limit - usage.sessions_used, 0)
    return Outcome(text="\n".join(lines), data=data)


SEARCH_FINDINGS = Tool(
    name="search_findings",
    description="For earlier traces of the person: their findings, with names and ids for compare_traces.",
    arguments=SearchFindings,
    ask=ask_findings,
    doing=lambda a: f"Searching earlier findings for {a.query[:60]}" if a.query else "Looking at earlier findings",
    fields=frozenset({"matches", "searched", "rows", "trace_id", "trace", "created", "id", "severity", "detail"})
    | {"share", "traces", "overlap", "heaviest", "name", "file"},
    narrow="use a smaller limit",
    needs=frozenset({"traces"}),
)

GET_USAGE = Tool(
    name="get_usage",
    description="For questions about the plan: messages and conversations used, left, and when they reset.",
    arguments=NoArguments,
    ask=ask_usage,
    doing=lambda _: "Looking up the plan",
    fields=frozenset({"plan_name", "messages_used", "messages_limit", "messages_left", "resets_at"})
    | {"sessions_used", "sessions_limit", "sessions_left"},
    narrow="nothing to narrow",
    needs=frozenset({"account"}),
)
