"""Many sockets and many turns at once for a long time, as `bench.streaming` measures them."""

from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from bench.streaming import CPU_TIMES_BARE, FLAT_MB_PER_MINUTE, P95_MS, SOCKETS, TURNS, allow_sockets, stream
from tests.soak.tally import Figure, Tally, exactly, reported

AROUND_S = 90.0
"""Of a run: for what comes before the streams and after them."""


@dataclass(frozen=True, slots=True)
class Streams:
    """`aim` is in seconds."""

    name: str = "streams"
    aim: int = 600
    sockets: int = SOCKETS
    turns: int = TURNS

    async def run(self, folder: Path, saved: Path, tally: Tally, until: float) -> None:
        """One run, as long as the time allows."""
        allow_sockets()
        seconds = max(20.0, min(self.aim - tally.done, until - monotonic() - AROUND_S))
        [level], alone, _ = await stream(seconds, self.sockets, [self.turns], folder)
        tally.count("turns completed", level.finished)
        tally.count("turns dropped", level.dropped.total())
        tally.sample("p95 from token to frame, ms", level.percentile(0.95))
        tally.sample("growth of the server, MB a minute", level.mb_per_minute())
        if isinstance(alone, str):
            tally.complain(alone)
        else:
            tally.sample("CPU a token, bare astream = 1", level.cpu_a_token / alone)
        tally.done += round(seconds)

    def figures(self, tally: Tally) -> list[Figure]:
        bounds = {
            "p95 from token to frame, ms": P95_MS,
            "growth of the server, MB a minute": FLAT_MB_PER_MINUTE,
            "CPU a token, bare astream = 1": CPU_TIMES_BARE,
        }
        figures = [
            Figure(self.name, "seconds", f"{tally.done}", f">= {self.aim}", tally.is_complete),
            reported(tally, "turns completed"),
            exactly(tally, "turns dropped", 0),
        ]
        for name, bound in bounds.items():
            values = tally.samples.get(name, [])
            seen = ", ".join(f"{value:.2f}" for value in values)
            figures.append(Figure(self.name, name, seen, f"< {bound:g}", bool(values) and max(values) < bound))
        return figures
