"""What functions do by their names: work, wait, nobody knows; run tasks; and which have no name."""

import re
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from traces.analysis.frame_names import names_of
from traces.analysis.waiting_names import waits
from traces.kernels.columns import pick
from traces.model import Int32, Trace

NOT_KNOWN = frozenset({"(program)", "(unmanaged code)"})
"""What V8 and .NET call the time of a thread outside of their code: native code, or waiting."""
TASK = re.compile(r"RunTask$|RunTask\b|^Task$")
"""What Chrome's task loops call their slices."""
UNNAMED = re.compile(
    r"^(?:\[?(?:unknown|unresolved|unsymbolized)\]?|\?\??\??|\(unknown\)|<unknown>|(?:.*[!+])?0x[0-9a-f]+|[0-9a-f]{8,16})$",
    re.IGNORECASE,
)
WORKS, WAITS_BY_NAME, NOBODY_KNOWS = range(3)


def kind_of(name: str) -> int:
    """What a function does by itself."""
    return NOBODY_KNOWS if name in NOT_KNOWN else WAITS_BY_NAME if waits(name) else WORKS


@dataclass(frozen=True, slots=True)
class NameKinds:
    """A row for each of some nodes."""

    kind: npt.NDArray[np.uint8]
    is_task: npt.NDArray[np.bool_]
    is_unnamed: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, trace: Trace, frame: Int32) -> Self:
        """Of nodes of these frames, whose names are looked at once each."""
        used = np.flatnonzero(np.bincount(frame))
        names = names_of(trace, used)
        place = np.zeros(len(trace.frames), np.int32)
        place[used] = np.arange(len(used))
        where = pick(place, frame)
        return cls(
            np.array([kind_of(name) for name in names], np.uint8)[where],
            np.array([TASK.search(name) is not None for name in names], np.bool_)[where],
            np.array([UNNAMED.match(name) is not None for name in names], np.bool_)[where],
        )
