"""What an account remembers, found by meaning and by words; without an embedder, or while one is slow or fails, by
words alone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Literal

import structlog

from server.agent.memory.memory_texts import anchors_of, marked_words
from server.agent.memory.nearness import nearest_texts
from server.agent.memory.ranking import Ranked, rank, word_stems
from server.agent.memory.word_senses import asked_marks
from server.errors import BadRequest, DatabaseUnavailable, NotAllowed, NotFound, raised_at
from server.ports.conversations import TurnRow
from server.ports.embedder import Embedder
from server.ports.identity import Caller
from server.ports.memories import MOST_MEANING, MOST_TEXT, Memories, MemoryKind, MemoryRow, NewMemory, Sought
from server.quoting import clamp
from server.turns.asked_vector import PATIENCE_S, asked_vector
from server.turns.typed_facts import why_secret

MOST_NEAR = 3
NEAR = 0.45
"""Cosine from which a memory stands next to a prompt: a distance of 0.55."""

SHARED_ANCHORS = 2
"""Names and figures that do it where there are no vectors."""

NEAR_KINDS = frozenset({MemoryKind.FINDING, MemoryKind.ANSWER, MemoryKind.PREFERENCE})
MOST_QUERY = 2_000

MOST_EARLIER = 2
TURNS_LOOKED_AT = 100
LEAST_OF_WORDS = 0.12
"""Nearness of an earlier turn's words, where no vector says how near it is."""

log = structlog.get_logger(__name__)


class MemorySearch:
    """The memories of the caller's account. `embedders` are tried in order: the first that has all vectors of the
    account is asked, so that an older one goes on while a newer is filled."""

    def __init__(self, store: Memories, embedders: Sequence[Embedder] = (), *, patience_s: float = PATIENCE_S) -> None:
        self._store = store
        self._embedders = tuple(embedders)
        self._patience_s = patience_s

    async def search(self, caller: Caller, sought: Sought, *, limit: int = 10, least: float = 0.0) -> list[Ranked]:
        """The memories that a question means, the nearest first; for an empty one the newest. `least` leaves out what
        is less near."""
        query = clamp(sought.query, MOST_QUERY).strip()
        vector = None
        if query:
            is_complete = partial(self._store.is_complete, caller)
            vector = await asked_vector(self._embedders, is_complete, query, patience_s=self._patience_s)
        asked = replace(sought, query=f"{query} {asked_marks(query)}".strip())
        found = rank(query, await self._store.candidates(caller, asked, vector), limit=limit)
        return [one for one in found if one.near >= least]

    async def near(self, caller: Caller, turn: TurnRow) -> tuple[Ranked, ...]:
        """At most three that are near to a turn's prompt: none of its own trace or conversation, and no fact, which
        stands in the prompt already. None where they cannot be had: no turn fails for memory."""
        sought = Sought(query=turn.prompt, kinds=NEAR_KINDS)
        try:
            found = await self.search(caller, sought, limit=3 * MOST_NEAR)
        except (DatabaseUnavailable, NotFound) as error:
            log.warning("memories_not_read", error=type(error).__name__, where=raised_at(error))
            return ()
        kept = [
            one
            for one in found
            if one.memory.session_id != turn.session_id and one.memory.trace_id != turn.trace_id and _is_near(one)
        ]
        return tuple(kept[:MOST_NEAR])

    async def earlier(
        self, caller: Caller, session_id: str, prompt: str, left: Sequence[NewMemory]
    ) -> tuple[Ranked, ...]:
        """As `MemoriesAsked.earlier`."""
        sought = Sought(query=prompt, kinds=frozenset({MemoryKind.TURN}), session_id=session_id)
        try:
            await self._store.left_window(caller, left)
            found = await self.search(caller, sought, limit=TURNS_LOOKED_AT)
        except (DatabaseUnavailable, NotFound, NotAllowed) as error:
            log.warning("earlier_turns_not_read", error=type(error).__name__, where=raised_at(error))
            return ()
        by_words = nearest_texts(prompt, [one.memory.text for one in found], least=LEAST_OF_WORDS)
        near = [found[one.index] for one in by_words[:MOST_EARLIER]]
        near += [one for one in found if one.has_cosine and one.near >= NEAR and one not in near]
        return tuple(sorted(near[:MOST_EARLIER], key=lambda one: int(one.memory.metadata.get("position", 0))))

    def of_turn(self, caller: Caller, turn_id: str, session_id: str) -> "TurnRecall":
        """What a turn's tools may search."""
        return TurnRecall(self, caller, frozenset({turn_id}), session_id)

    def of_caller(self, caller: Caller) -> "TurnRecall":
        """What a caller's tools may search without a turn."""
        return TurnRecall(self, caller)

    async def rewrite(self, caller: Caller, memory_id: str, text: str) -> MemoryRow:
        """Raises NotFound, BadRequest for an empty text, one too long, and one that holds a secret."""
        said = " ".join(text.split())
        if not said or len(said) > MOST_TEXT:
            raise BadRequest(f"A memory has 1 to {MOST_TEXT:,} characters.", field="text")
        if (secret := why_secret(said)) is not None:
            raise BadRequest(f"This is not remembered: it seems to hold {secret}.", field="text")
        new = NewMemory(
            kind=(await self._one(caller, memory_id)).kind,
            source="person",
            key="",
            text=said,
            meaning=clamp(said, MOST_MEANING),
            words=marked_words(said),
            anchors=anchors_of(said),
        )
        return await self._store.rewrite(caller, memory_id, new)

    async def forget(self, caller: Caller, memory_id: str) -> MemoryRow:
        """Raises NotFound."""
        return await self._store.forget(caller, memory_id)

    async def forget_all(self, caller: Caller, whose: Literal["mine", "account"]) -> int:
        """How many went. Raises NotAllowed."""
        return await self._store.forget_all(caller, whose)

    async def listed(self, caller: Caller, *, limit: int = 100, before: datetime | None = None) -> list[MemoryRow]:
        """Newest first."""
        return await self._store.listed(caller, limit=limit, before=before)

    async def _one(self, caller: Caller, memory_id: str) -> MemoryRow:
        return await self._store.one(caller, memory_id)


def _is_near(one: Ranked) -> bool:
    """By the cosine of a model, or by two names or figures that both have."""
    if one.has_cosine:
        return one.near >= NEAR
    named = [frozenset(word_stems(anchor)) for anchor in one.memory.anchors]
    return sum(bool(parts) and parts <= one.shared for parts in named) >= SHARED_ANCHORS


@dataclass(frozen=True, slots=True)
class TurnRecall:
    """Implements `MemoriesAsked` for one turn."""

    memories: MemorySearch
    caller: Caller
    without_turns: frozenset[str] = frozenset()
    session_id: str | None = None

    async def earlier(self, prompt: str, left: Sequence[NewMemory]) -> Sequence[Ranked]:
        if self.session_id is None:
            return ()
        return await self.memories.earlier(self.caller, self.session_id, prompt, left)

    async def search(
        self, query: str, *, kinds: frozenset[MemoryKind], since: datetime | None, limit: int
    ) -> list[Ranked]:
        sought = Sought(query=query, kinds=kinds, since=since, without_turns=self.without_turns)
        return await self.memories.search(self.caller, sought, limit=limit)
