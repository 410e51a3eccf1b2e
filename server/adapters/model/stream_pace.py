"""How often the answers that a process streams are read."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

READS_PER_S = 500
"""Of all answers together: each is read the less often, the more there are, and has the more text when it is, so that a
word costs the less, the more is asked of the process."""

LONGEST_PAUSE_S = 0.15
"""Between two reads of one answer, however many there are: text still flows."""

TIMES_LATE = 4
"""The pause between two reads is at least so many times what the process comes late to its work: larger pieces, and
fewer, instead of a queue that grows."""

READS_PER_S_LATE = 200
"""As READS_PER_S, of a process that is late: no fewer for that. A few answers cost it little, whatever else it does."""

SHARE_OF_NEWEST = 0.1
"""Of the newest pause in what is known of being late: some ten of them."""


@dataclass(slots=True)
class StreamPace:
    """`answers` are being streamed; `late_s` is how late their pauses have ended of late."""

    answers: int = 0
    late_s: float = 0.0

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
        late = min(TIMES_LATE * self.late_s, self.answers / READS_PER_S_LATE)
        return min(max(self.answers / READS_PER_S, late), LONGEST_PAUSE_S)

    async def pause(self) -> None:
        """For so long."""
        seconds, since = self.pause_s, time.monotonic()
        await asyncio.sleep(seconds)
        late = max(time.monotonic() - since - seconds, 0.0)
        self.late_s += SHARE_OF_NEWEST * (late - self.late_s)
