"""list_profiles: how many there are, which is the main one, and where the next page begins."""

import pytest

from tests.server.agent.tool_context import ask_tool
from tests.server.agent.tools.written_outcomes import assert_answered, calls_of
from tests.traces.insights.recorded import timeline


async def test_a_page_of_profiles_begins_with_their_number_and_ends_with_the_next_page() -> None:
    trace = timeline(*[[("job", 0.0, 10.0 + k)] for k in range(5)], names=[f"t{k}" for k in range(5)])
    outcome = await ask_tool("list_profiles", {"limit": 2, "offset": 1}, trace)
    first, *rows, last = outcome.text.splitlines()
    assert first == f"5 profiles; the main one is p{trace.default_profile}"
    assert [row.split()[0] for row in rows] == ["p1", "p2"]
    assert last == "… 2 more: offset=3"
    assert outcome.data["total_profiles"] == 5
    assert [row["handle"] for row in outcome.data["profiles"]] == ["p1", "p2"]
    assert outcome.table is not None
    assert outcome.table.rows[0][:4] == ["p1", "t1", "evented", "11.0 ms"]
    complete = await ask_tool("list_profiles", {}, trace)
    assert len(complete.text.splitlines()) == 6


@pytest.mark.parametrize(("module", "call"), calls_of("get_trace_summary"))
async def test_an_outcome_is_as_it_is_written(module: str, call: str) -> None:
    await assert_answered(module, call)
