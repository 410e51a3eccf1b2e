"""One process of `python -m bench scale`: relays of several servers on one database, with turns that are replayed."""

import asyncio
import contextlib
import gc
import logging
import random
import resource
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any
from unittest.mock import patch

import psycopg
import structlog

from server.adapters.postgres import announcements
from server.adapters.postgres.event_rows import announcement
from server.adapters.postgres.pool import Database
from server.adapters.postgres.relay import PostgresRelay
from server.protocol.events import ModelChunkAppend, TurnEvent, TurnStarted
from server.protocol.server import TurnSnapshot

SETTLED_S = 2.0
"""Nothing was announced for so long, once every listener has the beginning of its turn: what follows is of pieces."""

LATE_S = 30.0
"""How long pieces are waited for that have been said."""

WORDS = "The main thread waits for the lock of the cache, "
"""A piece is some ten tokens, as the sink joins them."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A turn, with the servers that run it and that its listener is at."""

    turn_id: str
    session_id: str
    owner: int
    listener: int


@dataclass(frozen=True, slots=True)
class Round:
    """So many pieces of each turn over so many seconds."""

    pieces: int
    seconds: float


@dataclass(slots=True)
class Seen:
    """Of one round in one process. `delays_ms` are from saying a piece to its listener's having it, of all pieces."""

    said: int = 0
    delays_ms: list[float] = field(default_factory=list)
    statements: int = 0
    announcements: int = 0
    cpu_s: float = 0.0
    seconds: float = 0.0
    expected: int = 0
    started: set[str] = field(default_factory=set)
    """The turns of which a listener has something."""


def simulate(server_dsn: str, servers: list[int], turns: list[Replayed], parent: Connection) -> None:
    """Run these servers until the parent sends None; each Round that it sends is answered by what was Seen. The first
    word is the parent's to know that all are there."""
    gc.freeze()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    logging.disable(logging.CRITICAL)
    asyncio.run(_simulated(server_dsn, servers, turns, parent))


async def _simulated(server_dsn: str, servers: list[int], turns: list[Replayed], parent: Connection) -> None:
    seen = Seen()
    async with AsyncExitStack() as stack:
        stack.enter_context(_counting(seen))
        relays: dict[int, PostgresRelay] = {}
        for number in servers:
            database = await stack.enter_async_context(Database(server_dsn, max_connections=2))
            relays[number] = await stack.enter_async_context(PostgresRelay(database, server_dsn))
        received = [one for one in turns if one.listener in relays]
        all_received = asyncio.Event()
        listening = [
            asyncio.create_task(_receive(relays[one.listener], one.session_id, seen, all_received)) for one in received
        ]
        said = [_Speaker(one, relays[one.owner]) for one in turns if one.owner in relays]
        await asyncio.gather(*(speaker.begin() for speaker in said))
        await _settled(seen, len(received))
        parent.send(None)
        while (asked := await asyncio.to_thread(parent.recv)) is not None:
            await _round(asked, said, len(received), seen, all_received)
            parent.send(seen)
        for task in listening:
            task.cancel()
        await asyncio.gather(*listening, return_exceptions=True)


async def _settled(seen: Seen, received: int) -> None:
    announced = -1
    while len(seen.started) < received or seen.announcements != announced:
        announced = seen.announcements
        await asyncio.sleep(SETTLED_S)


async def _round(
    asked: Round, speakers: "list[_Speaker]", received: int, seen: Seen, all_received: asyncio.Event
) -> None:
    seen.delays_ms, seen.said, seen.statements, seen.announcements = [], 0, 0, 0
    all_received.clear()
    seen.expected = received * asked.pieces
    before, began = _cpu_s(), time.monotonic()
    await asyncio.gather(*(speaker.speak(asked) for speaker in speakers))
    seen.said = asked.pieces * len(speakers)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LATE_S):
            await all_received.wait()
    seen.cpu_s, seen.seconds = _cpu_s() - before, time.monotonic() - began


class _Speaker:
    """A turn that runs at its owner's."""

    def __init__(self, turn: Replayed, relay: PostgresRelay) -> None:
        self._turn, self._relay = turn, relay
        self._seq, self._offset = 0, 0

    async def begin(self) -> None:
        await self._publish(TurnStarted(attempt=1, model="replay", prompt_version="1"))

    async def speak(self, asked: Round) -> None:
        """Pieces at an even pace, which begins somewhere in the first interval."""
        every_s = asked.seconds / asked.pieces
        began = time.monotonic() + random.uniform(0, every_s)
        for piece in range(asked.pieces):
            await asyncio.sleep(max(began + piece * every_s - time.monotonic(), 0))
            text = f"{WORDS}{time.monotonic_ns()}"
            await self._publish(ModelChunkAppend(message_id="m", offset=self._offset, chunk=text))
            self._offset += len(text)

    async def _publish(self, event: TurnEvent) -> None:
        self._seq += 1
        stamp = {"turn_id": self._turn.turn_id, "session_id": self._turn.session_id, "seq": self._seq}
        await self._relay.publish(event.model_copy(update=stamp))


async def _receive(relayed: PostgresRelay, session_id: str, seen: Seen, all_received: asyncio.Event) -> None:
    async for event in relayed.listen(session_id):
        seen.started.add(event.turn_id)
        if isinstance(event, TurnSnapshot) or not isinstance(event, ModelChunkAppend):
            continue
        seen.delays_ms.append((time.monotonic_ns() - int(event.chunk.removeprefix(WORDS))) / 1e6)
        if len(seen.delays_ms) >= seen.expected:
            all_received.set()


@contextmanager
def _counting(seen: Seen) -> Iterator[None]:
    """Count the statements that leave, and the announcements that come."""
    execute: Callable[..., Awaitable[Any]] = psycopg.AsyncConnection.execute

    async def counted(*parts: Any, **named: Any) -> Any:
        seen.statements += 1
        return await execute(*parts, **named)

    def received(*parts: Any) -> Any:
        seen.announcements += 1
        return announcement(*parts)

    with (
        patch.object(psycopg.AsyncConnection, "execute", counted),
        patch.object(announcements, "announcement", received),
    ):
        yield


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
