"""What every adapter of Memories does."""

from dataclasses import replace

import pytest

from server.agent.memory.memory_texts import fact_memory, finding_memories, turn_memory
from server.errors import NotAllowed, NotFound
from server.ports.conversations import Visibility
from server.ports.identity import Caller
from server.ports.memories import MemoryKind, NewMemory, Sought
from server.ports.teams import Role
from server.testing.embedder import WordEmbedder
from server.turns.memory_search import MemorySearch
from tests.plugins.worlds import Talk, World, new_uuid

EMBEDDER = WordEmbedder(same=[("checkout", "paying")])


def a_memory(text: str, *, kind: MemoryKind = MemoryKind.FACT, **more: str) -> NewMemory:
    return NewMemory(
        kind=kind,
        source="conversation" if kind is MemoryKind.TURN else "person",
        key=f"{kind}:{text}",
        text=text,
        meaning=text,
        **more,  # type: ignore[arg-type]
    )


async def texts(world: World, caller: Caller, query: str = "", **more: object) -> list[str]:
    found = await MemorySearch(world.memories).search(caller, Sought(query=query, **more), limit=20)  # type: ignore[arg-type]
    return [one.memory.text for one in found]


async def filled(world: World, caller: Caller) -> None:
    while waiting := await world.memories.without_vector(EMBEDDER.model, 50):
        vectors = await EMBEDDER.embed([one.meaning for one in waiting])
        ids = [one.memory_id for one in waiting]
        await world.memories.keep_vectors(dict(zip(ids, vectors, strict=True)))


async def test_a_memory_is_stored_once_and_found_by_its_words(world: World) -> None:
    caller = await world.user()
    memories = [a_memory("requests to the checkout stay under 300 ms"), a_memory("we ship on Fridays")]
    assert await world.memories.add(caller, memories) == 2
    assert await world.memories.add(caller, memories) == 0
    assert await texts(world, caller, "how slow may a request be?") == ["requests to the checkout stay under 300 ms"]
    assert set(await texts(world, caller)) == {one.text for one in memories}
    assert await texts(world, caller, "giraffes") == []


async def test_without_a_question_a_hundred_and_more_of_the_newest_are_there(world: World) -> None:
    caller = await world.user()
    await world.memories.add(caller, [a_memory(f"fact {at}") for at in range(120)])
    found = await world.memories.candidates(caller, Sought(query=""))
    assert len(found.found) == found.among == 120


