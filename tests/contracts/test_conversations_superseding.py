"""Answers given again, prompts edited, and what people think of answers: every adapter of Conversations."""

import pytest

from limits.plans import Plan
from server.errors import BadRequest, NotFound, TurnInProgress
from server.ports.conversations import Sender, TurnKind, TurnStatus
from tests.plugins.worlds import Talk, World, new_uuid


async def a_talk(world: World) -> Talk:
    return await Talk.begin(world, await world.user())


async def replaced(talk: Talk, turn_id: str, kind: TurnKind, prompt: str, answer: str) -> str:
    """Supersede a turn, and have the new one answered."""
    new_id = new_uuid()
    assert (await talk.ask(new_id, prompt, kind=kind, supersedes=turn_id)).allowed
    await talk.end(new_id, TurnStatus.COMPLETED, answer)
    return new_id


async def test_an_answer_given_again_stands_in_the_place_of_the_old_one_under_the_same_prompt(world: World) -> None:
    talk = await a_talk(world)
    first = await talk.exchange("why?", "because")
    again = await replaced(talk, first, TurnKind.REGENERATE, "not looked at", "or so")
    assert await talk.texts() == ["why?", "or so"]
    turn = await world.conversations.turn(talk.caller, again)
    assert (turn.prompt, turn.supersedes, turn.kind) == ("why?", first, TurnKind.REGENERATE)
    assert (await world.conversations.turn(talk.caller, first)).status is TurnStatus.COMPLETED


async def test_an_edited_prompt_takes_what_followed_the_old_one_away_and_deletes_nothing(world: World) -> None:
    talk = await a_talk(world)
    await talk.exchange("one", "1")
    second = await talk.exchange("two", "2")
    third = await talk.exchange("three", "3")
    await replaced(talk, second, TurnKind.EDIT, "zwei", "II")
    assert await talk.texts() == ["one", "1", "zwei", "II"]
    await talk.exchange("four", "4")
    assert await talk.texts() == ["one", "1", "zwei", "II", "four", "4"]
    assert (await world.conversations.turn(talk.caller, third)).prompt == "three"


async def test_what_is_being_answered_again_is_hidden_meanwhile_and_back_when_that_fails(world: World) -> None:
    talk = await a_talk(world)
    first, failing = await talk.exchange("why?", "because"), new_uuid()
    await talk.ask(failing, "how?", kind=TurnKind.EDIT, supersedes=first)
    assert await talk.texts() == ["how?"]
    await talk.end(failing, TurnStatus.FAILED)
    assert await talk.texts() == ["why?", "because", "how?"]
    await replaced(talk, failing, TurnKind.REGENERATE, "", "thus")
    assert await talk.texts() == ["how?", "thus"]


async def test_a_stopped_answer_keeps_the_place_it_took(world: World) -> None:
    talk = await a_talk(world)
    first, stopped = await talk.exchange("why?", "because"), new_uuid()
    await talk.ask(stopped, kind=TurnKind.REGENERATE, supersedes=first)
    await talk.end(stopped, TurnStatus.CANCELLED, "or")
    assert await talk.texts() == ["why?", "or"]


async def test_paging_passes_over_what_was_superseded(world: World) -> None:
    talk = await a_talk(world)
    first = await talk.exchange("one", "1")
    again = await replaced(talk, first, TurnKind.REGENERATE, "", "I")
    await talk.exchange("two", "2")
    newest = await world.conversations.messages(talk.caller, talk.session_id, limit=3)
    assert [message.text for message in newest] == ["I", "two", "2"]
    older = await world.conversations.messages(talk.caller, talk.session_id, before=newest[0].position)
    assert [(message.text, message.turn_id) for message in older] == [("one", again)]


async def test_superseding_again_under_the_same_id_changes_nothing(world: World) -> None:
    talk = await a_talk(world)
    first = await talk.exchange("why?", "because")
    again = await replaced(talk, first, TurnKind.REGENERATE, "", "or so")
    assert (await talk.ask(again, kind=TurnKind.REGENERATE, supersedes=first)).messages_used == 3
    assert await talk.texts() == ["why?", "or so"]


