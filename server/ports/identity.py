"""Who is asking. An access token stops at the edge; inward goes a Caller."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

LOCAL_USER_ID = "00000000-0000-4000-8000-000000000001"
"""The one user of a server on one machine."""


class Scope(StrEnum):
    """What a key for programs may be used for."""

    TRACES_READ = "traces:read"  #: read stored traces, ask questions of one trace
    TRACES_WRITE = "traces:write"  #: upload, label, share and remove them, and note things on them
    RENDER = "render"  #: have pictures drawn
    ASK = "ask"  #: ask for turns, read and keep conversations
    GATE = "gate"  #: read and run gates
    QUESTIONS = "questions"  #: run questions over many traces


@dataclass(frozen=True, slots=True)
class KeyUse:
    """The key for programs that a request shows, by what may be known of it."""

    key_id: str
    name: str
    scopes: frozenset[Scope]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """An authenticated user and the account they act for (their personal one until teams come)."""

    user_id: str
    account_id: str
    is_administrator: bool = False
    known_until: datetime | None = field(default=None, compare=False)
    """When the access token ends; None for one that does not."""

    key: KeyUse | None = None
    """The key in whose name its maker's rights are used; None for a person."""


class Identity(Protocol):
    async def identify(self, access_token: str | None) -> Caller:
        """The caller behind a token. Raises NotAuthenticated when there is none, or a false or expired one, and
        ServiceUnavailable when it cannot be checked."""
        ...
