"""`python -m bench streaming [--seconds 20] [--sockets 500] [--levels 40,80,120,160]`: tokens on their way from the
model to the screen.

One server process and PostgreSQL; the model and all clients are in this process. Every token carries the moment at
which the model sent it, so that its way to the client's frame is measured without a second clock. Load is an open loop:
the model speaks at its pace whoever listens. Counting begins when all turns stream, lasts by the clock, and is of every
token that arrives meanwhile; turns begin and end in it. What other programs had of the machine, and what its host took,
is printed. The last figures are CPU per token of the server, its workers and PostgreSQL, next to that of
`ChatOpenAI.astream` alone, which reads the same stream in a process of its own, what memory a token takes while its
answer runs, and what a turn of a few words costs.
"""

import argparse
import asyncio
import json
import resource
import sys
import tempfile
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from bench.own_process import figures_of
from bench.process_times import cpu_of, postgres_processes, with_children
from bench.raw_socket import RawSocket
from bench.short_turns import ENDS, SHORT_WORDS, TurnCost, short_turns
from tests.soak.fleet import Fleet, fleet
from tests.soak.speaking import Endpoint, Script, from_letters, in_letters, speaking_endpoint

TOKENS_PER_S = 50
TURNS = 40
SOCKETS = 500
P95_MS = 250.0
CPU_TIMES_BARE = 1.25
KB_A_TOKEN = 0.6
TURN_CPU_S = 0.1
FLAT_MB_PER_MINUTE = 3.0
"""Growth that a bench of ten minutes can distinguish from an allocator's noise."""

FLAT_FROM_S = 300.0
"""Before that, pools and caches still fill: memory is only printed."""

TURN_S = 30.0
START_S = 0.6
"""For each turn, until all stream: what a start costs on one core, twice over."""

LONG_ANSWERS = {"FLAMECHAT_ANSWER_TOKENS": "100000"}
"""An answer is cut at eight characters for each token of its bound: the first of 80 turns would be, which speaks for a
minute and a half."""

JOINING = 20
SAMPLE_EVERY_S = 5.0


