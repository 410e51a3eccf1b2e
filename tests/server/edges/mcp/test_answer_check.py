"""A text compared with a trace and a connection's results, by the protocol's own client."""

from pathlib import Path

from server.edges.mcp.answer_check import LONGEST
from tests.server.edges.mcp.local_connection import OTHER, STACKS, connected, statuses, words

ROW = "[{}](#q1.r1.self)"
READ = "`read` takes {} itself, the most."


async def test_results_are_numbered_and_a_figure_of_one_is_resolved_by_its_number(tmp_path: Path) -> None:
    async with connected(tmp_path, STACKS) as client:
        first = await client.call_tool("get_top_functions", {"sort_by": "self"})
        assert words(first).startswith("q1: ")
        assert first.structured_content is not None
        assert first.structured_content["number"] == 1
        second = await client.call_tool("get_trace_summary", {})
        assert words(second).startswith("q2: ")
        right = await client.call_tool("check_answer", {"text": READ.format(ROW.format("700"))})
        assert (statuses(right)[-1], words(right).splitlines()[0]) == (("700", "verified"), "1 figure holds")
        wrong = await client.call_tool("check_answer", {"text": READ.format(ROW.format("200"))})
        assert ("200", "contradicted") in statuses(wrong)
        assert 'contradicted "200": the trace says "700' in words(wrong)


async def test_a_number_of_another_trace_or_of_no_result_is_unchecked(tmp_path: Path) -> None:
    async with connected(tmp_path, STACKS, OTHER) as client:
        await client.call_tool("get_top_functions", {"sort_by": "self", "trace": "t1"})
        text = READ.format(ROW.format("700"))
        other = await client.call_tool("check_answer", {"text": text, "trace": "t2"})
        assert ("700", "unchecked") in statuses(other)
        none = await client.call_tool("check_answer", {"text": text.replace("q1", "q9")})
        assert ("700", "unchecked") in statuses(none)


async def test_a_failed_call_takes_no_number(tmp_path: Path) -> None:
    async with connected(tmp_path, STACKS) as client:
        assert (await client.call_tool("find_frames", {})).is_error
        assert words(await client.call_tool("find_frames", {"pattern": "read"})).startswith("q1: ")


async def test_a_text_that_cannot_be_checked_is_refused_in_words(tmp_path: Path) -> None:
    async with connected(tmp_path, STACKS) as client:
        for arguments, said in (
            ({}, "text is missing"),
            ({"text": "It takes 5 ms.", "txt": 1}, 'no argument "txt"'),
            ({"text": "a" * (LONGEST + 1)}, "at most 100,000"),
        ):
            refused = await client.call_tool("check_answer", arguments)
            assert refused.is_error
            assert said in words(refused)


async def test_bad_addresses_are_marked_and_never_an_error(tmp_path: Path) -> None:
    text = (
        "`read`: [700](#f99999.self), [700](#q1.r1.self, ["
        + "9" * 400
        + "](#f1.self), [7](#w3.f1.self), `[7](#f1.self)`"
    )
    async with connected(tmp_path, STACKS) as client:
        result = await client.call_tool("check_answer", {"text": text})
        assert not result.is_error
        assert ("700", "unchecked") in statuses(result)
