"""Findings, answers and facts become memories next to uploads and answers."""

import asyncio
from collections.abc import Sequence

import pytest

from server.errors import ServiceUnavailable
from server.ports.identity import Caller
from server.ports.memories import FactsToRemember, MemoryKind, Sought, TraceToRemember, TurnToRemember, Untaken, Vector
from server.testing.account_state import MemoryAccounts
from server.testing.conversations import MemoryConversations
from server.testing.embedder import WordEmbedder
from server.testing.knowledge import MemoryKnowledge
from server.testing.manual_clock import ManualClock
from server.testing.memories import MemoryMemories
from server.testing.trace_records import MemoryTraceRecords
from server.turns.memory_keeping import MemoryKeeping
from server.turns.memory_search import MemorySearch
from server.turns.team_knowledge import TeamKnowledge
from tests.plugins.worlds import new_uuid


def store_of(*subjects: Untaken) -> tuple[MemoryMemories, Caller]:
    caller = Caller(user_id=new_uuid(), account_id=subjects[0].account_id)
    accounts = MemoryAccounts(ManualClock())
    accounts.add(caller)
    traces = MemoryTraceRecords(accounts)
    store = MemoryMemories(accounts, traces, MemoryConversations(traces))
    store.subjects.extend(subjects)
    return store, caller


def facts(*lines: str) -> FactsToRemember:
    return FactsToRemember(account_id="a", version=len(lines), facts=lines)


async def test_findings_of_a_trace_become_memories_with_their_vectors() -> None:
    findings = [{"id": "locks", "severity": "medium", "detail": '30.6% is taking locks, most in "acquire" (f2)'}]
    store, caller = store_of(
        TraceToRemember(trace_id="t", account_id="a", name="pool.json", summary={"findings": findings})
    )
    keeping = MemoryKeeping(store, WordEmbedder())
    assert await keeping.sync() == 1
    assert await store.without_vector("words", 9) == []
    found = await MemorySearch(store).search(caller, Sought(query="who takes locks in the pool?"))
    assert [one.memory.text for one in found] == [findings[0]["detail"]]
    assert await keeping.sync() == 0


async def test_an_answer_is_its_persons_own_with_what_it_cites() -> None:
    store, caller = store_of(facts("x"))
    turn = TurnToRemember(
        turn_id="turn",
        account_id="a",
        user_id=caller.user_id,
        session_id=new_uuid(),
        trace_id="t",
        prompt="what is slow?",
        answer="[379 ms](#f12.self) lie in the parser. " + "word " * 300,
        citations=[{"name": "parse_json", "file": "json.py"}],
    )
    store.subjects[:] = [turn]
    await MemoryKeeping(store).sync()
    kept = next(iter(store.kept()))
    assert kept.kind is MemoryKind.ANSWER
    assert kept.is_own
    assert len(kept.text) < 700
    assert kept.text.startswith("379 ms lie in the parser.")
    assert kept.text.endswith("(cites parse_json json.py)")


async def test_of_two_facts_that_say_the_same_one_is_kept_and_of_two_that_differ_both() -> None:
    store, caller = store_of(
        facts("requests must stay under 300 ms", "requests must stay under 300 ms.", "requests must stay under 500 ms")
    )
    keeping = MemoryKeeping(store)
    await keeping.sync()
    rows = {row.text: row for row in await store.listed(caller, limit=9)}
    assert set(rows) == {"requests must stay under 300 ms", "requests must stay under 500 ms"}
    older, newer = rows["requests must stay under 300 ms"], rows["requests must stay under 500 ms"]
    assert older.superseded_by == newer.memory_id
    assert (keeping.counts["skipped"], keeping.counts["conflicts"]) == (1, 1)


