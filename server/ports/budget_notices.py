"""That a share of a budget was reached, for whoever is to be informed while it is new."""

from dataclasses import dataclass
from typing import Protocol

from limits.spending import BudgetNotice


@dataclass(frozen=True, slots=True)
class Informed:
    """A notice, and the account whose members may know of it: the one whose budget it is, else the user's own."""

    notice: BudgetNotice
    account_id: str | None


class BudgetNotices(Protocol):
    """The notices of all processes."""

    async def recent(self) -> list[Informed]:
        """Those of the last two minutes, in order. Raises DatabaseUnavailable."""
        ...

    async def take(self) -> list[Informed]:
        """Those that no process has taken, each once over all of them. Raises DatabaseUnavailable."""
        ...
