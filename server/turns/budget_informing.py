"""Informs whoever listens that a budget is nearly or quite spent: the person whose it is, the members of an account,
administrators."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from limits.spending import notice_text
from server.ports.budget_notices import BudgetNotices, Informed
from server.ports.identity import Caller
from server.protocol.server import LimitsChanged
from server.turns.listening import Inbox, listening, look_until_cancelled

LOOK_EVERY_S = 5.0
MOST_SEEN = 10_000

Broadcast = Callable[[str, LimitsChanged], None]
"""From an account and what its members are to be sent; never raises."""


@dataclass(slots=True, eq=False)
class Listener:
    """A person on one connection. `account_id` says whose conversation they are in."""

    caller: Caller
    account_id: Callable[[], str | None]
    waiting: Inbox[LimitsChanged] = field(default_factory=Inbox)

    def concerns(self, informed: Informed) -> bool:
        """Whether it is of a budget that binds them."""
        of_account = informed.notice.account_id
        if of_account is not None:
            return of_account == self.account_id()
        return informed.notice.user_id == self.caller.user_id


class BudgetInforming:
    """`broadcast` sends to the members of an account who listen elsewhere; without it nobody does."""

    def __init__(self, notices: BudgetNotices, *, broadcast: Broadcast | None = None) -> None:
        self._notices = notices
        self._broadcast = broadcast
        self._listeners: set[Listener] = set()
        self._seen: dict[str, None] = {}

    def listener(self, caller: Caller, account_id: Callable[[], str | None]) -> AbstractContextManager[Listener]:
        """Somebody who is informed for as long as the context."""
        return listening(self._listeners, Listener(caller, account_id))

    async def run(self) -> None:
        """Until cancelled."""
        await look_until_cancelled(self.look, every_s=LOOK_EVERY_S, log_event="budgets_not_looked_at")

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
            if concerned or listener.caller.is_administrator:
                listener.waiting.offer(message_of(informed, to_others=not concerned))


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
