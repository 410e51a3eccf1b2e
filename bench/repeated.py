"""A real trace repeated in time: questions about a million spans, reopening, and 1 GB to the first picture."""

import hashlib
import json
import mmap
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from bench.measure import ROUNDS, cpu_seconds, decompressed, mapped
from bench.own_process import AnonymousMemory, Figures, figures_of
from rendering.flamegraph import render_flamegraph
from rendering.options import FlamegraphOptions
from server.adapters.workers.pages import keep_freed_pages
from traces import cache
from traces.analysis.calltree import call_tree
from traces.analysis.functions import top_functions
from traces.analysis.layout import time_order
from traces.analysis.sandwich import callers_callees
from traces.analysis.selection import select
from traces.analysis.window import Window
from traces.door import read_trace
from traces.model import Trace

REPEATED = "viztracer-100mb.json.gz"
LARGE_BYTES = 10**9
LARGE_TARGET_S = 1.5
MILLION = 2
"""Copies with more than a million spans: one has 600,000."""

QUESTION_TARGET_MS = 10.0
REOPENING_TARGET_MS = 5.0


def write_repeated(source: Path, out: Path, *, copies: int | None = None) -> None:
    """Trace events one copy after the other in time; until LARGE_BYTES are passed unless told."""
    events: list[dict[str, Any]] = msgspec.json.decode(decompressed(source))["traceEvents"]
    timed = [event for event in events if event["ph"] != "M"]
    length = max(event["ts"] + event.get("dur", 0) for event in timed) - min(event["ts"] for event in timed) + 1
    encoder = msgspec.json.Encoder()
    with out.open("wb") as file:
        file.write(b'{"traceEvents":')
        opening, number = b"", 0
        while number < copies if copies is not None else file.tell() < LARGE_BYTES:
            written = encoder.encode(events if number == 0 else timed)
            file.write(opening + (written[:-1] if number == 0 else written[1:-1]))
            opening, number = b",", number + 1
            for event in timed:
                event["ts"] += length
        file.write(b"]}")


def first_picture(path: Path) -> Figures:
    """CPU seconds from the mapped bytes, warm, to a PNG of the whole time, without those of the hash, which stand
    beside."""
    content, memory = mapped(path), AnonymousMemory()
    for offset in range(0, len(content), mmap.PAGESIZE):
        content[offset]
    hashing = cpu_seconds(lambda: hashlib.sha256(content).digest(), rounds=1)
    with memory.watched():
        seconds = cpu_seconds(
            lambda: render_flamegraph(read_trace(content, name=path.name), FlamegraphOptions(mode="time_order")),
            rounds=1,
        )
    return {
        "seconds": seconds - hashing,
        "hash": hashing,
        "MB": len(content) / 1e6,
        "anonymous MB": memory.peak / 1e6,
    }


def questions(path: Path) -> Figures:
    """Best of three in CPU milliseconds, reopening by wall clock: from the file's name to a Trace."""
    trace = read_trace(mapped(path), name=path.name)
    keep_freed_pages()  # as the workers do in which questions are asked
    with tempfile.TemporaryDirectory() as folder:
        columns = Path(folder) / "columns"
        with columns.open("wb") as out:
            out.writelines(cache.encode(trace))
        reopening = min(_wall_seconds(lambda: _reopened(columns)) for _ in range(ROUNDS))
        trace = _reopened(columns)
        asked = _asked(trace)
        chosen = select(trace, None)
        spans = trace.profiles[trace.default_profile].spans
        assert spans is not None
        figures = {name: 1e3 * cpu_seconds(question) for name, question in asked.items()}
        nodes = len(chosen.tree.frame)
    return {"spans": float(len(spans.parent)), "nodes": float(nodes), "reopening": 1e3 * reopening, **figures}


def _reopened(columns: Path) -> Trace:
    with columns.open("rb") as file:
        return cache.decode(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _wall_seconds(step: Callable[[], object]) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def _asked(trace: Trace) -> dict[str, Callable[[], object]]:
    profile = trace.profiles[trace.default_profile]
    length = profile.axis_end - profile.axis_start
    window = Window(profile.axis_start + length * 4 // 10, profile.axis_start + length * 6 // 10)
    frame = top_functions(trace, limit=1).rows[0].frame
    return {
        "top functions": lambda: top_functions(trace),
        "call tree": lambda: call_tree(trace),
        "sandwich": lambda: callers_callees(trace, frame),
        "functions in a fifth": lambda: top_functions(trace, window=window),
        "tree of a fifth": lambda: call_tree(trace, window=window),
        "boxes of a fifth": lambda: time_order(trace, window=window),
    }


def print_questions(folder: Path) -> None:
    """Questions and reopening on a trace of a million spans, with kernels and without."""
    if not (folder / REPEATED).exists():
        print(f"\nquestions at a million spans: {REPEATED} is not in {folder}")
        return
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "repeated.json"
        write_repeated(folder / REPEATED, path, copies=MILLION)
        for with_kernels in (True, False):
            found = figures_of("bench.repeated", "questions", str(path), with_kernels=with_kernels)
            if isinstance(found, str):
                print(f"\nquestions at a million spans: {found}")
                continue
            size = f"{found.pop('spans'):,.0f} spans, {found.pop('nodes'):,.0f} nodes"
            print(f"\nquestions: {size}, kernels {'on' if with_kernels else 'off'}; ms, best of three")
            for name, figure in found.items():
                target = REOPENING_TARGET_MS if name == "reopening" else QUESTION_TARGET_MS
                print(f"{name:22} {figure:8.2f} of {target:4.0f} {'yes' if figure <= target else 'NO':>4}", flush=True)


def print_large(folder: Path) -> None:
    """1 GB of trace events to the first picture."""
    if not (folder / REPEATED).exists():
        print(f"\n1 GB: {REPEATED} is not in {folder}")
        return
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "repeated.json"
        write_repeated(folder / REPEATED, path)
        print(f"\n1 GB of trace events ({REPEATED} repeated) to the first picture, warm; CPU seconds")
        for with_kernels in (True, False):
            found = figures_of("bench.repeated", "large", str(path), with_kernels=with_kernels)
            kernels = f"kernels {'on' if with_kernels else 'off':3}"
            if isinstance(found, str):
                print(f"{kernels} {found}")
                continue
            met = "yes" if found["seconds"] <= LARGE_TARGET_S else "NO"
            print(
                f"{kernels} {found['MB']:.0f} MB: {found['seconds']:.2f} of {LARGE_TARGET_S} {met}, "
                f"hash {found['hash']:.2f}; "
                f"anonymous memory {found['anonymous MB']:.0f} MB of {found['MB'] / 2 + 100:.0f}",
                flush=True,
            )


if __name__ == "__main__":
    print(json.dumps({"questions": questions, "large": first_picture}[sys.argv[2]](Path(sys.argv[3]))))
