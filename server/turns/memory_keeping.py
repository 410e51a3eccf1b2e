"""Takes in what an account is to remember (findings of its traces, answers, facts) and makes their vectors, while
others upload and ask, and never on their way. What a process has not done the next one does."""

import asyncio
from collections.abc import Mapping

import structlog

from server.agent.memory.fact_likeness import likeness
from server.agent.memory.memory_texts import answer_memory, fact_memory, finding_memories
from server.analyst.memory_orders import memory_order
from server.analyst.memory_questions import memory_question
from server.errors import DatabaseUnavailable, ServiceUnavailable, raised_at
from server.ports.embedder import Embedder
from server.ports.knowledge import Knowledge
from server.ports.memories import (
    FactsToRemember,
    Memories,
    NewMemory,
    TraceToRemember,
    Untaken,
)

AT_ONCE = 16
"""Subjects, and vectors, of one step."""

IDLE_S = 5.0
QUOTES_PEOPLE = ("**Remembered:**", "**You wrote earlier")
"""Begin answers of the analyst that are nothing else."""

LONGEST_IDLE_S = 60.0
"""How long a service that gives no vectors is left alone."""

log = structlog.get_logger(__name__)


class MemoryKeeping:
    """`embedder` is the one of the settings; without it memories are found by words. The documents of
    `knowledge` get their vectors here too. `counts` says what became of memories: `made`, `skipped`, `conflicts`,
    `failed`."""

    def __init__(
        self, store: Memories, embedder: Embedder | None = None, *, knowledge: Knowledge | None = None
    ) -> None:
        self._store = store
        self._knowledge = knowledge
        self._embedder = embedder
        self._wake = asyncio.Event()
        self.counts = {"made": 0, "skipped": 0, "conflicts": 0, "failed": 0}

    def nudge(self) -> None:
        """Something is there to be taken in."""
        self._wake.set()

    async def run(self) -> None:
        """Until cancelled."""
        pause = IDLE_S
        while True:
            try:
                busy = await self.step()
                pause = IDLE_S
            except (DatabaseUnavailable, ServiceUnavailable) as error:
                log.warning("memory_not_kept", error=type(error).__name__, where=raised_at(error))
                self.counts["failed"] += 1
                busy, pause = False, min(2 * pause, LONGEST_IDLE_S)
            if not busy:
                await self._rest(pause)

    async def sync(self) -> int:
        """Take in all that is there, vectors too; how many memories are new. Raises DatabaseUnavailable,
        ServiceUnavailable."""
        before = self.counts["made"]
        while await self.step():
            pass
        return self.counts["made"] - before

    async def step(self) -> bool:
        """Take in a few; whether there may be more."""
        subjects = await self._store.untaken(AT_ONCE)
        for subject in subjects:
            await self._take(subject)
        return bool(subjects) or await self._make_vectors()

    async def _take(self, subject: Untaken) -> None:
        memories, skipped = self._memories_of(subject)
        made = await self._store.take(subject, memories)
        self.counts["made"] += made
        self.counts["skipped"] += skipped + max(len(memories) - made, 0)
        self.counts["conflicts"] += sum("conflicts_with" in memory.metadata for memory in memories)

    def _memories_of(self, subject: Untaken) -> tuple[list[NewMemory], int]:
        """What is to be remembered of a subject, and how much of it says again what another says."""
        if isinstance(subject, TraceToRemember):
            findings = subject.summary.get("findings")
            kept = findings if isinstance(findings, list) else []
            return list(finding_memories(subject.trace_id, subject.name, kept)), 0
        if isinstance(subject, FactsToRemember):
            return _facts(subject.facts)
        if _is_about_memory(subject.prompt, subject.answer):
            return [], 0
        answer = answer_memory(
            turn_id=subject.turn_id,
            session_id=subject.session_id,
            trace_id=subject.trace_id,
            prompt=subject.prompt,
            answer=subject.answer,
            citations=subject.citations,
        )
        return ([] if answer is None else [answer]), 0

    async def _make_vectors(self) -> bool:
        """Of a few memories, and where all have theirs of a few parts of documents; whether any was made."""
        if self._embedder is None:
            return False
        memories = await self._store.without_vector(self._embedder.model, AT_ONCE)
        meanings = {one.memory_id: one.meaning for one in memories}
        if meanings or self._knowledge is None:
            return await self._embed(meanings, self._store) > 0
        passages = await self._knowledge.without_vector(self._embedder.model, AT_ONCE)
        return await self._embed({one.handle: one.meaning for one in passages}, self._knowledge) > 0

    async def _embed(self, meanings: Mapping[str, str], store: Memories | Knowledge) -> int:
        if not meanings or self._embedder is None:
            return 0
        vectors = await self._embedder.embed(list(meanings.values()))
        return await store.keep_vectors(dict(zip(meanings, vectors, strict=True)))

    async def _rest(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._wake.wait(), seconds)
        except TimeoutError:
            return
        self._wake.clear()


def _is_about_memory(prompt: str, answer: str) -> bool:
    """Whether a prompt orders or asks for what people said: its answer quotes that, says nothing of a trace, and would
    bring back a fact that is struck later."""
    asked = memory_question(prompt)
    said = asked is not None and asked.kind == "said"
    return said or memory_order(prompt) is not None or answer.startswith(QUOTES_PEOPLE)


def _facts(facts: tuple[str, ...]) -> tuple[list[NewMemory], int]:
    """Facts as memories, those once that say the same; of two that do not go together the newer names the older."""
    kept: list[NewMemory] = []
    skipped = 0
    for fact in facts:
        new = fact_memory(fact)
        alike = [(likeness(one.text, new.text), one) for one in kept]
        if any(which == "same" for which, _ in alike):
            skipped += 1
            continue
        older = next((one for which, one in alike if which == "conflict"), None)
        if older is not None:
            new = fact_memory(fact, conflicts_with=older.key)
        kept.append(new)
    return kept, skipped
