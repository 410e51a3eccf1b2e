"""Notices of budgets in memory: the twin of PostgresBudgetNotices. What is recent stays so."""

from server.ports.budget_notices import Informed
from server.testing.account_state import MemoryAccounts


class MemoryBudgetNotices:
    """BudgetNotices over the accounts in which they are made."""

    def __init__(self, accounts: MemoryAccounts) -> None:
        self._accounts = accounts
        self._taken: set[str] = set()

    async def recent(self) -> list[Informed]:
        return [Informed(one, one.account_id or self._own_account(one.user_id)) for one in self._accounts.notices]

    async def take(self) -> list[Informed]:
        found = [one for one in await self.recent() if one.notice.notice_id not in self._taken]
        self._taken |= {one.notice.notice_id for one in found}
        return found

    def _own_account(self, user_id: str) -> str | None:
        """The first that they came into."""
        return next((account for account, user in self._accounts.roles if user == user_id), None)
