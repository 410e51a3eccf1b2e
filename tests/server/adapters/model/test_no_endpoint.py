"""An address that answers 200 and is no model endpoint is named with its setting, and not asked again."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from langchain_core.messages import HumanMessage

from server.adapters.model.openai import openai_chat
from server.errors import ModelFailed
from tests.fresh_port import serving_on_a_fresh_port

COMPLETE_REPLY = {
    "id": "1",
    "object": "chat.completion",
    "choices": [{"message": {"role": "assistant", "content": "hi"}}],
}


@asynccontextmanager
async def answering(body: bytes, content_type: str) -> AsyncIterator[tuple[str, list[str]]]:
    """An address where each request gets this body with 200; and the paths that were asked for."""
    asked: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        asked.append(head.split()[1])
        length = next(line.split(":")[1] for line in head.lower().splitlines() if line.startswith("content-length"))
        await reader.readexactly(int(length))
        writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\nconnection: close\r\n".encode())
        writer.write(f"content-length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()

    async with serving_on_a_fresh_port(answer) as port:
        yield f"http://127.0.0.1:{port}/v1", asked


async def failure(base_url: str) -> ModelFailed:
    chat = openai_chat(model="m", base_url=base_url, api_key="sk-secret-123456")
    with pytest.raises(ModelFailed) as failed:
        async for _ in chat.astream([HumanMessage("hi")]):
            pass
    return failed.value


@pytest.mark.parametrize(
    ("body", "content_type", "first_line"),
    [
        (b"<!doctype html>\n<title>Sign in</title>", "text/html; charset=utf-8", "<!doctype html>"),
        (b'{"detail": "ok"}', "application/json", '{"detail": "ok"}'),
        (json.dumps(COMPLETE_REPLY).encode(), "application/json", '{"id": "1", "object": "chat.completion"'),
        (b"", "text/plain", "It was empty."),
        (b"key sk-secret-123456 \xff\xfe", "text/plain", "key ***"),
        (b"<html>", "text/event-stream", "<html>"),
    ],
)
async def test_what_it_answered_is_shown_with_the_setting(body: bytes, content_type: str, first_line: str) -> None:
    async with answering(body, content_type) as (base_url, asked):
        error = await failure(base_url)
    assert asked == ["/v1/chat/completions"], "asked once"
    assert (error.code, error.retryable) == ("model_no_endpoint", False)
    assert "FLAMECHAT_MODEL_BASE_URL" in str(error)
    assert first_line in str(error)
    assert base_url in str(error)
    assert "sk-secret" not in str(error)


async def test_events_count_whatever_they_are_called() -> None:
    chunk = {"id": "1", "choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": "stop"}]}
    body = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()
    async with answering(body, "text/plain") as (base_url, _):
        chat = openai_chat(model="m", base_url=base_url, api_key=None)
        assert "".join([chunk.text async for chunk in chat.astream([HumanMessage("hi")])]) == "hi"
