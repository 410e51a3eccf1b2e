"""How a request says which key it comes with, and which of several keys counts while they are rotated.

Supabase documents `sb_` keys for the header `apikey` alone: its gateway makes a token of them, and a service that finds
one in `Authorization` refuses it. A legacy key is a JWT and goes into both headers.
"""

from collections.abc import Generator

import httpx
import structlog

from server.ports.key_kinds import is_jwt

REFUSED = frozenset({httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN})

log = structlog.get_logger(__name__)


class ApiKeyAuth(httpx.Auth):
    """Sends the first of the keys until the project refuses it, then the next, and round again: one of them is being
    rotated. A request that names its own key is left as it is; a body must be one that can be sent twice.
    """

    def __init__(self, keys: tuple[str, ...]) -> None:
        self._keys = keys
        self._current = 0
        self._reported: set[int] = set()

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        if "apikey" in request.headers:
            yield request
            return
        for _ in self._keys:
            used = self._current
            _sign(request, self._keys[used])
            answer = yield request
            if answer.status_code not in REFUSED:
                self._reported.discard(used)
                return
            self._refused(used, answer.status_code)

    def _refused(self, used: int, status: int) -> None:
        """Turn to the next key, unless another request has done so meanwhile; reported once for each key."""
        if self._current == used:
            self._current = (used + 1) % len(self._keys)
        if used not in self._reported:
            self._reported.add(used)
            log.warning(
                "supabase_key_refused",
                key=f"{used + 1} of {len(self._keys)}",
                status=status,
                to_do="FLAMECHAT_SUPABASE_SECRET_KEY must name a key that the project has; flamechat check-config",
            )


def _sign(request: httpx.Request, key: str) -> None:
    request.headers["apikey"] = key
    request.headers.pop("Authorization", None)
    if is_jwt(key):
        request.headers["Authorization"] = f"Bearer {key}"
