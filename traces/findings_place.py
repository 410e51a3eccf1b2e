"""Where the findings of one trace are kept, as whoever opened the trace says."""

from typing import Protocol

PLACE = "place of findings"
"""Its key among the trace's answers."""


class FindingsPlace(Protocol):
    """Nothing raises: what cannot be kept is found again."""

    def read(self) -> bytes | None: ...
    def write(self, data: bytes) -> None: ...
