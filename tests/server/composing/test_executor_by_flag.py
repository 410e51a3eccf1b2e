"""The flag `executor`: some people's graphs run elsewhere, or here, and a resumed turn's where it began."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest

from limits.plans import Plan
from server.adapters.flags.flag_file import Rule, file_provider
from server.adapters.flags.openfeature_flags import OpenFeatureFlags
from server.adapters.postgres.pool import Database
from server.agent.model_call.offered_models import OfferedModels
from server.agent.turn import TurnAnswer, TurnInput, TurnSink
from server.composing.flag_provider import flags_of_settings
from server.composing.graph_server import GraphServer, executor_of, graph_server_of
from server.composing.watching import Watching, prompt_file
from server.errors import ConfigError, ModelFailed
from server.ports.ai_events import Failed
from server.ports.conversations import TurnRequest
from server.ports.executor import RunRequest
from server.ports.flags import EXECUTORS, TurnFlags, flags_of
from server.settings import Settings, load_settings
from server.testing.invocations import MemoryInvocations
from server.testing.run_tokens import MemoryRunTokens
from server.turns.prepared_turn import TurnPreparation
from tests.contracts.executors import caller_of
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import new_uuid
from tests.plugins.worlds_on_postgres import postgres_world
from tests.server.agent.turns import endpoint_models, stage

THERE = {"langgraph_url": "http://127.0.0.1:2024"}


@dataclass
class Named:
    """Implements `turn.Agent`: fails with its name."""

    name: str

    async def answer(self, turn: TurnInput, sink: TurnSink) -> TurnAnswer:
        raise ModelFailed(self.name, code=self.name)


async def ran_on(executor: str, flag: str | None) -> str:
    """The name of the agent that ran a turn, by the settings' executor and the flag."""
    scene = stage(endpoint_models("http://127.0.0.1:1/v1"), turn_id=new_uuid())
    turn = replace(scene.turn, flags=TurnFlags(executor=flag))
    there = GraphServer(
        agent=Named("langgraph"),
        client=cast("Any", None),
        steps=cast("Any", None),
        tokens=MemoryRunTokens(),
        pictures=scene.pictures,
        invocations=MemoryInvocations(),
    )
    runs = executor_of(load_settings(executor=executor, **THERE), Named("in_process"), there)
    run = runs.run(RunRequest(caller=caller_of(turn), attempt=1, setup=turn))
    end = [event async for event in cast("AsyncIterator[Any]", run.events)][-1]
    assert isinstance(end, Failed)
    return end.code


@pytest.mark.parametrize("executor", EXECUTORS)
async def test_a_turn_runs_where_its_flag_says_and_else_where_the_settings_say(executor: str) -> None:
    assert await ran_on(executor, None) == executor
    for flag in EXECUTORS:
        assert await ran_on(executor, flag) == flag
    assert await ran_on(executor, "of a newer version") == executor


@pytest.mark.parametrize(("executors", "kept"), [((), None), (EXECUTORS, "langgraph")])
async def test_a_flag_names_only_what_is_there_and_a_resumed_turn_keeps_it(
    database: FreshDatabase, executors: tuple[str, ...], kept: str | None
) -> None:
    async with Database(database.server) as pool:
        world = postgres_world(database.owner, pool)
        caller = await world.user(Plan(name="team", display_name="Team"))
        prepare = TurnPreparation(
            conversations=world.conversations,
            plans=world.plans,
            models=OfferedModels.of_settings("fake", (), has_provider=True),
            flags=OpenFeatureFlags(file_provider({"executor": Rule(value="langgraph")}), ()),
            executors=executors,
        )
        turn_id = new_uuid()
        request = TurnRequest(
            caller=caller,
            trace_id=await world.trace(caller),
            session_id=new_uuid(),
            turn_id=turn_id,
            prompt="why?",
        )
        await world.conversations.accept_turn(await prepare(request))
        attempts = [await world.conversations.start_turn(turn_id, owner=owner) for owner in ("o1", "o2")]
    assert [one and flags_of(one.context).executor for one in attempts] == [kept, kept]
    assert [one and one.attempt for one in attempts] == [1, 2]


def flag_file(folder: Path, value: str) -> Mapping[str, str]:
    file = folder / "flags.toml"
    file.write_text(f'[executor]\nvalue = "{value}"\nshare = 0.5\n', encoding="utf-8")
    return {"flags": str(file)}


async def is_opened(settings: Settings) -> bool:
    opening = graph_server_of(
        settings,
        tokens=MemoryRunTokens(),
        workers=cast("Any", None),
        pictures=cast("Any", None),
        watched=Watching(prompts=prompt_file(settings)),
        invocations=MemoryInvocations(),
    )
    async with opening as there:
        return there is not None


async def test_a_server_for_graphs_is_there_for_a_flag_alone(tmp_path: Path) -> None:
    flags = flag_file(tmp_path, "langgraph")
    assert not await is_opened(load_settings(**THERE))
    assert not await is_opened(load_settings(**flags))
    assert await is_opened(load_settings(**THERE, **flags))
    with pytest.raises(ConfigError, match="LANGGRAPH_CALLBACK_URL"):
        await is_opened(load_settings(**THERE, **flags, port=0))


def test_a_file_that_names_a_server_which_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="FLAMECHAT_LANGGRAPH_URL"):
        flags_of_settings(load_settings(**flag_file(tmp_path, "langgraph")))
    assert flags_of_settings(load_settings(**THERE, **flag_file(tmp_path, "langgraph"))) is not None
    assert flags_of_settings(load_settings(**flag_file(tmp_path, "in_process"))) is not None
