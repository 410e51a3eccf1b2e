"""What a socket is informed of besides its session."""

from dataclasses import dataclass

from server.turns.budget_informing import BudgetInforming
from server.turns.gate_informing import GateInforming


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """Of each kind who informs; None where there is nothing of it."""

    gates: GateInforming | None = None
    budgets: BudgetInforming | None = None


NO_NEWS = News()
