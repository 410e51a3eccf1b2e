"""`python -m bench scale`: what a turn costs with 10, 30 and 100 servers on one PostgreSQL, and where it stops.

A server is its relay with connections of its own; several share a process. Turns are replayed: they run, and are
listened to at another server, and say pieces of some ten tokens. No agent, no model and no socket runs. Each number of
servers begins with a piece of each turn in 10 s, of which statements, announcements and CPU are compared; then the pace
is doubled until pieces come late, twice. Two processes for all servers: one machine stands for many.
"""

import asyncio
import contextlib
import multiprocessing
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import psutil
import psycopg

from bench.scale_servers import Replayed, Round, Seen, simulate
from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.local_user import ensure_local_user
from server.adapters.postgres.migrations import migrate

SERVERS = (10, 30, 100)
TURNS_EACH = 50
PROCESSES = 2
ROUND_S = 10.0
MOST_PIECES = 64
LATE_MS = 1_000.0
"""p95 of a piece's way, past which it stops."""

TRIES = 2
"""Rounds at one pace: other programs of the machine may have spoilt the first."""

FLAT = 1.2
READY_S = 120.0
CONNECTIONS = "400"
"""Three of each server, and of whoever looks."""

_TURNS = """
with trace as (
    insert into traces (id, account_id, user_id, name, sha256, size_bytes, format, unit, summary, object_path)
    values (gen_random_uuid(), %(account)s, %(user)s, 'replayed', repeat('a', 64), 1, 'collapsed', 'none', '{}', 'none')
    returning id
), sessions as (
    insert into chat_sessions (id, account_id, user_id, trace_id)
    select gen_random_uuid(), %(account)s, %(user)s, trace.id from trace, generate_series(1, %(turns)s)
    returning id, trace_id
)
insert into chat_turns (id, session_id, account_id, user_id, trace_id, kind, status, ordinal, prompt, plan_name,
    messages_used, attempt, owner, started_at)
select gen_random_uuid(), id, %(account)s, %(user)s, trace_id, 'prompt', 'running', 1, 'why?', 'free', 1, 1, 'replay',
    now()
from sessions
returning id::text, session_id::text
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Of a round, for each turn in it."""

    statements: float
    announcements: float
    servers_ms: float
    postgres_ms: float


def print_scale() -> bool:
    """Print the figures; returns whether a turn costs at most 20 % more with more servers."""
    print(
        "\nreplayed turns on one PostgreSQL; delay from saying a piece of ten tokens to its listener, at another server"
    )
    print(f"\n{'servers':>7} {'turns':>6} {'pieces/s':>9} {'p50 ms':>8} {'p95 ms':>8} {'missing':>8} ", end="")
    print(
        f"{'statements':>11} {'announced':>10} {'servers ms':>11} {'PostgreSQL ms':>14} {'cores':>6}  (a turn in 10 s)"
    )
    firsts = {}
    with tempfile.TemporaryDirectory(prefix="flamechat-scale-") as folder:
        for servers in SERVERS:
            firsts[servers] = asyncio.run(_level(Path(folder) / f"postgres-{servers}", servers, servers * TURNS_EACH))
    flat = True
    for what in ("statements", "announcements", "servers_ms", "postgres_ms"):
        values = [float(getattr(cost, what)) for cost in firsts.values()]
        times = max(values) / max(values[0], 1e-9)
        flat = flat and times <= FLAT
        words = "holds" if times <= FLAT else "DOES NOT HOLD"
        shown = ", ".join(f"{value:.2f}" for value in values)
        print(f"{what} a turn: {shown}; at most {times:.2f} times that of {SERVERS[0]} servers (<= {FLAT}) {words}")
    return flat


async def _level(folder: Path, servers: int, turns: int) -> Cost:
    async with EmbeddedPostgres(folder, settings={"max_connections": CONNECTIONS}) as postgres:
        await migrate(postgres.owner_dsn, bootstrap=True)
        user = str(uuid.uuid4())
        account = await ensure_local_user(postgres.owner_dsn, user)
        replayed = await asyncio.to_thread(_made, postgres.owner_dsn, account, user, servers, turns)
        return await asyncio.to_thread(_rounds, postgres.server_dsn, replayed, servers, folder)


