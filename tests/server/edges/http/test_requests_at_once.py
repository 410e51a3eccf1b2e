"""One user's requests under way at once: those over the bound are refused before the application sees them."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import anyio
import pytest
from anyio.abc import ByteStream
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from server.edges.http.refused_request import MOST_DISCARDED_BYTES
from server.edges.http.requests_at_once import (
    MOST_REFUSALS,
    REFUSALS_PER_S,
    REFUSED,
    WAITING_TIMES,
    CountedOut,
    RequestsAtOnce,
    whose,
)
from server.edges.http.serving import HttpServer, bound_socket
from server.ports.asking_user import ASKING_USER

COOKIE = b"flamechat_access"


@dataclass
class Application:
    """Holds a request of `/wait` until it is let go, answers `/refuse` with 429, `/stream` with a refusal in a frame,
    and counts whose requests it saw."""

    seen: Counter[str] = field(default_factory=Counter)
    let_go: anyio.Event = field(default_factory=anyio.Event)
    waiting: anyio.Semaphore = field(default_factory=lambda: anyio.Semaphore(0))
    most_at_once: int = 0
    _at_once: int = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await send({"type": "lifespan.shutdown.complete"})
            return
        self.seen[dict(scope["headers"]).get(b"authorization", b"").decode()] += 1
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        if scope["path"] == "/signed-in":
            ASKING_USER.set("anna")
        if scope["path"] == "/wait":
            self.waiting.release()
            await self.let_go.wait()
        if scope["path"] == "/stream":
            scope["state"][REFUSED] = True
        if scope["method"] == "GET":
            await anyio.lowlevel.checkpoint()
        self._at_once -= 1
        await PlainTextResponse("seen", 429 if scope["path"] == "/refuse" else 200)(scope, receive, send)


@dataclass
class Server:
    port: int
    app: Application
    requests: RequestsAtOnce

    async def connect(self) -> ByteStream:
        return await anyio.connect_tcp("127.0.0.1", self.port)


def request(path: str, user: str = "anna", *, length: int = 0) -> bytes:
    lines = f"POST {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {user}\r\nContent-Length: {length}\r\n\r\n"
    return lines.encode()


def read(path: str, user: str = "anna") -> bytes:
    return request(path, user).replace(b"POST", b"GET", 1).replace(b"Content-Length: 0\r\n", b"")


async def answer(stream: ByteStream, *parts: bytes) -> bytes:
    """The next answer on a connection, its body included."""
    for part in parts:
        await stream.send(part)
    received = b""
    with anyio.fail_after(20):
        while True:
            received += await stream.receive()
            head, _, body = received.lower().partition(b"\r\n\r\n")
            if len(body) >= int(head.partition(b"content-length: ")[2].split(b"\r\n")[0] or 0):
                return received


async def status(stream: ByteStream, *parts: bytes) -> bytes:
    return (await answer(stream, *parts)).split()[1]


async def is_closed(stream: ByteStream) -> bool:
    with anyio.fail_after(20):
        try:
            return not await stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return True


@asynccontextmanager
async def serving(most: int | None, *, refusal_s: float = 0.0, wait_s: float = 60.0) -> AsyncIterator[Server]:
    """Time stands still: no refusal is forgiven."""
    requests, app = RequestsAtOnce(most, lambda: 0.0, refusal_s=refusal_s, wait_s=wait_s), Application()
    with bound_socket("127.0.0.1", 0) as listening:
        server = HttpServer(app, requests=requests)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listening])
            try:
                yield Server(listening.getsockname()[1], app, requests)
            finally:
                app.let_go.set()
                server.should_exit = True


async def test_one_more_is_refused_unseen_and_its_connection_goes_on() -> None:
    async with serving(1) as server, await server.connect() as first, await server.connect() as second:
        await first.send(request("/wait"))
        await server.app.waiting.acquire()
        refused = await answer(second, request("/"))
        assert refused.split()[1] == b"429"
        assert b"retry-after: 1\r\n" in refused
        assert server.app.seen == {"Bearer anna": 1}
        assert await status(second, request("/", "ben")) == b"200"  # another's place is another's
        server.app.let_go.set()
        assert (await answer(first)).split()[1] == b"200"
        assert await status(second, request("/")) == b"200"


async def test_a_page_that_asks_for_all_it_shows_at_once_is_refused_nothing() -> None:
    async with serving(2) as server:
        seen: list[bytes] = []

        async def one() -> None:
            async with await server.connect() as stream:
                seen.append(await status(stream, read("/")))

        async with anyio.create_task_group() as tasks:
            for _ in range(2 * WAITING_TIMES):
                tasks.start_soon(one)
        assert seen == [b"200"] * (2 * WAITING_TIMES)
        assert server.app.most_at_once <= 2


async def test_a_read_waits_for_its_place_unseen_and_too_many_of_them_are_refused() -> None:
    async with serving(1) as server, AsyncExitStack() as stack:
        first, *waiting, last = [
            await stack.enter_async_context(await server.connect()) for _ in range(WAITING_TIMES + 2)
        ]
        await first.send(request("/wait"))
        await server.app.waiting.acquire()
        for one in waiting:
            await one.send(read("/"))
        with anyio.fail_after(20):
            while len(server.requests._waiting.get(hash(b"anna"), ())) < WAITING_TIMES:
                await anyio.lowlevel.checkpoint()
        assert await status(last, read("/")) == b"429"
        assert server.app.seen == {"Bearer anna": 1}
        server.app.let_go.set()
        assert {(await answer(one)).split()[1] for one in (first, *waiting)} == {b"200"}


async def test_a_read_whose_place_does_not_come_is_refused_and_holds_none() -> None:
    async with (
        serving(1, wait_s=0.05) as server,
        await server.connect() as first,
        await server.connect() as second,
    ):
        await first.send(request("/wait"))
        await server.app.waiting.acquire()
        refused = await answer(second, read("/"))
        assert refused.split()[1] == b"429"
        assert b"retry-after: 1\r\n" in refused
        server.app.let_go.set()
        await answer(first)
        assert await status(second, read("/")) == b"200"
        assert server.app.seen["Bearer anna"] == 2


async def test_credentials_of_one_user_count_as_one() -> None:
    async with serving(1) as server, await server.connect() as first, await server.connect() as second:
        for token in ("one", "two"):
            assert await status(first, request("/signed-in", token)) == b"200"
        await first.send(request("/wait", "one"))
        await server.app.waiting.acquire()
        assert await status(second, request("/", "two")) == b"429"
        assert await status(second, request("/", "three")) == b"200"


async def test_who_leaves_while_waiting_holds_no_place() -> None:
    requests = RequestsAtOnce(1, lambda: 0.0)
    assert requests.take(7, is_anonymous=False) is None
    place = requests.take(7, is_anonymous=False, may_wait=True)
    assert isinstance(place, asyncio.Future)
    waits = asyncio.create_task(requests.has_place(7, place))
    await asyncio.sleep(0)
    requests.give_back(7)
    waits.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waits
    assert requests.take(7, is_anonymous=False) is None


async def test_a_place_is_for_who_waits_longest_and_nothing_is_kept_of_nobody() -> None:
    requests = RequestsAtOnce(1, lambda: 0.0)
    assert requests.take(7, is_anonymous=False) is None
    first, second = (requests.take(7, is_anonymous=False, may_wait=True) for _ in range(2))
    assert isinstance(first, asyncio.Future)
    assert isinstance(second, asyncio.Future)
    requests.give_back(7)
    assert (first.done(), second.done()) == (True, False)
    requests.give_back(7)
    assert second.done()
    requests.give_back(7)
    assert (requests._waiting, requests._under_way) == ({}, {})


async def test_who_gave_up_waiting_is_counted_and_waits_no_more() -> None:
    refused = Counter[str]()
    requests = RequestsAtOnce(1, lambda: 0.0, lambda limit: refused.update([limit]), wait_s=0.0)
    assert requests.take(7, is_anonymous=False) is None
    for _ in range(WAITING_TIMES):
        place = requests.take(7, is_anonymous=False, may_wait=True)
        assert isinstance(place, asyncio.Future)
        assert not await requests.has_place(7, place)
    assert refused == {"requests_at_once": WAITING_TIMES}
    assert isinstance(requests.take(7, is_anonymous=False, may_wait=True), asyncio.Future)  # others may wait again


async def test_a_refused_body_is_let_pass_and_the_connection_goes_on() -> None:
    async with serving(1, refusal_s=0.2) as server, await server.connect() as first, await server.connect() as second:
        await first.send(request("/wait"))
        await server.app.waiting.acquire()
        assert await status(second, request("/", length=10), b"12345", b"67890") == b"429"
        server.app.let_go.set()
        assert await status(second, request("/", length=10), b"1234567890") == b"200"


@pytest.mark.parametrize(
    "rest", [b"x" * (MOST_DISCARDED_BYTES + 1), b"12345" + request("/"), b"1"], ids=["huge", "another", "half"]
)
async def test_after_what_cannot_be_let_pass_the_connection_ends(rest: bytes) -> None:
    async with serving(1) as server, await server.connect() as first, await server.connect() as second:
        await first.send(request("/wait"))
        await server.app.waiting.acquire()
        length = 5 if rest.startswith(b"12345") else 2 * MOST_DISCARDED_BYTES
        assert await status(second, request("/", length=length) + rest) == b"429"
        assert await is_closed(second)
        assert server.app.seen == {"Bearer anna": 1}


async def test_a_client_that_goes_away_gives_its_place_back_when_its_request_ends() -> None:
    async with serving(1) as server, await server.connect() as second:
        async with await server.connect() as first:
            await first.send(request("/wait"))
            await server.app.waiting.acquire()
        server.app.let_go.set()
        with anyio.fail_after(20):
            while await status(second, request("/")) != b"200":
                await anyio.lowlevel.checkpoint()


@pytest.mark.parametrize("path", ["/refuse", "/stream"])
async def test_who_is_refused_again_and_again_is_refused_before_the_application(path: str) -> None:
    async with serving(8) as server, await server.connect() as stream:
        for _ in range(int(MOST_REFUSALS)):
            await answer(stream, request(path))
        assert server.app.seen["Bearer anna"] == MOST_REFUSALS
        for _ in range(5):
            assert await status(stream, request(path)) == b"429"
        assert server.app.seen["Bearer anna"] == MOST_REFUSALS
        assert await status(stream, request("/", "ben")) == b"200"


async def test_without_a_bound_nothing_is_refused() -> None:
    async with serving(None) as server, await server.connect() as stream:
        for _ in range(2 * int(MOST_REFUSALS)):
            await answer(stream, request("/refuse"))
        assert server.app.seen["Bearer anna"] == 2 * MOST_REFUSALS


def test_refusals_are_forgiven_with_time() -> None:
    now = 0.0
    refused = Counter[str]()
    requests = RequestsAtOnce(1, lambda: now, lambda limit: refused.update([limit]))
    for _ in range(int(MOST_REFUSALS)):
        assert requests.take(1, is_anonymous=False) is None
        requests.note_refusal(1)
        requests.give_back(1)
    assert requests.take(1, is_anonymous=False)
    now = 1 / REFUSALS_PER_S
    assert requests.take(1, is_anonymous=False) is None
    assert requests.take(1, is_anonymous=False)
    assert refused == {"refusals_at_once": 1, "requests_at_once": 1}


async def test_an_application_that_fails_gives_the_place_back() -> None:
    requests = RequestsAtOnce(1, lambda: 0.0)

    async def fails(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("no answer")

    async def nothing(*_: object) -> None: ...

    assert requests.take(7, is_anonymous=False) is None
    with pytest.raises(RuntimeError):
        await CountedOut(fails, requests)({"type": "http", "flamechat.whose": 7}, nothing, nothing)  # type: ignore[arg-type]
    assert requests.take(7, is_anonymous=False) is None


token = st.text("abcXYZ.-_019", min_size=1).map(str.encode)


@given(token, st.sampled_from([b"Bearer ", b"bearer  ", b" BEARER\t"]), st.sampled_from([b"", b"a=1; ", b"z; "]))
def test_a_credential_is_the_same_however_it_is_written(one: bytes, scheme: bytes, other: bytes) -> None:
    """Nobody becomes two users by another space or another cookie."""
    in_header = whose([(b"authorization", scheme + one)], "10.0.0.1", cookie=COOKIE)
    assert in_header == whose([(b"authorization", b"Bearer " + one + b" ")], "10.0.0.2", cookie=COOKIE)
    in_cookie = whose([(b"cookie", other + COOKIE + b"=" + one + b"; b=2")], "10.0.0.1", cookie=COOKIE)
    assert in_cookie == in_header
    assert not in_header[1]


def test_without_a_credential_the_address_counts_and_this_machines_does_not() -> None:
    assert whose([], "10.0.0.1", cookie=COOKIE) == (hash("10.0.0.1"), True)
    assert whose([(b"cookie", b"theme=dark")], "10.0.0.1", cookie=COOKIE) == (hash("10.0.0.1"), True)
    assert whose([(b"authorization", b"  ")], "", cookie=COOKIE) == (None, True)
