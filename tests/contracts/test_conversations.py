"""What every adapter of Conversations does with sessions, turns and messages."""

from dataclasses import replace
from typing import Any

import pytest

from limits.plans import Plan, SessionsPeriod
from limits.refusals import Decision
from server.errors import BadRequest, NotFound, TurnInProgress
from server.ports.conversations import NewMessage, Sender, SessionSearch, TurnEnding, TurnKind, TurnRequest, TurnStatus
from server.ports.identity import Caller
from server.ports.run_labels import RunLabels
from tests.plugins.worlds import Talk, World, a_trace_of, new_uuid

LIFETIME = Plan(name="few", display_name="Few", chat_sessions_limit=2, chat_sessions_period=SessionsPeriod.LIFETIME)


async def test_opening_a_session_costs_nothing_and_opening_it_again_finds_it(world: World) -> None:
    caller = await world.user()
    trace_id, session_id = await world.trace(caller), new_uuid()
    opened = await world.conversations.open_session(caller, trace_id=trace_id, session_id=session_id)
    assert (opened.session_id, opened.trace_id, opened.account_id) == (session_id, trace_id, caller.account_id)
    assert await world.conversations.open_session(caller, trace_id=trace_id, session_id=session_id) == opened
    assert await world.conversations.session(caller, session_id) == opened
    assert (await world.conversations.limits(caller, session_id)).sessions_used == 0


async def test_a_session_is_about_one_trace(world: World) -> None:
    caller = await world.user()
    talk = await Talk.begin(world, caller)
    await talk.exchange()
    with pytest.raises(BadRequest, match="another trace"):
        await world.conversations.open_session(caller, trace_id=await world.trace(caller), session_id=talk.session_id)


