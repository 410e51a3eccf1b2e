"""A server that is a command: started with an empty environment but for what is named, in a group of its own that ends
with it, and read in bounded lines.
"""

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio
import mcp_types as types
from anyio.abc import Process
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

MAX_LINE_BYTES = 2 << 20
MAX_BYTES = 8 << 20
"""Of all that one connection reads."""

GRACE_S = 0.5
"""For a server to end by itself once nothing is asked of it."""

Received = MemoryObjectReceiveStream[SessionMessage | Exception]
Sent = MemoryObjectSendStream[SessionMessage]


@asynccontextmanager
async def child_server(command: Sequence[str], environment: Mapping[str, str]) -> AsyncIterator[tuple[Received, Sent]]:
    """The streams of one connection. Raises OSError for a command that cannot be started."""
    found = shutil.which(command[0])
    if found is None:
        raise FileNotFoundError(f"no command {command[0]}")
    process = await anyio.open_process(
        [found, *command[1:]],
        env=dict(environment),
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    to_session, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    sent, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with to_session, received, sent, from_session, anyio.create_task_group() as tasks:
            tasks.start_soon(_read, process, to_session)
            tasks.start_soon(_write, process, from_session)
            try:
                yield received, sent
            finally:
                tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)


async def _read(process: Process, to_session: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
    """Lines as messages; what is no message is passed on as the error that it is. Ends with what is too long."""
    assert process.stdout is not None
    waiting, size = bytearray(), 0
    async with to_session:
        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            async for chunk in process.stdout:
                size += len(chunk)
                waiting += chunk
                *lines, rest = waiting.split(b"\n") if b"\n" in chunk else [waiting]
                waiting = bytearray(rest)
                if size > MAX_BYTES or len(waiting) > MAX_LINE_BYTES:
                    return
                for line in lines:
                    if line.strip():
                        await to_session.send(_message(bytes(line)))


def _message(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return ValueError("a line that is no message")


async def _write(process: Process, from_session: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        async with from_session:
            async for message in from_session:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await process.stdin.send(text.encode() + b"\n")


async def _end(process: Process) -> None:
    """With its children, whether or not it ends by itself."""
    assert process.stdin is not None
    with contextlib.suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        await process.stdin.aclose()
    with anyio.move_on_after(GRACE_S):
        await process.wait()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with anyio.move_on_after(GRACE_S):
        await process.wait()
    with contextlib.suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        await process.aclose()
