"""Everything that a scripted model is sent for two members of a team and a stranger, prompts and tools' results: what
is near to the question, what its tools find, facts, documents and earlier turns. By the way a server's turns take."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import pytest

from server.agent.memory.memory_texts import answer_memory, fact_memory, turn_memory
from server.agent.turn import TurnInput
from server.ports.identity import Caller
from server.ports.memories import MemoryKind, NewMemory
from server.protocol.wire_values import LimitsView
from server.testing.embedder import WordEmbedder
from server.testing.scripted import Line, ScriptedChat, ScriptedModels
from server.turns.account_memory import AccountMemory
from server.turns.collector import Collector
from server.turns.memory_keeping import MemoryKeeping
from server.turns.memory_search import MemorySearch
from server.turns.team_knowledge import TeamKnowledge
from server.turns.tool_context import AccountToolContext
from server.turns.trace_library import TraceLibrary
from tests.plugins.worlds import Talk, World
from tests.server.agent.turns import stage

PRIVATE: Mapping[str, str] = {
    "answer": "Palimpsest checkout answer, of one person",
    "turn": "Quixotic checkout question, of one person",
    "preference": "Ragtime checkout preference, of one person",
    "typed": "Our checkout was called Sassafras before.",
}
OF_THE_ACCOUNT: Mapping[str, str] = {
    "fact": "the checkout of Tamarind answers within 300 ms",
    "finding": "Umbrage takes half of the checkout",
    "document": "Drain the Vermilion queue before the checkout restarts.",
}
ASKED = "What of the checkout do we know?"
CALLS = (
    ("search_memory", '{"query": "checkout"}'),
    ("search_memory", '{"query": ""}'),
    ("search_memory", '{"query": "checkout", "kinds": ["turn"]}'),
    ("search_memory", '{"query": "checkout", "kinds": ["answer", "preference"]}'),
    ("search_knowledge", '{"query": "checkout queue"}'),
)


def a_memory(kind: MemoryKind, text: str) -> NewMemory:
    return NewMemory(kind=kind, source="person", key=f"{kind}:{text}", text=text, meaning=text, words=text)


class Account:
    """Anna's, with all kinds of what is remembered; `memory` as a server has it."""

    def __init__(self, world: World, talk: Talk) -> None:
        embedder = WordEmbedder()
        self.world, self.talk = world, talk
        self.keeping = MemoryKeeping(world.memories, embedder)
        self.memory = AccountMemory(
            world.memory,
            search=MemorySearch(world.memories, [embedder], patience_s=60),
            knowledge=TeamKnowledge(world.knowledge),
        )

    async def fill(self) -> None:
        anna, talk = self.talk.caller, self.talk
        turn_id = await talk.exchange(PRIVATE["typed"])
        named = {"turn_id": turn_id, "session_id": talk.session_id, "trace_id": talk.trace_id}
        answer = answer_memory(**named, prompt="?", answer=PRIVATE["answer"], citations=())
        turn = turn_memory(**named, prompt=PRIVATE["turn"], answer="", position=1)
        assert answer is not None
        assert turn is not None
        preference = a_memory(MemoryKind.PREFERENCE, PRIVATE["preference"])
        finding = a_memory(MemoryKind.FINDING, OF_THE_ACCOUNT["finding"])
        added = [answer, turn, preference, finding, fact_memory(OF_THE_ACCOUNT["fact"])]
        assert await self.world.memories.add(anna, added) == len(added)
        await self.memory.write(anna, OF_THE_ACCOUNT["fact"], version=0)
        await self.memory.knowledge.add(anna, "runbook.md", OF_THE_ACCOUNT["document"].encode())  # type: ignore[union-attr]
        await self.keeping.sync()

    async def sent(self, caller: Caller, talk: Talk | None = None) -> str:
        """All messages of all calls of a turn of the caller's, in a new conversation or in that one."""
        own = talk or await Talk.begin(self.world, caller)
        turn_id = await (own if talk is None else _as(own, caller)).exchange(ASKED)
        row = await self.world.conversations.turn(caller, turn_id)

        async def copied(_: str) -> frozenset[str]:
            return frozenset()

        async def limits() -> LimitsView:
            raise AssertionError("nothing asks for the plan")

        known = await self.memory.for_turn(row, caller, copied)
        context = AccountToolContext(
            cast("TraceLibrary", None),
            caller,
            own.trace_id,
            limits=limits,
            memory=known.proposals,
            recall=known.recall,
            documents=known.documents,
        )
        chat = ScriptedChat(lines=[Line(calls=CALLS), Line(text="So.")])
        scene = stage(ScriptedModels(chat))
        turn: TurnInput = replace(
            scene.turn,
            caller=caller,
            session_id=own.session_id,
            prompt=ASKED,
            core_memory=known.facts,
            asked_before=known.asked_before,
            near_memories=known.near,
            tool_context=context,
        )
        await scene.agent.answer(turn, scene.sink)
        assert len(chat.requests) == 2
        results = [message for message in chat.requests[1].messages if message.type == "tool"]
        assert len(results) == len(CALLS)
        assert all(message.status == "success" for message in results)  # type: ignore[attr-defined]
        return "\n".join(json.dumps(message.content) for request in chat.requests for message in request.messages)


