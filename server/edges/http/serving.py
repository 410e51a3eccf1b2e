"""uvicorn, started from a running loop and stopped by whoever started it (it installs no signal handlers of its
own).
"""

import contextlib
import socket
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp

from server.edges.ws.bounds import MAX_MESSAGE_BYTES

GRACE_S = 2
"""How long open requests may finish once the server stops; sockets are closed at once with "going away"."""

BACKLOG = 128
"""Connections that wait to be accepted; they already wait while the rest of the server starts."""


class HttpServer(uvicorn.Server):
    """`serve(sockets=[...])` runs until `should_exit` is set."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                ws="websockets-sansio",
                ws_max_size=MAX_MESSAGE_BYTES,
                timeout_graceful_shutdown=GRACE_S,
            )
        )

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def bound_socket(host: str, port: int) -> socket.socket:
    """A listening place of our own. Raises OSError when it is taken or not ours to take."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening
