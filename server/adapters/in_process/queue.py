"""Accepted turns of one process, in order, one at a time per session."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from server.ports.queue import TurnJob


class MemoryQueue:
    """TurnQueue for one process. PostgreSQL remembers accepted turns: what was waiting here when a process died is
    put again at its next start.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, deque[TurnJob]] = {}
        self._running: dict[str, TurnJob] = {}
        self._ready: asyncio.Queue[TurnJob] = asyncio.Queue()
        self._offered: dict[str, TurnJob] = {}
        self._stops: asyncio.Queue[str] = asyncio.Queue()
        self._stopped = False

    async def put(self, job: TurnJob) -> int:
        ahead = [j for j in (self._running.get(job.session_id), self._offered.get(job.session_id)) if j is not None]
        line = self._waiting.setdefault(job.session_id, deque())
        jobs = [*ahead, *line]
        if job in jobs:
            return jobs.index(job)
        line.append(job)
        self._offer_next(job.session_id)
        return len(jobs)

    async def put_again(self, job: TurnJob) -> None:
        line = self._waiting.setdefault(job.session_id, deque())
        if job not in line and self._offered.get(job.session_id) != job:
            line.appendleft(job)
            self._offer_next(job.session_id)

    async def jobs(self) -> AsyncIterator[TurnJob]:
        while True:
            job = await self._ready.get()
            if self._offered.get(job.session_id) == job:
                del self._offered[job.session_id]
                self._running[job.session_id] = job
                yield job

    async def done(self, job: TurnJob) -> None:
        if self._running.get(job.session_id) == job:
            del self._running[job.session_id]
            self._offer_next(job.session_id)

    async def cancel(self, turn_id: str) -> bool:
        for session_id, job in self._offered.items():
            if job.turn_id == turn_id:
                del self._offered[session_id]
                self._offer_next(session_id)
                return True
        for line in self._waiting.values():
            for job in line:
                if job.turn_id == turn_id:
                    line.remove(job)
                    return True
        if any(job.turn_id == turn_id for job in self._running.values()):
            self._stops.put_nowait(turn_id)
        return False

    async def stops(self) -> AsyncIterator[str]:
        while True:
            yield await self._stops.get()

    async def stop(self) -> None:
        self._stopped = True
        self._offered.clear()

    def _offer_next(self, session_id: str) -> None:
        """Make the session's next job ready, unless one is ready or running."""
        line = self._waiting.get(session_id)
        if not line:
            self._waiting.pop(session_id, None)
        elif session_id not in self._running and session_id not in self._offered and not self._stopped:
            job = line.popleft()
            self._offered[session_id] = job
            self._ready.put_nowait(job)
