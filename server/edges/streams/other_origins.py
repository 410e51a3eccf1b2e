"""Pages of other origins, let in to these endpoints alone (CORS, Fetch Standard 3.2): by a token, never by a cookie."""

from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PREFLIGHT_S = 600
"""How long a browser remembers the answer to a preflight request."""

READABLE = "x-vercel-ai-ui-message-stream, x-vercel-ai-data-stream, x-request-id, retry-after"
SENDABLE = "authorization, content-type, accept, user-agent, x-request-id, traceparent, flamechat-account"


class OtherOrigins:
    """Wraps an application below `prefix`. A request of an allowed origin goes on as one of a program, which has
    neither an origin nor cookies; whatever else comes is passed as it is."""

    def __init__(self, app: ASGIApp, *, prefix: str, allowed: Collection[str]) -> None:
        self._app = app
        self._prefix = prefix
        self._allowed = frozenset(allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(self._prefix):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin", "")
        if origin not in self._allowed:
            await self._app(scope, receive, send)
            return
        if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            await Response(status_code=204, headers=_preflight(origin))(scope, receive, send)
            return
        kept = [(name, value) for name, value in scope["headers"] if name not in (b"origin", b"cookie")]
        await self._app({**scope, "headers": kept}, receive, _readable_by(origin, send))


def _preflight(origin: str) -> dict[str, str]:
    return {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Methods": "GET, POST",
        "Access-Control-Allow-Headers": SENDABLE,
        "Access-Control-Max-Age": str(PREFLIGHT_S),
        "Vary": "Origin",
    }


def _readable_by(origin: str, send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = READABLE
            headers.add_vary_header("Origin")
        await send(message)

    return sending
