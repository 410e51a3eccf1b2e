"""What every adapter of PlanRecords does, through the use cases of an administrator."""

from dataclasses import replace

import pytest

from limits.administration import Administration, Author
from limits.errors import InvalidPlan, UnknownPlan, UnknownUser
from limits.plans import Plan, SessionsPeriod
from limits.refusals import LimitType
from limits.usage import meters
from server.ports.conversations import TurnStatus
from tests.plugins.worlds import Talk, World, new_uuid

MONTHLY, LIFETIME = SessionsPeriod.MONTHLY, SessionsPeriod.LIFETIME


def an_author() -> Author:
    return Author(user_id=new_uuid(), reason="asked for it")


def a_plan(**values: object) -> Plan:
    name = f"p-{new_uuid()}"[:40]
    return replace(Plan(name=name, display_name="One"), **values)  # type: ignore[arg-type]


@pytest.fixture
def administration(world: World) -> Administration:
    return Administration(world.plans)


async def test_a_plan_is_created_changed_and_retired_and_each_is_written_down(administration: Administration) -> None:
    author, plan = an_author(), a_plan(price_monthly_cents=1999, chat_messages_per_session=7)
    await administration.create_plan(plan, author)
    assert await administration.plan(plan.name) == plan
    wider = await administration.change_plan(
        plan.name, {"chat_messages_per_session": None, "monthly_upload_limit": 3}, author
    )
    assert wider == await administration.plan(plan.name)
    assert (wider.chat_messages_per_session, wider.monthly_upload_limit) == (None, 3)
    assert (await administration.retire_plan(plan.name, author)).is_retired
    assert plan.name in {one.name for one in await administration.plans() if one.is_retired}
    noted = [change for change in await administration.changes() if change.plan_name == plan.name]
    assert [change.action for change in noted] == ["retire_plan", "change_plan", "create_plan"]
    assert {(change.changed_by, change.reason) for change in noted} == {(author.user_id, "asked for it")}
    before, after = noted[1].before, noted[1].after
    assert before is not None
    assert after is not None
    assert (before["chat_messages_per_session"], after["chat_messages_per_session"]) == (7, None)


async def test_what_is_wrong_with_a_plan_changes_nothing(administration: Administration) -> None:
    author, plan = an_author(), a_plan()
    await administration.create_plan(plan, author)
    with pytest.raises(InvalidPlan, match="already"):
        await administration.create_plan(plan, author)
    with pytest.raises(InvalidPlan, match="go together"):
        await administration.change_plan(plan.name, {"chat_sessions_limit": 3}, author)
    with pytest.raises(InvalidPlan, match="cannot be"):
        await administration.change_plan(plan.name, {"total_trace_limit": -1}, author)
    with pytest.raises(InvalidPlan, match="cannot be changed"):
        await administration.change_plan(plan.name, {"name": "other"}, author)
    with pytest.raises(InvalidPlan, match="cannot be retired"):
        await administration.retire_plan("free", author)
    with pytest.raises(UnknownPlan):
        await administration.plan("nothing")
    assert await administration.plan(plan.name) == plan


async def test_a_change_binds_the_next_prompt(world: World, administration: Administration) -> None:
    author, plan = an_author(), a_plan(chat_sessions_limit=1, chat_sessions_period=MONTHLY)
    await administration.create_plan(plan, author)
    caller = await world.user()
    await administration.put_on_plan(caller.user_id, plan.name, author)
    await (await Talk.begin(world, caller)).exchange()
    second = await Talk.begin(world, caller)
    assert not (await second.ask(new_uuid())).allowed
    await administration.change_plan(plan.name, {"chat_sessions_limit": 2}, author)
    assert (await second.ask(new_uuid())).allowed


async def test_usage_says_what_is_used_and_when_it_renews(world: World, administration: Administration) -> None:
    author = an_author()
    plan = a_plan(chat_sessions_limit=5, chat_sessions_period=LIFETIME, monthly_upload_limit=9, total_trace_limit=3)
    await administration.create_plan(plan, author)
    caller = await world.user()
    await administration.put_on_plan(caller.user_id, plan.name, author)
    await (await Talk.begin(world, caller)).exchange()
    await world.traces.reserve_upload(caller)
    usage = await administration.usage(caller.user_id)
    assert (usage.plan, usage.subscribed_plan) == (plan, plan.name)
    sessions, uploads, traces = meters(usage)
    assert (sessions.limit_type, sessions.used, sessions.left) == (LimitType.LIFETIME_ANALYSES, 1, 4)
    assert sessions.resets_at is None
    assert (uploads.used, uploads.left, uploads.resets_at) == (1, 8, usage.period_end)
    assert (traces.used, traces.left) == (1, 2)
    assert caller.user_id in {one.user_id for one in await administration.usages()}


