"""Vectors of an endpoint, over real HTTP: in order, of length 1, and none that a search could not bear."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from server.adapters.embedding.openai_embeddings import MOST_CHARACTERS, OpenAIEmbedder
from server.errors import ServiceUnavailable


@contextmanager
def endpoint(body: str, asked: list[dict[str, Any]]) -> Iterator[OpenAIEmbedder]:
    """An embedder of an endpoint that always answers with this body."""

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            del format, args

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        running = threading.Thread(target=server.serve_forever)
        running.start()
        try:
            yield OpenAIEmbedder(model="m", base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key=None)
        finally:
            server.shutdown()
            running.join()


def answer(*vectors: str, order: tuple[int, ...] = ()) -> str:
    rows = [
        f'{{"object": "embedding", "index": {at}, "embedding": {vector}}}'
        for at, vector in zip(order or range(len(vectors)), vectors, strict=True)
    ]
    return f'{{"object": "list", "model": "m", "data": [{", ".join(rows)}]}}'


async def test_vectors_come_in_order_and_of_length_one_and_a_long_text_is_cut() -> None:
    asked: list[dict[str, Any]] = []
    with endpoint(answer("[0, 2]", "[3, 0]", order=(1, 0)), asked) as embedder:
        one, other = await embedder.embed(["word " * 9_000, ""])
        await embedder.close()
    assert (one.values, other.values) == ((1.0, 0.0), (0.0, 1.0))
    assert [len(text) for text in asked[0]["input"]] == [MOST_CHARACTERS, 1]


@pytest.mark.parametrize(
    "body",
    [
        answer("[NaN, 1]"),
        answer("[Infinity, 1]"),
        answer("[0, 0]"),
        answer("[]"),
        answer("[1, 0]", "[1, 0]"),
        answer(),
        '{"object": "list", "data": null}',
        "{}",
        '{"object": "list", "data": [{"index": 0, "embedding": null}]}',
        "no JSON",
        "[]",
    ],
)
async def test_what_is_no_vector_is_refused(body: str) -> None:
    with endpoint(body, []) as embedder:
        with pytest.raises(ServiceUnavailable):
            await embedder.embed(["a text"])
        await embedder.close()
