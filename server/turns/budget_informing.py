"""Informs whoever listens that a budget is nearly or quite spent: the person whose it is, the members of an account,
administrators."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog

from limits.spending import notice_text
from server.errors import DatabaseUnavailable, raised_at
from server.ports.budget_notices import BudgetNotices, Informed
from server.ports.identity import Caller
from server.protocol.server import LimitsChanged

LOOK_EVERY_S = 5.0
MOST_WAITING = 100
MOST_SEEN = 10_000

Broadcast = Callable[[str, LimitsChanged], None]
"""From an account and what its members are to be sent; never raises."""

log = structlog.get_logger(__name__)


@dataclass(slots=True, eq=False)
class Listener:
    """A person on one connection. `account_id` says whose conversation they are in."""

    caller: Caller
    account_id: Callable[[], str | None]
    waiting: asyncio.Queue[LimitsChanged] = field(default_factory=lambda: asyncio.Queue(MOST_WAITING))

    def concerns(self, informed: Informed) -> bool:
        """Whether it is of a budget that binds them."""
        of_account = informed.notice.account_id
        if of_account is not None:
            return of_account == self.account_id()
        return informed.notice.user_id == self.caller.user_id

    async def news(self) -> AsyncIterator[LimitsChanged]:
        """What comes, without an end."""
        while True:
            yield await self.waiting.get()


class BudgetInforming:
    """`broadcast` sends to the members of an account who listen elsewhere; without it nobody does."""

    def __init__(self, notices: BudgetNotices, *, broadcast: Broadcast | None = None) -> None:
        self._notices = notices
        self._broadcast = broadcast
        self._listeners: set[Listener] = set()
        self._seen: dict[str, None] = {}

    @contextmanager
    def listener(self, caller: Caller, account_id: Callable[[], str | None]) -> Iterator[Listener]:
        """Somebody who is informed for as long as the context."""
        one = Listener(caller, account_id)
        self._listeners.add(one)
        try:
            yield one
        finally:
            self._listeners.discard(one)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                await self.look()
            except DatabaseUnavailable as error:
                log.warning("budgets_not_looked_at", error=type(error).__name__, where=raised_at(error))
            await asyncio.sleep(LOOK_EVERY_S)

    async def look(self) -> None:
        """Inform everybody of what is new. Nothing is asked where nobody listens. Raises DatabaseUnavailable."""
        if self._broadcast is not None:
            for informed in await self._notices.take():
                if informed.account_id is not None:
                    self._broadcast(informed.account_id, message_of(informed))
        if not self._listeners:
            return
        for informed in await self._notices.recent():
            if informed.notice.notice_id not in self._seen:
                self._seen[informed.notice.notice_id] = None
                self._inform(informed)
        while len(self._seen) > MOST_SEEN:
            del self._seen[next(iter(self._seen))]

    def _inform(self, informed: Informed) -> None:
        for listener in self._listeners:
            concerned = listener.concerns(informed)
            if (concerned or listener.caller.is_administrator) and not listener.waiting.full():
                listener.waiting.put_nowait(message_of(informed, to_others=not concerned))


def message_of(informed: Informed, *, to_others: bool = False) -> LimitsChanged:
    """What is sent of it."""
    notice = informed.notice
    assert notice.limit_type.value in ("monthly_cost", "monthly_tokens")
    return LimitsChanged(
        limit_type=notice.limit_type.value,
        percent=100 if notice.percent == 100 else 80,
        used=notice.used,
        limit=notice.limit,
        plan_name=notice.plan_name,
        resets_at=notice.resets_at,
        user_id=notice.user_id,
        account_id=notice.account_id,
        message=notice_text(notice, to_others=to_others),
    )
