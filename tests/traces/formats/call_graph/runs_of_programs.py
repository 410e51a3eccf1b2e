"""Made-up runs of a program, and what profilers that see every call write: callgrind's text, cProfile's sums."""

import marshal
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from hypothesis import strategies as st

FUNCTIONS = 5


@dataclass(frozen=True)
class Call:
    """A call of a function: what it cost itself, and what it called."""

    function: int
    own: int
    calls: tuple["Call", ...] = ()

    @property
    def cost(self) -> int:
        return self.own + sum(call.cost for call in self.calls)


_functions, _costs = st.integers(0, FUNCTIONS - 1), st.integers(0, 1_000)
calls_of_programs = st.recursive(
    st.builds(Call, _functions, _costs),
    lambda inner: st.builds(Call, _functions, _costs, st.lists(inner, max_size=4).map(tuple)),
    max_leaves=25,
)
runs = st.builds(
    Call, _functions, st.integers(1, 1_000), st.lists(calls_of_programs, min_size=1, max_size=4).map(tuple)
)

Pair = tuple[int, int]


@dataclass
class Sums:
    """What a run cost, by function and by caller and callee. `total` and `between` count a call inside a call of the
    same kind once, `paid` counts it again."""

    calls: Counter[int] = field(default_factory=Counter)
    primitive: Counter[int] = field(default_factory=Counter)
    own: Counter[int] = field(default_factory=Counter)
    total: Counter[int] = field(default_factory=Counter)
    direct: Counter[Pair] = field(default_factory=Counter)
    primitive_direct: Counter[Pair] = field(default_factory=Counter)
    own_between: Counter[Pair] = field(default_factory=Counter)
    between: Counter[Pair] = field(default_factory=Counter)
    paid: Counter[Pair] = field(default_factory=Counter)

    def in_a_cycle(self, function: int) -> bool:
        """Whether it calls others that call it."""
        return any(other != function and function in self._reached(other) for other in self._reached(function))

    def _reached(self, start: int) -> set[int]:
        found, waiting = set[int](), [start]
        while waiting:
            now = waiting.pop()
            fresh = {callee for caller, callee in self.direct if caller == now} - found
            found |= fresh
            waiting += fresh
        return found


def sums_of(run: Call) -> Sums:
    """By walking the run."""
    sums = Sums()
    functions, pairs = Counter[int](), Counter[Pair]()

    def enter(call: Call, caller: int | None) -> None:
        f = call.function
        sums.calls[f] += 1
        sums.own[f] += call.own
        if functions[f] == 0:
            sums.primitive[f] += 1
            sums.total[f] += call.cost
        pair = (-1 if caller is None else caller, f)
        if caller is not None:
            sums.direct[pair] += 1
            sums.paid[pair] += call.cost
            sums.own_between[pair] += call.own
            if pairs[pair] == 0:
                sums.primitive_direct[pair] += 1
                sums.between[pair] += call.cost
        functions[f] += 1
        pairs[pair] += 1
        for inner in call.calls:
            enter(inner, f)
        functions[f] -= 1
        pairs[pair] -= 1

    enter(run, None)
    return sums


def as_callgrind(sums: Sums) -> str:
    """Two events, of which the second is three times the first."""
    lines = ["# callgrind format", "events: Ir Dr"]
    for function in sorted(sums.calls):
        lines += [f"fn=f{function}", f"1 {sums.own[function]} {3 * sums.own[function]}"]
        for (caller, callee), times in sums.direct.items():
            if caller == function:
                cost = sums.paid[caller, callee]
                lines += [f"cfn=f{callee}", f"calls={times} 1", f"1 {cost} {3 * cost}"]
    return "\n".join(lines) + "\n"


def as_pstats(sums: Sums) -> bytes:
    """Costs as nanoseconds."""

    def callers(function: int) -> Iterator[tuple[tuple[str, int, str], tuple[int, int, float, float]]]:
        for pair, times in sums.direct.items():
            if pair[1] == function:
                own, spent = sums.own_between[pair] / 1e9, sums.between[pair] / 1e9
                yield ("app.py", pair[0] + 1, f"f{pair[0]}"), (times, sums.primitive_direct[pair], own, spent)

    return marshal.dumps(
        {
            ("app.py", f + 1, f"f{f}"): (sums.primitive[f], n, sums.own[f] / 1e9, sums.total[f] / 1e9, dict(callers(f)))
            for f, n in sums.calls.items()
        }
    )
