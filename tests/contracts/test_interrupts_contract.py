"""Turns that wait for the page, in every store: asked once, answered once, by those who may."""

from datetime import UTC, datetime, timedelta

import pytest

from server.errors import NotFound
from server.ports.core_memory import BY_PROGRAM
from server.protocol.mounted import NOBODY_THERE
from server.protocol.wire_values import AskedOfPage
from tests.plugins.worlds import Talk, World, new_uuid

SHOWN = {"status": "not_shown", "view": None, "problem": "no"}


def asked(interrupt_id: str | None = None) -> AskedOfPage:
    return AskedOfPage(
        interrupt_id=interrupt_id or new_uuid(),
        tool_call_id="call_1",
        tool_name="navigate",
        args={"action": "zoom", "pattern": "\x00"},
        expires_at=datetime.now(UTC) + timedelta(seconds=20),
    )


async def waiting(world: World) -> tuple[Talk, str, AskedOfPage]:
    """A turn that waits: the talk, its id, and what it waits for."""
    talk, turn_id, question = await Talk.begin(world, await world.user()), new_uuid(), asked()
    await talk.ask(turn_id)
    await world.conversations.start_turn(turn_id, owner="a process")
    assert await world.conversations.interrupt_turn(turn_id, question, attempt=1)
    return talk, turn_id, question


async def test_a_turn_that_waits_is_found_by_what_it_asked(world: World) -> None:
    talk, turn_id, question = await waiting(world)
    found = await world.conversations.turn_of_interrupt(talk.caller, question.interrupt_id)
    assert (found.turn_id, found.waits_for_page, found.owner) == (turn_id, True, None)
    assert found.interrupt is not None
    assert found.interrupt.tool_call_id == "call_1"
    assert abs(found.interrupt.expires_at - question.expires_at) < timedelta(minutes=1)
    assert await world.conversations.start_turn(turn_id, owner="another") is None
    of_session = await world.conversations.waiting_turn(talk.caller, talk.session_id)
    assert of_session == found
    assert await world.conversations.waiting_turn(await world.user(), talk.session_id) is None
    await world.conversations.resume_turn(talk.caller, question.interrupt_id, SHOWN)
    assert await world.conversations.waiting_turn(talk.caller, talk.session_id) is None


async def test_the_first_answer_counts_and_the_next_attempt_has_it(world: World) -> None:
    talk, turn_id, question = await waiting(world)
    store = world.conversations
    resumed = await store.resume_turn(talk.caller, question.interrupt_id, SHOWN, context={"view": "left_heavy"})
    assert resumed is not None
    assert await store.resume_turn(talk.caller, question.interrupt_id, {"status": "shown"}) is None
    row = await store.start_turn(turn_id, owner="another")
    assert row is not None
    assert (row.attempt, row.interrupt_result, row.context) == (2, SHOWN, {"view": "left_heavy"})


async def test_an_answer_without_a_context_leaves_the_prompt_s(world: World) -> None:
    talk, _, question = await waiting(world)
    before = (await world.conversations.turn_of_interrupt(talk.caller, question.interrupt_id)).context
    resumed = await world.conversations.resume_turn(talk.caller, question.interrupt_id, SHOWN)
    assert resumed is not None
    assert resumed.context == before
    assert BY_PROGRAM not in resumed.context


@pytest.mark.parametrize("who", ["a stranger", "nobody who asked"])
async def test_nobody_else_answers(world: World, who: str) -> None:
    talk, _, question = await waiting(world)
    caller = await world.user() if who == "a stranger" else talk.caller
    interrupt_id = question.interrupt_id if who == "a stranger" else new_uuid()
    with pytest.raises(NotFound):
        await world.conversations.turn_of_interrupt(caller, interrupt_id)
    assert await world.conversations.resume_turn(caller, interrupt_id, SHOWN) is None
    assert (await world.conversations.turn_of_interrupt(talk.caller, question.interrupt_id)).waits_for_page


async def test_what_has_waited_long_enough_goes_on_with_nobody_there(world: World) -> None:
    talk, turn_id, question = await waiting(world)
    assert turn_id not in [turn.turn_id for turn in await world.conversations.expire_interrupts()]
    await world.let_expire(question.interrupt_id)
    assert await world.conversations.resume_turn(talk.caller, question.interrupt_id, SHOWN) is None
    assert turn_id in [turn.turn_id for turn in await world.conversations.expire_interrupts()]
    row = await world.conversations.turn_of_interrupt(talk.caller, question.interrupt_id)
    assert row.interrupt_result == NOBODY_THERE
    assert turn_id not in [turn.turn_id for turn in await world.conversations.expire_interrupts()]


async def test_a_turn_that_shall_stop_neither_waits_nor_goes_on(world: World) -> None:
    talk, turn_id, question = await waiting(world)
    await world.conversations.request_cancel(talk.caller, turn_id)
    await world.let_expire(question.interrupt_id)
    assert turn_id not in [turn.turn_id for turn in await world.conversations.expire_interrupts()]
    assert await world.conversations.resume_turn(talk.caller, question.interrupt_id, SHOWN) is None
    assert not await world.conversations.interrupt_turn(turn_id, asked(), attempt=1)


async def test_a_turn_waits_again_for_something_else(world: World) -> None:
    talk, turn_id, question = await waiting(world)
    store, again = world.conversations, asked()
    await store.resume_turn(talk.caller, question.interrupt_id, SHOWN)
    await store.start_turn(turn_id, owner="another")
    assert await store.interrupt_turn(turn_id, again, attempt=2)
    with pytest.raises(NotFound):
        await store.turn_of_interrupt(talk.caller, question.interrupt_id)
    assert (await store.turn_of_interrupt(talk.caller, again.interrupt_id)).waits_for_page
