"""How long a search of memories takes among other accounts, what a turn's setup grows by, and what the server's
process holds for it. On a table of 41,000 findings with made vectors: those of one direction in sixteen lie together,
as texts about one thing do."""

import struct
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from uuid import UUID, uuid4

import numpy as np
from psycopg import AsyncConnection
from psycopg.types.json import Jsonb

from bench.remembered_sets import Question, first_sets
from server.adapters.postgres.core_memory import PostgresCoreMemory
from server.adapters.postgres.local_user import ensure_local_user
from server.adapters.postgres.memories import PostgresMemories
from server.adapters.postgres.pool import Database
from server.ports.conversations import TurnKind, TurnRow, TurnStatus
from server.ports.embedder import Embedder
from server.ports.identity import Caller
from server.ports.memories import NewMemory, Sought, Vector
from server.turns.account_memory import AccountMemory
from server.turns.memory_search import MemorySearch

DIMENSIONS = 512
INDEX = "public.memory_embeddings_near_512"
"""Made once all vectors are there: to add to it one by one takes ten times as long."""

OTHERS, SMALL, LARGE = 20, 1_000, 20_000
REPEATS = 40
ASKED_MS = {SMALL: 15, LARGE: 40}
SETUP_MS = {True: 40, False: 8}
"""With an embedder, and without."""

MADE = "made"


@dataclass(frozen=True, slots=True)
class MadeVectors:
    """An Embedder that costs nothing: what a search takes without the embedding is seen alone."""

    random: np.random.Generator
    model: str = MADE

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [Vector(model=MADE, values=tuple(map(float, one))) for one in unit_vectors(self.random, len(texts))]

    async def close(self) -> None:
        return None


def unit_vectors(random: np.random.Generator, number: int) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """Rows of length 1 about sixteen directions, which are the same each time."""
    directions = np.random.default_rng(16).standard_normal((16, DIMENSIONS))
    values = directions[random.integers(0, 16, number)] + random.standard_normal((number, DIMENSIONS))
    rows: np.ndarray[tuple[int, int], np.dtype[np.float64]] = values / np.linalg.norm(values, axis=1, keepdims=True)
    return rows


async def print_speed(database: Database, owner_dsn: str) -> None:
    """The table is filled first, which takes a minute or two, most of it for the index."""
    random = np.random.default_rng(20)
    asked = first_sets()[0]
    began = time.perf_counter()
    small, large = await _account(owner_dsn), await _account(owner_dsn)
    async with await AsyncConnection.connect(owner_dsn, autocommit=True) as owner:
        made = await (await owner.execute("select pg_get_indexdef(%s::regclass)", [INDEX])).fetchone()
        assert made is not None
        await owner.execute(f"drop index {INDEX}".encode())
        for caller in (small, *[await _account(owner_dsn) for _ in range(OTHERS)]):
            await _fill(owner, caller, asked.memories, SMALL, random)
        await _fill(owner, large, asked.memories, LARGE, random)
        filled = time.perf_counter()
        await owner.execute("set maintenance_work_mem = '256MB'")
        await owner.execute(made[0].encode())
        await owner.execute("vacuum analyze public.memories")
        await owner.execute("vacuum analyze public.memory_embeddings")
    took = time.perf_counter()
    print(
        f"\n{LARGE + (OTHERS + 1) * SMALL:,} memories in {filled - began:.0f} s, their index in {took - filled:.0f} s"
    )
    print(f"a search beside {OTHERS} other accounts of {SMALL:,}: milliseconds, median of {REPEATS}\n")
    before = _resident_mb()
    for number, caller in ((SMALL, small), (LARGE, large)):
        await _print_search(PostgresMemories(database), caller, number, asked.questions, random)
    print(f"\nthe server's process grew by {_resident_mb() - before:.1f} MB over these (20 asked)", flush=True)


