"""What stays on a real LangGraph server: threads that Studio reads and edits, no token of a run, and nothing of a turn
that is over."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import partial
from typing import Any

import anyio
import pytest

from server.adapters.executors.graph_server_sweep import GraphServerSweep
from server.adapters.executors.langgraph_server import thread_of
from server.adapters.executors.remote_run import RemoteRun
from server.agent.graph.node_order import NODES
from server.agent.turn import PageAnswer
from server.ports.ai_events import Done, Restored
from server.ports.executor import run_id_of
from server.ports.run_tokens import RunHolder, new_run_token, token_hash_of
from tests.contracts.executors import TURN, attempt_of, attempted, kinds_of, read
from tests.contracts.langgraph_house import ASSISTANT, LangGraphHouse, on_langgraph
from tests.contracts.test_executor_contract import ANSWER, ANSWERING, ASKING, LOOKING
from tests.contracts.test_executor_failures_contract import CUT_OFF, begins_cut_off
from tests.openai_endpoint import Endpoint, Reply, openai_endpoint
from tests.plugins.graph_server import GraphServer

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("langgraph")]

BOUND_S = 60
Opened = Callable[..., Any]


@pytest.fixture
async def opened(graph_server: GraphServer) -> AsyncIterator[Opened]:
    opening: Callable[[Endpoint], AbstractAsyncContextManager[LangGraphHouse]] = partial(
        on_langgraph, graph_server=graph_server.url, model_port=graph_server.model_port
    )
    async with AsyncExitStack() as stack:

        async def open_with(*replies: Reply) -> tuple[LangGraphHouse, Endpoint]:
            endpoint = await stack.enter_async_context(openai_endpoint(*replies))
            return await stack.enter_async_context(opening(endpoint)), endpoint

        yield open_with


async def test_studio_sees_the_graph_with_its_schemas(opened: Opened) -> None:
    house, _ = await opened(ANSWER)
    (assistant,) = await house.client.assistants.search(graph_id=ASSISTANT)
    graph = await house.client.assistants.get_graph(assistant["assistant_id"])
    assert {node["id"] for node in graph["nodes"]} == {*NODES, "__start__", "__end__"}
    schemas = await house.client.assistants.get_schemas(assistant["assistant_id"])
    for name in ("input_schema", "output_schema", "state_schema"):
        assert {"messages", "checks", "tool_calls"} <= schemas[name]["properties"].keys(), name
    assert "__run__" in schemas["context_schema"]["properties"]


async def test_a_thread_has_a_history_and_no_token(
    opened: Opened, graph_server: GraphServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, _ = await opened(LOOKING, ANSWER)
    token = new_run_token()
    monkeypatch.setattr("server.adapters.executors.langgraph_server.new_run_token", lambda: token)
    await attempted(house)
    thread_id = thread_of(house.turns[TURN])
    history = await house.client.threads.get_history(thread_id, limit=50)
    states = [state["values"] for state in history]
    assert [one["type"] for one in states[0]["messages"]] == ["system", "human", "ai", "tool", "ai"]
    assert len(states) > 5, "one after each step"
    (run,) = await house.client.runs.list(thread_id)
    thread = await house.client.threads.get(thread_id)
    assert thread["metadata"]["session"] == "a1:session-1"
    for where in (history, await house.client.threads.get_state(thread_id)):
        assert places_of(token, where) == []
    of_contexts = {"config", "kwargs"}  # where such a server keeps the context of a thread's newest run
    for one in (run, thread):
        assert {place[0] for place in places_of(token, one)} <= of_contexts
    log = graph_server.log.read_text(errors="replace")
    assert "steps/tools" in log
    assert token not in log


def places_of(text: str, value: Any, place: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Where in a JSON value the text stands."""
    if isinstance(value, str):
        return [place] if text in value else []
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, one in inner for found in places_of(text, one, (*place, str(key)))]


