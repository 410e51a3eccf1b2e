"""Other clients' streams over two servers and one PostgreSQL: an answer is followed on any of them."""

import asyncio
from functools import partial
from pathlib import Path

import httpx
import pytest

from tests.openai_endpoint import Reply, openai_endpoint
from tests.server.edges.streams.asking import AG_UI, AI_SDK, DATA_STREAM, body, frames, texts, until
from tests.soak.fleet import fleet

pytestmark = pytest.mark.long

WITHIN_S = 60
CHATS = {AI_SDK: "sixteenletters16", DATA_STREAM: "sixteenletters17", AG_UI: "sixteenletters18"}
ENDED = "select status, count(*) from chat_turns group by 1"
TURNS = {AI_SDK: 3, DATA_STREAM: 2, AG_UI: 3}
"""A question, the question edited, and the answer given anew, which a data stream cannot ask for."""
ANSWER = "It is all in parse, and nothing else takes as long."


def again(path: str) -> tuple[str, str]:
    """How a client that comes back asks."""
    return ("GET", f"{AI_SDK}/{CHATS[path]}/stream") if path == AI_SDK else ("POST", path)


async def test_a_page_that_comes_back_to_another_server_follows_the_same_turn(tmp_path: Path) -> None:
    """In each protocol, in a chat of its own."""
    gates: list[asyncio.Event] = []
    async with (
        openai_endpoint(script=lambda _: Reply(text=ANSWER, gate=gates[-1])) as endpoint,
        fleet(tmp_path, 2, model_url=endpoint.base_url, FLAMECHAT_MODEL_RESPONSES_API="false") as servers,
        httpx.AsyncClient(base_url=servers.addresses[0], trust_env=False, timeout=WITHIN_S) as first,
        httpx.AsyncClient(base_url=servers.addresses[1], trust_env=False, timeout=WITHIN_S) as second,
    ):
        turns = 0
        for path, of_this_chat in TURNS.items():
            gates.append(asyncio.Event())
            await walked(path, gates[-1], first, second)
            await servers.until(ENDED, [("completed", turns + 2)])
            if of_this_chat == 3:
                anew = await first.post(path, json=body(path, chat=CHATS[path], trigger="regenerate-message"))
                assert texts(path, frames(anew)) == ANSWER, anew.text
            turns += of_this_chat
            await servers.until(ENDED, [("completed", turns)])


async def walked(path: str, gate: asyncio.Event, first: httpx.AsyncClient, second: httpx.AsyncClient) -> None:
    """A question that is followed elsewhere, and edited."""
    asked = partial(body, path, chat=CHATS[path])
    async with first.stream("POST", path, json=asked()) as got:
        await until(got.aiter_lines(), "essage")
    method, url = again(path)
    async with second.stream(method, url, json=asked() if method == "POST" else None) as got:
        lines = got.aiter_lines()
        await until(lines, "essage")
        gate.set()
        await until(lines, "parse")
    late = await second.post(path, json=asked())
    assert texts(path, frames(late)) == ANSWER
    edited = await first.post(path, json=asked("Why so slow?"))
    assert texts(path, frames(edited)) == ANSWER