def _as(talk: Talk, caller: Caller) -> Talk:
    other = Talk(talk.world, caller, talk.trace_id)
    other.session_id = talk.session_id
    return other


@pytest.fixture
async def account(world: World) -> Account:
    made = Account(world, await Talk.begin(world, await world.team()))
    await made.fill()
    return made


def reached(sent: str, texts: Mapping[str, str]) -> set[str]:
    return {name for name, text in texts.items() if text in sent}


async def test_a_person_is_sent_all_of_it_their_team_what_is_the_accounts_and_a_stranger_nothing(
    account: Account, world: World
) -> None:
    anna = account.talk.caller
    ben, stranger = await world.joined(anna), await world.user()
    annas = await account.sent(anna)
    assert reached(annas, PRIVATE) == {"answer", "turn", "preference"}, "what was typed stays in its conversation"
    assert reached(annas, OF_THE_ACCOUNT) == set(OF_THE_ACCOUNT)
    bens = await account.sent(ben)
    assert reached(bens, PRIVATE) == set()
    assert reached(bens, OF_THE_ACCOUNT) == set(OF_THE_ACCOUNT)
    strangers = await account.sent(stranger)
    assert reached(strangers, {**PRIVATE, **OF_THE_ACCOUNT}) == set()


async def test_who_has_left_the_team_is_sent_nothing_of_it_any_more(account: Account, world: World) -> None:
    anna = account.talk.caller
    ben = await world.joined(anna)
    assert reached(await account.sent(ben), OF_THE_ACCOUNT) == set(OF_THE_ACCOUNT)
    await world.teams.remove_member(anna.user_id, anna.account_id, ben.user_id)
    own = await world.user()
    apart = Caller(user_id=ben.user_id, account_id=own.account_id)
    assert (await account.memory.for_prompt(ben)) == ()
    assert (await account.memory.for_prompt(apart)) == ()


async def test_in_her_own_conversation_what_she_typed_comes_back(account: Account) -> None:
    assert PRIVATE["typed"] in await account.sent(account.talk.caller, account.talk)


async def test_a_plan_that_hides_the_tools_hides_what_they_do(account: Account) -> None:
    anna = account.talk.caller
    collector = Collector()
    memory = AccountMemory(account.world.memory, search=account.memory.search, collector=collector)
    talk = await Talk.begin(account.world, anna)

    async def copied(_: str) -> frozenset[str]:
        return frozenset()

    async def known(prompt: str, *hidden: str) -> tuple[bool, bool, bool, int]:
        row = await account.world.conversations.turn(anna, await talk.exchange(prompt))
        found = await memory.for_turn(row, anna, copied, hidden=hidden)
        await collector.settled()
        proposed = len(await memory.proposals(anna, talk.session_id))
        return bool(found.near), found.recall is not None, found.proposals is not None, proposed

    near = "Umbrage takes half of the checkout, again?"
    assert await known(near) == (True, True, True, 0)
    assert await known(f"{near} We always ship on Mondays.", "core_memory_append") == (True, True, False, 0)
    assert await known(f"{near} We always ship on Fridays.", "search_memory") == (False, False, True, 1)
