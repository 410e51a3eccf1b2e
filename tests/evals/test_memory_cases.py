"""Questions that only memory answers, asked of the built-in analyst: with what the account has, and without."""

from dataclasses import replace
from pathlib import Path

import pytest

from evals.memory_cases import TURNS, MemoryCase, read_memory_cases, with_memory, without_memory
from server.adapters.in_process.workers import InlineTraceWorkers
from server.composing.agent import build_agent
from server.ports.core_memory import Verdict
from server.settings import load_settings
from server.testing.scripted import ScriptedChat, ScriptedModels
from server.turns.account_memory import AccountMemory, TurnMemory
from tests.plugins.worlds import Talk, memory_world
from tests.server.agent.turns import KeptPictures, RecordingSink, stage

CASES = read_memory_cases()
SECOND = read_memory_cases("second.toml")
KINDS = ("seen", "across", "fact", "long", "record")
pytestmark = pytest.mark.long


def test_there_are_as_many_of_each_as_were_asked_for() -> None:
    for cases in (CASES, SECOND):
        counts = {kind: sum(case.name.startswith(kind) for case in cases) for kind in KINDS}
        assert counts == {"seen": 10, "across": 5, "fact": 5, "long": 3, "record": 5}
    assert len({case.name for case in [*CASES, *SECOND]}) == len(CASES) + len(SECOND)


@pytest.mark.parametrize("case", [*CASES, *SECOND], ids=lambda case: case.name)
async def test_memory_answers_and_nothing_else_does(case: MemoryCase, tmp_path: Path) -> None:
    workers = InlineTraceWorkers()
    agent = build_agent(load_settings(data=tmp_path), workers=workers, pictures=KeptPictures())
    turn = stage(ScriptedModels(ScriptedChat(lines=[]))).turn
    answer = await agent.answer(with_memory(turn, case, workers), RecordingSink())
    assert case.failures(answer.text) == [], answer.text
    assert [check for check in answer.checks if check.status in ("contradicted", "not_found")] == []
    if case.name.startswith("record"):
        return  # what stands in the documentation is there for everybody
    bare = await agent.answer(without_memory(turn, case, workers), RecordingSink())
    assert case.failures(bare.text), f"without memory: {bare.text}"


async def no_pieces(_: str) -> frozenset[str]:
    return frozenset()


async def kept_by_another(case: MemoryCase) -> tuple[MemoryCase, MemoryCase]:
    """The case with the facts that a member of a team has after another had them remembered, and with a stranger's."""
    world = memory_world()
    anna = await world.team()
    ben, stranger = await world.joined(anna), await world.user()
    memory, talk = AccountMemory(world.memory), await Talk.begin(world, anna)
    for fact in case.facts:
        prompt = f"remember that {fact}"
        turn = TurnMemory(
            memory=memory,
            caller=anna,
            session_id=talk.session_id,
            turn_id=await talk.exchange(prompt),
            prompt=prompt,
            is_typed=True,
            copied=no_pieces,
        )
        assert (await turn.propose(text=fact)).status == "proposed"
        proposal = (await memory.proposals(anna, talk.session_id))[0]
        assert await memory.for_prompt(ben) == (await memory.read(anna)).facts
        await memory.decide(anna, proposal.proposal_id, Verdict.KEEP)
    bens, strangers = await memory.for_prompt(ben), await memory.for_prompt(stranger)
    return replace(case, facts=bens), replace(case, facts=strangers)


async def of_a_long_conversation(case: MemoryCase) -> MemoryCase:
    """The case with what the same person has typed in 60 turns of one conversation, as it is stored."""
    world = memory_world()
    talk = await Talk.begin(world, await world.user())
    for prompt in case.asked_before():
        await talk.exchange(prompt)
    asked = await AccountMemory(world.memory).asked_before(talk.session_id, case.prompt, talk.caller)
    assert asked == case.asked_before()
    return case


@pytest.mark.parametrize("case", [one for one in [*CASES, *SECOND] if one.facts], ids=lambda case: case.name)
async def test_a_fact_of_one_member_answers_another_and_no_stranger(case: MemoryCase, tmp_path: Path) -> None:
    workers = InlineTraceWorkers()
    agent = build_agent(load_settings(data=tmp_path), workers=workers, pictures=KeptPictures())
    turn = stage(ScriptedModels(ScriptedChat(lines=[]))).turn
    bens, strangers = await kept_by_another(case)
    assert set(bens.facts) == set(case.facts)
    assert strangers.facts == ()
    answer = await agent.answer(with_memory(turn, bens, workers), RecordingSink())
    assert case.failures(answer.text) == [], answer.text
    other = await agent.answer(with_memory(turn, strangers, workers), RecordingSink())
    assert case.failures(other.text), other.text


@pytest.mark.parametrize("case", [one for one in [*CASES, *SECOND] if one.before], ids=lambda case: case.name)
async def test_what_was_typed_in_turn_3_of_60_is_what_the_store_gives(case: MemoryCase) -> None:
    assert len((await of_a_long_conversation(case)).asked_before()) == TURNS
