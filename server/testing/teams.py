"""Accounts of several people in memory: the twin of PostgresTeams, by the rules of its migration."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import uuid4

from server.adapters.storable import known_id, not_found, storable_text
from server.errors import BadRequest, Conflict, NotFound, TurnInProgress
from server.ports.teams import (
    GOOD_FOR,
    MOST_OPEN,
    MOST_OWNED,
    Account,
    Deciders,
    Invitation,
    Member,
    RemovedAccount,
    Role,
)
from server.testing.trace_records import MemoryTraceRecords


@dataclass(slots=True)
class _Open:
    account_id: str
    invitation: Invitation
    token_hash: str


@dataclass(slots=True)
class _Made:
    name: str
    created_at: datetime
    is_personal: bool = False


class MemoryTeams:
    """Teams of the accounts of MemoryTraceRecords. `addresses` are those that users have confirmed."""

    def __init__(self, traces: MemoryTraceRecords) -> None:
        self._traces = traces
        self._accounts = traces.accounts
        self._made: dict[str, _Made] = {}
        self._open: list[_Open] = []
        self.addresses: dict[str, str] = {}

    async def role(self, user_id: str, account_id: str) -> Role:
        return self._accounts.role(user_id, str(known_id(account_id, "account")))

    async def accounts(self, user_id: str) -> list[Account]:
        mine = [self._account(user_id, account) for account, member in self._accounts.roles if member == user_id]
        return sorted(mine, key=lambda one: (not one.is_personal, one.name.lower(), one.account_id))

    async def create(self, user_id: str, name: str) -> Account:
        owned = sum(one.role is Role.OWNER for one in await self.accounts(user_id))
        if owned >= MOST_OWNED:
            raise BadRequest(f"You own {owned} accounts, which is as many as one can own.")
        account_id = str(uuid4())
        self._made[account_id] = _Made(storable_text(name), self._accounts.clock.now())
        self._accounts.join(user_id, account_id, Role.OWNER)
        return self._account(user_id, account_id)

    async def change(
        self, user_id: str, account_id: str, *, name: str | None = None, memory_decided_by: Deciders | None = None
    ) -> None:
        self._accounts.require(user_id, account_id, Role.OWNER)
        if memory_decided_by is Deciders.OWNERS:
            self._accounts.owners_decide.add(account_id)
        elif memory_decided_by is Deciders.MEMBERS:
            self._accounts.owners_decide.discard(account_id)
        if name is None:
            return
        own = _Made("", self._accounts.since[account_id, user_id], is_personal=True)
        made = self._made.setdefault(account_id, own)
        made.name = storable_text(name)

    async def remove(self, user_id: str, account_id: str, *, with_traces: bool) -> RemovedAccount:
        self._of_several(user_id, account_id)
        rows = self._traces.of_account(account_id)
        if rows and not with_traces:
            raise Conflict("This account holds traces: remove them first, or say that they shall go with it.")
        pictures = [self._traces.pictures_of(row.trace_id) for row in rows]
        if None in pictures:
            raise TurnInProgress("A conversation of this account is still answering: stop it first.")
        for row in rows:
            self._traces.forget(row)
        del self._made[account_id]
        for key in [key for key in self._accounts.roles if key[0] == account_id]:
            del self._accounts.roles[key], self._accounts.since[key]
        self._open = [one for one in self._open if one.account_id != account_id]
        return RemovedAccount(
            uploads=tuple(row.object_path for row in rows),
            pictures=tuple(path for paths in pictures for path in paths or ()),
            contents=tuple(dict.fromkeys(row.sha256 for row in rows)),
        )

    async def members(self, user_id: str, account_id: str) -> list[Member]:
        self._accounts.role(user_id, account_id)
        return [
            Member(
                user_id=member,
                name=self.addresses.get(member),
                role=role,
                since=self._accounts.since[account, member],
            )
            for (account, member), role in self._accounts.roles.items()
            if account == account_id
        ]

    async def change_role(self, user_id: str, account_id: str, member_id: str, role: Role) -> None:
        self._of_several(user_id, account_id)
        self._member(account_id, member_id, leaving=role is not Role.OWNER)
        self._accounts.roles[account_id, member_id] = role
        self._end_invitations(account_id, member_id)

    async def remove_member(self, user_id: str, account_id: str, member_id: str) -> None:
        self._accounts.require(user_id, account_id, Role.VIEWER if user_id == member_id else Role.OWNER)
        self._member(account_id, member_id, leaving=True)
        del self._accounts.roles[account_id, member_id], self._accounts.since[account_id, member_id]
        self._end_invitations(account_id, member_id)

    async def invitations(self, user_id: str, account_id: str) -> list[Invitation]:
        self._accounts.require(user_id, account_id, Role.OWNER)
        return [one.invitation for one in reversed(self._still_open(account_id))]

    async def invite(self, user_id: str, account_id: str, *, email: str, role: Role, token_hash: str) -> Invitation:
        self._of_several(user_id, account_id)
        email = storable_text(email).strip()
        others = [one for one in self._still_open(account_id) if one.invitation.email.lower() != email.lower()]
        if len(others) >= MOST_OPEN:
            raise BadRequest(
                f"{MOST_OPEN} invitations to this account are open, which is as many as can be. Take one back first."
            )
        invitation = Invitation(
            invitation_id=str(uuid4()),
            email=email,
            role=role,
            invited_by=user_id,
            expires_at=self._accounts.clock.now() + GOOD_FOR,
        )
        elsewhere = [one for one in self._open if one.account_id != account_id]
        self._open = [*elsewhere, *others, _Open(account_id, invitation, token_hash)]
        return invitation

    async def revoke(self, user_id: str, account_id: str, invitation_id: str) -> None:
        self._of_several(user_id, account_id)
        known = str(known_id(invitation_id, "invitation"))
        left = [one for one in self._open if (one.account_id, one.invitation.invitation_id) != (account_id, known)]
        if len(left) == len(self._open):
            raise not_found("invitation")
        self._open = left

    async def accept(self, user_id: str, token_hash: str) -> str:
        address, now = self.addresses.get(user_id), self._accounts.clock.now()
        found = next((one for one in self._open if one.token_hash == token_hash), None)
        if (
            found is None
            or address is None
            or found.invitation.expires_at <= now
            or found.invitation.email.lower() != address.strip().lower()
        ):
            raise NotFound(
                "There is no such invitation for you: it was used, taken back, is too old, or is for another address."
            )
        self._open.remove(found)
        self._accounts.join(user_id, found.account_id, found.invitation.role)
        return found.account_id

    def let_expire(self, invitation_id: str) -> None:
        """As if it had been open for as long as it is good."""
        for one in self._open:
            if one.invitation.invitation_id == invitation_id:
                one.invitation = replace(one.invitation, expires_at=self._accounts.clock.now())

    def _account(self, user_id: str, account_id: str) -> Account:
        made = self._made.get(account_id)
        return Account(
            account_id=account_id,
            name=made.name if made else "Personal",
            role=self._accounts.role(user_id, account_id),
            is_personal=made is None or made.is_personal,
            created_at=made.created_at if made else self._accounts.since[account_id, user_id],
            memory_decided_by=Deciders.OWNERS if account_id in self._accounts.owners_decide else Deciders.MEMBERS,
        )

    def _of_several(self, user_id: str, account_id: str) -> None:
        self._accounts.require(user_id, account_id, Role.OWNER)
        if account_id not in self._made or self._made[account_id].is_personal:
            raise BadRequest("Your personal account is yours alone: make another one to share.")

    def _member(self, account_id: str, member_id: str, *, leaving: bool) -> None:
        role = self._accounts.roles.get((account_id, member_id))
        if role is None:
            raise not_found("member")
        owners = [key for key, one in self._accounts.roles.items() if key[0] == account_id and one is Role.OWNER]
        if leaving and owners == [(account_id, member_id)]:
            raise Conflict("An account has an owner: make somebody else an owner first, or remove the account.")

    def _end_invitations(self, account_id: str, user_id: str) -> None:
        if self._accounts.roles.get((account_id, user_id)) is not Role.OWNER:
            self._open = [
                one for one in self._open if (one.account_id, one.invitation.invited_by) != (account_id, user_id)
            ]

    def _still_open(self, account_id: str) -> list[_Open]:
        now = self._accounts.clock.now()
        return [one for one in self._open if one.account_id == account_id and one.invitation.expires_at > now]
