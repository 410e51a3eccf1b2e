"""The last node: the answer held against its tool results, its citations resolved, a title, what to ask next."""

from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from server.agent.checks import checks
from server.agent.citations import resolve_citations
from server.agent.facts import gathered
from server.agent.follow_ups import suggestions, title_of
from server.agent.state import TurnContext, TurnState
from server.agent.tools.table import TOOLS
from server.protocol.events import SessionTitle
from server.protocol.values import Citation


async def finish(state: TurnState, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    """References, checks, suggestions; titles a new session and says so."""
    context = runtime.context
    turn = context.turn
    answer = state["messages"][-1].text
    resolved = await context.workers.ask(turn.opened, resolve_citations, answer)
    facts = gathered(state["messages"], state["known"])
    held = checks(answer, facts, resolved, turn.prompt, [tool.name for tool in TOOLS])
    prompt_at = max(index for index, message in enumerate(state["messages"]) if isinstance(message, HumanMessage))
    title = title_of(turn.prompt, turn.trace.name) if turn.is_first_turn else None
    if title:
        await context.sink.emit(SessionTitle(title=title))
    cited: dict[str, Citation] = {}
    for one in resolved:
        cited.setdefault(one.citation.handle, one.citation)
    return {
        "references": [citation.model_dump() for citation in cited.values()],
        "checks": [check.model_dump() for check in held],
        "suggestions": suggestions(state["messages"][prompt_at:], answer),
        "title": title,
    }
