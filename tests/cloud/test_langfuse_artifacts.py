"""FLAMECHAT_ARTIFACTS=langfuse: what model calls contained, in a data set and a run of it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from server.adapters.in_process.workers import InlineTraceWorkers
from server.adapters.langfuse.kept_calls import DATA_SET
from server.composing.agent import build_agent
from server.composing.build import graph_version
from server.composing.watching import watching
from server.settings import load_settings
from server.testing.invocations import MemoryInvocations
from tests.cloud.faults import Fault
from tests.cloud.langfuse_server import LangfuseServer, Span, langfuse_server
from tests.openai_endpoint import Reply, openai_endpoint
from tests.server.agent.turns import KeptPictures, endpoint_models, small_trace, stage

pytestmark = pytest.mark.long

LOOKING = Reply(text="Let me look.", calls=(("get_top_functions", "{}"), ("generate_flamegraph_screenshot", "{}")))
ANSWER = Reply(text="[`parse_json`](#f2) dominates with 60.0% (600 ms).")
PNG = "iVBORw0KGgo"


@asynccontextmanager
async def asked(
    project: LangfuseServer, monkeypatch: pytest.MonkeyPatch, *replies: Reply, **turn: Any
) -> AsyncIterator[MemoryInvocations]:
    """The rows of a turn's calls; what waits to be sent goes out when it ends."""
    for name, value in project.settings().items():
        monkeypatch.setenv(name, value)
    rows = MemoryInvocations()
    async with openai_endpoint(*replies) as endpoint:
        settings = load_settings(
            artifacts="langfuse", langfuse_prompt="none", model="fake", model_base_url=endpoint.base_url
        )
        async with watching(settings) as watched:
            scene = stage(endpoint_models(endpoint.base_url), **turn)
            workers = InlineTraceWorkers()
            agent = build_agent(settings, workers=workers, pictures=KeptPictures(), watched=watched, invocations=rows)
            await agent.answer(replace(scene.turn, opened=workers.hold(small_trace())), scene.sink)
            yield rows


def runs_of(project: LangfuseServer) -> dict[str, Span]:
    """What was recorded for each item, by its id: the observation that has the item's output."""
    found = [one for one in project.spans if one.attributes.get("langfuse.experiment.item.id")]
    return {
        one.attributes["langfuse.experiment.item.id"]: one
        for one in found
        if one.span_id == one.attributes["langfuse.experiment.item.root_observation_id"]
    }


async def test_each_call_is_an_item_and_what_it_was_answered_is_in_the_version_s_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with langfuse_server() as project:
        prompt = "my key is sk-abcdefghijklmnop1234, why?"
        async with asked(project, monkeypatch, LOOKING, ANSWER, prompt=prompt) as rows:
            pass
    assert project.data_sets.keys() == {DATA_SET}
    assert project.items.keys() == rows.rows.keys()
    calls = sorted(rows.rows.values(), key=lambda row: row.call_number)
    first, second = (project.items[row.invocation_id] for row in calls)
    assert [one["role"] for one in first["input"]["messages"]] == ["system", "user"]
    assert "get_top_functions" in {tool["function"]["name"] for tool in first["input"]["tools"]}
    results = [one["content"] for one in second["input"]["messages"] if one["role"] == "tool"]
    assert any("parse_json" in str(one) for one in results), "results are there in full"
    runs = runs_of(project)
    assert runs.keys() == rows.rows.keys()
    assert {run.attributes["langfuse.experiment.name"] for run in runs.values()} == {graph_version()}
    assert {run.attributes["langfuse.experiment.dataset.id"] for run in runs.values()} == {project.data_sets[DATA_SET]}
    assert len({run.attributes["langfuse.experiment.id"] for run in runs.values()}) == 1
    outputs = [json.loads(runs[row.invocation_id].attributes["langfuse.observation.output"]) for row in calls]
    assert [one["function"]["name"] for one in outputs[0]["reply"]["tool_calls"]] == [name for name, _ in LOOKING.calls]
    assert (outputs[1]["reply"]["content"], outputs[1]["problem"]) == (ANSWER.text, None)
    written = json.dumps(project.items) + str(project.sent)
    assert "sk-abcdef" not in written
    assert "my key is ***" in written
    assert PNG not in written, "a picture's hash stands for it"
    assert project.others == []


@pytest.mark.parametrize("fault", ["500", "cut", "wrong", "hang"])
async def test_a_langfuse_that_takes_none_costs_no_answer(monkeypatch: pytest.MonkeyPatch, fault: Fault) -> None:
    async with langfuse_server() as project:
        project.faults.always("data_sets", fault)
        async with asked(project, monkeypatch, ANSWER) as rows:
            assert len(rows.rows) == 1
    assert project.items == {}
