"""Looks at what a person typed for facts that will hold tomorrow, while the answer is made. Each becomes a proposal,
which the person decides on; most prompts hold none, and what goes wrong is a line of the log."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import structlog

from server.agent.tools.contract.tool_context import FactProposals
from server.agent.tools.contract.tool_errors import ToolProblem
from server.analyst.lasting_facts import lasting_facts
from server.analyst.memory_orders import memory_order
from server.errors import ServerError, raised_at
from server.ports.executor import ModelCaller
from server.turns.typed_facts import typed_text

MOST_OF_A_PROMPT = 2
"""Facts that one prompt has proposed."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noticed:
    """A fact, in place of the line `old` where there is one."""

    text: str
    old: str | None = None


class FactNoticer(Protocol):
    """A language model that is asked once, and offered no tool that does anything."""

    async def notice(self, typed: str, facts: Sequence[str], caller: ModelCaller) -> list[Noticed]:
        """What a text states that lasts and is not among the facts; the caller's call is counted. Raises
        ServiceUnavailable, DatabaseUnavailable."""
        ...


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
        facts: Callable[[], Awaitable[Sequence[str]]] | None = None,
    ) -> None:
        """Look at a prompt; returns at once. `facts` are those that are remembered."""
        if memory_order(prompt) is not None:
            return  # it is proposed by the answer
        typed = typed_text(prompt)
        if self._noticer is not None and typed.strip():
            self._start(self._ask(self._noticer, typed, proposals, caller, facts))
        elif found := by_rule(typed):
            self._start(self._propose(found, proposals))

    async def settled(self, within: float | None = None) -> int:
        """Wait until all that was started has ended, at most for so many seconds; how much had to be given up then."""
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

    def _start(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _ask(
        self,
        noticer: FactNoticer,
        typed: str,
        proposals: FactProposals,
        caller: ModelCaller,
        facts: Callable[[], Awaitable[Sequence[str]]] | None,
    ) -> None:
        try:
            found = await noticer.notice(typed, [] if facts is None else await facts(), caller)
        except ServerError as error:
            log.info("facts_noticed_by_rule", error=type(error).__name__, where=raised_at(error))
            found = by_rule(typed)
        await self._propose(found[:MOST_OF_A_PROMPT], proposals)

    async def _propose(self, found: Sequence[Noticed], proposals: FactProposals) -> None:
        for one in found:
            try:
                await proposals.propose(text=one.text, old=one.old)
            except (ToolProblem, ServerError) as error:
                log.info("fact_not_proposed", error=type(error).__name__, where=raised_at(error))


def by_rule(typed: str) -> list[Noticed]:
    """At most MOST_OF_A_PROMPT."""
    return [Noticed(text=fact) for fact in lasting_facts(typed)[:MOST_OF_A_PROMPT]]
