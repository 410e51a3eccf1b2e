"""The endpoints of other clients' streams. Whoever goes away leaves a turn that runs on; what is refused is a frame."""

from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from server.edges.http.api_address import API
from server.edges.http.requests_at_once import REFUSED
from server.edges.http.services import CurrentCaller, services_of
from server.edges.streams.ag_ui import AgUiFrames
from server.edges.streams.ai_sdk import AiSdkFrames
from server.edges.streams.data_stream import DataStreamFrames
from server.edges.streams.frames import Addresses, Frames, refusal
from server.edges.streams.request_body import asked_by_ag_ui, asked_by_ai_sdk, body_of, ids_of_ag_ui
from server.edges.streams.turn_stream import NOT_KEPT, TurnStream
from server.errors import LimitExceeded, NotAuthenticated, ServerError, TooManyAtOnce
from server.ports.identity import Caller
from server.turns.client_streams import ClientStreams, FollowedByClient
from traces.errors import TraceError

MAX_SENT_BYTES = 64 << 20
"""Of a request that is answered at all; far less is taken (request_body.py)."""

PREFIX = "/streams"

routes = APIRouter(prefix=f"{API}{PREFIX}", tags=["streams"], max_body_size=MAX_SENT_BYTES)


def _streams(request: Request) -> ClientStreams:
    return services_of(request).streams.turns


ForStreams = Annotated[ClientStreams, Depends(_streams)]


@routes.post("/ai-sdk")
async def ai_sdk(request: Request, caller: CurrentCaller, streams: ForStreams) -> Response:
    """A prompt of `useChat`, answered as a UI message stream."""
    frames = AiSdkFrames(_addresses(request))

    async def asked() -> FollowedByClient:
        return await streams.ask(caller, asked_by_ai_sdk(await body_of(request)))

    return await _answer(request, caller, frames, asked)


@routes.get("/ai-sdk/{chat_id}/stream")
async def ai_sdk_again(chat_id: str, request: Request, caller: CurrentCaller, streams: ForStreams) -> Response:
    """What runs in the chat, from the answer's start; 204 when nothing does."""

    async def running() -> FollowedByClient | None:
        return await streams.running(caller, chat_id)

    return await _answer(request, caller, AiSdkFrames(_addresses(request)), running)


@routes.post("/data-stream")
async def data_stream(request: Request, caller: CurrentCaller, streams: ForStreams) -> Response:
    """A prompt of assistant-ui, answered as its data stream."""
    frames = DataStreamFrames(_addresses(request))

    async def asked() -> FollowedByClient:
        return await streams.ask(caller, asked_by_ai_sdk(await body_of(request)))

    return await _answer(request, caller, frames, asked)


@routes.post("/ag-ui")
async def ag_ui(request: Request, caller: CurrentCaller, streams: ForStreams) -> Response:
    """A run of an AG-UI client."""
    frames = AgUiFrames(_addresses(request))

    async def asked() -> FollowedByClient:
        body = await body_of(request)
        frames.run_as(*ids_of_ag_ui(body))
        return await streams.ask(caller, asked_by_ag_ui(body))

    return await _answer(request, caller, frames, asked)


def _addresses(request: Request) -> Addresses:
    return Addresses(str(request.base_url).rstrip("/"))


async def _answer(
    request: Request, caller: Caller, frames: Frames, asking: Callable[[], Awaitable[FollowedByClient | None]]
) -> Response:
    """The stream, which is one error frame where the prompt is refused; 204 for none. A stream takes the place of a
    socket, and being asked for counts as a read."""
    services, place = services_of(request), ExitStack()
    try:
        services.rates.admit_message(caller)
        place.enter_context(services.socket.sockets.opened_by(caller.user_id))
        followed = await asking()
    except BaseException as error:
        place.close()
        if isinstance(error, NotAuthenticated) or not isinstance(error, ServerError | TraceError):
            raise
        if isinstance(error, LimitExceeded | TooManyAtOnce):
            request.scope.setdefault("state", {})[REFUSED] = True
        return Response(frames.refused(refusal(error)), headers=frames.headers | NOT_KEPT)
    if followed is None:
        place.close()
        return Response(status_code=204, headers=NOT_KEPT)
    return TurnStream(frames, followed, leave=place.close)
