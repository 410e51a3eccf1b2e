"""Of Supabase Auth what the page, the clients and we ask: published keys, ways in, sessions and their end."""

import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

import jwt
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.arrivals import Arrivals
from tests.cloud.auth_sessions import Links, Mail, Refused, Session, Sessions
from tests.cloud.faults import Faults
from tests.cloud.people import LIFETIME_S, ProjectKeys, person_id
from tests.cloud.policies import Policies

PASSWORD = "correct horse"
API_VERSION = "X-Supabase-Api-Version"
"""Whoever sends it gets errors of that form, and the header back."""

Answering = Callable[[Request], Awaitable[Response]]


@dataclass(slots=True)
class AuthServer:
    """Everybody signs in with the same password, and is signed up by it, by a mail or by GitHub. `key_fetches` counts.
    A link leads back to any address of this machine."""

    keys: ProjectKeys
    policies: Policies
    faults: Faults
    administrators: set[str] = field(default_factory=set)
    key_fetches: int = 0
    lasts_s: int = LIFETIME_S
    signs_up: bool = True
    providers: tuple[str, ...] = ("github",)
    sessions: Sessions = field(default_factory=Sessions)
    links: Links = field(default_factory=Links)
    mails: Arrivals[Mail] = field(default_factory=Arrivals)

    def routes(self) -> list[Route]:
        return [
            Route("/.well-known/jwks.json", self.published_keys),
            Route("/token", _answering(self.token), methods=["POST"]),
            Route("/signup", _answering(self.sign_up), methods=["POST"]),
            Route("/otp", _answering(self.mail), methods=["POST"]),
            Route("/verify", self.follow_link, methods=["GET"]),
            Route("/verify", _answering(self.enter_code), methods=["POST"]),
            Route("/authorize", _answering(self.by_provider)),
            Route("/logout", _answering(self.leave), methods=["POST"]),
            Route("/user", _answering(self.user)),
            Route("/settings", self.settings),
            Route("/admin/users", _answering(self.users)),
        ]

    async def published_keys(self, request: Request) -> Response:
        self.key_fetches += 1
        return await self.faults.meet("auth") or JSONResponse(self.keys.jwks())

    async def sign_in(self, name: str, *, lasts_s: float | None = None, **changed: Any) -> str:
        """An access token for that person, who is signed up if they were not."""
        session, _ = self.sessions.begin(name)
        return await self._access_token(session, lasts_s=lasts_s, **changed)

    async def mail_to(self, address: str) -> Mail:
        """The newest mail to an address. Raises TimeoutError where none comes."""
        await self.mails.until(lambda mails: any(mail.to == address for mail in mails))
        return next(mail for mail in reversed(self.mails) if mail.to == address)

    async def token(self, request: Request) -> Response:
        given = await request.json()
        match request.query_params.get("grant_type"):
            case "password":
                if given.get("password") != PASSWORD:
                    raise Refused(400, "invalid_credentials", "Invalid login credentials")
                session, refresh_token = self.sessions.begin(_name(given["email"]))
            case "refresh_token":
                session, refresh_token = self.sessions.renew(given["refresh_token"])
            case _:
                raise Refused(400, "invalid_credentials", "unsupported_grant_type")
        return JSONResponse(await self._grant(session, refresh_token))

    async def sign_up(self, request: Request) -> Response:
        """Addresses are to be confirmed."""
        if not self.signs_up:
            raise Refused(422, "signup_disabled", "Signups not allowed for this instance")
        given = await request.json()
        await self._send(given["email"].lower(), request)
        return JSONResponse({"id": person_id(_name(given["email"])), "email": given["email"].lower()})

    async def mail(self, request: Request) -> Response:
        given = await request.json()
        if not self.signs_up and given.get("create_user", True):
            raise Refused(422, "signup_disabled", "Signups not allowed for this instance")
        await self._send(given["email"].lower(), request)
        return JSONResponse({})

    async def follow_link(self, request: Request) -> Response:
        """What a link in a mail does: it leads to the page, with the session in the fragment."""
        to = _allowed(request.query_params.get("redirect_to", ""))
        try:
            address = self.links.by_hash(request.query_params["token"])
        except Refused as refused:
            said = {"error": "access_denied", "error_code": refused.code, "error_description": str(refused)}
            return RedirectResponse(f"{to}#{urlencode(said)}", 303)
        return await self._lead_back(to, _name(address), request.query_params["type"])

    async def enter_code(self, request: Request) -> Response:
        given = await request.json()
        address = self.links.by_code(given["email"].lower(), given["token"])
        return JSONResponse(await self._grant(*self.sessions.begin(_name(address))))

    async def by_provider(self, request: Request) -> Response:
        """The provider's page is left out: whoever is sent there comes back as `gil`."""
        if request.query_params.get("provider") not in self.providers:
            raise Refused(400, "validation_failed", "Unsupported provider: provider is not enabled")
        return await self._lead_back(_allowed(request.query_params.get("redirect_to", "")), "gil", "")

    async def leave(self, request: Request) -> Response:
        claims = self._claims(request)
        self.sessions.end(claims["session_id"], request.query_params.get("scope", "global"))
        return Response(status_code=204)

    async def settings(self, request: Request) -> Response:
        external = {"anonymous_users": False, "email": True, "phone": False, "github": False, "google": False}
        external |= dict.fromkeys(self.providers, True)
        said = {"external": external, "disable_signup": not self.signs_up, "mailer_autoconfirm": False}
        return await self.faults.meet("auth") or JSONResponse(said)

    async def users(self, request: Request) -> Response:
        """For `service_role` alone."""
        fault = await self.faults.meet("auth")
        if fault is not None:
            return fault
        if self._read(request)["role"] != "service_role":
            raise Refused(403, "not_admin", "User not allowed")
        return JSONResponse({"users": [], "aud": "authenticated"})

    async def user(self, request: Request) -> Response:
        return JSONResponse(_user(self._claims(request)))

    async def _send(self, to: str, request: Request) -> None:
        hashed, code = self.links.send(to)
        asked = {
            "token": hashed,
            "type": self.links.kind_for(to),
            "redirect_to": request.query_params.get("redirect_to", ""),
        }
        self.mails.append(Mail(to, f"{self.keys.url}/auth/v1/verify?{urlencode(asked)}", code))

    async def _lead_back(self, to: str, name: str, kind: str) -> Response:
        granted = await self._grant(*self.sessions.begin(name))
        said = {one: granted[one] for one in ("access_token", "expires_at", "expires_in", "refresh_token")}
        return RedirectResponse(f"{to}#{urlencode(said | {'token_type': 'bearer', 'type': kind, 'sb': ''})}", 303)

    async def _access_token(self, session: Session, *, lasts_s: float | None = None, **changed: Any) -> str:
        name = session.name
        user_id = person_id(name)
        await self.policies.signed_up(user_id, f"{name}@example.com")
        metadata = {"provider": "email", "flamechat_admin": name in self.administrators}
        expires = int(time.time() + (self.lasts_s if lasts_s is None else lasts_s))
        given: dict[str, Any] = {"email": f"{name}@example.com", "app_metadata": metadata, "exp": expires}
        return self.keys.token(user_id, **given | {"session_id": session.session_id} | changed)

    async def _grant(self, session: Session, refresh_token: str) -> dict[str, Any]:
        token = await self._access_token(session)
        return {
            "access_token": token,
            "token_type": "bearer",
            "expires_in": self.lasts_s,
            "expires_at": int(time.time()) + self.lasts_s,
            "refresh_token": refresh_token,
            "user": _user(self.keys.read(token)),
        }

    def _read(self, request: Request) -> dict[str, Any]:
        try:
            return self.keys.read(re.sub("^Bearer ", "", request.headers.get("authorization", "")))
        except jwt.PyJWTError:
            raise Refused(403, "bad_jwt", "invalid JWT") from None

    def _claims(self, request: Request) -> dict[str, Any]:
        claims = self._read(request)
        if "sub" not in claims:
            raise Refused(403, "bad_jwt", "invalid claim: missing sub claim")
        self.sessions.check(claims["session_id"], claims["email"].partition("@")[0])
        return claims


def _answering(work: Answering) -> Answering:
    async def answer(request: Request) -> Response:
        try:
            return await work(request)
        except Refused as refused:
            version = request.headers.get(API_VERSION)
            if version is None:
                said = {"code": refused.status, "error_code": refused.code, "msg": str(refused)}
                return JSONResponse(said, refused.status)
            return JSONResponse({"code": refused.code, "message": str(refused)}, refused.status, {API_VERSION: version})

    return answer


def _allowed(redirect_to: str) -> str:
    """Where else than to this machine a link was to lead, it leads to the project's own site."""
    return redirect_to if urlsplit(redirect_to).hostname == "127.0.0.1" else "http://127.0.0.1:9/"


def _name(address: str) -> str:
    """Upper and lower case are the same person."""
    return address.lower().partition("@")[0]


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
