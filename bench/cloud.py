"""What a dead service that a turn does not need costs it: pairs of turns, one on a server whose Realtime answers, one
on a server whose Realtime takes requests and never answers, in turns.

`python -m bench.cloud`. Both servers are processes of their own with test servers for their projects; the built-in
analyst answers. The figure is the median of the differences within pairs.
"""

import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import websockets

from tests.cloud.cloud import Cloud, a_cloud

PAIRS = 30
WARM_UP = 5
TARGET_MS = 50.0
TARGET_SHARE = 0.05
SERVE = [sys.executable, "-c", "from server.app import main; main()", "serve", "--port", "0", "--no-open"]
TRACE = b"main;parse;read 700\nmain;parse 200\nmain;render 100\n"
ENDS = ("model_response_end", "turn_failed")

DEAD: dict[str, Callable[[Cloud], None]] = {
    "Realtime hangs": lambda cloud: cloud.supabase.faults.always("realtime", "hang"),
    "Realtime answers 500": lambda cloud: cloud.supabase.faults.always("realtime", "500"),
}


class Place:
    """A server of a cloud, and a trace of Anna's on it."""

    def __init__(self, cloud: Cloud, address: str, token: str, trace_id: str) -> None:
        self.cloud = cloud
        self._address = address
        self._token = token
        self._trace_id = trace_id

    async def turn_ms(self) -> float:
        """Milliseconds from sending a prompt to reading the end of its turn, in a session of its own."""
        session_id = str(uuid.uuid4())
        url = self._address.replace("http", "ws") + "/api/v1/chat"
        async with websockets.connect(url, proxy=None, max_size=None) as socket:
            opening = {"type": "start_analysis", "traceId": self._trace_id, "sessionId": session_id}
            await socket.send(json.dumps(opening | {"accessToken": self._token}))
            await socket.recv()
            sent = time.perf_counter()
            await socket.send(
                json.dumps({"type": "user_prompt", "sessionId": session_id, "prompt": "Why is this slow?"})
            )
            while (message := json.loads(await socket.recv()))["type"] not in ENDS:
                pass
            took = (time.perf_counter() - sent) * 1000
        assert message["type"] == "model_response_end", message
        return took


@asynccontextmanager
async def place(folder: Path) -> AsyncIterator[Place]:
    """A cloud with a server in it."""
    async with a_cloud(folder / "database") as cloud:
        cloud.supabase.auth.administrators.add("anna")
        process = await asyncio.create_subprocess_exec(
            *SERVE,
            *("--data", str(folder / "data")),
            env=os.environ | cloud.settings(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        try:
            assert process.stdout is not None
            address = (await process.stdout.readline()).decode().removeprefix("Flamechat is at ").strip()
            token = await cloud.supabase.auth.sign_in("anna")
            headers = {"Authorization": f"Bearer {token}"}
            async with httpx.AsyncClient(base_url=address, headers=headers, trust_env=False) as http:
                change = {"chatSessionsLimit": None, "chatSessionsPeriod": None, "reason": "many pairs"}
                (await http.patch("/api/v1/admin/plans/free", json=change)).raise_for_status()
                stored = await http.post("/api/v1/traces", params={"name": "stacks.txt"}, content=TRACE)
                stored.raise_for_status()
            yield Place(cloud, address, token, stored.json()["trace"]["traceId"])
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await process.communicate()


async def _print() -> bool:
    good = True
    with tempfile.TemporaryDirectory() as folder:
        async with place(Path(folder) / "alive") as alive, place(Path(folder) / "dead") as dead:
            for what, breaking in DEAD.items():
                for _ in range(WARM_UP):
                    await alive.turn_ms()
                    await dead.turn_ms()
                breaking(dead.cloud)
                pairs = []
                for number in range(PAIRS):
                    first, second = (alive, dead) if number % 2 else (dead, alive)
                    figures = {first: await first.turn_ms(), second: await second.turn_ms()}
                    pairs.append((figures[alive], figures[dead]))
                median = statistics.median(one for one, _ in pairs)
                difference = statistics.median(other - one for one, other in pairs)
                allowed = max(TARGET_MS, TARGET_SHARE * median)
                good = good and difference <= allowed
                print(f"{what:28} {median:10.1f} {difference:+12.1f} {allowed:10.1f}", flush=True)
                dead.cloud.supabase.faults.always("realtime", None)
    return good


def print_cloud() -> bool:
    """Milliseconds over PAIRS pairs each; whether every difference is within its bound."""
    print(f"\na turn beside a dead service, in ms ({PAIRS} alternating pairs each)\n")
    print(f"{'what is dead':28} {'alive':>10} {'difference':>12} {'at most':>10}")
    return asyncio.run(_print())


if __name__ == "__main__":
    sys.exit(0 if print_cloud() else 1)
