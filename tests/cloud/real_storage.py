"""Supabase's own Storage server as a peer of the tests, where one is named. It must be for tests alone: its buckets are
emptied.

FLAMECHAT_TEST_STORAGE_URL is where it answers (`/status`), FLAMECHAT_TEST_STORAGE_KEY the secret by which it reads
tokens (`AUTH_JWT_SECRET`); our migrations have made its buckets. The tests' own gateway stands before it.
"""

import os
from dataclasses import dataclass, field

import httpx
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.cloud.passed_on import passed_on

_URL, _KEY = (os.environ.get(f"FLAMECHAT_TEST_STORAGE_{name}") for name in ("URL", "KEY"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RealStorage:
    address: str
    secret: str = field(repr=False)

    def routes(self, client: httpx.AsyncClient) -> list[Route]:
        async def pass_on(request: Request) -> Response:
            return await passed_on(request, client, self.address)

        return [Route("/{path:path}", pass_on, methods=["GET", "POST", "PUT", "DELETE"])]


def real_storage() -> RealStorage | None:
    """None where none is named."""
    if _URL is None or _KEY is None:
        return None
    return RealStorage(address=_URL.rstrip("/"), secret=_KEY)
