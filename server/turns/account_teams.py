"""What people may do with accounts: act for one, make one, name it, remove it, invite others, leave."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from server.cleaning import clean
from server.errors import BadRequest, NotAllowed, NotFound
from server.ports.identity import Caller
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET, ObjectStore
from server.ports.teams import LONGEST_ADDRESS, LONGEST_NAME, Account, Deciders, Invitation, Member, Role, Teams
from server.ports.traces import TraceWorkers
from server.turns.access import link_hash

ADDRESS = re.compile(r"[^\s@\x00-\x1f\x7f]+@[^\s@\x00-\x1f\x7f]+")
"""What can be one; whether it is, whoever accepts shows by having confirmed it."""


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """`token` is in the link, and nowhere else from here on."""

    invitation: Invitation
    token: str


class AccountTeams:
    """The use cases of accounts. Without `several` there is one person, who has one account.

    Every method raises NotFound for an account of which the caller is no member, and NotAllowed for what their role in
    it does not include.
    """

    def __init__(self, teams: Teams, objects: ObjectStore, workers: TraceWorkers, *, several: bool) -> None:
        self._teams = teams
        self._objects = objects
        self._workers = workers
        self._several = several

    async def acting(self, caller: Caller, account_id: str | None) -> Caller:
        """The caller, acting for this account of theirs; as they are where none is named."""
        if account_id is None or account_id == caller.account_id:
            return caller
        if caller.key is not None:  # which is of one account
            raise NotFound("There is no such account.")
        await self._teams.role(caller.user_id, account_id)
        return replace(caller, account_id=account_id.lower())

    async def accounts(self, caller: Caller) -> Sequence[Account]:
        """The caller's, their personal one first."""
        return await self._teams.accounts(caller.user_id)

    async def account(self, caller: Caller, account_id: str) -> Account:
        found = [one for one in await self.accounts(caller) if one.account_id == account_id.lower()]
        if not found:
            await self._teams.role(caller.user_id, account_id)
        return found[0]

    async def create(self, caller: Caller, name: str) -> Account:
        """Raises BadRequest for a name of nothing or too much, and for who owns too many."""
        self._need_several()
        return await self._teams.create(caller.user_id, _fit(name))

    async def change(
        self,
        caller: Caller,
        account_id: str,
        *,
        name: str | None = None,
        memory_decided_by: Deciders | None = None,
    ) -> Account:
        """Another name, others who decide what is remembered; what is None stays. Raises BadRequest as `create`."""
        fit = None if name is None else _fit(name)
        await self._teams.change(caller.user_id, account_id, name=fit, memory_decided_by=memory_decided_by)
        return await self.account(caller, account_id)

    async def remove(self, caller: Caller, account_id: str, *, with_traces: bool) -> None:
        """With all that is in it, objects too. Raises Conflict while it holds traces, unless they shall go;
        TurnInProgress, and BadRequest for a personal one."""
        gone = await self._teams.remove(caller.user_id, account_id, with_traces=with_traces)
        for bucket, paths in ((TRACES_BUCKET, gone.uploads), (PICTURES_BUCKET, gone.pictures)):
            for path in paths:
                await self._objects.delete(bucket, path)
        for content in gone.contents:
            await self._workers.forget(content)

    async def members(self, caller: Caller, account_id: str) -> tuple[Sequence[Member], Sequence[Invitation]]:
        """Who is in it, and for its owners who is invited."""
        members = await self._teams.members(caller.user_id, account_id)
        is_owner = any(one.user_id == caller.user_id and one.role is Role.OWNER for one in members)
        return members, await self._teams.invitations(caller.user_id, account_id) if is_owner else []

    async def change_role(self, caller: Caller, account_id: str, user_id: str, role: Role) -> None:
        """Raises Conflict for the last owner."""
        await self._teams.change_role(caller.user_id, account_id, user_id, role)

    async def remove_member(self, caller: Caller, account_id: str, user_id: str) -> None:
        """Also oneself. Raises Conflict for the last owner."""
        await self._teams.remove_member(caller.user_id, account_id, user_id)

    async def invite(self, caller: Caller, account_id: str, *, email: str, role: Role) -> NewInvitation:
        """The invitation with the token of its link, which is shown this once. Nothing in the answer depends on
        whether somebody has the address. Raises BadRequest for what is none, and when too many are open."""
        self._need_several()
        address = email.strip()
        if len(address) > LONGEST_ADDRESS or not ADDRESS.fullmatch(address):
            raise BadRequest("This is no e-mail address.", field="email")
        token = secrets.token_urlsafe(32)
        made = await self._teams.invite(
            caller.user_id, account_id, email=address, role=role, token_hash=link_hash(token)
        )
        return NewInvitation(made, token)

    async def revoke(self, caller: Caller, account_id: str, invitation_id: str) -> None:
        """Take an open invitation back."""
        await self._teams.revoke(caller.user_id, account_id, invitation_id)

    async def accept(self, caller: Caller, token: str) -> Account:
        """The account of which the caller is a member now. Raises NotFound, in the same words whatever the reason."""
        return await self.account(caller, await self._teams.accept(caller.user_id, link_hash(token)))

    def _need_several(self) -> None:
        if not self._several:
            raise NotAllowed(
                "This server has one user and one account. Accounts of several people need a server where people sign "
                "in (FLAMECHAT_SUPABASE_URL)."
            )


def account_teams(
    teams: Teams | None, objects: ObjectStore, workers: TraceWorkers, *, several: bool
) -> AccountTeams | None:
    """None where everybody has one account."""
    return None if teams is None else AccountTeams(teams, objects, workers, several=several)


def _fit(name: str) -> str:
    """Raises BadRequest."""
    fit = " ".join(clean(name).split())
    if not fit:
        raise BadRequest("An account needs a name.", field="name")
    if len(fit) > LONGEST_NAME:
        raise BadRequest(f"A name has at most {LONGEST_NAME} characters: this has {len(fit)}.", field="name")
    return fit
