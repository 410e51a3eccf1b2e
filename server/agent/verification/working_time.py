"""The time that checking an answer is given: of the processor, so that a busy machine marks as an idle one does."""

import time
from collections.abc import Callable

OF_WALL = 1 / 8
"""A machine that gives this process less than an eighth of a core ends the check by the clock on the wall."""


def working_clock() -> Callable[[], float]:
    """A clock that begins at 0: seconds in which this thread worked, or an eighth of those that passed, whichever are
    more."""
    worked, passed = time.thread_time(), time.monotonic()
    return lambda: max(time.thread_time() - worked, (time.monotonic() - passed) * OF_WALL)
