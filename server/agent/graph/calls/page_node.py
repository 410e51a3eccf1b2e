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
from server.agent.tools.contract.tool_context import Reach
from server.agent.tools.contract.tool_errors import ToolFailed, ToolProblem
from server.agent.turn import ATTEMPT, PageQuestion, TurnInput
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
    asks_by: str = ""

    @property
    def waits_by(self) -> str:
        """What the page has mounted to answer it."""
        return self.asks_by or self.tool


async def ask_page(state: TurnState, context: TurnContext) -> dict[str, Any]:
    """The oldest call that waits, with the page's answer as its result."""
    first, *others = state["asked_of_page"]
    call = PageCall(**first)
    result = NOBODY_THERE if context.wait is None else context.wait(asdict(question_of(context.turn, call)))
    try:
        tool = named_tool(call.tool, (*TOOLS, *(one for one in context.tools if one.is_outside)))
        _check(call, result)
        if tool.approved is not None and context.turn.page_answer is not None and not context.turn.page_answer.is_first:
            raise ToolFailed(f"{call.tool} may have been called already: it is not called twice", "unavailable")
        outcome, cut = await answered_by_page(
            tool,
            PageReply(call.asked, result),
            trace=context.turn.opened,
            workers=context.workers,
            seconds=context.bounds.tool_seconds,
            characters=call.characters,
            reach=Reach(foreign=context.turn.foreign),
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
        page_result(call.waits_by, call.asked, result)
    except ValueError:
        raise ToolFailed(f"the page's answer to {call.tool} has not its form", "redaction_failed") from None


def question_of(turn: TurnInput, call: PageCall) -> PageQuestion:
    """What the page is asked; the same call of the same turn has always the same id. With what a person has to allow
    goes the attempt that asks, so that a later one knows whether it is the first that may act."""
    asked = call.asked | ({ATTEMPT: turn.attempt} if call.asks_by else {})
    return PageQuestion(
        interrupt_id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"{turn.turn_id}/interrupt/{call.call_id}")),
        tool_call_id=call.call_id,
        tool_name=call.waits_by,
        args=asked,
        seconds=WAITS_S[call.waits_by],
    )
