"""A request that is refused before it is routed: what comes of it is let pass, and after a pause it is answered."""

import asyncio
from collections.abc import Callable

MOST_DISCARDED_BYTES = 1 << 20
"""Of a refused request's body; past it the connection ends at once."""


def refusal(text: str, *, keeps_alive: bool) -> bytes:
    """An answer of 429 as a problem document (RFC 9457) with `Retry-After`."""
    body = (
        '{"type":"urn:flamechat:too-many-at-once","title":"Too many at once","status":429,"detail":"' + text + '"}'
    ).encode()
    connection = "keep-alive" if keeps_alive else "close"
    head = (
        "HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/problem+json\r\nretry-after: 1\r\n"
        f"connection: {connection}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class RefusedRequest:
    """Is answered after `pause_s`, and `after` called with whether the connection may go on: its body has come, and
    nothing else has."""

    def __init__(
        self,
        transport: asyncio.Transport,
        text: str,
        *,
        pause_s: float,
        keeps_alive: bool,
        after: Callable[[bool], None],
    ) -> None:
        self._transport = transport
        self._text = text
        self._keeps_alive = keeps_alive
        self._after = after
        self._discarded = 0
        self._is_complete = False
        self._timer = asyncio.get_running_loop().call_later(pause_s, self._answer)

    def discard(self, data: bytes) -> None:
        """Let a piece of its body pass."""
        self._discarded += len(data)
        if self._discarded > MOST_DISCARDED_BYTES:
            self.close_with()

    def has_come(self) -> None:
        """Its body has come."""
        self._is_complete = True

    def close_with(self) -> None:
        """Answer now, and let the connection end: the client does not wait for the answer."""
        self._keeps_alive = False
        self.cancel()
        self._answer()

    def cancel(self) -> None:
        """Its client has gone."""
        self._timer.cancel()

    def _answer(self) -> None:
        goes_on = self._keeps_alive and self._is_complete
        if not self._transport.is_closing():
            self._transport.write(refusal(self._text, keeps_alive=goes_on))
        self._after(goes_on)
