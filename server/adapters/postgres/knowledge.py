"""Documents that answers cite, in PostgreSQL. Its function decides whether there is room."""

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from server.adapters.postgres.halfvec import written
from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statement
from server.adapters.storable import known_id, not_found, storable_json, storable_text
from server.ports.identity import Caller
from server.ports.knowledge import (
    MOST_DOCUMENTS,
    Document,
    NearPassage,
    NewDocument,
    Passage,
    PassageWithoutVector,
)
from server.ports.memories import Vector

LARGEST = (1 << 63) - 1

EXACT_UP_TO = 5_000
"""Passages that a caller may read up to which every vector is looked at; beyond, the index is asked."""


class PostgresKnowledge:
    """Knowledge over a Database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._has_vectors: bool | None = None

    async def add(self, caller: Caller, document: NewDocument) -> Document:
        return _document((await self._all("add_knowledge", _of(caller) | _new(document)))[0])

    async def add_ours(self, document: NewDocument) -> Document:
        nobody = {"user_id": None, "account_id": None}
        return _document((await self._all("add_knowledge", nobody | _new(document)))[0])

    async def documents(self, caller: Caller) -> list[Document]:
        return [_document(row) for row in await self._all("knowledge_documents", _of(caller))]

    async def remove(self, caller: Caller, document_id: str) -> Document:
        named = _of(caller) | {"document_id": known_id(document_id, "document")}
        rows = await self._all("remove_knowledge", named)
        if not rows:
            raise not_found("document")
        return _document(rows[0])

    async def passages(self, caller: Caller, query: str, *, most: int) -> list[Passage]:
        named = _of(caller) | {"query": storable_text(query), "most": most}
        return [_passage(row) for row in await self._all("passages_by_words", named)]

    async def cited(self, caller: Caller, handles: Sequence[str]) -> list[Passage]:
        ids = [int(one[1:]) for one in handles if one[1:].isdecimal() and int(one[1:]) <= LARGEST]
        return [_passage(row) for row in await self._all("passages_by_number", _of(caller) | {"ids": ids})]

    async def near(self, caller: Caller, vector: Vector, *, most: int) -> list[NearPassage]:
        if not await self._look():
            return []
        among = (await self._all("parts_counted", _of(caller)))[0]["among"]
        name = "nearest_parts" if among <= EXACT_UP_TO else "nearest_parts_by_index"
        rows = await self._all(name, _of(caller) | written(vector) | {"most": most})
        cosines = {f"k{row['chunk_id']}": row["cosine"] for row in rows}
        found = await self.cited(caller, list(cosines))
        near = [NearPassage(passage=one, cosine=cosines[one.handle]) for one in found]
        return sorted(near, key=lambda one: -one.cosine)

    async def is_complete(self, caller: Caller, model: str) -> bool:
        return await self._look() and not await self._all("part_without_vector", _of(caller) | {"model": model})

    async def without_vector(self, model: str, limit: int) -> list[PassageWithoutVector]:
        if not await self._look():
            return []
        rows = await self._all("parts_without_vector", {"model": model, "most": limit})
        return [
            PassageWithoutVector(handle=f"k{row['id']}", meaning=f"{row['heading']}: {row['text']}") for row in rows
        ]

    async def keep_vectors(self, vectors: Mapping[str, Vector]) -> int:
        kept = 0
        async with self._database.transaction() as connection:
            for handle, vector in vectors.items():
                named = written(vector) | {"part_id": int(handle[1:])}
                kept += (await connection.execute(statement("keep_vector_of_part"), named)).rowcount
        return kept

    async def _look(self) -> bool:
        if self._has_vectors is None:
            self._has_vectors = bool((await self._all("parts_have_vectors", {}))[0]["kept"])
        return self._has_vectors

    async def _all(self, name: str, named: dict[str, Any]) -> list[DictRow]:
        async with self._database.transaction() as connection:
            return await (await connection.execute(statement(name), named)).fetchall()


def _of(caller: Caller) -> dict[str, Any]:
    return {"user_id": caller.user_id, "account_id": caller.account_id}


def _new(document: NewDocument) -> dict[str, Any]:
    chunks = [{"heading": one.heading, "text": one.text, "words": one.words} for one in document.chunks]
    return {
        "name": storable_text(document.name),
        "version": storable_text(document.version),
        "sha256": document.sha256,
        "bytes": document.size_bytes,
        "chunks": Jsonb(storable_json(chunks)),
        "most": MOST_DOCUMENTS,
    }


def _document(row: DictRow) -> Document:
    return Document(
        document_id=str(row["id"]),
        name=row["name"],
        version=row["version"],
        sha256=row["sha256"],
        size_bytes=row["bytes"],
        created_at=row["created_at"].astimezone(UTC),
        is_ours=row["account_id"] is None,
    )


def _passage(row: DictRow) -> Passage:
    return Passage(
        handle=f"k{row['id']}",
        document=row["name"],
        heading=row["heading"],
        text=row["text"],
        words=row["words"],
        is_ours=row["is_ours"],
    )