@dataclass(slots=True)
class Level:
    """What was seen at so many turns at once, in `elapsed` seconds by the clock. `cpu` is of the server and its
    workers, `postgres_cpu` of the database, `start_cpu` of the server until all turns streamed, seconds; `memory` the
    server's own bytes over time. `others` and `lost` are shares of the machine: what other programs had, and what its
    host took."""

    turns: int
    elapsed: float = 0.0
    together: bool = False
    start_cpu: float = 0.0
    others: float = 0.0
    lost: float = 0.0
    latencies_ms: list[float] = field(default_factory=list)
    frames: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    """Turns that did not end with all of their words, by how they ended."""
    finished: int = 0
    cpu: float = 0.0
    postgres_cpu: float = 0.0
    memory: list[tuple[float, int]] = field(default_factory=list)
    running: dict[int, int] = field(default_factory=dict)
    """Tokens so far of each answer that runs, by person."""
    kept: list[tuple[int, int]] = field(default_factory=list)
    """The tokens of all of them over time, with the server's own bytes."""

    @property
    def kb_a_token(self) -> float:
        """What the server's memory grew by, while its running answers grew most, for each token of them, in kB."""
        (least, before), (most, after) = (self.kept[0], max(self.kept)) if self.kept else ((0, 0), (0, 0))
        return (after - before) / 1000 / (most - least) if most > least else 0.0

    @property
    def tokens(self) -> int:
        return len(self.latencies_ms)

    @property
    def cpu_a_token(self) -> float:
        """Seconds, of the server, its workers and PostgreSQL."""
        return (self.cpu + self.postgres_cpu) / max(self.tokens, 1)

    def percentile(self, share: float) -> float:
        return self.latencies_ms[min(self.tokens - 1, int(self.tokens * share))] if self.tokens else float("inf")

    def mb_per_minute(self) -> float:
        """The slope of memory after the first third, in which pools and caches fill, by least squares."""
        late = self.memory[len(self.memory) // 3 :]
        if len(late) < 3:
            return 0.0
        mean_t, mean_m = (sum(values) / len(late) for values in zip(*late, strict=True))
        across = sum((at - mean_t) ** 2 for at, _ in late)
        slope: float = sum((at - mean_t) * (size - mean_m) for at, size in late) / across
        return slope * 60 / 1e6


class Window:
    """When tokens count: from the moment when all turns stream, for so many seconds."""

    def __init__(self, turns: int, seconds: float) -> None:
        self.opened = asyncio.Event()
        self.since = self.until = float("inf")
        self._missing = turns
        self._seconds = seconds

    def streams(self) -> None:
        """One more turn does."""
        self._missing -= 1
        if self._missing == 0:
            self.since = time.monotonic()
            self.until = self.since + self._seconds
            self.opened.set()

    def counts(self, moment: float) -> bool:
        return self.since <= moment < self.until


async def converse(servers: Fleet, level: Level, window: Window, number: int) -> None:
    """One person: turn after turn, each in a session of its own, until the time is over. The first is so long that all
    stream before it ends; they end one after the other."""
    seconds = max(level.turns * START_S, 5.0) + TURN_S * (number + 1) / level.turns
    is_first = True
    while (left := window.until - time.monotonic()) > 1:
        words = int((seconds if is_first else min(TURN_S, left)) * TOKENS_PER_S)
        key = in_letters(uuid.uuid4().int >> 64)
        script = Script(key, words=words, every_ms=1000 / TOKENS_PER_S, looks=0, timed=True)
        session = str(uuid.uuid4())
        socket = await RawSocket.join(servers.addresses[0], traceId=servers.trace_id, sessionId=session)
        socket.send(type="user_prompt", sessionId=session, prompt=script.prompt)
        received = 0
        while (message := await socket.next())["type"] not in ENDS:
            if chunk := message.get("chunk"):
                now = time.monotonic_ns() // 1000
                latencies = [(now - from_letters(word)) / 1000 for word in chunk.split()]
                if is_first and not received:
                    window.streams()
                if window.counts(now / 1e6):
                    level.latencies_ms += latencies
                    level.frames += 1
                received += len(latencies)
                level.running[number] = received
        del level.running[number]
        is_first = False
        complete = message["type"] == "model_response_end" and received == words
        level.finished += complete
        if not complete:
            level.dropped[f"{message['type']} {message.get('code', '')}, {received} of {words} words"] += 1
        socket.close()


async def watch(process: psutil.Process, level: Level) -> None:
    """Memory of the server process while it works: what is its own, without what it shares."""
    started = time.monotonic()
    while True:
        await asyncio.sleep(SAMPLE_EVERY_S if level.memory else 0)
        memory = process.memory_info()
        level.memory.append((time.monotonic() - started, memory.rss - memory.shared))
        level.kept.append((sum(level.running.values()), memory.rss - memory.shared))


async def measure(servers: Fleet, turns: int, seconds: float) -> Level:
    """So many people for so long."""
    server = psutil.Process(servers.members[0].process.pid)
    level, window = Level(turns), Window(turns, seconds)
    before = cpu_of(with_children(server.pid))
    people = asyncio.gather(*(converse(servers, level, window, number) for number in range(turns)))
    try:
        await asyncio.wait_for(window.opened.wait(), turns * START_S + TURN_S)
        level.together = True
    except TimeoutError:
        level.together = False
    if level.together:
        level.start_cpu = cpu_of(with_children(server.pid)) - before
        await _count(servers, server, level, seconds)
    else:
        window.until = 0.0
    await people
    level.latencies_ms.sort()
    return level


async def _count(servers: Fleet, server: psutil.Process, level: Level, seconds: float) -> None:
    """What processes and the machine do in the window."""
    ours, database, own = cpu_of(with_children(server.pid)), cpu_of(postgres_processes(servers)), time.process_time()
    machine, started = psutil.cpu_times(), time.monotonic()
    watching = asyncio.create_task(watch(server, level))
    await asyncio.sleep(seconds)
    watching.cancel()
    level.elapsed = time.monotonic() - started
    level.cpu = cpu_of(with_children(server.pid)) - ours
    level.postgres_cpu = cpu_of(postgres_processes(servers)) - database
    now, all_of_it = psutil.cpu_times(), level.elapsed * (psutil.cpu_count() or 1)
    idle = now.idle + now.iowait - machine.idle - machine.iowait
    level.lost = (now.steal - machine.steal) / all_of_it
    ours_in_all = level.cpu + level.postgres_cpu + time.process_time() - own
    level.others = max(1 - level.lost - (idle + ours_in_all) / all_of_it, 0.0)


async def idle_sockets(servers: Fleet, number: int) -> list[RawSocket]:
    """So many idle viewers, each in a session of their own."""
    gate = asyncio.Semaphore(JOINING)

    async def one() -> RawSocket:
        async with gate:
            return await RawSocket.join(servers.addresses[0], traceId=servers.trace_id, sessionId=str(uuid.uuid4()))

    return await asyncio.gather(*(one() for _ in range(number)))


def print_level(level: Level) -> bool:
    """Print what was seen; returns whether p95 holds and nothing was dropped."""
    if not level.together:
        print(f"{level.turns:5} never streamed together: more than this machine starts in time", flush=True)
        return False
    p50, p95, p99 = (level.percentile(share) for share in (0.5, 0.95, 0.99))
    holds = p95 < P95_MS and not level.dropped
    print(
        f"{level.turns:5} {level.elapsed:7.1f} {level.tokens / level.elapsed:9.0f} {p50:8.0f} {p95:8.0f} {p99:8.0f} "
        f"{level.percentile(1):8.0f} {level.finished:9} {level.dropped.total():8} {level.frames / level.elapsed:9.0f} "
        f"{level.cpu / level.elapsed:7.0%} {level.postgres_cpu / level.elapsed:9.0%} "
        f"{level.others:7.0%} {level.lost:6.0%} "
        f"{level.start_cpu / level.turns:7.2f} "
        f"{(level.memory[-1][1] if level.memory else 0) / 1e6:7.0f}  {'holds' if holds else 'does not hold'}",
        flush=True,
    )
    for how, turns in level.dropped.most_common(5):
        print(f"      dropped: {turns} with {how}", flush=True)
    return holds


async def stream(
    seconds: float, sockets: int, levels: list[int], folder: Path
) -> tuple[list[Level], float | str, TurnCost]:
    """The figures of every level, and the CPU of bare `astream` per token, in seconds, or why there is none."""
    async with (
        speaking_endpoint() as endpoint,
        fleet(folder, 1, model_url=endpoint.base_url, FLAMECHAT_TURNS_AT_ONCE="256", **LONG_ANSWERS) as servers,
    ):
        onlookers = await idle_sockets(servers, sockets - levels[0])
        await measure(servers, 4, 4.0)  # pools and imports are there before anything is counted
        print(f"\n{sockets} sockets, {TOKENS_PER_S} tokens a second in each turn, {seconds:g} s; latencies in ms\n")
        print(
            f"{'turns':>5} {'seconds':>7} {'tokens/s':>9} {'p50':>8} {'p95':>8} {'p99':>8} {'max':>8} "
            f"{'completed':>9} {'dropped':>8} {'frames/s':>9} {'server':>7} {'database':>9} "
            f"{'others':>7} {'lost':>6} {'start s':>7} {'MB':>7}"
        )
        seen = []
        for turns in levels:
            seen.append(await measure(servers, turns, seconds if turns == levels[0] else min(seconds, 20.0)))
            if not print_level(seen[-1]):
                break
        for socket in onlookers:
            socket.close()
        return seen, await bare(endpoint, seen[0]), await short_turns(servers)


async def bare(endpoint: Endpoint, level: Level) -> float | str:
    """CPU seconds per token of `ChatOpenAI.astream` alone, at the same number of turns and the same pace."""
    words = str(int(min(level.elapsed or 20.0, 20.0) * TOKENS_PER_S))
    figures = await asyncio.to_thread(figures_of, "bench.streaming", endpoint.base_url, str(level.turns), words)
    return figures if isinstance(figures, str) else figures["cpu"]


def read_bare(base_url: str, turns: int, words: int) -> dict[str, float]:
    """In a process of its own: so many streams at once through LangChain's client, nothing done with them."""
    from langchain_openai import ChatOpenAI

    chat = ChatOpenAI(model="fake", base_url=base_url, api_key="none", stream_usage=True)

    async def read(key: str) -> int:
        script = Script(key, words=words, every_ms=1000 / TOKENS_PER_S, looks=0, timed=True)
        return sum([bool(chunk.text) async for chunk in chat.astream(script.prompt)])

    async def all_of() -> tuple[int, float]:
        await read("warm")
        started = time.process_time()
        read_all = await asyncio.gather(*(read(f"bare{in_letters(number)}") for number in range(turns)))
        return sum(read_all), time.process_time() - started

    tokens, cpu = asyncio.run(all_of())
    return {"cpu": cpu / tokens}


def allow_sockets() -> None:
    """As many open files as the system lets this process have, up to what the most sockets need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 8192)), hard))


def print_streaming(seconds: float = 20.0, sockets: int = SOCKETS, levels: list[int] | None = None) -> bool:
    """Print the figures with their bounds; returns whether all hold."""
    allow_sockets()
    with tempfile.TemporaryDirectory(prefix="flamechat-streaming-") as folder:
        seen, alone, turn = asyncio.run(stream(seconds, sockets, levels or [TURNS, 80, 120, 160], Path(folder)))
    first = seen[0]
    passed = [one.turns for one in seen if one.together and one.percentile(0.95) < P95_MS and not one.dropped]
    p95 = first.percentile(0.95)
    print(
        f"\np95 at {first.turns} turns: {p95:.0f} ms (bound {P95_MS:g}); it holds up to {max(passed, default=0)} turns"
    )
    print(f"turns dropped at {first.turns}: {first.dropped.total()} (bound 0)")
    growth = first.mb_per_minute()
    is_long = seconds >= FLAT_FROM_S
    bound = f"bound {FLAT_MB_PER_MINUTE:g}" if is_long else "its bound holds for ten minutes: --seconds 600"
    print(f"memory of the server over {seconds:g} s: {growth:+.1f} MB a minute ({bound})")
    print(f"memory a token of running answers: {first.kb_a_token:.2f} kB (bound {KB_A_TOKEN:g})")
    print(
        f"CPU of a turn of {SHORT_WORDS} words: {turn.serving:.3f} s of the serving process (bound {TURN_CPU_S:g}), "
        f"{turn.workers:.3f} of its workers, {turn.postgres:.3f} of the database"
    )
    if isinstance(alone, str):
        print(f"CPU of bare astream: {alone}")
        return False
    times = first.cpu_a_token / alone
    print(
        f"CPU per token: {first.cpu_a_token * 1e6:.0f} µs, of which the database's "
        f"{first.postgres_cpu / max(first.tokens, 1) * 1e6:.0f}; bare astream {alone * 1e6:.0f} µs: {times:.2f} times "
        f"(bound {CPU_TIMES_BARE:g})"
    )
    is_small = growth < FLAT_MB_PER_MINUTE or not is_long
    is_cheap = times <= CPU_TIMES_BARE and turn.serving <= TURN_CPU_S and first.kb_a_token <= KB_A_TOKEN
    return first.turns in passed and is_small and is_cheap


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench streaming")
    parser.add_argument("--seconds", type=float, default=20.0, help="of the first level; later ones take 20 at most")
    parser.add_argument("--sockets", type=int, default=SOCKETS)
    parser.add_argument("--levels", type=lambda text: [int(part) for part in text.split(",")], default=None)
    given = parser.parse_args(arguments)
    return 0 if print_streaming(given.seconds, given.sockets, given.levels) else 1


if __name__ == "__main__":
    print(json.dumps(read_bare(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
