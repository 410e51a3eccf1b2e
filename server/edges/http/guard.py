"""Who may talk to this server at all: requests under its own names, and pages of its own origin. Pure ASGI: streams
and sockets pass untouched.
"""

from collections.abc import Callable, Collection, Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.edges.http.problems import problem

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def content_policy(page_may_reach: Collection[str], page_may_fetch: Collection[str] = ()) -> str:
    """The page's Content-Security-Policy: this server alone, and for what it fetches and shows these origins too, for
    what it only fetches those."""
    others = "".join(f" {origin}" for origin in page_may_reach)
    fetched = others + "".join(f" {origin}" for origin in page_may_fetch)
    return (
        f"default-src 'self'; style-src 'self'; img-src 'self' data: blob:{others}; connect-src 'self'{fetched}; "
        "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


class Guard:
    """Refuses a `Host` that is not one of ours (a DNS name rebound to this machine), and an unsafe method or a socket
    whose `Origin` is another site's. Programs send no Origin and pass. Adds the security headers to every answer."""

    def __init__(
        self, app: ASGIApp, *, is_our_name: Callable[[str], bool], page_may_reach: Collection[str] = ()
    ) -> None:
        self._app = app
        self._is_our_name = is_our_name
        self._headers = {"Content-Security-Policy": content_policy(page_may_reach), **SECURITY_HEADERS}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, _with_headers(send, self._headers))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4403, "reason": refusal})
        else:
            await problem(403, "Forbidden", refusal, instance=scope["path"])(
                scope, receive, _with_headers(send, self._headers)
            )

    def _refusal(self, scope: Scope) -> str | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_our_name(urlsplit(f"//{host}").hostname or ""):
            return "This server does not answer under that name. Add it to FLAMECHAT_ALLOWED_HOSTS if it should."
        origin = headers.get("origin")
        unsafe = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if unsafe and origin is not None and origin not in {f"http://{host}", f"https://{host}"}:
            return "Another site's page may not use this server."
        return None


def _with_headers(send: Send, added: Mapping[str, str]) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in added.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
