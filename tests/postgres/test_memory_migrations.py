"""What is remembered, in a PostgreSQL without the extension `vector`, and in a database that had memories before."""

import shutil
from pathlib import Path
from uuid import uuid4

import psycopg

from server.adapters.postgres.knowledge import PostgresKnowledge
from server.adapters.postgres.local_user import ensure_local_user
from server.adapters.postgres.memories import PostgresMemories
from server.adapters.postgres.migrations import migrate, read_migrations, sql_root
from server.adapters.postgres.pool import Database
from server.agent.memory.memory_texts import fact_memory
from server.ports.identity import Caller
from server.ports.memories import Sought
from server.testing.embedder import WordEmbedder
from server.turns.memory_keeping import MemoryKeeping
from server.turns.memory_search import MemorySearch
from server.turns.team_knowledge import TeamKnowledge
from tests.plugins.postgres import FreshDatabase

VERSIONS = [migration.version for migration in read_migrations(sql_root() / "migrations")]
MARKED = "20261129000000"


async def test_without_the_extension_everything_is_found_by_words(
    empty_database: FreshDatabase, tmp_path: Path
) -> None:
    root = Path(shutil.copytree(sql_root(), tmp_path / "supabase"))
    made = next((root / "migrations").glob("*_memory_embeddings.sql"))
    text = made.read_text(encoding="utf-8")
    assert "v.name = 'vector'" in text
    made.write_text(text.replace("v.name = 'vector'", "v.name = 'none of this name'"), encoding="utf-8")
    assert await migrate(empty_database.owner, bootstrap=True, root=root) == VERSIONS
    user_id = str(uuid4())
    caller = Caller(user_id=user_id, account_id=await ensure_local_user(empty_database.owner, user_id))
    embedder = WordEmbedder()
    async with Database(empty_database.server) as database:
        memories, documents = PostgresMemories(database), PostgresKnowledge(database)
        fact = fact_memory("requests stay under 300 ms")
        await memories.add(caller, [fact])
        knowledge = TeamKnowledge(documents, [embedder], patience_s=30)
        await knowledge.add(caller, "runbook.md", b"# Restart\n\nDrain the queue first.")
        await MemoryKeeping(memories, embedder, knowledge=documents).sync()
        found = await MemorySearch(memories, [embedder], patience_s=30).search(caller, Sought(query="slow requests"))
        assert [(one.memory.text, one.has_cosine) for one in found] == [(fact.text, False)]
        row = (await memories.listed(caller, limit=1))[0]
        assert (await memories.rewrite(caller, row.memory_id, fact_memory("we ship on Fridays"))).text
        assert (await knowledge.search(caller, "which queue is drained", limit=3))[0].heading == "Restart"
        (vector,) = await embedder.embed(["queue"])
        assert await documents.near(caller, vector, most=3) == []
        assert not memories.has_vectors
        assert not await documents.is_complete(caller, embedder.model)
    with psycopg.connect(empty_database.owner) as owner:
        tables = owner.execute("select to_regclass('memory_embeddings'), to_regclass('knowledge_embeddings')")
        assert tables.fetchone() == (None, None)


async def test_facts_of_before_are_made_again_with_their_marks(empty_database: FreshDatabase) -> None:
    before = [version for version in VERSIONS if version < MARKED]
    await migrate(empty_database.owner, bootstrap=True, only=before)
    user_id = str(uuid4())
    caller = Caller(user_id=user_id, account_id=await ensure_local_user(empty_database.owner, user_id))
    with psycopg.connect(empty_database.owner) as owner:
        owner.execute(
            "insert into core_memories (account_id, text, version, memory_version) values (%s, %s, 3, 3)",
            [caller.account_id, "Harbor owns the billing service"],
        )
        owner.execute(
            "insert into memories (account_id, kind, text, source, source_key, meaning) "
            "values (%s, 'fact', 'Harbor owns the billing service', 'core_memory', 'fact:x', 'x')",
            [caller.account_id],
        )
        owner.execute(
            "insert into memories (account_id, kind, text, source, source_key, meaning) "
            "values (%s, 'finding', 'locks take 30 %%', 'finding', 'finding:x', 'x')",
            [caller.account_id],
        )
    await migrate(empty_database.owner, bootstrap=True)
    async with Database(empty_database.server) as database:
        store = PostgresMemories(database)
        assert await MemoryKeeping(store).sync() == 1
        assert {row.text for row in await store.listed(caller, limit=9)} == {
            "Harbor owns the billing service",
            "locks take 30 %",
        }
        found = await MemorySearch(store).search(caller, Sought(query="wer ist für Rechnungen zuständig?"))
        assert [one.memory.text for one in found] == ["Harbor owns the billing service"]
