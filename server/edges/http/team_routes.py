"""The caller's accounts, their members, and invitations to them."""

from datetime import datetime
from typing import Annotated, Literal, Self

from fastapi import APIRouter, Query
from pydantic import Field

from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForTeams
from server.ports.teams import Account, Deciders, Invitation, Member, Role
from server.protocol.base import WireModel

MAX_BODY_BYTES = 8 << 10
"""Several times the longest name or address."""

routes = APIRouter(prefix=API, tags=["accounts"], max_body_size=MAX_BODY_BYTES)


class AccountName(WireModel):
    name: Annotated[str, Field(min_length=1, max_length=400)]


class AccountChange(WireModel):
    """What is absent stays as it is."""

    name: Annotated[str, Field(min_length=1, max_length=400)] | None = None
    memory_decided_by: Deciders | None = None


class AccountView(WireModel):
    """`role` is the caller's own; `memoryDecidedBy` says who lets something into what the account remembers."""

    account_id: str
    name: str
    role: Role
    is_personal: bool
    created_at: datetime
    memory_decided_by: Deciders

    @classmethod
    def of(cls, account: Account) -> Self:
        return cls(
            account_id=account.account_id,
            name=account.name,
            role=account.role,
            is_personal=account.is_personal,
            created_at=account.created_at,
            memory_decided_by=account.memory_decided_by,
        )


class AccountList(WireModel):
    """`acting` is the account that this request acts for."""

    accounts: list[AccountView]
    acting: str


class MemberView(WireModel):
    user_id: str
    name: str | None
    role: Role
    since: datetime
    is_me: bool

    @classmethod
    def of(cls, member: Member, me: str) -> Self:
        return cls(
            user_id=member.user_id,
            name=member.name,
            role=member.role,
            since=member.since,
            is_me=member.user_id == me,
        )


class InvitationView(WireModel):
    invitation_id: str
    email: str
    role: Role
    invited_by: str
    expires_at: datetime

    @classmethod
    def of(cls, invitation: Invitation) -> Self:
        return cls(
            invitation_id=invitation.invitation_id,
            email=invitation.email,
            role=invitation.role,
            invited_by=invitation.invited_by,
            expires_at=invitation.expires_at,
        )


class MemberList(WireModel):
    """Invitations are shown to owners alone."""

    members: list[MemberView]
    invitations: list[InvitationView]


class NewMember(WireModel):
    email: Annotated[str, Field(min_length=1, max_length=400)]
    role: Role = Role.MEMBER


class NewInvitationView(WireModel):
    """`link` is the path on this server to give to whoever is invited; it is shown this once."""

    invitation: InvitationView
    token: str
    link: str


class RoleChange(WireModel):
    role: Role


class InvitationToken(WireModel):
    token: Annotated[str, Field(min_length=1, max_length=200)]


@routes.get("/accounts")
async def accounts(caller: CurrentCaller, services: ForTeams) -> AccountList:
    """Those of which the caller is a member, their personal one first."""
    found = await services.accounts.accounts(caller)
    return AccountList(accounts=[AccountView.of(one) for one in found], acting=caller.account_id)


@routes.post("/accounts", status_code=201)
async def create(body: AccountName, caller: CurrentCaller, services: ForTeams) -> AccountView:
    """A new account, of which the caller is the owner. 403 on a server of one person."""
    return AccountView.of(await services.accounts.create(caller, body.name))


@routes.patch("/accounts/{account_id}")
async def change(account_id: str, body: AccountChange, caller: CurrentCaller, services: ForTeams) -> AccountView:
    """Name it anew, or say who decides what it remembers."""
    done = await services.accounts.change(caller, account_id, name=body.name, memory_decided_by=body.memory_decided_by)
    return AccountView.of(done)


@routes.delete("/accounts/{account_id}", status_code=204)
async def remove(
    account_id: str,
    caller: CurrentCaller,
    services: ForTeams,
    content: Annotated[Literal["traces"] | None, Query(alias="with")] = None,
) -> None:
    """Remove it with all that is in it. 409 while it holds traces, unless `with=traces`."""
    await services.accounts.remove(caller, account_id, with_traces=content == "traces")


@routes.get("/accounts/{account_id}/members")
async def members(account_id: str, caller: CurrentCaller, services: ForTeams) -> MemberList:
    found, invited = await services.accounts.members(caller, account_id)
    return MemberList(
        members=[MemberView.of(one, caller.user_id) for one in found],
        invitations=[InvitationView.of(one) for one in invited],
    )


@routes.post("/accounts/{account_id}/members", status_code=201)
async def invite(account_id: str, body: NewMember, caller: CurrentCaller, services: ForTeams) -> NewInvitationView:
    """Invite an address. The answer is the same whether or not anybody has it."""
    made = await services.accounts.invite(caller, account_id, email=body.email, role=body.role)
    return NewInvitationView(
        invitation=InvitationView.of(made.invitation), token=made.token, link=f"/account#invitation={made.token}"
    )


@routes.patch("/accounts/{account_id}/members/{user_id}", status_code=204)
async def change_role(
    account_id: str, user_id: str, body: RoleChange, caller: CurrentCaller, services: ForTeams
) -> None:
    """409 for the last owner."""
    await services.accounts.change_role(caller, account_id, user_id, body.role)


@routes.delete("/accounts/{account_id}/members/{user_id}", status_code=204)
async def remove_member(account_id: str, user_id: str, caller: CurrentCaller, services: ForTeams) -> None:
    """Take somebody out, or leave. 409 for the last owner."""
    await services.accounts.remove_member(caller, account_id, user_id)


@routes.delete("/accounts/{account_id}/invitations/{invitation_id}", status_code=204)
async def revoke(account_id: str, invitation_id: str, caller: CurrentCaller, services: ForTeams) -> None:
    await services.accounts.revoke(caller, account_id, invitation_id)


@routes.post("/invitations/accept")
async def accept(body: InvitationToken, caller: CurrentCaller, services: ForTeams) -> AccountView:
    """Become a member. 404, in the same words, for whatever is no invitation of the caller's."""
    return AccountView.of(await services.accounts.accept(caller, body.token))
