"""Call graphs: what each function cost, and what each caller paid for each callee (callgrind, cProfile, stackprof)."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class CallGraph:
    """Functions are numbered as they are first named; `width` costs belong to each function and call."""

    width: int
    frames: list[int] = field(default_factory=list)
    own: list[list[float]] = field(default_factory=list)
    calls: list[dict[int, list[float]]] = field(default_factory=list)
    """Caller by callee: what it cost, then how often it was called."""
    times: list[float] = field(default_factory=list)
    """How often each function was called; importers that know better than the sum over its callers set it."""
    _numbers: dict[Hashable, int] = field(default_factory=dict)

    def function(self, key: Hashable) -> int | None:
        """The number of a function that is known by `key`."""
        return self._numbers.get(key)

    def add_function(self, key: Hashable, frame: int) -> int:
        """Its number from now on; `frame` is the builder's."""
        number = self._numbers[key] = len(self.frames)
        self.frames.append(frame)
        self.own.append([0.0] * self.width)
        self.calls.append({})
        self.times.append(0.0)
        return number

    def add_own(self, function: int, costs: Sequence[float]) -> None:
        """What the function itself cost; fewer costs than there are events leave the rest at zero."""
        own = self.own[function]
        for k, cost in enumerate(costs):
            own[k] += cost

    def add_call(self, caller: int, callee: int, costs: Sequence[float], times: float) -> None:
        """What the caller paid for the callee with all below it, in so many calls."""
        paid = self.calls[caller].setdefault(callee, [0.0] * (self.width + 1))
        for k, cost in enumerate(costs):
            paid[k] += cost
        paid[self.width] += times
        self.times[callee] += times

    def totals(self) -> list[list[float]]:
        """What each function cost with its callees, calls of itself left out."""
        total = [list(own) for own in self.own]
        for caller, callees in enumerate(self.calls):
            for callee, costs in callees.items():
                if callee != caller:
                    for k in range(self.width):
                        total[caller][k] += costs[k]
        return total

    def paid(self) -> tuple[list[list[float]], list[int]]:
        """What the callers of each function paid for it, and how many callers it has; calls of itself left out."""
        paid = [[0.0] * self.width for _ in self.own]
        callers = [0] * len(self.own)
        for caller, callees in enumerate(self.calls):
            for callee, costs in callees.items():
                if callee != caller:
                    callers[callee] += 1
                    for k in range(self.width):
                        paid[callee][k] += costs[k]
        return paid, callers

    def cycles(self) -> list[set[int]]:
        """Functions in groups that call each other (Tarjan's strongly connected components), callees first."""
        search = _Search(self.calls)
        for start in range(len(self.calls)):
            if search.order[start] < 0:
                search.visit(start)
        return search.groups


class _Search:
    def __init__(self, calls: list[dict[int, list[float]]]) -> None:
        self.order = [-1] * len(calls)
        self.groups: list[set[int]] = []
        self._calls = calls
        self._low = [0] * len(calls)
        self._path: list[int] = []
        self._on_path = bytearray(len(calls))
        self._met = 0

    def visit(self, start: int) -> None:
        """Find the groups of all that can be reached from here."""
        order, low = self.order, self._low
        running = [(start, self._enter(start))]
        while running:
            caller, callees = running[-1]
            for callee in callees:
                if order[callee] < 0:
                    running.append((callee, self._enter(callee)))
                    break
                if self._on_path[callee]:
                    low[caller] = min(low[caller], order[callee])
            else:
                running.pop()
                if running:
                    above = running[-1][0]
                    low[above] = min(low[above], low[caller])
                if low[caller] == order[caller]:
                    self._leave(caller)

    def _enter(self, function: int) -> Iterator[int]:
        self.order[function] = self._low[function] = self._met
        self._met += 1
        self._path.append(function)
        self._on_path[function] = 1
        return iter(self._calls[function])

    def _leave(self, first: int) -> None:
        group = set()
        function = -1
        while function != first:
            function = self._path.pop()
            self._on_path[function] = 0
            group.add(function)
        self.groups.append(group)
