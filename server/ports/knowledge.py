"""Documents that answers cite: Flamechat's own documentation, and an account's runbooks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from server.ports.identity import Caller
from server.ports.memories import Vector

MOST_BYTES = 1 << 20
"""Of one document."""

MOST_DOCUMENTS = 200
"""Of an account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A part of a document under one heading; `words` are what it is also found by."""

    heading: str
    text: str
    words: str = ""

    @property
    def meaning(self) -> str:
        """What a vector is made of."""
        return f"{self.heading}: {self.text}" if self.heading else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """`version` says which one it is, such as the package's; empty for none."""

    name: str
    sha256: str
    size_bytes: int
    chunks: tuple[Chunk, ...]
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """`is_ours` for Flamechat's own documentation."""

    document_id: str
    name: str
    version: str
    sha256: str
    size_bytes: int
    created_at: datetime
    is_ours: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage(Chunk):
    """A chunk as it is cited: `k17`."""

    handle: str
    document: str
    is_ours: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPassage:
    """A passage, and the cosine of its vector with a question's."""

    passage: Passage
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageWithoutVector:
    handle: str
    meaning: str


class Knowledge(Protocol):
    """The documents that a caller may read: their account's, and ours. Another account's are not there."""

    async def add(self, caller: Caller, document: NewDocument) -> Document:
        """In place of the account's document of its name. Raises NotFound for an account in which the caller may not
        write, BadRequest past MOST_DOCUMENTS."""
        ...

    async def add_ours(self, document: NewDocument) -> Document:
        """In place of our document of its name; one of the same content stays, with its handles."""
        ...

    async def documents(self, caller: Caller) -> list[Document]:
        """The account's, by name, and then ours."""
        ...

    async def remove(self, caller: Caller, document_id: str) -> Document:
        """Raises NotFound, also for ours."""
        ...

    async def passages(self, caller: Caller, query: str, *, most: int) -> list[Passage]:
        """Those that have any word of the query."""
        ...

    async def cited(self, caller: Caller, handles: Sequence[str]) -> list[Passage]:
        """Those of these handles that are there."""
        ...

    async def near(self, caller: Caller, vector: Vector, *, most: int) -> list[NearPassage]:
        """Those that are nearest by meaning; none where the database keeps no vectors."""
        ...

    async def is_complete(self, caller: Caller, model: str) -> bool:
        """Whether every passage that the caller may read has its vector of this model."""
        ...

    async def without_vector(self, model: str, limit: int) -> list[PassageWithoutVector]:
        """Passages that have none of this model, of all accounts and ours."""
        ...

    async def keep_vectors(self, vectors: Mapping[str, Vector]) -> int:
        """Vectors by the handles of their passages; of one that is gone nothing is kept."""
        ...
