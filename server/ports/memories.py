"""What an account remembers beyond its facts: findings, answers and turns, found by words and by meaning. The store
decides who may read what; how near a memory is to a question is reckoned from what it gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, Protocol

from server.ports.identity import Caller

MOST_TEXT = 2_000
"""Characters of one memory."""

MOST_MEANING = 4_000
MOST_WORDS = 6_000


class MemoryKind(StrEnum):
    """What a memory is; answers, turns and preferences are their person's own."""

    FACT = "fact"  #: what a person said that lasts
    FINDING = "finding"  #: what a detector found in a recording
    ANSWER = "answer"  #: what was answered to them
    TURN = "turn"  #: what they asked, in a conversation that has gone on
    PREFERENCE = "preference"  #: how they want to be answered


PRIVATE = frozenset({MemoryKind.ANSWER, MemoryKind.TURN, MemoryKind.PREFERENCE})

Source = Literal["core_memory", "person", "finding", "answer", "conversation", "document"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory:
    """`key` names what it was made from: the same one is stored once. `meaning` is what a vector is made of, `words`
    what it is also found by, `anchors` the names and figures in it."""

    kind: MemoryKind
    source: Source
    key: str
    text: str
    meaning: str
    words: str = ""
    trace_id: str | None = None
    session_id: str | None = None
    turn_id: str | None = None
    anchors: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRow(NewMemory):
    """`trace` is the name of its recording, `is_own` whether only its person sees it."""

    memory_id: str
    created_at: datetime
    is_own: bool
    trace: str | None = None
    superseded_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What is looked for: `query` in words, and where they are given only these kinds, this conversation, what is newer
    than `since`, and nothing of these turns."""

    query: str
    kinds: frozenset[MemoryKind] = frozenset()
    session_id: str | None = None
    since: datetime | None = None
    without_turns: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    """What a text means, as `model` has it."""

    model: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory that may be meant, and its cosine with the question's vector, where both have one."""

    memory: MemoryRow
    cosine: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """`among` is how many fit, counted as far as it matters; 0 without any that is found."""

    found: tuple[Candidate, ...]
    among: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceToRemember:
    """A trace whose findings are no memories yet; `summary` as it is stored."""

    trace_id: str
    account_id: str
    name: str
    summary: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnToRemember:
    """A finished turn whose answer is no memory yet."""

    turn_id: str
    account_id: str
    user_id: str
    session_id: str
    trace_id: str
    prompt: str
    answer: str
    citations: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsToRemember:
    """An account whose facts have changed since they became memories."""

    account_id: str
    version: int
    facts: tuple[str, ...]


Untaken = TraceToRemember | TurnToRemember | FactsToRemember


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutVector:
    memory_id: str
    meaning: str


class Memories(Protocol):
    """The memories of accounts. Those of another account, and another person's own, look as if they were not there."""

    @property
    def has_vectors(self) -> bool:
        """Whether the database can keep vectors; known once it was asked."""
        ...

    async def add(self, caller: Caller, memories: Sequence[NewMemory]) -> int:
        """How many are new; a key that is there is passed over. Private kinds become the caller's own. Raises NotFound
        for an account in which the caller may not write."""
        ...

    async def candidates(self, caller: Caller, sought: Sought, vector: Vector | None = None) -> Candidates:
        """At most 80 by words, and 60 that are nearest by meaning; for an empty query the 200 newest."""
        ...

    async def one(self, caller: Caller, memory_id: str) -> MemoryRow:
        """Raises NotFound."""
        ...

    async def rewrite(self, caller: Caller, memory_id: str, memory: NewMemory) -> MemoryRow:
        """Another text in place of one. Its vectors go. Raises NotFound."""
        ...

    async def forget(self, caller: Caller, memory_id: str) -> MemoryRow:
        """Raises NotFound, also for the account's where the caller may only read."""
        ...

    async def forget_all(self, caller: Caller, whose: Literal["mine", "account"]) -> int:
        """Forget the caller's own, or the account's, which takes its owner. Raises NotFound, NotAllowed."""
        ...

    async def listed(self, caller: Caller, *, limit: int, before: datetime | None = None) -> list[MemoryRow]:
        """Newest first."""
        ...

    async def left_window(self, caller: Caller, memories: Sequence[NewMemory]) -> int:
        """As `add`, for turns of conversations that the caller reads: each is of who asked it. Others are left out."""
        ...

    async def untaken(self, limit: int) -> list[Untaken]:
        """What is not taken in yet, of all accounts."""
        ...

    async def take(self, subject: Untaken, memories: Sequence[NewMemory]) -> int:
        """Store what a subject holds, and mark it; how many are new. Facts that are not among them are forgotten."""
        ...

    async def without_vector(self, model: str, limit: int) -> list[WithoutVector]:
        """Memories that have none of this model, of all accounts."""
        ...

    async def keep_vectors(self, vectors: Mapping[str, Vector]) -> int:
        """Vectors by their memories' ids; of one that is gone nothing is kept."""
        ...

    async def is_complete(self, caller: Caller, model: str) -> bool:
        """Whether every memory that the caller may read has its vector of this model."""
        ...
