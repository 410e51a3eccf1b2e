"""How fast pictures are drawn: `python -m bench.rendering`, and part of `make bench`.

CPU milliseconds from a trace in memory to a PNG, best of some rounds, each size in a process of its own, with the
kernels and without. Printed with them are the floor (encoding the same pixels as PNG, by us and by Pillow), the peer's
figures, the ratio, and the memory that drawing needs above the trace.
"""

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from rendering.flamegraph import flamegraph_scene, lay_out, render_flamegraph
from rendering.kernels.library import kernels
from rendering.options import FlamegraphOptions, Mode
from rendering.png import encode_png
from rendering.raster import rasterise
from server.adapters.workers.pages import keep_freed_pages
from traces.builder import TraceBuilder
from traces.kernels.library import SWITCH
from traces.model import Trace
from traces.nesting import Nested

ROOT = Path(__file__).parent.parent
SIZES = {"tiny": 60, "30 k": 30_000, "200 k": 200_000, "1 M": 1_000_000, "1 M own": 1_000_000, "10 M": 10_000_000}
OWN_PATHS = "1 M own"
"""Calls of which almost each has a path of its own, so that left heavy merges next to nothing."""
PICTURES = ((1200, 800), (2400, 1600))
PEER_MS = {"tiny": 43, "30 k": 326, "200 k": 945}
"""CPU milliseconds of the closest product's renderer (flamechart-to-png on node-canvas) at 1200x800, measured on this
kind of machine: the floor of its renderer, a Chrome trace of 30 k calls, a profile of 205 k calls. It draws in time
order only and has no figures for more."""
TARGET_MS = {
    "tiny": (10, 20),
    "30 k": (15, 60),
    "200 k": (15, 60),
    "1 M": (25, 120),
    "1 M own": (60, 240),
    "10 M": (200, 800),
}
"""With the kernels, and without, at 1200x800; 2400x1600 may take three times that."""
FIRST_LEFT_HEAVY_MS = 120
"""The first left heavy picture of a million paths, with the kernels, at 1200x800."""
DEPTH = 41
FRAMES = 2_000
ROUNDS = 7
TIMEOUT_S = 900


@dataclass(frozen=True, slots=True)
class Figures:
    """Milliseconds of CPU, and bytes above the trace."""

    time_order: float
    left_heavy: float
    first_left_heavy: float
    nodes: int
    floor: float
    pillow: float
    pixels: int
    peak: int


def synthetic(spans: int, *, repeats: bool = True) -> Trace:
    """A timeline of so many spans, up to 41 deep, that fills the picture: calls come and go like a program's. One that
    `repeats` itself has far fewer paths than calls, as most traces; the other has almost as many."""
    random = np.random.default_rng(11)
    depth = np.zeros(spans, np.int32)
    level = 0
    for begin in range(1, spans, 1 << 20):
        steps = random.choice([1, 1, 1, 1, 0, -1, -1, -2], size=min(1 << 20, spans - begin)).tolist()
        levels = []
        for step in steps:
            level = min(max(level + step, 1), DEPTH - 1)
            levels.append(level)
        depth[begin : begin + len(levels)] = levels
    start = np.cumsum(random.integers(1, 2_000, spans)).astype(np.int64)
    end = np.full(spans, start[-1] + 2_000, np.int64)
    parent = np.full(spans, -1, np.int32)
    for row in range(DEPTH):
        upto = np.flatnonzero(depth <= row)
        mine = np.flatnonzero(depth[upto] == row)
        mine = mine[mine + 1 < len(upto)]
        end[upto[mine]] = start[upto[mine + 1]]
        if row:
            callers = np.flatnonzero(depth == row - 1)
            callees = np.flatnonzero(depth == row)
            parent[callees] = callers[np.searchsorted(callers, callees) - 1]
    builder = TraceBuilder(f"{spans:,} spans", "synthetic")
    names = [
        builder.frame(f"module{n % 37}.Class{n % 211}.method_{n}", file=f"src/module{n % 37}.py") for n in range(FRAMES)
    ]
    # A function mostly calls the same others, as in real traces, whose trees have far fewer nodes than spans.
    frame = np.zeros(spans, np.int64)
    choice = random.choice([0, 1, 2], spans, p=[0.97, 0.02, 0.01])
    if not repeats:
        frame = random.integers(0, FRAMES, spans)
    for row in range(1, DEPTH if repeats else 0):
        at = np.flatnonzero(depth == row)
        frame[at] = (frame[parent[at]] * 7 + choice[at] * 13 + row) % FRAMES
    named = np.array(names, np.int32)[frame]
    builder.add_evented("main", Nested(np.arange(spans), start, end, named, parent))
    return builder.build(content_key="0" * 64, source_bytes=1)


