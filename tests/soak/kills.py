"""kill -9 of server processes while turns run in them."""

import asyncio
import random
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import psutil

from tests.soak.fleet import Fleet, Member, fleet
from tests.soak.people import People
from tests.soak.speaking import Endpoint, Mishap, speaking_endpoint
from tests.soak.tally import Figure, Tally, exactly, percentiles, reported, some_work

SERVERS = 3
ASKING = 12
RECOVERY_S = 10.0
SETTLE_S = 60.0
HIT = "kills that hit a running turn"
WITH_CAUSE = ("ended failed: server_stopped",)
"""A turn whose server was killed three times."""

TURNS_A_HIT = 40
"""At most so many turns for each kill that hit a running one."""


@dataclass(frozen=True, slots=True)
class Kills:
    """`aim` is how many turns; between two kills pass so many seconds."""

    name: str = "kills"
    aim: int = 2_000
    has_mishaps: bool = True
    """Some requests are answered 503 or in half, so that calls are tried again."""
    words: tuple[int, int] = (60, 250)
    between_s: tuple[float, float] = (1.0, 4.0)

    async def run(self, folder: Path, saved: Path, tally: Tally, until: float) -> None:
        """Kill and start again, until the aim or the time is reached; then let all turns end."""
        async with (
            speaking_endpoint(mishaps if self.has_mishaps else lambda _: None) as endpoint,
            fleet(folder, SERVERS, model_url=endpoint.base_url, FLAMECHAT_TURNS_AT_ONCE="8") as servers,
        ):
            people = People(servers, endpoint, tally, words=self.words)
            await people.begin(ASKING)
            until = some_work(until)
            while not tally.is_complete and monotonic() < until:
                await asyncio.sleep(random.uniform(*self.between_s))
                member = one_to_kill(servers, endpoint)
                people.kills.append(monotonic())
                tally.count("kills")
                await servers.kill(member)
                await servers.start()
                tally.done = tally.counts.get("turns", 0)
                tally.save(saved)
            await people.end()
            tally.done = tally.counts.get("turns", 0)
            tally.count(HIT, len(people.hit))
            _, alive = psutil.wait_procs(servers.left_behind, timeout=SETTLE_S)
            tally.count("processes left behind", len(alive))

    def figures(self, tally: Tally) -> list[Figure]:
        ends = [name for name in sorted(tally.counts) if name.startswith("ended ")]
        failed = sum(tally.counts[name] for name in ends if name.startswith("ended failed") and name not in WITH_CAUSE)
        hit = tally.counts.get(HIT, 0)
        return [
            Figure(self.name, "turns", f"{tally.done:,}", f">= {self.aim:,}", tally.is_complete),
            reported(tally, "kills"),
            Figure(self.name, HIT, f"{hit}", f">= {self.aim // TURNS_A_HIT}", hit >= self.aim // TURNS_A_HIT),
            reported(tally, "turns taken over"),
            reported(tally, "model calls accounted for"),
            reported(tally, "turns whose attempts ran side by side"),
            *(reported(tally, name) for name in ends),
            exactly(tally, "ended never", 0),
            exactly(tally, "turns without an end", 0),
            exactly(tally, "turns with something lost, doubled or half done", 0),
            exactly(tally, "processes left behind", 0),
            Figure(self.name, "turns that failed without cause", f"{failed}", "= 0", failed == 0),
            percentiles(tally, "recovery", RECOVERY_S, "s", bounded=0.99),
        ]


def mishaps(number: int) -> Mishap | None:
    """Every 7th request finds the endpoint busy, every 11th is answered in half."""
    return "busy" if number % 7 == 0 else "drop" if number % 11 == 0 else None


def one_to_kill(servers: Fleet, endpoint: Endpoint) -> Member:
    """Mostly one to which a model is speaking; any other may run a tool, or nothing."""
    hearing = [
        member
        for member in servers.members
        if any(one.laddr.port in endpoint.streaming for one in psutil.Process(member.process.pid).net_connections())
    ]
    return random.choice(hearing if hearing and random.random() < 0.8 else servers.members)
