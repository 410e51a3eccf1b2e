"""A step of the graph is one statement, which the library reads as its own, and nothing is kept twice."""

from typing import Any
from uuid import uuid4

import psycopg
import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from server.adapters.postgres.checkpoints import OF_NO_NODE, PostgresCheckpoints
from server.adapters.postgres.turn_queue import PostgresTurnQueue
from server.agent.graph.compiled_graph import build_graph
from server.agent.graph.node_order import NODES, SUCCESSORS
from tests.plugins.postgres import FreshDatabase

VALUES: dict[str, Any] = {
    "text": "kept, \N{FLEXED BICEPS}",
    "count": 3,
    "share": 0.5,
    "over": False,
    "nothing": None,
    "rows": [{"a": 1}, {"b": [2, 3]}],
    "picture": b"\0\x89PNG",
    "empty": [],
}


def place() -> Any:
    return {"configurable": {"thread_id": f"{uuid4()}/{uuid4()}/1", "checkpoint_ns": "", "attempt": 1}}


def step(number: int, values: dict[str, Any], earlier: dict[str, Any] | None = None) -> Any:
    """A checkpoint in which these have been written at this step and what was there before."""
    versions = dict.fromkeys(earlier or {}, "1") | dict.fromkeys(values, str(number))
    kept = (earlier or {}) | values
    return empty_checkpoint() | {"channel_values": kept, "channel_versions": versions}


async def test_the_library_reads_what_is_kept_and_a_step_keeps_what_changed(database: FreshDatabase) -> None:
    async with PostgresTurnQueue(database.server, at_once=1) as queue:
        saver, config = PostgresCheckpoints(queue.pool)(), place()
        first, second = step(1, VALUES), step(2, {"rows": [], "text": "later"}, VALUES)
        after = await saver.aput(config, first, {"step": 0, "source": "loop"}, dict.fromkeys(VALUES, "1"))
        await saver.aput(
            after | {"configurable": after["configurable"] | {"attempt": 1}},
            second,
            {"step": 1},
            {"rows": "2", "text": "2"},
        )
        library = AsyncPostgresSaver(queue.pool)
        newest = await library.aget_tuple(config)
        assert newest is not None
        assert newest.checkpoint["channel_values"] == VALUES | {"rows": [], "text": "later"}
        assert newest.metadata["step"] == 1
        assert newest.parent_config == after
        before = await library.aget_tuple(after)
        assert before is not None
        assert before.checkpoint["channel_values"] == VALUES
    with psycopg.connect(database.owner) as owner:
        blobs = owner.execute("select channel, version from flamechat_private.checkpoint_blobs order by 1, 2")
        assert blobs.fetchall() == [("empty", "1"), ("picture", "1"), ("rows", "1"), ("rows", "2")]


async def test_a_node_s_result_is_kept_by_its_checkpoint_alone_and_what_waits_for_the_page_apart(
    database: FreshDatabase,
) -> None:
    async with PostgresTurnQueue(database.server, at_once=1) as queue:
        saver, config = PostgresCheckpoints(queue.pool)(), place()
        after = await saver.aput(config, step(1, VALUES), {"step": 0}, dict.fromkeys(VALUES, "1"))
        node = str(uuid4())
        await saver.aput_writes(after, [("text", "by a node"), ("rows", [])], node)
        await saver.aput_writes(after, [("__interrupt__", ["asks the page"])], node)
        await saver.aput_writes(after, [("count", 4), ("__resume__", "answered")], OF_NO_NODE)
        found = await AsyncPostgresSaver(queue.pool).aget_tuple(after)
    assert found is not None
    assert found.pending_writes is not None
    assert {(task, channel) for task, channel, _ in found.pending_writes} == {
        (node, "__interrupt__"),
        (OF_NO_NODE, "count"),
        (OF_NO_NODE, "__resume__"),
    }


@pytest.mark.parametrize("name", NODES)
def test_one_node_runs_at_a_time(name: str) -> None:
    """A node's result is not kept before its checkpoint: a second one at that time would run again after a crash."""
    builder = build_graph().builder
    follow = [end for start, end in builder.edges if start == name]
    choices = [set((choice.ends or {}).values()) for choice in builder.branches.get(name, {}).values()]
    assert len(follow) + len(choices) == 1
    assert {*follow, *(end for ends in choices for end in ends)} == {one or "__end__" for one in SUCCESSORS[name]}
