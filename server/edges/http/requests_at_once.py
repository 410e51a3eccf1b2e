"""How many requests of one user are answered at once, and how many refusals they are given, decided from a request's
raw headers before it is routed, signed in or read: one behind the routes costs some 2.5 ms of the event loop.

A user is their credential (a header of RFC 9110, 11.6.2, or the page's cookie), of which a hash is kept, else their
address. Who is refused waits a second for it: who asks again at once, without end, asks once a second a connection.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send

WHOSE, REFUSED = "flamechat.whose", "flamechat.refused"
"""Names in a request's scope and its state: who it was counted for; that it was refused with a status of 200."""

REFUSAL_S = 1.0
"""How long a refusal waits before it is sent."""

MOST_REFUSALS, REFUSALS_PER_S = 20.0, 5.0
"""Refusals behind the routes that one user is given at once, and for long."""

ANONYMOUS_TIMES = 4
"""So many users, at least, share an address that sends no credential: people behind one router, or a gateway."""

MOST_USERS = 10_000
"""Whose refusals are remembered: who was refused long ago may go."""

TOO_MANY_REQUESTS = 429
TOO_MANY = "You have as many requests under way as this server takes of one user. Try again in a moment."
TOO_OFTEN = "Your requests are refused again and again. Wait before you send the next one."


@dataclass(slots=True)
class RequestsAtOnce:
    """`most` of one user, None for no bound. `now` is a monotonic clock's; `refused` counts what was."""

    most: int | None
    now: Callable[[], float]
    refused: Callable[[str], None] = lambda _: None
    refusal_s: float = REFUSAL_S
    _under_way: Counter[int] = field(default_factory=Counter)
    _refusals: dict[int, tuple[float, float]] = field(default_factory=dict)

    def take(self, whose: int, *, is_anonymous: bool) -> str | None:
        """Count a request in. Why not, where there is no place."""
        if self.most is None:
            return None
        if self._left(whose) < 1:
            self.refused("refusals_at_once")
            return TOO_OFTEN
        if self._under_way[whose] >= self.most * (ANONYMOUS_TIMES if is_anonymous else 1):
            self.refused("requests_at_once")
            return TOO_MANY
        self._under_way[whose] += 1
        return None

    def give_back(self, whose: int) -> None:
        """Count a request out."""
        self._under_way[whose] -= 1
        if self._under_way[whose] <= 0:
            del self._under_way[whose]

    def note_refusal(self, whose: int) -> None:
        """A request of theirs was refused behind the routes."""
        left = self._left(whose)
        self._refusals.pop(whose, None)
        self._refusals[whose] = (left - 1, self.now())  # the newest last
        if len(self._refusals) > MOST_USERS:
            del self._refusals[next(iter(self._refusals))]

    def _left(self, whose: int) -> float:
        if (kept := self._refusals.get(whose)) is None:
            return MOST_REFUSALS
        left = kept[0] + (self.now() - kept[1]) * REFUSALS_PER_S
        if left >= MOST_REFUSALS:
            del self._refusals[whose]
            return MOST_REFUSALS
        return left


def whose(headers: Iterable[tuple[bytes, bytes]], address: str, *, cookie: bytes) -> tuple[int | None, bool]:
    """A hash of the credential in these headers (names in small letters), else of the address, and whether it is the
    address. None for one of this machine, where a proxy speaks for everybody."""
    in_cookie = b""
    for name, value in headers:
        if name == b"authorization" and value.strip():
            return hash(value.split()[-1]), False
        if name == b"cookie" and cookie in value:
            in_cookie = value.partition(cookie + b"=")[2].partition(b";")[0].strip(b' "')
    if in_cookie:
        return hash(in_cookie), False
    return (hash(address) if address else None), True


class CountedOut:
    """Wraps an application: a request that was counted in is counted out when its answer begins, or when it ends
    without one, and whether it was refused is noted."""

    def __init__(self, app: ASGIApp, requests: RequestsAtOnce) -> None:
        self._app = app
        self._requests = requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        counted: int | None = scope.get(WHOSE)
        if counted is None:
            await self._app(scope, receive, send)
            return
        state: Mapping[str, object] = scope.get("state", {})
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            if not started and message["type"] == "http.response.start":
                started = True
                self._requests.give_back(counted)
                if message["status"] == TOO_MANY_REQUESTS or REFUSED in state:
                    self._requests.note_refusal(counted)
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            if not started:
                self._requests.give_back(counted)
