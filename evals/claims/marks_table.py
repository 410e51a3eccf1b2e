"""How well marks fit statements, as a table with the bounds that it must keep."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evals.claims.marking import Mark, Marked

SWAPPED = frozenset({"self", "total", "self_share", "total_share", "calls", "samples", "mean", "median", "p99"}) | {
    "longest",
    "share_of",
    "ratio",
    "together_total",
    "on_thread",
    "swap",
}
"""Kinds whose false statements have another function's, measure's or base's figure: none may be certified."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A share of statements: those that `counts`, of those that `of`; it is at most or at least `bound`."""

    name: str
    of: Callable[[Marked], bool]
    counts: Callable[[Marked], bool]
    bound: float
    is_most: bool

    def counted(self, marked: Sequence[Marked]) -> tuple[int, int]:
        of = [one for one in marked if self.of(one)]
        return sum(self.counts(one) for one in of), len(of)

    def keeps(self, marked: Sequence[Marked]) -> bool:
        part, total = self.counted(marked)
        share = part / total if total else 0.0
        return share <= self.bound if self.is_most else share >= self.bound


CONTRADICTED = Measure(
    "false and decidable, contradicted",
    lambda m: not m.statement.is_true and m.statement.is_decidable,
    lambda m: m.mark is Mark.CONTRADICTED,
    0.85,
    False,
)
MEASURES = (
    Measure("false, certified", lambda m: not m.statement.is_true, lambda m: m.mark is Mark.CERTIFIED, 0.01, True),
    Measure(
        "false by a swapped function, measure or base, certified",
        lambda m: not m.statement.is_true and m.statement.kind in SWAPPED,
        lambda m: m.mark is Mark.CERTIFIED,
        0.0,
        True,
    ),
    CONTRADICTED,
    Measure(
        "true and decidable, verified or derived",
        lambda m: m.statement.is_true and m.statement.is_decidable,
        lambda m: m.mark is Mark.CERTIFIED,
        0.80,
        False,
    ),
    Measure("true, contradicted", lambda m: m.statement.is_true, lambda m: m.mark is Mark.CONTRADICTED, 0.01, True),
)


def printed_marks(name: str, marked: Sequence[Marked]) -> str:
    """A Markdown table: each measure over the open part, the part unseen, and each language."""
    parts = [("open", [m for m in marked if not m.statement.is_unseen])]
    parts.append(("unseen", [m for m in marked if m.statement.is_unseen]))
    languages = sorted({m.statement.language for m in marked})
    parts += [(one, [m for m in marked if m.statement.language == one]) for one in languages]
    lines = [
        f"### {name}: {len(marked)} statements",
        "",
        f"| | bound | {' | '.join(title for title, _ in parts)} |",
        f"|---|---:|{'---:|' * len(parts)}",
    ]
    for measure in MEASURES:
        bound = f"{'<=' if measure.is_most else '>='} {measure.bound:.0%}"
        cells = [_share(*measure.counted(rows)) for _, rows in parts]
        lines.append(f"| {measure.name} | {bound} | {' | '.join(cells)} |")
    return "\n".join(lines)


def broken(marked: Sequence[Marked], *, is_of_address: bool = False) -> list[str]:
    """Which bounds the open part or the part unseen does not keep. A false statement whose figure is right of its own
    address (`is_of_address`) need not be contradicted: it may not be certified."""
    measures = [one for one in MEASURES if not (is_of_address and one is CONTRADICTED)]
    found = []
    for title, is_unseen in (("open", False), ("unseen", True)):
        rows = [m for m in marked if m.statement.is_unseen is is_unseen]
        found += [f"{title}: {measure.name}" for measure in measures if not measure.keeps(rows)]
    return found


def _share(part: int, total: int) -> str:
    return f"{part} of {total} ({part / total:.1%})" if total else "none"
