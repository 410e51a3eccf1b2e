from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The time, with its zone (UTC)."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back, for intervals and deadlines."""
        ...
