"""Reading large traces, compared with speedscope's importer: CPU seconds from bytes to columns, call tree and top
functions.

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
from bench.own_process import TIMEOUT_S, Figures, figures_of, memory_limit, met

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

ROUNDS = 3
"""Runs of theirs and ours in turn, of which the least count: what else the machine does only adds."""
LONG_SECONDS = 30
"""A file that speedscope takes longer for is read once."""


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


def print_against_speedscope(folder: Path) -> None:
    """The table: each large trace that the folder holds, with kernels and without."""
    harness = os.environ.get(HARNESS)
    source = f"measured now by {harness}" if harness else f"figures of the engine's plan; {HARNESS} measures them here"
    print(f"\nfrom bytes in memory to columns, call tree and top functions, CPU seconds; speedscope: {source}")
    print(f"the least of {ROUNDS} runs in turn, of one where speedscope takes longer than {LONG_SECONDS} s;")
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
            theirs, ours = _least(peer, plain, harness)
            for with_kernels, found in ours.items():
                print(_row(peer, plain, theirs, found, with_kernels=with_kernels), flush=True)
            plain.unlink()


def _least(peer: Peer, plain: Path, harness: str | None) -> tuple[float | str, dict[bool, Figures | str]]:
    """Theirs, and ours with kernels and without; a word in place of figures where there are none."""
    theirs: list[float | str] = []
    ours: dict[bool, list[Figures | str]] = {True: [], False: []}
    for _ in range(ROUNDS):
        theirs.append(speedscope_seconds(harness, plain) if harness else peer.speedscope)
        for with_kernels, found in ours.items():
            found.append(figures_of("bench.measure", str(plain), with_kernels=with_kernels))
        if isinstance(theirs[-1], str) or theirs[-1] > LONG_SECONDS:
            break
    least = min((seconds for seconds in theirs if isinstance(seconds, float | int)), default=theirs[-1])
    return least, {
        with_kernels: min((each for each in found if isinstance(each, dict)), key=_reading, default=found[-1])
        for with_kernels, found in ours.items()
    }


def _reading(ours: Figures) -> float:
    """From bytes to the answers, without the hash."""
    return ours["import"] - ours["hash"] + ours["functions"] + ours["call tree"]


def _row(peer: Peer, plain: Path, theirs: float | str, ours: Figures | str, *, with_kernels: bool) -> str:
    label = f"{plain.name:38}"
    if isinstance(ours, str):
        return f"{label} {ours}"
    reading = _reading(ours)
    compared = theirs if isinstance(theirs, float | int) else peer.speedscope
    target = peer.target if with_kernels else compared / REFERENCE_FACTOR[peer.events]
    limit = memory_limit(ours["MB"])
    ratio = f"{theirs / reading:7.1f}x" if isinstance(theirs, float | int) else f"{'-':>8}"
    return (
        f"{label} {ours['MB']:6.1f} {'on' if with_kernels else 'off':>8} {reading:8.3f} {target:7.2f} "
        f"{met(reading, target):>4} {theirs:>10} {ratio} {ours['hash']:6.3f} {ours['cache']:6.3f} "
        f"{ours['anonymous MB']:7.0f} {limit:6.0f} {met(ours['anonymous MB'], limit):>4}"
    )
