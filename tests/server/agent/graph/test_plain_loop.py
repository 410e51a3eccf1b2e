"""The plain loop and the compiled graph run a turn alike: the same events, the same answer."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.message import add_messages

from evals.case import Case, read_cases
from evals.conditions import NoPictures, WithTools
from evals.running import trace_of
from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.prompt_file import PromptFile
from server.agent.graph.compiled_graph import GraphRun
from server.agent.graph.merging import merged_messages
from server.agent.graph.node_order import END, FIRST, NODES, SUCCESSORS
from server.agent.graph.plain_loop import run_nodes
from server.agent.service import FlamechatAgent, Run
from server.agent.turn import TurnAnswer
from server.agent.verification import answer_checks
from server.agent.verification.references import figure_values
from server.analyst.watched_chat import WatchedAnalystChat
from server.errors import LimitExceeded, ModelFailed
from server.protocol.events import (
    ModelChunkAppend,
    ModelChunkStart,
    ModelTextReset,
    ToolStart,
    TurnEvent,
    TurnStarted,
)
from server.testing.scripted import Line, ScriptedChat, ScriptedModels
from tests.inline_workers import inline_workers
from tests.server.agent.turns import RecordingSink, stage
from traces.model import Trace

IN_SEQUENCE = (ModelChunkAppend, ModelChunkStart, ModelTextReset, ToolStart, TurnStarted)
QUESTIONS = {case.name: case for case in read_cases(None)}
HANDFUL = sorted(QUESTIONS)[:: max(1, len(QUESTIONS) // 2)]


def graph() -> Run:
    saver = InMemorySaver()
    return GraphRun(checkpoints=lambda: saver, tracing=None)


async def turn_of(case: Case, trace: Trace, models: ChosenModels, run: Run) -> tuple[TurnAnswer, list[TurnEvent]]:
    workers, sink = inline_workers(), RecordingSink()
    agent = FlamechatAgent(
        models=models, prompts=PromptFile(), workers=workers, pictures=NoPictures(), run=run, clock=lambda: 0.0
    )
    turn = WithTools("analyst", agent, workers)._turn(trace, case.prompt)
    answer = await agent.answer(replace(turn, turn_id=f"turn of {case.name}"), sink)
    return answer, in_order(sink.events)


def in_order(events: Sequence[TurnEvent]) -> list[TurnEvent]:
    """The events with what each round's tools send sorted: they run side by side and end in any order."""
    ordered: list[TurnEvent] = []
    for in_sequence, group in groupby(events, lambda event: isinstance(event, IN_SEQUENCE)):
        sent = list(group)
        ordered += sent if in_sequence else sorted(sent, key=repr)
    return ordered


async def alike(case: Case, trace: Trace) -> None:
    """The product's analyst in the loop, and the one that can be watched in the graph."""
    answer, events = await turn_of(case, trace, ChosenModels(ModelChoice()), run_nodes)
    watched = ChosenModels(ModelChoice(), analyst=WatchedAnalystChat())
    of_graph = await turn_of(case, trace, watched, graph())
    assert len(events) > 2
    assert (answer, events) == of_graph


@pytest.mark.parametrize("name", HANDFUL)
async def test_both_answer_a_question_with_the_same_events(name: str) -> None:
    await alike(QUESTIONS[name], trace_of(QUESTIONS[name]))


@pytest.mark.long
@pytest.mark.timeout(900)
async def test_both_answer_every_question_of_the_evaluation_with_the_same_events(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Of 200,000 names a second of checking may or may not be enough: here time stands still.
    for module in (answer_checks, figure_values):
        monkeypatch.setattr(module, "working_clock", lambda: lambda: 0.0)
    by_trace = sorted(QUESTIONS.values(), key=lambda case: str(case.file or case.made))
    for _, cases in groupby(by_trace, lambda case: case.file or case.made):
        first, *others = cases
        trace = trace_of(first)
        for case in (first, *others):
            await alike(case, trace)


LOOK = Line(calls=(("get_trace_summary", "{}"),), finish_reason="tool_calls")
UNFOUNDED = "It takes 11.1 s, 22.2 s, 33.3 s and 44.4 s in `parse`."
SCRIPTS: dict[str, list[Line]] = {
    "tools, then an answer": [LOOK, LOOK, Line(text="`parse` takes 600 ms.")],
    "an answer that is repaired": [LOOK, Line(text=UNFOUNDED), Line(text="`parse` takes 600 ms.")],
    "arguments that are no JSON": [
        Line(calls=(("get_top_functions", "{no"),), finish_reason="tool_calls"),
        Line(text="Nothing is known."),
    ],
}


@pytest.mark.parametrize("script", SCRIPTS)
async def test_both_take_the_same_way_through_the_nodes(script: str) -> None:
    answers: list[tuple[Any, Sequence[TurnEvent]]] = []
    for run in (run_nodes, graph()):
        scene = stage(ScriptedModels(ScriptedChat(lines=list(SCRIPTS[script]))), run=run)
        answer = await scene.agent.answer(replace(scene.turn, turn_id="t"), scene.sink)
        answers.append((answer, in_order(scene.sink.events)))
    assert answers[0] == answers[1]


async def test_both_refuse_a_session_over_its_limit_and_a_model_that_fails_alike() -> None:
    refusals = []
    for run in (run_nodes, graph()):
        over = stage(ScriptedModels(ScriptedChat(lines=[])), run=run, messages_used=27, messages_limit=25)
        with pytest.raises(LimitExceeded) as refused:
            await over.agent.answer(over.turn, over.sink)
        failing = stage(ScriptedModels(ScriptedChat(lines=[Line(text=""), Line(text="")])), run=run)
        with pytest.raises(ModelFailed) as failed:
            await failing.agent.answer(failing.turn, failing.sink)
        refusals.append((str(refused.value), str(failed.value), failed.value.code))
    assert refusals[0] == refusals[1]


async def test_the_loop_ends_at_the_bound_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NODES:
        monkeypatch.setitem(NODES, name, never_ending)
    scene = stage(ScriptedModels(ScriptedChat(lines=[])))
    with pytest.raises(RecursionError, match="not ended"):
        await asyncio.wait_for(scene.agent.answer(scene.turn, scene.sink), 30)


async def never_ending(state: Any, context: Any) -> dict[str, Any]:
    calls = [{"name": "get_trace_summary", "args": {}, "id": "c", "type": "tool_call"}]
    return {"messages": [AIMessage("", tool_calls=calls)]}


def test_every_node_is_reached_and_can_reach_the_end() -> None:
    assert set(SUCCESSORS) == set(NODES)
    reached, waiting = set(), [FIRST]
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting += [one for one in SUCCESSORS.get(name, ()) if one not in reached]
    assert reached == {*NODES, END}


def test_messages_are_merged_as_langgraph_merges_them() -> None:
    known: list[AnyMessage] = [HumanMessage("a", id="1"), AIMessage("b", id="2"), HumanMessage("c", id="3")]
    updates: list[list[Any]] = [
        [AIMessage("d", id="4"), AIMessage("again", id="2")],
        [RemoveMessage(id="1"), AIMessage("e", id="5"), HumanMessage("f", id="3")],
        [RemoveMessage(id="2"), AIMessage("back", id="2")],
        [],
    ]
    for update in updates:
        assert merged_messages(list(known), update) == add_messages(list(known), update)  # type: ignore[arg-type]
    (new,) = merged_messages([], [HumanMessage("no id")])
    assert new.id
    with pytest.raises(ValueError, match="no message 9"):
        merged_messages(known, [RemoveMessage(id="9")])
