"""What accounts remember beyond their facts, in dictionaries: the twin of PostgresMemories, by the rules of
`supabase/migrations/*_memories.sql`. Nothing here awaits between a look and its change, which is its lock."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal
from uuid import uuid4

from server.adapters.storable import known_id, not_found, storable_json, storable_text
from server.errors import NotAllowed
from server.ports.identity import Caller
from server.ports.memories import (
    PRIVATE,
    Candidate,
    Candidates,
    MemoryRow,
    NewMemory,
    Sought,
    Untaken,
    Vector,
    WithoutVector,
)
from server.ports.teams import Role
from server.testing.account_state import MemoryAccounts
from server.testing.conversations import MemoryConversations
from server.testing.trace_records import MemoryTraceRecords

_WORD = re.compile(r"\w+")
STEM = 5
"""Letters by which two words are one: enough for tests, and no stemmer."""


@dataclass(slots=True)
class _Kept:
    row: MemoryRow
    account_id: str
    user_id: str | None
    vectors: dict[str, Vector] = field(default_factory=dict)


class MemoryMemories:
    """Memories of the accounts in which these conversations are. `subjects` is what `untaken` gives, for a test to
    fill."""

    def __init__(
        self,
        accounts: MemoryAccounts,
        traces: MemoryTraceRecords,
        conversations: MemoryConversations,
        *,
        has_vectors: bool = True,
    ) -> None:
        self._accounts = accounts
        self._conversations = conversations
        self._has_vectors = has_vectors
        self._kept: dict[str, _Kept] = {}
        self.subjects: list[Untaken] = []
        self._traces = traces
        traces.on_delete.append(self._forget_trace)

    @property
    def has_vectors(self) -> bool:
        return self._has_vectors

    def kept(self) -> list[MemoryRow]:
        """Of all accounts."""
        return [one.row for one in self._kept.values()]

    async def add(self, caller: Caller, memories: Sequence[NewMemory]) -> int:
        if not self._may_write(caller):
            raise not_found("account")
        return self._add(caller.account_id, caller.user_id, memories)

    async def left_window(self, caller: Caller, memories: Sequence[NewMemory]) -> int:
        if not self._may_write(caller):
            return 0
        made = 0
        for memory in memories:
            turns = {one.turn_id: one for one in self._conversations.turns_of(str(memory.session_id))}
            turn = turns.get(str(memory.turn_id))
            if turn is not None and self._reads(caller, turn.session_id):
                made += self._add(caller.account_id, turn.user_id, [memory])
        return made

    async def candidates(self, caller: Caller, sought: Sought, vector: Vector | None = None) -> Candidates:
        mine = self._readable(caller)
        asked = _stems(sought.query)
        found = [
            Candidate(memory=one.row, cosine=_cosine(vector, one) if self._has_vectors and asked else None)
            for one in mine
            if _fits(one.row, sought)
        ]
        return Candidates(
            found=tuple(
                one
                for one in found
                if not asked or one.cosine is not None or asked & _stems(f"{one.memory.text} {one.memory.words}")
            ),
            among=len(found),
        )

    async def one(self, caller: Caller, memory_id: str) -> MemoryRow:
        return self._find(caller, memory_id).row

    async def rewrite(self, caller: Caller, memory_id: str, memory: NewMemory) -> MemoryRow:
        kept = self._changeable(caller, memory_id)
        kept.row = replace(
            kept.row,
            text=storable_text(memory.text),
            meaning=storable_text(memory.meaning),
            words=storable_text(memory.words),
            anchors=memory.anchors,
        )
        kept.vectors.clear()
        return kept.row

    async def forget(self, caller: Caller, memory_id: str) -> MemoryRow:
        kept = self._changeable(caller, memory_id)
        return self._kept.pop(kept.row.memory_id).row

    async def forget_all(self, caller: Caller, whose: Literal["mine", "account"]) -> int:
        if whose == "account" and self._accounts.role(caller.user_id, caller.account_id) is not Role.OWNER:
            raise NotAllowed("Only an owner of the account can forget what all of it remembers.")
        owner = caller.user_id if whose == "mine" else None
        gone = [one.row.memory_id for one in self._readable(caller) if one.user_id == owner]
        for memory_id in gone:
            del self._kept[memory_id]
        return len(gone)

    async def listed(self, caller: Caller, *, limit: int, before: datetime | None = None) -> list[MemoryRow]:
        rows = [one.row for one in self._readable(caller) if before is None or one.row.created_at < before]
        return sorted(rows, key=lambda row: row.created_at, reverse=True)[:limit]

    async def untaken(self, limit: int) -> list[Untaken]:
        return self.subjects[:limit]

    async def take(self, subject: Untaken, memories: Sequence[NewMemory]) -> int:
        if subject not in self.subjects:
            return 0
        self.subjects.remove(subject)
        if not hasattr(subject, "trace_id"):
            keys = {memory.key for memory in memories}
            for one in list(self._kept.values()):
                if one.account_id == subject.account_id and one.row.source == "core_memory" and one.row.key not in keys:
                    del self._kept[one.row.memory_id]
        made = self._add(subject.account_id, getattr(subject, "user_id", None), memories)
        by_key = {one.row.key: one for one in self._kept.values() if one.account_id == subject.account_id}
        for memory in memories:
            older = by_key.get(str(memory.metadata.get("conflicts_with", "")))
            if older is not None:
                older.row = replace(older.row, superseded_by=by_key[memory.key].row.memory_id)
        return made

    async def without_vector(self, model: str, limit: int) -> list[WithoutVector]:
        if not self._has_vectors:
            return []
        missing = [one.row for one in self._kept.values() if model not in one.vectors]
        return [WithoutVector(memory_id=row.memory_id, meaning=row.meaning) for row in missing[:limit]]

    async def keep_vectors(self, vectors: Mapping[str, Vector]) -> int:
        kept = {memory_id: vector for memory_id, vector in vectors.items() if memory_id in self._kept}
        for memory_id, vector in kept.items():
            self._kept[memory_id].vectors[vector.model] = vector
        return len(kept)

    async def is_complete(self, caller: Caller, model: str) -> bool:
        return self._has_vectors and all(model in one.vectors for one in self._readable(caller))

    def _add(self, account_id: str, user_id: str | None, memories: Sequence[NewMemory]) -> int:
        there = {one.row.key for one in self._kept.values() if one.account_id == account_id}
        made = 0
        for memory in memories:
            if memory.key in there:
                continue
            there.add(memory.key)
            owner = user_id if memory.kind in PRIVATE else None
            row = MemoryRow(
                memory_id=str(uuid4()),
                created_at=self._accounts.clock.now(),
                is_own=owner is not None,
                trace=None if memory.trace_id is None else self._names_of().get(memory.trace_id),
                kind=memory.kind,
                source=memory.source,
                key=memory.key,
                text=storable_text(memory.text),
                meaning=storable_text(memory.meaning),
                words=storable_text(memory.words),
                trace_id=memory.trace_id,
                session_id=memory.session_id,
                turn_id=memory.turn_id,
                anchors=memory.anchors,
                metadata=storable_json(dict(memory.metadata)),
            )
            self._kept[row.memory_id] = _Kept(row, account_id, owner)
            made += 1
        return made

    def _names_of(self) -> dict[str, str]:
        return {row.trace_id: row.name for row in self._traces.rows()}

    def _readable(self, caller: Caller) -> list[_Kept]:
        if not self._accounts.are_of(caller, caller.account_id):
            return []
        return [
            one
            for one in self._kept.values()
            if one.account_id == caller.account_id
            and (one.user_id in (None, caller.user_id) or self._reads(caller, one.row.session_id))
            and (one.row.session_id is None or self._conversations.turns_of(one.row.session_id))
        ]

    def _reads(self, caller: Caller, session_id: str | None) -> bool:
        """Whether a conversation is shown to the caller."""
        return session_id is not None and self._conversations.reads(caller, session_id)

    def _may_write(self, caller: Caller) -> bool:
        role = self._accounts.role(caller.user_id, caller.account_id)
        return self._accounts.are_of(caller, caller.account_id) and role is not Role.VIEWER

    def _find(self, caller: Caller, memory_id: str) -> _Kept:
        known = str(known_id(memory_id, "memory"))
        for one in self._readable(caller):
            if one.row.memory_id == known:
                return one
        raise not_found("memory")

    def _changeable(self, caller: Caller, memory_id: str) -> _Kept:
        kept = self._find(caller, memory_id)
        if kept.user_id != caller.user_id and (kept.user_id is not None or not self._may_write(caller)):
            raise not_found("memory")
        return kept

    def _forget_trace(self, trace_id: str) -> None:
        self._kept = {key: one for key, one in self._kept.items() if one.row.trace_id != trace_id}


def _stems(text: str) -> set[str]:
    return {word.casefold()[:STEM] for word in _WORD.findall(text) if len(word) > 2}


def _fits(row: MemoryRow, sought: Sought) -> bool:
    return (
        (not sought.kinds or row.kind in sought.kinds)
        and (sought.session_id is None or row.session_id == sought.session_id)
        and (sought.since is None or row.created_at >= sought.since)
        and row.turn_id not in sought.without_turns
    )


def _cosine(vector: Vector | None, kept: _Kept) -> float | None:
    own = None if vector is None else kept.vectors.get(vector.model)
    if vector is None or own is None or len(own.values) != len(vector.values):
        return None
    return sum(a * b for a, b in zip(own.values, vector.values, strict=True))