def _made(owner_dsn: str, account: str, user: str, servers: int, turns: int) -> list[Replayed]:
    with psycopg.connect(owner_dsn, autocommit=True) as owner:
        rows = owner.execute(_TURNS, {"account": account, "user": user, "turns": turns}).fetchall()
        owner.execute("analyze")
    return [
        Replayed(turn, session, owner=number % servers, listener=(number + 1 + number // servers) % servers)
        for number, (turn, session) in enumerate(rows)
    ]


def _rounds(server_dsn: str, turns: list[Replayed], servers: int, folder: Path) -> Cost:
    """Print each round, and return what the first cost."""
    postgres = psutil.Process(int(next(folder.rglob("postmaster.pid")).read_text(encoding="utf-8").split()[0]))
    first: Cost | None = None
    with _simulated(server_dsn, turns, servers) as processes:
        pieces, late = 1, 0
        while pieces <= MOST_PIECES:
            before, began = _spent(postgres), time.monotonic()
            for one in processes:
                one.send(Round(pieces, ROUND_S))
            seen: list[Seen] = [one.recv() for one in processes]
            database_s, elapsed = _spent(postgres) - before, time.monotonic() - began
            cost = Cost(
                statements=sum(one.statements for one in seen) / len(turns),
                announcements=sum(one.announcements for one in seen) / len(turns),
                servers_ms=1e3 * sum(one.cpu_s for one in seen) / len(turns),
                postgres_ms=1e3 * database_s / len(turns),
            )
            first = first or cost
            delays = sorted(delay for one in seen for delay in one.delays_ms)
            p50, p95 = (delays[int(len(delays) * share)] if delays else float("inf") for share in (0.5, 0.95))
            missing = sum(one.said for one in seen) - len(delays)
            cores = (database_s + sum(one.cpu_s for one in seen)) / elapsed
            print(
                f"{servers:7} {len(turns):6,} {len(turns) * pieces / ROUND_S:9,.0f} {p50:8.0f} {p95:8.0f} {missing:8,} "
                f"{cost.statements:11.2f} {cost.announcements:10.2f} {cost.servers_ms:11.2f} "
                f"{cost.postgres_ms:14.2f} {cores:6.2f} {len(turns) * pieces / database_s:9,.0f}",
                flush=True,
            )
            late = late + 1 if p95 > LATE_MS or missing else 0
            if late == TRIES:
                print(f"{servers:7} servers stop there: p95 above {LATE_MS:.0f} ms, or pieces that did not come")
                break
            pieces *= 1 if late else 2
    assert first is not None
    return first


@contextlib.contextmanager
def _simulated(server_dsn: str, turns: list[Replayed], servers: int) -> Iterator[list[Connection]]:
    """The processes' ends of their pipes, once every server is there."""
    fresh = multiprocessing.get_context("spawn")
    pipes, processes = [], []
    for part in range(PROCESSES):
        ours, theirs = fresh.Pipe()
        own = list(range(part, servers, PROCESSES))
        process = fresh.Process(target=simulate, args=(server_dsn, own, turns, theirs), daemon=True)
        process.start()
        pipes.append(ours)
        processes.append(process)
    try:
        for one in pipes:
            if not one.poll(READY_S):
                raise TimeoutError("the servers of a process did not start")
            one.recv()
        yield pipes
    finally:
        for one in pipes:
            with contextlib.suppress(OSError):
                one.send(None)
        for process in processes:
            process.join(30)
            process.kill()


def _spent(postgres: psutil.Process) -> float:
    """CPU seconds of PostgreSQL's processes that live."""
    spent = 0.0
    for one in (postgres, *postgres.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            times = one.cpu_times()
            spent += times.user + times.system
    return spent
