"""Other clients' streams over two servers and one PostgreSQL: an answer is followed on any of them."""

import asyncio
from pathlib import Path

import httpx
import pytest

from tests.openai_endpoint import Reply, openai_endpoint
from tests.server.edges.streams.asking import AG_UI, AI_SDK, CHAT, DATA_STREAM, body, frames, texts, until
from tests.soak.fleet import fleet

pytestmark = pytest.mark.long

WITHIN_S = 60
ANSWER = "It is all in parse, and nothing else takes as long."


def again(path: str) -> tuple[str, str]:
    """How a client that comes back asks."""
    return ("GET", f"{AI_SDK}/{CHAT}/stream") if path == AI_SDK else ("POST", path)


@pytest.mark.parametrize("path", [AI_SDK, DATA_STREAM, AG_UI])
async def test_a_page_that_comes_back_to_another_server_follows_the_same_turn(tmp_path: Path, path: str) -> None:
    gate = asyncio.Event()
    async with (
        openai_endpoint(*(Reply(text=ANSWER, gate=gate) for _ in range(4))) as endpoint,
        fleet(tmp_path, 2, model_url=endpoint.base_url, FLAMECHAT_MODEL_RESPONSES_API="false") as servers,
        httpx.AsyncClient(base_url=servers.addresses[0], trust_env=False, timeout=WITHIN_S) as first,
        httpx.AsyncClient(base_url=servers.addresses[1], trust_env=False, timeout=WITHIN_S) as second,
    ):
        async with first.stream("POST", path, json=body(path)) as got:
            await until(got.aiter_lines(), "essage")
        method, url = again(path)
        sent = body(path) if method == "POST" else None
        async with second.stream(method, url, json=sent) as got:
            lines = got.aiter_lines()
            await until(lines, "essage")
            gate.set()
            await until(lines, "parse")
        late = await second.post(path, json=body(path))
        assert texts(path, frames(late)) == ANSWER
        edited = await first.post(path, json=body(path, "Why so slow?"))
        assert texts(path, frames(edited)) == ANSWER
        assert await servers.select("select status, count(*) from chat_turns group by 1") == [("completed", 2)]
        named = {"trigger": "regenerate-message"}
        if path != DATA_STREAM:
            assert texts(path, frames(await first.post(path, json=body(path, **named)))) == ANSWER
            assert await servers.select("select count(*) from chat_turns") == [(3,)]
