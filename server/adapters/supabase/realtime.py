"""A relay that also sends to the project's Realtime, for tabs, devices and programs without a socket of ours.

One loop of a process sends for all its sessions: a request carries one message of each that is due, so a session's
messages stay in order, and a slow or dead Realtime makes the messages longer, never a turn slower.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Any, Self

import httpx
import structlog

from server.adapters.in_process.background_loops import BackgroundLoops
from server.adapters.supabase.realtime_messages import Backlog, to_account, to_session
from server.ports.relay import Listening, Relay, Seen
from server.protocol.events import TurnEvent
from server.protocol.server import AccountMessage, ChatError, MemoryProposed, TurnSnapshot

BROADCAST = "/realtime/v1/api/broadcast"
TICK_S = 0.05
TRIES = 3
WAIT_S = 0.25
"""Before the second try; four times as long before the third."""

ANSWER_S = 3.0
PAUSE_S = 5.0
"""After the last try Realtime is left alone for so long; what would have been sent meanwhile is left out."""

BAD_MESSAGE = frozenset({400, 413, 422})
MAX_REQUEST_MESSAGES = 50
LAST_WORDS_S = 2.0
MAX_SESSIONS = 4_096
"""Sessions with something to send; far more than one process runs turns."""

Budget = Callable[[int], Awaitable[int]]
"""From the number of broadcasts that wait to the number that may be sent now; never raises."""

log = structlog.get_logger(__name__)


class RealtimeRelay:
    """A Relay around another one; `async with` it. `client` is the project's, which the caller closes."""

    def __init__(
        self,
        inner: Relay,
        client: httpx.AsyncClient,
        budget: Budget,
        *,
        wait_s: float = WAIT_S,
        pause_s: float = PAUSE_S,
        answer_s: float = ANSWER_S,
        loops: BackgroundLoops | None = None,
    ) -> None:
        self._loops = loops or BackgroundLoops()
        self._inner = inner
        self._client = client
        self._budget = budget
        self._wait_s = wait_s
        self._pause_s = pause_s
        self._answer_s = answer_s
        self._backlogs: dict[str, Backlog] = {}
        self._informing: list[dict[str, Any]] = []
        self._news = asyncio.Event()
        self._sending: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._sending = self._loops.start("realtime", self._send_on)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._loops.stop(self._sending)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_WORDS_S):
                while messages := await self._due(float("inf")):
                    if await self._post(messages) != httpx.codes.ACCEPTED:
                        break

    async def publish(self, event: TurnEvent | TurnSnapshot) -> None:
        await self._inner.publish(event)
        backlog = self._backlog(event.session_id)
        if backlog is not None:
            backlog.add(event)

    async def give_up(self, turn_id: str, session_id: str) -> bool:
        if session_id in self._backlogs:
            self._backlogs[session_id].forget(turn_id)
        return await self._inner.give_up(turn_id, session_id)

    def listen(self, session_id: str, *, seen: Seen | None = None) -> Listening:
        return self._inner.listen(session_id, seen=seen)

    async def snapshot(self, session_id: str) -> TurnSnapshot | None:
        return await self._inner.snapshot(session_id)

    def refuse(self, session_id: str, error: ChatError) -> None:
        """Send to the session's listeners on Realtime, who get no answer of ours, that a prompt was refused."""
        backlog = self._backlog(session_id)
        if backlog is not None:
            backlog.refuse(error)

    def inform(self, account_id: str, message: AccountMessage) -> None:
        """Send to the members of an account who listen on Realtime."""
        if len(self._informing) < MAX_SESSIONS:
            self._informing.append(to_account(account_id, message))
        self._news.set()

    def announce(self, session_id: str, message: MemoryProposed) -> None:
        """Send what is of a conversation and of none of its turns to those who listen to it on Realtime."""
        if len(self._informing) < MAX_SESSIONS:
            self._informing.append(to_session(session_id, message))
        self._news.set()

    def _backlog(self, session_id: str) -> Backlog | None:
        self._news.set()
        if session_id not in self._backlogs and len(self._backlogs) >= MAX_SESSIONS:
            return None
        return self._backlogs.setdefault(session_id, Backlog(session_id))

    async def _send_on(self) -> None:
        while True:
            await self._news.wait()
            messages = await self._due(time.monotonic())
            if messages and not await self._send(messages):
                await asyncio.sleep(self._pause_s)
                for backlog in self._backlogs.values():
                    backlog.clear()
            if not messages:
                await asyncio.sleep(TICK_S)
            if not self._backlogs and not self._informing:
                self._news.clear()

    async def _due(self, now: float) -> list[dict[str, Any]]:
        """One message of each session whose time has come, as far as the budget goes: ends and tools before text, who
        has waited longest first."""
        if self._informing:
            taken = await self._budget(min(len(self._informing), MAX_REQUEST_MESSAGES))
            informing, self._informing = self._informing[:taken], self._informing[taken:]
            return informing
        due = [backlog for backlog in self._backlogs.values() if backlog.due_at <= now and not backlog.is_empty]
        if not due:
            self._let_go()
            return []
        due.sort(key=lambda backlog: (not backlog.is_urgent, backlog.due_at))
        allowed = await self._budget(min(len(due), MAX_REQUEST_MESSAGES))
        messages = (backlog.message(time.monotonic()) for backlog in due[:allowed])
        return [message for message in messages if message is not None]

    def _let_go(self) -> None:
        """Forget sessions to which the end of their turn was sent."""
        self._backlogs = {session: backlog for session, backlog in self._backlogs.items() if not backlog.is_done}

    async def _send(self, messages: list[dict[str, Any]]) -> bool:
        """Send them, more than once if need be. False when Realtime does not take them; a message that it finds bad is
        left out, and the others are sent by themselves."""
        for number in range(TRIES):
            status = await self._post(messages)
            if status in BAD_MESSAGE:
                log.warning("realtime_refused", status=status, messages=len(messages))
                return len(messages) == 1 or all([await self._send([message]) for message in messages])
            if status == httpx.codes.ACCEPTED:
                return True
            if number + 1 < TRIES:
                await asyncio.sleep(self._wait_s * 4**number)
        log.warning("realtime_not_told", status=status, messages=len(messages), pause_s=self._pause_s)
        return False

    async def _post(self, messages: list[dict[str, Any]]) -> int | None:
        """The answer's status, or None when there was none."""
        try:
            answer = await self._client.post(BROADCAST, json={"messages": messages}, timeout=self._answer_s)
        except httpx.HTTPError:
            return None
        return answer.status_code
