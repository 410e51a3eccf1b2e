"""How late the server's event loop is while a hundred imports queue in its workers, and how soon a command answers."""

import asyncio
import hashlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from server.composing.worker_processes import build_workers
from server.settings import load_settings
from traces.analysis.summary import summarise

IMPORTS = 100
TICK_S = 0.001
P99_TARGET_MS = 20.0
COMMAND_TARGET_S = 0.4
ROUNDS = 3


async def lateness_ms(files: list[Path], cache: Path) -> tuple[list[float], float]:
    """How late each tick came while all imports ran, in milliseconds, and the seconds they took. The files are read as
    different uploads: nothing is found in the cache.
    """
    workers, late = build_workers(load_settings(), cache), list[float]()

    async def tick() -> None:
        while True:
            due = time.perf_counter() + TICK_S
            await asyncio.sleep(TICK_S)
            late.append(1e3 * (time.perf_counter() - due))

    async def add(number: int, file: Path) -> None:
        sha256 = hashlib.sha256(str(number).encode()).hexdigest()
        await workers.ask(await workers.read(file, name=file.name, key=sha256), summarise)

    start = time.perf_counter()
    ticking = asyncio.create_task(tick())
    async with asyncio.TaskGroup() as tasks:
        for number, file in enumerate(islice(cycle(files), IMPORTS)):
            tasks.create_task(add(number, file))
    ticking.cancel()
    return sorted(late), time.perf_counter() - start


def print_responsiveness(files: list[Path]) -> None:
    """Lateness of a 1 ms tick."""
    with tempfile.TemporaryDirectory() as cache:
        late, seconds = asyncio.run(lateness_ms(files, Path(cache)))
    p99 = late[len(late) * 99 // 100]
    print(f"\nevent loop while {IMPORTS} imports queue ({seconds:.1f} s, {len(late):,} ticks of 1 ms), lateness in ms")
    met = "yes" if p99 <= P99_TARGET_MS else "NO"
    print(f"median {late[len(late) // 2]:.2f}, p99 {p99:.2f} of {P99_TARGET_MS:.0f} {met}, maximum {late[-1]:.2f}")


def print_fresh_command(file: Path) -> None:
    """A fresh `flamechat summary` of a small file, with compiled modules as installed: the quickest of three by
    wall clock.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", "from server.app import main; main()", "summary", str(file)]
    taken = []
    for _ in range(ROUNDS):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=environment)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append((wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    wall, cpu = min(taken)
    met = "yes" if wall <= COMMAND_TARGET_S else "NO"
    print(f"\nfresh flamechat summary {file.name}: {wall:.2f} s of {COMMAND_TARGET_S} {met}, {cpu:.2f} s of CPU")
