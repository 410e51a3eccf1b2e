"""Answers to questions over recordings, kept for ten minutes while the recordings stand as they did: three people who
ask the same, and one who has it answered again, cost one run."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from server.agent.questions.run_answers import RunsAnswer
from server.ports.clock import Clock

KEPT_S = 600.0
MOST_KEPT = 200
"""Of a process: past it the oldest go."""


@dataclass(slots=True)
class _Kept:
    state: str
    until: float = 0.0
    answer: RunsAnswer | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class KeptRunAnswers:
    """By who may see what, the question and the state of the recordings."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: dict[tuple[str, ...], _Kept] = {}

    async def answer(self, key: tuple[str, ...], state: str, run: Callable[[], Awaitable[RunsAnswer]]) -> RunsAnswer:
        """The answer that is kept, else that of a run, for which others who ask the same wait. Raises what the run
        raises, which is kept for nobody."""
        kept = self._kept.get(key)
        if kept is None or kept.state != state:
            kept = self._kept[key] = _Kept(state)
            for oldest in list(self._kept)[: max(0, len(self._kept) - MOST_KEPT)]:
                del self._kept[oldest]
        async with kept.lock:
            if kept.answer is None or self._clock.monotonic() >= kept.until:
                kept.answer = await run()
                kept.until = self._clock.monotonic() + KEPT_S
            return kept.answer
