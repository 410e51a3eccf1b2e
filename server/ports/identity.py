"""Who is asking. An access token stops at the edge; inward goes a Caller."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

LOCAL_USER_ID = "00000000-0000-4000-8000-000000000001"
"""The one user of a server on one machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """An authenticated user and the account they act for (their personal one until teams come)."""

    user_id: str
    account_id: str
    is_administrator: bool = False
    known_until: datetime | None = field(default=None, compare=False)
    """When the access token ends; None for one that does not."""


class Identity(Protocol):
    async def identify(self, access_token: str | None) -> Caller:
        """The caller behind a token. Raises NotAuthenticated when there is none, or a false or expired one, and
        ServiceUnavailable when it cannot be checked."""
        ...
