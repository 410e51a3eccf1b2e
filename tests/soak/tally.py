"""What a soak has seen so far, kept in a file, so that it can be stopped and gone on with; and the table at its end."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import monotonic


@dataclass(slots=True)
class Tally:
    """Counts, samples and complaints of one part. `aim` is how many units (cuts, kills, ...) make it complete."""

    part: str
    aim: int
    done: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    samples: dict[str, list[float]] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)

    def count(self, name: str, more: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + more

    def sample(self, name: str, value: float) -> None:
        self.samples.setdefault(name, []).append(round(value, 3))

    def complain(self, what: str) -> None:
        self.count("complaints")
        if len(self.complaints) < 50:
            self.complaints.append(what)

    @property
    def is_complete(self) -> bool:
        return self.done >= self.aim

    def save(self, folder: Path) -> None:
        """Keep it, and print how far it is."""
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = folder / f"{self.part}.new"
        unfinished.write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")
        unfinished.replace(folder / f"{self.part}.json")
        print(f"{self.part}: {self.done:,} of {self.aim:,}", flush=True)

    @classmethod
    def load(cls, folder: Path, part: str, aim: int) -> "Tally":
        """What an earlier run saved, or a fresh one."""
        try:
            saved = cls(**json.loads((folder / f"{part}.json").read_text(encoding="utf-8")))
        except FileNotFoundError:
            return cls(part, aim)
        saved.aim = aim
        return saved


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table. `holds` is None for a figure without a bound."""

    part: str
    name: str
    seen: str
    bound: str = ""
    holds: bool | None = None


LEAST_S = 30.0


def some_work(until: float) -> float:
    """Until when a run works whose servers have just started: `until`, or a little longer where they took that long."""
    return max(until, monotonic() + LEAST_S)


def exactly(tally: Tally, name: str, expected: int) -> Figure:
    """A count that must be this one."""
    seen = tally.counts.get(name, 0)
    return Figure(tally.part, name, f"{seen:,}", f"= {expected:,}", seen == expected)


def reported(tally: Tally, name: str) -> Figure:
    return Figure(tally.part, name, f"{tally.counts.get(name, 0):,}")


def percentiles(tally: Tally, name: str, bound: float, unit: str, *, bounded: float = 1.0) -> Figure:
    """p50, p95, p99 and the largest of some samples; that of the share `bounded` (all of them by default) must stay
    under the bound."""
    values = sorted(tally.samples.get(name, []))
    of = "" if bounded == 1.0 else f"p{bounded * 100:.0f} "
    if not values:
        return Figure(tally.part, name, "none", f"{of}< {bound:g} {unit}", False)
    p50, p95, p99, judged = (
        values[min(len(values) - 1, int(len(values) * share))] for share in (0.5, 0.95, 0.99, bounded)
    )
    seen = f"p50 {p50:.1f}, p95 {p95:.1f}, p99 {p99:.1f}, max {values[-1]:.1f} {unit} ({len(values)})"
    return Figure(tally.part, name, seen, f"{of}< {bound:g} {unit}", judged < bound)


def print_table(figures: list[Figure]) -> bool:
    """Print the figures; returns whether all bounds hold."""
    words = {True: "holds", False: "DOES NOT HOLD", None: ""}
    rows = [("part", "figure", "seen", "bound", "")]
    rows += [(one.part, one.name, one.seen, one.bound, words[one.holds]) for one in figures]
    widths = [max(len(row[place]) for row in rows) for place in range(5)]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip(), flush=True)
    return all(one.holds is not False for one in figures)
