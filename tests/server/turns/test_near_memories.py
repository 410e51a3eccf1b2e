"""What an account remembers stands next to a prompt only where it is near to it, and of another recording."""

from dataclasses import replace

from server.agent.memory.memory_texts import anchors_of
from server.ports.identity import Caller
from server.ports.memories import MemoryKind, NewMemory
from server.testing.account_state import MemoryAccounts
from server.testing.conversations import MemoryConversations
from server.testing.embedder import WordEmbedder
from server.testing.manual_clock import ManualClock
from server.testing.memories import MemoryMemories
from server.testing.trace_records import MemoryTraceRecords
from server.turns.memory_search import MOST_NEAR, MemorySearch
from tests.plugins.worlds import new_uuid
from tests.server.turns.test_lifecycle import ROW

NEAR = "the parser of invoices was slow because of regular expressions"
FAR = "lunch is at noon on Fridays for everybody"


async def searching(*texts: str, with_vectors: bool, trace_id: str | None = None) -> tuple[MemorySearch, Caller]:
    accounts, caller = MemoryAccounts(ManualClock()), Caller(user_id=new_uuid(), account_id=new_uuid())
    accounts.add(caller)
    traces = MemoryTraceRecords(accounts)
    store = MemoryMemories(accounts, traces, MemoryConversations(traces))
    embedder = WordEmbedder()
    await store.add(
        caller,
        [
            NewMemory(
                kind=MemoryKind.FINDING,
                source="finding",
                key=text,
                text=text,
                meaning=text,
                trace_id=trace_id,
                anchors=anchors_of(text),
            )
            for text in texts
        ],
    )
    if with_vectors:
        waiting = await store.without_vector(embedder.model, 50)
        vectors = await embedder.embed([one.meaning for one in waiting])
        await store.keep_vectors(dict(zip((one.memory_id for one in waiting), vectors, strict=True)))
    return MemorySearch(store, [embedder] if with_vectors else []), caller


async def near(search: MemorySearch, caller: Caller, prompt: str, **more: str) -> list[str]:
    turn = replace(ROW, prompt=prompt, **more)  # type: ignore[arg-type]
    return [one.memory.text for one in await search.near(caller, turn)]


async def test_with_vectors_what_is_near_by_meaning_is_shown_and_the_rest_is_not() -> None:
    search, caller = await searching(NEAR, FAR, with_vectors=True)
    assert await near(search, caller, "why is the parser of invoices slow because of expressions") == [NEAR]
    assert await near(search, caller, "what about giraffes") == []


async def test_without_vectors_two_names_that_both_have_make_it_near() -> None:
    text = "load_orders calls parse_json for each row"
    search, caller = await searching(text, with_vectors=False)
    assert await near(search, caller, "is load_orders slower than parse_json for each row?") == [text]
    assert await near(search, caller, "is load_orders slow for each row?") == []


async def test_what_is_of_the_same_recording_is_known_there_already() -> None:
    trace_id = new_uuid()
    search, caller = await searching(NEAR, with_vectors=True, trace_id=trace_id)
    assert await near(search, caller, NEAR) == [NEAR]
    assert await near(search, caller, NEAR, trace_id=trace_id) == []


async def test_at_most_three_are_shown() -> None:
    texts = [f"{NEAR} {number}" for number in range(MOST_NEAR + 2)]
    search, caller = await searching(*texts, with_vectors=True)
    assert len(await near(search, caller, NEAR)) == MOST_NEAR
