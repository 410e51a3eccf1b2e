"""What a page answers a turn that waits for it: checked, kept once, and the turn goes on, on any process."""

from server.agent.turn import ATTEMPT, PageAnswer
from server.errors import BadRequest, NotFound
from server.ports.conversations import Conversations, TurnRow
from server.ports.identity import Caller
from server.ports.queue import TurnJob, TurnQueue
from server.protocol.client import ResumeTurn
from server.protocol.mounted import page_result
from server.turns.access import turn_of


async def resume(
    conversations: Conversations, queue: TurnQueue, caller: Caller, message: ResumeTurn, *, turn_id: str | None = None
) -> None:
    """Let the turn go on. The same answer again changes nothing. With a `turn_id` only that turn is meant.

    Raises BadRequest for a result that is not the tool's, and for one that is too late; NotFound.
    """
    waiting = await conversations.turn_of_interrupt(caller, message.interrupt_id)
    await turn_of(conversations, caller, waiting.turn_id)
    asked = waiting.interrupt
    if asked is None or turn_id not in (None, waiting.turn_id):
        raise NotFound("There is no such interrupt.")
    try:
        answer = page_result(asked.tool_name, asked.args, message.result)
    except ValueError as error:
        raise BadRequest(f"result: {error}", field="result") from None
    result = answer.model_dump(mode="json", by_alias=True)
    context = None if message.context is None else message.context.model_dump(mode="json", by_alias=True)
    turn = await conversations.resume_turn(caller, message.interrupt_id, result, context=context)
    if turn is not None:
        await queue.put_again(TurnJob(turn.turn_id, turn.session_id))
        return
    now = await conversations.turn_of_interrupt(caller, message.interrupt_id)
    if now.interrupt_result != result:
        raise BadRequest("This was answered already, or it is too late.", field="interruptId")


def page_answer_of(turn: TurnRow) -> PageAnswer | None:
    """What the page has answered to the newest question of a turn, for the attempt that has just started."""
    if turn.interrupt is None or turn.interrupt_result is None:
        return None
    asked_by = turn.interrupt.args.get(ATTEMPT, turn.attempt - 1)
    return PageAnswer(turn.interrupt.interrupt_id, turn.interrupt_result, is_first=turn.attempt == asked_by + 1)
