"""Keys for programs as rows, of whose secrets only hashes are kept; the in-memory twin obeys the same contract
suite."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from server.ports.identity import Caller, Scope

LONGEST_NAME = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """What is stored of a key that is made. `prefix` is the part by which it is found, `digest` the SHA-256 of its
    secret in hex."""

    name: str
    prefix: str
    digest: str
    scopes: tuple[Scope, ...]
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramKey:
    """A key, without its secret and its hash. `created_by` is the user within whose rights it acts."""

    key_id: str
    account_id: str
    name: str
    prefix: str
    scopes: tuple[Scope, ...]
    created_by: str
    created_at: datetime
    last_used_at: datetime | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None


class KeyStanding(StrEnum):
    """Whether a key may be used now."""

    OK = "ok"  #: its request is answered, and was counted
    REVOKED = "revoked"  #: somebody took it back
    EXPIRED = "expired"  #: its time is over
    LEFT = "left"  #: its maker is no member of its account any more
    TOO_MANY = "too_many"  #: its maker's keys have sent as many requests as their plan allows a minute


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedKey:
    """What a request's key is. With TOO_MANY, `retry_after_s` says when there is room among the `requests_limit` that
    the plan allows."""

    key: ProgramKey
    standing: KeyStanding
    plan_name: str | None = None
    requests_limit: int | None = None
    retry_after_s: int | None = None


@dataclass(frozen=True, slots=True)
class KeyCount:
    """How many keys a user has that work, and when one of them was used last."""

    user_id: str
    working: int
    last_used_at: datetime | None


class ProgramKeys(Protocol):
    """The keys. What a plan allows is decided by the database, exactly, over all processes."""

    async def create(self, caller: Caller, new: NewKey) -> ProgramKey:
        """Raises NotFound where the caller is no member of the account they act for, NotAllowed where they may only
        read in it, LimitExceeded."""
        ...

    async def use(self, prefix: str, digest: str) -> UsedKey | None:
        """The key with that prefix and hash, and whether it may be used; a request is counted by that. None for no
        such key."""
        ...

    async def of_account(self, caller: Caller) -> Sequence[ProgramKey]:
        """Those of the account that the caller acts for, newest first; revoked ones too."""
        ...

    async def revoke(self, caller: Caller, key_id: str) -> ProgramKey:
        """The caller's own key, or as an owner of the account one of its keys, which works no more; again: as it is.
        Raises NotFound, NotAllowed."""
        ...

    async def counts(self) -> Sequence[KeyCount]:
        """Of every user who has made a key, for administrators."""
        ...

    async def revoke_all_of(self, user_id: str) -> int:
        """How many of a user's keys worked and do no more. Raises NotFound for what is no user's id."""
        ...


class RenderQuota(Protocol):
    """Pictures of the month."""

    async def reserve(self, caller: Caller) -> datetime:
        """Count a picture before it is drawn. Returns the start of the month that it counts in. Raises
        LimitExceeded."""
        ...

    async def release(self, caller: Caller, period_start: datetime) -> None:
        """Give back one that was not drawn."""
        ...
