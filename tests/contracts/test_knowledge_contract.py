"""What every adapter of Knowledge does, and how documents are cut and found."""

from dataclasses import replace
from pathlib import Path

import pytest

from server.agent.memory.document_chunks import CHARACTERS, document_chunks
from server.errors import BadRequest, NotFound
from server.ports.knowledge import MOST_BYTES, MOST_DOCUMENTS
from server.testing.embedder import WordEmbedder
from server.turns.team_knowledge import OURS, TeamKnowledge, new_document
from tests.plugins.worlds import World

ROOT = Path(__file__).parents[2]
RUNBOOK = (
    b"# Runbook\n\nCall the harbor team.\n\n## Restart of the indexer\n\nDrain the queue first, then restart it.\n"
)


async def test_a_document_is_found_by_its_words_with_its_heading_and_a_handle(world: World) -> None:
    caller = await world.user()
    knowledge = TeamKnowledge(world.knowledge)
    document = await knowledge.add(caller, "runbook.md", RUNBOOK)
    assert (document.name, document.size_bytes, document.is_ours) == ("runbook.md", len(RUNBOOK), False)
    found = await knowledge.search(caller, "how do I restart the indexer?", limit=3)
    assert found[0].heading == "Runbook > Restart of the indexer"
    assert found[0].text == "Drain the queue first, then restart it."
    assert await knowledge.cited(caller, [found[0].handle, "k999999999", "knone"]) == [found[0]]
    assert await knowledge.search(caller, "giraffes", limit=3) == []


async def test_the_same_content_keeps_its_handles_and_another_takes_its_place(world: World) -> None:
    caller = await world.user()
    knowledge = TeamKnowledge(world.knowledge)
    first = await knowledge.add(caller, "runbook.md", RUNBOOK)
    handle = (await knowledge.search(caller, "indexer", limit=1))[0].handle
    assert await knowledge.add(caller, "runbook.md", RUNBOOK) == first
    assert (await knowledge.search(caller, "indexer", limit=1))[0].handle == handle
    await knowledge.add(caller, "runbook.md", b"The parser is generated.")
    assert await knowledge.search(caller, "indexer", limit=1) == []
    assert await knowledge.cited(caller, [handle]) == []
    assert len([one for one in await knowledge.documents(caller) if not one.is_ours]) == 1


async def test_members_read_what_their_account_has_and_strangers_nothing_of_it(world: World) -> None:
    host = await world.user()
    knowledge = TeamKnowledge(world.knowledge)
    document = await knowledge.add(host, "runbook.md", RUNBOOK)
    guest, stranger = await world.member(host), await world.user()
    handle = (await knowledge.search(guest, "indexer", limit=1))[0].handle
    for other in (stranger, replace(stranger, account_id=host.account_id)):
        assert await knowledge.search(other, "indexer", limit=9) == []
        assert await knowledge.cited(other, [handle]) == []
        assert document not in await knowledge.documents(other)
        with pytest.raises(NotFound):
            await knowledge.remove(other, document.document_id)
    with pytest.raises(NotFound):
        await knowledge.add(replace(stranger, account_id=host.account_id), "planted.md", RUNBOOK)
    assert (await knowledge.remove(guest, document.document_id)).name == "runbook.md"
    assert await knowledge.search(host, "indexer", limit=9) == []


async def test_our_own_pages_are_everybodys_and_nobody_removes_them(world: World) -> None:
    caller = await world.user()
    knowledge = TeamKnowledge(world.knowledge)
    assert await knowledge.add_ours(ROOT / "docs", "1.0") == len(OURS)
    assert await knowledge.add_ours(ROOT / "docs", "1.1") == len(OURS)
    ours = [one for one in await knowledge.documents(caller) if one.is_ours]
    assert [one.name for one in ours] == sorted(OURS)
    found = await knowledge.search(caller, "How do I record a trace with py-spy that you can read?", limit=3)
    assert any("py-spy record" in one.text for one in found)
    with pytest.raises(NotFound):
        await knowledge.remove(caller, ours[0].document_id)


async def test_an_account_has_so_many_documents_and_no_more(world: World) -> None:
    caller = await world.user()
    knowledge = TeamKnowledge(world.knowledge)
    for at in range(MOST_DOCUMENTS):
        await world.knowledge.add(caller, new_document(f"{at}.md", b"x y z"))
    with pytest.raises(BadRequest, match="at most 200 documents"):
        await knowledge.add(caller, "one-more.md", b"text")
    assert (await knowledge.add(caller, "7.md", b"other text")).name == "7.md"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("", b"text", "name"),
        ("x" * 121, b"text", "name"),
        ("a.md", b"", "empty"),
        ("a.md", b"# only\n\n## headings\n", "empty"),
        ("a.md", b"\xff\xfe\x00", "no text"),
        ("a.md", b"a\0b", "no text"),
        ("a.md", b"x" * (MOST_BYTES + 1), "most of a document"),
    ],
)
def test_what_is_no_document_is_refused(name: str, content: bytes, says: str) -> None:
    with pytest.raises(BadRequest, match=says):
        new_document(name, content)


