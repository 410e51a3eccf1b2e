"""Services that fail on demand: an HTTP service, and a PostgreSQL that gets as far as a connection."""

import asyncio
import os
import signal
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Literal

from tests.fresh_port import serving_on_a_fresh_port

Fault = Literal["gone", "slow", "refuses", "wrong shape", "half a reply"]
FAULTS: tuple[Fault, ...] = ("gone", "slow", "refuses", "wrong shape", "half a reply")

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

REFUSAL = b'{"message": "no", "error": {"message": "no"}}'
PAGE = b"<!doctype html><html><body>Welcome</body></html>"
PROTOCOL_3, CANCEL = 196_608, 80_877_102
"""What a client of PostgreSQL says first: the version that it speaks, or that a query shall end."""

HALF = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\ncontent-length: 1000\r\n\r\n%s"
STARTED_STREAM = (
    b'data: {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", '
    b'"choices": [{"index": 0, "delta": {"role": "assistant", "content": "It is"}, "finish_reason": null}]}\n\n'
)


def closed_port() -> int:
    """A port of loopback at which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@asynccontextmanager
async def http_service(fault: Fault, *, kind: bytes = b"application/json", began: bytes = b"{") -> AsyncIterator[int]:
    """The port of a service that answers every request so; half a reply is `began`, of `kind`."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        match fault:
            case "slow":
                await reader.read()
            case "refuses":
                writer.write(_complete(b"403 Forbidden", b"application/json", REFUSAL))
            case "half a reply":
                writer.write(HALF % (kind, began))
            case _:
                writer.write(_complete(b"200 OK", b"text/html", PAGE))
        await writer.drain()

    async with _listening(fault, answer) as port:
        yield port


@asynccontextmanager
async def database_service(fault: Fault) -> AsyncIterator[int]:
    """The port of a PostgreSQL (its protocol 3.0) that takes everybody's word and then fails."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if fault == "wrong shape":
            writer.write(_complete(b"400 Bad Request", b"text/html", PAGE))
            return
        while (asked := struct.unpack("!I", (await _startup(reader))[:4])[0]) != PROTOCOL_3:
            if asked == CANCEL:
                cancelled.set()
                return
            writer.write(b"N")  # neither TLS nor GSS
        if fault == "refuses":
            fields = b"SFATAL\0VFATAL\0C53300\0Msorry, too many clients already\0\0"
            writer.write(b"E" + struct.pack("!I", len(fields) + 4) + fields)
            return
        writer.write(b"R" + struct.pack("!II", 8, 0) + b"K" + struct.pack("!III", 12, 1, 1))
        writer.write(b"Z" + struct.pack("!I", 5) + b"I")
        await reader.read(1)
        if fault == "half a reply":
            writer.write(b"T" + struct.pack("!I", 1000) + b"half")
            await writer.drain()
        else:
            await cancelled.wait()

    cancelled = asyncio.Event()
    async with _listening(fault, answer) as port:
        yield port


def die() -> None:
    """In a worker: what the kernel does where memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)


def reply_by_half() -> None:
    """In a worker: it ends while it answers."""
    os.write(1, b"RETURN 1000\nhalf")
    os._exit(1)


async def _startup(reader: asyncio.StreamReader) -> bytes:
    length = struct.unpack("!I", await reader.readexactly(4))[0]
    return await reader.readexactly(length - 4)


def _complete(status: bytes, kind: bytes, body: bytes) -> bytes:
    return b"HTTP/1.1 %s\r\ncontent-type: %s\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%s" % (
        status,
        kind,
        len(body),
        body,
    )


@asynccontextmanager
async def _listening(fault: Fault, answer: Answer) -> AsyncIterator[int]:
    if fault == "gone":
        yield closed_port()
        return

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async with serving_on_a_fresh_port(serve) as port:
        yield port
