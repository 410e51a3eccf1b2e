"""What accounts remember beyond their facts, in PostgreSQL; by meaning only where the extension `vector` is there."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from server.adapters.postgres.halfvec import written
from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statement
from server.adapters.storable import known_id, not_found, storable_json, storable_text
from server.errors import NotAllowed
from server.ports.identity import Caller
from server.ports.memories import (
    PRIVATE,
    Candidate,
    Candidates,
    FactsToRemember,
    MemoryKind,
    MemoryRow,
    NewMemory,
    Sought,
    TraceToRemember,
    TurnToRemember,
    Untaken,
    Vector,
    WithoutVector,
)

BY_WORDS = 80
BY_MEANING = 60
EXACT_UP_TO = 5_000
"""Memories that fit up to which every vector is looked at; beyond, the index is asked."""

NEWEST = 200
"""Of an account, without a question."""

SELECTIVE = 400
"""Memories of a large account that are ranked by their words: more have only common ones."""

_MOST = {"by_words": BY_WORDS, "by_meaning": BY_MEANING, "exact": EXACT_UP_TO, "selective": SELECTIVE}
_NO_VECTOR = {"model": None, "vector": None}

OWNER_ONLY = "Only an owner of the account can forget what all of it remembers."


class PostgresMemories:
    """Memories over a Database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._has_vectors: bool | None = None

    @property
    def has_vectors(self) -> bool:
        return bool(self._has_vectors)

    async def add(self, caller: Caller, memories: Sequence[NewMemory]) -> int:
        async with self._database.transaction() as connection:
            if not await _all(connection, "account_may_be_written", _of(caller)):
                raise not_found("account")
            return await _add(connection, caller.account_id, caller.user_id, memories)

    async def left_window(self, caller: Caller, memories: Sequence[NewMemory]) -> int:
        by_turn = {memory.key: memory for memory in memories if memory.turn_id is not None}
        named = _of(caller) | {
            "keys": list(by_turn),
            "turns": [known_id(str(one.turn_id), "question") for one in by_turn.values()],
        }
        async with self._database.transaction() as connection:
            made = 0
            for row in await _all(connection, "turns_not_remembered", named) if by_turn else ():
                owner = {"account_id": caller.account_id, "owner_id": row["user_id"]}
                made += len(await _all(connection, "add_memory", _new(by_turn[row["key"]]) | owner))
        return made

    async def candidates(self, caller: Caller, sought: Sought, vector: Vector | None = None) -> Candidates:
        await self._look()
        named = _of(caller) | _sought(sought) | _MOST | (_NO_VECTOR if vector is None else written(vector))
        if not named["query"]:
            named |= {"by_words": NEWEST}
        async with self._database.transaction() as connection:
            rows = await _all(connection, "sought_memories", named)
        found = tuple(Candidate(memory=_memory(row), cosine=row["cosine"]) for row in rows)
        return Candidates(found=found, among=rows[0]["among"] if rows else 0)

    async def one(self, caller: Caller, memory_id: str) -> MemoryRow:
        named = _of(caller) | {"ids": [known_id(memory_id, "memory")]}
        async with self._database.transaction() as connection:
            rows = await _all(connection, "memories_by_id", named)
        if not rows:
            raise not_found("memory")
        return _memory(rows[0])

    async def rewrite(self, caller: Caller, memory_id: str, memory: NewMemory) -> MemoryRow:
        await self._look()
        named = _of(caller) | _new(memory) | {"memory_id": known_id(memory_id, "memory")}
        async with self._database.transaction() as connection:
            rows = await _all(connection, "rewrite_memory", named)
            if not rows:
                raise not_found("memory")
            if self._has_vectors:
                await connection.execute(statement("remove_vectors_of_memory"), named)
        return _memory(rows[0])

    async def forget(self, caller: Caller, memory_id: str) -> MemoryRow:
        named = _of(caller) | {"memory_id": known_id(memory_id, "memory")}
        async with self._database.transaction() as connection:
            rows = await _all(connection, "forget_memory", named)
        if not rows:
            raise not_found("memory")
        return _memory(rows[0])

    async def forget_all(self, caller: Caller, whose: Literal["mine", "account"]) -> int:
        async with self._database.transaction() as connection:
            if whose == "mine":
                return len(await _all(connection, "forget_own_memories", _of(caller)))
            if not await _all(connection, "account_is_owned", _of(caller)):
                raise NotAllowed(OWNER_ONLY)
            return len(await _all(connection, "forget_memories_of_account", _of(caller)))

    async def listed(self, caller: Caller, *, limit: int, before: datetime | None = None) -> list[MemoryRow]:
        async with self._database.transaction() as connection:
            rows = await _all(connection, "memories_listed", _of(caller) | {"most": limit, "before": before})
        return [_memory(row) for row in rows]

    async def untaken(self, limit: int) -> list[Untaken]:
        most = {"most": limit}
        async with self._database.transaction() as connection:
            facts = await _all(connection, "facts_to_remember", most)
            traces = await _all(connection, "traces_to_remember", most)
            turns = await _all(connection, "turns_to_remember", most)
        found: list[Untaken] = [_facts(row) for row in facts]
        found += [_trace(row) for row in traces]
        return found + [_turn(row) for row in turns]

    async def take(self, subject: Untaken, memories: Sequence[NewMemory]) -> int:
        mark, person = _mark(subject)
        async with self._database.transaction() as connection:
            if not await _all(connection, mark["name"], mark):
                return 0
            account = {"account_id": subject.account_id}
            if isinstance(subject, FactsToRemember):
                keys = [memory.key for memory in memories]
                await connection.execute(statement("forget_facts_no_longer_held"), account | {"keys": keys})
            made = await _add(connection, subject.account_id, person, memories)
            for memory in memories:
                if older := memory.metadata.get("conflicts_with"):
                    named = account | {"older": older, "newer": memory.key}
                    await connection.execute(statement("mark_superseded"), named)
            return made

    async def without_vector(self, model: str, limit: int) -> list[WithoutVector]:
        await self._look()
        if not self._has_vectors:
            return []
        async with self._database.transaction() as connection:
            rows = await _all(connection, "memories_without_vector", {"model": model, "most": limit})
        return [WithoutVector(memory_id=str(row["id"]), meaning=row["meaning"]) for row in rows]

    async def keep_vectors(self, vectors: Mapping[str, Vector]) -> int:
        kept = 0
        async with self._database.transaction() as connection:
            for memory_id, vector in vectors.items():
                cursor = await connection.execute(
                    statement("keep_vector"), written(vector) | {"memory_id": known_id(memory_id, "memory")}
                )
                kept += cursor.rowcount
        return kept

    async def is_complete(self, caller: Caller, model: str) -> bool:
        await self._look()
        if not self._has_vectors:
            return False
        async with self._database.transaction() as connection:
            return not await _all(connection, "memory_without_vector", _of(caller) | {"model": model})

    async def _look(self) -> None:
        if self._has_vectors is None:
            async with self._database.transaction() as connection:
                self._has_vectors = bool((await _all(connection, "vectors_can_be_kept", {}))[0]["kept"])