async def test_a_state_that_was_edited_is_run_on_with(opened: Opened) -> None:
    house, endpoint = await opened(ASKING, ANSWER)
    _, end = await attempted(house, viewer=ANSWERING)
    assert isinstance(end, Done)
    assert end.asked is not None
    thread_id = thread_of(house.turns[TURN])
    await house.client.threads.update_state(thread_id, {"notes": {"edited": "by hand"}}, as_node="tools")
    given = PageAnswer(end.asked.interrupt_id, {"status": "answered", "answer": "b"})
    _, again = await attempted(house, viewer=ANSWERING, attempt=2, page_answer=given)
    if isinstance(again, Done) and again.answer is None:  # the step is made anew after the edit: it asks once more
        assert again.asked is not None
        given = PageAnswer(again.asked.interrupt_id, {"status": "answered", "answer": "b"})
        _, again = await attempted(house, viewer=ANSWERING, attempt=3, page_answer=given)
    assert isinstance(again, Done)
    assert again.answer is not None
    assert again.answer.notes == {"edited": "by hand"}
    assert len(endpoint.requests) == 2


async def test_a_run_by_hand_without_a_context_ends_at_once(opened: Opened) -> None:
    house, endpoint = await opened(ANSWER)
    thread = await house.client.threads.create()
    await house.client.runs.wait(thread["thread_id"], ASSISTANT, input={"tool_rounds": 0}, raise_error=False)
    (run,) = await house.client.runs.list(thread["thread_id"])
    assert run["status"] == "error"
    assert endpoint.requests == []
    await house.client.threads.delete(thread["thread_id"])


async def test_a_server_that_died_leaves_a_run_that_its_next_attempt_cancels(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, endpoint = await opened(LOOKING, CUT_OFF, ANSWER)

    async def died(_: RemoteRun) -> None:
        """A process that is gone cancels nothing."""

    with monkeypatch.context() as dying:
        dying.setattr(RemoteRun, "stop", died)
        await read(attempt_of(house), until=begins_cut_off)
    thread_id = thread_of(house.turns[TURN])
    assert [run["status"] for run in await house.client.runs.list(thread_id)] == ["running"]
    events, end = await attempted(house, attempt=2)
    assert kinds_of(events)[:2] == ["Restored", "RunStarted"]
    assert isinstance(events[0], Restored)
    assert isinstance(end, Done)
    assert len(endpoint.requests) == 3
    statuses = sorted(run["status"] for run in await house.client.runs.list(thread_id))
    assert statuses == ["interrupted", "success"]


async def test_the_token_of_an_earlier_attempt_is_worth_nothing(opened: Opened) -> None:
    house, _ = await opened(LOOKING, ANSWER)
    await attempted(house)
    first, turn = run_id_of(TURN, 1), house.turns[TURN]
    token = new_run_token()
    await house.tokens.issue(first, RunHolder(TURN, 1), token_hash_of(token))
    deployed = house.services.runs.deployed
    assert (await deployed.setup(first, token)).turn_id == turn.turn_id
    await house.tokens.issue(run_id_of(TURN, 2), RunHolder(TURN, 2), token_hash_of(new_run_token()))
    assert await house.tokens.holder(first, token_hash_of(token)) is None


async def test_the_sweep_removes_what_is_over_and_nothing_else(opened: Opened) -> None:
    house, _ = await opened(ANSWER, CUT_OFF)
    over, running = TURN, TURN.replace("1", "2")
    await attempted(house, turn_id=over)
    going_on = asyncio.create_task(attempted(house, turn_id=running))
    with anyio.fail_after(BOUND_S):
        while not [one for one in house.rows.rows.values() if one.turn_id == running]:
            await asyncio.sleep(0)
    elsewhere = await house.client.threads.create(metadata={"server": "https://another", "turn_id": over})
    goes_on = {running}

    async def is_going_on(turn_id: str) -> bool:
        return turn_id in goes_on

    sweep = GraphServerSweep(house.client, server=house.address, goes_on=is_going_on)
    assert await sweep.sweep() == 1
    left = {thread["thread_id"] for thread in await house.client.threads.search(limit=50)}
    assert {thread_of(house.turns[running]), elsewhere["thread_id"]} <= left
    assert thread_of(house.turns[over]) not in left
    goes_on.clear()
    assert await sweep.sweep() == 1, "a run that this server does not know is cancelled, and its thread goes"
    _, end = await going_on
    assert not isinstance(end, Done)
    await house.client.threads.delete(elsewhere["thread_id"])
