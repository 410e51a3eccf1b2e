"""The steps that `make bench` times, on one file, in CPU seconds of this process."""

import gzip
import hashlib
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rendering.flamegraph import render_flamegraph
from rendering.options import FlamegraphOptions
from traces import cache
from traces.analysis.calltree import call_tree
from traces.analysis.functions import top_functions
from traces.analysis.layout import left_heavy, time_order
from traces.door import read_trace
from traces.errors import TraceError, UnrecognisedTrace

STEPS = ("hash", "import", "cache", "functions", "call tree", "time order", "left heavy", "picture")
ROUNDS = 3
MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in one unit of ru_maxrss: kilobytes everywhere but on macOS."""


def decompressed(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def cpu_seconds(step: Callable[[], object], rounds: int = ROUNDS) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        step()
        best = min(best, time.process_time() - start)
    return best


def measure(path: Path) -> dict[str, float]:
    """Seconds by step, and `MB` of content and `peak MB` of the process. Ends the process with the reason when the
    file is not read."""
    content = decompressed(path)
    seconds = {"hash": cpu_seconds(lambda: hashlib.sha256(content).digest())}
    start = time.process_time()
    try:
        trace = read_trace(content, name=path.name)
    except UnrecognisedTrace:
        sys.exit("not read: no importer knows its format")
    except TraceError as error:
        sys.exit(f"not read: {error}")
    seconds["import"] = time.process_time() - start
    seconds["cache"] = cpu_seconds(lambda: cache.encode(trace), rounds=1)
    seconds["functions"] = cpu_seconds(lambda: top_functions(trace))
    seconds["call tree"] = cpu_seconds(lambda: call_tree(trace))
    seconds["time order"] = cpu_seconds(lambda: time_order(trace))
    seconds["left heavy"] = cpu_seconds(lambda: left_heavy(trace))
    seconds["picture"] = cpu_seconds(lambda: render_flamegraph(trace, FlamegraphOptions(mode="left_heavy")))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * MAXRSS_UNIT
    return {**seconds, "MB": len(content) / 1e6, "peak MB": peak / 1e6}
