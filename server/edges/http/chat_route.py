"""A question and its answer in one request, for simple programs: the turn is one like any other."""

import uuid

import anyio
from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict

from server.edges.http.api_address import COMPATIBLE
from server.edges.http.services import ChatServices, CurrentCaller, ForChat, services_of
from server.errors import BadRequest, Busy, ModelFailed
from server.ports.identity import Caller
from server.ports.relay import Listening
from server.protocol.client import Identifier, Prompt, UserPrompt
from server.protocol.events import ModelResponseEnd, TurnCancelled, TurnFailed
from server.protocol.wire_values import Citation, HistoryMessage, OutsideSource, ViewerState
from server.turns.conversation import Conversation

MAX_BODY_BYTES = 256 << 10

TRY_AGAIN_S = 30
"""After the wait is over the turn goes on: its answer is in the session."""

routes = APIRouter(prefix=COMPATIBLE, tags=["chat"], max_body_size=MAX_BODY_BYTES)


class Question(BaseModel):
    """`flamechat_trace_id` is the trace asked about, the newest one by default; of a session it is the session's."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    message: Prompt
    session_id: Identifier | None = None
    flamechat_trace_id: Identifier | None = None


class Source(BaseModel):
    """A thing of the trace that the answer cites."""

    handle: str
    name: str
    file: str | None
    line: int | None


class Answer(BaseModel):
    """`trace_id` names this answer's turn, as in the log and in an observer's records; `flamechat_trace_name` is the
    name of the recording that was asked about, which nobody may have named."""

    answer: str
    sources: list[Source | OutsideSource]
    trace_id: str
    session_id: str
    flamechat_trace_id: str
    flamechat_trace_name: str


@routes.post("/chat")
async def chat(request: Request, question: Question, caller: CurrentCaller, services: ForChat) -> Answer:
    """Ask, wait, answer. A session of an earlier answer goes on with its conversation."""
    services.conversation.admit(caller)
    session_id = question.session_id or str(uuid.uuid4())
    trace_id = await _trace(services, caller, question)
    turn_id = str(uuid.uuid4())
    listening = services_of(request).streams.turns.listen(session_id)
    try:  # a new session is made with the accepted turn: what is refused leaves none
        prompt = UserPrompt(session_id=session_id, prompt=question.message, turn_id=turn_id, trace_id=trace_id)
        await services.conversation.submit(caller, prompt, ViewerState(), is_admitted=True)
        ended = await _end_of(listening, turn_id, services.answer_within_s)
    finally:
        await listening.aclose()
    if isinstance(ended, TurnFailed):
        raise ModelFailed(ended.message, code=ended.code, retryable=ended.retryable)
    if isinstance(ended, TurnCancelled):
        raise ModelFailed("The answer was stopped before it was whole.", code="turn_cancelled")
    said = await _message(services.conversation, caller, session_id, turn_id, ended.message_id)
    return Answer(
        answer=said.content_text,
        sources=[*(_source(one) for one in ended.citations if one.kind == "trace"), *ended.sources],
        trace_id=turn_id,
        session_id=session_id,
        flamechat_trace_id=trace_id,
        flamechat_trace_name=(await services.library.row(caller, trace_id)).name,
    )


async def _trace(services: ChatServices, caller: Caller, question: Question) -> str:
    """Raises BadRequest when there is none to ask about."""
    if question.flamechat_trace_id is not None:
        return question.flamechat_trace_id
    if question.session_id is not None:
        for session in await services.conversation.sessions(caller, None):
            if session.session_id == question.session_id:
                return session.trace_id
    rows = await services.library.rows(caller)
    if not rows:
        raise BadRequest("There is no trace to ask about: upload one to /api/v1/traces.", field="flamechat_trace_id")
    return rows[0].trace_id


async def _end_of(listening: Listening, turn_id: str, seconds: float) -> ModelResponseEnd | TurnCancelled | TurnFailed:
    """Raises Busy when the turn does not end in time; it goes on."""
    with anyio.move_on_after(seconds):
        async for event in listening:
            if isinstance(event, ModelResponseEnd | TurnCancelled | TurnFailed) and event.turn_id == turn_id:
                return event
    raise Busy(
        "The answer takes longer than this request waits. Read it in the session later.", retry_after_s=TRY_AGAIN_S
    )


async def _message(
    conversation: Conversation, caller: Caller, session_id: str, turn_id: str, message_id: str
) -> HistoryMessage:
    """Raises ModelFailed when the answer was removed meanwhile."""
    for message in await conversation.turn_messages(caller, session_id, turn_id):
        if message.message_id == message_id:
            return message
    raise ModelFailed("The answer is gone: its session was changed meanwhile.", code="not_stored")


def _source(citation: Citation) -> Source:
    return Source(handle=citation.handle, name=citation.name, file=citation.file, line=citation.line)
