"""The public keys with which a project signs access tokens, fetched when they are needed and not more often."""

import contextlib
import time
from collections.abc import Callable

import anyio
import httpx
import jwt
import structlog

from server.errors import ServiceUnavailable

FRESH_S = 600.0
"""How long a set of keys is taken as it is; Supabase's own edge caches it as long."""

BETWEEN_FETCHES_S = 30.0
"""However many unknown key ids arrive, and however often a fetch fails, the endpoint is asked no more often."""

FETCH_S = 5.0
MAX_BYTES = 64 << 10

log = structlog.get_logger(__name__)


class PublishedKeys:
    """The project's JWKS. Keys that were fetched once count until a newer set was fetched, so that a pause of the
    project's Auth signs nobody out."""

    def __init__(self, client: httpx.AsyncClient, url: str, *, now: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._url = url
        self._now = now
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched_at: float | None = None
        self._tried_at: float | None = None
        self._fetching = anyio.Lock()

    async def key(self, key_id: str) -> jwt.PyJWK | None:
        """The key of that id, or None when the project has none. Raises ServiceUnavailable when no keys could be had
        at all."""
        is_on_its_way = self._fetching.locked() and key_id not in self._keys
        if is_on_its_way or self._wants_fetch(key_id):
            async with self._fetching:
                if self._wants_fetch(key_id):
                    await self._fetch()
        if self._fetched_at is None:
            raise ServiceUnavailable(
                "Nobody can be signed in: the keys of the Supabase project cannot be fetched. Try again in a minute.",
                service="auth",
            )
        return self._keys.get(key_id)

    def _wants_fetch(self, key_id: str) -> bool:
        now = self._now()
        if self._tried_at is not None and now - self._tried_at < BETWEEN_FETCHES_S:
            return False
        return self._fetched_at is None or now - self._fetched_at > FRESH_S or key_id not in self._keys

    async def _fetch(self) -> None:
        self._tried_at = self._now()
        try:
            with anyio.fail_after(FETCH_S):
                answer = await self._client.get(self._url)
            answer.raise_for_status()
            if len(answer.content) > MAX_BYTES:
                raise ValueError("too large")
            found = _usable(answer.json())
        except (httpx.HTTPError, TimeoutError, ValueError) as error:
            log.warning("keys_not_fetched", error=type(error).__name__)
            return
        self._keys, self._fetched_at = found, self._now()


def _usable(document: object) -> dict[str, jwt.PyJWK]:
    """Signing keys by their ids. Raises ValueError for what is no key set."""
    if not isinstance(document, dict) or not isinstance(document.get("keys"), list):
        raise ValueError("not a key set")  # noqa: TRY004 - of what was fetched, not of an argument
    found = {}
    for one in document["keys"]:
        if isinstance(one, dict) and one.get("kty") in {"EC", "RSA"}:
            with contextlib.suppress(jwt.PyJWTError):  # of a kind that we do not take: tokens of it are refused
                key = jwt.PyJWK(one)
                found[str(key.key_id)] = key
    return found
