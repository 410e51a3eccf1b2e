"""The last nodes: the answer verified by its tool results and the trace, its citations resolved; then a title, and
what to ask next."""

import asyncio
from typing import Any

import structlog
from langchain_core.messages import HumanMessage

from server.agent.graph.follow_ups import suggestions, title_of
from server.agent.graph.recollection.cited_documents import cited_passages, document_citations, document_sources
from server.agent.graph.recollection.quoted_people import of_people
from server.agent.graph.recollection.recalled import recalled
from server.agent.graph.recollection.used_facts import used_facts
from server.agent.graph.state import TurnContext, TurnState
from server.agent.outside.answer_sources import answer_sources
from server.agent.tools.all_tools import TOOLS
from server.agent.tools.contract.window_argument import known_windows
from server.agent.verification.facts import gathered
from server.agent.verification.outside_figures import of_outside, outside_results
from server.agent.verification.references.checked_answer import checked_answer
from server.agent.verification.references.tool_results import returned
from server.errors import WorkerFailed
from server.protocol.events import SessionTitle
from traces.errors import TraceError


async def check(state: TurnState, context: TurnContext) -> dict[str, Any]:
    """References and checks of the last message, made where the trace is open. An answer that cannot be checked stays,
    without them: nobody loses it for that."""
    turn = context.turn
    facts = gathered(state["messages"], state["known"])
    names = [tool.name for tool in TOOLS]
    results = returned(turn.history, state["messages"], known_windows(state["known"]))
    answer = state["messages"][-1].text
    outside = outside_results(state["messages"])
    documents = turn.tool_context.documents if turn.tool_context is not None else None
    passages = await cited_passages(answer, documents)
    named = [*answer_sources(state["messages"], answer), *document_sources(passages)]
    cited = [one.model_dump() for one in document_citations(passages, answer)]
    rest = {
        "outside_sources": [one.model_dump() for one in named],
        "used_facts": await asyncio.to_thread(used_facts, answer, turn.core_memory or ()),
    }
    said = [*(turn.core_memory or ()), *recalled(turn.prompt, turn.asked_before)]
    try:
        found = await context.workers.ask(turn.opened, checked_answer, answer, facts, turn.prompt, names, results)
    except (TraceError, WorkerFailed) as error:
        structlog.get_logger(__name__).warning("answer_not_checked", turn_id=turn.turn_id, error=str(error))
        return {"references": cited, "checks": []} | rest
    return {
        "references": [citation.model_dump() for citation in found.citations] + cited,
        "checks": [one.model_dump() for one in of_outside(answer, of_people(answer, found.checks, said), outside)],
    } | rest


async def finish(state: TurnState, context: TurnContext) -> dict[str, Any]:
    """Suggestions; titles a new session and says so."""
    turn = context.turn
    prompt_at = max(index for index, message in enumerate(state["messages"]) if isinstance(message, HumanMessage))
    title = title_of(turn.prompt, turn.trace.name) if turn.is_first_answer else None
    if title:
        await context.sink.emit(SessionTitle(title=title))
    found = suggestions(
        state["messages"][prompt_at:],
        state["messages"][-1].text,
        unit=turn.trace.unit,
        asked=[str(one.text) for one in state["messages"] if isinstance(one, HumanMessage)] + [turn.prompt],
    )
    return {"suggestions": found, "title": title}
