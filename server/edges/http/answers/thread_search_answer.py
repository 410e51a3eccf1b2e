"""A search over all threads, as JSON values."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from server.edges.http.answers.call_tree_answer import LONGEST_NAME
from server.quoting import clamp
from traces.analysis.thread_search import search_threads
from traces.errors import InvalidQuestion
from traces.model import Trace

MOST_FRAMES = 100_000
"""Functions that an answer to an expression lists by number, for the chart to mark."""
EXPRESSION_S = 2.0
"""Processor time that an expression may take over all names: one that backtracks without end has no other bound."""
Syntax = Literal["text", "regex"]


def search_json(trace: Trace, words: str, syntax: Syntax, limit: int, offset: int) -> dict[str, Any]:
    """`{threads, matches, total, frames}`; `frames` are the numbers of what an expression finds, null of plain text.
    Raises InvalidQuestion for a broken, long or endless expression."""
    if not words:
        return {"threads": [], "matches": [], "total": 0, "frames": None}
    with _bounded(EXPRESSION_S):
        found = search_threads(trace, words, regex=syntax == "regex", limit=limit, offset=offset)
    threads = [
        {
            "handle": one.handle,
            "name": clamp(one.name, LONGEST_NAME),
            "unit": one.unit,
            "functions": one.functions,
            "self": one.self_value,
            "count": one.count,
            "counted": one.counted,
        }
        for one in found.threads
    ]
    matches = [
        {
            "thread": one.thread,
            "frame": f"f{one.frame}",
            "name": clamp(trace.frame_name(one.frame), LONGEST_NAME),
            "file": clamp(trace.frame_file(one.frame) or "", LONGEST_NAME) or None,
            "line": trace.frame_line(one.frame),
            "self": one.self_value,
            "total": one.total_value,
            "count": one.count,
        }
        for one in found.matches
    ]
    frames = found.frames[:MOST_FRAMES].tolist() if syntax == "regex" else None
    return {"threads": threads, "matches": matches, "total": found.total, "frames": frames}


@contextmanager
def _bounded(seconds: float) -> Iterator[None]:
    """End what runs past so much processor time, where signals arrive: in a worker's main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def give_up(*_: object) -> None:
        raise InvalidQuestion(f"the expression takes longer than {seconds:g} s over the trace's names: simplify it.")

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
