"""What the edges call, and whose request it is."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from limits.administration import Administration
from server.agent.model_call.offered_models import OfferedModels
from server.edges.http.client_config import ClientConfig
from server.edges.http.picture_limiter import PictureLimiter
from server.edges.http.uploads import UploadsUnderWay
from server.edges.ws.bounds import EXPIRED_GRACE_S
from server.edges.ws.open_sockets import OpenSockets
from server.ports.identity import Caller, Identity
from server.ports.objects import ObjectStore
from server.ports.traces import TraceWorkers
from server.protocol.server import ChatError
from server.turns.conversation import Conversation
from server.turns.trace_library import TraceLibrary

ACCESS_COOKIE = "flamechat_access"
"""Carries the access token for the page of a server that others can reach."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """A program that starts turns for people it has recognised itself, proven by the secret. `refuse` notifies a
    session's listeners on Realtime that a prompt was not accepted: they do not see the HTTP answer."""

    secret: str = field(repr=False)
    caller_of: Callable[[str], Awaitable[Caller]]
    refuse: Callable[[str, ChatError], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The use cases and the settings of the edge. `scratch` takes uploads on their way; `page` is the built client."""

    identity: Identity
    library: TraceLibrary
    conversation: Conversation
    administration: Administration
    workers: TraceWorkers
    objects: ObjectStore
    scratch: Path
    page: Path
    max_upload_bytes: int
    is_ready: Callable[[], Awaitable[bool]]
    metrics: Callable[[], str]
    metrics_token: str | None
    sockets: OpenSockets
    socket_idle_s: float
    expired_grace_s: float = EXPIRED_GRACE_S
    client: ClientConfig = field(default_factory=ClientConfig)
    gateway: Gateway | None = None
    source_folder: Path | None = None
    answer_within_s: float = 300.0
    """How long `POST /api/chat` waits for a turn to end."""

    models: OfferedModels = field(default_factory=OfferedModels)
    uploads: UploadsUnderWay = field(default_factory=UploadsUnderWay)
    pictures: PictureLimiter = field(default_factory=PictureLimiter)


def access_token(connection: HTTPConnection) -> str | None:
    """The token of a request or a socket: a Bearer header, else the page's cookie."""
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token:
        return token.strip()
    return connection.cookies.get(ACCESS_COOKIE)


def services_of(connection: HTTPConnection) -> Services:
    services: Services = connection.app.state.services
    return services


async def caller_of(connection: HTTPConnection) -> Caller:
    """Raises NotAuthenticated."""
    return await services_of(connection).identity.identify(access_token(connection))


CurrentServices = Annotated[Services, Depends(services_of)]
CurrentCaller = Annotated[Caller, Depends(caller_of)]
