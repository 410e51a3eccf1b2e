"""A scriptable OpenAI-compatible endpoint over real HTTP: it answers `POST /v1/chat/completions` and `/v1/responses`
with the replies it was given, in order, streamed as server-sent events, and keeps what it was asked.

    async with openai_endpoint(Reply(calls=(("get_trace_summary", "{}"),)), Reply(text="It is parse.")) as endpoint:
        ... endpoint.base_url ... endpoint.requests[1]["messages"] ...
"""

import asyncio
import base64
import json
import math
import socket
import struct
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from tests.fresh_port import serving_on_a_fresh_port
from tests.openai_responses import halves, pieces, response_ending, response_events

Fault = Literal["drop", "reset", "early_end", "junk", "error_event", "failed", "hang", "keep_alive", "mute"]
KEEP_ALIVE_S = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer: text in pieces, then tool calls as (name, JSON arguments), whose arguments are cut in two. `gate`
    holds the stream after the first piece of text until a test opens it; `fault` is what happens where the finish
    should be: `keep_alive` sends comments and nothing else, `mute` never says a word. `cached` are those of the input
    tokens that the provider had read before; `reading` are the tokens that it says it has read meanwhile, of all of the
    last (llama.cpp, which is asked to); `reasoning` is an item of the Responses API before all else.
    """

    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    piece: int = 9
    finish_reason: str | None = None
    refusal: str = ""
    reasoning: Mapping[str, Any] | None = None
    usage: tuple[int, int] | None = (100, 20)
    cached: int = 0
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    fault: Fault | None = None
    gate: asyncio.Event | None = None
    reading: tuple[int, ...] = ()


NO_MORE = Reply(status=500, headers={"x-should-retry": "false"})
TOO_LONG = Reply(status=400, body={"error": {"message": "too many", "code": "context_length_exceeded"}})


@dataclass(slots=True)
class Endpoint:
    """What a test looks at: `requests` are the parsed bodies, `keys` the bearer tokens, `disconnects` counts clients
    that left mid-stream.
    """

    base_url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    disconnects: int = 0
    asked_of_itself: list[str] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    def pictures(self, request: int) -> list[bytes]:
        """The PNGs of one request, in order."""
        parts = [part for message in self._messages(request) for part in _parts(message)]
        urls = [part["image_url"]["url"] for part in parts if part.get("type") == "image_url"]
        urls += [part["image_url"] for part in parts if part.get("type") == "input_image"]
        return [base64.b64decode(url.partition(",")[2]) for url in urls]

    def roles(self, request: int) -> list[str]:
        """The role of each message; of what is none in the Responses API, its type."""
        return [message.get("role") or message["type"] for message in self._messages(request)]

    def _messages(self, request: int) -> list[dict[str, Any]]:
        asked = self.requests[request]
        messages: list[dict[str, Any]] = asked["input"] if "input" in asked else asked["messages"]
        return messages


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return content if isinstance(content, list) else []


@asynccontextmanager
async def openai_endpoint(
    *replies: Reply,
    context: int | None = None,
    of_itself: Mapping[str, Mapping[str, Any] | None] | None = None,
    script: Callable[[Mapping[str, Any]], Reply] | None = None,
) -> AsyncIterator[Endpoint]:
    """Serve these replies on a free loopback port; when they are used up every request gets 500. With a `context` of so
    many tokens a request that leaves no room for its `max_tokens` is refused, as local servers do, and costs no reply.
    `of_itself` are what it answers by path when asked of itself (None: nothing ever); without them it lists no model.
    A `script` makes each reply of its request, instead of these.
    """
    endpoint, refused = Endpoint(), 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await _request(reader, endpoint):
                if not request["path"].endswith(("/chat/completions", "/responses")):
                    endpoint.asked_of_itself.append(request["path"])
                    known = {"/v1/models": {"object": "list", "data": []}} if of_itself is None else of_itself
                    said = known.get(request["path"], {})
                    await _answer(reader, writer, _of_itself(said), 0, is_responses=False)
                    continue
                endpoint.requests.append(request)
                nonlocal refused
                if context is not None and requested_tokens(request) + request["max_tokens"] > context:
                    refused += 1
                    await _answer(reader, writer, TOO_LONG, 0, is_responses=False)
                    continue
                number = len(endpoint.requests) - 1 - refused
                if script is None:
                    reply = replies[number] if number < len(replies) else NO_MORE
                else:
                    number, reply = len(request["messages"]), script(request)
                if not await _answer(reader, writer, reply, number, is_responses="input" in request):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            endpoint.disconnects += 1
            endpoint.left.set()
        finally:
            writer.close()
            with suppress(ConnectionError, TimeoutError):
                await asyncio.wait_for(writer.wait_closed(), timeout=1)

    async with serving_on_a_fresh_port(serve) as port:
        endpoint.base_url = f"http://127.0.0.1:{port}/v1"
        yield endpoint


def _of_itself(said: Mapping[str, Any] | None) -> Reply:
    if said is None:
        return Reply(fault="mute")
    return Reply(body=said) if said else Reply(status=404)


def requested_tokens(request: Mapping[str, Any]) -> int:
    """Tokens of a request's messages and tools, as text of names, paths and numbers has them."""
    tools = "".join(json.dumps(tool) for tool in request.get("tools", []))
    words = "".join(str(one["content"]) + json.dumps(one.get("tool_calls", "")) for one in request["messages"])
    return math.ceil(len(tools + words) / 2.4)


