"""Reading large traces beside speedscope's importer: CPU seconds from bytes to columns, call tree and top functions.

SPEEDSCOPE_HARNESS names a command that imports the file given last and prints the CPU seconds it took as the last word
of its output. Without it the figures of the engine's plan stand there.
"""

import os
import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.measure import decompressed
from bench.own_process import TIMEOUT_S, figures_of

HARNESS = "SPEEDSCOPE_HARNESS"


@dataclass(frozen=True, slots=True)
class Peer:
    """CPU seconds. `speedscope`: its importer in Node on the same file, as the table "Speed" of the engine's plan gives
    it (of another machine or hour than ours); `target`: what that table asks of us. `events`: trace events
    or collapsed stacks.
    """

    file: str
    speedscope: float
    target: float
    events: bool = False


PEERS = (
    Peer("viztracer-100mb.json.gz", 260, 0.15, events=True),
    Peer("chrome-100mb.json.gz", 3.3, 0.25, events=True),
    Peer("node-tsc.cpuprofile.gz", 2.5, 0.25),
    Peer("austin-pylint.austin.txt.gz", 2.4, 0.08, events=True),
    Peer("perf-node.linux-perf.txt.gz", 1.8, 0.15),
    Peer("node-time-lines.pb.gz", 3.0, 0.2),
    Peer("pyspy-pylint-1khz.speedscope.json.gz", 1.2, 0.15),
)

REFERENCE_FACTOR = {True: 4.0, False: 1.0}
"""Without the kernels: four times faster on trace events and collapsed stacks, elsewhere not slower (over 5 MB)."""

MEMORY_SHARE, MEMORY_BASE = 0.5, 100e6
"""Anonymous memory may be this share of the decompressed size and this many bytes more."""


def speedscope_seconds(harness: str, plain: Path) -> float | str:
    """What the harness prints for the file, or why it printed nothing."""
    try:
        done = subprocess.run(
            [*shlex.split(harness), str(plain)], capture_output=True, text=True, timeout=TIMEOUT_S, check=True
        )
        return float(done.stdout.split()[-1])
    except subprocess.TimeoutExpired:
        return "timeout"
    except (OSError, subprocess.CalledProcessError, ValueError, IndexError):
        return "failed"


def print_beside_speedscope(folder: Path) -> None:
    """The table: each large trace that the folder holds, with kernels and without."""
    harness = os.environ.get(HARNESS)
    source = f"measured now by {harness}" if harness else f"figures of the engine's plan; {HARNESS} measures them here"
    print(f"\nfrom bytes in memory to columns, call tree and top functions, CPU seconds; speedscope: {source}")
    print("hash and cache writing stand beside; memory is the peak of anonymous memory, MB, and what it may be\n")
    columns = f"{'MB':>6} {'kernels':>8} {'ours':>8} {'target':>7} {'met':>4} {'speedscope':>10} {'ratio':>8}"
    print(f"{'file':38} {columns} {'hash':>6} {'cache':>6} {'memory':>7} {'limit':>6} {'met':>4}")
    with tempfile.TemporaryDirectory() as scratch:
        for peer in PEERS:
            packed = folder / peer.file
            if not packed.exists():
                print(f"{peer.file:38} is not in {folder}")
                continue
            plain = Path(scratch) / peer.file.removesuffix(".gz")
            plain.write_bytes(decompressed(packed))
            theirs = speedscope_seconds(harness, plain) if harness else peer.speedscope
            for with_kernels in (True, False):
                print(_row(peer, plain, theirs, with_kernels=with_kernels), flush=True)
            plain.unlink()


def _row(peer: Peer, plain: Path, theirs: float | str, *, with_kernels: bool) -> str:
    ours = figures_of("bench.measure", str(plain), with_kernels=with_kernels)
    label = f"{plain.name:38}"
    if isinstance(ours, str):
        return f"{label} {ours}"
    reading = ours["import"] - ours["hash"] + ours["functions"] + ours["call tree"]
    compared = theirs if isinstance(theirs, float | int) else peer.speedscope
    target = peer.target if with_kernels else compared / REFERENCE_FACTOR[peer.events]
    limit = MEMORY_SHARE * ours["MB"] + MEMORY_BASE / 1e6
    ratio = f"{theirs / reading:7.1f}x" if isinstance(theirs, float | int) else f"{'-':>8}"
    return (
        f"{label} {ours['MB']:6.1f} {'on' if with_kernels else 'off':>8} {reading:8.3f} {target:7.2f} "
        f"{_met(reading, target)} {theirs:>10} {ratio} {ours['hash']:6.3f} {ours['cache']:6.3f} "
        f"{ours['anonymous MB']:7.0f} {limit:6.0f} {_met(ours['anonymous MB'], limit)}"
    )


def _met(figure: float, target: float) -> str:
    return f"{'yes' if figure <= target else 'NO':>4}"