def best_ms(step: Callable[[], object], rounds: int = ROUNDS) -> float:
    best = float("inf")
    for _ in range(rounds):
        began = time.process_time()
        step()
        best = min(best, time.process_time() - began)
    return best * 1e3


def measure(name: str, width: int, height: int) -> Figures:
    trace = synthetic(SIZES[name], repeats=name != OWN_PATHS)
    keep_freed_pages()  # as the workers do in which pictures are drawn

    def options(mode: Mode) -> FlamegraphOptions:
        return FlamegraphOptions(mode=mode, width=width, height=height)

    first = best_ms(lambda: render_flamegraph(trace, options("left_heavy")), rounds=1)
    asked = options("time_order")
    pixels = rasterise(flamegraph_scene(trace, lay_out(trace, asked), asked)[0])
    peak = peak_above(lambda: render_flamegraph(trace, asked))
    return Figures(
        best_ms(lambda: render_flamegraph(trace, asked)),
        best_ms(lambda: render_flamegraph(trace, options("left_heavy"))),
        first,
        len(trace.profiles[0].tree),
        best_ms(lambda: encode_png(pixels)),
        best_ms(lambda: Image.fromarray(pixels).save(io.BytesIO(), "PNG", compress_level=1)),
        pixels.nbytes,
        peak,
    )


def peak_above(step: Callable[[], object]) -> int:
    """Bytes of memory that a step needs above what is there before it; 0 where the system does not say."""
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not reset.exists():
        return 0

    def kilobytes(name: str) -> int:
        line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith(name))
        return int(line.split()[1])

    reset.write_text("5", encoding="ascii")
    before = kilobytes("VmRSS")
    step()
    return max(0, kilobytes("VmHWM") - before) * 1024


def in_own_process(name: str, width: int, height: int, *, with_kernels: bool) -> Figures | str:
    command = [sys.executable, "-m", "bench.rendering", "--one", name, str(width), str(height)]
    environment = {**os.environ, SWITCH: "on" if with_kernels else "off"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    if done.returncode:
        return done.stderr.strip().splitlines()[-1]
    return Figures(**json.loads(done.stdout))


def row(name: str, width: int, height: int, *, with_kernels: bool) -> str:
    ours = in_own_process(name, width, height, with_kernels=with_kernels)
    label = f"{name:7} {width}x{height:<5} {'kernels' if with_kernels else 'numpy':8}"
    if isinstance(ours, str):
        return f"{label} {ours}"
    target = TARGET_MS[name][not with_kernels] * (1 if width == PICTURES[0][0] else 3)
    peer = PEER_MS.get(name) if width == PICTURES[0][0] else None
    theirs = f"{peer:8} {peer / ours.time_order:6.0f}x" if peer else f"{'-':>8} {'-':>7}"
    return (
        f"{label} {ours.time_order:10.1f} {target:7} {'yes' if ours.time_order <= target else 'NO':>4} "
        f"{ours.left_heavy:10.1f} {ours.first_left_heavy:7.1f} {ours.nodes:9,} "
        f"{ours.floor:7.1f} {ours.time_order / ours.floor:6.1f}x "
        f"{ours.pillow:7.1f} {theirs} {ours.peak / ours.pixels:7.1f}"
    )


def print_rendering() -> None:
    """The table, one row a size, picture and kind of kernels."""
    print(
        "\npictures: CPU ms from a trace in memory to a PNG; floor is the PNG encoding of the same pixels by us, then\n"
        "by Pillow (level 1); memory is the peak above the trace, in sizes of the pixel buffer\n"
    )
    columns = (
        f"{'time order':>10} {'target':>7} {'met':>4} {'left heavy':>10} {'first':>7} {'of nodes':>9} "
        f"{'floor':>7} {'ratio':>7}"
    )
    print(f"{'boxes':7} {'picture':20} {columns} {'Pillow':>7} {'peer':>8} {'ratio':>7} {'memory':>7}")
    print(f"first: the first left heavy picture, at most {FIRST_LEFT_HEAVY_MS} for a million paths at 1200x800\n")
    if kernels() is None:
        print("the kernels are not built or switched off: their rows show numpy")
    for width, height in PICTURES:
        for name in SIZES:
            for with_kernels in (True, False):
                print(row(name, width, height, with_kernels=with_kernels), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(asdict(measure(sys.argv[2], *map(int, sys.argv[3:])))))
    else:
        print_rendering()