async def _request(reader: asyncio.StreamReader, endpoint: Endpoint) -> dict[str, Any] | None:
    head = await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b""
    if not head:
        return None
    lines = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
    endpoint.keys.append(headers.get("authorization", "").removeprefix("Bearer "))
    body: dict[str, Any] = json.loads(await reader.readexactly(int(headers.get("content-length", "0"))) or b"{}")
    return body | {"path": lines[0].split()[1]}


async def _answer(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, reply: Reply, number: int, *, is_responses: bool
) -> bool:
    """Write one reply; False when the connection is not to be used again."""
    if reply.fault == "mute":
        await _hung_up(reader)
    if reply.status != 200 or reply.body is not None:
        body = json.dumps(reply.body or {"error": {"message": f"scripted {reply.status}", "code": None}}).encode()
        headers = {"content-type": "application/json", "content-length": str(len(body))} | dict(reply.headers)
        writer.write(_head(reply.status, headers) + body)
        await writer.drain()
        return True
    writer.write(_head(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked"}))
    for read in reply.reading:
        progress = {"total": reply.reading[-1], "cache": 0, "processed": read, "time_ms": read}
        await _event(writer, _delta({"content": None}) | {"prompt_progress": progress})
    events = response_events(reply, number) if is_responses else _chat_chunks(reply, number)
    gate = reply.gate
    for event, is_text in events:
        await _event(writer, event)
        if is_text and gate is not None:
            await gate.wait()
            gate = None
    return await _ending(reader, writer, reply, number, is_responses=is_responses)


def _chat_chunks(reply: Reply, number: int) -> Iterator[tuple[dict[str, Any], bool]]:
    """Each chunk, and whether it holds text."""
    for piece in pieces(reply):
        yield _delta({"content": piece}), True
    if reply.refusal:
        yield _delta({"refusal": reply.refusal}), False
    for index, (name, arguments) in enumerate(reply.calls):
        call = {"index": index, "id": f"call_{number}_{index}", "type": "function"}
        yield _delta({"tool_calls": [call | {"function": {"name": name, "arguments": ""}}]}), False
        for half in halves(reply, arguments):
            yield _delta({"tool_calls": [{"index": index, "function": {"arguments": half}}]}), False


async def _ending(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, reply: Reply, number: int, *, is_responses: bool
) -> bool:
    match reply.fault:
        case "drop":
            return False
        case "reset":
            linger_nothing = struct.pack("ii", 1, 0)  # closing then sends RST
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_nothing)
            writer.transport.abort()
            return False
        case "hang" | "mute":
            await _hung_up(reader)
        case "keep_alive":
            await _hung_up(reader, writer)
        case "junk":
            await _event(writer, "this is not JSON")
        case "early_end":
            pass
        case "error_event" | "failed" | None:
            for event in [response_ending(reply, number)] if is_responses else _chat_ending(reply):
                await _event(writer, event)
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


def _chat_ending(reply: Reply) -> Iterator[dict[str, Any] | str]:
    if reply.fault is not None:
        yield {"error": {"message": "overloaded", "type": "server_error"}}
        return
    yield _delta({}, reply.finish_reason or ("tool_calls" if reply.calls else "stop"))
    if reply.usage:
        prompt, completion = reply.usage
        usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
        cached = {"prompt_tokens_details": {"cached_tokens": reply.cached}}
        yield _delta({}) | {"choices": [], "usage": usage | cached}
    yield "[DONE]"


async def _hung_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter | None = None) -> NoReturn:
    """Wait until the client leaves; with a writer, keeping its connection alive."""
    left = asyncio.ensure_future(reader.read(1))
    try:
        while not (await asyncio.wait({left}, timeout=None if writer is None else KEEP_ALIVE_S))[0]:
            if writer is not None:
                await _event(writer, ": keep-alive")
    finally:
        left.cancel()
        await asyncio.gather(left, return_exceptions=True)
    raise ConnectionResetError("the client hung up")


def _delta(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"role": "assistant"} | delta, "finish_reason": finish_reason}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": "fake", "choices": [choice]}


async def _event(writer: asyncio.StreamWriter, said: dict[str, Any] | str) -> None:
    """A text that begins with a colon is a comment."""
    text = said if isinstance(said, str) else json.dumps(said)
    kind = f"event: {said['type']}\n" if isinstance(said, dict) and "type" in said else ""
    data = f"{text}\n\n".encode() if text.startswith(":") else f"{kind}data: {text}\n\n".encode()
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    await writer.drain()


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} scripted", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