@pytest.mark.parametrize("period", list(SessionsPeriod))
async def test_granted_sessions_come_on_top_of_the_plan(
    world: World, administration: Administration, period: SessionsPeriod
) -> None:
    author, plan = an_author(), a_plan(chat_sessions_limit=1, chat_sessions_period=period)
    await administration.create_plan(plan, author)
    caller = await world.user()
    await administration.put_on_plan(caller.user_id, plan.name, author)
    usage = await administration.grant_sessions(caller.user_id, 2, author)
    assert meters(usage)[0].limit == 3
    for _ in range(3):
        await (await Talk.begin(world, caller)).exchange()
    refused = await (await Talk.begin(world, caller)).ask(new_uuid())
    assert (refused.allowed, refused.used, refused.limit) == (False, 3, 3)
    assert (await world.conversations.limits(caller, None)).sessions_limit == 3
    with pytest.raises(InvalidPlan):
        await administration.grant_sessions(caller.user_id, 0, author)


@pytest.mark.parametrize("period", list(SessionsPeriod))
async def test_after_a_reset_a_failing_first_turn_of_before_gives_nothing_back(
    world: World, administration: Administration, period: SessionsPeriod
) -> None:
    author, plan = an_author(), a_plan(chat_sessions_limit=1, chat_sessions_period=period)
    await administration.create_plan(plan, author)
    caller, failing = await world.user(), new_uuid()
    await administration.put_on_plan(caller.user_id, plan.name, author)
    before = await Talk.begin(world, caller)
    await before.ask(failing)
    await administration.reset_usage(caller.user_id, author)
    assert await before.sessions_used() == 0
    await (await Talk.begin(world, caller)).exchange()
    await before.end(failing, TurnStatus.FAILED)
    assert await before.sessions_used() == 1


async def test_a_dry_run_says_how_many_could_not_go_on_and_changes_nothing(
    world: World, administration: Administration
) -> None:
    author, plan = an_author(), a_plan(chat_sessions_limit=3, chat_sessions_period=MONTHLY)
    await administration.create_plan(plan, author)
    for sessions in (0, 1, 2, 3):
        caller = await world.user()
        await administration.put_on_plan(caller.user_id, plan.name, author)
        for _ in range(sessions):
            await (await Talk.begin(world, caller)).exchange()
    foreseen = await administration.foresee_change(plan.name, {"chat_sessions_limit": 2, "total_trace_limit": 3})
    assert (foreseen.users, foreseen.reached_now, foreseen.reached_then) == (4, 1, 2)
    assert foreseen.by_limit == {LimitType.MONTHLY_SESSIONS: 2, LimitType.TOTAL_TRACES: 1}
    assert await administration.plan(plan.name) == plan
    one = await administration.foresee_plan(caller.user_id, "free")
    assert (one.users, one.reached_now, one.reached_then) == (1, 1, 0)


async def test_a_dry_run_says_how_many_conversations_would_take_no_more_messages(
    world: World, administration: Administration
) -> None:
    author, plan = an_author(), a_plan(chat_messages_per_session=6)
    await administration.create_plan(plan, author)
    callers = [await world.user() for _ in range(2)]
    for caller, lengths in zip(callers, ((1, 2, 3), (2,)), strict=True):
        await administration.put_on_plan(caller.user_id, plan.name, author)
        for exchanges in lengths:
            talk = await Talk.begin(world, caller)
            for _ in range(exchanges):
                await talk.exchange()
    shorter = await administration.foresee_change(plan.name, {"chat_messages_per_session": 4})
    assert (shorter.full_now, shorter.full_then, shorter.reached_then) == (1, 3, 0)
    unlimited = await administration.foresee_change(plan.name, {"chat_messages_per_session": None})
    assert (unlimited.full_now, unlimited.full_then) == (1, 0)
    one = await administration.foresee_plan(callers[1].user_id, "free")
    assert (one.full_now, one.full_then) == (0, 0)


async def test_nobody_new_comes_on_a_retired_plan_and_who_is_on_it_stays(
    world: World, administration: Administration
) -> None:
    author, plan = an_author(), a_plan(chat_messages_per_session=9)
    await administration.create_plan(plan, author)
    old, new = await world.user(), await world.user()
    await administration.put_on_plan(old.user_id, plan.name, author)
    await administration.retire_plan(plan.name, author)
    with pytest.raises(InvalidPlan, match="retired"):
        await administration.put_on_plan(new.user_id, plan.name, author)
    assert (await world.conversations.limits(old, None)).messages_limit == 9


async def test_an_unknown_user_or_plan_is_said_so(world: World, administration: Administration) -> None:
    author, caller = an_author(), await world.user()
    for user_id in (new_uuid(), "no id"):
        with pytest.raises(UnknownUser):
            await administration.usage(user_id)
        with pytest.raises(UnknownUser):
            await administration.reset_usage(user_id, author)
    with pytest.raises(UnknownPlan):
        await administration.put_on_plan(caller.user_id, "nothing", author)
