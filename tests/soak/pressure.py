"""Servers that get little of their processor or none, and clients that keep connections without asking anything."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

import httpx

from tests.soak.fleet import Fleet, fleet
from tests.soak.people import People
from tests.soak.speaking import speaking_endpoint
from tests.soak.tally import Figure, Tally, exactly, percentiles, reported, some_work

STOPPED_S, RUNNING_S = 0.08, 0.02
"""A fifth of a processor, without control groups."""

STANDS_S, BETWEEN_S = 30.0, 5.0
"""How long a server stands still, and then runs."""

ASKING = 6
AMONG_SLOW_CLIENTS = 100
SLOW_CLIENTS = 1_000
HALF_A_HEADER = b"GET /api/v1/traces HTTP/1.1\r\nHost: localhost\r\nX-A: "
READ_S = 5.0
OVERTAKEN_S = 30.0
"""A process that lives is overtaken after 20 s of silence; looked for every 2 s."""

AGAIN_S = 0.2


@dataclass(frozen=True, slots=True)
class Quota:
    """One of two servers is stopped and let go on, over and over; `aim` is how many turns of people."""

    name: str = "quota"
    aim: int = 60

    async def run(self, folder: Path, saved: Path, tally: Tally, until: float) -> None:
        """People ask until the aim or the time is reached; then all turns end."""
        async with (
            speaking_endpoint() as endpoint,
            fleet(folder, 2, model_url=endpoint.base_url, FLAMECHAT_TURNS_AT_ONCE="8") as servers,
        ):
            people = People(servers, endpoint, tally, words=(60, 150))
            await people.begin(ASKING)
            async with _throttled(servers.members[0].process.pid):
                await _until_done(tally, saved, self.aim, until)
                await people.end()
            tally.done = tally.counts.get("turns", 0)

    def figures(self, tally: Tally) -> list[Figure]:
        return [
            Figure(
                self.name, "turns with a fifth of a processor", f"{tally.done}", f">= {self.aim}", tally.is_complete
            ),
            *_of_turns(self.name, tally),
        ]


@dataclass(frozen=True, slots=True)
class Standstill:
    """Of two servers one after the other is stopped for 30 s and let go on; `aim` is how many times."""

    name: str = "standstill"
    aim: int = 6

    async def run(self, folder: Path, saved: Path, tally: Tally, until: float) -> None:
        """People ask until the aim or the time is reached; then all turns end."""
        async with (
            speaking_endpoint() as endpoint,
            fleet(folder, 2, model_url=endpoint.base_url, FLAMECHAT_TURNS_AT_ONCE="8") as servers,
        ):
            people = People(servers, endpoint, tally, words=(60, 150))
            await people.begin(ASKING)
            while not tally.done or (not tally.is_complete and monotonic() < until):
                await asyncio.sleep(BETWEEN_S)
                pid = servers.members[tally.done % 2].process.pid
                people.kills.append(monotonic())
                os.kill(pid, signal.SIGSTOP)
                try:
                    await asyncio.sleep(STANDS_S)
                finally:
                    os.kill(pid, signal.SIGCONT)
                tally.done += 1
                tally.save(saved)
            await people.end()

    def figures(self, tally: Tally) -> list[Figure]:
        return [
            Figure(self.name, "times a server stood still", f"{tally.done}", f">= {self.aim}", tally.is_complete),
            reported(tally, "turns"),
            reported(tally, "turns taken over"),
            percentiles(tally, "recovery", OVERTAKEN_S, "s", bounded=0.99),
            *_of_turns(self.name, tally),
        ]


@dataclass(frozen=True, slots=True)
class Slowloris:
    """`clients` connections send half a header and no more, and come again when they are closed, while people ask."""

    name: str = "slowloris"
    aim: int = 300
    clients: int = SLOW_CLIENTS
    people: int = AMONG_SLOW_CLIENTS

    async def run(self, folder: Path, saved: Path, tally: Tally, until: float) -> None:
        """People ask, and somebody reads, until the aim or the time is reached; then all turns end."""
        async with (
            speaking_endpoint() as endpoint,
            fleet(folder, 1, model_url=endpoint.base_url, FLAMECHAT_TURNS_AT_ONCE="32") as servers,
        ):
            people = People(servers, endpoint, tally, words=(60, 150))
            await people.begin(self.people)
            around = [asyncio.create_task(_slow_client(servers, tally)) for _ in range(self.clients)]
            around.append(asyncio.create_task(_reader(servers, tally)))
            try:
                await _until_done(tally, saved, self.aim, until)
            finally:
                for one in around:
                    one.cancel()
                await asyncio.gather(*around, return_exceptions=True)
            await people.end()
            tally.done = tally.counts.get("turns", 0)

    def figures(self, tally: Tally) -> list[Figure]:
        closed = tally.counts.get("slow connections that the server closed", 0)
        return [
            Figure(self.name, "turns among slow clients", f"{tally.done}", f">= {self.aim}", tally.is_complete),
            Figure(self.name, "slow connections that the server closed", f"{closed:,}", ">= 1", closed >= 1),
            percentiles(tally, "a read", READ_S, "s"),
            *_of_turns(self.name, tally),
        ]


def _of_turns(part: str, tally: Tally) -> list[Figure]:
    ends = [name for name in sorted(tally.counts) if name.startswith("ended ")]
    failed = sum(tally.counts[name] for name in ends if name.startswith("ended failed"))
    return [
        *(reported(tally, name) for name in ends),
        Figure(part, "turns that failed", f"{failed}", "= 0", failed == 0),
        exactly(tally, "ended never", 0),
        exactly(tally, "turns without an end", 0),
        exactly(tally, "turns with something lost, doubled or half done", 0),
    ]


async def _until_done(tally: Tally, saved: Path, aim: int, until: float) -> None:
    until = some_work(until)
    while tally.counts.get("turns", 0) < aim and monotonic() < until:
        await asyncio.sleep(1)
        tally.done = tally.counts.get("turns", 0)
        tally.save(saved)


@asynccontextmanager
async def _throttled(pid: int) -> AsyncIterator[None]:
    async def throttle() -> None:
        while True:
            os.kill(pid, signal.SIGSTOP)
            await asyncio.sleep(STOPPED_S)
            os.kill(pid, signal.SIGCONT)
            await asyncio.sleep(RUNNING_S)

    throttling = asyncio.create_task(throttle())
    try:
        yield
    finally:
        throttling.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await throttling
        os.kill(pid, signal.SIGCONT)


async def _slow_client(servers: Fleet, tally: Tally) -> None:
    address = urlsplit(servers.addresses[0])
    while True:
        try:
            reader, writer = await asyncio.open_connection(address.hostname, address.port)
            try:
                writer.write(HALF_A_HEADER)
                await reader.read()  # until the server closes it
            finally:
                writer.close()
            tally.count("slow connections that the server closed")
        except OSError:
            tally.count("slow connections that were not taken")
        await asyncio.sleep(AGAIN_S)


async def _reader(servers: Fleet, tally: Tally) -> None:
    while True:
        started = monotonic()
        try:
            async with httpx.AsyncClient(base_url=servers.addresses[0], trust_env=False, timeout=60) as http:
                answer = await http.get("/api/v1/traces")
            tally.count(f"reads answered {answer.status_code}")
            tally.sample("a read", monotonic() - started)
        except httpx.HTTPError as error:
            tally.complain(f"a read: {type(error).__name__}")
        await asyncio.sleep(AGAIN_S)
