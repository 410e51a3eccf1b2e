"""Prompts that wait for a decision take nobody else's connection, and who finds none reads the true reason."""

from contextlib import AsyncExitStack

import anyio
import psycopg
import pytest

from server.adapters.postgres import pool as pools
from server.adapters.postgres.conversations import PostgresConversations
from server.adapters.postgres.pool import PREPARE_AFTER, PROMPT_CONNECTIONS, Database
from server.adapters.postgres.turn_queue import PostgresTurnQueue
from server.edges.http.problems import problem_of
from server.edges.ws.answers import answer_to
from server.errors import DatabaseBusy, DatabaseUnavailable
from server.ports.conversations import TurnRequest
from server.protocol.server import ProtocolError
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import Talk, new_uuid
from tests.plugins.worlds_on_postgres import postgres_world

BOUND_S = 20


async def test_reads_go_on_while_prompts_wait(database: FreshDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Database(database.server, max_connections=PROMPT_CONNECTIONS + 1) as found, AsyncExitStack() as prompts:
        for _ in range(PROMPT_CONNECTIONS):
            await prompts.enter_async_context(found.prompt_transaction())
        with anyio.fail_after(BOUND_S):
            with monkeypatch.context() as short:
                short.setattr(pools, "WAIT_SECONDS", 0.2)
                with pytest.raises(DatabaseBusy) as busy:
                    await prompts.enter_async_context(found.prompt_transaction())
            async with found.transaction() as connection:
                assert await (await connection.execute("select 1 as one")).fetchone() == {"one": 1}
    answer = problem_of(busy.value, instance="/")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, str(busy.value.retry_after_s))
    assert "cannot be reached" not in str(busy.value)
    sent = answer_to(busy.value)
    assert isinstance(sent, ProtocolError)
    assert sent.code == "busy"


async def test_a_pool_without_a_free_connection_is_busy_and_not_away(
    database: FreshDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as short:
        short.setattr(pools, "WAIT_SECONDS", 0.5)
        made = Database(database.server, max_connections=1)  # its pool waits so long; opening it may take longer
    async with made as found, found.transaction():
        with pytest.raises(DatabaseBusy), anyio.fail_after(BOUND_S):
            async with found.transaction():
                pass


async def test_a_table_that_a_newer_version_widens_costs_one_try_and_no_more(database: FreshDatabase) -> None:
    async def count(found: Database) -> int:
        async with found.transaction() as connection:
            return len(await (await connection.execute("select * from flamechat_private.widened")).fetchall())

    async with Database(database.server, min_connections=3) as found:
        with psycopg.connect(database.owner, autocommit=True) as owner:
            owner.execute("create table flamechat_private.widened (a int)")
            owner.execute("grant select on flamechat_private.widened to service_role")
            for _ in range(PREPARE_AFTER * 6):
                assert await count(found) == 0
            owner.execute("alter table flamechat_private.widened add b int")
            with pytest.raises(DatabaseUnavailable, match="changed"):
                await count(found)
            for _ in range(PREPARE_AFTER * 6):
                assert await count(found) == 0


async def test_where_one_stands_is_read_while_ones_prompt_is_decided(database: FreshDatabase) -> None:
    async with Database(database.server) as found:
        world = postgres_world(database.owner, found)
        caller = await world.user()
        with psycopg.connect(database.owner) as deciding:
            deciding.execute("select from user_subscriptions where user_id = %s for update", [caller.user_id])
            with anyio.fail_after(BOUND_S):
                assert (await world.conversations.limits(caller, None)).messages_used == 0


async def test_the_deciding_transaction_answers_with_the_place_in_the_queue(database: FreshDatabase) -> None:
    async with Database(database.server) as found, PostgresTurnQueue(database.server, at_once=1) as queue:
        world = postgres_world(database.owner, found)
        talk = await Talk.begin(world, await world.user())
        conversations = PostgresConversations(found, queue)

        async def ask(turn_id: str) -> int | None:
            request = TurnRequest(
                caller=talk.caller, trace_id=talk.trace_id, session_id=talk.session_id, turn_id=turn_id, prompt="why?"
            )
            reserved = await conversations.accept_turn(request, queue_behind=True)
            assert reserved.decision.allowed
            assert not reserved.has_ended
            return reserved.ahead

        first, second = new_uuid(), new_uuid()
        assert [await ask(first), await ask(second), await ask(first)] == [0, 1, 0]
