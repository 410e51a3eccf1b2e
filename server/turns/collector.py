"""Looks at what a person typed for facts that will hold tomorrow, while the answer is made. Each becomes a proposal,
which the person decides on; most prompts hold none, and what goes wrong is a line of the log."""

import asyncio
from collections.abc import Sequence

import structlog

from server.agent.tools.contract.tool_context import FactProposals
from server.agent.tools.contract.tool_errors import ToolProblem
from server.analyst.lasting_facts import lasting_facts
from server.analyst.memory_orders import memory_order
from server.errors import ServerError, raised_at
from server.turns.typed_facts import typed_text

MOST_OF_A_PROMPT = 2
"""Facts that one prompt has proposed."""

log = structlog.get_logger(__name__)


class Collector:
    """By rule (`server/analyst/lasting_facts.py`)."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def begin(self, prompt: str, proposals: FactProposals) -> None:
        """Look at a prompt; returns at once."""
        if memory_order(prompt) is not None:
            return  # it is proposed by the answer
        facts = lasting_facts(typed_text(prompt))[:MOST_OF_A_PROMPT]
        if facts:
            task = asyncio.create_task(self._propose(facts, proposals), name="collector")
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    async def settled(self) -> None:
        """Wait until all that was started has ended."""
        while self._running:
            await asyncio.wait(self._running)

    async def _propose(self, facts: Sequence[str], proposals: FactProposals) -> None:
        for fact in facts:
            try:
                await proposals.propose(text=fact)
            except (ToolProblem, ServerError) as error:
                log.info("fact_not_proposed", error=type(error).__name__, where=raised_at(error))
