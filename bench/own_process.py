"""A measurement in a process of its own: `python -m bench.<module> --one ARGUMENTS` prints its figures as JSON."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
TIMEOUT_S = 3600
SAMPLED_EVERY_S = 0.005
"""A peak that lasts shorter is missed; each look costs the process a little time of its own."""

LEFT_OUT = {"FLAMECHAT_KERNELS", "PYTHONDONTWRITEBYTECODE"}
"""Variables that the processes do not get: kernels are used where they are built, and modules are compiled once, as
where Flamechat is installed."""

Figures = dict[str, float]
MEMORY_SHARE, MEMORY_BASE_MB = 0.5, 100
"""Anonymous memory may be this share of the decompressed size and this much more."""


def figures_of(module: str, *arguments: str) -> Figures | str:
    """What the module printed, or why there is nothing to show."""
    environment = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    command = [sys.executable, "-m", module, "--one", *arguments]
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"stopped after {TIMEOUT_S} s"
    if done.returncode:
        return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
    figures: Figures = json.loads(done.stdout)
    return figures


def memory_limit(content_mb: float) -> float:
    """MB that reading a file of so many may take."""
    return MEMORY_SHARE * content_mb + MEMORY_BASE_MB


def met(figure: float, target: float) -> str:
    """Whether a figure is within its target, as tables say it."""
    return "yes" if figure <= target else "NO"


class AnonymousMemory:
    """The most memory of this process without mapped files, in bytes, while it is `watched`; 0 where the system does
    not say."""

    def __init__(self) -> None:
        self.peak = 0
        self._over = threading.Event()

    @contextmanager
    def watched(self) -> Iterator[None]:
        watcher = threading.Thread(target=self._watch)
        watcher.start()
        try:
            yield
        finally:
            self._over.set()
            watcher.join()

    def _watch(self) -> None:
        over = not Path("/proc/self/statm").exists()
        while not over:
            over = self._over.wait(SAMPLED_EVERY_S)
            # Pages: total size, resident, of those shared with files (proc(5)).
            _, resident, shared, *_ = Path("/proc/self/statm").read_text(encoding="ascii").split()
            self.peak = max(self.peak, (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE"))
