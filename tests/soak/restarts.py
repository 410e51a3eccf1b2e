"""PostgreSQL goes away under load, in every way it can, and comes back: who uses it starts it again."""

import asyncio
import os
import random
import signal
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from server.adapters.postgres.postmaster import Postmaster, read_postmaster
from tests.soak.fleet import Fleet, fleet
from tests.soak.people import People
from tests.soak.speaking import speaking_endpoint
from tests.soak.tally import Figure, Tally, exactly, percentiles, reported

SERVERS = 2
ASKING = 10
WAYS = (signal.SIGKILL, signal.SIGINT, signal.SIGQUIT)
"""The postmaster killed; stopped fast, as by an administrator; stopped at once, as by the system's end."""

BACK_S = 60.0
BETWEEN_S = (6.0, 12.0)
"""Long enough for some turns to run undisturbed: what is looked for is harm, not whether anything gets done."""


@dataclass(frozen=True, slots=True)
class Restarts:
    name: str = "restarts"
    aim: int = 20

    async def run(self, folder: Path, saved: Path, tally: Tally, until: float) -> None:
        """Stop it and wait until it is back, until the aim or the time is reached; then let all turns end."""
        async with (
            speaking_endpoint() as endpoint,
            fleet(folder, SERVERS, model_url=endpoint.base_url, FLAMECHAT_TURNS_AT_ONCE="8") as servers,
        ):
            people = People(servers, endpoint, tally)
            await people.begin(ASKING)
            while not tally.is_complete and monotonic() < until:
                await asyncio.sleep(random.uniform(*BETWEEN_S))
                gone = monotonic()
                people.kills.append(gone)
                await _stop_and_see_it_back(servers, WAYS[tally.done % len(WAYS)])
                tally.sample("database back", monotonic() - gone)
                tally.done += 1
                tally.save(saved)
            await asyncio.sleep(BETWEEN_S[0])
            await people.end()
            tally.count("servers that stopped", sum(not member.lives for member in servers.members))

    def figures(self, tally: Tally) -> list[Figure]:
        ends = [name for name in sorted(tally.counts) if name.startswith("ended ")]
        return [
            Figure(self.name, "times PostgreSQL was stopped", f"{tally.done}", f">= {self.aim}", tally.is_complete),
            percentiles(tally, "database back", BACK_S, "s"),
            reported(tally, "turns"),
            reported(tally, "turns taken over"),
            *(reported(tally, name) for name in ends),
            exactly(tally, "ended never", 0),
            exactly(tally, "turns without an end", 0),
            exactly(tally, "turns with something lost, doubled or half done", 0),
            exactly(tally, "servers that stopped", 0),
        ]


async def _stop_and_see_it_back(servers: Fleet, how: signal.Signals) -> Postmaster:
    """Only the servers start it again: this process just looks. Raises TimeoutError."""
    cluster = servers.folder / "data" / "postgres" / "cluster"
    before = read_postmaster(cluster)
    assert before is not None
    os.kill(before.pid, how)
    async with asyncio.timeout(BACK_S):
        while (found := read_postmaster(cluster)) is None or found.pid == before.pid or found.status != "ready":
            await asyncio.sleep(0.05)
    return found
