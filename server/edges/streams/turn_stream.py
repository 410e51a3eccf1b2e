"""A turn on its way to one client, as an answer of HTTP: its frames as they come, a sign of life where none come."""

from collections.abc import Callable

import anyio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from server.edges.streams.appended_parts import Asked, TurnParts
from server.edges.streams.frames import Frames, refusal
from server.edges.ws.bounds import SEND_S
from server.errors import ServerError
from server.turns.client_streams import FollowedByClient
from traces.errors import TraceError

KEEP_ALIVE_S = 15.0
"""Proxies end a connection on which nothing comes, the first of them after 30 s."""

NOT_KEPT = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}


class TurnStream(Response):
    """Ends with the turn, with a question to the client, or when the client goes away or has read nothing for 30 s: the
    turn runs on. Who reads slowly has the relay's bounded queue, and a snapshot past it."""

    def __init__(self, frames: Frames, followed: FollowedByClient, *, leave: Callable[[], None]) -> None:
        super().__init__(headers=frames.headers | NOT_KEPT)
        del self.headers["content-length"]
        self._frames = frames
        self._followed = followed
        self._leave = leave
        self._sending = anyio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._leave_with_client, receive, tasks.cancel_scope)
                tasks.start_soon(self._keep_alive, send)
                await self._follow(send)
                tasks.cancel_scope.cancel()
        except* TimeoutError:  # the server closes the connection of an answer that was left unfinished
            pass
        finally:
            self._leave()
            with anyio.CancelScope(shield=True):
                await self._followed.aclose()

    async def _follow(self, send: Send) -> None:
        parts = TurnParts(self._followed.answers, self._followed.answered)
        await self._send(send, self._frames.start(self._followed.turn))
        try:
            async for event in self._followed.events():
                news = list(parts.take(event))
                await self._send(send, b"".join(map(self._frames.part, news)))
                if any(isinstance(part, Asked) for part in news):
                    break
        except (ServerError, TraceError) as error:
            await self._send(send, self._frames.refused(refusal(error)))
        async with self._sending:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send(self, send: Send, data: bytes) -> None:
        """Raises TimeoutError for a client that does not read."""
        if data:
            async with self._sending:
                with anyio.fail_after(SEND_S):
                    await send({"type": "http.response.body", "body": data, "more_body": True})

    async def _keep_alive(self, send: Send) -> None:
        while True:
            await anyio.sleep(KEEP_ALIVE_S)
            await self._send(send, self._frames.keep_alive)

    async def _leave_with_client(self, receive: Receive, scope: anyio.CancelScope) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        scope.cancel()
