"""A link shows one trace, or one conversation with its trace, to whoever holds it: over every adapter of rows."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from limits.plans import LOCAL_PLAN, Plan
from server.errors import NotAllowed, NotFound
from tests.plugins.worlds import Talk, World, a_trace_of, new_uuid

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


async def test_a_link_to_a_conversation_leads_to_it_and_its_trace_until_it_is_taken_back_or_replaced(
    world: World,
) -> None:
    caller, first, second = await world.user(SHARING), a_hash(), a_hash()
    talk = await Talk.begin(world, caller)
    await talk.exchange()
    await world.conversations.rename_session(caller, talk.session_id, "Slow read")
    await world.traces.share_session(caller, talk.session_id, first)
    shared = await world.traces.shared_session(first)
    assert (shared.session_id, shared.account_id, shared.title) == (talk.session_id, caller.account_id, "Slow read")
    assert (await world.traces.shared(first)).trace_id == talk.trace_id
    await world.traces.share_session(caller, talk.session_id, second)
    assert (await world.traces.shared(second)).trace_id == talk.trace_id
    await world.traces.share_session(caller, talk.session_id, None)
    for gone in (first, second, a_hash()):
        await leads_nowhere(world, gone)


async def test_a_link_to_a_trace_shows_no_conversation_and_ends_apart_from_one_that_does(world: World) -> None:
    caller, of_trace, of_session = await world.user(SHARING), a_hash(), a_hash()
    talk = await Talk.begin(world, caller)
    await talk.exchange()
    await world.traces.share(caller, talk.trace_id, of_trace)
    await world.traces.share_session(caller, talk.session_id, of_session)
    with pytest.raises(NotFound):
        await world.traces.shared_session(of_trace)
    await world.traces.share(caller, talk.trace_id, None)
    assert (await world.traces.shared(of_session)).trace_id == talk.trace_id


async def test_a_plan_without_sharing_makes_no_links_to_conversations_and_keeps_none_alive(world: World) -> None:
    caller, link = await world.user(SHARING), a_hash()
    talk = await Talk.begin(world, caller)
    await talk.exchange()
    await world.traces.share_session(caller, talk.session_id, link)
    await world.put_on(caller, ALONE)
    await leads_nowhere(world, link)
    with pytest.raises(NotAllowed, match="sharing"):
        await world.traces.share_session(caller, talk.session_id, a_hash())
    await world.traces.share_session(caller, talk.session_id, None)


async def test_nobody_shares_anothers_conversation_or_ends_its_link(world: World) -> None:
    caller, stranger, link = await world.user(SHARING), await world.user(SHARING), a_hash()
    talk = await Talk.begin(world, caller)
    await talk.exchange()
    await world.traces.share_session(caller, talk.session_id, link)
    for other in (a_hash(), None):
        with pytest.raises(NotFound):
            await world.traces.share_session(stranger, talk.session_id, other)
    assert (await world.traces.shared_session(link)).session_id == talk.session_id


async def test_a_link_to_a_deleted_conversation_or_of_a_deleted_trace_leads_nowhere(world: World) -> None:
    caller = await world.user(SHARING)
    talk, other, links = await Talk.begin(world, caller), await Talk.begin(world, caller), (a_hash(), a_hash())
    for one, link in zip((talk, other), links, strict=True):
        await one.exchange()
        await world.traces.share_session(caller, one.session_id, link)
    await world.conversations.delete_session(caller, talk.session_id)
    await world.traces.delete(caller, other.trace_id)
    for link in links:
        await leads_nowhere(world, link)


async def test_a_link_to_a_conversation_about_an_expired_trace_leads_nowhere(world: World) -> None:
    caller, link, session_id = await world.user(SHARING), a_hash(), new_uuid()
    row = replace(a_trace_of(caller), expires_at=datetime.now(UTC) - timedelta(seconds=1))
    await world.traces.insert(row)
    await world.conversations.open_session(caller, trace_id=row.trace_id, session_id=session_id)
    await world.traces.share_session(caller, session_id, link)
    await leads_nowhere(world, link)


async def leads_nowhere(world: World, link: str) -> None:
    for looked_up in (world.traces.shared(link), world.traces.shared_session(link)):
        with pytest.raises(NotFound):
            await looked_up
