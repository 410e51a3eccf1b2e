"""A real `flamechat serve` in a process of its own."""

import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.plugins.laid_databases import lay_database
from tests.plugins.secrets_in_logs import keys_in

ROOT = Path(__file__).parents[2]
START_TIMEOUT_S = 120
STOP_TIMEOUT_S = 60
NOT_INHERITED = (
    "FLAMECHAT_",
    "OPENAI_",
    "SUPABASE_",
    "LANGFUSE_",
    "LANGSMITH_",
    "LANGCHAIN_",
    "AI_ANALYSIS",
    "PROCESS_AI",
)
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)")


@dataclass(frozen=True, slots=True)
class RunningServer:
    address: str
    data: Path
    lines: list[str]
    process: int

    @property
    def port(self) -> int:
        return int(self.address.rsplit(":", 1)[1])


@contextlib.contextmanager
def running_server(data: Path, settings: Mapping[str, str]) -> Iterator[RunningServer]:
    """Serve on a free port until the block ends; then ask it to stop, and fail if it does not."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(NOT_INHERITED)}
    if "FLAMECHAT_DATABASE_URL" not in settings:
        lay_database(data / "postgres")
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from server.app import main; main()",
            "serve",
            "--port",
            "0",
            "--data",
            str(data),
            "--no-open",
        ],
        cwd=ROOT,
        env={**environment, **settings, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    lines: list[str] = []
    addresses: queue.Queue[str | None] = queue.Queue()
    reader = threading.Thread(target=_read, args=(process.stdout, lines, addresses), daemon=True)
    reader.start()
    try:
        address = addresses.get(timeout=START_TIMEOUT_S)
        assert address is not None, "the server ended before it printed its address:\n" + "".join(lines[-5:])
        yield RunningServer(address, data, lines, process.pid)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=STOP_TIMEOUT_S) == 0, "".join(lines[-40:])
        assert keys_in("".join(lines)) == [], "a key for programs stands in the server's log"
    finally:
        process.kill()
        process.wait()
        reader.join(timeout=STOP_TIMEOUT_S)
        process.stdout.close()


def _read(output: Iterator[str], lines: list[str], addresses: "queue.Queue[str | None]") -> None:
    for line in output:
        lines.append(line)
        if found := ADDRESS.search(line):
            addresses.put(found.group())
    addresses.put(None)
