"""What every adapter of Teams does."""

import asyncio
import secrets

import pytest

from server.errors import BadRequest, Conflict, NotAllowed, NotFound, TurnInProgress
from server.ports.identity import Caller
from server.ports.teams import MOST_OPEN, MOST_OWNED, Invitation, Role
from tests.plugins.worlds import Talk, World, new_uuid


async def invited(world: World, owner: Caller, email: str, role: Role = Role.MEMBER) -> tuple[Invitation, str]:
    token_hash = secrets.token_hex(32)
    made = await world.teams.invite(owner.user_id, owner.account_id, email=email, role=role, token_hash=token_hash)
    return made, token_hash


async def refused_to_accept(world: World, user: Caller, token_hash: str) -> str:
    with pytest.raises(NotFound) as refused:
        await world.teams.accept(user.user_id, token_hash)
    return str(refused.value)


async def test_an_account_is_made_named_and_listed_after_the_personal_one(world: World) -> None:
    user = await world.user()
    made = await world.teams.create(user.user_id, "zebra")
    assert (made.name, made.role, made.is_personal) == ("zebra", Role.OWNER, False)
    other = await world.teams.create(user.user_id, "Ant")
    listed = await world.teams.accounts(user.user_id)
    assert [(one.account_id, one.is_personal) for one in listed] == [
        (user.account_id, True),
        (other.account_id, False),
        (made.account_id, False),
    ]
    await world.teams.change(user.user_id, made.account_id, name="Bee")
    assert [one.name for one in (await world.teams.accounts(user.user_id))[1:]] == ["Ant", "Bee"]
    assert await world.teams.role(user.user_id, made.account_id) is Role.OWNER


async def test_nobody_owns_more_accounts_than_one_can(world: World) -> None:
    user = await world.user()
    for place in range(MOST_OWNED - 1):
        await world.teams.create(user.user_id, f"a{place}")
    with pytest.raises(BadRequest, match=str(MOST_OWNED)):
        await world.teams.create(user.user_id, "one more")


async def test_an_account_of_others_looks_like_none(world: World) -> None:
    owner, stranger = await world.team(), await world.user()
    open_one, _ = await invited(world, owner, "a@example.com")
    for account_id in (owner.account_id, new_uuid(), "mine"):
        for attempt in (
            world.teams.role(stranger.user_id, account_id),
            world.teams.change(stranger.user_id, account_id, name="taken"),
            world.teams.remove(stranger.user_id, account_id, with_traces=True),
            world.teams.members(stranger.user_id, account_id),
            world.teams.change_role(stranger.user_id, account_id, stranger.user_id, Role.OWNER),
            world.teams.remove_member(stranger.user_id, account_id, owner.user_id),
            world.teams.invitations(stranger.user_id, account_id),
            world.teams.invite(
                stranger.user_id, account_id, email="b@example.com", role=Role.OWNER, token_hash=secrets.token_hex(32)
            ),
            world.teams.revoke(stranger.user_id, account_id, open_one.invitation_id),
        ):
            with pytest.raises(NotFound, match="no such account"):
                await attempt
    assert [one.user_id for one in await world.teams.members(owner.user_id, owner.account_id)] == [owner.user_id]


@pytest.mark.parametrize("role", [Role.VIEWER, Role.MEMBER])
async def test_only_an_owner_administers(world: World, role: Role) -> None:
    owner = await world.team()
    guest = await world.joined(owner, role)
    open_one, _ = await invited(world, owner, "a@example.com")
    for attempt in (
        world.teams.change(guest.user_id, owner.account_id, name="taken"),
        world.teams.remove(guest.user_id, owner.account_id, with_traces=True),
        world.teams.change_role(guest.user_id, owner.account_id, guest.user_id, Role.OWNER),
        world.teams.remove_member(guest.user_id, owner.account_id, owner.user_id),
        world.teams.invitations(guest.user_id, owner.account_id),
        world.teams.invite(
            guest.user_id,
            owner.account_id,
            email="b@example.com",
            role=Role.VIEWER,
            token_hash=secrets.token_hex(32),
        ),
        world.teams.revoke(guest.user_id, owner.account_id, open_one.invitation_id),
    ):
        with pytest.raises(NotAllowed, match="Only an owner"):
            await attempt
    members = await world.teams.members(guest.user_id, owner.account_id)
    assert [(one.user_id, one.role) for one in members] == [(owner.user_id, Role.OWNER), (guest.user_id, role)]
    assert [one.account_id for one in await world.teams.accounts(guest.user_id)][1:] == [owner.account_id]


