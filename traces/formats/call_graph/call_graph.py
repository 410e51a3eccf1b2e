"""Call graphs: what each function cost, and what each caller paid for each callee (callgrind, cProfile, stackprof)."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from traces.kernels.cycles import groups_of_calls
from traces.model import Int32, Int64

Costs = npt.NDArray[np.float64]


@dataclass(frozen=True)
class CallColumns:
    """A finished call graph. A row of `frame` (the builder's), `own` and `times` is a function; its callees are rows
    `first[i]` to `first[i + 1]` of `callee` and of `paid`, which has what they cost and then how often they were
    called."""

    frame: Int32
    own: Costs
    times: Costs
    first: Int64
    caller: Int32
    callee: Int32
    paid: Costs

    @classmethod
    def of(cls, frame: Int32, own: Costs, times: Costs, caller: Int32, callee: Int32, paid: Costs) -> "CallColumns":
        """From calls in any order; those of one caller keep theirs."""
        order = np.argsort(caller, kind="stable")
        first = np.zeros(len(frame) + 1, np.int64)
        np.cumsum(np.bincount(caller, minlength=len(frame)), out=first[1:])
        return cls(frame, own, times, first, caller[order], callee[order], paid[order])

    @property
    def width(self) -> int:
        return int(self.own.shape[1])

    @cached_property
    def totals(self) -> Costs:
        """What each function cost with its callees, calls of itself left out."""
        return self._added(self.own.copy(), self.caller)

    def paid_for(self) -> Costs:
        """What the callers of each function paid for it, calls of itself left out."""
        return self._added(np.zeros_like(self.own), self.callee)

    def callers(self) -> Int64:
        """How many functions call each, itself left out."""
        return np.bincount(self.callee[self.callee != self.caller], minlength=len(self.frame))

    @cached_property
    def groups(self) -> Int32:
        """The group of functions that call each other to which each belongs; groups are numbered callees first."""
        return groups_of_calls(self.first, self.callee)

    def _added(self, sums: Costs, function: Int32) -> Costs:
        others = self.callee != self.caller
        for k in range(self.width):  # in the order of calls, so that a sum does not depend on how it is made
            np.add.at(sums[:, k], function[others], self.paid[others, k])
        return sums


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

    def columns(self) -> CallColumns:
        """The finished graph."""
        calls = [
            (caller, callee, *costs) for caller, callees in enumerate(self.calls) for callee, costs in callees.items()
        ]
        rows = np.array(calls, np.float64).reshape(-1, 3 + self.width)
        return CallColumns.of(
            np.array(self.frames, np.int32),
            np.array(self.own, np.float64).reshape(-1, self.width),
            np.array(self.times, np.float64),
            rows[:, 0].astype(np.int32),
            rows[:, 1].astype(np.int32),
            rows[:, 2:],
        )