async def test_nothing_of_another_account_can_be_found(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    turn_id = await talk.exchange()
    stranger = await world.user()
    conversations = world.conversations
    for attempt in (
        conversations.open_session(stranger, trace_id=talk.trace_id, session_id=new_uuid()),
        conversations.open_session(stranger, trace_id=talk.trace_id, session_id=talk.session_id),
        conversations.session(stranger, talk.session_id),
        conversations.rename_session(stranger, talk.session_id, "mine"),
        conversations.delete_session(stranger, talk.session_id),
        conversations.messages(stranger, talk.session_id),
        conversations.turn(stranger, turn_id),
        conversations.request_cancel(stranger, turn_id),
        conversations.reserve_turn(
            TurnRequest(
                caller=stranger,
                trace_id=talk.trace_id,
                session_id=talk.session_id,
                turn_id=new_uuid(),
                prompt="let me in",
            )
        ),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert await conversations.sessions(stranger) == []
    assert (await conversations.limits(stranger, talk.session_id)).messages_used == 0
    assert await talk.texts() == ["why?", "because"]


async def test_ids_that_are_no_uuids_are_refused_or_not_found(world: World) -> None:
    caller = await world.user()
    talk = await Talk.begin(world, caller)
    with pytest.raises(BadRequest) as refused:
        await world.conversations.open_session(caller, trace_id=talk.trace_id, session_id="first")
    assert refused.value.field == "sessionId"
    with pytest.raises(BadRequest) as refused:
        await talk.ask("again")
    assert refused.value.field == "turnId"
    for lookup in (world.conversations.session(caller, "x"), world.conversations.turn(caller, "x")):
        with pytest.raises(NotFound):
            await lookup


async def test_a_prompt_makes_a_turn_and_the_users_message(world: World) -> None:
    caller = await world.user()
    talk, turn_id = await Talk.begin(world, caller), new_uuid()
    decided = await talk.ask(turn_id, "why is it slow?")
    assert decided == Decision(allowed=True, plan_name="local", messages_used=1, messages_limit=None)
    turn = await world.conversations.turn(caller, turn_id)
    assert (turn.status, turn.kind, turn.attempt) == (TurnStatus.ACCEPTED, TurnKind.PROMPT, 0)
    assert (turn.prompt, turn.account_id, turn.user_id) == ("why is it slow?", caller.account_id, caller.user_id)
    [message] = await world.conversations.messages(caller, talk.session_id)
    assert (message.sender, message.text, message.turn_id, message.position) == (
        Sender.USER,
        "why is it slow?",
        turn_id,
        1,
    )


async def test_the_same_turn_id_again_changes_nothing_and_answers_the_same(world: World) -> None:
    talk, turn_id = await Talk.begin(world, await world.user(LIFETIME)), new_uuid()
    first = await talk.ask(turn_id)
    assert await talk.ask(turn_id, "another text") == first
    await talk.end(turn_id, TurnStatus.COMPLETED, "because")
    assert await talk.ask(turn_id) == first
    assert await talk.texts() == ["why?", "because"]
    assert await talk.sessions_used() == 1


async def test_a_turn_id_of_another_session_is_refused(world: World) -> None:
    caller = await world.user()
    turn_id = await (await Talk.begin(world, caller)).exchange()
    with pytest.raises(BadRequest):
        await (await Talk.begin(world, caller)).ask(turn_id)


async def test_one_turn_at_a_time_unless_it_may_wait(world: World) -> None:
    talk, first, second = await Talk.begin(world, await world.user()), new_uuid(), new_uuid()
    await talk.ask(first)
    with pytest.raises(TurnInProgress):
        await talk.ask(second)
    assert (await talk.ask(second, queue_behind=True)).allowed
    await talk.end(first)
    with pytest.raises(TurnInProgress):
        await talk.ask(new_uuid())


async def test_a_prompt_that_waited_comes_after_the_answer_before_it(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    first, second, third = new_uuid(), new_uuid(), new_uuid()
    await talk.ask(first, "one?")
    await talk.ask(second, "two?", queue_behind=True)
    await talk.ask(third, "three?", queue_behind=True)
    for turn_id, answer in ((first, "one."), (second, "two."), (third, "three.")):
        await world.conversations.start_turn(turn_id, owner="runner")
        await talk.end(turn_id, TurnStatus.COMPLETED, answer)
    assert await talk.texts() == ["one?", "one.", "two?", "two.", "three?", "three."]


async def test_every_start_is_another_attempt(world: World) -> None:
    talk, turn_id = await Talk.begin(world, await world.user()), new_uuid()
    await talk.ask(turn_id)
    first = await world.conversations.start_turn(turn_id, owner="a")
    second = await world.conversations.start_turn(turn_id, owner="b")
    assert first is not None
    assert second is not None
    assert (first.status, first.attempt, second.attempt) == (TurnStatus.RUNNING, 1, 2)


async def test_turns_of_a_session_start_in_the_order_they_were_accepted_in(world: World) -> None:
    talk, first, second = await Talk.begin(world, await world.user()), new_uuid(), new_uuid()
    await talk.ask(first)
    await talk.ask(second, queue_behind=True)
    with pytest.raises(TurnInProgress):
        await world.conversations.start_turn(second, owner="a")
    await world.conversations.start_turn(first, owner="a")
    with pytest.raises(TurnInProgress):
        await world.conversations.start_turn(second, owner="b")
    await talk.end(first)
    started = await world.conversations.start_turn(second, owner="b")
    assert started is not None
    assert started.attempt == 1


async def test_only_an_attempt_that_was_not_handed_over_counts_as_one_that_died(world: World) -> None:
    talk, turn_id = await Talk.begin(world, await world.user()), new_uuid()
    await talk.ask(turn_id)
    died = []
    for hands_over in (True, False, True):
        turn = await world.conversations.start_turn(turn_id, owner="a")
        assert turn is not None
        died.append(turn.attempts_that_died)
        await world.conversations.hand_over_turn(turn_id, attempt=turn.attempt if hands_over else turn.attempt - 1)
    assert died == [0, 0, 1]
    await talk.end(turn_id)
    await world.conversations.hand_over_turn(turn_id, attempt=3)
    assert (await world.conversations.turn(talk.caller, turn_id)).handed_over == 2


async def test_there_is_nothing_to_start_once_a_turn_ended_or_shall_stop(world: World) -> None:
    talk, turn_id = await Talk.begin(world, await world.user()), new_uuid()
    await talk.ask(turn_id)
    assert (await world.conversations.request_cancel(talk.caller, turn_id)).cancel_requested
    assert await world.conversations.start_turn(turn_id, owner="a") is None
    await talk.end(turn_id, TurnStatus.CANCELLED, delivered=False)
    assert await world.conversations.start_turn(turn_id, owner="a") is None
    assert await world.conversations.start_turn(new_uuid(), owner="a") is None


async def test_cancelling_an_ended_turn_leaves_it_as_it_is(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    turn = await world.conversations.request_cancel(talk.caller, await talk.exchange())
    assert (turn.status, turn.cancel_requested) == (TurnStatus.COMPLETED, False)


async def test_an_ending_stores_its_messages_once_and_in_order(world: World) -> None:
    talk, turn_id = await Talk.begin(world, await world.user()), new_uuid()
    await talk.ask(turn_id)
    picture = NewMessage(
        message_id=new_uuid(),
        sender=Sender.TOOL_RESULT,
        text="a picture",
        image_path=f"{talk.caller.account_id}/x.png",
        tool_name="generate_flamegraph_screenshot",
        tool_call_id="call_1",
        tool_args={"width": 1200},
        tool_status="success",
        metadata={"resultType": "image", "nested": [1, None, {"ü": "✓"}]},
    )
    answer = NewMessage(message_id=new_uuid(), sender=Sender.MODEL, text="because\n\n  of **f12**\n")
    ending = TurnEnding(status=TurnStatus.COMPLETED, messages=(picture, answer), model="analyst", input_tokens=10)
    stored = await world.conversations.end_turn(turn_id, ending)
    assert stored is not None
    assert [m.position for m in stored] == [2, 3]
    assert await world.conversations.messages(talk.caller, talk.session_id, before=4, limit=2) == stored
    first, second = stored
    assert (first.image_path, first.tool_args, first.tool_status, first.metadata) == (
        picture.image_path,
        picture.tool_args,
        "success",
        picture.metadata,
    )
    assert (second.message_id, second.text, second.turn_id) == (answer.message_id, answer.text, turn_id)
    assert await world.conversations.end_turn(turn_id, ending) is None
    turn = await world.conversations.turn(talk.caller, turn_id)
    assert (turn.status, turn.model) == (TurnStatus.COMPLETED, "analyst")


async def test_a_turn_cannot_end_as_running(world: World) -> None:
    talk, turn_id = await Talk.begin(world, await world.user()), new_uuid()
    await talk.ask(turn_id)
    with pytest.raises(BadRequest):
        await talk.end(turn_id, TurnStatus.RUNNING)


async def test_an_ending_gives_a_title_only_where_there_is_none(world: World) -> None:
    talk, first, second = await Talk.begin(world, await world.user()), new_uuid(), new_uuid()
    for turn_id, title in ((first, "Slow parsing"), (second, "Something else")):
        await talk.ask(turn_id)
        await world.conversations.end_turn(turn_id, TurnEnding(status=TurnStatus.COMPLETED, title=title))
    assert (await world.conversations.session(talk.caller, talk.session_id)).title == "Slow parsing"
    await world.conversations.rename_session(talk.caller, talk.session_id, "Mine")
    assert (await world.conversations.session(talk.caller, talk.session_id)).title == "Mine"


async def test_messages_come_newest_page_first_and_each_page_in_order(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    for number in range(3):
        await talk.exchange(f"{number}?", f"{number}.")
    page = await world.conversations.messages(talk.caller, talk.session_id, limit=4)
    assert [m.text for m in page] == ["1?", "1.", "2?", "2."]
    older = await world.conversations.messages(talk.caller, talk.session_id, before=page[0].position, limit=4)
    assert [m.text for m in older] == ["0?", "0."]


async def test_the_list_holds_what_was_spoken_in_most_recently_used_first(world: World) -> None:
    caller = await world.user()
    silent, early, late = [await Talk.begin(world, caller) for _ in range(3)]
    await world.conversations.open_session(caller, trace_id=silent.trace_id, session_id=silent.session_id)
    await early.exchange()
    await late.exchange()
    listed = [row.session_id for row in await world.conversations.sessions(caller)]
    assert listed == [late.session_id, early.session_id]
    await early.exchange()
    assert [row.session_id for row in await world.conversations.sessions(caller, limit=1)] == [early.session_id]
    about = await world.conversations.sessions(caller, trace_id=late.trace_id)
    assert [row.session_id for row in about] == [late.session_id]


async def test_conversations_are_found_by_title_trace_prompt_and_answer_and_by_nobody_else(world: World) -> None:
    caller, stranger = await world.user(), await world.user()
    first = Talk(world, caller, (row := a_trace_of(caller, name="Board_100%.json")).trace_id)
    await world.traces.insert(row)
    second = await Talk.begin(world, caller)
    await first.exchange("Why is parseJson slow?", "It parses twice.")
    edited = await second.exchange("Who calls it?", "Everybody: subsequenceScore.")
    await world.conversations.rename_session(caller, second.session_id, "Callers of the score")

    async def found(text: str, **others: Any) -> list[tuple[str, str, str | None]]:
        rows = await world.conversations.found_sessions(caller, SessionSearch(text=text, **others))
        return [(one.session.session_id, one.trace_name, one.passage) for one in rows]

    one, two = (first.session_id, "Board_100%.json"), (second.session_id, "trace.json")
    assert await found("") == [(*two, None), (*one, None)]
    assert await found("", limit=1, offset=1) == [(*one, None)]
    assert await found("", trace_id=first.trace_id) == [(*one, None)]
    assert await found("PARSEJSON") == [(*one, "Why is parseJson slow?")]
    assert await found("subsequence") == [(*two, "Everybody: subsequenceScore.")]
    assert await found("callers OF") == [(*two, None)]
    assert await found("100%") == [(*one, None)]
    assert await found("0_%") == []
    assert await world.conversations.found_sessions(stranger, SessionSearch(text="parse")) == []
    replaced = new_uuid()
    await second.ask(replaced, "Who else?", kind=TurnKind.EDIT, supersedes=edited)
    await second.end(replaced, TurnStatus.COMPLETED, "Nobody.")
    assert await found("subsequence") == [], "what was superseded is not found"


async def test_conversations_are_found_by_the_program_and_the_labels_of_their_trace(world: World) -> None:
    caller, stranger = await world.user(), await world.user()
    row = replace(a_trace_of(caller), run=RunLabels({"branch": "Feature-X", "n": "1"}, "shop_100%"))
    await world.traces.insert(row)
    talk = Talk(world, caller, row.trace_id)
    await talk.exchange("Why?", "So.")
    other = await Talk.begin(world, caller)
    await other.exchange("Why?", "So.")

    async def found(text: str, who: Caller = caller) -> list[str]:
        rows = await world.conversations.found_sessions(who, SessionSearch(text=text))
        return [one.session.session_id for one in rows]

    for text in ("shop_100%", "program:Shop_100%", "feature-x", "branch:feature-x", "n:1"):
        assert await found(text) == [talk.session_id], text
        assert await found(text, stranger) == []
    for text in ("shop", "branch", "branch:feature", "n:", "o:1"):
        assert await found(text) == [], text


async def test_an_archived_conversation_is_out_of_the_list_until_it_is_used_again(world: World) -> None:
    talk, stranger = await Talk.begin(world, await world.user()), await world.user()
    await talk.exchange()

    async def listed(*, archived: bool | None) -> list[str]:
        rows = await world.conversations.found_sessions(talk.caller, SessionSearch(archived=archived))
        return [one.session.session_id for one in rows]

    with pytest.raises(NotFound):
        await world.conversations.archive_session(stranger, talk.session_id, archived=True)
    assert (await world.conversations.archive_session(talk.caller, talk.session_id, archived=True)).is_archived
    assert (await listed(archived=False), await listed(archived=True)) == ([], [talk.session_id])
    assert await listed(archived=None) == [talk.session_id]
    assert [row.session_id for row in await world.conversations.sessions(talk.caller)] == [talk.session_id]
    await world.conversations.rename_session(talk.caller, talk.session_id, "Put away")
    assert await listed(archived=True) == [talk.session_id], "a new title is no use of it"
    await world.conversations.archive_session(talk.caller, talk.session_id, archived=False)
    assert await listed(archived=False) == [talk.session_id]
    await world.conversations.archive_session(talk.caller, talk.session_id, archived=True)
    await talk.exchange()
    assert (await listed(archived=False), await listed(archived=True)) == ([talk.session_id], [])


async def test_a_deleted_session_is_gone_and_names_its_pictures(world: World) -> None:
    talk, turn_id = await Talk.begin(world, await world.user()), new_uuid()
    await talk.ask(turn_id)
    with pytest.raises(TurnInProgress):
        await world.conversations.delete_session(talk.caller, talk.session_id)
    picture = NewMessage(message_id=new_uuid(), sender=Sender.TOOL_RESULT, text="", image_path="a/1.png")
    await world.conversations.end_turn(turn_id, TurnEnding(status=TurnStatus.COMPLETED, messages=(picture,)))
    assert await world.conversations.delete_session(talk.caller, talk.session_id) == ["a/1.png"]
    for lookup in (
        world.conversations.session(talk.caller, talk.session_id),
        world.conversations.turn(talk.caller, turn_id),
        world.conversations.messages(talk.caller, talk.session_id),
    ):
        with pytest.raises(NotFound):
            await lookup


async def test_a_deleted_trace_takes_its_sessions_with_it(world: World) -> None:
    talk, turn_id = await Talk.begin(world, await world.user()), new_uuid()
    await talk.ask(turn_id)
    with pytest.raises(TurnInProgress):
        await world.traces.delete(talk.caller, talk.trace_id)
    picture = NewMessage(message_id=new_uuid(), sender=Sender.TOOL_RESULT, text="", image_path="a/1.png")
    await world.conversations.end_turn(turn_id, TurnEnding(status=TurnStatus.COMPLETED, messages=(picture,)))
    assert await world.traces.delete(talk.caller, talk.trace_id) == ["a/1.png"]
    assert await world.conversations.sessions(talk.caller) == []
    assert await talk.end(turn_id, TurnStatus.COMPLETED, "too late") is None


async def test_unended_turns_are_found_oldest_first(world: World) -> None:
    caller = await world.user()
    talks = [await Talk.begin(world, caller) for _ in range(3)]
    turns = [new_uuid() for _ in talks]
    for talk, turn_id in zip(talks, turns, strict=True):
        await talk.ask(turn_id)
    await world.conversations.start_turn(turns[1], owner="a")
    await talks[0].end(turns[0])
    unended = [turn.turn_id for turn in await world.conversations.unended_turns() if turn.user_id == caller.user_id]
    assert unended == turns[1:]


async def test_text_comes_back_as_it_went_in_but_for_what_cannot_be_stored(world: World) -> None:
    talk, turn_id = await Talk.begin(world, await world.user()), new_uuid()
    await talk.ask(turn_id, "naïve 🔥\t\r\n\\u0000 a\0b\ud800c")
    answer = NewMessage(
        message_id=new_uuid(), sender=Sender.MODEL, text="x\0y", tool_args={"k\0": ["\0"]}, metadata={"n": "\udfff"}
    )
    ending = TurnEnding(status=TurnStatus.COMPLETED, messages=(answer,), title="t\0")
    stored = await world.conversations.end_turn(turn_id, ending)
    assert stored is not None
    assert (stored[0].text, stored[0].tool_args, stored[0].metadata) == (
        "x\ufffdy",
        {"k\ufffd": ["\ufffd"]},
        {"n": "\ufffd"},
    )
    assert (await talk.texts())[0] == "naïve 🔥\t\r\n\\u0000 a\ufffdb\ufffdc"
    assert (await world.conversations.session(talk.caller, talk.session_id)).title == "t\ufffd"
