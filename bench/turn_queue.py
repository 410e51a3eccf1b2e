"""`python -m bench queue`: what PostgreSQL has to do for a turn, and how long one waits to be started.

Turns without words or tools, one at a time and many at once, over two servers on one database. Statements are those
that PostgreSQL logs; what an idle pair of servers asks is counted first and taken off by the second.
"""

import asyncio
import re
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from psycopg import AsyncConnection

from tests.soak.fleet import Fleet, fleet
from tests.soak.following import Follower
from tests.soak.speaking import Script, in_letters, speaking_endpoint

IDLE_S = 15.0
TURNS = 60
AT_ONCE = 12
TURN_S = 120.0
STARTS = re.compile(r"\bLOG:\s+(?:statement|execute [^:]*): ")
KINDS = {
    "queue": re.compile(r"procrastinate|run_turn", re.IGNORECASE),
    "checkpoints": re.compile(r"checkpoint", re.IGNORECASE),
    "transactions": re.compile(r"begin|commit|rollback|set |select set_config|savepoint|release", re.IGNORECASE),
    "events": re.compile(r"turn_events|pg_notify", re.IGNORECASE),
}
"""By the first that fits; the rest are conversations and traces."""

WAITS = """
select percentile_cont(array[0.5, 0.99, 1.0]) within group (order by extract(epoch from started_at - created_at) * 1000)
from chat_turns
"""


@dataclass(frozen=True, slots=True)
class Counted:
    statements: Counter[str]
    seconds: float


async def _counted(log: Path, start: int, began: float) -> Counted:
    """Statements by kind that were logged since the place `start`."""
    await asyncio.sleep(0.5)
    text = (await asyncio.to_thread(log.read_bytes))[start:].decode("utf-8", "replace")
    return Counted(Counter(map(_kind, STARTS.split(text)[1:])), time.monotonic() - began)


def _kind(statement: str) -> str:
    if KINDS["transactions"].match(statement):
        return "transactions"
    return next((kind for kind, pattern in KINDS.items() if pattern.search(statement)), "rows")


async def _asked(servers: Fleet, number: int, at_once: int) -> None:
    gate = asyncio.Semaphore(at_once)

    async def one(key: int) -> None:
        async with gate:
            script = Script(in_letters(key), words=1, looks=0)
            await Follower(servers.addresses, servers.trace_id, script).follow(TURN_S)

    await asyncio.gather(*(one(number) for number in range(number)))


async def _measured(folder: Path) -> None:
    async with (
        speaking_endpoint() as endpoint,
        fleet(folder, 2, model_url=endpoint.base_url, FLAMECHAT_TURNS_AT_ONCE="8") as servers,
    ):
        await _asked(servers, 8, 4)
        log = await _logged(servers)
        start, began = log.stat().st_size, time.monotonic()
        await asyncio.sleep(IDLE_S)
        idle = await _counted(log, start, began)
        print(f"idle, two servers, statements a second: {_rate(idle)}")
        for at_once in (1, AT_ONCE):
            await servers.select("delete from chat_sessions returning 1")
            start, began = log.stat().st_size, time.monotonic()
            await _asked(servers, TURNS, at_once)
            busy = await _counted(log, start, began)
            [(found,)] = await servers.select(WAITS)
            p50, p99, most = found
            print(
                f"{TURNS} turns, {at_once} at a time: to the start p50 {p50:.0f}, p99 {p99:.0f}, max {most:.0f} ms;"
                f" statements a turn: {_each(busy, idle)}"
            )


def _each(busy: Counted, idle: Counted) -> str:
    each = {
        kind: (number - idle.statements[kind] / idle.seconds * busy.seconds) / TURNS
        for kind, number in busy.statements.most_common()
    }
    return ", ".join(f"{kind} {number:.1f}" for kind, number in each.items())


def _rate(counted: Counted) -> str:
    return ", ".join(f"{kind} {n / counted.seconds:.1f}" for kind, n in counted.statements.items())


async def _logged(servers: Fleet) -> Path:
    """Let every statement be logged from now on; where to."""
    async with await AsyncConnection.connect(servers.postgres.owner_dsn, autocommit=True) as connection:
        await connection.execute("alter system set log_statement = 'all'")
        await connection.execute("select pg_reload_conf()")
    return servers.folder / "data" / "postgres" / "postgres.log"


def print_queue() -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measured(Path(folder)))