async def print_setup(database: Database, caller: Caller, embedder: Embedder | None, asked: Sequence[Question]) -> None:
    """What a turn's setup takes for what is remembered: facts, earlier words and what is near to its prompt, the
    embedding among it."""
    search = MemorySearch(PostgresMemories(database), () if embedder is None else (embedder,), patience_s=60)
    memory = AccountMemory(PostgresCoreMemory(database), search=search)
    took = []
    for one in asked:
        turn = _turn(caller, one.asks)
        took.append(await _timed(memory.for_turn(turn, caller, _nothing_copied)))
    name = "words" if embedder is None else embedder.model
    print(f"{name:24} setup grows by {median(took):.1f} ms ({SETUP_MS[embedder is not None]} asked)", flush=True)


async def _nothing_copied(text: str) -> frozenset[str]:
    return frozenset()


def _turn(caller: Caller, prompt: str) -> TurnRow:
    return TurnRow(
        turn_id=str(uuid4()),
        session_id=str(uuid4()),
        trace_id=str(uuid4()),
        account_id=caller.account_id,
        user_id=caller.user_id,
        kind=TurnKind.PROMPT,
        status=TurnStatus.RUNNING,
        prompt=prompt,
        model=None,
        context={},
        attempt=1,
        handed_over=0,
        cancel_requested=False,
        plan_name="free",
        messages_used=0,
        messages_limit=None,
        created_at=datetime.now(UTC),
    )


async def _print_search(
    store: PostgresMemories, caller: Caller, number: int, asked: Sequence[Question], random: np.random.Generator
) -> None:
    for name, embedders in (("words and meaning", [MadeVectors(random)]), ("words alone", [])):
        search = MemorySearch(store, embedders, patience_s=60)
        questions = [*asked] * (1 + REPEATS // len(asked))
        for one in questions[:8]:  # a connection prepares its statements
            await search.search(caller, Sought(query=one.asks), limit=3)
        used = time.process_time()
        took = [await _timed(search.search(caller, Sought(query=one.asks), limit=3)) for one in questions[:REPEATS]]
        used = (time.process_time() - used) * 1000 / REPEATS
        print(
            f"account of {number:>6,}, {name:17} {median(took):6.1f} ms ({ASKED_MS[number]} asked; the slowest tenth"
            f" {sorted(took)[-REPEATS // 10]:.1f}), of it {used:.1f} ms of the server's processor",
            flush=True,
        )


async def _timed(work: Awaitable[object]) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    await work
    return (time.perf_counter() - began) * 1000


async def _account(owner_dsn: str) -> Caller:
    user_id = str(uuid4())
    return Caller(user_id=user_id, account_id=await ensure_local_user(owner_dsn, user_id))


async def _fill(
    owner: AsyncConnection, caller: Caller, memories: Sequence[NewMemory], number: int, random: np.random.Generator
) -> None:
    """So many findings, each with a word of its own and a vector."""
    ids = [uuid4() for _ in range(number)]
    now = datetime.now(UTC)
    async with owner.cursor().copy(
        "copy public.memories (id, account_id, kind, source, source_key, text, meaning, words, metadata, anchors,"
        " created_at) from stdin"
    ) as copy:
        for at, memory_id in enumerate(ids):
            one = memories[at % len(memories)]
            text = f"{one.text[:1900]} run{at}"
            metadata = Jsonb(dict(one.metadata))
            row = (memory_id, caller.account_id, one.kind.value, one.source, f"k{at}", text, one.meaning, one.words)
            await copy.write_row((*row, metadata, list(one.anchors), now))
    columns = "memory_id, model, account_id, dimensions, embedding"
    async with owner.cursor().copy(
        f"copy public.memory_embeddings ({columns}) from stdin (format binary)".encode()
    ) as copy:
        await copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
        halves = unit_vectors(random, number).astype(">f2")
        for memory_id, values in zip(ids, halves, strict=True):
            vector = struct.pack("!hh", DIMENSIONS, 0) + values.tobytes()
            account = UUID(caller.account_id).bytes
            fields = (memory_id.bytes, MADE.encode(), account, struct.pack("!i", DIMENSIONS), vector)
            await copy.write(
                struct.pack("!h", len(fields)) + b"".join(struct.pack("!i", len(one)) + one for one in fields)
            )
        await copy.write(struct.pack("!h", -1))


def _resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096 / 1e6
