"""Frames that are not one function of the program, by the names that recorders give them."""

import re
from typing import Any

from server.analyst.forms import word_list

PSEUDO_FRAMES = word_list("pseudo_frames")
"""Names that profilers give to what is not one function of the program: none is said to dominate before another."""


EVENTS = PSEUDO_FRAMES | {
    *("EventDispatch", "FunctionCall", "TimerFire", "FireAnimationFrame", "RunMicrotasks", "EvaluateScript"),
    "v8.callFunction",
}
"""Names of what a browser did, too: a function named next to one is what an answer is about."""
MUCH_COLLECTED = 0.3
"""Self share from which garbage collection is what a trace is about."""
_BY_WORD = (
    r"(?<![/\w])gcs?\b|garbage|GC_|_gc\b|mark.?sweep|scaveng|gcBgMark|gc_collect|M(?:in|aj)or ?GC|gcDrain|gcAssist|"
    r"gcStart|sweepone|cycle collect|^\((?:sweeping|marking)\)$"
)
_OF_THE_JVM = (
    r"^G1(?:New|Old|Full)\b|^(?:ParNew|DefNew|SerialOld|ParallelOld|ConcurrentMarkSweep|ZGC|Shenandoah)\b|"
    r"GC(?:Minor|Major|Slice)"
)
COLLECTORS = (_BY_WORD, _OF_THE_JVM)
GARBAGE = re.compile("|".join(COLLECTORS), re.IGNORECASE)
"""How CPython, V8, Go, the JVM, GHC and Chrome name the frames of their collectors."""

OF_A_THREAD = re.compile(r"^thread \(\d+\)")
"""How py-spy writes the root of a thread."""


def collects(name: str) -> bool:
    """Whether a frame by its name is the garbage collector."""
    return GARBAGE.search(name) is not None


def is_pseudo(row: dict[str, Any]) -> bool:
    """Whether a row is not one function of the program; a collector is only where it does not dominate."""
    name = row["name"]
    collected = collects(name) and row.get("self_share", 0.0) < MUCH_COLLECTED
    return name in PSEUDO_FRAMES or OF_A_THREAD.match(name) is not None or name.startswith("(other ") or collected
