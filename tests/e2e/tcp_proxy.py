"""A TCP proxy in front of a server, so that a test can shut it, or lead it elsewhere."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class TcpProxy:
    """`address` is where clients come in. Its methods belong to the loop that the proxy was opened in."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._writers: set[asyncio.StreamWriter] = set()
        self._is_shut = False
        self.address = ""

    def shut(self) -> None:
        """End every connection at once and let nobody in."""
        self._is_shut = True
        for writer in self._writers:
            writer.transport.abort()

    def open(self) -> None:
        """Let new connections in again."""
        self._is_shut = False

    def lead_to(self, port: int) -> None:
        """End every connection, and let new ones through to another port of this machine."""
        self.shut()
        self._port = port
        self.open()

    async def let_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_shut:
            writer.transport.abort()
            return
        try:
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, server_writer}
        self._writers |= ends
        try:
            await asyncio.gather(_carry(reader, server_writer), _carry(server_reader, writer))
        finally:
            self._writers -= ends
            for end in ends:
                end.transport.abort()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


@asynccontextmanager
async def open_proxy(port: int) -> AsyncIterator[TcpProxy]:
    """Relay a free port to this one until the block ends."""
    proxy = TcpProxy(port)
    server = await asyncio.start_server(proxy.let_in, "127.0.0.1", 0)
    proxy.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        server.close()
        proxy.shut()
