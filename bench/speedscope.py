"""Reading large traces, compared with speedscope's importer: CPU seconds from bytes to columns, call tree and top
functions.

The peer is its release of npm in Node, or SPEEDSCOPE_HARNESS (speedscope_release.py). Where neither can run, the
figures of the engine's plan stand there.
"""

import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.measure import decompressed
from bench.own_process import Figures, figures_of, memory_limit, met
from bench.speedscope_release import harness as peer_harness


@dataclass(frozen=True, slots=True)
class Peer:
    """CPU seconds. `speedscope`: its importer in Node on the same file, as the table "Speed" of the engine's plan gives
    it (of another machine or hour than ours); `target`: what that table asks of us.
    """

    file: str
    speedscope: float
    target: float


PEERS = (
    Peer("viztracer-100mb.json.gz", 260, 0.15),
    Peer("chrome-100mb.json.gz", 3.3, 0.25),
    Peer("node-tsc.cpuprofile.gz", 2.5, 0.25),
    Peer("austin-pylint.austin.txt.gz", 2.4, 0.08),
    Peer("perf-node.linux-perf.txt.gz", 1.8, 0.15),
    Peer("node-time-lines.pb.gz", 3.0, 0.2),
    Peer("pyspy-pylint-1khz.speedscope.json.gz", 1.2, 0.15),
)

ROUNDS = 3
"""Runs of theirs and ours in turn, of which the least count: what else the machine does only adds."""
PEER_TIMEOUT_S = 120
"""A file that speedscope takes longer for has no figure of it."""
LONG_SECONDS = 30
"""A file that speedscope takes longer for is read once."""


def speedscope_seconds(harness: str, plain: Path) -> float | str:
    """What the harness prints for the file, or why it printed nothing."""
    try:
        done = subprocess.run(
            [*shlex.split(harness), str(plain)], capture_output=True, text=True, timeout=PEER_TIMEOUT_S, check=True
        )
        return float(done.stdout.split()[-1])
    except subprocess.TimeoutExpired:
        return f">{PEER_TIMEOUT_S}"
    except (OSError, subprocess.CalledProcessError, ValueError, IndexError):
        return "failed"


def print_against_speedscope(folder: Path) -> None:
    """The table: each large trace that the folder holds."""
    harness = peer_harness()
    source = "measured now" if harness else "figures of the engine's plan, as there is no Node here"
    print(f"\nfrom bytes in memory to columns, call tree and top functions, CPU seconds; speedscope: {source}")
    print(f"the least of {ROUNDS} runs in turn, of one where speedscope takes longer than {LONG_SECONDS} s;")
    print("hash and cache writing stand beside; memory is the peak of anonymous memory, MB, and what it may be\n")
    columns = f"{'MB':>6} {'ours':>8} {'target':>7} {'met':>4} {'speedscope':>10} {'ratio':>8}"
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
            print(_row(peer, plain, theirs, ours), flush=True)
            plain.unlink()


def _least(peer: Peer, plain: Path, harness: str | None) -> tuple[float | str, Figures | str]:
    """Theirs and ours; a word in place of figures where there are none."""
    theirs: list[float | str] = []
    ours: list[Figures | str] = []
    for _ in range(ROUNDS):
        theirs.append(speedscope_seconds(harness, plain) if harness else peer.speedscope)
        ours.append(figures_of("bench.measure", str(plain)))
        if isinstance(theirs[-1], str) or theirs[-1] > LONG_SECONDS:
            break
    least = min((seconds for seconds in theirs if isinstance(seconds, float | int)), default=theirs[-1])
    return least, min((each for each in ours if isinstance(each, dict)), key=_reading, default=ours[-1])


def _reading(ours: Figures) -> float:
    """From bytes to the answers, without the hash."""
    return ours["import"] - ours["hash"] + ours["functions"] + ours["call tree"]


def _row(peer: Peer, plain: Path, theirs: float | str, ours: Figures | str) -> str:
    label = f"{plain.name:38}"
    if isinstance(ours, str):
        return f"{label} {ours}"
    reading = _reading(ours)
    limit = memory_limit(ours["MB"])
    ratio = f"{theirs / reading:7.1f}x" if isinstance(theirs, float | int) else f"{'-':>8}"
    return (
        f"{label} {ours['MB']:6.1f} {reading:8.3f} {peer.target:7.2f} "
        f"{met(reading, peer.target):>4} {theirs:>10} {ratio} {ours['hash']:6.3f} {ours['cache']:6.3f} "
        f"{ours['anonymous MB']:7.0f} {limit:6.0f} {met(ours['anonymous MB'], limit):>4}"
    )
