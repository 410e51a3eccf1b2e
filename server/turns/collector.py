"""Looks at what a person typed for facts that will hold tomorrow, while the answer is made. Each becomes a proposal,
which the person decides on; most prompts hold none, and what goes wrong is a line of the log.

It is one step whose state is stored: of one that is killed another server goes on where it was
(`server/turns/collector_recovery.py`), and none that has ended is started again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import structlog

from server.agent.tools.contract.tool_context import FactProposals
from server.agent.tools.contract.tool_errors import ToolProblem
from server.analyst.lasting_facts import lasting_facts
from server.analyst.memory_orders import memory_order
from server.errors import DatabaseUnavailable, ServerError, raised_at
from server.ports.core_memory import COLLECTING_S, CollectorStep, CoreMemory, Noticed
from server.ports.executor import ModelCaller
from server.ports.identity import Caller
from server.turns.typed_facts import typed_text

MOST_OF_A_PROMPT = 2
"""Facts that one prompt has proposed."""

log = structlog.get_logger(__name__)


class FactNoticer(Protocol):
    """A language model that is asked once, and offered no tool that does anything."""

    async def notice(self, typed: str, facts: Sequence[str], caller: ModelCaller) -> list[Noticed]:
        """What a text states that lasts and is not among the facts; the caller's call is counted. Raises
        ServiceUnavailable, DatabaseUnavailable."""
        ...


@dataclass(frozen=True, slots=True)
class StoredStep:
    """The stored step of one turn's collector, which another may take up `after_s`."""

    store: CoreMemory
    caller: Caller
    turn_id: str
    after_s: float = COLLECTING_S

    async def begin(self) -> CollectorStep | None:
        """None where there is nothing to do for this process. Raises NotFound, DatabaseUnavailable."""
        return await self.store.begin_collecting(self.caller, self.turn_id, after_s=self.after_s)

    async def keep(self, noticed: Sequence[Noticed]) -> None:
        """Raises DatabaseUnavailable."""
        await self.store.keep_noticed(self.turn_id, noticed)

    async def end(self) -> None:
        """Raises DatabaseUnavailable."""
        await self.store.end_collecting(self.turn_id)


class Collector:
    """By rule (`server/analyst/lasting_facts.py`), or by a model where one is set; by rule as well where that does not
    answer."""

    def __init__(self, noticer: FactNoticer | None = None) -> None:
        self._noticer = noticer
        self._running: set[asyncio.Task[None]] = set()

    def begin(
        self,
        prompt: str,
        proposals: FactProposals,
        caller: ModelCaller,
        step: StoredStep,
        facts: Callable[[], Awaitable[Sequence[str]]] | None = None,
    ) -> bool:
        """Look at a prompt; returns at once, whether there is something to look at. `facts` are those that are
        remembered."""
        if memory_order(prompt) is not None:
            return False  # it is proposed by the answer
        typed = typed_text(prompt)
        if self._noticer is not None and typed.strip():
            noticer = self._noticer

            async def look() -> list[Noticed]:
                return await _asked(noticer, typed, caller, facts)

        elif found := by_rule(typed):

            async def look() -> list[Noticed]:
                return found

        else:
            return False
        task = asyncio.ensure_future(_collect(look, proposals, step))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return True

    async def settled(self, within: float | None = None) -> int:
        """Wait until all that was started has ended, at most for so many seconds; how much had to be given up then,
        which the next server takes up."""
        deadline = None if within is None else asyncio.get_running_loop().time() + within
        while self._running:
            left = None if deadline is None else deadline - asyncio.get_running_loop().time()
            if left is not None and left <= 0:
                break
            await asyncio.wait(self._running, timeout=left)
        given_up = list(self._running)
        for task in given_up:
            task.cancel()
        if given_up:
            await asyncio.wait(given_up)
            log.info("facts_not_looked_for", prompts=len(given_up))
        return len(given_up)


async def _collect(look: Callable[[], Awaitable[list[Noticed]]], proposals: FactProposals, step: StoredStep) -> None:
    """From where the stored step is to its end. What is proposed twice is one proposal."""
    try:
        found = await step.begin()
        if found is None:
            return
        noticed: Sequence[Noticed] | None = found.noticed
        if noticed is None:
            noticed = (await look())[:MOST_OF_A_PROMPT]
            await step.keep(noticed)
        await _propose(noticed, proposals)
        await step.end()
    except ServerError as error:
        log.info("facts_not_looked_for", error=type(error).__name__, where=raised_at(error))


async def _asked(
    noticer: FactNoticer,
    typed: str,
    caller: ModelCaller,
    facts: Callable[[], Awaitable[Sequence[str]]] | None,
) -> list[Noticed]:
    try:
        return await noticer.notice(typed, [] if facts is None else await facts(), caller)
    except ServerError as error:
        log.info("facts_noticed_by_rule", error=type(error).__name__, where=raised_at(error))
        return by_rule(typed)


async def _propose(found: Sequence[Noticed], proposals: FactProposals) -> None:
    """Raises DatabaseUnavailable: then they are proposed later."""
    for one in found:
        try:
            await proposals.propose(text=one.text, old=one.old)
        except DatabaseUnavailable:
            raise
        except (ToolProblem, ServerError) as error:
            log.info("fact_not_proposed", error=type(error).__name__, where=raised_at(error))


def by_rule(typed: str) -> list[Noticed]:
    """At most MOST_OF_A_PROMPT."""
    return [Noticed(text=fact) for fact in lasting_facts(typed)[:MOST_OF_A_PROMPT]]
