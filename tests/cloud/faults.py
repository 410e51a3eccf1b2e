"""What goes wrong with a service on demand: planned by a test, once or several times, and done by the test servers."""

import asyncio
from collections import defaultdict, deque
from typing import Literal

from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from tests.arrivals import Arrivals

Fault = Literal["slow", "500", "cut", "hang", "wrong"]
FAULTS: tuple[Fault, ...] = ("slow", "500", "cut", "hang", "wrong")
SLOW_S = 0.3


class CutConnection(Exception):
    """The connection ends without an answer."""


class Faults:
    """`plan("storage", "500", times=2)`: the next two requests to Storage are answered so. `done` counts them."""

    def __init__(self) -> None:
        self._planned: defaultdict[str, deque[Fault]] = defaultdict(deque)
        self._always: dict[str, Fault] = {}
        self.done = Arrivals[tuple[str, Fault]]()

    def plan(self, service: str, fault: Fault, *, times: int = 1) -> None:
        self._planned[service].extend([fault] * times)

    def always(self, service: str, fault: Fault | None) -> None:
        """Until further notice; None ends it."""
        if fault is None:
            self._always.pop(service, None)
        else:
            self._always[service] = fault

    async def meet(self, service: str) -> Response | None:
        """Do what is planned. None when the service shall answer as it does; a hang lasts until the client leaves."""
        planned = self._planned[service]
        fault = planned.popleft() if planned else self._always.get(service)
        if fault is None:
            return None
        self.done.append((service, fault))
        match fault:
            case "slow":
                await asyncio.sleep(SLOW_S)
                return None
            case "500":
                return PlainTextResponse("upstream connect error", 500)
            case "wrong":
                return PlainTextResponse("<html>not what you asked for</html>", 200)
            case "cut":
                return _Cut()
            case "hang":
                return _Hang()


class _Cut(Response):
    """Promises more than it sends."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1000")]})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
        raise CutConnection


class _Hang(Response):
    """Takes the request and says nothing until the client has left."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
