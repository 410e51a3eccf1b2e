"""What Langfuse costs a turn, alive and dead: pairs of turns, one without it, one that it gives the prompt to and
watches, in turns.

`python -m bench.cloud_langfuse`. A turn is the agent's, over a model endpoint that streams 300 pieces in three calls;
Langfuse is a test server in a process of its own. The prompt may be an hour old, so that a dead Langfuse ends no turn;
how long a turn without a copy waits is the setting's one second. The figure is the median of the differences within
pairs.
"""

import asyncio
import logging
import signal
import statistics
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import structlog

from server.adapters.in_process.clock import SystemClock
from server.adapters.langfuse.connection import LangfuseConnection
from server.adapters.langfuse.prompts import LangfusePrompts
from server.adapters.langfuse.tracing import LangfuseTracing
from tests.cloud.faults import Fault
from tests.cloud.langfuse_server import langfuse_server
from tests.cloud.langfuse_turns import PROMPT
from tests.openai_endpoint import Reply, openai_endpoint
from tests.server.agent.turns import RecordingSink, Stage, endpoint_models, stage

PAIRS = 30
WARM_UP = 5
TARGET_MS = 50.0
TARGET_SHARE = 0.05
TURN = (
    Reply(text="I look at it. " * 10, calls=(("get_top_functions", '{"limit": 5}'),), piece=5),
    Reply(text="Once more. " * 10, calls=(("get_call_tree", "{}"),), piece=5),
    Reply(text="It is parse_json. " * 70, piece=5),
)
STATES: dict[str, Fault | None] = {
    "alive": None,
    "slow (0.3 s an answer)": "slow",
    "hangs": "hang",
    "answers 500": "500",
    "answers with a page": "wrong",
    "cuts every answer": "cut",
}


async def _serve(fault: str) -> None:
    """A Langfuse for the parent: prints its address and keys; from SIGUSR1 on it fails."""
    async with langfuse_server(prompt=PROMPT) as project:
        loop = asyncio.get_running_loop()

        def fail() -> None:
            for service in ("prompts", "traces", "scores"):
                project.faults.always(service, None if fault == "None" else fault)  # type: ignore[arg-type]

        loop.add_signal_handler(signal.SIGUSR1, fail)
        print(project.url, project.public_key, project.secret_key, flush=True)
        await asyncio.to_thread(sys.stdin.read)


@asynccontextmanager
async def watched(base_url: str, fault: Fault | None, *, with_contents: bool) -> AsyncIterator[Stage]:
    """A turn with a Langfuse, which has given its prompt once before it fails."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.cloud_langfuse", "serve", str(fault)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        host, public_key, secret_key = (await process.stdout.readline()).decode().split()
        connection = LangfuseConnection(
            host=host, public_key=public_key, secret_key=secret_key, with_contents=with_contents
        )
        async with connection:
            prompts = LangfusePrompts(connection, SystemClock(), stale_s=3600)
            await prompts.system_prompt()
            process.send_signal(signal.SIGUSR1)
            tracing = LangfuseTracing(connection, prompts.linked)
            yield stage(endpoint_models(base_url), prompts=prompts, tracing=tracing)
    finally:
        process.kill()
        await process.communicate()


async def turn_ms(scene: Stage, number: int) -> float:
    turn = replace(scene.turn, turn_id=f"turn-{number}")
    started = time.perf_counter()
    await scene.agent.answer(turn, RecordingSink())
    return (time.perf_counter() - started) * 1000


async def _print_state(name: str, fault: Fault | None, *, with_contents: bool) -> bool:
    turns = 2 * (PAIRS + WARM_UP)
    async with openai_endpoint(*TURN * turns) as endpoint:
        without = stage(endpoint_models(endpoint.base_url))
        async with watched(endpoint.base_url, fault, with_contents=with_contents) as seen:
            for number in range(WARM_UP):
                await turn_ms(without, number)
                await turn_ms(seen, number)
            pairs = []
            for number in range(PAIRS):
                order = (without, seen) if number % 2 else (seen, without)
                figures = [await turn_ms(one, WARM_UP + number) for one in order]
                pairs.append(tuple(figures) if number % 2 else tuple(reversed(figures)))
    median = statistics.median(one for one, _ in pairs)
    difference = statistics.median(other - one for one, other in pairs)
    allowed = max(TARGET_MS, TARGET_SHARE * median)
    print(f"{name:40} {median:10.1f} {difference:+12.1f} {allowed:10.1f}", flush=True)
    return difference <= allowed


async def _print() -> bool:
    good = [await _print_state(name, fault, with_contents=False) for name, fault in STATES.items()]
    good.append(await _print_state("alive, contents sent", None, with_contents=True))
    good.append(await _print_state("hangs, contents to be sent", "hang", with_contents=True))
    return all(good)


def print_langfuse() -> bool:
    """Milliseconds over PAIRS pairs each; whether every difference is within its bound."""
    print(f"\na turn that Langfuse watches, in ms ({PAIRS} alternating pairs each)\n")
    print(f"{'Langfuse':40} {'without':>10} {'difference':>12} {'at most':>10}")
    return asyncio.run(_print())


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(_serve(sys.argv[2]))
    else:
        logging.disable(logging.CRITICAL)  # a dead Langfuse is what is measured
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
        sys.exit(0 if print_langfuse() else 1)
