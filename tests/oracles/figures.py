"""What two readers of one recording say, in comparable form: busy time, self and total of functions, by thread."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

HEAVIEST = 50
FIRST = 5
SHARE = 1e-3
"""Of a figure: what may differ by rounding."""
SELF, TOTAL = 0, 1
Thread = tuple[str, str]


@dataclass(slots=True)
class Figures:
    """Nanoseconds of one thread: how long it was busy, and self and total of each function by name."""

    busy: float = 0
    functions: dict[str, list[float]] = field(default_factory=lambda: defaultdict(lambda: [0.0, 0.0]))

    def heaviest(self, which: int, most: int) -> list[str]:
        """The first functions by self or total."""
        return sorted(self.functions, key=lambda name: (-self.functions[name][which], name))[:most]

    def of(self, name: str, which: int) -> float:
        """Self or total of a function; 0 where there is none of that name."""
        return self.functions[name][which] if name in self.functions else 0.0


def differences(expected: Figures, found: Figures, slack: float) -> Iterator[str]:
    """Where busy time, or self or total of one of the fifty heaviest functions, differ by more than rounding and
    `slack`."""
    if not _near(expected.busy, found.busy, slack):
        yield f"busy {expected.busy:,.0f}, here {found.busy:,.0f}"
    for which, what in ((SELF, "self"), (TOTAL, "total")):
        for name in expected.heaviest(which, HEAVIEST):
            one, other = expected.of(name, which), found.of(name, which)
            if not _near(one, other, slack):
                yield f"{what} of {name}: {one:,.0f}, here {other:,.0f}"


def misplaced(expected: Figures, found: Figures, slack: float) -> list[str]:
    """Which of the first five functions here, by self or total, are none of the first five there."""
    wrong = []
    for which in (SELF, TOTAL):
        first = expected.heaviest(which, FIRST)
        least = expected.of(first[-1], which) * (1 - SHARE) - slack if len(first) == FIRST else 0.0
        ours = [name for name in found.heaviest(which, FIRST) if found.of(name, which)]
        wrong += [name for name in ours if expected.of(name, which) < least]
    return wrong


def busiest_differs(expected: Mapping[Thread, Figures], found: Mapping[Thread, Figures], slack: float) -> str | None:
    """The thread that is busiest here, where another one is busier there."""
    if not found:
        return None
    ours = max(found, key=lambda thread: found[thread].busy)
    most = max(figures.busy for figures in expected.values())
    busy = expected[ours].busy if ours in expected else 0.0
    return None if busy >= most * (1 - SHARE) - slack else f"{ours}: {busy:,.0f} of {most:,.0f}"


def _near(one: float, other: float, slack: float) -> bool:
    return abs(one - other) <= SHARE * abs(one) + slack
