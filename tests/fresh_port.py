"""A loopback server on a port that this process has not had before.

LangChain keeps one client, with its open connections, for each address for as long as the process lives. The kernel
gives a free port again, now and then within one run of the tests: the client then goes on with a connection of an event
loop that was closed with its test.
"""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_had: set[int] = set()


async def server_on_a_fresh_port(
    accept: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any], *, backlog: int = 100
) -> tuple[asyncio.Server, int]:
    """The server, which listens, and its port."""
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
