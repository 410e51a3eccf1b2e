"""The chunks of an HTTP/1.1 answer that were received together, as one.

An endpoint that streams sends each token as a chunk (RFC 9112, 7.1), and all that stands above the connection (h11,
httpcore, httpx) does its work for each of them: most of what a token costs. Chunks that one read of the connection has
brought are made one here, before anything looks at them. What is no plain sequence of chunks is passed on as it came,
for h11 to judge.
"""

import re
from enum import Enum, auto
from typing import Any

LONGEST_HEAD = 65_536
LONGEST_SIZE = 16
"""Hexadecimal digits of a chunk's size."""

_SIZE = re.compile(rb"[0-9A-Fa-f]{1,16}")
_CHUNKED = re.compile(rb"^transfer-encoding:[ \t]*chunked[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_FINAL = re.compile(rb"HTTP/1\.1 [2-5]\d\d ")


class _At(Enum):
    HEAD = auto()  #: nothing is known yet
    CHUNKS = auto()  #: the body is a sequence of chunks
    ANYTHING = auto()  #: passed on as it comes, until the next request


class ChunkJoiner:
    """Give it what a connection receives: `begin` with each request, then `feed`, and `end` where the connection has
    ended. All that they return is the same answer, in fewer chunks."""

    def __init__(self) -> None:
        self._at = _At.HEAD
        self._kept = b""
        self._left = 0

    def begin(self) -> None:
        """A request is sent: what is received next is the head of its answer."""
        self._at, self._kept, self._left = _At.HEAD, b"", 0

    def feed(self, data: bytes) -> bytes:
        """What can be passed on; nothing where no chunk's size is known yet."""
        if self._at is _At.HEAD:
            return self._head(data)
        return self._chunks(data) if self._at is _At.CHUNKS else data

    def end(self) -> bytes:
        """What was waiting for more."""
        kept, self._kept = self._kept, b""
        return kept if self._at is _At.CHUNKS else b""

    def _head(self, data: bytes) -> bytes:
        """Passed on as it comes; kept to be looked at once it is complete."""
        head, found, body = (self._kept + data).partition(b"\r\n\r\n")
        if not found and len(head) < LONGEST_HEAD:
            self._kept = head
            return data
        self._kept = b""
        if not found or _FINAL.match(head) is None or _CHUNKED.search(head) is None:
            self._at = _At.ANYTHING
            return data
        self._at = _At.CHUNKS
        return data[: len(data) - len(body)] + self._chunks(body)

    def _chunks(self, data: bytes) -> bytes:
        data, self._kept = self._kept + data, b""
        at = min(self._left, len(data))
        self._left -= at
        before, pieces = data[:at], []
        while at < len(data):
            line = data.find(b"\r\n", at, at + LONGEST_SIZE + 2)
            if line < 0 and len(data) - at <= LONGEST_SIZE:
                self._kept, data = data[at:], data[:at]
                break
            size = int(data[at:line], 16) if line > 0 and _SIZE.fullmatch(data, at, line) else 0
            end = line + 2 + size
            if not size or (data[end : end + 2] != b"\r\n" and end + 2 <= len(data)):
                self._at = _At.ANYTHING  # the last chunk, or none
                break
            if end + 2 > len(data):
                self._left = end + 2 - len(data)
                break
            pieces.append(data[line + 2 : end])
            at = end + 2
        joined = b"".join(pieces)
        return before + (b"%x\r\n%b\r\n" % (len(joined), joined) if joined else b"") + data[at:]


class JoiningStream:
    """A connection of httpcore (`AsyncNetworkStream`) whose answers have their chunks joined. `reads` counts what was
    received."""

    def __init__(self, inner: Any) -> None:
        self.reads = 0
        self._inner = inner
        self._joiner = ChunkJoiner()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's
        """See `AsyncNetworkStream.read`."""
        while True:
            data = await self._inner.read(max_bytes, timeout)
            self.reads += 1
            passed_on = self._joiner.feed(data) if data else self._joiner.end()
            if passed_on or not data:
                return passed_on

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's
        """See `AsyncNetworkStream.write`."""
        self._joiner.begin()
        await self._inner.write(buffer, timeout)

    async def start_tls(self, *args: Any, **kwargs: Any) -> "JoiningStream":
        """See `AsyncNetworkStream.start_tls`: what comes through it is another stream."""
        return JoiningStream(await self._inner.start_tls(*args, **kwargs))

    async def aclose(self) -> None:
        """See `AsyncNetworkStream.aclose`."""
        await self._inner.aclose()

    def get_extra_info(self, info: str) -> Any:
        """See `AsyncNetworkStream.get_extra_info`."""
        return self._inner.get_extra_info(info)


class _JoiningBackend:
    """Makes connections of httpcore (`AsyncNetworkBackend`)."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def connect_tcp(self, *args: Any, **kwargs: Any) -> JoiningStream:
        return JoiningStream(await self._inner.connect_tcp(*args, **kwargs))

    async def connect_unix_socket(self, *args: Any, **kwargs: Any) -> JoiningStream:
        return JoiningStream(await self._inner.connect_unix_socket(*args, **kwargs))

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


def join_chunks(client: Any) -> None:
    """Let the connections of an `httpx.AsyncClient` that are made from now on join chunks. Its transport takes no
    backend for its pool of connections, which does; where it keeps none, nothing is joined and all goes as before."""
    for transport in (client._transport, *client._mounts.values()):  # noqa: SLF001 - as said
        pool = getattr(transport, "_pool", None)
        backend = getattr(pool, "_network_backend", None)
        if backend is not None and not isinstance(backend, _JoiningBackend):
            pool._network_backend = _JoiningBackend(backend)  # type: ignore[union-attr] # noqa: SLF001
