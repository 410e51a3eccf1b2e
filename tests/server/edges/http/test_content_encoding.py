"""What a real server sends of text is compressed as the client accepts, and reads the same."""

import gzip
import json
from pathlib import Path

import httpx
import pytest
import zstandard
from starlette.datastructures import MutableHeaders
from starlette.types import Message, Receive, Scope, Send

from server.edges.http.content_encoding import Compressed, accepted
from tests.server.running_server import STACKS, running_server

AS_ANNA = {"Authorization": "Bearer anna"}


@pytest.mark.parametrize(
    ("header", "encoding"),
    [
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip", "gzip"),
        ("GZIP;q=0.5, zstd;q=0", "gzip"),
        ("gzip;q=0, zstd;q=0.0", None),
        ("*", "zstd"),
        ("identity", None),
        ("gzip;q=x", None),
        ("", None),
    ],
)
def test_a_client_gets_what_it_accepts(header: str, encoding: str | None) -> None:
    assert accepted(header) == encoding


async def raw(http: httpx.AsyncClient, path: str, encoding: str) -> tuple[httpx.Response, bytes]:
    async with http.stream("GET", path, headers=AS_ANNA | {"Accept-Encoding": encoding}) as answer:
        return answer, b"".join([part async for part in answer.aiter_raw()])


async def test_json_of_a_server_is_a_third_on_the_wire_and_reads_the_same(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = (await server.upload(STACKS)).json()["trace"]["traceId"]
        path = f"/api/v1/traces/{trace_id}/insights"
        plain, content = await raw(server.http, path, "identity")
        assert "content-encoding" not in plain.headers
        for encoding in ("gzip", "zstd"):
            answer, sent = await raw(server.http, path, encoding)
            assert answer.headers["content-encoding"] == encoding
            assert "Accept-Encoding" in answer.headers["vary"]
            opened = gzip.decompress if encoding == "gzip" else zstandard.ZstdDecompressor().decompressobj().decompress
            read = opened(sent)
            assert json.loads(read) == json.loads(content)
            assert len(sent) * 2 < len(content)
        small, _ = await raw(server.http, "/health", "gzip")
        assert "content-encoding" not in small.headers


async def through(*body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> list[Message]:
    """What leaves of an answer in pieces to a client that accepts gzip."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        start: Message = {"type": "http.response.start", "status": status, "headers": []}
        said = MutableHeaders(raw=start["headers"])
        for name, value in (headers or {"content-type": "application/json"}).items():
            said[name] = value
        await send(start)
        for index, part in enumerate(body):
            await send({"type": "http.response.body", "body": part, "more_body": index < len(body) - 1})

    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "headers": [(b"accept-encoding", b"gzip")]}
    await Compressed(app)(scope, receive, send)
    return sent


async def test_each_piece_of_a_stream_leaves_at_once() -> None:
    start, *parts = await through(b"one " * 400, b"two " * 400, b"")
    assert (b"content-encoding", b"gzip") in start["headers"]
    assert len(parts) == 3
    assert len(parts[1]["body"]) > 10
    assert gzip.decompress(b"".join(part["body"] for part in parts)) == b"one " * 400 + b"two " * 400


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "image/png"},
        {"content-type": "text/event-stream"},
        {"content-type": "application/octet-stream"},
        {"content-type": "application/json", "content-encoding": "br"},
        {"content-type": "application/json", "cache-control": "no-transform"},
    ],
)
async def test_what_shrinks_no_more_passes_as_it_is(headers: dict[str, str]) -> None:
    _, body = await through(b"x" * 5_000, headers=headers)
    assert body["body"] == b"x" * 5_000


async def test_a_compressed_answer_has_no_length_of_before_and_a_weak_tag() -> None:
    start, _ = await through(
        b"x" * 5_000, headers={"content-type": "text/css", "content-length": "5000", "etag": '"a"'}
    )
    headers = dict(start["headers"])
    assert b"content-length" not in headers
    assert headers[b"etag"] == b'W/"a"'
