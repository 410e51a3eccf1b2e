"""Time that a test sets by hand."""

from datetime import UTC, datetime, timedelta


class ManualClock:
    """Stands still until `advance`."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._elapsed_s = 0.0

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed_s)

    def monotonic(self) -> float:
        return self._elapsed_s

    def advance(self, seconds: float) -> None:
        self._elapsed_s += seconds
