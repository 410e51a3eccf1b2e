"""Models with a context of 4 k and 8 k: first requests of at most 2,000 tokens, and turns that end well."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.model.patience import Patience
from server.agent.bounds import AgentBounds, answer_room
from server.agent.graph.short_setup import first_lines
from server.agent.model_call.fitting import MADE_SHORT, fitted
from server.agent.model_call.offered_models import ANALYST
from server.agent.model_call.token_counts import characters_in
from server.agent.tools.all_tools import FEW_TOOLS, TOOLS, definitions
from server.ports.conversations import MessageRow
from server.protocol.events import ToolResult
from tests.openai_endpoint import Endpoint, Reply, openai_endpoint, requested_tokens
from tests.server.agent.model_call.test_message_history import assert_valid, turn_rows
from tests.server.agent.tools.test_budgets import wide
from tests.server.agent.turns import Stage, stage
from traces.model import Trace
from traces.reader import read_trace

CONTEXTS = pytest.mark.parametrize("context", [4_000, 8_192])
TOP = ("get_top_functions", '{"limit": 100}')
TREE = ("get_call_tree", '{"max_nodes": 200}')
ANSWER = Reply(text="It is [`function_0`](#f0).")
QUICK = Patience(first_s=30, silence_s=30, retries=0, longest_pause_s=0)


def staged(
    endpoint: Endpoint, context: int, trace: Trace | None = None, fallbacks: Sequence[str] = (), **turn: Any
) -> Stage:
    choice = ModelChoice(
        base_url=endpoint.base_url,
        model="small",
        fallbacks=tuple(fallbacks),
        answer_tokens=answer_room(context),
        patience=QUICK,
    )
    bounds = AgentBounds.for_context(context)
    return stage(ChosenModels(choice), trace or wide(), bounds=bounds, **turn)


def earlier(turns: int) -> tuple[MessageRow, ...]:
    rows = [row for n in range(turns) for row in turn_rows(f"t{n}", answer=f"It is function {n}. " * 20, results=3)]
    return tuple(replace(row, position=position) for position, row in enumerate(rows))


@CONTEXTS
async def test_a_turn_with_two_tool_calls_of_the_longest_results_ends_well(context: int) -> None:
    async with openai_endpoint(Reply(calls=(TOP,)), Reply(calls=(TREE,)), ANSWER, context=context) as endpoint:
        scene = staged(endpoint, context)
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert answer.text == ANSWER.text
    assert answer.notes == {}
    assert len(scene.sink.of("tool_result")) == 2
    assert len(endpoint.requests) == 3, "nothing was refused"
    assert requested_tokens(endpoint.requests[0]) <= 2_000
    assert [len(request["tools"]) for request in endpoint.requests] == [6, 6, 6]


@CONTEXTS
async def test_a_model_that_never_stops_asking_must_answer_when_its_context_is_full(context: int) -> None:
    asking = Reply(text="So far it is function_0.", calls=(TOP, TREE))
    async with openai_endpoint(*[asking] * 40, context=context) as endpoint:
        scene = staged(endpoint, context)
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert answer.text == asking.text
    assert "tools" not in endpoint.requests[-1]
    assert "Answer the question now" in str(endpoint.requests[-1]["messages"][-1]["content"])
    assert all(requested_tokens(request) + answer_room(context) <= context for request in endpoint.requests)


@CONTEXTS
async def test_a_follow_up_of_a_long_conversation_begins_with_2000_tokens(context: int) -> None:
    async with openai_endpoint(Reply(calls=(TOP,)), ANSWER, context=context) as endpoint:
        scene = staged(endpoint, context, history=earlier(30))
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert answer.text == ANSWER.text
    assert requested_tokens(endpoint.requests[0]) <= 2_000
    assert "question of t29" in str(endpoint.requests[0]["messages"]), "the newest turn is never left out"


@pytest.mark.parametrize(
    "name", ["changes.chrome-array.json.gz", "board.chrome-object.json.gz", "thumbnails.perf.collapsed.txt"]
)
async def test_a_sample_begins_with_at_most_2000_tokens(fixtures: Path, name: str) -> None:
    (source,) = fixtures.rglob(name)
    async with openai_endpoint(ANSWER) as endpoint:
        scene = staged(endpoint, 4_000, read_trace(source.read_bytes(), name=name), history=earlier(3))
        await scene.agent.answer(scene.turn, scene.sink)
    assert requested_tokens(endpoint.requests[0]) <= 2_000
    system = endpoint.requests[0]["messages"][0]["content"]
    assert re.search(r'The trace:\n"', system), "the summary is never left out"
    assert "{{" not in system


async def test_the_analyst_takes_over_with_all_its_tools_and_results(fixtures: Path) -> None:
    (source,) = fixtures.rglob("order-service.speedscope.json.gz")
    trace = read_trace(source.read_bytes(), name="orders")
    async with openai_endpoint(Reply(status=503)) as endpoint:
        scene = staged(endpoint, 4_000, trace, fallbacks=(ANALYST,))
        small = await scene.agent.answer(scene.turn, scene.sink)
        usual = staged(endpoint, 4_000, trace, model_name=ANALYST)
        await usual.agent.answer(usual.turn, usual.sink)
    assert small.text.startswith("*The language model cannot be reached")
    lengths, usual_lengths = (
        sorted(len(one.text_content) for one in each.sink.events if isinstance(one, ToolResult))
        for each in (scene, usual)
    )
    assert lengths == usual_lengths
    assert max(lengths) > 1_500


def test_the_few_tools_exist_with_the_arguments_they_are_shown_with() -> None:
    few = {one["function"]["name"]: one["function"] for one in definitions(TOOLS, short=True)}
    assert list(few) == [tool.name for tool in TOOLS if tool.name in FEW_TOOLS]
    assert len(few) == 6
    for name, one in few.items():
        assert set(one["parameters"]["properties"]) == set(FEW_TOOLS[name][1])
        assert set(one["parameters"].get("required", [])) <= set(FEW_TOOLS[name][1])


def test_a_large_context_bounds_history_and_requests_alone() -> None:
    bounds = AgentBounds.for_context(32_000)
    assert (bounds.first_request_tokens, bounds.result_tokens) == (None, 1_500)
    assert (bounds.context_tokens, bounds.request_tokens) == (8_000, 28_000)
    assert AgentBounds.for_context(None) == AgentBounds()


def conversation_of(results: Sequence[int]) -> list[AnyMessage]:
    messages: list[AnyMessage] = [SystemMessage("s"), HumanMessage("old"), AIMessage("o" * 500), HumanMessage("new")]
    for number, length in enumerate(results):
        call = {"name": "find_frames", "args": {}, "id": f"c{number}", "type": "tool_call"}
        text = f"q{number}: head\n" + "row\n" * (length // 4)
        messages += [AIMessage("", tool_calls=[call]), ToolMessage(text, tool_call_id=f"c{number}")]
    return messages


def test_older_results_are_cut_before_turns_and_turns_before_the_newest_result() -> None:
    messages = conversation_of([2_000, 2_000, 2_000])
    assert fitted(messages, 10_000) == messages
    one = fitted(messages, 5_500)
    assert [MADE_SHORT in str(message.content) for message in one if isinstance(message, ToolMessage)] == [
        True,
        False,
        False,
    ]
    without_turn = fitted(messages, 2_900)
    assert [message.text for message in without_turn if isinstance(message, HumanMessage)] == ["new"]
    assert without_turn[-1] == messages[-1]
    least = fitted(messages, 10)
    assert MADE_SHORT in str(least[-1].content)
    for fit in (one, without_turn, least):
        assert_valid(fit[1:])
    assert characters_in(least) < 1_200


def test_a_result_whose_first_line_is_long_keeps_its_number_and_no_half_of_a_name() -> None:
    messages: list[AnyMessage] = [
        HumanMessage("new"),
        AIMessage("", tool_calls=[{"name": "a", "args": {}, "id": "c", "type": "tool_call"}]),
        ToolMessage('q12: one "' + "x" * 900 + '" row', tool_call_id="c"),
    ]
    assert fitted(messages, 100)[-1].content == "q12" + MADE_SHORT


def test_lines_are_kept_complete() -> None:
    assert first_lines(["a" * 10, "b" * 10, "c"], 21, least=0) == "a" * 10
    assert first_lines(["a" * 10], 5, least=1) == "a" * 10
    assert first_lines(["a" * 10], 5, least=0) == ""