async def test_a_fact_that_is_struck_takes_its_copy_along() -> None:
    store, caller = store_of(facts("we ship on Fridays", "the indexer is ours"))
    keeping = MemoryKeeping(store)
    await keeping.sync()
    store.subjects.append(FactsToRemember(account_id="a", version=3, facts=("the indexer is ours",)))
    await keeping.sync()
    assert [row.text for row in await store.listed(caller, limit=9)] == ["the indexer is ours"]


async def test_a_service_that_gives_no_vectors_leaves_memories_that_words_find() -> None:
    store, caller = store_of(facts("we ship on Fridays"))
    embedder = WordEmbedder()
    embedder.fails = True
    with pytest.raises(ServiceUnavailable):
        await MemoryKeeping(store, embedder).sync()
    found = await MemorySearch(store, [embedder]).search(caller, Sought(query="when do we ship?"))
    assert [one.memory.text for one in found] == ["we ship on Fridays"]


@pytest.mark.parametrize(
    ("prompt", "answer", "kept"),
    [
        ("remember that we ship on Fridays", "**Remember this?** we ship on Fridays.", []),
        ("When do we ship?", '**Remembered:** "we ship on Fridays".', []),
        ("which day did I mention?", '**You wrote earlier in this conversation:** "we ship on Fridays".', []),
        (
            "is `f` within our limit?",
            '**Over the limit: 9 ms.** Remembered: "it is \\"3\\" ms".',
            ["Over the limit: 9 ms."],
        ),
        ("what is slow?", '**First: `f`** (remembered: "we own f"). Then g.', ["First: f. Then g."]),
    ],
)
async def test_what_is_remembered_of_an_answer_holds_no_fact_that_may_be_struck(
    prompt: str, answer: str, kept: list[str]
) -> None:
    store, _ = store_of(facts("x"))
    turn = TurnToRemember(
        turn_id="turn",
        account_id="a",
        user_id=new_uuid(),
        session_id=new_uuid(),
        trace_id="t",
        prompt=prompt,
        answer=answer,
    )
    store.subjects[:] = [turn]
    await MemoryKeeping(store).sync()
    assert [one.text for one in store.kept()] == kept


async def test_documents_get_their_vectors_once_memories_have_theirs() -> None:
    store, caller = store_of(facts("we own the parser"))
    accounts = MemoryAccounts(ManualClock())
    accounts.add(caller)
    documents = MemoryKnowledge(accounts)
    await TeamKnowledge(documents).add(caller, "runbook.md", b"# Restart\n\nDrain the queue first.")
    embedder = WordEmbedder()
    await MemoryKeeping(store, embedder, knowledge=documents).sync()
    assert await store.is_complete(caller, embedder.model)
    assert await documents.is_complete(caller, embedder.model)
    await MemoryKeeping(store, knowledge=documents).sync()


class SilentEmbedder(WordEmbedder):
    """One that never answers."""

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        await asyncio.Event().wait()
        return await super().embed(texts)


@pytest.mark.parametrize(
    "query",
    [
        "when do we ship?",
        "ship " * 1_000,
        "wann liefern wir, ship",
        "我们 ship 什么时候",
        "ship\0\ud800 when",
        "ship_it OR ship",
    ],
)
async def test_a_slow_embedder_leaves_the_words_whatever_is_asked(query: str) -> None:
    store, caller = store_of(facts("we ship on Fridays", "the indexer is ours"))
    await MemoryKeeping(store, WordEmbedder()).sync()
    found = await MemorySearch(store, [SilentEmbedder()], patience_s=0.01).search(caller, Sought(query=query))
    assert (found[0].memory.text, found[0].has_cosine) == ("we ship on Fridays", False)


@pytest.mark.parametrize("query", ["", "  ", "?!", "\0"])
async def test_a_question_without_words_gives_the_newest(query: str) -> None:
    store, caller = store_of(facts("we ship on Fridays", "the indexer is ours"))
    await MemoryKeeping(store).sync()
    found = await MemorySearch(store).search(caller, Sought(query=query), limit=9)
    assert {one.memory.text for one in found} == {"we ship on Fridays", "the indexer is ours"}
