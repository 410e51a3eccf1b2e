"""Documents that answers cite, in dictionaries: the twin of PostgresKnowledge, by the rules of
`supabase/migrations/*_knowledge.sql`."""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import uuid4

from server.adapters.storable import known_id, not_found, storable_text
from server.errors import BadRequest
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
from server.ports.teams import Role
from server.testing.account_state import MemoryAccounts

STEM = 5
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Kept:
    document: Document
    account_id: str | None
    passages: tuple[Passage, ...]


class MemoryKnowledge:
    """Documents of the accounts of MemoryAccounts."""

    def __init__(self, accounts: MemoryAccounts) -> None:
        self._accounts = accounts
        self._documents: list[_Kept] = []
        self._numbers = itertools.count(1)
        self._vectors: dict[tuple[str, str], Vector] = {}

    async def add(self, caller: Caller, document: NewDocument) -> Document:
        if not self._may_write(caller):
            raise not_found("account")
        return self._add(caller.account_id, document)

    async def add_ours(self, document: NewDocument) -> Document:
        return self._add(None, document)

    async def documents(self, caller: Caller) -> list[Document]:
        found = [one.document for one in self._readable(caller)]
        return sorted(found, key=lambda one: (one.is_ours, one.name))

    async def remove(self, caller: Caller, document_id: str) -> Document:
        known = str(known_id(document_id, "document"))
        for one in self._readable(caller):
            if one.document.document_id == known and one.account_id is not None and self._may_write(caller):
                self._documents.remove(one)
                return one.document
        raise not_found("document")

    async def passages(self, caller: Caller, query: str, *, most: int) -> list[Passage]:
        asked = _stems(query)
        found = [
            passage
            for one in self._readable(caller)
            for passage in one.passages
            if asked & _stems(f"{passage.heading} {passage.text} {passage.words}")
        ]
        return found[:most]

    async def cited(self, caller: Caller, handles: Sequence[str]) -> list[Passage]:
        return [passage for one in self._readable(caller) for passage in one.passages if passage.handle in handles]

    async def near(self, caller: Caller, vector: Vector, *, most: int) -> list[NearPassage]:
        found = []
        for passage in self._passages(self._readable(caller)):
            own = self._vectors.get((passage.handle, vector.model))
            if own is not None and len(own.values) == len(vector.values):
                cosine = sum(a * b for a, b in zip(own.values, vector.values, strict=True))
                found.append(NearPassage(passage=passage, cosine=cosine))
        return sorted(found, key=lambda one: -one.cosine)[:most]

    async def is_complete(self, caller: Caller, model: str) -> bool:
        return all((one.handle, model) in self._vectors for one in self._passages(self._readable(caller)))

    async def without_vector(self, model: str, limit: int) -> list[PassageWithoutVector]:
        missing = [one for one in self._passages(self._documents) if (one.handle, model) not in self._vectors]
        return [PassageWithoutVector(handle=one.handle, meaning=one.meaning) for one in missing[:limit]]

    async def keep_vectors(self, vectors: Mapping[str, Vector]) -> int:
        there = {one.handle for one in self._passages(self._documents)}
        kept = {(handle, vector.model): vector for handle, vector in vectors.items() if handle in there}
        self._vectors |= kept
        return len(kept)

    @staticmethod
    def _passages(documents: Sequence[_Kept]) -> list[Passage]:
        return [passage for one in documents for passage in one.passages]

    def _add(self, account_id: str | None, document: NewDocument) -> Document:
        mine = [one for one in self._documents if one.account_id == account_id]
        same = next((one for one in mine if one.document.name == document.name), None)
        if same is not None and same.document.sha256 == document.sha256:
            return same.document
        if same is None and account_id is not None and len(mine) >= MOST_DOCUMENTS:
            raise BadRequest(f"An account has at most {MOST_DOCUMENTS} documents: remove one first.")
        if same is not None:
            self._documents.remove(same)
        made = Document(
            document_id=str(uuid4()),
            name=storable_text(document.name),
            version=storable_text(document.version),
            sha256=document.sha256,
            size_bytes=document.size_bytes,
            created_at=self._accounts.clock.now(),
            is_ours=account_id is None,
        )
        passages = tuple(
            Passage(
                handle=f"k{next(self._numbers)}",
                document=made.name,
                heading=storable_text(one.heading),
                text=storable_text(one.text),
                words=storable_text(one.words),
                is_ours=account_id is None,
            )
            for one in document.chunks
        )
        self._documents.append(_Kept(made, account_id, passages))
        return made

    def _may_write(self, caller: Caller) -> bool:
        role = self._accounts.role(caller.user_id, caller.account_id)
        return self._accounts.are_of(caller, caller.account_id) and role is not Role.VIEWER

    def _readable(self, caller: Caller) -> list[_Kept]:
        is_member = self._accounts.are_of(caller, caller.account_id)
        return [one for one in self._documents if is_member and one.account_id in (None, caller.account_id)]


def _stems(text: str) -> set[str]:
    return {word.casefold()[:STEM] for word in _WORD.findall(text) if len(word) > 2}
