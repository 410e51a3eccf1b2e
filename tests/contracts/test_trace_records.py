"""What every adapter of TraceRecords does."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from limits.plans import Plan
from limits.refusals import LimitType
from server.errors import BadRequest, LimitExceeded, NotFound
from tests.plugins.worlds import World, a_trace_of, new_uuid

TWO_UPLOADS = Plan(name="two", display_name="Two", monthly_upload_limit=2)
TWO_TRACES = Plan(name="shelf", display_name="Shelf", total_trace_limit=2)


async def test_a_stored_trace_is_found_as_it_was(world: World) -> None:
    caller = await world.user()
    row = a_trace_of(caller, name="build.cpuprofile")
    await world.traces.insert(row)
    assert await world.traces.get(caller, row.trace_id) == row


async def test_a_trace_without_a_duration_keeps_none(world: World) -> None:
    caller = await world.user()
    row = replace(a_trace_of(caller), unit="bytes", duration_ns=None)
    await world.traces.insert(row)
    assert (await world.traces.get(caller, row.trace_id)).duration_ns is None


async def test_traces_are_listed_newest_first(world: World) -> None:
    caller = await world.user()
    start = datetime(2026, 1, 1, tzinfo=UTC)
    rows = [replace(a_trace_of(caller), created_at=start + timedelta(hours=hour)) for hour in (1, 0, 2)]
    for row in rows:
        await world.traces.insert(row)
    assert await world.traces.list(caller) == [rows[2], rows[0], rows[1]]
    assert await world.traces.list(caller, limit=1) == [rows[2]]


async def test_a_trace_of_another_account_looks_like_no_trace(world: World) -> None:
    owner, stranger = await world.user(), await world.user()
    trace_id = await world.trace(owner)
    for attempt in (world.traces.get(stranger, trace_id), world.traces.delete(stranger, trace_id)):
        with pytest.raises(NotFound, match="no such trace"):
            await attempt
    assert await world.traces.list(stranger) == []
    disguised = replace(stranger, account_id=owner.account_id)
    assert await world.traces.list(disguised) == []
    assert (await world.traces.get(owner, trace_id)).trace_id == trace_id


async def test_an_id_that_is_no_uuid_is_refused_or_not_found(world: World) -> None:
    caller = await world.user()
    with pytest.raises(BadRequest):
        await world.traces.insert(replace(a_trace_of(caller), trace_id="mine"))
    with pytest.raises(NotFound):
        await world.traces.get(caller, "mine")


async def test_an_id_is_used_once(world: World) -> None:
    caller = await world.user()
    row = a_trace_of(caller)
    await world.traces.insert(row)
    with pytest.raises(BadRequest, match="exists already"):
        await world.traces.insert(row)


async def test_a_deleted_trace_is_gone(world: World) -> None:
    caller = await world.user()
    row = a_trace_of(caller)
    await world.traces.insert(row)
    assert await world.traces.delete(caller, row.trace_id) == []
    with pytest.raises(NotFound):
        await world.traces.get(caller, row.trace_id)


async def test_uploads_of_a_month_end_and_a_failed_one_is_given_back(world: World) -> None:
    caller = await world.user(TWO_UPLOADS)
    await world.traces.reserve_upload(caller)
    await world.traces.reserve_upload(caller)
    with pytest.raises(LimitExceeded) as refused:
        await world.traces.reserve_upload(caller)
    decision = refused.value.decision
    assert (decision.limit_type, decision.used, decision.limit) == (LimitType.MONTHLY_UPLOADS, 2, 2)
    assert (decision.plan_name, decision.messages_limit) == ("two", None)
    assert decision.resets_at is not None
    await world.traces.release_upload(caller)
    await world.traces.reserve_upload(caller)


async def test_giving_back_more_than_was_taken_earns_nothing(world: World) -> None:
    caller = await world.user(TWO_UPLOADS)
    await world.traces.release_upload(caller)
    for _ in range(2):
        await world.traces.reserve_upload(caller)
    with pytest.raises(LimitExceeded):
        await world.traces.reserve_upload(caller)


async def test_a_full_shelf_takes_no_trace_until_one_is_deleted(world: World) -> None:
    caller = await world.user(TWO_TRACES)
    kept = [await world.trace(caller) for _ in range(2)]
    for attempt in (world.traces.reserve_upload(caller), world.traces.insert(a_trace_of(caller))):
        with pytest.raises(LimitExceeded) as refused:
            await attempt
        decision = refused.value.decision
        assert (decision.limit_type, decision.used, decision.limit) == (LimitType.TOTAL_TRACES, 2, 2)
        assert decision.resets_at is None
    await world.traces.delete(caller, kept[0])
    await world.traces.reserve_upload(caller)
    await world.trace(caller)


async def test_a_trace_expires_when_its_plan_says_so(world: World) -> None:
    caller = await world.user(Plan(name="brief", display_name="Brief", retention_days=30))
    row = await world.traces.get(caller, await world.trace(caller))
    assert row.expires_at is not None
    assert timedelta(days=29) < row.expires_at - datetime.now(UTC) <= timedelta(days=30)


async def test_only_what_has_expired_is_deleted_as_expired(world: World) -> None:
    caller, now = await world.user(), datetime.now(UTC)
    ends = {"never": None, "later": now + timedelta(days=1), "over": now - timedelta(days=1)}
    rows = {name: replace(a_trace_of(caller, name=name), expires_at=end) for name, end in ends.items()}
    for row in rows.values():
        await world.traces.insert(row)
    for row in rows.values():
        await world.traces.delete_expired(row.trace_id, now)
    await world.traces.delete_expired(new_uuid(), now)
    assert {row.name for row in await world.traces.list(caller)} == {"never", "later"}
    for name in ("never", "later"):
        assert (await world.traces.get(caller, rows[name].trace_id)).expires_at == ends[name]


async def test_what_a_name_or_summary_cannot_hold_is_replaced(world: World) -> None:
    caller = await world.user()
    row = replace(a_trace_of(caller), name="a\0b", summary={"function": "\ud800"})
    await world.traces.insert(row)
    stored = await world.traces.get(caller, row.trace_id)
    assert (stored.name, stored.summary) == ("a\ufffdb", {"function": "\ufffd"})
