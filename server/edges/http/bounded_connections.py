"""What one connection, one address and all connections may take of a process: uvicorn bounds none of it.

A header must be there within 10 s of its first byte, a body must go on within 20 s of its last one (as nginx's
`client_header_timeout` and `client_body_timeout` bound them, at 60 s), a header may have 64 kB; past a bound the
connection ends. A body that waits because the server itself reads no further has all the time it needs. A request of
somebody who has too many under way is refused here, before it is routed (`requests_at_once.py`).
"""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from server.edges.http.refused_request import RefusedRequest
from server.edges.http.requests_at_once import CREDENTIAL, WAITS, WHOSE, RequestsAtOnce, whose
from server.edges.http.services import ACCESS_COOKIE

HEADER_S = 10.0
BODY_S = 20.0
MAX_HEADER_BYTES = 64 << 10
"""Of a request's line and headers together."""

RETRY_AFTER_S = 5
LOCAL = frozenset({"127.0.0.1", "::1", ""})
"""Addresses of this machine, where a proxy speaks for everybody: only the bound of all connections is theirs."""

COOKIE = ACCESS_COOKIE.encode()
READS = frozenset({b"GET", b"HEAD"})


@dataclass(slots=True)
class Connections:
    """How many are open, in all and by address. `most` and `most_per_address` None are no bounds."""

    most: int | None = None
    most_per_address: int | None = None
    header_s: float = HEADER_S
    body_s: float = BODY_S
    refused: int = 0
    _open: Counter[str] = field(default_factory=Counter)
    _total: int = 0

    def __len__(self) -> int:
        return self._total

    def take(self, address: str) -> bool:
        """Count a connection in; False, counted as refused, where there are too many."""
        at_address = self.most_per_address is not None and address not in LOCAL
        too_many = self.most is not None and self._total >= self.most
        if too_many or (at_address and self._open[address] >= (self.most_per_address or 0)):
            self.refused += 1
            return False
        self._total += 1
        self._open[address] += 1
        return True

    def give_back(self, address: str) -> None:
        """Count a connection out."""
        self._total -= 1
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]


class BoundedHttpProtocol(HttpToolsProtocol):
    """uvicorn's connection, with these bounds. A socket (RFC 6455) stays counted until it closes."""

    def __init__(self, *, connections_bound: Connections, requests_bound: RequestsAtOnce, **parts: Any) -> None:
        super().__init__(**parts)
        self._bound = connections_bound
        self._requests = requests_bound
        self._refused: RefusedRequest | None = None
        self._address = ""
        self._is_counted = False
        self._over = False
        self._header_bytes = 0
        self._in_header = True
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self._is_counted = self._bound.take(self._address)
        if self._is_counted:
            self._wait(self._bound.header_s)
        else:
            text = "This server has as many connections as it takes. Try again in a moment."
            self._refuse(503, "Service Unavailable", text, f"retry-after: {RETRY_AFTER_S}\r\n")

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait(None)
        if self._refused is not None:
            self._refused.cancel()
        self._count_out()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._over:
            return
        if self._in_header:
            self._header_bytes += len(data)
        super().data_received(data)
        if self._in_header and self._header_bytes > MAX_HEADER_BYTES:
            self._refuse_header()

    def handle_websocket_upgrade(self) -> None:
        if self._over:
            return
        self._wait(None)
        super().handle_websocket_upgrade()
        socket: Any = self.transport.get_protocol()
        lost = socket.connection_lost

        def counted_out(exc: Exception | None) -> None:
            self._count_out()
            lost(exc)

        socket.connection_lost = counted_out

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if not self._in_header:  # a further request of this connection
            self._in_header, self._header_bytes = True, 1
            self._wait(self._bound.header_s)

    def on_headers_complete(self) -> None:
        if self._over:
            return
        self._in_header = False
        if sum(len(name) + len(value) for name, value in self.headers) + len(self.url) > MAX_HEADER_BYTES:
            self._in_header = True
            self._refuse_header()
            return
        if self._refused is not None:  # another request, sent before the refused one was answered
            self._refused.close_with()
            return
        if self._is_refused():
            return
        super().on_headers_complete()
        self._wait(self._bound.body_s)

    def _is_refused(self) -> bool:
        """Whether the request is: a socket's, and one that waits behind another of its connection, are not counted."""
        last: Any = self.cycle
        if (last is not None and not last.response_complete) or (
            self.parser.should_upgrade() and self._should_upgrade()
        ):
            return False
        address = "" if self._address in LOCAL else self._address
        credential, is_anonymous = whose(self.headers, address, cookie=COOKIE)
        if credential is None:
            return False
        scope: Any = self.scope
        user = credential if is_anonymous else self._requests.user_of(credential)
        may_wait = self.parser.get_method() in READS
        why = self._requests.take(user, is_anonymous=is_anonymous, may_wait=may_wait)
        if not isinstance(why, str):
            scope[WHOSE] = user
            if why is not None:
                scope[WAITS] = why
            if not is_anonymous:
                scope[CREDENTIAL] = credential
            return False
        self._wait(None)
        self._refused = RefusedRequest(
            self.transport,
            why,
            pause_s=self._requests.refusal_s,
            keeps_alive=self.parser.get_http_version() == "1.1" and bool(self.parser.should_keep_alive()),
            after=self._after_refusal,
        )
        return True

    def _after_refusal(self, goes_on: bool) -> None:  # noqa: FBT001 - a callback
        self._refused = None
        if goes_on:
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )
        else:
            self._over = True
            self.transport.close()

    def on_body(self, body: bytes) -> None:
        if self._refused is not None:
            self._refused.discard(body)
        elif not self._over:
            super().on_body(body)
            self._wait(self._bound.body_s)

    def on_message_complete(self) -> None:
        if self._refused is not None:
            self._refused.has_come()
        elif not self._over:
            self._wait(None)
            super().on_message_complete()

    def _wait(self, seconds: float | None) -> None:
        """Give the client so long; None: nothing is waited for."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self._too_late, seconds)

    def _too_late(self, seconds: float) -> None:
        if not self._in_header and self.flow.read_paused:
            self._wait(seconds)
            return
        if self._in_header and not self._header_bytes:  # a connection made in advance, as browsers do
            self._over = True
            self.transport.close()
            return
        what = "header" if self._in_header else "body"
        self._refuse(408, "Request Timeout", f"The rest of the {what} has not come within {seconds:g} s.")

    def _refuse_header(self) -> None:
        text = f"The header is longer than {MAX_HEADER_BYTES >> 10} kB."
        self._refuse(431, "Request Header Fields Too Large", text)

    def _refuse(self, status: int, phrase: str, text: str, header: str = "") -> None:
        """Answer, unless an answer is under way, and close."""
        self._over = True
        self._wait(None)
        if self.transport.is_closing():
            return
        cycle: Any = self.cycle
        if self._in_header or cycle is None or not cycle.response_started:
            head = f"HTTP/1.1 {status} {phrase}\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
            self.transport.write(f"{head}{header}content-length: {len(text)}\r\n\r\n{text}".encode())
        self.transport.close()

    def _count_out(self) -> None:
        if self._is_counted:
            self._is_counted = False
            self._bound.give_back(self._address)
