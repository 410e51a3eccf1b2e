"""No room is left on the disk of the data folder, where PostgreSQL has its own, and then there is some again."""

import asyncio
import os
import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import httpx

from tests.soak.fleet import STACKS, Fleet, fleet
from tests.soak.people import People
from tests.soak.speaking import speaking_endpoint
from tests.soak.tally import Figure, Tally, exactly, percentiles, reported

SERVERS = 2
ASKING = 6
DISK_BYTES = 1 << 30
FULL_S = 15.0
BACK_S = 120.0
BETWEEN_S = (8.0, 14.0)
PIECE = bytes(1 << 20)
LOOK_S = 0.5


@dataclass(frozen=True, slots=True)
class FullDisk:
    """`aim` is how many times the disk is filled to the last byte, for `full_s` each, while people ask. It is one of
    memory, which takes the right to mount it."""

    name: str = "full-disk"
    aim: int = 5
    full_s: float = FULL_S

    async def run(self, folder: Path, saved: Path, tally: Tally, until: float) -> None:
        """Fill it and wait until the servers are ready again, until the aim or the time is reached; then all turns
        end."""
        with _disk(folder / "data"):
            async with (
                speaking_endpoint() as endpoint,
                fleet(folder, SERVERS, model_url=endpoint.base_url, FLAMECHAT_TURNS_AT_ONCE="8") as servers,
            ):
                people = People(servers, endpoint, tally, words=(60, 150))
                await people.begin(ASKING)
                while not tally.done or (not tally.is_complete and monotonic() < until):
                    await asyncio.sleep(random.uniform(*BETWEEN_S))
                    await self._fill(servers, people, tally)
                    tally.done += 1
                    tally.save(saved)
                await asyncio.sleep(BETWEEN_S[0])
                await people.end()
                tally.count("servers that stopped", sum(not member.lives for member in servers.members))

    async def _fill(self, servers: Fleet, people: People, tally: Tally) -> None:
        filler = servers.folder / "data" / "filler"
        people.kills.append(monotonic())
        end = monotonic() + self.full_s
        said = 0
        async with httpx.AsyncClient(base_url=servers.addresses[0], trust_env=False, timeout=30) as http:
            while monotonic() < end:
                _take_the_rest(filler)  # what is given back meanwhile, too
                said += "disk full" in await _reasons(http)
                tally.count(f"uploads to a full disk: {await _upload(http)}")
                await asyncio.sleep(LOOK_S)
            tally.count("times that /ready said so", said > 0)
            filler.unlink()
            freed = monotonic()
            people.kills.append(freed)
            async with asyncio.timeout(BACK_S):
                while await _reasons(http):
                    await asyncio.sleep(LOOK_S)
            tally.sample("ready again", monotonic() - freed)

    def figures(self, tally: Tally) -> list[Figure]:
        names = [name for name in sorted(tally.counts) if name.startswith(("ended ", "uploads "))]
        return [
            Figure(self.name, "times that the disk was full", f"{tally.done}", f">= {self.aim}", tally.is_complete),
            exactly(tally, "times that /ready said so", tally.done),
            percentiles(tally, "ready again", BACK_S, "s"),
            reported(tally, "turns"),
            *(reported(tally, name) for name in names),
            exactly(tally, "ended never", 0),
            exactly(tally, "turns without an end", 0),
            exactly(tally, "turns with something lost, doubled or half done", 0),
            exactly(tally, "servers that stopped", 0),
        ]


@contextmanager
def _disk(place: Path) -> Iterator[None]:
    """A disk of its own for a folder. Raises CalledProcessError where this may not be mounted."""
    place.mkdir(parents=True, exist_ok=True)
    options = ("-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=0700", "tmpfs")
    subprocess.run(["mount", *options, place], check=True, timeout=30)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", place], check=False, timeout=30)


def _take_the_rest(filler: Path) -> None:
    with suppress(OSError), filler.open("ab", buffering=0) as file:
        for size in (len(PIECE), 4096, 1):
            with suppress(OSError):
                while os.write(file.fileno(), PIECE[:size]) == size:
                    pass


async def _upload(http: httpx.AsyncClient) -> str:
    try:
        answer = await http.post("/api/v1/traces", params={"name": "more.txt"}, content=STACKS)
    except httpx.HTTPError as error:
        return type(error).__name__
    return f"{answer.status_code}"


async def _reasons(http: httpx.AsyncClient) -> str:
    """Why the server is not ready; empty where it is."""
    try:
        answer = await http.get("/ready")
    except httpx.HTTPError as error:
        return type(error).__name__
    return "" if answer.is_success else answer.text
