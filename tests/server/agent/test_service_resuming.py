"""A turn that another process goes on with, from the checkpoints of the one that died."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import StateGraph

from server.adapters.postgres.checkpoints import PostgresCheckpoints
from server.adapters.postgres.pool import Database
from server.adapters.postgres.turn_queue import PostgresTurnQueue
from server.agent.graph import compiled_graph
from server.agent.graph.compiled_graph import LIMITS, Checkpoints
from server.agent.graph.state import STATE_VERSION, TurnState
from server.errors import DatabaseUnavailable
from server.protocol.events import ModelChunkStart, TurnEvent, TurnStarted
from tests.openai_endpoint import Reply, openai_endpoint
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import Talk
from tests.plugins.worlds_on_postgres import postgres_world
from tests.server.agent.turns import RecordingSink, Stage, endpoint_models, stage
from tests.soak.speaking import Script, speaking_endpoint

TURN = str(uuid4())
LOOKING = Reply(text="Let me look.", calls=(("get_top_functions", "{}"), ("generate_flamegraph_screenshot", "{}")))
CUT_OFF = Reply(text="half an answer that nobody", fault="hang")
ANSWER = Reply(text="[`parse_json`](#f2) dominates with 60.0% (600 ms).")


@pytest.fixture(params=["memory", "postgres"])
def own_database(request: pytest.FixtureRequest) -> FreshDatabase | None:
    if request.param == "memory":
        return None
    found = request.getfixturevalue("database")
    assert isinstance(found, FreshDatabase)
    return found


@pytest.fixture
async def checkpoints(own_database: FreshDatabase | None) -> AsyncIterator[Checkpoints]:
    if own_database is None:
        saver = InMemorySaver()
        yield lambda: saver
    else:
        async with PostgresTurnQueue(own_database.server, at_once=1) as queue:
            yield PostgresCheckpoints(queue.pool)


async def killed_while_saying(scene: Stage, text: str) -> None:
    """Run the turn until it has said this, then stop it where it is."""
    running = asyncio.create_task(scene.agent.answer(scene.turn, scene.sink))
    async with asyncio.timeout(60):
        while not any(text in said for said in scene.sink.text.values()):
            assert not running.done()
            await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_turn_goes_on_after_its_last_complete_step_and_repeats_nothing(checkpoints: Checkpoints) -> None:
    async with openai_endpoint(LOOKING, CUT_OFF, ANSWER) as endpoint:
        died = stage(endpoint_models(endpoint.base_url), checkpoints=checkpoints, turn_id=TURN)
        await killed_while_saying(died, "half")
        heir = stage(endpoint_models(endpoint.base_url), checkpoints=checkpoints, turn_id=TURN, attempt=2)
        answer = await heir.agent.answer(heir.turn, heir.sink)

    assert len(endpoint.requests) == 3
    assert endpoint.roles(2)[:5] == ["system", "user", "assistant", "tool", "tool"]
    kept = heir.sink.restored
    assert [event.type for event in kept] == ["model_chunk_start", *["tool_start"] * 2, *["tool_result"] * 2]
    assert isinstance(kept[0], ModelChunkStart)
    assert kept[0].chunk == "Let me look."
    assert heir.sink.events[0] == TurnStarted(attempt=2, model="fake", prompt_version=answer.prompt_version)
    assert list(heir.sink.text.values()) == [answer.text] == [ANSWER.text]
    assert (answer.usage.model_calls, answer.usage.tool_calls) == (2, 2)
    assert {check.status for check in answer.checks} == {"verified"}


async def test_a_turn_that_died_before_its_first_step_begins_again(checkpoints: Checkpoints) -> None:
    async with openai_endpoint(ANSWER) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url), checkpoints=checkpoints, turn_id=TURN, attempt=2)
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert scene.sink.restored == []
    assert answer.text == ANSWER.text


async def test_an_answer_that_was_complete_but_not_stored_is_not_asked_for_again(checkpoints: Checkpoints) -> None:
    async with openai_endpoint(LOOKING, ANSWER) as endpoint:
        first = stage(endpoint_models(endpoint.base_url), checkpoints=checkpoints, turn_id=TURN)
        answer = await first.agent.answer(first.turn, first.sink)
        heir = stage(endpoint_models(endpoint.base_url), checkpoints=checkpoints, turn_id=TURN, attempt=2)
        assert await heir.agent.answer(heir.turn, heir.sink) == answer
    assert len(endpoint.requests) == 2


class LostOnce(InMemorySaver):
    """The database goes away at its `at`th checkpoint, before or after it was written."""

    def __init__(self, at: int, *, written: bool) -> None:
        super().__init__()
        self._at = at
        self._written = written
        self.seen = 0

    async def aput(self, *args: Any, **kwargs: Any) -> Any:
        self.seen += 1
        if self.seen == self._at and not self._written:
            raise DatabaseUnavailable("The database cannot be reached.")
        put = await super().aput(*args, **kwargs)
        if self.seen == self._at:
            raise DatabaseUnavailable("The database cannot be reached.")
        return put


def always(saver: InMemorySaver) -> Checkpoints:
    return lambda: saver


@pytest.mark.parametrize("written", [False, True])
@pytest.mark.long
async def test_wherever_a_turn_is_cut_off_between_its_steps_the_next_attempt_says_the_rest(*, written: bool) -> None:
    script = Script("anna", words=5, every_ms=0.1)
    async with speaking_endpoint() as endpoint:
        for at in range(1, 30):
            saver = LostOnce(at, written=written)
            endpoint.calls.clear()
            scene = stage(endpoint_models(endpoint.base_url), checkpoints=always(saver), prompt=script.prompt)
            try:
                await scene.agent.answer(scene.turn, scene.sink)
            except DatabaseUnavailable:
                heir = stage(
                    endpoint_models(endpoint.base_url),
                    checkpoints=always(saver),
                    prompt=script.prompt,
                    attempt=2,
                )
                answer = await heir.agent.answer(heir.turn, heir.sink)
                restored = [event.chunk for event in heir.sink.restored if isinstance(event, ModelChunkStart)]
                assert [*restored, *heir.sink.text.values()] == script.texts, at
                assert answer.text == script.texts[-1]
                assert endpoint.calls["anna"] <= script.looks + 2
            else:
                break
    assert at > 5


class OvertakenWhileItSpeaks(RecordingSink):
    """Another server takes the turn up while this attempt says its first words."""

    def __init__(self, database: FreshDatabase) -> None:
        super().__init__()
        self._database = database

    async def emit(self, event: TurnEvent) -> None:
        await super().emit(event)
        if isinstance(event, ModelChunkStart):
            async with await psycopg.AsyncConnection.connect(self._database.owner, autocommit=True) as owner:
                await owner.execute("update chat_turns set attempt = 2")


async def test_an_attempt_that_was_overtaken_leaves_no_checkpoint(database: FreshDatabase) -> None:
    async with (
        Database(database.server) as pool,
        PostgresTurnQueue(database.server, at_once=1) as queue,
        openai_endpoint(ANSWER) as endpoint,
    ):
        world = postgres_world(database.owner, pool)
        talk, turn_id = await Talk.begin(world, await world.user()), str(uuid4())
        await talk.ask(turn_id)
        async with await psycopg.AsyncConnection.connect(database.owner, autocommit=True) as owner:
            await owner.execute("update chat_turns set attempt = 1")
            count = (
                "select count(*) from flamechat_private.checkpoints "
                "where checkpoint -> 'channel_values' ->> 'answer_id' is not null"
            )
            scene = stage(
                endpoint_models(endpoint.base_url), checkpoints=PostgresCheckpoints(queue.pool), turn_id=turn_id
            )
            with pytest.raises(DatabaseUnavailable):
                await scene.agent.answer(scene.turn, OvertakenWhileItSpeaks(database))
            assert await (await owner.execute(count)).fetchone() == (0,)


def test_limits_sent_by_two_attempts_within_one_step_are_those_of_the_last() -> None:
    channels = StateGraph(TurnState).channels
    for name in LIMITS:
        channel: Any = channels[name]
        assert channel.update([1, 2])
        assert channel.get() == 2


async def test_a_turn_that_another_version_has_checkpointed_begins_again(
    checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with openai_endpoint(LOOKING, CUT_OFF, ANSWER) as endpoint:
        with monkeypatch.context() as older:
            older.setattr(compiled_graph, "STATE_VERSION", STATE_VERSION - 1)
            died = stage(endpoint_models(endpoint.base_url), checkpoints=checkpoints, turn_id=TURN)
            await killed_while_saying(died, "half")
        heir = stage(endpoint_models(endpoint.base_url), checkpoints=checkpoints, turn_id=TURN, attempt=2)
        answer = await heir.agent.answer(heir.turn, heir.sink)

    assert endpoint.roles(2) == ["system", "user"], "of the older steps nothing is sent"
    assert heir.sink.restored == []
    assert (answer.text, answer.usage.model_calls, answer.usage.tool_calls) == (ANSWER.text, 1, 0)
