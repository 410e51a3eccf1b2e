"""A turn that is not shown any more comes back where it is near to the prompt: by the exact messages of a scripted
model, in a conversation of 60 turns, over every adapter."""

from dataclasses import replace
from typing import cast

import pytest

from server.agent.bounds import AgentBounds
from server.agent.turn import TurnInput
from server.ports.memories import MemoryKind
from server.protocol.wire_values import LimitsView
from server.testing.scripted import Line, ScriptedChat, ScriptedModels
from server.turns.earlier_messages import earlier_messages
from server.turns.memory_search import MemorySearch
from server.turns.tool_context import AccountToolContext
from server.turns.trace_library import TraceLibrary
from tests.plugins.worlds import Talk, World
from tests.server.agent.turns import stage

STATED = "Our checkout must answer within 250 ms at the till."
NOTED = "I keep to 250 ms for the checkout."
ASKED = "Which limit did I name for the checkout?"
FEW = AgentBounds(context_tokens=400, trimmed_tokens=200)
SHOWN_AFTER = "From earlier in this conversation"


def recalling(memories: MemorySearch, talk: Talk) -> AccountToolContext:
    """What the talk's tools reach, without its recordings, which nothing here asks for."""

    async def limits() -> LimitsView:
        raise AssertionError("nothing asks for the plan")

    recall = memories.of_turn(talk.caller, "turn-1", talk.session_id)
    return AccountToolContext(cast("TraceLibrary", None), talk.caller, talk.trace_id, limits=limits, recall=recall)


@pytest.fixture
async def talk(world: World) -> Talk:
    made = await Talk.begin(world, await world.team())
    await made.exchange("Hello.", "Hello.")
    await made.exchange("What takes the most time?", "`handle` does.")
    await made.exchange(STATED, NOTED)
    for at in range(57):
        await made.exchange(f"And thread {at}?", f"Thread {at} waits most of the time, {at} ms of it in a queue.")
    return made


async def system_prompt(world: World, talk: Talk, prompt: str, *, with_memory: bool = True) -> str:
    chat = ScriptedChat(lines=[Line(text="So.")])
    scene = stage(ScriptedModels(chat), bounds=FEW)
    rows = await world.conversations.messages(talk.caller, talk.session_id)
    context = recalling(MemorySearch(world.memories), talk) if with_memory else None
    turn: TurnInput = replace(
        scene.turn,
        caller=talk.caller,
        session_id=talk.session_id,
        trace=replace(scene.turn.trace, trace_id=talk.trace_id),
        prompt=prompt,
        history=earlier_messages(rows, "turn-1"),
        tool_context=context,
    )
    await scene.agent.answer(turn, scene.sink)
    return chat.requests[0].messages[0].text


async def test_what_was_said_in_turn_3_is_shown_again_in_turn_61(world: World, talk: Talk) -> None:
    first = await system_prompt(world, talk, ASKED)
    assert first.count(f"asked: {STATED} answered: {NOTED}") == 1
    assert first.index(SHOWN_AFTER) < first.index(STATED)
    assert "asked: Hello." not in first
    kept = await world.memories.listed(talk.caller, limit=100)
    assert {one.kind for one in kept} == {MemoryKind.TURN}
    assert 40 < len(kept) < 60
    assert await system_prompt(world, talk, ASKED) == first
    assert len(await world.memories.listed(talk.caller, limit=100)) == len(kept)
    assert SHOWN_AFTER not in await system_prompt(world, talk, "Is there a lock?")


async def test_without_memory_it_is_gone(world: World, talk: Talk) -> None:
    assert STATED not in await system_prompt(world, talk, ASKED, with_memory=False)
