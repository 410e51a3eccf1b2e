"""Each request has an id, which its answer, the log and the turns that it starts name. Pure ASGI."""

import re
import secrets
import uuid

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.ports.request_ids import CURRENT, RequestIds

HEADER = "X-Request-Id"
TRACE_ID_BYTES = 16

_GIVEN = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?")
"""W3C Trace Context, 3.2: a version that is not ff, ids that are not all zeros."""


class RequestIdentity:
    """Takes `X-Request-Id` when it is a UUID or 32 hex digits, and the trace of a valid `traceparent`; makes what is
    missing. The id is on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        ids = ids_of(Headers(scope=scope))

        async def sending(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.accept"):
                message.setdefault("headers", [])
                MutableHeaders(scope=message)[HEADER] = ids.request_id
            await send(message)

        token = CURRENT.set(ids)
        try:
            with structlog.contextvars.bound_contextvars(request_id=ids.request_id):
                await self._app(scope, receive, sending)
        finally:
            CURRENT.reset(token)


def ids_of(headers: Headers) -> RequestIds:
    """Those that a request brings, as far as they are well formed; new ones else."""
    given, parent = headers.get(HEADER, ""), _TRACEPARENT.fullmatch(headers.get("traceparent", ""))
    return RequestIds(
        request_id=given if _GIVEN.fullmatch(given) else str(uuid.uuid4()),
        trace_id=secrets.token_hex(TRACE_ID_BYTES) if parent is None else parent[1],
    )
