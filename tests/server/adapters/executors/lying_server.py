"""A stand-in for a LangGraph server that does whatever a test wants of it, over real HTTP."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from server.edges.http.serving import bound_socket

BEAT_S = 0.02
RUN = "22222222-2222-2222-2222-222222222222"
Stream = Callable[[], AsyncIterator[str]]


@dataclass
class LyingServer:
    """`streams` are given one after the other, for the run and then for whoever joins it; the last again and again.
    `statuses` likewise, of the run. `state` is the thread's. `asked` are the requests in their order."""

    streams: list[Stream]
    statuses: list[str] = field(default_factory=lambda: ["success"])
    state: Any = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    last_ids: list[str | None] = field(default_factory=list)
    url: str = ""

    def requests(self, *words: str) -> list[str]:
        return [one for one in self.asked if all(word in one for word in words)]

    async def answer(self, request: Request) -> Response:
        path = request.url.path
        self.asked.append(f"{request.method} {path}")
        self.bodies.append(json.loads(await request.body() or b"null"))
        for part, code in self.codes.items():
            if part in self.asked[-1]:
                return JSONResponse({"detail": "no"}, code)
        if path.endswith("/stream"):
            self.last_ids.append(request.headers.get("last-event-id"))
            stream = self.streams.pop(0) if len(self.streams) > 1 else self.streams[0]
            thread = path.split("/")[2]
            headers = {"Content-Location": f"/threads/{thread}/runs/{RUN}"}
            return StreamingResponse(stream(), media_type="text/event-stream", headers=headers)
        if path.endswith(f"/runs/{RUN}"):
            return JSONResponse(
                {"run_id": RUN, "status": self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]}
            )
        if path.endswith("/state"):
            return JSONResponse(self.state)
        return JSONResponse([] if path.endswith("/runs") else {})


def sse(event: str, data: Any, event_id: str | None = None) -> str:
    """One frame."""
    written = data if isinstance(data, str) else json.dumps(data)
    return (f"id: {event_id}\n" if event_id else "") + f"event: {event}\ndata: {written}\n\n"


def said(**event: Any) -> dict[str, Any]:
    """A custom event of something that a person sees."""
    return {"event": event}


STARTED = said(type="turn_started", attempt=1, model="fake", prompt_version="p@1")


def stream_of(*frames: str, then: str = "end") -> Stream:
    """These frames, and then: `end`, `drop` (the connection breaks), `hang` (silence) or `beat` (heartbeats)."""

    async def stream() -> AsyncIterator[str]:
        for frame in frames:
            yield frame
        if then == "drop":
            raise ConnectionResetError
        while then == "beat":
            yield ": heartbeat\n\n"
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.Event().wait(), BEAT_S)
        if then == "hang":
            await asyncio.Event().wait()

    return stream


@contextlib.asynccontextmanager
async def lying_server(*streams: Stream, **given: Any) -> AsyncIterator[LyingServer]:
    lying = LyingServer(list(streams) or [stream_of()], **given)
    app = Starlette(routes=[Route("/{path:path}", lying.answer, methods=["GET", "POST", "DELETE", "PATCH"])])
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
    with bound_socket("127.0.0.1", 0) as listening:
        serving = asyncio.create_task(server.serve([listening]))
        lying.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        try:
            yield lying
        finally:
            server.should_exit = server.force_exit = True
            await serving
