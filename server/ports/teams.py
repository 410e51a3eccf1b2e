"""Accounts of several people: who is what in them, and who is invited. The rules are in SQL
(`supabase/migrations/*_teams.sql`); the in-memory twin obeys the same contract suite."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

MOST_OWNED = 50
"""Accounts of which one user is an owner."""

MOST_OPEN = 20
"""Invitations to one account."""

GOOD_FOR = timedelta(days=7)
"""How long an invitation can be accepted."""

LONGEST_NAME = 100
LONGEST_ADDRESS = 254
"""RFC 5321, 4.5.3.1.3, without the brackets."""


class Role(StrEnum):
    """What a user is in an account; each may what the ones before it may."""

    VIEWER = "viewer"  #: reads
    MEMBER = "member"  #: uploads, asks, proposes what to remember
    OWNER = "owner"  #: administers, and decides what is remembered

    @property
    def rank(self) -> int:
        return list(Role).index(self)


class Deciders(StrEnum):
    """Who lets something into what an account remembers."""

    MEMBERS = "members"  #: whoever may ask, for what they said themselves
    OWNERS = "owners"  #: nobody else


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """An account as one of its members sees it; `role` is theirs."""

    account_id: str
    name: str
    role: Role
    is_personal: bool
    created_at: datetime
    memory_decided_by: Deciders = Deciders.MEMBERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """`name` is what they call themselves, else the name or address that their sign-in knows."""

    user_id: str
    name: str | None
    role: Role
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """One that can still be accepted. Its link is not here: only the hash of the link's token is kept."""

    invitation_id: str
    email: str
    role: Role
    invited_by: str
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedAccount:
    """What an account that is gone leaves: paths of uploads and of pictures, and contents (SHA-256) of its traces."""

    uploads: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()


class Membership(Protocol):
    """The one question behind every access: every store of things that belong to accounts answers it."""

    async def role(self, user_id: str, account_id: str) -> Role:
        """What the user is in the account now. Raises NotFound for who is no member, and for no account."""
        ...


class Teams(Membership, Protocol):
    """Every method raises NotFound for an account of which `user_id` is no member, and where it says that an owner may,
    NotAllowed for everybody else in it."""

    async def accounts(self, user_id: str) -> list[Account]:
        """The user's, their personal one first, then by name."""
        ...

    async def create(self, user_id: str, name: str) -> Account:
        """A new account with its first owner. Raises BadRequest for who owns MOST_OWNED."""
        ...

    async def change(
        self, user_id: str, account_id: str, *, name: str | None = None, memory_decided_by: Deciders | None = None
    ) -> None:
        """What is None stays as it is. An owner may."""
        ...

    async def remove(self, user_id: str, account_id: str, *, with_traces: bool) -> RemovedAccount:
        """An owner may. Raises Conflict while it holds traces, unless they shall go too, TurnInProgress while one of
        its conversations answers, BadRequest for a personal account."""
        ...

    async def members(self, user_id: str, account_id: str) -> list[Member]:
        """In the order they came."""
        ...

    async def change_role(self, user_id: str, account_id: str, member_id: str, role: Role) -> None:
        """An owner may. Raises Conflict for the last owner, who stays one, and BadRequest in a personal account."""
        ...

    async def remove_member(self, user_id: str, account_id: str, member_id: str) -> None:
        """An owner may, and everybody themselves. Raises Conflict for the last owner."""
        ...

    async def invitations(self, user_id: str, account_id: str) -> list[Invitation]:
        """Those that are open, newest first. An owner may."""
        ...

    async def invite(self, user_id: str, account_id: str, *, email: str, role: Role, token_hash: str) -> Invitation:
        """Good for GOOD_FOR and once, in place of an open one for that address; whether somebody has the address is not
        looked at. An owner may. Raises BadRequest when MOST_OPEN are open, and in a personal account."""
        ...

    async def revoke(self, user_id: str, account_id: str, invitation_id: str) -> None:
        """An owner may."""
        ...

    async def accept(self, user_id: str, token_hash: str) -> str:
        """Make the user a member of the account, whose id it returns; who is one has the greater of both roles then.
        Raises NotFound, in the same words whatever the reason, for a link that is not good (any more), for another
        address than the one the user has confirmed, and where who invited is no owner any more."""
        ...
