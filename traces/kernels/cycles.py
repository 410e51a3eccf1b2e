"""Groups of functions that call each other: Tarjan's strongly connected components. In C: cycles.c."""

import numpy as np
import numpy.typing as npt

from traces.kernels.library import call, contiguous, kernels, raise_for

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]


def groups_of_calls(first: Int64, callee: Int32) -> Int32:
    """The group of each function; groups are numbered from 0, callees before callers. The callees of function `i` are
    `callee[first[i]:first[i + 1]]`."""
    library = kernels()
    if library is None:
        return groups_of_calls_reference(first, callee)
    nodes = len(first) - 1
    group = np.empty(nodes, np.int32)
    raise_for(call(library.find_cycles, contiguous(first, np.int64), contiguous(callee, np.int32), nodes, group), 0)
    return group


def groups_of_calls_reference(first: Int64, callee: Int32) -> Int32:
    """The same, a call at a time."""
    search = _Search(first.tolist(), callee.tolist())
    for start in range(len(first) - 1):
        if search.order[start] < 0:
            search.visit(start)
    return np.array(search.group, np.int32)


class _Search:
    def __init__(self, first: list[int], callee: list[int]) -> None:
        nodes = len(first) - 1
        self.order = [-1] * nodes
        self.group = [-1] * nodes
        self._groups = 0
        self._callees = [iter(callee[first[node] : first[node + 1]]) for node in range(nodes)]
        self._low = [0] * nodes
        self._path: list[int] = []
        self._met = 0

    def visit(self, start: int) -> None:
        """Find the groups of all that can be reached from here."""
        order, low = self.order, self._low
        self._enter(start)
        running = [start]
        while running:
            caller = running[-1]
            for callee in self._callees[caller]:
                if order[callee] < 0:
                    self._enter(callee)
                    running.append(callee)
                    break
                if self.group[callee] < 0:
                    low[caller] = min(low[caller], order[callee])
            else:
                running.pop()
                if running:
                    low[running[-1]] = min(low[running[-1]], low[caller])
                if low[caller] == order[caller]:
                    self._leave(caller)

    def _enter(self, function: int) -> None:
        self.order[function] = self._low[function] = self._met
        self._met += 1
        self._path.append(function)

    def _leave(self, first: int) -> None:
        function = -1
        while function != first:
            function = self._path.pop()
            self.group[function] = self._groups
        self._groups += 1
