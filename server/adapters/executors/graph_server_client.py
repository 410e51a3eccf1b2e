"""The client of a server that speaks LangGraph's API, which is not trusted to be brief or to end."""

from collections.abc import AsyncIterator

import httpx
from langgraph_sdk.client import LangGraphClient

from server.errors import ConfigError

MOST_BYTES = 256 << 20
"""Of one answer: far more than the events of one turn."""

LONGEST_LINE = 32 << 20
"""Of a stream: more than the state of one turn."""

SILENCE_S = 30.0
"""Such servers send a heartbeat every few seconds while they stream: one that is silent for so long is gone."""

CONNECT_S = 5.0


def graph_server_client(url: str, api_key: str | None, *, silence_s: float = SILENCE_S) -> LangGraphClient:
    """For the server at this address. Raises ConfigError for what is none."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        parsed = httpx.URL("")
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise ConfigError("FLAMECHAT_LANGGRAPH_URL is the address of a server, such as http://127.0.0.1:2024.")
    client = httpx.AsyncClient(
        base_url=url,
        transport=BoundedTransport(httpx.AsyncHTTPTransport(limits=httpx.Limits(max_connections=None))),
        timeout=httpx.Timeout(silence_s, connect=CONNECT_S),
        headers={} if api_key is None else {"x-api-key": api_key},
        follow_redirects=False,
    )
    return LangGraphClient(client)


class BoundedTransport(httpx.AsyncBaseTransport):
    """Cuts answers that are longer than `most_bytes`, or of which a line is longer than `longest_line`: whoever reads
    them in lines keeps one in memory."""

    def __init__(
        self, inner: httpx.AsyncBaseTransport, *, most_bytes: int = MOST_BYTES, longest_line: int = LONGEST_LINE
    ) -> None:
        self._inner = inner
        self._most_bytes = most_bytes
        self._longest_line = longest_line

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The answer, without leave to be packed: a few bytes could become very many."""
        request.headers["Accept-Encoding"] = "identity"
        answer = await self._inner.handle_async_request(request)
        if answer.headers.get("content-encoding", "identity") != "identity":
            await answer.aclose()
            raise httpx.RemoteProtocolError("The answer is packed, which was not asked for.")
        assert isinstance(answer.stream, httpx.AsyncByteStream)
        stream = _Bounded(answer.stream, self._most_bytes, self._longest_line)
        return httpx.Response(answer.status_code, headers=answer.headers, stream=stream, extensions=answer.extensions)

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Bounded(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, most_bytes: int, longest_line: int) -> None:
        self._stream = stream
        self._most_bytes = most_bytes
        self._longest_line = longest_line

    async def __aiter__(self) -> AsyncIterator[bytes]:
        total = line = 0
        async for chunk in self._stream:
            total += len(chunk)
            end = chunk.rfind(b"\n")
            line = line + len(chunk) if end < 0 else len(chunk) - end - 1
            if total > self._most_bytes or line > self._longest_line:
                raise httpx.ReadError("The answer is longer than any is.")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
