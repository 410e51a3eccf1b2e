"""How often the answers that a process streams are read."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

READS_PER_S = 500
"""Of all answers together: each is read the less often, the more there are, and has the more text when it is, so that a
word costs the less, the more is asked of the process."""

LONGEST_PAUSE_S = 0.1
"""Between two reads of one answer, however many there are: text still flows."""


@dataclass(slots=True)
class StreamPace:
    """`answers` are being streamed."""

    answers: int = 0

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """While another answer is streamed."""
        self.answers += 1
        try:
            yield
        finally:
            self.answers -= 1

    @property
    def pause_s(self) -> float:
        """Between two reads of one answer."""
        return min(self.answers / READS_PER_S, LONGEST_PAUSE_S)
