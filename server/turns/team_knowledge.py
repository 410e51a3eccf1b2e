"""The documents of a team next to our own: taken in, listed, removed, searched."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from server.agent.memory.document_chunks import document_chunks
from server.agent.memory.ranking import by_bm25, word_stems
from server.errors import BadRequest
from server.ports.identity import Caller
from server.ports.knowledge import MOST_BYTES, Document, Knowledge, NewDocument, Passage
from server.quoting import clamp

CANDIDATES = 60
MOST_QUERY = 2_000
MOST_NAME = 120
AMONG = 1_000
"""Parts among which a word is rare or not: about what an account reads."""

HEADING_COUNTS = 3
"""A word of a heading is worth so many of the text."""

OURS = ("formats.md", "insights.md", "questions.md", "models.md", "plans.md", "mcp.md")
"""Pages of our documentation that questions are answered from."""


class TeamKnowledge:
    """Documents of the caller's account, and ours."""

    def __init__(self, store: Knowledge) -> None:
        self._store = store

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
        """The parts that have most of the question's words, rare ones and those of headings first."""
        asked = Counter(word_stems(clamp(query, MOST_QUERY)))
        found = await self._store.passages(caller, clamp(query, MOST_QUERY), most=CANDIDATES)
        texts = [
            Counter(word_stems(f"{one.text} {one.document} {f'{one.heading} ' * HEADING_COUNTS}")) for one in found
        ]
        scores = by_bm25(asked, texts, max(AMONG, len(found)))
        ranked = sorted(zip(scores, found, strict=True), key=lambda one: -one[0][0])
        return [passage for (score, _, _), passage in ranked if score > 0][:limit]

    async def cited(self, caller: Caller, handles: Sequence[str]) -> list[Passage]:
        """Those of these handles that are there."""
        return await self._store.cited(caller, handles)

    def of_caller(self, caller: Caller) -> "CallerDocuments":
        """What a caller's tools may search."""
        return CallerDocuments(self, caller)


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
