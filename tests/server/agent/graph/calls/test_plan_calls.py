"""The calls that plan a question, from a prompt on the socket over an endpoint to the answer's rows."""

import json
from pathlib import Path
from typing import Any

from server.adapters.in_process.workers import InlineTraceWorkers
from server.adapters.prompt_file import PromptFile
from server.agent.graph.calls.plan_calls import definition
from server.agent.service import FlamechatAgent
from tests.openai_endpoint import Endpoint, Reply, openai_endpoint
from tests.server.agent.turns import KeptPictures, endpoint_models
from tests.server.edges.http.test_run_question_routes import a_night
from tests.server.running_server import running_server
from tests.server.talking import END, ask

GOOD = {"form": "series", "measure": {"kind": "function", "name": "read"}, "runs": {"labels": {"branch": "main"}}}
WRONG = GOOD | {"measure": {"kind": "function", "name": "raed"}}


def planning(*plans: str) -> list[Reply]:
    """A model that asks by the tool, writes these plans, and says that it is done."""
    asking = Reply(calls=(("ask_traces", json.dumps({"question": "has reading become slow?"})),))
    return [asking, *(Reply(calls=(("question", plan),)) for plan in plans), Reply(text="Done.")]


async def played(tmp_path: Path, *plans: str) -> tuple[Endpoint, list[dict[str, Any]]]:
    workers = InlineTraceWorkers()
    async with openai_endpoint(*planning(*plans)) as endpoint:
        agent: Any = FlamechatAgent(
            models=endpoint_models(endpoint.base_url), prompts=PromptFile(), workers=workers, pictures=KeptPictures()
        )
        async with running_server(tmp_path, agent, workers=workers) as server:
            ids = [await a_night(server, at, 300 if at < 3 else 450, "branch:main") for at in range(6)]
            async with server.session(ids[-1]) as socket:
                await ask(socket, "has reading become slow?")
                return endpoint, await socket.until(*END)


async def test_a_wrong_plan_goes_back_with_the_nearest_and_the_repaired_one_is_answered(tmp_path: Path) -> None:
    endpoint, messages = await played(tmp_path, json.dumps({"question": WRONG}), json.dumps({"question": GOOD}))
    (result,) = [message for message in messages if message["type"] == "tool_result"]
    assert result["uiPayload"]["question"]["measure"]["name"] == "read"
    assert len(result["uiPayload"]["chart"]["points"]) == 6
    _, first, second, _ = endpoint.requests
    assert [tool["function"]["name"] for tool in first["tools"]] == ["question"]
    assert first["tools"][0]["function"]["parameters"] == definition()["function"]["parameters"]
    assert '"main" (6)' in first["messages"][0]["content"]
    assert first["messages"][-1]["content"] == "has reading become slow?"
    assert "The nearest: `read`" in second["messages"][-1]["content"]
    assert messages[-1]["type"] == "model_response_end"


async def test_three_wrong_plans_end_the_call_and_not_the_turn(tmp_path: Path) -> None:
    endpoint, messages = await played(tmp_path, '{"question": {"form"', json.dumps(WRONG), json.dumps(WRONG))
    (failed,) = [message for message in messages if message["type"] == "tool_error"]
    assert failed["code"] == "validation"
    assert "3 attempts" in failed["message"]
    assert "raed" in failed["message"]
    assert len(endpoint.requests) == 5
    assert messages[-1]["type"] == "model_response_end"
