"""Documents that answers cite, in PostgreSQL. Its function decides whether there is room."""

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statement
from server.adapters.storable import known_id, not_found, storable_json, storable_text
from server.ports.identity import Caller
from server.ports.knowledge import MOST_DOCUMENTS, Document, NewDocument, Passage

LARGEST = (1 << 63) - 1


class PostgresKnowledge:
    """Knowledge over a Database."""

    def __init__(self, database: Database) -> None:
        self._database = database

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
