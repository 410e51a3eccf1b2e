"""`python -m bench interrupts`: how long a turn takes that looks once, and how soon one goes on when its page answers.

A server process and PostgreSQL; the model and the page are in this process, and both answer at once. A round trip is
from the page's `resume` to the result of the tool that asked it. No setting names anything outside.
"""

import asyncio
import json
import tempfile
import time
import uuid
from pathlib import Path

from bench.raw_socket import RawSocket
from bench.short_turns import ENDS
from tests.openai_endpoint import Reply, openai_endpoint
from tests.soak.fleet import Fleet, fleet

TURNS = 40
ASKING_TURNS = 8
QUESTIONS = 10
ROUND_TRIP_MS = 150.0
MOUNTED = [{"name": "ask_person", "version": 1}]


def looking() -> list[Reply]:
    """A turn that looks once, and answers."""
    return [Reply(calls=(("get_top_functions", '{"limit": 5}'),)), Reply(text="It is read. " * 20)]


def asking() -> list[Reply]:
    """A turn that asks the page again and again."""
    asks = [json.dumps({"question": f"Which part, {number}?", "choices": ["a", "b"]}) for number in range(QUESTIONS)]
    return [*(Reply(calls=(("ask_person", one),)) for one in asks), Reply(text="It is read.")]


async def one_turn(servers: Fleet) -> tuple[float, list[float]]:
    """Milliseconds from prompt to end, and of each round trip within. Raises RuntimeError when it does not complete."""
    session = str(uuid.uuid4())
    start = {"traceId": servers.trace_id, "sessionId": session, "mountedTools": MOUNTED}
    socket = await RawSocket.join(servers.addresses[0], **start)
    began = answered = time.perf_counter()
    socket.send(type="user_prompt", sessionId=session, prompt="Why is it slow?")
    trips = []
    while (message := await socket.next())["type"] not in ENDS:
        if message["type"] == "interrupt":
            answered = time.perf_counter()
            result = {"status": "answered", "answer": "a"}
            socket.send(type="resume", interruptId=message["interruptId"], result=result)
        elif _is_result_of_asking(message):
            trips.append((time.perf_counter() - answered) * 1e3)
    if message["type"] != "model_response_end":
        raise RuntimeError(f"a turn ended with {message}")
    socket.close()
    return (time.perf_counter() - began) * 1e3, trips


def _is_result_of_asking(message: dict[str, object]) -> bool:
    return message["type"] == "tool_result" and message["toolName"] == "ask_person"


async def measured(folder: Path) -> tuple[list[float], list[float]]:
    """Turns that look once, and round trips."""
    replies = [one for _ in range(TURNS + 2) for one in looking()]
    replies += [one for _ in range(ASKING_TURNS) for one in asking()]
    async with openai_endpoint(*replies) as endpoint, fleet(folder, 1, model_url=endpoint.base_url) as servers:
        turns = [(await one_turn(servers))[0] for _ in range(TURNS + 2)][2:]
        trips = [trip for _ in range(ASKING_TURNS) for trip in (await one_turn(servers))[1]]
    return turns, trips


def p(share: float, figures: list[float]) -> float:
    """A percentile, of those that were seen."""
    return sorted(figures)[min(int(share * len(figures)), len(figures) - 1)]


def print_interrupts() -> bool:
    """Print the figures with their bound; returns whether it holds."""
    with tempfile.TemporaryDirectory(prefix="flamechat-interrupts-") as folder:
        turns, trips = asyncio.run(measured(Path(folder)))
    print(f"\n{len(turns)} turns with one tool: p50 {p(0.5, turns):.0f} ms, p95 {p(0.95, turns):.0f} ms")
    holds = len(trips) == ASKING_TURNS * QUESTIONS and p(0.95, trips) < ROUND_TRIP_MS
    print(
        f"{len(trips)} questions to the page: p50 {p(0.5, trips):.0f} ms, p95 {p(0.95, trips):.0f} ms until it goes on"
    )
    print(f"bound {ROUND_TRIP_MS:g} ms at p95: {'holds' if holds else 'does not hold'}")
    return holds
