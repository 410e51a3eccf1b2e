"""A model endpoint without memory: what it answers is written in the prompt, so that any number of turns, asked again
by whoever took them over, get the same words.

    async with speaking_endpoint() as endpoint:
        ... endpoint.base_url ... Script("anna", words=50, every_ms=20).prompt ... endpoint.calls["anna"]
"""

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.fresh_port import serving_on_a_fresh_port

TOOL = "get_top_functions"
_PROMPT = re.compile(r"\b([a-z]+): (\d+) words, one every ([\d.]+) ms, after (\d+) looks(, with the time)?\.")


def in_letters(number: int) -> str:
    """The number to the base of 26, in a to z."""
    letters = ""
    while number or not letters:
        number, place = divmod(number, 26)
        letters = chr(ord("a") + place) + letters
    return letters


def from_letters(letters: str) -> int:
    """Back from `in_letters`."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("a")
    return number


@dataclass(frozen=True, slots=True)
class Script:
    """What a prompt asks of the endpoint: `looks` rounds of one tool call each, then so many words at that pace.
    `timed` words are the time (monotonic, in µs) at which they were sent. Nothing in them is a figure: the agent would
    hold it against the trace. `key` are small letters."""

    key: str
    words: int = 50
    every_ms: float = 20.0
    looks: int = 1
    timed: bool = False

    @property
    def prompt(self) -> str:
        timed = ", with the time" if self.timed else ""
        return f"{self.key}: {self.words} words, one every {self.every_ms:g} ms, after {self.looks} looks{timed}."

    @property
    def texts(self) -> list[str]:
        """What a person reads of it: a text before each look, then the answer. Not of a timed one."""
        return [f"Look {in_letters(look)} of {self.key}." for look in range(self.looks)] + [
            "".join(self.word(number) for number in range(self.words))
        ]

    def word(self, number: int) -> str:
        return f"{in_letters(time.monotonic_ns() // 1000)} " if self.timed else f"{self.key}-{in_letters(number)} "

    @staticmethod
    def of(prompt: str) -> "Script | None":
        found = _PROMPT.search(prompt)
        if found is None:
            return None
        return Script(found[1], int(found[2]), float(found[3]), int(found[4]), found[5] is not None)


Mishap = Literal["busy", "drop"]
"""It answers 503, or closes in the middle of its answer."""


@dataclass(slots=True)
class SentReply:
    """What the endpoint knows of a request: the id of its answer, and whether all of it was sent."""

    reply_id: str
    mishap: Mishap | None
    tokens: tuple[int, int]
    is_complete: bool = False


@dataclass(slots=True)
class Endpoint:
    """`calls` counts model calls by key without those that a mishap met, `log` has all requests; `words` are all words
    that were sent, `streaming` the ports of those to whom an answer is being sent. `mishap` is asked for each request
    by its number; `is_down` says for which conversations a model answers 503 and nothing else; `usage` are the tokens
    that each answer reports, instead of those of its words."""

    base_url: str = ""
    calls: Counter[str] = field(default_factory=Counter)
    log: dict[str, list[SentReply]] = field(default_factory=dict)
    words: int = 0
    streaming: set[int] = field(default_factory=set)
    mishap: Callable[[int], Mishap | None] = lambda _: None
    is_down: Callable[[str, str], bool] = lambda _key, _model: False
    usage: tuple[int, int] | None = None
    requests: int = 0


@asynccontextmanager
async def speaking_endpoint(
    mishap: Callable[[int], Mishap | None] = lambda _: None,
    *,
    is_down: Callable[[str, str], bool] = lambda _key, _model: False,
    usage: tuple[int, int] | None = None,
) -> AsyncIterator[Endpoint]:
    """Serve `/v1/chat/completions` on a free port of loopback."""
    endpoint = Endpoint(mishap=mishap, is_down=is_down, usage=usage)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        port = writer.get_extra_info("peername")[1]
        try:
            while (body := await _request(reader)) is not None:
                if "messages" not in body:  # asked of itself
                    writer.write(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
                    continue
                endpoint.streaming.add(port)
                goes_on = await _answer(writer, body, endpoint)
                endpoint.streaming.discard(port)
                if not goes_on:
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            endpoint.streaming.discard(port)
            writer.close()

    async with serving_on_a_fresh_port(serve, backlog=1024) as port:
        endpoint.base_url = f"http://127.0.0.1:{port}/v1"
        yield endpoint


async def _request(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return None
    length = re.search(r"content-length: *(\d+)", head, re.IGNORECASE)
    body: dict[str, Any] = json.loads(await reader.readexactly(int(length[1]) if length else 0) or b"{}")
    return body


async def _answer(writer: asyncio.StreamWriter, body: dict[str, Any], endpoint: Endpoint) -> bool:
    """Whether the connection goes on."""
    messages = body["messages"]
    asked = max((place for place, one in enumerate(messages) if Script.of(_text(one))), default=len(messages) - 1)
    script = Script.of(_text(messages[asked])) or Script("nobody", words=1, looks=0)
    looked = sum(message["role"] == "tool" for message in messages[asked:])
    endpoint.requests += 1
    log = endpoint.log.setdefault(script.key, [])
    met = any(one.mishap for one in log)  # once in a conversation: two in one call would end it
    mishap: Mishap | None = None if met else endpoint.mishap(endpoint.requests)
    if endpoint.is_down(script.key, str(body.get("model"))):
        mishap = "busy"
    sent = SentReply(f"c{endpoint.requests}", mishap, endpoint.usage or (100, script.words))
    log.append(sent)
    if sent.mishap == "busy":
        writer.write(b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n")
        return True
    endpoint.calls[script.key] += sent.mishap is None
    writer.write(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        + _event(sent, {"role": "assistant"})
    )
    if sent.mishap == "drop":
        writer.write(_event(sent, {"content": "half an answer"}))
        await writer.drain()
        return False
    if looked < script.looks:
        call = {"index": 0, "id": f"call_{script.key}_{looked}", "type": "function"}
        writer.write(_event(sent, {"content": script.texts[looked]}))
        writer.write(_event(sent, {"tool_calls": [call | {"function": {"name": TOOL, "arguments": "{}"}}]}))
    else:
        started = time.monotonic()
        for number in range(script.words):
            # By the clock, not by the pause: a busy machine must not make the stream thinner.
            await asyncio.sleep(started + number * script.every_ms / 1000 - time.monotonic())
            writer.write(_event(sent, {"content": script.word(number)}))
            endpoint.words += 1
            await writer.drain()
    prompt, completion = sent.tokens
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    writer.write(
        _event(sent, {}, finish="tool_calls" if looked < script.looks else "stop")
        + _chunk(sent, {"choices": [], "usage": usage})
        + _data("[DONE]")
        + b"0\r\n\r\n"
    )
    await writer.drain()
    sent.is_complete = True
    return True


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content or ())


def _event(sent: SentReply, delta: dict[str, Any], finish: str | None = None) -> bytes:
    return _chunk(sent, {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def _chunk(sent: SentReply, said: dict[str, Any]) -> bytes:
    common = {"id": sent.reply_id, "object": "chat.completion.chunk", "created": 0, "model": "fake"}
    return _data(json.dumps(common | said))


def _data(text: str) -> bytes:
    data = f"data: {text}\n\n".encode()
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"
