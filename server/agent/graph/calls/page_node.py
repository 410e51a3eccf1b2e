"""The page node: one call that the page answers. It does nothing before it has the answer: when that comes, this node
runs again from its start, perhaps in another process.
"""

import uuid
from dataclasses import asdict, dataclass
from typing import Any

from server.agent.graph.calls.call_endings import failed_call, finished_call
from server.agent.graph.state import TurnContext, TurnState
from server.agent.tools.all_tools import TOOLS
from server.agent.tools.contract.run_tool import answered_by_page, named_tool
from server.agent.tools.contract.tool import PageReply
from server.agent.tools.contract.tool_errors import ToolFailed, ToolProblem
from server.agent.turn import PageQuestion
from server.protocol.mounted import NOBODY_THERE, WAITS_S, page_result


@dataclass(frozen=True, slots=True)
class PageCall:
    """A call of the newest round that the page has to answer: `asked` is what the page is asked with; `number` that of
    its result in the conversation, whose text may have so many `characters`."""

    call_id: str
    tool: str
    arguments: dict[str, Any]
    asked: dict[str, Any]
    number: int
    characters: int


async def ask_page(state: TurnState, context: TurnContext) -> dict[str, Any]:
    """The oldest call that waits, with the page's answer as its result."""
    first, *others = state["asked_of_page"]
    call = PageCall(**first)
    result = NOBODY_THERE if context.wait is None else context.wait(asdict(question_of(context.turn.turn_id, call)))
    try:
        tool = named_tool(call.tool, TOOLS)
        _check(call, result)
        outcome, cut = await answered_by_page(
            tool,
            PageReply(call.asked, result),
            trace=context.turn.opened,
            workers=context.workers,
            seconds=context.bounds.tool_seconds,
            characters=call.characters,
        )
    except ToolProblem as problem:
        message = await failed_call(context, call.call_id, call.tool, problem)
    else:
        message = await finished_call(context, call.call_id, tool, call.arguments, outcome, cut=cut, number=call.number)
    return {"messages": [message], "asked_of_page": others}


def _check(call: PageCall, result: dict[str, Any]) -> None:
    """Raises ToolFailed for a result that is not by the tool's schema: the model reads none of it."""
    if result == NOBODY_THERE:
        return
    try:
        page_result(call.tool, call.asked, result)
    except ValueError:
        raise ToolFailed(f"the page's answer to {call.tool} has not its form", "redaction_failed") from None


def question_of(turn_id: str, call: PageCall) -> PageQuestion:
    """What the page is asked; the same call of the same turn has always the same id."""
    return PageQuestion(
        interrupt_id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"{turn_id}/interrupt/{call.call_id}")),
        tool_call_id=call.call_id,
        tool_name=call.tool,
        args=call.asked,
        seconds=WAITS_S[call.tool],
    )
