"""Answers from outside that are used again for a while: by account and call."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

MOST_KEPT = 256

Answer = TypeVar("Answer")


class KeptAnswers(Generic[Answer]):
    """The newest ones, for so many seconds."""

    def __init__(self, seconds: float, monotonic: Callable[[], float], *, most: int = MOST_KEPT) -> None:
        self._seconds = seconds
        self._most = most
        self._monotonic = monotonic
        self._kept: OrderedDict[Hashable, tuple[float, Answer]] = OrderedDict()

    def get(self, key: Hashable) -> Answer | None:
        """None where there is none, or none that is new enough."""
        until, kept = self._kept.get(key, (0.0, None))
        return kept if until > self._monotonic() else None

    def keep(self, key: Hashable, answer: Answer) -> None:
        """From now on."""
        self._kept[key] = (self._monotonic() + self._seconds, answer)
        self._kept.move_to_end(key)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
