"""Requests and turns apart, on hosts that share a database and a bucket and nothing else, while a worker is lost.

Each is a host of a test network (tests/soak/network.py) where such may be made, and else a process with a data folder
of its own.
"""

import asyncio
import random
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import httpx

from server.adapters.postgres.embedded import EmbeddedPostgres
from tests.cloud.s3_server import s3_server
from tests.soak.fleet import STACKS, Fleet, Member
from tests.soak.network import NetworkHost, may_make_hosts, network_host
from tests.soak.speaking import Script, in_letters, speaking_endpoint
from tests.soak.tally import Figure, Tally, exactly, percentiles, reported

ASKING = 8
ANSWER_S = 120.0
SLOWEST_S = 60.0
"""Of an answer that was with the worker that was lost, next to others."""
WORDS = 30
ACCESS_TOKEN = "of-a-trial-with-several-hosts"
"""A server that others can reach takes nobody without one."""

HOSTS = 4
"""One for requests, two for turns, and the one that comes in place of a lost one."""
HOST_KIND = "hosts of a test network" if may_make_hosts() else "processes: only root makes hosts of a test network"


@dataclass(frozen=True, slots=True)
class Hosts:
    name: str = "hosts"
    aim: int = 200
    """Turns; at a third of them a worker is killed, and another one comes."""

    async def run(self, folder: Path, saved: Path, tally: Tally, until: float) -> None:
        """Ask until the aim or the time is reached."""
        folder.mkdir(parents=True, exist_ok=True)
        async with (
            speaking_endpoint() as endpoint,
            EmbeddedPostgres(folder / "database") as postgres,
            s3_server() as s3,
        ):
            shared = s3.settings() | {
                "FLAMECHAT_DATABASE_URL": postgres.owner_dsn,
                "FLAMECHAT_DATABASE_SESSION_URL": postgres.owner_dsn,
                "FLAMECHAT_MODEL_BASE_URL": endpoint.base_url,
                "FLAMECHAT_MODEL": "fake",
                "FLAMECHAT_ACCESS_TOKEN": ACCESS_TOKEN,
            }
            hosts = Fleet(folder, shared, postgres)
            async with AsyncExitStack() as network:
                places = [await network.enter_async_context(network_host(number, shared)) for number in range(HOSTS)]
                try:
                    await self._ask(hosts, places, tally, saved, until)
                finally:
                    for member in [*hosts.members]:
                        await hosts.stop(member)

    async def _ask(self, hosts: Fleet, places: Sequence[NetworkHost], tally: Tally, saved: Path, until: float) -> None:
        await _start(hosts, "web", "web", places[0])
        web = hosts.members[0]
        for number in (1, 2):
            await _start(hosts, f"worker {number}", "worker", places[number])
        signed = {"Authorization": f"Bearer {ACCESS_TOKEN}"}
        async with httpx.AsyncClient(base_url=web.address, headers=signed, trust_env=False, timeout=ANSWER_S) as http:
            stored = await http.post("/api/v1/traces", params={"name": "stacks.txt"}, content=STACKS)
            hosts.trace_id = stored.json()["trace"]["traceId"]
            numbers = iter(range(tally.done, self.aim))
            kill_at = tally.done + (self.aim - tally.done) // 3

            async def one_person() -> None:
                for number in numbers:
                    if monotonic() > until:
                        return
                    await _one_turn(http, hosts, tally, in_letters(number))
                    tally.done += 1
                    if tally.done == kill_at:
                        await _lose_a_worker(hosts, web, places[3], tally)

            await asyncio.gather(*(one_person() for _ in range(ASKING)))
        rows = await hosts.select("select status, count(*) from chat_turns group by 1")
        for status, turns in rows:
            tally.count(f"turns {status}", turns)
        tally.save(saved)

    def figures(self, tally: Tally) -> list[Figure]:
        return [
            Figure(self.name, f"turns over three {HOST_KIND}", f"{tally.done}", f">= {self.aim}", tally.is_complete),
            reported(tally, "turns completed"),
            exactly(tally, "turns failed", 0),
            exactly(tally, "answers lost or changed", 0),
            Figure(
                self.name,
                "workers lost",
                str(tally.counts.get("workers lost", 0)),
                ">= 1",
                "workers lost" in tally.counts,
            ),
            percentiles(tally, "answer", SLOWEST_S, "s"),
        ]


async def _start(hosts: Fleet, name: str, role: str, place: NetworkHost) -> None:
    """One more, with a data folder of its own."""
    await hosts.start(1, "--role", role, "--data", str(hosts.folder / name), host=place)


async def _one_turn(http: httpx.AsyncClient, hosts: Fleet, tally: Tally, key: str) -> None:
    script = Script(key, words=WORDS, every_ms=10.0)
    question = {"message": script.prompt, "flamechat_trace_id": hosts.trace_id}
    started = monotonic()
    answer = await http.post("/api/chat", json=question)
    tally.sample("answer", monotonic() - started)
    expected = script.texts[-1].strip()
    if answer.status_code != httpx.codes.OK or answer.json()["answer"].strip() != expected:
        tally.count("answers lost or changed")
        tally.complain(f"{key}: {answer.status_code} {answer.text[:200]}")


async def _lose_a_worker(hosts: Fleet, web: Member, place: NetworkHost, tally: Tally) -> None:
    lost = random.choice([member for member in hosts.members if member is not web])
    await hosts.kill(lost)
    tally.count("workers lost")
    await _start(hosts, f"worker in place of {lost.process.pid}", "worker", place)
