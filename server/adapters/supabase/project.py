"""Where a project is, and how we talk to it."""

from dataclasses import dataclass, field

import httpx

CONNECT_S = 5.0
ANSWER_S = 30.0
"""Between two pieces of an answer, or of what we send: a service that is silent for so long is taken for dead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SupabaseProject:
    """`url` as the dashboard shows it; both keys are of the project's API settings."""

    url: str
    anon_key: str = field(repr=False)
    service_role_key: str = field(repr=False)
    jwt_secret: str | None = field(default=None, repr=False)

    @property
    def base(self) -> str:
        return self.url.rstrip("/")

    @property
    def issuer(self) -> str:
        return f"{self.base}/auth/v1"

    def client(self) -> httpx.AsyncClient:
        """As `service_role`; `async with` it."""
        headers = {"apikey": self.service_role_key, "Authorization": f"Bearer {self.service_role_key}"}
        return httpx.AsyncClient(
            base_url=self.base, headers=headers, timeout=httpx.Timeout(ANSWER_S, connect=CONNECT_S, pool=ANSWER_S)
        )
