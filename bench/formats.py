"""`python -m bench formats [--growth]`: how fast each format is read, and in how much memory, next to speedscope where
it reads it. Recorded files come from the folder of large traces, others are generated.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from bench.generated_files import GENERATED, write
from bench.measure import decompressed, mapped
from bench.own_process import AnonymousMemory, Figures, figures_of, met
from bench.speedscope import PEER_TIMEOUT_S, speedscope_seconds
from bench.speedscope_release import PACKAGE, harness
from traces.analysis.calltree import call_tree
from traces.analysis.functions import top_functions
from traces.errors import TraceError
from traces.reader import read_trace

GENERATED_MB = 40.0
GROWTH_MB = (10.0, 300.0)
GROWTH = 0.15
"""Of the time for a megabyte: what it may be more in the larger file."""
TEXT_FLOOR_MB_S = 60
BINARY = (".pb", ".prof", ".bin")
"""Other files are text."""
TIMES_PEER = {"callgrind": 10, "xdebug": 10, "gecko": 10, "speedscope": 10}
LEAST_TIMES_PEER = 3
SMALLEST_MB = 5
"""Below it starting costs more than reading: such files have no target."""
ROUNDS = 3
OVER = f">{PEER_TIMEOUT_S}"
"""The peer's seconds where it took longer than it may."""


def measure(path: Path) -> Figures:
    """CPU seconds to columns, call tree and top functions, `MB` of content, `anonymous MB` at most above what was used
    before."""
    content = mapped(path)
    memory = AnonymousMemory()
    with memory.watched():
        start = time.process_time()
        try:
            trace = read_trace(content, name=path.name)
        except TraceError as error:
            sys.exit(f"not read: {error}")
        top_functions(trace)
        call_tree(trace)
        seconds = time.process_time() - start
    return {"seconds": seconds, "MB": len(content) / 1e6, "anonymous MB": memory.peak / 1e6}


def print_formats(folder: Path) -> None:
    """The table: recorded files, then generated ones."""
    peer = harness()
    source = f"{PACKAGE} in Node, in turn" if peer else "not measured, as there is no Node here"
    print(f"\nformats, the least of {ROUNDS} runs; memory over the file's size; speedscope: {source}\n")
    columns = f"{'MB':>7} {'seconds':>8} {'MB/s':>8} {'memory':>7} {'over':>6}"
    print(f"{'file':40} {columns} {'peer s':>7} {'times':>7} {'asked':>5} {'met':>4}")
    with tempfile.TemporaryDirectory() as scratch:
        recorded = sorted(folder.glob("*")) if folder.is_dir() else []
        for packed in recorded:
            plain = Path(scratch) / packed.name.removesuffix(".gz")
            plain.write_bytes(decompressed(packed))
            print(_row(plain, peer), flush=True)
            plain.unlink()
        for name in GENERATED:
            plain = Path(scratch) / f"generated.{name}"
            write(name, GENERATED_MB, plain)
            print(_row(plain, peer), flush=True)
            plain.unlink()


def print_growth() -> None:
    """Whether a megabyte of a large file takes as long as one of a small file."""
    print(f"\ngrowth: seconds for 100 MB, in files of {GROWTH_MB[0]:.0f} and {GROWTH_MB[1]:.0f} MB\n")
    print(f"{'file':24} {'small':>8} {'large':>8} {'more':>7} {'met':>4}")
    with tempfile.TemporaryDirectory() as scratch:
        for name in GENERATED:
            each = []
            for megabytes in GROWTH_MB:
                plain = Path(scratch) / f"{megabytes:.0f}.{name}"
                write(name, megabytes, plain)
                ours = _least(plain)
                plain.unlink()
                each.append(100 * ours["seconds"] / ours["MB"] if isinstance(ours, dict) else float("nan"))
            more = each[1] / each[0] - 1
            print(f"{name:24} {each[0]:8.3f} {each[1]:8.3f} {more:7.1%} {met(more, GROWTH):>4}", flush=True)


def _least(plain: Path) -> Figures | str:
    """The fastest of some runs, or why there is none."""
    runs = [figures_of("bench.formats", str(plain)) for _ in range(ROUNDS)]
    return min((run for run in runs if isinstance(run, dict)), key=lambda run: run["seconds"], default=runs[-1])


def _row(plain: Path, harness: str | None) -> str:
    ours = _least(plain)
    if isinstance(ours, str):
        return f"{plain.name:40} {ours[:100]}"
    size, seconds, memory = ours["MB"], ours["seconds"], ours["anonymous MB"]
    peer = speedscope_seconds(harness, plain) if harness else "-"
    is_large = size >= SMALLEST_MB
    is_text = plain.suffix not in BINARY
    is_met = not is_text or size / seconds >= TEXT_FLOOR_MB_S
    asked = next((many for word, many in TIMES_PEER.items() if word in plain.name), LEAST_TIMES_PEER)
    times, limit = "-", "-"
    if isinstance(peer, float) or peer == OVER:
        least = peer if isinstance(peer, float) else float(PEER_TIMEOUT_S)
        is_met &= least / seconds >= asked
        times, limit = f"{'' if isinstance(peer, float) else '>'}{least / seconds:.1f}x", f"{asked}x"
    verdict = "-" if not is_large else "yes" if is_met else "NO"
    figures = f"{size:7.1f} {seconds:8.3f} {size / seconds:8.1f} {memory:7.0f} {memory / size:5.1f}x"
    return f"{plain.name:40} {figures} {peer:>7} {times:>7} {limit if is_large else '-':>5} {verdict:>4}"


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[2]))))
