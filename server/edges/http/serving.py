"""uvicorn, started from a running loop and stopped by whoever started it (it installs no signal handlers of its
own).
"""

import asyncio
import contextlib
import resource
import signal
import socket
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from server.edges.http.bounded_connections import BoundedHttpProtocol, Connections
from server.edges.http.requests_at_once import CountedOut, RequestsAtOnce
from server.edges.ws.bounds import MAX_MESSAGE_BYTES, PING_EVERY_S, PONG_WITHIN_S
from server.errors import ConfigError

GRACE_S = 2
"""How long open requests may finish once the server stops; sockets are closed at once with "going away"."""

SIGTERM_DRAIN_S = 16.0
"""With the time that open requests get, and the database's stop, SIGTERM ends within 20 s."""

CTRL_C_DRAIN_S = 1.5
"""Likewise within 5 s, for a person who waits."""

BACKLOG = 128
"""Connections that wait to be accepted; they already wait while the rest of the server starts."""


OTHER_FILES = 512
"""Connections to the database, mapped traces, pipes to workers: more than was ever seen of a process."""


class HttpServer(uvicorn.Server):
    """`serve(sockets=[...])` runs until `should_exit` is set."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        ping_every_s: float = PING_EVERY_S,
        pong_within_s: float = PONG_WITHIN_S,
        connections: Connections | None = None,
        requests: RequestsAtOnce | None = None,
    ) -> None:
        requests = requests or RequestsAtOnce(None, time.monotonic)
        bounded: Any = partial(
            BoundedHttpProtocol,
            connections_bound=Connections() if connections is None else connections,
            requests_bound=requests,
        )
        super().__init__(
            uvicorn.Config(
                CountedOut(app, requests),
                http=bounded,
                lifespan="on",
                log_config=None,
                access_log=False,
                server_header=False,
                ws="websockets-sansio",
                ws_max_size=MAX_MESSAGE_BYTES,
                ws_ping_interval=ping_every_s,
                ws_ping_timeout=pong_within_s,
                # A compressor and its window are 0.3 MB a socket, for messages of which most are a few words.
                ws_per_message_deflate=False,
                timeout_graceful_shutdown=GRACE_S,
            )
        )

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def let_open(connections: int) -> None:
    """Let this process have so many connections open and as many other files as it needs, as far as the system lets
    it: the usual limit of 1,024 is one that every process may raise."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    sought = connections + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < sought:
        most = sought if hard == resource.RLIM_INFINITY else min(sought, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def bound_socket(host: str, port: int) -> socket.socket:
    """A listening socket. Raises ConfigError when the place is taken or not ours to take."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns Nagle's algorithm off where a socket names its protocol, and accepted ones take the name from this
    # one. With it each answer of two writes waits for the client's delayed ACK: 40 ms on Linux.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise ConfigError(
            f"cannot listen on {host} port {port}: {error.strerror or error}. "
            "Stop what is there, or choose another with --port."
        ) from error
    return listening


class StopSignals:
    """SIGTERM and Ctrl-C, each with the seconds that running turns still get."""

    def __init__(self) -> None:
        self._given: asyncio.Queue[float] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self._given.put_nowait, SIGTERM_DRAIN_S)
        loop.add_signal_handler(signal.SIGINT, self._given.put_nowait, CTRL_C_DRAIN_S)

    async def next(self) -> float:
        """Wait for the next signal; returns its seconds."""
        return await self._given.get()
