"""The HTTP client for other servers: no proxy of the environment, no redirects, and no more bytes than are read."""

from collections.abc import AsyncIterator, Mapping

import httpx2

from server.adapters.trusted_certificates import trusted_certificates

MAX_BYTES = 2 << 20
"""Of one answer, with everything that it lists."""


class AnswerTooLong(httpx2.TransportError):
    """The server sends more than is read, or packed."""


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, most: int) -> None:
        self._stream = stream
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > self._most:
                raise AnswerTooLong(f"more than {self._most} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class _BoundedTransport(httpx2.AsyncHTTPTransport):
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise AnswerTooLong("it is packed, which was not asked for")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _BoundedStream(response.stream, MAX_BYTES)
        return response


def bounded_client(headers: Mapping[str, str], *, seconds: float, silent_s: float | None = None) -> httpx2.AsyncClient:
    """A client that sends these headers with each request. `silent_s` is how long an answer may stand still, where that
    is not `seconds`."""
    return httpx2.AsyncClient(
        headers={**headers, "Accept-Encoding": "identity"},
        timeout=httpx2.Timeout(seconds, read=seconds if silent_s is None else silent_s),
        transport=_BoundedTransport(verify=trusted_certificates(), retries=0),
        follow_redirects=False,
        trust_env=False,
    )
