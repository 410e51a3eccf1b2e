"""When Python looks for cycles of garbage: the only place that changes it, with what that was measured to be worth.

The collector visits all young objects after every 700 new ones, and now and then all objects of the process. What a
reader makes of a file is kept, and an answer's tokens are freed by their reference counts: neither leaves cycles.

Processor time, the least of six to nine runs in turn in several processes: reading perf script text (77 MB) took
0.133 s at rest and 0.167 s otherwise, cProfile's statistics 0.93 and 1.02 s, pprof (7.6 MB) 0.146 and 0.151 s; JSON of
Chrome, V8, speedscope and Firefox differed by less than its runs. With the server's modules loaded, 200,000 events of a
few objects each, of which 20,000 are kept, took 0.168 s when it collects seldom and 0.197 s otherwise. A command
keeps what it imports, and ends: of a small file `flamechat analyze` took 1.47 s collecting little and 1.77 s otherwise,
`summary` 0.288 and 0.322 s; three collections that were still made among the 160,000 objects of `analyze` took 25 ms
each.
"""

import atexit
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SERVING_THRESHOLDS = (50_000, 20, 20)
"""`gc.set_threshold`: new objects before the youngest generation is collected, and such collections before an older
one is."""

COMMAND_THRESHOLDS = (250_000, 20, 20)
"""More than a command keeps that answers one question."""

COUNTS_AT_THE_END = {"_duckdb"}
"""Modules whose binding prints what of theirs is still there when the process ends: that must be collected."""


@contextmanager
def at_rest() -> Iterator[None]:
    """No cycles are looked for meanwhile; afterwards it is as it was before."""
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_collecting:
            gc.enable()


def collect_little() -> None:
    """For a process that runs one command: seldom, and not once more of everything when it ends. Files are closed and
    processes ended by whoever opened them, not by the collector."""
    gc.set_threshold(*COMMAND_THRESHOLDS)
    atexit.register(_leave_all)


def _leave_all() -> None:
    if not COUNTS_AT_THE_END & sys.modules.keys():
        gc.freeze()


def collect_seldom() -> None:
    """Leave alone what lives now, as it stays, and look at what comes after 70 times as seldom as before."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*SERVING_THRESHOLDS)
