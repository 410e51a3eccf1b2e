"""Keys for programs and pictures of a month: over every adapter of rows."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from limits.plans import LOCAL_PLAN, Plan
from limits.refusals import LimitType
from server.errors import LimitExceeded, NotAllowed, NotFound
from server.ports.identity import Caller, Scope
from server.ports.program_keys import KeyStanding, NewKey, ProgramKey
from server.turns.key_issuing import digest_of, new_secret
from tests.plugins.worlds import World, new_uuid


def a_plan(**values: object) -> Plan:
    return replace(LOCAL_PLAN, name=f"p-{new_uuid()}"[:40], **values)  # type: ignore[arg-type]


async def a_key(world: World, caller: Caller, *, ends: datetime | None = None) -> tuple[ProgramKey, str]:
    """A key, and the hash of its secret."""
    prefix, secret = new_secret()
    scopes = (Scope.TRACES_READ, Scope.ASK)
    new = NewKey(name="ci", prefix=prefix, digest=digest_of(secret), scopes=scopes, expires_at=ends)
    return await world.keys.create(caller, new), new.digest


async def test_a_key_is_found_by_its_prefix_and_its_hash_alone(world: World) -> None:
    caller = await world.user()
    key, digest = await a_key(world, caller)
    used = await world.keys.use(key.prefix, digest)
    assert used is not None
    assert (used.standing, used.key.key_id, used.key.account_id) == (KeyStanding.OK, key.key_id, caller.account_id)
    assert (used.key.created_by, used.key.scopes) == (caller.user_id, (Scope.TRACES_READ, Scope.ASK))
    other, _ = await a_key(world, caller)
    assert await world.keys.use(key.prefix, "0" * 64) is None
    assert await world.keys.use("0" * 10, digest) is None
    assert await world.keys.use(other.prefix, digest) is None
    listed = await world.keys.of_account(caller)
    assert {one.key_id for one in listed} == {key.key_id, other.key_id}
    assert next(one for one in listed if one.key_id == key.key_id).last_used_at is not None
    assert next(one for one in listed if one.key_id == other.key_id).last_used_at is None


async def test_a_key_that_is_revoked_or_over_opens_nothing(world: World) -> None:
    caller = await world.user()
    key, digest = await a_key(world, caller)
    revoked = await world.keys.revoke(caller, key.key_id)
    assert revoked.revoked_at is not None
    assert await world.keys.revoke(caller, key.key_id) == revoked
    over, its_digest = await a_key(world, caller, ends=datetime.now(UTC) - timedelta(seconds=1))
    for prefix, of, standing in (
        (key.prefix, digest, KeyStanding.REVOKED),
        (over.prefix, its_digest, KeyStanding.EXPIRED),
    ):
        used = await world.keys.use(prefix, of)
        assert used is not None
        assert used.standing is standing


async def test_who_leaves_an_account_takes_the_rights_of_their_keys_along(world: World) -> None:
    host = await world.user()
    guest = await world.member(host)
    key, digest = await a_key(world, guest)
    hosts, hosts_digest = await a_key(world, host)
    await world.leave(guest)
    for prefix, of, standing in (
        (key.prefix, digest, KeyStanding.LEFT),
        (hosts.prefix, hosts_digest, KeyStanding.OK),
    ):
        used = await world.keys.use(prefix, of)
        assert used is not None
        assert used.standing is standing
    with pytest.raises(NotFound):
        await a_key(world, guest)


async def test_keys_are_revoked_by_their_maker_or_an_owner_and_by_nobody_else(world: World) -> None:
    host, stranger = await world.user(), await world.user()
    guest, other = await world.member(host), await world.member(host)
    key, _ = await a_key(world, guest)
    with pytest.raises(NotAllowed):
        await world.keys.revoke(other, key.key_id)
    for nobody, key_id in ((stranger, key.key_id), (guest, new_uuid()), (guest, "no uuid")):
        with pytest.raises(NotFound):
            await world.keys.revoke(nobody, key_id)
    assert await world.keys.of_account(stranger) == []
    in_place_of = Caller(user_id=stranger.user_id, account_id=host.account_id)
    assert await world.keys.of_account(in_place_of) == []
    with pytest.raises(NotFound):
        await world.keys.revoke(in_place_of, key.key_id)
    assert (await world.keys.revoke(host, key.key_id)).revoked_at is not None


async def test_a_plan_bounds_the_keys_that_work(world: World) -> None:
    caller = await world.user(a_plan(api_keys_limit=2))
    keys = [(await a_key(world, caller))[0] for _ in range(2)]
    with pytest.raises(LimitExceeded) as refused:
        await a_key(world, caller)
    decision = refused.value.decision
    assert (decision.limit_type, decision.used, decision.limit) == (LimitType.API_KEYS, 2, 2)
    assert (await world.plans.usage(caller.user_id)).api_keys == 2
    await world.keys.revoke(caller, keys[0].key_id)
    await a_key(world, caller)
    counted = {one.user_id: one for one in await world.keys.counts()}
    assert (counted[caller.user_id].working, counted[caller.user_id].last_used_at) == (2, None)
    assert await world.keys.revoke_all_of(caller.user_id) == 2
    assert await world.keys.revoke_all_of(caller.user_id) == 0
    assert (await world.plans.usage(caller.user_id)).api_keys == 0


async def test_many_keys_at_once_cannot_pass_the_plan(world: World) -> None:
    caller = await world.user(a_plan(api_keys_limit=3))
    made = await asyncio.gather(*(a_key(world, caller) for _ in range(12)), return_exceptions=True)
    assert sum(not isinstance(one, BaseException) for one in made) == 3
    assert sum(isinstance(one, LimitExceeded) for one in made) == 9


async def test_all_keys_of_a_user_share_the_requests_of_a_minute(world: World) -> None:
    caller = await world.user(a_plan(api_requests_per_minute=7))
    keys = [await a_key(world, caller) for _ in range(2)]
    uses = await asyncio.gather(*(world.keys.use(keys[n % 2][0].prefix, keys[n % 2][1]) for n in range(20)))
    standings = [use.standing for use in uses if use is not None]
    assert (standings.count(KeyStanding.OK), standings.count(KeyStanding.TOO_MANY)) == (7, 13)
    refused = next(use for use in uses if use is not None and use.standing is KeyStanding.TOO_MANY)
    assert refused.requests_limit == 7
    assert refused.retry_after_s is not None
    assert 1 <= refused.retry_after_s <= 61
    stranger = await world.user(a_plan(api_requests_per_minute=7))
    theirs, digest = await a_key(world, stranger)
    used = await world.keys.use(theirs.prefix, digest)
    assert used is not None
    assert used.standing is KeyStanding.OK


async def test_pictures_are_reserved_and_what_is_not_drawn_is_given_back(world: World) -> None:
    caller = await world.user(a_plan(monthly_render_limit=3))
    period = await world.renders.reserve(caller)
    drawn = await asyncio.gather(*(world.renders.reserve(caller) for _ in range(6)), return_exceptions=True)
    assert sum(isinstance(one, LimitExceeded) for one in drawn) == 4
    refused = next(one for one in drawn if isinstance(one, LimitExceeded)).decision
    assert (refused.limit_type, refused.used, refused.limit) == (LimitType.MONTHLY_RENDERS, 3, 3)
    assert refused.resets_at is not None
    await world.renders.release(caller, period)
    assert (await world.plans.usage(caller.user_id)).renders == 2
    await world.renders.release(caller, period - timedelta(days=40))
    assert (await world.plans.usage(caller.user_id)).renders == 2
    await world.renders.reserve(caller)
    with pytest.raises(LimitExceeded):
        await world.renders.reserve(caller)
