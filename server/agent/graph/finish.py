"""The last nodes: the answer verified by its tool results and the trace, its citations resolved; then a title, and
what to ask next."""

from typing import Any

from langchain_core.messages import HumanMessage

from server.agent.graph.follow_ups import suggestions, title_of
from server.agent.graph.state import TurnContext, TurnState
from server.agent.tools.all_tools import TOOLS
from server.agent.verification.answer_checks import checked
from server.agent.verification.facts import gathered
from server.protocol.events import SessionTitle


async def check(state: TurnState, context: TurnContext) -> dict[str, Any]:
    """References and checks of the last message, made where the trace is open. Raises WorkerFailed."""
    turn = context.turn
    facts = gathered(state["messages"], state["known"])
    names = [tool.name for tool in TOOLS]
    found = await context.workers.ask(turn.opened, checked, state["messages"][-1].text, facts, turn.prompt, names)
    return {
        "references": [citation.model_dump() for citation in found.citations],
        "checks": [one.model_dump() for one in found.checks],
    }


async def finish(state: TurnState, context: TurnContext) -> dict[str, Any]:
    """Suggestions; titles a new session and says so."""
    turn = context.turn
    prompt_at = max(index for index, message in enumerate(state["messages"]) if isinstance(message, HumanMessage))
    title = title_of(turn.prompt, turn.trace.name) if turn.is_first_turn else None
    if title:
        await context.sink.emit(SessionTitle(title=title))
    answer = state["messages"][-1].text
    return {"suggestions": suggestions(state["messages"][prompt_at:], answer), "title": title}
