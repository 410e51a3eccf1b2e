"""Who is informed of a budget, and how often."""

from datetime import UTC, datetime

import pytest

from limits.refusals import LimitType
from limits.spending import BudgetNotice
from server.ports.budget_notices import Informed
from server.ports.identity import Caller
from server.turns import budget_informing
from server.turns.budget_informing import BudgetInforming, Listener

ANNA, BEN = Caller(user_id="anna", account_id="a"), Caller(user_id="ben", account_id="b")
NOW = datetime(2026, 5, 1, tzinfo=UTC)


def informed(number: int) -> Informed:
    """Of Anna's own budget; each by what was used of it."""
    notice = BudgetNotice(
        notice_id=f"n{number}",
        user_id=ANNA.user_id,
        account_id=None,
        limit_type=LimitType.MONTHLY_COST,
        percent=80,
        used=number,
        limit=1_000,
        plan_name="free",
        resets_at=NOW,
        at=NOW,
    )
    return Informed(notice, ANNA.account_id)


class Notices:
    """What is recent is what the test says."""

    def __init__(self) -> None:
        self.now: list[Informed] = []

    async def recent(self) -> list[Informed]:
        return self.now

    async def take(self) -> list[Informed]:
        return []


def used_in(listener: Listener) -> list[int | None]:
    """Of which notices the listener was informed since this was last asked."""
    return [listener.waiting.get_nowait().used for _ in range(listener.waiting.qsize())]


async def test_each_notice_comes_once_while_it_is_recent_to_whom_it_concerns() -> None:
    notices = Notices()
    informing = BudgetInforming(notices)
    with informing.listener(ANNA, lambda: "a") as annas, informing.listener(BEN, lambda: "b") as bens:
        notices.now = [informed(1), informed(2)]
        await informing.look()
        assert used_in(annas) == [1, 2]
        notices.now = [informed(2), informed(3)]
        await informing.look()
        await informing.look()
        assert used_in(annas) == [3]
        assert used_in(bens) == []


async def test_the_oldest_are_forgotten_so_that_what_is_known_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget_informing, "MOST_SEEN", 3)
    notices = Notices()
    informing = BudgetInforming(notices)
    with informing.listener(ANNA, lambda: "a") as annas:
        for number in range(1, 6):
            notices.now = [informed(number)]
            await informing.look()
        assert used_in(annas) == [1, 2, 3, 4, 5]
        notices.now = [informed(3), informed(4), informed(5)]
        await informing.look()
        assert used_in(annas) == [], "the newest three are known"
        notices.now = [informed(1)]
        await informing.look()
        assert used_in(annas) == [1]
