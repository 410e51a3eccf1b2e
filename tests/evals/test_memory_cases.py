"""Questions that only memory answers, asked of the built-in analyst: with what the account has, and without."""

from pathlib import Path

import pytest

from evals.memory_cases import MemoryCase, read_memory_cases, with_memory, without_memory
from server.adapters.in_process.workers import InlineTraceWorkers
from server.composing.agent import build_agent
from server.settings import load_settings
from server.testing.scripted import ScriptedChat, ScriptedModels
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
