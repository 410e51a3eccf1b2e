"""Asking without a socket: a page that follows turns on Realtime alone, and a gateway that acts for people it knows."""

import hmac
import uuid
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header

from server.edges.http.api_address import API
from server.edges.http.gateway import Gateway
from server.edges.http.services import ChatServices, CurrentCaller, ForChat, ForTeams
from server.edges.ws.answers import answer_to
from server.errors import BadRequest, NotAuthenticated, ServerError
from server.ports.identity import Caller
from server.protocol.base import WireModel
from server.protocol.client import Identifier, Prompt, ResumeTurn, StartAnalysis, UserPrompt
from server.protocol.mounted import Mounted
from server.protocol.server import ChatError, ConnectionAck, TurnSnapshot, WaitingForModel
from server.protocol.wire_values import ViewerState

MAX_BODY_BYTES = 256 << 10
"""The same length as of a message on the socket."""

routes = APIRouter(prefix=API, tags=["prompts"], max_body_size=MAX_BODY_BYTES)


class NewPrompt(WireModel):
    """As `user_prompt`. `traceId` opens a session that is new."""

    prompt: Prompt
    turn_id: Identifier | None = None
    trace_id: Identifier | None = None
    model: str | None = None
    mode: Literal["reject", "queue"] = "reject"
    context: ViewerState | None = None


class JoinRequest(WireModel):
    trace_id: Identifier
    mounted_tools: Mounted = ()


class JoinedSession(WireModel):
    """`snapshot` is the running turn as it stands."""

    ack: ConnectionAck
    snapshot: TurnSnapshot | None


class PageResult(WireModel):
    """As `resume`."""

    interrupt_id: Identifier
    result: dict[str, Any]
    context: ViewerState | None = None


class ProcessTurn(WireModel):
    """What a gateway asks for a person. `start_analysis` without a prompt opens the session and starts nothing."""

    type: Literal["start_analysis", "user_prompt"]
    user_id: str
    trace_id: Identifier
    session_id: Identifier
    turn_id: Identifier | None = None
    prompt: Prompt | None = None
    model_name: str | None = None


class AcceptedTurn(WireModel):
    """`turnId` is null when no turn was asked for."""

    turn_id: str | None
    position: int | None = None


@routes.post("/sessions/{session_id}/join")
async def join(session_id: Identifier, body: JoinRequest, caller: CurrentCaller, services: ForChat) -> JoinedSession:
    """Open or rejoin a session, as the socket's `start_analysis` does; costs nothing."""
    message = StartAnalysis(trace_id=body.trace_id, session_id=session_id, mounted_tools=body.mounted_tools)
    joined = await services.conversation.join(caller, message)
    await joined.listening.aclose()
    return JoinedSession(ack=joined.ack, snapshot=joined.running)


@routes.post("/sessions/{session_id}/prompts", status_code=202)
async def ask(session_id: Identifier, prompt: NewPrompt, caller: CurrentCaller, services: ForChat) -> AcceptedTurn:
    """Accept a prompt. The turn runs whether or not anybody listens."""
    return await _accept(services, caller, session_id, prompt, is_typed=True)


@routes.post("/turns/{turn_id}/cancel", status_code=204)
async def cancel(turn_id: Identifier, caller: CurrentCaller, services: ForChat) -> None:
    """Stop a turn; one that has ended is left as it is."""
    await services.conversation.cancel(caller, turn_id)


@routes.post("/turns/{turn_id}/resume", status_code=204)
async def resume(turn_id: Identifier, body: PageResult, caller: CurrentCaller, services: ForChat) -> None:
    """Answer what a turn asks of the page. The same answer again changes nothing."""
    await services.conversation.resume(caller, ResumeTurn(**body.model_dump()), turn_id=turn_id)


async def gateway_of(services: ForChat, x_internal_auth_token: Annotated[str, Header()] = "") -> Gateway:
    """Raises NotAuthenticated for a false secret, and for any while none is set."""
    gateway = services.gateway
    given = x_internal_auth_token.encode()
    if gateway is None or not hmac.compare_digest(given, gateway.secret.encode()):
        raise NotAuthenticated("This needs the secret of a gateway in X-Internal-Auth-Token.", code="no_gateway")
    return gateway


@routes.post("/ai/process-turn", status_code=202)
async def process_turn(
    body: ProcessTurn,
    gateway: Annotated[Gateway, Depends(gateway_of)],
    services: ForChat,
    teams: ForTeams,
    flamechat_account: Annotated[str | None, Header()] = None,
) -> AcceptedTurn:
    """Accept a prompt from a gateway; its events are sent on Realtime. The same turnId again starts nothing."""
    if body.type == "user_prompt" and body.prompt is None:
        raise BadRequest("A user_prompt needs its prompt.", field="prompt")
    caller = await teams.acting(await gateway.caller_of(body.user_id), flamechat_account)
    if body.prompt is None:
        await services.conversation.open(caller, trace_id=body.trace_id, session_id=body.session_id)
        return AcceptedTurn(turn_id=None)
    prompt = NewPrompt(prompt=body.prompt, turn_id=body.turn_id, trace_id=body.trace_id, model=body.model_name)
    try:
        return await _accept(services, caller, body.session_id, prompt)
    except ServerError as error:
        answer = answer_to(error)
        if gateway.refuse is not None and isinstance(answer, ChatError):
            gateway.refuse(body.session_id, answer)
        raise


async def _accept(
    services: ChatServices, caller: Caller, session_id: str, prompt: NewPrompt, *, is_typed: bool = False
) -> AcceptedTurn:
    turn_id = prompt.turn_id or str(uuid.uuid4())
    message = UserPrompt(session_id=session_id, turn_id=turn_id, **prompt.model_dump(exclude={"turn_id"}))
    waiting: WaitingForModel | None = await services.conversation.submit(
        caller, message, ViewerState(), is_typed=is_typed
    )
    return AcceptedTurn(turn_id=turn_id, position=None if waiting is None else waiting.position)
