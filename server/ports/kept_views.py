"""The parts of a view's address that are too long for one, under a short id; the in-memory twin obeys the same contract
suite."""

from dataclasses import dataclass
from typing import Protocol

from server.ports.identity import Caller

MOST_VIEWS = 200
"""Of a trace: past it the longest unused go."""

LONGEST_TRANSFORMS = 4_000
LONGEST_SEARCH = 500


@dataclass(frozen=True, slots=True)
class LongParts:
    """`transforms` and `find` as the address has them."""

    transforms: str
    find: str


class KeptViews(Protocol):
    """Long parts of views of traces of the caller's accounts; a trace of another account looks like none."""

    async def keep(self, caller: Caller, trace_id: str, view_id: str, parts: LongParts) -> None:
        """Keep them under an id that comes from them. Raises NotFound for a trace that is not the caller's."""
        ...

    async def parts(self, caller: Caller, trace_id: str, view_id: str) -> LongParts:
        """Raises NotFound."""
        ...
