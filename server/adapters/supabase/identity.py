"""Who an access token of the project belongs to, checked here: no request of ours waits for the project's Auth."""

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import jwt

from server.adapters.supabase.keys import PublishedKeys
from server.errors import NotAuthenticated, NotFound, by_class
from server.ports.identity import Caller

AUDIENCE = "authenticated"
LEEWAY_S = 10
"""How far two clocks may be apart."""

ACCOUNT_KNOWN_S = 60.0
"""How long a user's account is not asked for again; a user who was removed is let in no longer than this."""

ACCOUNTS_KEPT = 10_000
MAX_TOKEN_CHARACTERS = 8_192
"""Several times the longest token that Supabase makes of a full profile."""

LAST_SECOND = 253_402_300_799
"""Of the year 9999, the last that `datetime` has."""

SIGNED_BY_KEY = ("ES256", "RS256")
SIGNED_BY_SECRET = ("HS256",)

REFUSALS: dict[type[Exception], tuple[str, str]] = {
    jwt.ExpiredSignatureError: ("token_expired", "The sign-in has expired. Sign in again."),
    jwt.ImmatureSignatureError: ("token_not_yet_valid", "This access token is not valid yet: check the clocks."),
    jwt.InvalidAudienceError: ("wrong_audience", "This access token was made for another audience."),
    jwt.InvalidIssuerError: ("wrong_issuer", "This access token is of another project."),
    jwt.InvalidSignatureError: ("bad_signature", "This access token was not signed by this project."),
    jwt.InvalidAlgorithmError: ("bad_algorithm", "This access token is signed in a way that is not accepted."),
    jwt.MissingRequiredClaimError: ("incomplete_token", "This access token does not say who it is for."),
    jwt.PyJWTError: ("malformed_token", "This is no access token."),
}
"""By class: a code for programs and a text for people. Whatever else is wrong with a token makes it malformed."""


class SupabaseIdentity:
    """Identity over a project's keys. `account_of` gives a user's personal account, making what is missing, and raises
    NotFound for a user whom the project does not have.
    """

    def __init__(
        self,
        *,
        issuer: str,
        keys: PublishedKeys,
        secret: str | None,
        account_of: Callable[[str], Awaitable[str]],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._issuer = issuer
        self._keys = keys
        self._secret = secret
        self._account_of = account_of
        self._now = now
        self._accounts: dict[str, tuple[str, float]] = {}

    async def identify(self, access_token: str | None) -> Caller:
        """The user of a token. Raises NotAuthenticated with a code for each kind of false one; anonymous keys and
        tokens of services are no users."""
        if not access_token:
            raise NotAuthenticated("Sign in first: this server needs an access token.", code="no_token")
        claims = await self._claims(access_token)
        if claims.get("role") != "authenticated":
            raise NotAuthenticated("This is no person's access token.", code="not_a_user")
        user_id = _user_id(claims)
        granted = claims.get("app_metadata")
        return Caller(
            user_id=user_id,
            account_id=await self._account(user_id),
            is_administrator=isinstance(granted, dict) and granted.get("flamechat_admin") is True,
            known_until=datetime.fromtimestamp(min(int(claims["exp"]), LAST_SECOND), UTC),
        )

    async def caller(self, user_id: str) -> Caller:
        """The caller that a trusted gateway names. Raises NotFound."""
        return Caller(user_id=user_id, account_id=await self._account_of(user_id))

    async def _claims(self, token: str) -> dict[str, Any]:
        try:
            if len(token) > MAX_TOKEN_CHARACTERS:
                raise jwt.DecodeError("too long")
            key, algorithms = await self._key(token)
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=algorithms,
                audience=AUDIENCE,
                issuer=self._issuer,
                leeway=LEEWAY_S,
                options={"require": ["exp", "sub", "aud", "iss"]},
            )
            return claims
        except jwt.PyJWTError as error:
            code, text = by_class(REFUSALS, error) or REFUSALS[jwt.PyJWTError]
            raise NotAuthenticated(text, code=code) from None

    async def _key(self, token: str) -> tuple[jwt.PyJWK | str, list[str]]:
        """The one key that may have signed it, with the algorithms of that key: a public key is never taken for a
        secret."""
        header = jwt.get_unverified_header(token)
        algorithm, key_id = header.get("alg"), header.get("kid")
        if algorithm in SIGNED_BY_SECRET and self._secret is not None:
            return self._secret, [algorithm]
        if algorithm not in SIGNED_BY_KEY:
            raise jwt.InvalidAlgorithmError
        key = await self._keys.key(key_id) if isinstance(key_id, str) else None
        if key is None:
            raise jwt.InvalidSignatureError
        return key, [algorithm]  # PyJWT refuses a key whose own algorithm is another

    async def _account(self, user_id: str) -> str:
        account_id, asked_at = self._accounts.get(user_id, ("", -ACCOUNT_KNOWN_S))
        if self._now() - asked_at < ACCOUNT_KNOWN_S and account_id:
            return account_id
        try:
            account_id = await self._account_of(user_id)
        except NotFound:
            self._accounts.pop(user_id, None)
            raise NotAuthenticated("The project has no such user any more.", code="unknown_user") from None
        if len(self._accounts) >= ACCOUNTS_KEPT:
            self._accounts.clear()
        self._accounts[user_id] = (account_id, self._now())
        return account_id


def _user_id(claims: dict[str, Any]) -> str:
    try:
        return str(UUID(str(claims["sub"])))
    except ValueError:
        raise NotAuthenticated("This access token does not say who it is for.", code="incomplete_token") from None
