"""Of Supabase Auth what the clients and we ask: published keys, a password's token, whose token it is."""

import re
import time
from dataclasses import dataclass, field
from typing import Any

import jwt
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.cloud.faults import Faults
from tests.cloud.people import LIFETIME_S, ProjectKeys, person_id
from tests.cloud.policies import Policies

PASSWORD = "correct horse"


@dataclass(slots=True)
class AuthServer:
    """Everybody signs in with the same password, and is signed up by it. `key_fetches` counts."""

    keys: ProjectKeys
    policies: Policies
    faults: Faults
    administrators: set[str] = field(default_factory=set)
    key_fetches: int = 0

    def routes(self) -> list[Route]:
        return [
            Route("/.well-known/jwks.json", self.published_keys),
            Route("/token", self.token, methods=["POST"]),
            Route("/user", self.user),
            Route("/settings", self.settings),
            Route("/admin/users", self.users),
            Route("/verify", self.follow_link),
        ]

    async def published_keys(self, request: Request) -> Response:
        self.key_fetches += 1
        return await self.faults.meet("auth") or JSONResponse(self.keys.jwks())

    async def sign_in(self, name: str, *, lasts_s: float = LIFETIME_S, **changed: Any) -> str:
        """An access token for that person, who is signed up if they were not."""
        user_id = person_id(name)
        await self.policies.signed_up(user_id, f"{name}@example.com")
        metadata = {"provider": "email", "flamechat_admin": name in self.administrators}
        return self.keys.token(
            user_id, email=f"{name}@example.com", app_metadata=metadata, exp=int(time.time() + lasts_s), **changed
        )

    async def token(self, request: Request) -> Response:
        given = await request.json()
        if given.get("password") != PASSWORD:
            return JSONResponse({"code": 400, "error_code": "invalid_credentials", "msg": "Invalid login"}, 400)
        token = await self.sign_in(given["email"].partition("@")[0])
        return JSONResponse(
            {
                "access_token": token,
                "token_type": "bearer",
                "expires_in": LIFETIME_S,
                "expires_at": int(time.time()) + LIFETIME_S,
                "refresh_token": "again",
                "user": _user(self.keys.read(token)),
            }
        )

    async def follow_link(self, request: Request) -> Response:
        """What a link in a mail does: it leads to the page, with the token in the fragment. Here everybody's link is
        their name."""
        token = await self.sign_in(request.query_params["token"])
        expires = int(time.time()) + LIFETIME_S
        fragment = f"access_token={token}&expires_at={expires}&expires_in={LIFETIME_S}&refresh_token=again"
        to = request.query_params["redirect_to"]
        return RedirectResponse(f"{to}#{fragment}&token_type=bearer&type=magiclink", 303)

    async def settings(self, request: Request) -> Response:
        return await self.faults.meet("auth") or JSONResponse({"external": {"email": True}, "disable_signup": False})

    async def users(self, request: Request) -> Response:
        """For `service_role` alone."""
        fault = await self.faults.meet("auth")
        if fault is not None:
            return fault
        try:
            role = self.keys.read(re.sub("^Bearer ", "", request.headers.get("authorization", "")))["role"]
        except jwt.PyJWTError:
            return JSONResponse({"code": 403, "error_code": "bad_jwt", "msg": "invalid JWT"}, 403)
        if role != "service_role":
            return JSONResponse({"code": 403, "error_code": "not_admin", "msg": "User not allowed"}, 403)
        return JSONResponse({"users": [], "aud": "authenticated"})

    async def user(self, request: Request) -> Response:
        try:
            claims = self.keys.read(re.sub("^Bearer ", "", request.headers.get("authorization", "")))
        except jwt.PyJWTError:
            return JSONResponse({"code": 403, "error_code": "bad_jwt", "msg": "invalid JWT"}, 403)
        return JSONResponse(_user(claims))


def _user(claims: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": claims["sub"],
        "aud": claims["aud"],
        "role": claims["role"],
        "email": claims["email"],
        "app_metadata": claims["app_metadata"],
        "user_metadata": {},
        "identities": [],
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
    }
