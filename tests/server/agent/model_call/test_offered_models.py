"""Which models a person may choose from, and that a prompt which asks for another is refused before it counts."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from limits.administration import Author
from limits.plans import LOCAL_PLAN
from server.agent.model_call.offered_models import ANALYST, ANALYST_LABEL, OfferedModels
from tests.server.running_server import ANNA, RunningServer, ScriptedAgent, running_server
from tests.server.talking import AS_ANNA, END, ask, new_id

PROVIDER: dict[str, Any] = {"model_base_url": "http://127.0.0.1:9/v1", "model": "main", "models_allowed": ("small",)}
TEAM = replace(LOCAL_PLAN, name="team", display_name="Team", chat_models=("large", "small"))


async def offered(server: RunningServer) -> list[dict[str, str]]:
    models: list[dict[str, str]] = (await server.http.get("/api/v1/me/usage", headers=AS_ANNA)).json()["models"]
    return models


@pytest.mark.parametrize(
    ("of_settings", "of_plan", "names"),
    [
        (OfferedModels.of_settings("main", ("small",), has_provider=True), None, ("main", "small")),
        (OfferedModels.of_settings("main", ("small",), has_provider=True), (), ("main", "small")),
        (OfferedModels.of_settings("main", ("small", "main"), has_provider=True), ("a", "b", "a"), ("a", "b")),
        (OfferedModels.of_settings(None, (), has_provider=True), None, ("gpt-5",)),
        (OfferedModels.of_settings(ANALYST, ("small",), has_provider=True), ("a",), ("a",)),
        (OfferedModels.of_settings("main", ("small",), has_provider=False), ("a", "b"), (ANALYST,)),
    ],
)
def test_a_plans_models_stand_before_the_servers_where_there_is_a_provider(
    of_settings: OfferedModels, of_plan: tuple[str, ...] | None, names: tuple[str, ...]
) -> None:
    assert of_settings.names(of_plan) == names


async def test_a_person_sees_the_models_of_their_plan_as_it_stands_now(tmp_path: Path) -> None:
    async with running_server(tmp_path, plan=TEAM, **PROVIDER) as server:
        assert await offered(server) == [{"name": name, "label": name} for name in ("large", "small")]
        author = Author(user_id=ANNA.user_id, reason=None)
        await server.parts.services.plans.administration.change_plan("team", {"chat_models": ()}, author)
        assert [model["name"] for model in await offered(server)] == ["main", "small"]


async def test_without_a_provider_there_is_the_analyst_by_its_label(tmp_path: Path) -> None:
    async with running_server(tmp_path, plan=TEAM) as server:
        assert await offered(server) == [{"name": ANALYST, "label": ANALYST_LABEL}]


@pytest.mark.parametrize("asked", ["small", ANALYST])
async def test_a_prompt_carries_its_model_to_the_agent(tmp_path: Path, asked: str) -> None:
    agent = ScriptedAgent()
    async with (
        running_server(tmp_path, agent, plan=TEAM, **PROVIDER) as server,
        server.session(await server.trace_id()) as socket,
    ):
        turn_id = await ask(socket, model=asked)
        await socket.until(*END)
        await socket.send(type="regenerate", turnId=turn_id, model=asked)
        await socket.until(*END)
    assert [turn.model_name for turn in agent.asked] == [asked, asked]


async def test_a_model_that_is_not_offered_is_refused_at_the_prompt_and_nothing_is_counted(tmp_path: Path) -> None:
    agent = ScriptedAgent()
    async with (
        running_server(tmp_path, agent, plan=TEAM, **PROVIDER) as server,
        server.session(await server.trace_id()) as socket,
    ):
        turn_id = await ask(socket)
        await socket.until(*END)
        again: list[dict[str, Any]] = [
            {"type": "user_prompt", "sessionId": socket.ack["sessionId"], "prompt": "and?"},
            {"type": "regenerate", "turnId": turn_id},
            {"type": "edit_prompt", "turnId": turn_id, "prompt": "and?"},
        ]
        for message in again:
            await socket.send(**message, model="main")
            assert await socket.next() == {
                "type": "protocol_error",
                "code": "bad_field",
                "field": "model",
                "message": "The model 'main' is not offered here; offered are large, small, built-in.",
            }
        path = f"/api/v1/sessions/{socket.ack['sessionId']}"
        answer = await server.http.post(f"{path}/prompts", json={"prompt": "and?", "model": "main"}, headers=AS_ANNA)
        assert (answer.status_code, answer.json()["field"]) == (400, "model")
        usage = await server.http.get(f"/api/v1/me/usage?sessionId={socket.ack['sessionId']}", headers=AS_ANNA)
        assert usage.json()["messages"]["used"] == 2
    assert len(agent.asked) == 1


async def test_a_prompt_that_was_accepted_may_be_sent_again_when_its_model_is_offered_no_longer(tmp_path: Path) -> None:
    agent, turn_id = ScriptedAgent(), new_id()
    async with (
        running_server(tmp_path, agent, plan=TEAM, **PROVIDER) as server,
        server.session(await server.trace_id()) as socket,
    ):
        await ask(socket, turnId=turn_id, model="large")
        await socket.until(*END)
        author = Author(user_id=ANNA.user_id, reason=None)
        await server.parts.services.plans.administration.change_plan("team", {"chat_models": ("small",)}, author)
        await ask(socket, turnId=turn_id, model="large")
        await socket.send(type="ping", nonce="x")
        assert (await socket.next())["type"] == "pong"
        await ask(socket, model="large")
        assert (await socket.next())["field"] == "model"
    assert len(agent.asked) == 1
