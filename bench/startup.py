"""`python -m bench startup [ROUNDS]`: how long a command takes from start to end, next to importing numpy.

Each round starts every command once, one after the other, so that a machine that is busy for a while is busy for all of
them. The least of the rounds is what the command itself needs; a target is met by that.
"""

import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from statistics import median

from bench.own_process import ROOT, met

ROUNDS = 9
TIMEOUT_S = 120
FLAMECHAT = "from server.app import main; main()"
SMALL = ROOT / "fixtures" / "settlement.go-cpu.pb.gz"
NUMPY = "import numpy"
LEFT_OUT = ("FLAMECHAT_", "OPENAI_", "LANGFUSE_", "PYTHONDONTWRITEBYTECODE")
"""Beginnings of variables that the commands do not get: the built-in analyst answers, nobody watches, and modules are
compiled once, as where Flamechat is installed."""


@dataclass(frozen=True, slots=True)
class Started:
    """`limit` is in seconds; with `after_numpy` on top of what importing numpy takes; None for what has no target."""

    name: str
    arguments: tuple[str, ...]
    limit: float | None = None
    after_numpy: bool = False


COMMANDS = (
    Started(NUMPY, (NUMPY,)),
    Started("flamechat --help", (FLAMECHAT, "--help"), 0.3),
    Started("flamechat summary", (FLAMECHAT, "summary", str(SMALL)), 0.2, after_numpy=True),
    Started("flamechat analyze", (FLAMECHAT, "analyze", str(SMALL)), 1.4),
)


def seconds_of(arguments: tuple[str, ...]) -> tuple[float, float]:
    """Wall-clock and processor seconds of one process. Raises CalledProcessError, TimeoutExpired."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(LEFT_OUT)}
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-c", *arguments]
    subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True, timeout=TIMEOUT_S)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def print_startup(rounds: int = ROUNDS) -> bool:
    """A line for each command; returns whether every target was met."""
    for one in COMMANDS:
        seconds_of(one.arguments)  # compiles what is imported, and brings it into the machine's memory
    runs = [[seconds_of(one.arguments) for one in COMMANDS] for _ in range(rounds)]
    print(f"\nseconds from start to end, the least and the median of {rounds} runs in turn; {SMALL.name}\n")
    print(f"{'command':20} {'least':>7} {'median':>7} {'CPU':>7}  target")
    all_met, numpy = True, min(run[0][0] for run in runs)
    for index, one in enumerate(COMMANDS):
        wall, cpu = [run[index][0] for run in runs], min(run[index][1] for run in runs)
        target = ""
        if one.limit is not None:
            limit = one.limit + numpy * one.after_numpy
            all_met &= min(wall) <= limit
            target = f"{limit:.2f} {met(min(wall), limit)}"
        print(f"{one.name:20} {min(wall):7.3f} {median(wall):7.3f} {cpu:7.3f}  {target}", flush=True)
    return all_met