def test_a_document_is_cut_at_its_headings_and_no_word_is_lost() -> None:
    text = (
        "intro\n\n# A\n\n```\n# no heading\n```\n\n"
        + "\n\n".join(f"word{at} " * 30 for at in range(40))
        + "\n## B `x`\nend"
    )
    chunks = document_chunks(text)
    assert [chunks[0].heading, chunks[1].heading, chunks[-1].heading] == ["", "A", "A > B x"]
    assert all(len(one.text) <= CHARACTERS * 1.2 for one in chunks)
    said = " ".join(one.text for one in chunks)
    assert all(f"word{at} " in said for at in range(40))
    assert "# no heading" in said
    assert max(len(one.text) for one in document_chunks("x" * 5_000)) <= CHARACTERS


EMBEDDER = WordEmbedder(same=[("indexer", "crawler")])


async def filled(world: World, embedder: WordEmbedder = EMBEDDER) -> int:
    """Vectors of all passages; how many."""
    made = 0
    while waiting := await world.knowledge.without_vector(embedder.model, 50):
        vectors = await embedder.embed([one.meaning for one in waiting])
        made += await world.knowledge.keep_vectors(dict(zip([one.handle for one in waiting], vectors, strict=True)))
    return made


async def test_a_passage_is_found_by_its_meaning_without_a_word_in_common(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the index too, which the twin does not know."""
    host, stranger = await world.user(), await world.user()
    knowledge = TeamKnowledge(world.knowledge, [EMBEDDER], patience_s=30)
    await knowledge.add(host, "runbook.md", b"# Indexer\n\nindexer\n\n# Lunch\n\nAt noon.\n")
    assert await knowledge.search(host, "crawler", limit=3) == []
    assert not await world.knowledge.is_complete(host, EMBEDDER.model)
    await filled(world)
    assert await world.knowledge.is_complete(host, EMBEDDER.model)
    for most_exact in (5_000, 0):
        monkeypatch.setattr("server.adapters.postgres.knowledge.EXACT_UP_TO", most_exact)
        assert [one.heading for one in await knowledge.search(host, "crawler", limit=3)] == ["Indexer"]
        assert (await knowledge.search(host, "lunch", limit=3))[0].heading == "Lunch"
        assert await knowledge.search(stranger, "crawler", limit=3) == []
        assert await knowledge.search(replace(stranger, account_id=host.account_id), "crawler", limit=3) == []
    assert await TeamKnowledge(world.knowledge).search(host, "crawler", limit=3) == []


async def test_vectors_of_documents_go_with_them_and_two_models_stand_side_by_side(world: World) -> None:
    caller = await world.user()
    knowledge = TeamKnowledge(world.knowledge)
    document = await knowledge.add(caller, "runbook.md", RUNBOOK)
    await filled(world)
    newer = WordEmbedder("newer", dimensions=512)
    handle = (await knowledge.search(caller, "indexer", limit=1))[0].handle
    (vector,) = await newer.embed(["indexer"])
    assert await world.knowledge.keep_vectors({handle: vector, "k999999999": vector}) == 1
    assert not await world.knowledge.is_complete(caller, newer.model)
    EMBEDDER.asked = newer.asked = 0
    await TeamKnowledge(world.knowledge, [newer, EMBEDDER], patience_s=30).search(caller, "crawler", limit=1)
    assert (newer.asked, EMBEDDER.asked) == (0, 1)
    await filled(world, newer)
    assert await world.knowledge.is_complete(caller, newer.model)
    assert [one.passage.handle for one in await world.knowledge.near(caller, vector, most=1)] == [handle]
    await knowledge.remove(caller, document.document_id)
    assert await world.knowledge.keep_vectors({handle: vector}) == 0
    assert handle not in [one.passage.handle for one in await world.knowledge.near(caller, vector, most=50)]


async def test_documents_are_found_by_words_where_the_embedder_fails(world: World) -> None:
    caller = await world.user()
    broken = WordEmbedder()
    broken.fails = True
    knowledge = TeamKnowledge(world.knowledge, [broken])
    await knowledge.add(caller, "runbook.md", RUNBOOK)
    assert (await knowledge.search(caller, "restart the indexer", limit=1))[0].heading.endswith("indexer")
    assert await knowledge.search(caller, "   ", limit=1) == []
