"""The ports of rows over PostgreSQL, and the fixture by which the contract suites run over both."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any

import pytest
from psycopg import AsyncConnection, sql

from limits.plans import Plan
from server.adapters.postgres.conversations import PostgresConversations
from server.adapters.postgres.core_memory import PostgresCoreMemory
from server.adapters.postgres.evaluations import PostgresEvaluations
from server.adapters.postgres.gates import PostgresGates
from server.adapters.postgres.history import PostgresHistory
from server.adapters.postgres.invocations import PostgresInvocations
from server.adapters.postgres.kept_views import PostgresKeptViews
from server.adapters.postgres.knowledge import PostgresKnowledge
from server.adapters.postgres.local_user import account_of
from server.adapters.postgres.memories import PostgresMemories
from server.adapters.postgres.notes import PostgresNotes
from server.adapters.postgres.plans import PostgresPlans
from server.adapters.postgres.pool import Database
from server.adapters.postgres.program_keys import PostgresProgramKeys, PostgresRenderQuota
from server.adapters.postgres.run_tokens import PostgresRunTokens
from server.adapters.postgres.saved_questions import PostgresSavedQuestions
from server.adapters.postgres.teams import PostgresTeams
from server.adapters.postgres.trace_records import PostgresTraceRecords
from server.adapters.postgres.watched_files import PostgresWatchedFiles
from server.ports.identity import Caller
from tests.plugins.postgres import PROJECT, FreshDatabase
from tests.plugins.worlds import World, memory_world, new_uuid

Owner = str | AsyncConnection[Any]
"""Of a database: how they log in, or a connection that commits each statement by itself."""


@pytest.fixture(scope="module")
async def connections(crowded_database: FreshDatabase) -> AsyncIterator[tuple[AsyncConnection[Any], Database]]:
    """The owner's and the server's, for all tests of a module: to log in, to read the catalogue and to plan each
    statement anew is most of what such a test costs. The tests share a loop, too."""
    owner = await AsyncConnection.connect(crowded_database.owner, autocommit=True)
    async with owner, Database(crowded_database.server) as database:
        yield owner, database


@pytest.fixture
async def project_world(project_database: FreshDatabase) -> AsyncIterator[World]:
    # A project's address may be that of a pooler of transactions.
    async with Database(project_database.server, pooler=True) as database:
        yield postgres_world(project_database.owner, database)


@pytest.fixture(params=["memory", "postgres", *(["real project"] if all(PROJECT.values()) else [])])
def world(request: pytest.FixtureRequest) -> World:
    """Asks for a database only where one is used."""
    if request.param == "memory":
        return memory_world()
    if request.param == "postgres":
        return postgres_world(*request.getfixturevalue("connections"))
    found: World = request.getfixturevalue("project_world")
    return found


@asynccontextmanager
async def connected(owner: Owner) -> AsyncIterator[AsyncConnection[Any]]:
    if isinstance(owner, AsyncConnection):
        yield owner
        return
    async with await AsyncConnection.connect(owner) as connection:
        yield connection


def postgres_world(owner: Owner, database: Database) -> World:
    async def new_user() -> Caller:
        user_id = new_uuid()
        async with connected(owner) as connection:
            return Caller(user_id=user_id, account_id=await account_of(connection, user_id))

    async def put_on(caller: Caller, plan: Plan) -> None:
        async with connected(owner) as connection:
            await save_plan(connection, plan)
            await connection.execute(
                "update user_subscriptions set status = 'active', plan_id = "
                "(select id from subscription_plans where name = %s) where user_id = %s",
                [plan.name, caller.user_id],
            )

    async def let_expire(interrupt_id: str) -> None:
        async with connected(owner) as connection:
            await connection.execute(
                "update chat_turns set interrupt_expires_at = now() - interval '1 s' where interrupt_id = %s",
                [interrupt_id],
            )

    async def join(host: Caller, guest: Caller) -> None:
        async with connected(owner) as connection:
            await connection.execute(
                "insert into account_members (account_id, user_id, role) values (%s, %s, 'member')",
                [host.account_id, guest.user_id],
            )

    async def leave(caller: Caller) -> None:
        async with connected(owner) as connection:
            await connection.execute(
                "delete from account_members where account_id = %s and user_id = %s",
                [caller.account_id, caller.user_id],
            )

    async def confirm(user_id: str, address: str) -> None:
        async with connected(owner) as connection:
            await connection.execute(
                "update auth.users set email = %s, email_confirmed_at = now() where id = %s", [address, user_id]
            )

    async def let_invitation_expire(invitation_id: str) -> None:
        async with connected(owner) as connection:
            await connection.execute("update account_invitations set expires_at = now() where id = %s", [invitation_id])

    return World(
        PostgresConversations(database),
        PostgresTraceRecords(database),
        PostgresPlans(database),
        PostgresCoreMemory(database),
        new_user,
        put_on,
        PostgresInvocations(database),
        PostgresNotes(database),
        let_expire,
        join,
        PostgresKeptViews(database),
        PostgresWatchedFiles(database),
        PostgresHistory(database),
        PostgresProgramKeys(database),
        PostgresRenderQuota(database),
        PostgresGates(database),
        leave,
        PostgresTeams(database),
        PostgresMemories(database),
        PostgresKnowledge(database),
        confirm,
        let_invitation_expire,
        PostgresSavedQuestions(database),
        PostgresEvaluations(database),
        PostgresRunTokens(database),
    )


async def save_plan(connection: AsyncConnection[Any], plan: Plan) -> None:
    """Make the row of `subscription_plans` say what the plan says."""
    row = asdict(plan) | {"hidden_tools": list(plan.hidden_tools), "chat_models": list(plan.chat_models)}
    del row["is_retired"]
    row["price_monthly"] = row.pop("price_monthly_cents") / 100
    cents = row.pop("monthly_cost_limit_cents")
    row["monthly_cost_limit_usd"] = None if cents is None else cents / 100
    names = sql.SQL(", ").join(map(sql.Identifier, row))
    places = sql.SQL(", ").join(map(sql.Placeholder, row))
    insert = "insert into subscription_plans ({0}) values ({1}) on conflict (name) do update set ({0}) = row ({1})"
    await connection.execute(sql.SQL(insert).format(names, places), row)
