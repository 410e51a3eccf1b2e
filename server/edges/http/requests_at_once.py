"""How many requests of one user are answered at once, and how many refusals they are given, decided from a request's
raw headers before it is routed, signed in or read: one behind the routes costs some 2.5 ms of the event loop.

A user is their credential (a header of RFC 9110, 11.6.2, or the page's cookie), of which a hash is kept, else their
address. Credentials that were found to be of one user count as one from then on. A read that finds no place waits for
one, so that a page may ask for all it shows at once. Anything else is refused, and waits a second for that: who asks
again at once, without end, asks once a second a connection.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.edges.http.problems import problem
from server.ports.asking_user import ASKING_USER

WHOSE, CREDENTIAL, WAITS, REFUSED = (
    "flamechat.whose",
    "flamechat.credential",
    "flamechat.waits",
    "flamechat.refused",
)
"""Names in a request's scope and its state: who it was counted for; by which hash of a credential; what it waits for;
that it was refused with a status of 200."""

REFUSAL_S = 1.0
"""How long a refusal waits before it is sent."""

MOST_REFUSALS, REFUSALS_PER_S = 20.0, 5.0
"""Refusals behind the routes that one user is given at once, and for long."""

ANONYMOUS_TIMES = 4
"""So many users, at least, share an address that sends no credential: people behind one router, or a gateway."""

WAITING_TIMES = 8
"""So many times the requests that are answered at once may wait, if they are reads: a dozen pages that load at once."""

WAIT_S = 20.0
"""For a place; then a read is refused, too."""

MOST_USERS = 10_000
"""Whose refusals, and whose credentials, are remembered: those of long ago may go."""

TOO_MANY_REQUESTS = 429
TOO_MANY = "You have as many requests under way as this server takes of one user. Try again in a moment."
TOO_OFTEN = "Your requests are refused again and again. Wait before you send the next one."

Place = asyncio.Future[None]
"""Of somebody who waits: done once it is theirs."""


@dataclass(slots=True)
class RequestsAtOnce:
    """`most` of one user, None for no bound. `now` is a monotonic clock's; `refused` counts what was."""

    most: int | None
    now: Callable[[], float]
    refused: Callable[[str], None] = lambda _: None
    refusal_s: float = REFUSAL_S
    wait_s: float = WAIT_S
    _under_way: Counter[int] = field(default_factory=Counter)
    _waiting: dict[int, deque[Place]] = field(default_factory=dict)
    _refusals: dict[int, tuple[float, float]] = field(default_factory=dict)
    _users: dict[int, int] = field(default_factory=dict)

    def user_of(self, credential: int) -> int:
        """For whom a request with this credential is counted."""
        return self._users.get(credential, credential)

    def belongs(self, credential: int, user_id: str) -> None:
        """The credential was found to be this user's."""
        self._users.pop(credential, None)
        self._users[credential] = hash(user_id)  # the newest last
        if len(self._users) > MOST_USERS:
            del self._users[next(iter(self._users))]

    def take(self, whose: int, *, is_anonymous: bool, may_wait: bool = False) -> str | Place | None:
        """Count a request in. Why not, where there is no place; or the place that it waits for."""
        if self.most is None:
            return None
        if self._left(whose) < 1:
            self.refused("refusals_at_once")
            return TOO_OFTEN
        most = self.most * (ANONYMOUS_TIMES if is_anonymous else 1)
        if self._under_way[whose] >= most:
            waiting = self._waiting.setdefault(whose, deque())
            if may_wait and len(waiting) < most * WAITING_TIMES:
                place: Place = asyncio.get_running_loop().create_future()
                waiting.append(place)
                return place
            self.refused("requests_at_once")
            return TOO_MANY
        self._under_way[whose] += 1
        return None

    def give_back(self, whose: int) -> None:
        """Count a request out: its place is that of who waits longest."""
        waiting = self._waiting.get(whose, deque())
        while waiting:
            place = waiting.popleft()
            if not place.done():
                place.set_result(None)
                return
        self._waiting.pop(whose, None)
        self._under_way[whose] -= 1
        if self._under_way[whose] <= 0:
            del self._under_way[whose]

    async def has_place(self, whose: int, place: Place) -> bool:
        """Wait for it; False where it did not come in time."""
        try:
            await asyncio.wait({place}, timeout=self.wait_s)
        except BaseException:
            self._leave(whose, place)
            raise
        if place.done():
            return True
        self._leave(whose, place)
        self.refused("requests_at_once")
        return False

    def _leave(self, whose: int, place: Place) -> None:
        """Nobody waits for this place any more."""
        if place.done():
            self.give_back(whose)
        else:
            self._waiting[whose].remove(place)
            place.cancel()

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
    """Wraps an application: a request that was counted in waits for its place, and is counted out when its answer
    begins, or when it ends without one. Whether it was refused, and whose its credential is, are noted."""

    def __init__(self, app: ASGIApp, requests: RequestsAtOnce) -> None:
        self._app = app
        self._requests = requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        counted: int | None = scope.get(WHOSE)
        if counted is None:
            await self._app(scope, receive, send)
            return
        place: Place | None = scope.get(WAITS)
        if place is not None and not await self._requests.has_place(counted, place):
            refusal = problem(TOO_MANY_REQUESTS, "Too many at once", TOO_MANY, instance=scope["path"])
            refusal.headers["Retry-After"] = "1"
            await refusal(scope, receive, send)
            return
        state: Mapping[str, object] = scope.get("state", {})
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            if not started and message["type"] == "http.response.start":
                started = True
                self._note(scope)
                self._requests.give_back(counted)
                if message["status"] == TOO_MANY_REQUESTS or REFUSED in state:
                    self._requests.note_refusal(counted)
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            if not started:
                self._requests.give_back(counted)

    def _note(self, scope: Scope) -> None:
        if CREDENTIAL in scope and (user_id := ASKING_USER.get()) is not None:
            self._requests.belongs(scope[CREDENTIAL], user_id)