async def test_another_account_and_another_persons_own_look_as_if_they_were_not_there(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    turn_id = await talk.exchange()
    host = talk.caller
    own = a_memory("I asked about the parser", kind=MemoryKind.TURN, session_id=talk.session_id, turn_id=turn_id)
    await world.memories.add(host, [own, a_memory("the parser is generated")])
    guest, stranger = await world.member(host), await world.user()
    assert set(await texts(world, host, "parser")) == {own.text, "the parser is generated"}
    assert await texts(world, guest, "parser") == ["the parser is generated"]
    assert await texts(world, stranger, "parser") == []
    assert await texts(world, replace(stranger, account_id=host.account_id), "parser") == []
    mine = next(row for row in await world.memories.listed(host, limit=9) if row.is_own)
    for other in (guest, stranger, replace(stranger, account_id=host.account_id)):
        for attempt in (
            world.memories.forget(other, mine.memory_id),
            world.memories.one(other, mine.memory_id),
            world.memories.rewrite(other, mine.memory_id, a_memory("stolen")),
        ):
            with pytest.raises(NotFound):
                await attempt
    with pytest.raises(NotFound):
        await world.memories.add(replace(stranger, account_id=host.account_id), [a_memory("planted")])
    assert await world.memories.forget_all(guest, "mine") == 0
    assert len(await world.memories.listed(host, limit=9)) == 2


async def test_what_comes_of_a_shared_conversation_is_read_by_its_readers_and_changed_by_its_person(
    world: World,
) -> None:
    owner = await world.team()
    talk = await Talk.begin(world, owner)
    turn_id = await talk.exchange()
    own = a_memory("the parser was slow", kind=MemoryKind.TURN, session_id=talk.session_id, turn_id=turn_id)
    await world.memories.add(owner, [own, a_memory("we own the parser")])
    member, viewer = await world.joined(owner), await world.joined(owner, Role.VIEWER)
    assert await texts(world, member, "parser") == ["we own the parser"]
    await world.conversations.show_session(owner, talk.session_id, Visibility.ACCOUNT)
    for reader in (member, viewer):
        assert set(await texts(world, reader, "parser")) == {"the parser was slow", "we own the parser"}
    rows = {row.text: row.memory_id for row in await world.memories.listed(member, limit=9)}
    for reader, text in (
        (member, "the parser was slow"),
        (viewer, "the parser was slow"),
        (viewer, "we own the parser"),
    ):
        with pytest.raises(NotFound):
            await world.memories.forget(reader, rows[text])
    with pytest.raises(NotFound):
        await world.memories.add(viewer, [a_memory("planted")])
    with pytest.raises(NotAllowed):
        await world.memories.forget_all(member, "account")
    await world.memories.forget(member, rows["we own the parser"])
    assert await texts(world, owner, "parser") == ["the parser was slow"]


async def test_what_is_near_by_meaning_is_found_without_a_word_in_common(world: World) -> None:
    caller = await world.user()
    await world.memories.add(caller, [a_memory("checkout within half a second"), a_memory("lunch at noon")])
    search = MemorySearch(world.memories, [EMBEDDER])
    assert await search.search(caller, Sought(query="paying")) == []
    await filled(world, caller)
    found = await search.search(caller, Sought(query="paying"), limit=1)
    assert [one.memory.text for one in found] == ["checkout within half a second"]
    assert found[0].near > 0.3
    assert world.memories.has_vectors


async def test_vectors_of_another_length_or_model_do_not_disturb(world: World) -> None:
    caller = await world.user()
    other = WordEmbedder("other", dimensions=512)
    await world.memories.add(caller, [a_memory("checkout within half a second")])
    await filled(world, caller)
    vector = (await other.embed(["x"]))[0]
    row = (await world.memories.listed(caller, limit=1))[0]
    assert await world.memories.is_complete(caller, EMBEDDER.model)
    assert not await world.memories.is_complete(caller, other.model)
    assert await world.memories.keep_vectors({row.memory_id: vector, new_uuid(): vector}) == 1
    assert await world.memories.is_complete(caller, other.model)
    for embedder in (EMBEDDER, other):
        found = await MemorySearch(world.memories, [embedder]).search(caller, Sought(query="checkout"), limit=3)
        assert len(found) == 1


async def test_an_older_model_is_asked_until_the_newer_one_has_all(world: World) -> None:
    caller = await world.user()
    await world.memories.add(caller, [a_memory("checkout within half a second")])
    await filled(world, caller)
    newer = WordEmbedder("newer")
    search = MemorySearch(world.memories, [newer, EMBEDDER])
    EMBEDDER.asked = 0
    assert len(await search.search(caller, Sought(query="paying"), limit=3)) == 1
    assert (newer.asked, EMBEDDER.asked) == (0, 1)


async def test_an_embedder_that_fails_leaves_the_words(world: World) -> None:
    caller = await world.user()
    await world.memories.add(caller, [a_memory("checkout within half a second")])
    broken = WordEmbedder()
    broken.fails = True
    found = await MemorySearch(world.memories, [broken]).search(caller, Sought(query="the checkout"))
    assert [one.memory.text for one in found] == ["checkout within half a second"]


async def test_a_name_of_the_question_must_be_met_where_one_has_it(world: World) -> None:
    caller = await world.user()
    await world.memories.add(
        caller, [a_memory("parse_config is slow, parse it less"), a_memory("parse parse parse slow config is slow")]
    )
    assert await texts(world, caller, "why is parse_config slow") == ["parse_config is slow, parse it less"]
    assert len(await texts(world, caller, "why is parse_nothing slow")) == 2


async def test_what_both_name_in_words_of_their_own_is_found_without_vectors(world: World) -> None:
    caller = await world.user()
    trace_id = await world.trace(caller)
    found = [{"id": "garbage-collection", "detail": "12.9% lies in sweepSpans"}, {"id": "sorting", "detail": "qsort"}]
    facts = [fact_memory("Harbor owns the billing service"), fact_memory("we ship on Fridays")]
    await world.memories.add(caller, [*facts, *finding_memories(trace_id, "a.json", found)])
    assert (await texts(world, caller, "wer ist für Rechnungen zuständig?"))[0] == "Harbor owns the billing service"
    assert (await texts(world, caller, "what does the ramasse-miettes cost"))[0] == "12.9% lies in sweepSpans"


async def test_kinds_and_a_conversation_narrow_a_search(world: World) -> None:
    talk, other = [await Talk.begin(world, caller) for caller in [await world.user()] * 2]
    turns = [await one.exchange() for one in (talk, other)]
    rows = [
        a_memory(f"the limit {at}", kind=MemoryKind.TURN, session_id=one.session_id, turn_id=turn)
        for at, (one, turn) in enumerate(zip((talk, other), turns, strict=True))
    ]
    await world.memories.add(talk.caller, [*rows, a_memory("the limit of all")])
    kinds = frozenset({MemoryKind.TURN})
    assert set(await texts(world, talk.caller, "limit", kinds=kinds)) == {"the limit 0", "the limit 1"}
    assert await texts(world, talk.caller, "limit", kinds=kinds, session_id=talk.session_id) == ["the limit 0"]
    assert await texts(world, talk.caller, "limit", kinds=kinds, without_turns=frozenset({turns[0]})) == ["the limit 1"]
    await world.conversations.delete_session(talk.caller, talk.session_id)
    assert await texts(world, talk.caller, "limit", kinds=kinds) == ["the limit 1"]


async def test_a_memory_of_another_text_is_found_by_that(world: World) -> None:
    caller = await world.user()
    await world.memories.add(caller, [a_memory("the budget is 300 ms")])
    await filled(world, caller)
    row = (await world.memories.listed(caller, limit=1))[0]
    changed = await world.memories.rewrite(caller, row.memory_id, a_memory("releases are on Mondays"))
    assert changed.text == "releases are on Mondays"
    assert await texts(world, caller, "budget") == []
    assert await texts(world, caller, "release") == ["releases are on Mondays"]
    assert [one.memory_id for one in await world.memories.without_vector(EMBEDDER.model, 9)].count(row.memory_id) == 1
    await world.memories.forget(caller, row.memory_id)
    assert await world.memories.listed(caller, limit=9) == []


async def test_a_deleted_trace_takes_its_memories_along(world: World) -> None:
    caller = await world.user()
    trace_id = await world.trace(caller)
    finding = a_memory("the parser takes it all", kind=MemoryKind.FINDING, trace_id=trace_id)
    await world.memories.add(caller, [finding, a_memory("we own the parser")])
    found = await MemorySearch(world.memories).search(caller, Sought(query="parser"))
    assert {one.memory.trace for one in found} == {"trace.json", None}
    await world.traces.delete(caller, trace_id)
    assert await texts(world, caller, "parser") == ["we own the parser"]


async def test_all_of_a_persons_own_goes_and_the_accounts_stays(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    turn_id = await talk.exchange()
    own = a_memory("mine", kind=MemoryKind.TURN, session_id=talk.session_id, turn_id=turn_id)
    await world.memories.add(talk.caller, [own, a_memory("ours")])
    assert await world.memories.forget_all(talk.caller, "mine") == 1
    assert await texts(world, talk.caller) == ["ours"]
    assert await world.memories.forget_all(talk.caller, "account") == 1
    assert await texts(world, talk.caller) == []


def left(talk: Talk, turn_id: str, prompt: str, answer: str, position: int) -> NewMemory:
    """A turn that has left the window."""
    made = turn_memory(
        turn_id=turn_id,
        session_id=talk.session_id,
        trace_id=talk.trace_id,
        prompt=prompt,
        answer=answer,
        position=position,
    )
    assert made is not None
    return made


async def test_turns_that_left_come_back_in_order_and_to_readers_alone(world: World) -> None:
    talk = await Talk.begin(world, await world.team())
    prompts = ["The ledger is owned by Ruth.", "What takes longest?", "The ledger may take at most 40 ms."]
    turns = [
        left(talk, await talk.exchange(prompt), prompt, "Noted.", at) for at, prompt in enumerate(prompts, start=1)
    ]
    search = MemorySearch(world.memories)
    recall = search.of_turn(talk.caller, new_uuid(), talk.session_id)
    asked = "Who owns the ledger, and what is its limit?"
    back = await recall.earlier(asked, turns)
    assert [one.memory.text for one in back] == [turns[0].text, turns[2].text]
    assert [one.memory.text for one in await recall.earlier(asked, [])] == [turns[0].text, turns[2].text]
    assert await world.memories.left_window(talk.caller, turns) == 0
    found = await recall.search("ledger", kinds=frozenset({MemoryKind.TURN}), since=None, limit=5)
    assert {one.memory.text for one in found} == {turns[0].text, turns[2].text}
    other = await Talk.begin(world, talk.caller)
    assert list(await search.of_turn(other.caller, new_uuid(), other.session_id).earlier(asked, [])) == []
    guest = await world.joined(talk.caller)
    theirs = search.of_turn(guest, new_uuid(), talk.session_id)
    assert list(await theirs.earlier(asked, turns)) == []
    assert await texts(world, guest, "ledger") == []


async def test_a_turn_in_a_shared_conversation_stays_its_askers_when_another_goes_on(world: World) -> None:
    talk = await Talk.begin(world, await world.team())
    turn_id = await talk.exchange("The ledger is owned by Ruth.")
    guest = await world.joined(talk.caller)
    await world.conversations.show_session(talk.caller, talk.session_id, Visibility.ACCOUNT)
    made = left(talk, turn_id, "The ledger is owned by Ruth.", "Noted.", 1)
    assert await world.memories.left_window(guest, [made]) == 1
    assert await texts(world, guest, "ledger") == [made.text]
    await world.conversations.show_session(talk.caller, talk.session_id, Visibility.PRIVATE)
    assert await texts(world, guest, "ledger") == []
    assert await texts(world, talk.caller, "ledger") == [made.text]
    viewer = await world.joined(talk.caller, Role.VIEWER)
    assert await world.memories.left_window(viewer, [replace(made, key="turn:other")]) == 0


async def test_a_large_account_is_searched_by_its_index_and_sees_what_an_exact_search_sees(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of PostgreSQL; the twin knows no index, and is asked the same."""
    caller, other = await world.user(), await world.user()
    for whose in (caller, other):
        await world.memories.add(whose, [a_memory(f"the queue of worker {at} waits {at} ms") for at in range(60)])
    private = a_memory("the queue of Ruth waits", kind=MemoryKind.PREFERENCE)
    await world.memories.add(caller, [private])
    await filled(world, caller)
    search = MemorySearch(world.memories, [EMBEDDER], patience_s=30)

    async def found(asking: Caller, **more: object) -> list[tuple[str, float]]:
        rows = await search.search(asking, Sought(query="queue of worker 7", **more), limit=8)  # type: ignore[arg-type]
        assert all(one.has_cosine for one in rows)
        return [(one.memory.text, round(one.near, 3)) for one in rows]

    kinds = frozenset({MemoryKind.PREFERENCE})
    exact = [await found(caller), await found(other), await found(caller, kinds=kinds)]
    monkeypatch.setattr("server.adapters.postgres.memories.EXACT_UP_TO", 0)
    assert [await found(caller), await found(other), await found(caller, kinds=kinds)] == exact
    assert exact[0][0][0] == "the queue of worker 7 waits 7 ms"
    assert [text for text, _ in exact[2]] == [private.text]
    guest = await world.member(caller)
    assert await found(guest, kinds=kinds) == []


async def test_a_word_is_found_in_its_other_forms(world: World) -> None:
    caller = await world.user()
    await world.memories.add(caller, [a_memory("caches are warmed at noon"), a_memory("we ship on Fridays")])
    for query in ("cache", "the caches", "CACHE?"):
        assert await texts(world, caller, query) == ["caches are warmed at noon"]
