"""A link shows one trace to whoever holds it: over every adapter of rows."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from limits.plans import LOCAL_PLAN, Plan
from server.errors import NotAllowed, NotFound
from tests.plugins.worlds import World, a_trace_of, new_uuid

SHARING = Plan(name="sharing", display_name="Sharing", allow_public_sharing=True)
ALONE = replace(LOCAL_PLAN, name="alone")


def a_hash() -> str:
    return new_uuid().replace("-", "") * 2


async def test_a_link_leads_to_its_trace_until_it_is_taken_back_or_replaced(world: World) -> None:
    caller, first, second = await world.user(SHARING), a_hash(), a_hash()
    trace_id = await world.trace(caller)
    await world.traces.share(caller, trace_id, first)
    assert (await world.traces.shared(first)).trace_id == trace_id
    await world.traces.share(caller, trace_id, second)
    assert (await world.traces.shared(second)).trace_id == trace_id
    await world.traces.share(caller, trace_id, None)
    for gone in (first, second, a_hash()):
        with pytest.raises(NotFound):
            await world.traces.shared(gone)


async def test_a_plan_without_sharing_makes_no_links_and_keeps_none_alive(world: World) -> None:
    alone, caller, link = await world.user(ALONE), await world.user(SHARING), a_hash()
    with pytest.raises(NotAllowed, match="sharing"):
        await world.traces.share(alone, await world.trace(alone), a_hash())
    await world.traces.share(caller, await world.trace(caller), link)
    await world.put_on(caller, ALONE)
    with pytest.raises(NotFound):
        await world.traces.shared(link)


async def test_nobody_shares_anothers_trace(world: World) -> None:
    caller, stranger = await world.user(SHARING), await world.user(SHARING)
    trace_id = await world.trace(caller)
    for link in (a_hash(), None):
        with pytest.raises(NotFound):
            await world.traces.share(stranger, trace_id, link)


async def test_a_link_to_an_expired_trace_leads_nowhere(world: World) -> None:
    caller, link = await world.user(SHARING), a_hash()
    row = replace(a_trace_of(caller), expires_at=datetime.now(UTC) - timedelta(seconds=1))
    await world.traces.insert(row)
    await world.traces.share(caller, row.trace_id, link)
    with pytest.raises(NotFound):
        await world.traces.shared(link)