async def test_an_invitation_is_accepted_once_by_whom_it_is_for_compared_without_case(world: World) -> None:
    owner, guest, other = await world.team(), await world.user(), await world.user()
    await world.confirm(guest.user_id, "Grace.Hopper@Example.com")
    await world.confirm(other.user_id, "other@example.com")
    made, token = await invited(world, owner, "grace.hopper@example.COM")
    assert [one.email for one in await world.teams.invitations(owner.user_id, owner.account_id)] == [made.email]
    reasons = {await refused_to_accept(world, other, token), await refused_to_accept(world, guest, "0" * 64)}
    assert await world.teams.accept(guest.user_id, token) == owner.account_id
    assert await world.teams.role(guest.user_id, owner.account_id) is Role.MEMBER
    assert await world.teams.invitations(owner.user_id, owner.account_id) == []
    await world.teams.remove_member(owner.user_id, owner.account_id, guest.user_id)
    reasons |= {await refused_to_accept(world, guest, token)}
    assert len(reasons) == 1, "the same words whatever the reason"


async def test_an_address_that_nobody_confirmed_opens_nothing(world: World) -> None:
    owner, guest = await world.team(), await world.user()
    _, token = await invited(world, owner, "a@example.com")
    assert await refused_to_accept(world, guest, token)
    await world.confirm(guest.user_id, "a@example.com")
    assert await world.teams.accept(guest.user_id, token) == owner.account_id


async def test_an_invitation_ends_with_its_time_when_taken_back_and_when_given_anew(world: World) -> None:
    owner, guest = await world.team(), await world.user()
    await world.confirm(guest.user_id, "a@example.com")
    made, old = await invited(world, owner, "a@example.com")
    await world.let_invitation_expire(made.invitation_id)
    assert await world.teams.invitations(owner.user_id, owner.account_id) == []
    made, taken_back = await invited(world, owner, "a@example.com")
    await world.teams.revoke(owner.user_id, owner.account_id, made.invitation_id)
    with pytest.raises(NotFound, match="no such invitation"):
        await world.teams.revoke(owner.user_id, owner.account_id, made.invitation_id)
    _, replaced = await invited(world, owner, "A@example.com")
    _, newest = await invited(world, owner, "a@example.com")
    for token in (old, taken_back, replaced):
        assert await refused_to_accept(world, guest, token)
    assert await world.teams.accept(guest.user_id, newest) == owner.account_id


async def test_an_invitation_ends_when_who_gave_it_is_no_owner_any_more(world: World) -> None:
    first = await world.team()
    second, third = await world.joined(first, Role.OWNER), await world.joined(first, Role.OWNER)
    guest = await world.user()
    await world.confirm(guest.user_id, "a@example.com")
    _, of_second = await invited(world, second, "a@example.com")
    await world.teams.change_role(first.user_id, first.account_id, second.user_id, Role.MEMBER)
    await world.teams.change_role(first.user_id, first.account_id, second.user_id, Role.OWNER)
    assert await refused_to_accept(world, guest, of_second), "it does not come back with the role"
    _, of_third = await invited(world, third, "a@example.com")
    await world.teams.remove_member(third.user_id, first.account_id, third.user_id)
    assert await refused_to_accept(world, guest, of_third)


