"""A WebSocket client that costs next to nothing, so that a bench measures the server: text frames in, text frames out
(RFC 6455), no extensions, frames of the server unmasked and not fragmented.
"""

import asyncio
import base64
import json
import os
import struct
from typing import Any
from urllib.parse import urlsplit


class Closed(Exception):
    """The server closed the socket; the code is the argument."""


class RawSocket:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def join(cls, address: str, **start: Any) -> "RawSocket":
        """Connected to `/api/v1/chat`, `start_analysis` sent and acknowledged. Raises Closed, ConnectionError."""
        place = urlsplit(address)
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = (
            "GET /api/v1/chat HTTP/1.1",
            f"Host: {place.netloc}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
        )
        writer.write("".join(f"{line}\r\n" for line in lines).encode() + b"\r\n")
        answer = await reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in answer.split(b"\r\n", 1)[0]:
            raise ConnectionError(answer.decode())
        socket = cls(reader, writer)
        socket.send(type="start_analysis", **start)
        while (await socket.next())["type"] != "connection_ack":
            pass
        return socket

    def send(self, **message: Any) -> None:
        self._frame(0x81, json.dumps(message).encode())

    async def next(self) -> dict[str, Any]:
        """The next message; pings are answered meanwhile. Raises Closed."""
        while True:
            kind, size = await self._reader.readexactly(2)
            if size == 126:
                (size,) = struct.unpack("!H", await self._reader.readexactly(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", await self._reader.readexactly(8))
            payload = await self._reader.readexactly(size)
            if kind == 0x81:
                message: dict[str, Any] = json.loads(payload)
                return message
            if kind == 0x89:
                self._frame(0x8A, payload)
            elif kind == 0x88:
                raise Closed(struct.unpack("!H", payload[:2])[0] if payload else 1005)

    def close(self) -> None:
        self._writer.close()

    def _frame(self, kind: int, payload: bytes) -> None:
        size = len(payload)
        head = bytes([kind, 0x80 | size]) if size < 126 else bytes([kind, 0x80 | 126]) + struct.pack("!H", size)
        self._writer.write(head + b"\0\0\0\0" + payload)  # masked with zeros: legal, and free
