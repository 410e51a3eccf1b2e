"""How many connections of PostgreSQL a served process takes, as docs/decisions/0022 has it: counted while turns run,
and while everything that asks for one waits for a lock.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import httpx
import psutil
import pytest
from psycopg import AsyncConnection, sql

from server.adapters.postgres import pool, turn_queue
from server.adapters.postgres.library_tables import SCHEMA
from tests.plugins.pooler import Pooled
from tests.plugins.postgres import FreshDatabase
from tests.server.edges.streams.asking import AI_SDK, DATA_STREAM, body, frames, texts
from tests.server.running_server import STACKS, RunningServer
from tests.server.talking import END, answer_text, ask, new_id
from tests.server.test_serve import serving

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]

OWN, OF_QUEUE, LISTENING, HEARTBEAT = pool.MAX_CONNECTIONS, turn_queue.CONNECTIONS, 2, 1
BOUND_S = 120
"""For whatever must come: only a bound, however busy the machine is."""

READS = OWN + OF_QUEUE
"""At once, while everything is locked: more than there are connections for."""

OURS = "looking on"
COUNT = "select count(*) from pg_stat_activity where datname = current_database() and application_name <> %s"

Count = Callable[[], Awaitable[int]]


def test_a_process_takes_twelve() -> None:
    assert OWN + OF_QUEUE + LISTENING + HEARTBEAT == 12


async def test_a_process_of_a_direct_connection(tmp_path: Path, database: FreshDatabase) -> None:
    urls = {"FLAMECHAT_DATABASE_URL": database.owner}
    async with await AsyncConnection.connect(database.owner, autocommit=True, application_name=OURS) as looking:

        async def count() -> int:
            row = await (await looking.execute(COUNT, [OURS])).fetchone()
            assert row is not None
            return int(row[0])

        with serving(tmp_path, **urls) as (_, address):
            assert await most_seen(address, count, database, OWN + OF_QUEUE + LISTENING + HEARTBEAT) == 12


async def test_a_process_whose_sessions_go_past_the_pooler(
    tmp_path: Path, database: FreshDatabase, pooled: Pooled
) -> None:
    urls = {
        "FLAMECHAT_DATABASE_URL": pooled(database.server, "transaction"),
        "FLAMECHAT_DATABASE_SESSION_URL": pooled(database.owner, "session"),
    }
    with serving(tmp_path, **urls) as (process, address):
        transactions, sessions = (taken_by(process.pid, url) for url in urls.values())
        assert await most_seen(address, transactions, database, OWN) == OWN
        assert await most_seen(address, sessions, database, OF_QUEUE + LISTENING + HEARTBEAT) == 6


async def test_a_process_that_has_a_pooler_of_transactions_alone_listens_by_none(
    tmp_path: Path, database: FreshDatabase, pooled: Pooled
) -> None:
    urls = {"FLAMECHAT_DATABASE_URL": pooled(database.owner, "transaction")}
    with serving(tmp_path, **urls) as (process, address):
        count = taken_by(process.pid, urls["FLAMECHAT_DATABASE_URL"])
        assert await most_seen(address, count, database, OWN + OF_QUEUE + HEARTBEAT) == 10


def taken_by(pid: int, url: str) -> Count:
    """Of a process to the port of a pooler, which shares what it has of the database among them."""
    port, process = httpx.URL(url).port, psutil.Process(pid)

    def count() -> int:
        found = process.net_connections(kind="tcp")
        return sum(
            one.status == psutil.CONN_ESTABLISHED and bool(one.raddr) and one.raddr.port == port for one in found
        )

    async def counted() -> int:
        return await anyio.to_thread.run_sync(count)

    return counted


async def most_seen(address: str, count: Count, database: FreshDatabase, expected: int) -> int:
    """The most connections that were counted at once, over turns of several clients, a time in which all that asks for
    a connection waits for a lock, and turns again."""
    seen = [0]

    async def look_on() -> None:
        while True:
            seen.append(await count())
            await anyio.sleep(0)

    async with httpx.AsyncClient(base_url=address, timeout=BOUND_S, trust_env=False) as http:
        stored = await http.post("/api/v1/traces", params={"name": "stacks.txt"}, content=STACKS)
        assert stored.status_code in (200, 201), stored.text
        trace_id = stored.json()["trace"]["traceId"]
        async with anyio.create_task_group() as looking:
            looking.start_soon(look_on)
            await turns_of_several(address, http, trace_id)
            async with (
                anyio.create_task_group() as reading,
                await AsyncConnection.connect(database.owner, application_name=OURS) as locking,
            ):
                await locking.execute(
                    sql.SQL("lock table public.chat_sessions, {}.procrastinate_jobs").format(sql.Identifier(SCHEMA))
                )
                for _ in range(READS):
                    reading.start_soon(http.get, "/api/v1/sessions")
                with anyio.fail_after(BOUND_S):
                    while max(seen) < expected:
                        await anyio.sleep(0)
            await turns_of_several(address, http, trace_id)
            looking.cancel_scope.cancel()
    return max(seen)


async def turns_of_several(address: str, http: httpx.AsyncClient, trace_id: str) -> None:
    """A turn each of two sockets and of two clients of streams, at once: all are answered."""
    server = RunningServer(address, None, http)  # type: ignore[arg-type]

    async def by_socket() -> None:
        async with server.session(trace_id) as socket:
            await ask(socket, "Which functions are slowest?")
            assert "read" in answer_text(await socket.until(*END))

    async def by_stream(path: str) -> None:
        got = await http.post(path, json=body(path, "Which functions are slowest?", chat=new_id(), traceId=trace_id))
        assert "read" in texts(path, frames(got)), got.text

    async with anyio.create_task_group() as asking:
        for path in (AI_SDK, DATA_STREAM):
            asking.start_soon(by_socket)
            asking.start_soon(by_stream, path)