async def _all(connection: AsyncConnection[DictRow], name: str, named: Mapping[str, Any]) -> list[DictRow]:
    return await (await connection.execute(statement(name), named)).fetchall()


async def _add(
    connection: AsyncConnection[DictRow], account_id: str, user_id: str | None, memories: Sequence[NewMemory]
) -> int:
    made = 0
    for memory in memories:
        owner = user_id if memory.kind in PRIVATE else None
        made += len(await _all(connection, "add_memory", _new(memory) | {"account_id": account_id, "owner_id": owner}))
    return made


def _mark(subject: Untaken) -> tuple[dict[str, Any], str | None]:
    """What says that a subject was taken in, and whose own its private memories are."""
    if isinstance(subject, TraceToRemember):
        return {"name": "trace_is_remembered", "id": subject.trace_id}, None
    if isinstance(subject, TurnToRemember):
        return {"name": "turn_is_remembered", "id": subject.turn_id}, subject.user_id
    return {"name": "facts_are_remembered", "id": subject.account_id, "version": subject.version}, None


def _of(caller: Caller) -> dict[str, Any]:
    return {"user_id": caller.user_id, "account_id": caller.account_id}


def _sought(sought: Sought) -> dict[str, Any]:
    return {
        "query": storable_text(sought.query).strip(),
        "kinds": [kind.value for kind in sought.kinds] or None,
        "session_id": None if sought.session_id is None else known_id(sought.session_id, "conversation"),
        "since": sought.since,
        "without_turns": [known_id(one, "question") for one in sought.without_turns],
    }


def _new(memory: NewMemory) -> dict[str, Any]:
    return {
        "kind": memory.kind.value,
        "source": memory.source,
        "key": storable_text(memory.key),
        "text": storable_text(memory.text),
        "meaning": storable_text(memory.meaning),
        "words": storable_text(memory.words),
        "trace_id": memory.trace_id,
        "session_id": memory.session_id,
        "turn_id": memory.turn_id,
        "anchors": [storable_text(one) for one in memory.anchors],
        "metadata": Jsonb(storable_json(dict(memory.metadata))),
    }


def _memory(row: DictRow) -> MemoryRow:
    ids = {key: None if row[key] is None else str(row[key]) for key in ("trace_id", "session_id", "turn_id")}
    return MemoryRow(
        memory_id=str(row["id"]),
        kind=MemoryKind(row["kind"]),
        source=row["source"],
        key=row["source_key"],
        text=row["text"],
        meaning=row["meaning"],
        words=row["words"],
        anchors=tuple(row["anchors"]),
        metadata=row["metadata"],
        created_at=row["created_at"].astimezone(UTC),
        is_own=row["user_id"] is not None,
        trace=row["trace_name"],
        superseded_by=None if row["superseded_by"] is None else str(row["superseded_by"]),
        **ids,
    )


def _facts(row: DictRow) -> FactsToRemember:
    facts = tuple(row["text"].split("\n")) if row["text"] else ()
    return FactsToRemember(account_id=str(row["account_id"]), version=row["version"], facts=facts)


def _trace(row: DictRow) -> TraceToRemember:
    return TraceToRemember(
        trace_id=str(row["id"]), account_id=str(row["account_id"]), name=row["name"], summary=row["summary"] or {}
    )


def _turn(row: DictRow) -> TurnToRemember:
    return TurnToRemember(
        turn_id=str(row["id"]),
        account_id=str(row["account_id"]),
        user_id=str(row["user_id"]),
        session_id=str(row["session_id"]),
        trace_id=str(row["trace_id"]),
        prompt=row["prompt"],
        answer=row["content_text"] or "",
        citations=(row["metadata"] or {}).get("citations") or (),
    )
