"""Whose cause it is: the program's own function nearest to a library's, and what lies on the way to it."""

import re
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from traces.analysis.filters import library_frames
from traces.analysis.frame_names import names_of
from traces.lazy_regex import found_in
from traces.model import NONE, Int64, Trace

if TYPE_CHECKING:
    from traces.insights.subject import HeavyTree

UNNAMED = re.compile(
    r"^(?:\(?anonymous\b.*|\(.*\)|<.*>|.*\.<(?:locals>\.<)?\w+>|.*\$\$?[Ll]ambda\b.*|.*lambda\$.*|\[.*\]|0x[0-9a-f]+|\d+|"
    r".*\.func\d+(?:\.\d+)*|_start|root|all|RegExp: .*)$"
)
"""Parts of a function (comprehensions, lambdas), modules, and what is no function: the one around them is its name."""


def frames_of(tree: "HeavyTree") -> Int64:
    """The frames in a tree, each once, in order. `np.unique` would import masked arrays, 13 ms of a command."""
    return np.flatnonzero(np.bincount(tree.frame))


class OwnCode:
    """The heavy tree of a profile, seen from the program's own functions."""

    def __init__(self, trace: Trace, tree: "HeavyTree") -> None:
        self.trace, self.tree = trace, tree

    @cached_property
    def frames(self) -> npt.NDArray[np.bool_]:
        """Whether each frame is a function of the program's own that has a name."""
        own = ~library_frames(self.trace)
        frames, names = self._names
        own[frames[[UNNAMED.match(name) is not None for name in names]]] = False
        return own

    @cached_property
    def _names(self) -> tuple[Int64, list[str]]:
        """The frames in the tree and their names, which are decoded once for all that look at them."""
        frames = frames_of(self.tree)
        return frames, names_of(self.trace, frames)

    @cached_property
    def _beginnings(self) -> list[str]:
        """As much of the names as is read."""
        return [name[:READ] for name in self._names[1]]

    @cached_property
    def nearest(self) -> Int64:
        """The row of the own function nearest above each row, or itself; NONE where there is none."""
        return self.above(self.frames[self.tree.frame])

    def above(self, chosen: npt.NDArray[np.bool_]) -> Int64:
        """The nearest chosen row at or above each row, NONE where there is none. Each round doubles the distance."""
        rows = len(self.tree)
        last = np.where(self.tree.parent < 0, rows, self.tree.parent)
        jump = np.append(np.where(chosen, np.arange(rows), last), rows)
        while True:
            further = jump[jump]
            if (further == jump).all():
                break
            jump = further
        found: Int64 = np.where(jump[:-1] == rows, NONE, jump[:-1]).astype(np.int64)
        return found

    def entering(self, frames: npt.NDArray[np.bool_]) -> Int64:
        """The rows of some frames that lie below no other row of them."""
        chosen = frames[self.tree.frame]
        above = np.append(self.above(chosen), NONE)[self.tree.parent]
        return np.flatnonzero(chosen & (above == NONE))

    def path(self, row: int) -> list[int]:
        """The rows from a root down to one."""
        found = [row]
        while (row := int(self.tree.parent[row])) >= 0:
            found.append(row)
        return found[::-1]

    def weightiest(
        self, rows: Int64, weights: npt.NDArray[np.float64], *, but: npt.NDArray[np.bool_] | None = None
    ) -> int | None:
        """The own function at or above most of some rows' weight, as a frame, none of the frames `but`; None where
        there is none."""
        near = (self.nearest if but is None else self.above((self.frames & ~but)[self.tree.frame]))[rows]
        known = near >= 0
        if not known.any():
            return None
        by_frame = np.bincount(self.tree.frame[near[known]], weights=weights[known])
        return int(np.argmax(by_frame)) if by_frame.max() > 0 else None

    def named(self, pattern: re.Pattern[str]) -> npt.NDArray[np.bool_]:
        """Whether each frame of the trace is in the tree and has a name in which a pattern is found."""
        found = np.zeros(len(self.trace.frames), np.bool_)
        found[self._names[0]] = found_in(pattern, self._beginnings)
        return found


READ = 200
"""Characters of a name that are read."""
