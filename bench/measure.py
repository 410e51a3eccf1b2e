"""The steps that `make bench` times, on one file, in CPU seconds of this process."""

import gzip
import hashlib
import json
import mmap
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.own_process import AnonymousMemory, Figures
from rendering.flamegraph import render_flamegraph
from rendering.options import FlamegraphOptions
from traces import cache
from traces.analysis.calltree import call_tree
from traces.analysis.functions import top_functions
from traces.analysis.view_layout import left_heavy, time_order
from traces.errors import TraceError, UnrecognisedTrace
from traces.reader import read_trace

STEPS = ("hash", "import", "cache", "functions", "call tree", "time order", "left heavy", "picture")
ROUNDS = 3


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


def mapped(path: Path) -> bytes | mmap.mmap:
    """A plain file as the importer meets it, mapped; the content of a compressed one."""
    if path.suffix in {".gz", ".zst"}:
        return decompressed(path)
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def measure(path: Path) -> Figures:
    """Seconds by step; `MB` of content and `anonymous MB`, the peak up to the call tree. Ends the
    process with the reason when the file is not read. Reading, functions and call tree count as the first time.
    """
    content = mapped(path)
    seconds = {"hash": cpu_seconds(lambda: hashlib.sha256(content).digest())}
    memory = AnonymousMemory()
    with memory.watched():
        start = time.process_time()
        try:
            trace = read_trace(content, name=path.name)
        except UnrecognisedTrace:
            sys.exit("not read: no importer knows its format")
        except TraceError as error:
            sys.exit(f"not read: {error}")
        seconds["import"] = time.process_time() - start
        seconds["functions"] = cpu_seconds(lambda: top_functions(trace), rounds=1)
        seconds["call tree"] = cpu_seconds(lambda: call_tree(trace), rounds=1)
    with tempfile.TemporaryFile() as columns:
        seconds["cache"] = cpu_seconds(lambda: columns.writelines(cache.encode(trace)), rounds=1)
    seconds["time order"] = cpu_seconds(lambda: time_order(trace))
    seconds["left heavy"] = cpu_seconds(lambda: left_heavy(trace))
    seconds["picture"] = cpu_seconds(lambda: render_flamegraph(trace, FlamegraphOptions(mode="left_heavy")))
    return {**seconds, "MB": len(content) / 1e6, "anonymous MB": memory.peak / 1e6}


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[2]))))
