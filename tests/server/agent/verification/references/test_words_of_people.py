"""What a person had remembered is no measurement: a memory tool's result certifies no figure, by rule or by address."""

import pytest
from langchain_core.messages import ToolMessage

from server.agent.tools.remembered.core_memory_tools import CORE_MEMORY_APPEND, CORE_MEMORY_REPLACE, MANAGE_MEMORIES
from server.agent.verification.facts import OF_MEMORY, gathered
from server.agent.verification.references.checked_answer import checked_answer
from server.agent.verification.references.tool_results import NUMBER, returned
from server.protocol.wire_values import Check
from tests.server.agent.tool_context import ask_tool
from tests.server.agent.turns import small_trace

FACT = "a request may take 437 ms, and the cache hits in 93.7 % of 4,711 calls"
ARGUMENTS = {
    CORE_MEMORY_APPEND.name: {"fact": FACT},
    CORE_MEMORY_REPLACE.name: {"old": FACT, "new": FACT},
    MANAGE_MEMORIES.name: {"action": "remember", "fact": FACT},
}


async def checks_of(answer: str, tool: str, *, under: str) -> list[Check]:
    """The checks of an answer after a call of the tool, whose result is taken for that of `under`."""
    outcome = await ask_tool(tool, ARGUMENTS[tool], small_trace())
    artifact = {"tool": under, "arguments": {}, "data": outcome.data, NUMBER: 7}
    messages = [ToolMessage(f"q7: {outcome.text} {FACT}", name=under, tool_call_id="c", artifact=artifact)]
    facts, results = gathered(messages, {}), returned((), messages, ())
    return list(checked_answer(small_trace(), answer, facts, "Why?", [], results).checks)


@pytest.mark.parametrize("tool", sorted(ARGUMENTS))
@pytest.mark.parametrize(
    "answer",
    [
        "All in all 437 ms are spent there.",
        "The cache hits in 93.7 % of all.",
        "All in all [437 ms](#q7.c1) are spent there.",
        "It hits in [93.7 %](#q7.c2) of all.",
        "There are [4,711](#q7.c3) of them.",
    ],
)
async def test_a_memory_tools_result_certifies_no_figure(tool: str, answer: str) -> None:
    checks = await checks_of(answer, tool, under=tool)
    assert checks
    assert not [check for check in checks if check.status in ("verified", "derived")]
    of_another = await checks_of(answer, tool, under="get_insights")
    assert [check for check in of_another if check.status in ("verified", "derived")], (
        "the same of a tool that measures"
    )


def test_every_tool_that_writes_to_the_memory_is_one_of_them() -> None:
    assert {CORE_MEMORY_APPEND.name, CORE_MEMORY_REPLACE.name, MANAGE_MEMORIES.name} == OF_MEMORY
