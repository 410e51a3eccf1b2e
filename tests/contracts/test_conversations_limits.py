"""What every adapter of Conversations counts, refuses and gives back."""

import asyncio
from dataclasses import replace

import pytest

from limits.plans import Plan, SessionsPeriod
from limits.refusals import Decision, LimitType
from server.errors import NotFound
from server.ports.conversations import NewMessage, Sender, TurnEnding, TurnKind, TurnStatus
from server.turns.refusal_note import refusal_note
from tests.plugins.worlds import Talk, World, new_uuid

LIFETIME = Plan(name="few", display_name="Few", chat_sessions_limit=2, chat_sessions_period=SessionsPeriod.LIFETIME)
MONTHLY = Plan(name="some", display_name="Some", chat_sessions_limit=1, chat_sessions_period=SessionsPeriod.MONTHLY)
SHORT = Plan(name="short", display_name="Short", chat_messages_per_session=3)


async def test_only_prompts_and_finished_answers_count(world: World) -> None:
    caller = await world.user()
    talk, turn_id = await Talk.begin(world, caller), new_uuid()
    await talk.ask(turn_id)
    tools = tuple(
        NewMessage(message_id=new_uuid(), sender=sender, text="…")
        for sender in (Sender.TOOL_REQUEST, Sender.TOOL_RESULT, Sender.TOOL_ERROR, Sender.SYSTEM_EVENT, Sender.MODEL)
    )
    await world.conversations.end_turn(turn_id, TurnEnding(status=TurnStatus.COMPLETED, messages=tools))
    assert (await world.conversations.limits(caller, talk.session_id)).messages_used == 2
    failing = new_uuid()
    await talk.ask(failing)
    assert (await world.conversations.limits(caller, talk.session_id)).messages_used == 4
    await talk.end(failing, TurnStatus.FAILED)
    assert (await world.conversations.limits(caller, talk.session_id)).messages_used == 3


async def test_regenerating_counts_an_answer_and_editing_counts_both(world: World) -> None:
    talk, again, edited = await Talk.begin(world, await world.user()), new_uuid(), new_uuid()
    first = await talk.exchange()
    assert (await talk.ask(again, kind=TurnKind.REGENERATE, supersedes=first)).messages_used == 3
    await talk.end(again, TurnStatus.COMPLETED, "or so")
    assert (await talk.ask(edited, "how?", kind=TurnKind.EDIT, supersedes=again)).messages_used == 4
    await talk.end(edited, TurnStatus.COMPLETED, "thus")
    assert (await world.conversations.limits(talk.caller, talk.session_id)).messages_used == 5


async def test_the_prompt_at_the_last_free_place_is_answered_and_the_next_is_refused(world: World) -> None:
    talk = await Talk.begin(world, await world.user(SHORT))
    await talk.exchange()
    last = new_uuid()
    assert await talk.ask(last) == Decision(allowed=True, plan_name="short", messages_used=3, messages_limit=3)
    assert await talk.end(last, TurnStatus.COMPLETED, "because") is not None
    refused = new_uuid()
    assert await talk.ask(refused) == Decision(
        allowed=False,
        plan_name="short",
        messages_used=4,
        messages_limit=3,
        limit_type=LimitType.SESSION_MESSAGES,
        used=4,
        limit=3,
    )
    with pytest.raises(NotFound):
        await world.conversations.turn(talk.caller, refused)
    assert (await talk.texts())[-1] == "because"


async def test_waiting_turns_have_their_answers_reserved(world: World) -> None:
    talk = await Talk.begin(world, await world.user(SHORT))
    assert (await talk.ask(new_uuid())).messages_used == 1
    assert (await talk.ask(new_uuid(), queue_behind=True)).messages_used == 3
    assert not (await talk.ask(new_uuid(), queue_behind=True)).allowed


async def test_sessions_of_a_lifetime_end(world: World) -> None:
    caller = await world.user(LIFETIME)
    for _ in range(2):
        await (await Talk.begin(world, caller)).exchange()
    refused = await (await Talk.begin(world, caller)).ask(new_uuid())
    assert (refused.allowed, refused.limit_type) == (False, LimitType.LIFETIME_ANALYSES)
    assert (refused.used, refused.limit, refused.resets_at) == (2, 2, None)


async def test_a_refused_prompt_leaves_no_session(world: World) -> None:
    caller = await world.user(MONTHLY)
    await (await Talk.begin(world, caller)).exchange()
    refused = await Talk.begin(world, caller)
    assert not (await refused.ask(new_uuid())).allowed
    with pytest.raises(NotFound):
        await world.conversations.session(caller, refused.session_id)


async def test_a_session_that_exists_keeps_one_note_for_each_limit_and_period(world: World) -> None:
    talk = await Talk.begin(world, await world.user(SHORT))
    await talk.exchange()
    await talk.ask(new_uuid())
    refused = await talk.ask(new_uuid(), queue_behind=True)
    noted = sorted(await asyncio.gather(*(_noted(world, talk, refused) for _ in range(4))), reverse=True)
    larger = replace(refused, limit=4)
    assert [*noted, await _noted(world, talk, larger), await _noted(world, talk, larger)] == [
        True,
        False,
        False,
        False,
        True,
        False,
    ]
    kept = [one for one in await world.conversations.messages(talk.caller, talk.session_id) if one.turn_id is None]
    assert [one.sender for one in kept] == [Sender.SYSTEM_EVENT] * 2
    assert [one.metadata["limit"] for one in kept] == [3, 4]
    used = (await world.conversations.limits(talk.caller, talk.session_id)).messages_used
    assert used == refused.messages_used