async def test_what_is_superseded_or_unknown_or_of_another_session_cannot_be_superseded(world: World) -> None:
    talk = await a_talk(world)
    other = await Talk.begin(world, talk.caller)
    elsewhere = await other.exchange()
    first = await talk.exchange()
    await replaced(talk, first, TurnKind.REGENERATE, "", "or so")
    with pytest.raises(BadRequest, match="taken the place"):
        await talk.ask(new_uuid(), kind=TurnKind.REGENERATE, supersedes=first)
    for unknown in (elsewhere, new_uuid(), "no id"):
        with pytest.raises(NotFound):
            await talk.ask(new_uuid(), kind=TurnKind.REGENERATE, supersedes=unknown)
    for kind, of in ((TurnKind.REGENERATE, None), (TurnKind.EDIT, None), (TurnKind.PROMPT, first)):
        with pytest.raises(BadRequest):
            await talk.ask(new_uuid(), kind=kind, supersedes=of)


async def test_a_running_turn_is_stopped_before_it_is_superseded(world: World) -> None:
    talk, running = await a_talk(world), new_uuid()
    await talk.ask(running)
    with pytest.raises(TurnInProgress):
        await talk.ask(new_uuid(), kind=TurnKind.REGENERATE, supersedes=running)


async def test_answering_again_is_refused_at_the_limit_and_leaves_the_old_answer(world: World) -> None:
    plan = Plan(name="two", display_name="Two", chat_messages_per_session=2)
    talk = await Talk.begin(world, await world.user(plan))
    first = await talk.exchange("why?", "because")
    assert not (await talk.ask(new_uuid(), kind=TurnKind.REGENERATE, supersedes=first)).allowed
    assert await talk.texts() == ["why?", "because"]


async def test_the_latest_opinion_of_an_answer_is_kept_for_whoever_holds_it(world: World) -> None:
    talk = await a_talk(world)
    await talk.exchange()
    answer = (await world.conversations.messages(talk.caller, talk.session_id))[-1]
    assert (answer.sender, answer.feedback) == (Sender.MODEL, None)
    for score in (1, 1, -1, 0):
        await world.conversations.rate_message(talk.caller, answer.message_id, score=score, reason="so\x00")
        messages = await world.conversations.messages(talk.caller, talk.session_id)
        assert [message.feedback for message in messages] == [None, score]


async def test_only_answers_of_ones_own_can_be_rated(world: World) -> None:
    talk = await a_talk(world)
    await talk.exchange()
    prompt, answer = await world.conversations.messages(talk.caller, talk.session_id)
    with pytest.raises(BadRequest, match="Only answers"):
        await world.conversations.rate_message(talk.caller, prompt.message_id, score=1)
    stranger = await world.user()
    for caller, message_id in ((stranger, answer.message_id), (talk.caller, new_uuid()), (talk.caller, "no id")):
        with pytest.raises(NotFound):
            await world.conversations.rate_message(caller, message_id, score=1)


async def test_the_versions_that_were_replaced_can_be_read_again(world: World) -> None:
    talk = await a_talk(world)
    first = await talk.exchange("why?", "because")
    follow_up = await talk.exchange("sure?", "yes")
    second = await replaced(talk, first, TurnKind.REGENERATE, "", "or so")
    third = await replaced(talk, second, TurnKind.EDIT, "how?", "thus")
    failing = new_uuid()
    await talk.ask(failing, kind=TurnKind.REGENERATE, supersedes=third)
    await talk.end(failing, TurnStatus.FAILED)
    assert await world.conversations.versions(talk.caller, talk.session_id) == {third: (first, second)}
    for turn_id, texts in ((first, ["why?", "because"]), (second, ["why?", "or so"]), (follow_up, ["sure?", "yes"])):
        messages = await world.conversations.messages_of_turn(talk.caller, talk.session_id, turn_id)
        assert [message.text for message in messages] == texts


async def test_versions_are_shown_to_nobody_else(world: World) -> None:
    talk = await a_talk(world)
    first = await talk.exchange("why?", "because")
    stranger = await world.user()
    with pytest.raises(NotFound):
        await world.conversations.versions(stranger, talk.session_id)
    with pytest.raises(NotFound):
        await world.conversations.messages_of_turn(stranger, talk.session_id, first)
    with pytest.raises(NotFound):
        await world.conversations.messages_of_turn(talk.caller, talk.session_id, new_uuid())
