"""The documents of a team next to our own: taken in, listed, removed, searched."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from server.agent.memory.document_chunks import document_chunks
from server.agent.memory.memory_texts import words_of
from server.agent.memory.ranking import WEIGHT_OF_WORDS, by_bm25, met_words, word_stems
from server.errors import BadRequest
from server.ports.embedder import Embedder
from server.ports.identity import Caller
from server.ports.knowledge import MOST_BYTES, Document, Knowledge, NearPassage, NewDocument, Passage
from server.quoting import clamp
from server.turns.asked_vector import PATIENCE_S, asked_vector

CANDIDATES = 60
MOST_QUERY = 2_000
MOST_NAME = 120
AMONG = 1_000
"""Parts among which a word is rare or not: about what an account reads."""

NEAR = 0.35
"""Cosine from which a part is found that has no word of the question."""

HEADING_COUNTS = 3
"""A word of a heading is worth so many of the text."""

OURS = ("formats.md", "insights.md", "questions.md", "models.md", "plans.md", "mcp.md")
"""Pages of our documentation that questions are answered from."""


class TeamKnowledge:
    """Documents of the caller's account, and ours."""

    def __init__(self, store: Knowledge, embedders: Sequence[Embedder] = (), *, patience_s: float = PATIENCE_S) -> None:
        self._store = store
        self._embedders = tuple(embedders)
        self._patience_s = patience_s

    async def add(self, caller: Caller, name: str, content: bytes) -> Document:
        """In place of the account's document of that name. Raises BadRequest for what is no text, is empty, too large,
        or has no name; NotFound, where the caller may only read."""
        return await self._store.add(caller, new_document(name, content))

    async def add_ours(self, folder: Path, version: str) -> int:
        """Take in our own documentation, as far as it is there; how many pages."""
        pages = [folder / name for name in OURS if (folder / name).is_file()]
        for page in pages:
            await self._store.add_ours(new_document(page.name, page.read_bytes(), version=version))
        return len(pages)

    async def documents(self, caller: Caller) -> list[Document]:
        """The account's by name, then ours."""
        return await self._store.documents(caller)

    async def remove(self, caller: Caller, document_id: str) -> Document:
        """Raises NotFound."""
        return await self._store.remove(caller, document_id)

    async def search(self, caller: Caller, query: str, *, limit: int) -> list[Passage]:
        """The parts that mean what is asked or have most of its words, rare ones and those of headings first; without
        an embedder by words alone."""
        asked = clamp(query, MOST_QUERY).strip()
        if not asked:
            return []
        is_complete = partial(self._store.is_complete, caller)
        vector = await asked_vector(self._embedders, is_complete, asked, patience_s=self._patience_s)
        near = [] if vector is None else await self._store.near(caller, vector, most=CANDIDATES)
        by_words = await self._store.passages(caller, asked, most=CANDIDATES)
        return _ranked(asked, near, by_words)[:limit]

    async def cited(self, caller: Caller, handles: Sequence[str]) -> list[Passage]:
        """Those of these handles that are there."""
        return await self._store.cited(caller, handles)

    def of_caller(self, caller: Caller) -> "CallerDocuments":
        """What a caller's tools may search."""
        return CallerDocuments(self, caller)


def _ranked(asked: str, near: Sequence[NearPassage], by_words: Sequence[Passage]) -> list[Passage]:
    """By the sum of cosine and words. One that words alone found is taken to be as near as the last that is near."""
    cosines = {one.passage.handle: one.cosine for one in near}
    last = min(cosines.values(), default=0.0)
    passages = list({one.handle: one for one in [*(one.passage for one in near), *by_words]}.values())
    words = frozenset(word_stems(asked))
    texts = [met_words(words, words_of(one.text, one.document, *[one.heading] * HEADING_COUNTS)) for one in passages]
    scores = [score for score, _, _ in by_bm25(words, texts, max(AMONG, len(passages)))]
    best = max(scores, default=0.0) or 1.0
    found = [
        (cosines.get(one.handle, last) + WEIGHT_OF_WORDS * score / best, one)
        for one, score in zip(passages, scores, strict=True)
        if score > 0 or cosines.get(one.handle, 0.0) >= NEAR
    ]
    return [one for _, one in sorted(found, key=lambda pair: -pair[0])]


@dataclass(frozen=True, slots=True)
class CallerDocuments:
    """Implements `DocumentsAsked`."""

    knowledge: TeamKnowledge
    caller: Caller

    async def search(self, query: str, *, limit: int) -> list[Passage]:
        return await self.knowledge.search(self.caller, query, limit=limit)

    async def cited(self, handles: Sequence[str]) -> list[Passage]:
        return await self.knowledge.cited(self.caller, handles)


def new_document(name: str, content: bytes, *, version: str = "") -> NewDocument:
    """A document in parts. Raises BadRequest."""
    called = " ".join(name.split())
    if not called or len(called) > MOST_NAME:
        raise BadRequest(f"A document has a name of 1 to {MOST_NAME} characters.", field="name")
    if len(content) > MOST_BYTES:
        raise BadRequest(
            f"{called} has {len(content):,} bytes: {MOST_BYTES:,} are the most of a document.", field="file"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadRequest(f"{called} is no text in UTF-8: Markdown and plain text are read.", field="file") from None
    if "\0" in text:
        raise BadRequest(f"{called} is no text: Markdown and plain text are read.", field="file")
    chunks = document_chunks(text)
    if not chunks:
        raise BadRequest(f"{called} is empty.", field="file")
    return NewDocument(
        name=called,
        sha256=hashlib.sha256(content).hexdigest(),
        size_bytes=len(content),
        chunks=chunks,
        version=version,
    )