async def test_as_many_invitations_are_open_as_can_be(world: World) -> None:
    owner = await world.team()
    made = [await invited(world, owner, f"a{place}@example.com") for place in range(MOST_OPEN)]
    with pytest.raises(BadRequest, match=str(MOST_OPEN)):
        await invited(world, owner, "one.more@example.com")
    await invited(world, owner, "A0@example.com")  # in the place of that one
    await world.let_invitation_expire(made[1][0].invitation_id)
    await invited(world, owner, "one.more@example.com")


async def test_who_is_a_member_already_has_the_greater_of_both_roles(world: World) -> None:
    owner, guest = await world.team(), await world.user()
    await world.confirm(guest.user_id, "a@example.com")
    for given, had in ((Role.VIEWER, Role.VIEWER), (Role.OWNER, Role.OWNER), (Role.MEMBER, Role.OWNER)):
        _, token = await invited(world, owner, "a@example.com", given)
        await world.teams.accept(guest.user_id, token)
        assert await world.teams.role(guest.user_id, owner.account_id) is had


async def test_the_last_owner_stays_one(world: World) -> None:
    owner = await world.team()
    guest = await world.joined(owner)
    for attempt in (
        world.teams.remove_member(owner.user_id, owner.account_id, owner.user_id),
        world.teams.change_role(owner.user_id, owner.account_id, owner.user_id, Role.MEMBER),
    ):
        with pytest.raises(Conflict, match="has an owner"):
            await attempt
    await world.teams.change_role(owner.user_id, owner.account_id, guest.user_id, Role.OWNER)
    await world.teams.remove_member(owner.user_id, owner.account_id, owner.user_id)
    with pytest.raises(NotFound):
        await world.teams.role(owner.user_id, owner.account_id)
    assert await world.teams.role(guest.user_id, owner.account_id) is Role.OWNER


async def test_of_two_owners_who_leave_at_once_one_stays(world: World) -> None:
    first = await world.team()
    second = await world.joined(first, Role.OWNER)
    left = await asyncio.gather(
        *(world.teams.remove_member(one.user_id, first.account_id, one.user_id) for one in (first, second)),
        return_exceptions=True,
    )
    assert sorted(type(one).__name__ for one in left) == ["Conflict", "NoneType"]


async def test_a_personal_account_is_shared_with_nobody(world: World) -> None:
    user, other = await world.user(), await world.user()
    for attempt in (
        invited(world, user, "a@example.com"),
        world.teams.remove(user.user_id, user.account_id, with_traces=True),
        world.teams.change_role(user.user_id, user.account_id, other.user_id, Role.OWNER),
    ):
        with pytest.raises(BadRequest, match="yours alone"):
            await attempt
    await world.teams.change(user.user_id, user.account_id, name="Me")
    assert [one.name for one in await world.teams.accounts(user.user_id)] == ["Me"]


async def test_an_account_goes_with_what_is_in_it_when_that_is_said(world: World) -> None:
    owner = await world.team()
    talk = await Talk.begin(world, await world.joined(owner))
    turn_id = new_uuid()
    await talk.ask(turn_id)
    with pytest.raises(Conflict, match="holds traces"):
        await world.teams.remove(owner.user_id, owner.account_id, with_traces=False)
    with pytest.raises(TurnInProgress):
        await world.teams.remove(owner.user_id, owner.account_id, with_traces=True)
    await talk.end(turn_id)
    row = await world.traces.get(owner, talk.trace_id)
    gone = await world.teams.remove(owner.user_id, owner.account_id, with_traces=True)
    assert (gone.uploads, gone.contents) == ((row.object_path,), (row.sha256,))
    for attempt in (
        world.teams.role(owner.user_id, owner.account_id),
        world.traces.get(owner, talk.trace_id),
        world.conversations.session(talk.caller, talk.session_id),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert len(await world.teams.accounts(owner.user_id)) == 1
