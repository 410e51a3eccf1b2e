"""What stands before a project's services: it knows the API keys, and makes of an `sb_` key a token of its role.

As Supabase documents them, those keys come in `apikey`. One in `Authorization` is passed on as it is, and each service
finds that it is no JWT. A legacy key is a JWT, so nothing is made of it.
"""

import time
from urllib.parse import parse_qsl, urlencode

import jwt
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.cloud.people import ProjectKeys

OPEN = (
    "/auth/v1/.well-known/",
    "/auth/v1/verify",
    "/auth/v1/authorize",
    "/auth/v1/callback",
    "/storage/v1/object/public/",
)


class ApiGateway:
    """ASGI around the services of a project."""

    def __init__(self, app: ASGIApp, keys: ProjectKeys) -> None:
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"} or _is_open(scope):
            await self._app(scope, receive, send)
            return
        asked = dict(parse_qsl(scope["query_string"].decode()))
        headers = Headers(scope=scope)
        key = headers.get("apikey") or asked.get("apikey")
        role = None if key is None else self._keys.role_of_key(key)
        if key is None or role is None:
            await self._refuse(key, scope, receive, send)
            return
        if key.startswith("sb_"):
            token = self._token(role)
            if "apikey" in asked:
                scope = dict(scope) | {"query_string": urlencode(asked | {"apikey": token}).encode()}
            if "authorization" not in headers:
                scope = dict(scope) | {"headers": [*scope["headers"], (b"authorization", f"Bearer {token}".encode())]}
        await self._app(scope, receive, send)

    def _token(self, role: str) -> str:
        """Short-lived, as the gateway's own are."""
        claims = {"iss": "supabase", "role": role, "exp": int(time.time()) + 60}
        return jwt.encode(claims, self._keys.secret, "HS256")

    async def _refuse(self, key: str | None, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 4401})
            return
        said = "No API key found in request" if key is None else "Unregistered API key"
        await JSONResponse({"message": said, "hint": "Double check your API key."}, 401)(scope, receive, send)


def _is_open(scope: Scope) -> bool:
    """Links in mails, published keys, signed addresses, and what a browser asks before it asks."""
    path = scope["path"]
    is_signed = scope.get("method") == "GET" and path.startswith("/storage/v1/object/sign/")
    return is_signed or scope.get("method") == "OPTIONS" or path.startswith(OPEN)
