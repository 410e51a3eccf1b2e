"""A scriptable OpenAI-compatible endpoint over real HTTP: it answers `POST /v1/chat/completions` with the replies it
was given, in order, streamed as server-sent events, and keeps what it was asked.

    async with openai_endpoint(Reply(calls=(("get_trace_summary", "{}"),)), Reply(text="It is parse.")) as endpoint:
        ... endpoint.base_url ... endpoint.requests[1]["messages"] ...
"""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

Fault = Literal["drop", "early_end", "junk", "error_event", "hang"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer: text in pieces, then tool calls as (name, JSON arguments), whose arguments are cut in two. `gate`
    holds the stream after the first piece of text until a test opens it; `fault` is what happens where the finish
    should be.
    """

    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    piece: int = 9
    finish_reason: str | None = None
    usage: tuple[int, int] | None = (100, 20)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    fault: Fault | None = None
    gate: asyncio.Event | None = None


@dataclass(slots=True)
class Endpoint:
    """What a test looks at: `requests` are the parsed bodies, `keys` the bearer tokens, `disconnects` counts clients
    that left mid-stream.
    """

    base_url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    disconnects: int = 0
    left: asyncio.Event = field(default_factory=asyncio.Event)

    def pictures(self, request: int) -> list[bytes]:
        """The PNGs of one request, in order."""
        parts = [part for message in self.requests[request]["messages"] for part in _parts(message)]
        urls = [part["image_url"]["url"] for part in parts if part.get("type") == "image_url"]
        return [base64.b64decode(url.partition(",")[2]) for url in urls]

    def roles(self, request: int) -> list[str]:
        return [message["role"] for message in self.requests[request]["messages"]]


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    return message["content"] if isinstance(message["content"], list) else []


@asynccontextmanager
async def openai_endpoint(*replies: Reply) -> AsyncIterator[Endpoint]:
    """Serve these replies on a free loopback port; when they are used up every request gets 500."""
    endpoint = Endpoint()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await _request(reader, endpoint):
                endpoint.requests.append(request)
                number = len(endpoint.requests) - 1
                reply = (
                    replies[number] if number < len(replies) else Reply(status=500, headers={"x-should-retry": "false"})
                )
                if not await _answer(reader, writer, reply, number):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            endpoint.disconnects += 1
            endpoint.left.set()
        finally:
            writer.close()

    connections: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.create_task(serve(reader, writer))
        connections.add(connection)
        connection.add_done_callback(connections.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    endpoint.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield endpoint
    finally:
        server.close()
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


async def _request(reader: asyncio.StreamReader, endpoint: Endpoint) -> dict[str, Any] | None:
    head = await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b""
    if not head:
        return None
    lines = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
    endpoint.keys.append(headers.get("authorization", "").removeprefix("Bearer "))
    body: dict[str, Any] = json.loads(await reader.readexactly(int(headers.get("content-length", "0"))) or b"{}")
    return body | {"path": lines[0].split()[1]}


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, reply: Reply, number: int) -> bool:
    """Write one reply; False when the connection is not to be used again."""
    if reply.status != 200 or reply.body is not None:
        body = json.dumps(reply.body or {"error": {"message": f"scripted {reply.status}", "code": None}}).encode()
        headers = {"content-type": "application/json", "content-length": str(len(body))} | dict(reply.headers)
        writer.write(_head(reply.status, headers) + body)
        await writer.drain()
        return True
    writer.write(_head(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked"}))
    for index in range(0, len(reply.text), reply.piece):
        await _event(writer, _delta({"content": reply.text[index : index + reply.piece]}))
        if index == 0 and reply.gate is not None:
            await reply.gate.wait()
    for index, (name, arguments) in enumerate(reply.calls):
        call = {
            "index": index,
            "id": f"call_{number}_{index}",
            "type": "function",
            "function": {"name": name, "arguments": ""},
        }
        await _event(writer, _delta({"tool_calls": [call]}))
        middle = len(arguments) // 2
        for half in (arguments[:middle], arguments[middle:]) if reply.fault != "early_end" else (arguments[:middle],):
            await _event(writer, _delta({"tool_calls": [{"index": index, "function": {"arguments": half}}]}))
    return await _ending(reader, writer, reply)


async def _ending(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, reply: Reply) -> bool:
    match reply.fault:
        case "drop":
            return False
        case "junk":
            await _event(writer, "this is not JSON")
        case "error_event":
            await _event(writer, {"error": {"message": "overloaded", "type": "server_error"}})
        case "hang":
            await reader.read(1)
            raise ConnectionResetError("the client hung up")
        case "early_end":
            pass
        case None:
            finish = reply.finish_reason or ("tool_calls" if reply.calls else "stop")
            await _event(writer, _delta({}, finish))
            if reply.usage:
                prompt, completion = reply.usage
                usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
                await _event(writer, _delta({}) | {"choices": [], "usage": usage})
            await _event(writer, "[DONE]")
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


def _delta(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"role": "assistant"} | delta, "finish_reason": finish_reason}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": "fake", "choices": [choice]}


async def _event(writer: asyncio.StreamWriter, said: dict[str, Any] | str) -> None:
    data = f"data: {said if isinstance(said, str) else json.dumps(said)}\n\n".encode()
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    await writer.drain()


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} scripted", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
