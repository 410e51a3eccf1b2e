"""The client's connection is cut at random moments of running turns, and comes back at any server."""

import asyncio
import random
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from tests.soak.fleet import Fleet, fleet
from tests.soak.following import Follower, wrong
from tests.soak.speaking import Endpoint, Script, in_letters, speaking_endpoint
from tests.soak.tally import Figure, Tally, exactly, reported

SERVERS = 2
AT_ONCE = 12
UNCUT = 12
MOST_BYTES = 1.3
TURN_S = 120.0
"""Only a bound."""


@dataclass(frozen=True, slots=True)
class Cuts:
    name: str = "cuts"
    aim: int = 1000
    words: int = 200
    every_ms: float = 20.0
    most_cuts: int = 2

    async def run(self, folder: Path, saved: Path, tally: Tally, until: float) -> None:
        """Rounds of turns, until the aim or the time is reached."""
        async with (
            speaking_endpoint() as endpoint,
            fleet(folder, SERVERS, model_url=endpoint.base_url, FLAMECHAT_TURNS_AT_ONCE=str(AT_ONCE)) as servers,
        ):
            card = await self._uncut(servers, endpoint, tally)
            while not tally.is_complete and monotonic() < until:
                await self._round(servers, endpoint, tally, card)
                tally.save(saved)

    async def _uncut(self, servers: Fleet, endpoint: Endpoint, tally: Tally) -> str:
        """What a turn costs that nobody disturbs; returns what its tool says."""
        followers = [self._follower(servers, ()) for _ in range(UNCUT)]
        await asyncio.gather(*(one.follow(TURN_S) for one in followers))
        card = next(iter(followers[0].shown.cards.values())).text or ""
        _judge(followers, endpoint, tally, card)
        tally.sample("bytes uncut", sum(one.bytes for one in followers) / len(followers))
        return card

    async def _round(self, servers: Fleet, endpoint: Endpoint, tally: Tally, card: str) -> None:
        chance = random.Random()
        answer_s = self.words * self.every_ms / 1000 + 1
        followers = []
        for _ in range(AT_ONCE):
            cuts = [chance.uniform(0, answer_s / self.most_cuts) for _ in range(chance.randint(1, self.most_cuts))]
            followers.append(self._follower(servers, cuts))
        await asyncio.gather(*(one.follow(TURN_S) for one in followers))
        _judge(followers, endpoint, tally, card)
        uncut = sum(tally.samples["bytes uncut"]) / len(tally.samples["bytes uncut"])
        tally.sample("bytes over uncut", sum(one.bytes for one in followers) / len(followers) / uncut)
        tally.done += sum(one.cut for one in followers)

    def _follower(self, servers: Fleet, cuts: "tuple[float, ...] | list[float]") -> Follower:
        seed = random.getrandbits(32)
        script = Script(in_letters(seed), words=self.words, every_ms=self.every_ms)
        return Follower(servers.addresses, servers.trace_id, script, cuts, seed)

    def figures(self, tally: Tally) -> list[Figure]:
        ratios = tally.samples.get("bytes over uncut", [])
        ratio = sum(ratios) / max(len(ratios), 1)
        return [
            Figure(self.name, "cuts while the turn ran", f"{tally.done:,}", f">= {self.aim:,}", tally.is_complete),
            reported(tally, "turns"),
            exactly(tally, "turns completed", tally.counts.get("turns", 0)),
            exactly(tally, "turns with a lost or doubled event, text or card", 0),
            exactly(tally, "turns run twice", 0),
            Figure(self.name, "bytes, uncut = 1", f"{ratio:.2f}", f"<= {MOST_BYTES}", 0 < ratio <= MOST_BYTES),
        ]


def _judge(followers: list[Follower], endpoint: Endpoint, tally: Tally, card: str) -> None:
    for one in followers:
        tally.count("turns")
        tally.count("turns completed", one.shown.end == "completed")
        problems = wrong(one.shown, one.script, card)
        tally.count("turns with a lost or doubled event, text or card", bool(problems))
        calls = endpoint.calls.pop(one.script.key, 0)
        tally.count("turns run twice", calls > one.script.looks + 1)
        for problem in problems:
            tally.complain(f"{one.turn_id}: {problem}")
