"""How many of a user's sessions are answered at once, in every store."""

import anyio
import pytest

from limits.plans import Plan, SessionsPeriod
from server.errors import TooManyAtOnce
from tests.plugins.worlds import Talk, World, new_uuid

MONTHLY = Plan(name="many", display_name="Many", chat_sessions_limit=50, chat_sessions_period=SessionsPeriod.MONTHLY)


async def test_one_more_session_than_may_answer_is_refused_and_counts_nothing(world: World) -> None:
    caller = await world.user(MONTHLY)
    first, second = await Talk.begin(world, caller), await Talk.begin(world, caller)
    asked, refused = new_uuid(), new_uuid()
    await world.conversations.open_session(caller, trace_id=second.trace_id, session_id=second.session_id)
    await first.ask(asked, most_answering=1)
    with pytest.raises(TooManyAtOnce, match="1 of your conversations"):
        await second.ask(refused, most_answering=1)
    assert await second.texts() == []
    assert await second.sessions_used() == 1
    await first.end(asked)
    assert (await second.ask(refused, most_answering=1)).allowed


async def test_a_prompt_that_waits_in_its_own_session_and_one_sent_twice_are_not_one_more(world: World) -> None:
    talk, turn_id = await Talk.begin(world, await world.user()), new_uuid()
    for _ in range(2):
        assert (await talk.ask(turn_id, most_answering=1)).allowed
    assert (await talk.ask(new_uuid(), most_answering=1, queue_behind=True)).allowed


async def test_everybody_has_as_many(world: World) -> None:
    for _ in range(2):
        talk = await Talk.begin(world, await world.user())
        assert (await talk.ask(new_uuid(), most_answering=1)).allowed


async def test_of_prompts_in_many_sessions_at_once_as_many_as_may_are_accepted(world: World) -> None:
    caller = await world.user(MONTHLY)
    talks = [await Talk.begin(world, caller) for _ in range(12)]
    accepted: list[Talk] = []

    async def ask(talk: Talk) -> None:
        try:
            await talk.ask(new_uuid(), most_answering=5)
        except TooManyAtOnce:
            return
        accepted.append(talk)

    async with anyio.create_task_group() as tasks:
        for talk in talks:
            tasks.start_soon(ask, talk)
    assert len(accepted) == 5
    assert await accepted[0].sessions_used() == 5
