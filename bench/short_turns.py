"""What a turn of a few words costs, from its prompt to its end."""

import asyncio
import time
import uuid
from dataclasses import dataclass

from bench.process_times import spent_by
from bench.raw_socket import RawSocket
from tests.soak.fleet import Fleet
from tests.soak.speaking import Script, in_letters

SHORT_TURNS, SHORT_WORDS, IDLE_S = 30, 5, 5.0
ENDS = {"model_response_end", "turn_cancelled", "turn_failed"}


@dataclass(frozen=True, slots=True)
class TurnCost:
    """CPU seconds of a turn of a few words, from its prompt to its end."""

    serving: float
    workers: float
    postgres: float


async def short_turns(servers: Fleet) -> TurnCost:
    """Of SHORT_TURNS, one after the other, without what the processes cost while nothing is asked."""
    joined = [await joined_socket(servers) for _ in range(SHORT_TURNS)]
    idle, idle_since = spent_by(servers), time.monotonic()
    await asyncio.sleep(IDLE_S)
    before, since = spent_by(servers), time.monotonic()
    for session, socket in joined:
        script = Script(in_letters(uuid.uuid4().int >> 64), words=SHORT_WORDS, every_ms=1, looks=0)
        socket.send(type="user_prompt", sessionId=session, prompt=script.prompt)
        while (await socket.next())["type"] not in ENDS:
            pass
    after, times = spent_by(servers), (time.monotonic() - since) / (since - idle_since)
    for _, socket in joined:
        socket.close()
    costs = zip(idle, before, after, strict=True)
    return TurnCost(*(max(end - start - (start - base) * times, 0.0) / SHORT_TURNS for base, start, end in costs))


async def joined_socket(servers: Fleet) -> tuple[str, RawSocket]:
    """A new session, and who listens to it."""
    session = str(uuid.uuid4())
    return session, await RawSocket.join(servers.addresses[0], traceId=servers.trace_id, sessionId=session)
