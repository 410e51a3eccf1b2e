"""Where a project is, and how we talk to it."""

from dataclasses import dataclass, field

import httpx

from server.adapters.supabase.api_keys import ApiKeyAuth

CONNECT_S = 5.0
ANSWER_S = 30.0
"""Between two pieces of an answer, or of what we send: a service that is silent for so long is taken for dead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SupabaseProject:
    """`url` as the dashboard shows it; the keys are of the project's API settings, of either kind. The first secret
    key counts, and the next one when it is refused."""

    url: str
    publishable_key: str = field(repr=False)
    secret_keys: tuple[str, ...] = field(repr=False)
    jwt_secret: str | None = field(default=None, repr=False)

    @property
    def base(self) -> str:
        return self.url.rstrip("/")

    @property
    def issuer(self) -> str:
        return f"{self.base}/auth/v1"

    def client(self) -> httpx.AsyncClient:
        """As `service_role`; `async with` it."""
        return httpx.AsyncClient(
            base_url=self.base,
            auth=ApiKeyAuth(self.secret_keys),
            timeout=httpx.Timeout(ANSWER_S, connect=CONNECT_S, pool=ANSWER_S),
        )
