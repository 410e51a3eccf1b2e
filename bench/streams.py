"""`python -m bench streams`: what a token costs the server by each of the ways on which a turn is followed.

One server process and PostgreSQL; the model and all clients are in this process. The same turns run by the socket and
by each stream of other clients, in rounds, so that whatever else the machine does meets all of them. Counted is the CPU
of the server and its workers, from the start of the turns to their end.
"""

import asyncio
import json
import statistics
import tempfile
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx

from bench.process_times import cpu_of, with_children
from bench.raw_socket import RawSocket
from bench.short_turns import ENDS
from bench.streaming import TOKENS_PER_S
from tests.soak.fleet import Fleet, fleet
from tests.soak.speaking import Script, in_letters, speaking_endpoint

SECONDS = 10.0
TURNS = 8
ROUNDS = 3
TIMES_THE_SOCKETS = 1.3
PATHS = {name: f"/api/v1/streams/{name}" for name in ("ai-sdk", "data-stream", "ag-ui")}

Follow = Callable[[Fleet, Script], Awaitable[int]]


async def by_socket(servers: Fleet, script: Script) -> int:
    """One turn; returns its words."""
    session = str(uuid.uuid4())
    socket = await RawSocket.join(servers.addresses[0], traceId=servers.trace_id, sessionId=session)
    socket.send(type="user_prompt", sessionId=session, prompt=script.prompt)
    text = ""
    while (message := await socket.next())["type"] not in ENDS:
        text += message.get("chunk") or ""
    socket.close()
    return len(text.split())


def by_stream(path: str) -> Follow:
    async def follow(servers: Fleet, script: Script) -> int:
        chat, message = str(uuid.uuid4()), {"id": "m", "role": "user", "content": script.prompt}
        asked = {"threadId": chat, "runId": "r", "messages": [message], "forwardedProps": {"traceId": servers.trace_id}}
        asked |= {"traceId": servers.trace_id}
        text = ""
        async with (
            httpx.AsyncClient(base_url=servers.addresses[0], trust_env=False, timeout=None) as http,
            http.stream("POST", path, json=asked) as got,
        ):
            async for line in got.aiter_lines():
                text += _text(line)
        return len(text.split())

    return follow


def _text(line: str) -> str:
    code, _, value = line.partition(":")
    if code == "0":
        return str(json.loads(value))
    if code == "data" and '"delta":' in value and "TOOL" not in value:
        return str(json.loads(value)["delta"])
    return ""


WAYS: dict[str, Follow] = {"socket": by_socket} | {name: by_stream(path) for name, path in PATHS.items()}


async def microseconds_per_token(servers: Fleet, follow: Follow, seconds: float) -> float:
    """Raises RuntimeError when a turn has not all of its words."""
    words = int(seconds * TOKENS_PER_S)
    scripts = [
        Script(in_letters(uuid.uuid4().int >> 64), words=words, every_ms=1000 / TOKENS_PER_S, looks=0)
        for _ in range(TURNS)
    ]
    pid = servers.members[0].process.pid
    before = cpu_of(with_children(pid))
    followed = await asyncio.gather(*(follow(servers, script) for script in scripts))
    spent = cpu_of(with_children(pid)) - before
    if followed != [words] * TURNS:
        raise RuntimeError(f"of {words} words came {followed}")
    return spent / (words * TURNS) * 1e6


async def measured(seconds: float, folder: Path) -> dict[str, list[float]]:
    async with speaking_endpoint() as endpoint, fleet(folder, 1, model_url=endpoint.base_url) as servers:
        for follow in WAYS.values():  # pools and imports are there before anything is counted
            await microseconds_per_token(servers, follow, 1.0)
        seen: dict[str, list[float]] = {name: [] for name in WAYS}
        for _ in range(ROUNDS):
            for name, follow in WAYS.items():
                seen[name].append(await microseconds_per_token(servers, follow, seconds))
        return seen


def print_streams(seconds: float = SECONDS) -> bool:
    """Print the figures with their bound; returns whether all hold."""
    with tempfile.TemporaryDirectory(prefix="flamechat-streams-") as folder:
        seen = asyncio.run(measured(seconds, Path(folder)))
    print(
        f"\n{TURNS} turns at once of {TOKENS_PER_S} tokens a second for {seconds:g} s, {ROUNDS} rounds; CPU a token\n"
    )
    socket = statistics.median(seen["socket"])
    holds = True
    for name, figures in seen.items():
        times = statistics.median(figures) / socket
        holds &= times <= TIMES_THE_SOCKETS
        each = ", ".join(f"{figure:.0f}" for figure in figures)
        print(f"{name:12} {statistics.median(figures):6.0f} µs ({each}), {times:.2f} times the socket's")
    print(f"bound {TIMES_THE_SOCKETS:g}: {'holds' if holds else 'does not hold'}")
    return holds
