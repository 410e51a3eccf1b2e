"""Whose words and facts reach a model: of a person, another member of their account, and a stranger, by the exact
messages that a scripted model is sent.
"""

from collections.abc import Sequence
from dataclasses import replace

from server.ports.core_memory import Action, NewProposal, Verdict
from server.ports.identity import Caller
from server.testing.scripted import Line, ScriptedChat, ScriptedModels
from server.turns.account_memory import AccountMemory
from tests.plugins.worlds import Talk, World
from tests.server.agent.turns import stage

FACT = "the checkout must answer within 300 ms"
TYPED = "Our checkout was fast until build 4711."
ASKED = "Which checkout build did I name?"


async def sent(world: World, talk: Talk, caller: Caller) -> str:
    """Everything a model is sent when the caller asks in the talk's conversation."""
    memory, chat = AccountMemory(world.memory), ScriptedChat(lines=[Line(text="So.")])
    scene = stage(ScriptedModels(chat))
    turn = replace(
        scene.turn,
        caller=caller,
        session_id=talk.session_id,
        prompt=ASKED,
        core_memory=await memory.for_prompt(caller),
        asked_before=await memory.asked_before(talk.session_id, ASKED, caller),
    )
    await scene.agent.answer(turn, scene.sink)
    return "\n".join(str(message.content) for request in chat.requests for message in request.messages)


async def kept(world: World, talk: Talk, text: str) -> None:
    turn_id = await talk.exchange(f"remember that {text}")
    new = NewProposal(session_id=talk.session_id, turn_id=turn_id, action=Action.APPEND, text=text)
    made = await world.memory.propose(talk.caller, new)
    assert made is not None
    await world.memory.decide(talk.caller, made.proposal_id, Verdict.KEEP)


def has(text: str, words: Sequence[str]) -> list[bool]:
    return [word in text for word in words]


async def test_a_fact_reaches_the_account_and_what_was_typed_the_person_alone(world: World) -> None:
    anna, stranger = await world.user(), await world.user()
    ben = await world.member(anna)
    of_anna = await Talk.begin(world, anna)
    await of_anna.exchange(TYPED)
    await kept(world, of_anna, FACT)
    of_ben, of_stranger = await Talk.begin(world, ben), await Talk.begin(world, stranger)

    assert has(await sent(world, of_anna, anna), [FACT, TYPED]) == [True, True]
    assert has(await sent(world, of_ben, ben), [FACT, TYPED]) == [True, False]
    assert has(await sent(world, of_anna, ben), [FACT, TYPED]) == [True, False], "in her own conversation"
    assert has(await sent(world, of_stranger, stranger), [FACT, TYPED]) == [False, False]
    assert has(await sent(world, of_anna, stranger), [FACT, TYPED]) == [False, False]
    forged = Caller(user_id=stranger.user_id, account_id=anna.account_id)
    assert has(await sent(world, of_anna, forged), [FACT, TYPED]) == [False, False]


async def test_a_member_sees_who_said_a_fact_and_decides_on_no_proposal_of_another(world: World) -> None:
    anna = await world.user()
    ben = await world.member(anna)
    talk = await Talk.begin(world, anna)
    await kept(world, talk, FACT)
    assert [change.by_user for change in await world.memory.changes(ben)] == [anna.user_id]
    turn_id = await talk.exchange("remember that we ship on Fridays")
    new = NewProposal(session_id=talk.session_id, turn_id=turn_id, action=Action.APPEND, text="we ship on Fridays")
    await world.memory.propose(anna, new)
    assert len(await world.memory.proposals(anna, talk.session_id)) == 1
    assert await world.memory.proposals(ben, talk.session_id) == []
    assert await world.memory.prompts(ben, talk.session_id) == []
