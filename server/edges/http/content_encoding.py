"""What is sent, compressed as the client accepts: text of more than a kilobyte, as it streams.

Already encoded answers (views, which are compressed in a worker) and what is no text (pictures) pass as they are. The
encodings are those of RFC 9110, 8.4.1, and RFC 8878 (zstd); a weight of 0 refuses one.
"""

import gzip
import io
from collections.abc import Iterable
from typing import Protocol

import zstandard
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LEAST_BYTES = 1_000
"""Below this an encoding's own bytes and time are not worth it."""
GZIP_LEVEL, ZSTD_LEVEL = 6, 7
TEXT = ("text/", "application/json", "application/problem+json", "application/javascript", "image/svg+xml")
"""Types of content that shrink."""
EVENTS = "text/event-stream"
"""Events of a line or two each, which are read one by one."""


class Encoder(Protocol):
    """Takes bytes as they come; `finish` gives what is left."""

    def write(self, data: bytes) -> bytes: ...

    def finish(self) -> bytes: ...


class Zstd:
    """Frames of RFC 8878."""

    def __init__(self) -> None:
        self._compressor = zstandard.ZstdCompressor(level=ZSTD_LEVEL).compressobj()

    def write(self, data: bytes) -> bytes:
        return self._compressor.compress(data) + self._compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)

    def finish(self) -> bytes:
        return self._compressor.flush()


class Gzip:
    """One member of RFC 1952, without a time."""

    def __init__(self) -> None:
        self._buffer = io.BytesIO()
        self._file = gzip.GzipFile(mode="wb", fileobj=self._buffer, compresslevel=GZIP_LEVEL, mtime=0)

    def write(self, data: bytes) -> bytes:
        self._file.write(data)
        self._file.flush()
        return self._taken()

    def finish(self) -> bytes:
        self._file.close()
        return self._taken()

    def _taken(self) -> bytes:
        data = self._buffer.getvalue()
        self._buffer.seek(0)
        self._buffer.truncate()
        return data


ENCODERS: dict[str, type[Zstd] | type[Gzip]] = {"zstd": Zstd, "gzip": Gzip}
"""The preferred first."""


def accepted(header: str, offered: Iterable[str] = ENCODERS) -> str | None:
    """The first of the offered encodings that a client's `Accept-Encoding` allows; None for none of them."""
    weights: dict[str, float] = {}
    for part in header.lower().split(","):
        name, _, parameter = part.partition(";")
        quality = parameter.strip().removeprefix("q=")
        try:
            weights[name.strip()] = float(quality) if quality else 1.0
        except ValueError:
            weights[name.strip()] = 0.0
    return next((name for name in offered if weights.get(name, weights.get("*", 0.0)) > 0), None)


class Compressed:
    """Wraps an application. Answers to HEAD and ranges, and those that say `no-transform`, are left alone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] == "HEAD":
            await self._app(scope, receive, send)
            return
        encoding = accepted(Headers(scope=scope).get("accept-encoding", ""))
        await self._app(scope, receive, _Answer(send, encoding))


class _Answer:
    """One answer on its way: its start waits for the first bytes, which show how much there is."""

    def __init__(self, send: Send, encoding: str | None) -> None:
        self._send, self._encoding = send, encoding
        self._start: Message | None = None
        self._encoder: Encoder | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        if message["type"] != "http.response.body":
            start, self._start = self._start, None
            for one in (start, message):
                if one is not None:
                    await self._send(one)
            return
        data, more = message.get("body", b""), message.get("more_body", False)
        if self._start is not None:
            start, self._start = self._start, None
            self._encoder = self._encoder_of(start, data, more=more)
            await self._send(start)
        if self._encoder is not None:
            data = self._encoder.write(data) if data else b""
            data += b"" if more else self._encoder.finish()
        await self._send({"type": "http.response.body", "body": data, "more_body": more})

    def _encoder_of(self, start: Message, data: bytes, *, more: bool) -> Encoder | None:
        """The encoder of an answer that shrinks, whose headers then say so."""
        headers = MutableHeaders(raw=start["headers"])
        kind = headers.get("content-type", "")
        if not kind.startswith(TEXT) or kind.startswith(EVENTS) or "content-encoding" in headers:
            return None
        headers.add_vary_header("Accept-Encoding")
        is_small = not more and len(data) < LEAST_BYTES
        kept = start["status"] in {204, 206, 304} or "no-transform" in headers.get("cache-control", "")
        if self._encoding is None or is_small or kept:
            return None
        headers["Content-Encoding"] = self._encoding
        del headers["Content-Length"]
        if (etag := headers.get("etag")) and not etag.startswith("W/"):
            headers["ETag"] = f"W/{etag}"  # the same content in other bytes (RFC 9110, 8.8.1)
        return ENCODERS[self._encoding]()