async def test_no_note_is_written_where_there_is_no_session_or_anothers(world: World) -> None:
    talk = await Talk.begin(world, await world.user(SHORT))
    decision = Decision(
        allowed=False, plan_name="short", messages_used=0, messages_limit=3, limit_type=LimitType.SESSION_MESSAGES
    )
    assert not await _noted(world, talk, decision)
    await talk.exchange()
    talk.caller = await world.user(SHORT)
    assert not await _noted(world, talk, decision)


async def test_a_session_in_which_everything_was_refused_is_not_listed(world: World) -> None:
    caller = await world.user(MONTHLY)
    used = await Talk.begin(world, caller)
    await used.exchange()
    talk = await Talk.begin(world, caller)
    await world.conversations.open_session(caller, trace_id=talk.trace_id, session_id=talk.session_id)
    assert await _noted(world, talk, await talk.ask(new_uuid()))
    assert [one.session_id for one in await world.conversations.sessions(caller)] == [used.session_id]


async def _noted(world: World, talk: Talk, refused: Decision) -> bool:
    note = refusal_note(talk.session_id, refused)
    return await world.conversations.note_refusal(talk.caller, talk.session_id, note)


async def test_sessions_in_which_nothing_was_asked_are_swept_a_day_later_and_no_other(world: World) -> None:
    caller = await world.user()
    used, young = await Talk.begin(world, caller), await Talk.begin(world, caller)
    await used.exchange()
    await world.conversations.open_session(caller, trace_id=young.trace_id, session_id=young.session_id)
    await world.conversations.sweep_sessions()
    assert (await world.conversations.session(caller, young.session_id)).session_id == young.session_id
    assert await used.texts() == ["why?", "because"]


async def test_an_open_session_goes_on_when_no_new_one_is_left(world: World) -> None:
    talk = await Talk.begin(world, await world.user(MONTHLY))
    await talk.exchange()
    await talk.exchange()
    assert await talk.sessions_used() == 1


async def test_sessions_of_a_month_say_when_they_renew(world: World) -> None:
    caller = await world.user(MONTHLY)
    await (await Talk.begin(world, caller)).exchange()
    refused = await (await Talk.begin(world, caller)).ask(new_uuid())
    assert (refused.limit_type, refused.used, refused.limit) == (LimitType.MONTHLY_SESSIONS, 1, 1)
    limits = await world.conversations.limits(caller, None)
    assert refused.resets_at is not None
    assert limits.resets_at == refused.resets_at
    assert (limits.plan_name, limits.sessions_used, limits.sessions_limit) == ("some", 1, 1)


@pytest.mark.parametrize("plan", [LIFETIME, MONTHLY], ids=["lifetime", "monthly"])
async def test_a_first_turn_that_fails_gives_its_session_back_once(world: World, plan: Plan) -> None:
    talk, failing = await Talk.begin(world, await world.user(plan)), new_uuid()
    await talk.ask(failing)
    assert await talk.sessions_used() == 1
    await talk.end(failing, TurnStatus.FAILED)
    assert await talk.end(failing, TurnStatus.FAILED) is None
    assert await talk.sessions_used() == 0
    await talk.exchange()
    assert await talk.sessions_used() == 1


async def test_a_cancelled_first_turn_gives_its_session_back_if_nothing_was_delivered(world: World) -> None:
    caller = await world.user(LIFETIME)
    seen, unseen = new_uuid(), new_uuid()
    talk = await Talk.begin(world, caller)
    await talk.ask(seen)
    await talk.end(seen, TurnStatus.CANCELLED, "half an ans")
    assert await talk.sessions_used() == 1
    other = await Talk.begin(world, caller)
    await other.ask(unseen)
    assert await other.sessions_used() == 2
    await other.end(unseen, TurnStatus.CANCELLED, delivered=False)
    assert await other.sessions_used() == 1


async def test_a_later_failure_keeps_the_session(world: World) -> None:
    talk, failing = await Talk.begin(world, await world.user(LIFETIME)), new_uuid()
    await talk.exchange()
    await talk.ask(failing)
    await talk.end(failing, TurnStatus.FAILED)
    assert await talk.sessions_used() == 1


async def test_a_waiting_turn_stands_in_for_a_first_one_that_fails(world: World) -> None:
    talk, first, second = await Talk.begin(world, await world.user(LIFETIME)), new_uuid(), new_uuid()
    await talk.ask(first)
    await talk.ask(second, queue_behind=True)
    await talk.end(first, TurnStatus.FAILED)
    assert await talk.sessions_used() == 1
    await talk.end(second, TurnStatus.FAILED)
    assert await talk.sessions_used() == 0


async def test_a_turn_that_waited_sees_the_plan_of_now(world: World) -> None:
    talk, turn_id = await Talk.begin(world, await world.user()), new_uuid()
    await talk.exchange()
    await talk.ask(turn_id)
    await world.put_on(talk.caller, Plan(name="tiny", display_name="Tiny", chat_messages_per_session=1))
    turn = await world.conversations.start_turn(turn_id, owner="a")
    assert turn is not None
    assert (turn.plan_name, turn.messages_used, turn.messages_limit) == ("tiny", 3, 1)
