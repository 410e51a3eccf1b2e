"""What of a team's memory reaches a model for one member, for another, and for a member of another team: by the exact
messages that a scripted model is sent, with the results of every tool that searches what is remembered.
"""

import json
from dataclasses import replace
from typing import cast

from server.agent.memory.memory_texts import fact_memory
from server.ports.conversations import Visibility
from server.ports.identity import Caller
from server.ports.memories import MemoryKind, NewMemory, Sought
from server.protocol.wire_values import LimitsView
from server.testing.embedder import WordEmbedder
from server.testing.scripted import Line, ScriptedChat, ScriptedModels
from server.turns.account_memory import AccountMemory
from server.turns.memory_search import MemorySearch
from server.turns.team_knowledge import TeamKnowledge
from server.turns.tool_context import AccountToolContext
from server.turns.trace_library import TraceLibrary
from tests.plugins.worlds import Talk, World
from tests.server.agent.turns import stage

ASKED = "What is known of the checkout queue?"
FACT = "the checkout queue may hold 40 orders"
FINDING = "the checkout queue waits in lock_orders"
ANSWER = "Of the checkout queue Ruth knows most."
PREFERENCE = "answers about the checkout queue in milliseconds"
TURN = "Is the checkout queue the reason of build 4711?"
RUNBOOK = "Drain the checkout queue before a restart."
TYPED = "Our checkout queue was rewritten by Mallory."
ALL = (FACT, FINDING, ANSWER, PREFERENCE, TURN, RUNBOOK, TYPED)
OF_TEAM = (FACT, FINDING, RUNBOOK)
SEARCHES = (
    ("search_memory", json.dumps({"query": ASKED, "limit": 20})),
    ("search_memory", json.dumps({"query": "", "limit": 20})),
    ("search_memory", json.dumps({"query": "checkout", "kinds": ["turn", "answer", "preference"]})),
    ("search_knowledge", json.dumps({"query": "checkout queue", "limit": 10})),
)


def kept(kind: MemoryKind, text: str, **of: str) -> NewMemory:
    return NewMemory(
        kind=kind,
        source="conversation" if kind is MemoryKind.TURN else "person",
        key=f"{kind}:{text}",
        text=text,
        meaning=text,
        **of,  # type: ignore[arg-type]
    )


async def annas(world: World) -> Talk:
    """What Anna has of each kind, in a team of theirs."""
    talk = await Talk.begin(world, await world.team())
    turn_id = await talk.exchange(TYPED)
    of_turn = {"session_id": talk.session_id, "turn_id": turn_id}
    await world.memory.write(talk.caller, FACT, version=0)
    memories = [
        fact_memory(FACT),
        kept(MemoryKind.FINDING, FINDING),
        kept(MemoryKind.ANSWER, ANSWER, **of_turn),
        kept(MemoryKind.TURN, TURN, **of_turn),
        kept(MemoryKind.PREFERENCE, PREFERENCE),
    ]
    await world.memories.add(talk.caller, memories)
    await TeamKnowledge(world.knowledge).add(talk.caller, "runbook.md", RUNBOOK.encode())
    return talk


async def sent(world: World, talk: Talk, caller: Caller) -> list[bool]:
    """Which of the texts a model is sent when the caller asks in the talk's conversation, in the order of ALL."""

    async def limits() -> LimitsView:
        raise AssertionError("nothing asks for the plan")

    search = MemorySearch(world.memories, [WordEmbedder()], patience_s=30)
    memory = AccountMemory(world.memory, search=search, knowledge=TeamKnowledge(world.knowledge))
    chat = ScriptedChat(lines=[Line(calls=SEARCHES), Line(text="So.")])
    scene = stage(ScriptedModels(chat))
    recall = search.of_turn(caller, "00000000-0000-4000-8000-000000000001", talk.session_id)
    context = AccountToolContext(
        cast("TraceLibrary", None),
        caller,
        talk.trace_id,
        limits=limits,
        recall=recall,
        documents=TeamKnowledge(world.knowledge).of_caller(caller),
    )
    near = await search.search(caller, Sought(query=ASKED), limit=9)
    turn = replace(
        scene.turn,
        caller=caller,
        session_id=talk.session_id,
        prompt=ASKED,
        core_memory=await memory.for_prompt(caller),
        asked_before=await memory.asked_before(talk.session_id, ASKED, caller),
        near_memories=tuple(near),
        tool_context=context,
    )
    await scene.agent.answer(turn, scene.sink)
    assert len(chat.requests) == 2
    text = "\n".join(str(message.content) for request in chat.requests for message in request.messages)
    return [one in text for one in ALL]


async def test_private_kinds_stay_with_their_person_and_nothing_leaves_the_team(world: World) -> None:
    talk = await annas(world)
    ben = await world.joined(talk.caller)
    other = await world.team()
    of_ben, of_other = await Talk.begin(world, ben), await Talk.begin(world, other)
    team = [one in OF_TEAM for one in ALL]
    assert await sent(world, talk, talk.caller) == [True] * len(ALL)
    assert await sent(world, of_ben, ben) == team
    assert await sent(world, talk, ben) == team, "in her own conversation"
    assert await sent(world, of_other, other) == [False] * len(ALL)
    assert await sent(world, talk, other) == [False] * len(ALL)
    forged = Caller(user_id=other.user_id, account_id=talk.caller.account_id)
    assert await sent(world, of_other, forged) == [False] * len(ALL)


async def test_a_shown_conversation_shows_what_was_answered_there_and_no_preference(world: World) -> None:
    talk = await annas(world)
    ben = await world.joined(talk.caller)
    await world.conversations.show_session(talk.caller, talk.session_id, Visibility.ACCOUNT)
    shown = {FACT, FINDING, RUNBOOK, ANSWER, TURN}
    assert await sent(world, await Talk.begin(world, ben), ben) == [one in shown for one in ALL]
    await world.conversations.show_session(talk.caller, talk.session_id, Visibility.PRIVATE)
    assert await sent(world, await Talk.begin(world, ben), ben) == [one in OF_TEAM for one in ALL]
    await world.teams.remove_member(talk.caller.user_id, talk.caller.account_id, ben.user_id)
    gone = await Talk.begin(world, await world.user())
    assert await sent(world, gone, ben) == [False] * len(ALL)
