"""Two versions on one database: servers of the one are replaced by servers of the other while people ask, both ways.

Forward: next to each server of the version before one of this version starts, and the older leaves (SIGTERM). In the
middle of it the one of this version that came first leaves again, and its turns go on in the older ones. Back: once all
are of this version, next to each one of the version before starts, on the database that this one has migrated, and the
newer leaves.
"""

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from tests.soak.fleet import Fleet, Member, fleet
from tests.soak.people import People
from tests.soak.speaking import speaking_endpoint
from tests.soak.tally import Figure, Tally, exactly, percentiles, reported
from tests.soak.versions import ROOT, built_wheel, previous_commit

SERVERS = 2
ASKING = 6
BETWEEN_S = 3.0
"""Long enough for turns to run in each mixture of versions."""


@dataclass(frozen=True, slots=True)
class Rolling:
    """`aim` is how many turns; `servers` of each version."""

    name: str = "rolling"
    aim: int = 200
    servers: int = SERVERS
    words: tuple[int, int] = (60, 200)

    async def run(self, folder: Path, saved: Path, tally: Tally, until: float) -> None:
        """One deployment with its way back, on a database of its own, and another one until the aim is reached."""
        previous = await asyncio.to_thread(built_wheel, previous_commit(), folder / "previous")
        number = 0
        while not tally.is_complete and (monotonic() < until or not number):
            number += 1
            await self._deploy(folder / f"deployment-{number}", previous, tally)
            tally.save(saved)
            shutil.rmtree(folder / f"deployment-{number}" / "data", ignore_errors=True)

    async def _deploy(self, folder: Path, previous: Path, tally: Tally) -> None:
        settings = {"PYTHONPATH": str(previous), "PYTHONSAFEPATH": "1", "FLAMECHAT_TURNS_AT_ONCE": "8"}
        async with (
            speaking_endpoint() as endpoint,
            fleet(folder, self.servers, model_url=endpoint.base_url, **settings) as servers,
        ):
            people = People(servers, endpoint, tally, words=self.words, same_cards=False)
            before = tally.counts.get("turns", 0)
            older = list(servers.members)
            await people.begin(ASKING)
            await asyncio.sleep(BETWEEN_S)
            servers.settings["PYTHONPATH"] = str(ROOT)
            await self._replaced(servers, None, tally)
            await self._replaced(servers, servers.members[-1], tally, starts=False)
            for member in older:
                await self._replaced(servers, member, tally)
            newer = list(servers.members)
            servers.settings["PYTHONPATH"] = str(previous)
            for member in newer:
                await self._replaced(servers, member, tally, of="the version before")
            await people.end()
            tally.done += tally.counts.get("turns", 0) - before

    async def _replaced(
        self, servers: Fleet, member: Member | None, tally: Tally, *, starts: bool = True, of: str = "this version"
    ) -> None:
        if starts:
            await servers.start()
            tally.count(f"servers of {of} that started")
            await asyncio.sleep(BETWEEN_S)
        if member is not None:
            asked = monotonic()
            await servers.stop(member)
            tally.sample("a server leaves", monotonic() - asked)
            await asyncio.sleep(BETWEEN_S)

    def _back(self, tally: Tally) -> Figure:
        started = tally.counts.get("servers of the version before that started", 0)
        return Figure(
            self.name, "servers of the version before that started after it", f"{started}", ">= 2", started > 1
        )

    def figures(self, tally: Tally) -> list[Figure]:
        ends = [name for name in sorted(tally.counts) if name.startswith("ended ")]
        failed = sum(tally.counts[name] for name in ends if name.startswith("ended failed"))
        return [
            Figure(self.name, "turns over two versions", f"{tally.done}", f">= {self.aim}", tally.is_complete),
            reported(tally, "servers of this version that started"),
            self._back(tally),
            *(reported(tally, name) for name in ends),
            Figure(self.name, "turns that failed", f"{failed}", "= 0", failed == 0),
            exactly(tally, "ended never", 0),
            exactly(tally, "turns without an end", 0),
            exactly(tally, "turns with something lost, doubled or half done", 0),
            percentiles(tally, "a server leaves", 40.0, "s"),
        ]
