"""Every model call is accounted for: with a provider that breaks, is cut, is down so that another model takes over,
with people who stop answers, and servers that are killed meanwhile."""

import asyncio
import random
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from tests.soak.fleet import fleet
from tests.soak.kills import mishaps, one_to_kill
from tests.soak.people import People
from tests.soak.speaking import from_letters, speaking_endpoint
from tests.soak.tally import Figure, Tally, exactly, reported

SERVERS = 3
ASKING = 8
SPARE = "spare"
KILLS_FOR_TURNS = 5
"""A kill for so many turns: 40 for 200."""

ALL_ROWS = "select count(*) from ai_invocation_summaries"
BY_TURNS = """
select coalesce(sum(t.input_tokens), 0), coalesce(sum(i.tokens), 0)
from chat_turns t
left join lateral (
    select sum(i.input_tokens) as tokens from ai_invocation_summaries i where i.turn_id = t.id
) as i on true
"""


def is_down_for(key: str) -> bool:
    """Of every sixth conversation: its first model answers nothing but 503."""
    return from_letters(key) % 6 == 0


@dataclass(frozen=True, slots=True)
class Calls:
    """`aim` is how many turns."""

    name: str = "calls"
    aim: int = 200

    async def run(self, folder: Path, saved: Path, tally: Tally, until: float) -> None:
        """Ask and kill until both numbers, or the time, are reached; then all turns end."""
        settings = {
            "FLAMECHAT_TURNS_AT_ONCE": "8",
            "FLAMECHAT_MODEL_FALLBACKS": SPARE,
            "FLAMECHAT_MODEL_RETRIES": "1",
            "FLAMECHAT_MODEL_RETRY_SECONDS": "0.2",
        }
        async with (
            speaking_endpoint(mishaps, is_down=lambda key, model: model != SPARE and is_down_for(key)) as endpoint,
            fleet(folder, SERVERS, model_url=endpoint.base_url, **settings) as servers,
        ):
            people = People(servers, endpoint, tally, words=(60, 160), stops=0.15, falls_back=True)
            await people.begin(ASKING)
            kills, starting = self.aim // KILLS_FOR_TURNS, set[asyncio.Task[None]]()
            while monotonic() < until and (
                tally.counts.get("turns", 0) < self.aim or tally.counts.get("kills", 0) < kills
            ):
                await asyncio.sleep(random.uniform(0.5, 2.0))
                if tally.counts.get("kills", 0) < kills and len(servers.members) > 1:
                    member = one_to_kill(servers, endpoint)
                    people.kills.append(monotonic())
                    tally.count("kills")
                    await servers.kill(member)
                    starting.add(asyncio.create_task(servers.start()))
                tally.done = _done(tally)
                tally.save(saved)
            for ended in await asyncio.gather(*starting, return_exceptions=True):
                if isinstance(ended, TimeoutError):  # so busy a machine: the others went on
                    tally.count("servers that did not start in time")
                elif ended is not None:
                    raise ended
            await people.end()
            tally.done = _done(tally)
            [(rows,)] = await servers.select(ALL_ROWS)
            [(of_turns, of_calls)] = await servers.select(BY_TURNS)
            tally.count("rows in the database", rows)
            tally.count("input tokens of turns", int(of_turns))
            tally.count("input tokens of their calls", int(of_calls))

    def figures(self, tally: Tally) -> list[Figure]:
        kills, counts = self.aim // KILLS_FOR_TURNS, tally.counts
        killed = counts.get("kills", 0)
        sums = [counts.get(f"input tokens of {whose}", 0) for whose in ("turns", "their calls")]
        return [
            Figure(self.name, "turns", f"{counts.get('turns', 0)}", f">= {self.aim}", tally.is_complete),
            Figure(self.name, "kills", f"{killed}", f">= {kills}", killed >= kills),
            reported(tally, "servers that did not start in time"),
            *(reported(tally, name) for name in sorted(counts) if name.startswith(("ended ", "rows "))),
            *(
                Figure(self.name, name, f"{counts.get(name, 0)}", ">= 1", counts.get(name, 0) > 0)
                for name in ("ended cancelled", "rows fallback", "rows retry", "requests that were answered")
            ),
            exactly(tally, "answered requests without a row", 0),
            exactly(tally, "answered requests with two rows", 0),
            Figure(self.name, "input tokens: turns, calls", f"{sums[0]:,}, {sums[1]:,}", "equal", sums[0] == sums[1]),
            exactly(tally, "ended never", 0),
            exactly(tally, "turns without an end", 0),
            exactly(tally, "turns with something lost, doubled or half done", 0),
        ]


def _done(tally: Tally) -> int:
    """Turns, as far as there were kills for them: without those it goes on."""
    return min(tally.counts.get("turns", 0), tally.counts.get("kills", 0) * KILLS_FOR_TURNS)
