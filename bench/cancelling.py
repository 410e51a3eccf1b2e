"""How long a model call goes on after `cancel_turn`: asked of the process that runs the turn, and of another one.

`python -m bench.cancelling`, or within `make bench`. Two servers on one data folder, and an endpoint that
streams 50 pieces a second until its client leaves; the moment it sees that is the figure.
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
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx
import websockets

TARGET_MS = 300
ROUNDS = 25
SERVE = [sys.executable, "-c", "from server.app import main; main()", "serve", "--port", "0"]
TRACE = b"main;parse;read 700\nmain;parse 200\nmain;render 100\n"
PIECE = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "endless"}


class EndlessModel:
    """An OpenAI-compatible endpoint whose answers never end. `left` holds when each client went."""

    def __init__(self) -> None:
        self.left: asyncio.Queue[float] = asyncio.Queue()

    @asynccontextmanager
    async def served(self) -> AsyncIterator[str]:
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        async with server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = next(line.split(":")[1] for line in head.split("\r\n") if line.startswith("content-length"))
        await reader.readexactly(int(length))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        going = asyncio.create_task(self._stream(writer))
        with contextlib.suppress(ConnectionError):
            await reader.read()  # until the client closes
        self.left.put_nowait(time.perf_counter())
        going.cancel()
        writer.close()

    async def _stream(self, writer: asyncio.StreamWriter) -> None:
        while True:
            choice = {"index": 0, "delta": {"content": "word "}, "finish_reason": None}
            writer.write(f"data: {json.dumps(PIECE | {'choices': [choice]})}\n\n".encode())
            await asyncio.sleep(0.02)


@asynccontextmanager
async def server(data: Path, model_url: str) -> AsyncIterator[str]:
    """A server process and its address."""
    own = {"FLAMECHAT_MODEL_BASE_URL": model_url, "FLAMECHAT_MODEL": "endless", "FLAMECHAT_DATA": str(data)}
    process = await asyncio.create_subprocess_exec(
        *SERVE, env=os.environ | own, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode()
        yield line.removeprefix("Flamechat is at ").strip()
    finally:
        process.terminate()
        await process.wait()


async def running_at(addresses: list[str], http: httpx.AsyncClient) -> int:
    """Which of the servers runs the one turn there is."""
    while True:
        for place, address in enumerate(addresses):
            if "\nflamechat_turns_running 1.0\n" in (await http.get(f"{address}/metrics")).text:
                return place


async def cancelled(
    addresses: list[str], trace_id: str, model: EndlessModel, *, elsewhere: bool
) -> tuple[float, float]:
    """Milliseconds from sending the cancel to the end of the model call, and to `turn_cancelled` at the client."""
    session_id, turn_id = str(uuid.uuid4()), str(uuid.uuid4())
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(httpx.AsyncClient(trust_env=False))
        sockets = [
            await stack.enter_async_context(
                websockets.connect(address.replace("http", "ws") + "/api/v1/chat", proxy=None, max_size=None)
            )
            for address in addresses
        ]
        for socket in sockets:
            await socket.send(json.dumps({"type": "start_analysis", "traceId": trace_id, "sessionId": session_id}))
            await socket.recv()
        prompt = {"type": "user_prompt", "sessionId": session_id, "prompt": "why?", "turnId": turn_id}
        await sockets[0].send(json.dumps(prompt))
        runner = await running_at(addresses, http)
        asked = sockets[1 - runner if elsewhere else runner]
        while "model_chunk_append" not in str(await asked.recv()):
            pass
        sent = time.perf_counter()
        await asked.send(json.dumps({"type": "cancel_turn", "turnId": turn_id}))
        while "turn_cancelled" not in str(await asked.recv()):
            pass
        received = time.perf_counter()
        left = await asyncio.wait_for(model.left.get(), 10)
    return (left - sent) * 1000, (received - sent) * 1000


def _row(what: str, values: list[float]) -> str:
    values = sorted(values)
    at_95 = values[int(len(values) * 0.95)]
    return f"{what:42} {statistics.median(values):8.0f} {at_95:8.0f} {values[-1]:8.0f}"


async def _print() -> None:
    model = EndlessModel()
    with tempfile.TemporaryDirectory() as folder:
        async with model.served() as url, server(Path(folder), url) as one, server(Path(folder), url) as other:
            async with httpx.AsyncClient(base_url=one, trust_env=False) as http:
                stored = await http.post("/api/v1/traces", params={"name": "stacks.txt"}, content=TRACE)
                trace_id = stored.json()["trace"]["traceId"]
            for elsewhere in (False, True):
                figures = [await cancelled([one, other], trace_id, model, elsewhere=elsewhere) for _ in range(ROUNDS)]
                place = "another process" if elsewhere else "the runner's process"
                print(_row(f"{place}: the model call has ended", [left for left, _ in figures]), flush=True)
                print(_row(f"{place}: turn_cancelled was read", [received for _, received in figures]), flush=True)


def print_cancelling() -> None:
    """Milliseconds over ROUNDS cancelled turns each."""
    print(f"\n`cancel_turn`, in ms after it was sent ({ROUNDS} turns each; the target is {TARGET_MS})\n")
    print(f"{'asked of':42} {'median':>8} {'p95':>8} {'most':>8}")
    asyncio.run(_print())


if __name__ == "__main__":
    print_cancelling()
