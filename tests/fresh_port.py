"""A loopback server on a port that this process has not had before.

LangChain keeps one client, with its open connections, for each address for as long as the process lives. The kernel
gives a free port again, now and then within one run of the tests: the client then goes on with a connection of an event
loop that was closed with its test.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

_had: set[int] = set()


@asynccontextmanager
async def serving_on_a_fresh_port(
    answer: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]], *, backlog: int = 100
) -> AsyncIterator[int]:
    """The port. No connection outlives the block.

    The task of each connection is kept here until it ends: asyncio keeps none, and one that waits for what nobody else
    keeps either would be collected as it waits, once its client has gone.
    """
    connections: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.create_task(answer(reader, writer))
        connections.add(connection)
        connection.add_done_callback(connections.discard)

    server, port = await _listening(accept, backlog)
    try:
        yield port
    finally:
        server.close()
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


async def _listening(
    accept: Callable[[asyncio.StreamReader, asyncio.StreamWriter], None], backlog: int
) -> tuple[asyncio.Server, int]:
    while True:
        server = await asyncio.start_server(accept, "127.0.0.1", 0, backlog=backlog)
        port = int(server.sockets[0].getsockname()[1])
        if port not in _had:
            _had.add(port)
            return server, port
        server.close()


@contextmanager
def port_where_nobody_listens() -> Iterator[int]:
    """A port that refuses connections, and that no other process is given meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield int(taken.getsockname()[1])
