"""What tools return, by its declared form; what does not fit is never passed on."""

from dataclasses import replace
from typing import Any

import pytest

from server.adapters.in_process.workers import InlineTraceWorkers
from server.agent.outside.web_tools import WEB_TOOLS
from server.agent.tools.all_tools import TOOLS
from server.agent.tools.contract.output_schema import MOST_DEEP, output_schema, unfit
from server.agent.tools.contract.run_tool import run_tool
from server.agent.tools.contract.tool import Outcome
from server.agent.tools.contract.tool_context import Asking
from server.agent.tools.contract.tool_errors import ToolFailed
from server.agent.tools.find_frames import FIND_FRAMES
from tests.server.agent.turns import small_trace

SECRET = "a source line that leaves nobody"


@pytest.mark.parametrize("tool", [*TOOLS, *WEB_TOOLS], ids=lambda tool: tool.name)
def test_every_tool_declares_what_it_returns(tool: Any) -> None:
    schema = output_schema(tool)
    types = {"string", "number", "boolean", "object", "array", "null"}
    assert all(set(one.get("type", ())) <= types for one in schema["properties"].values())
    assert set(schema["properties"]) == tool.fields
    assert unfit(tool, {}) is None


@pytest.mark.parametrize(("lists", "is_fit"), [(MOST_DEEP, True), (MOST_DEEP + 1, False)])
def test_data_has_a_greatest_depth(lists: int, *, is_fit: bool) -> None:
    data: Any = 1
    for _ in range(lists):
        data = [data]
    assert unfit(FIND_FRAMES, data) == (None if is_fit else "it is too deep")


@pytest.mark.parametrize(
    ("data", "fits"),
    [
        ({"matches": 3, "total_matches": None}, True),
        ({"matches": SECRET}, False),
        ({"matches": {"name": SECRET}}, False),
        ({"matches": True}, False),
        ({"name": {"name": SECRET}}, False),
        ({"name": SECRET.encode()}, False),
        ({"name": [SECRET]}, False),
    ],
)
async def test_a_result_that_does_not_fit_is_not_passed(data: dict[str, Any], *, fits: bool) -> None:
    async def answer(asking: Asking, arguments: Any) -> Outcome:
        return Outcome(text=SECRET, data=data)

    workers = InlineTraceWorkers()
    tool = replace(FIND_FRAMES, answer=None, ask=answer, fields=frozenset({"matches", "total_matches", "name"}))
    asked = {"trace": workers.hold(small_trace()), "workers": workers, "seconds": 5.0, "characters": 500}
    if fits:
        outcome, _ = await run_tool(tool, {"pattern": "a"}, **asked)  # type: ignore[arg-type]
        assert outcome.data == data
        return
    with pytest.raises(ToolFailed) as failed:
        await run_tool(tool, {"pattern": "a"}, **asked)  # type: ignore[arg-type]
    assert failed.value.code == "redaction_failed"
    assert SECRET not in failed.value.text
