"""What a month of model calls holds and has cost, in memory, by the rules of `supabase/migrations/*_budgets.sql`."""

import math
from dataclasses import dataclass, field
from decimal import Decimal

from limits.plans import Plan
from limits.refusals import LimitType
from server.ports.invocations import CallCost

NOTHING = CallCost(Decimal(0), 0)


@dataclass(slots=True)
class _Receipt:
    cost: CallCost
    is_settled: bool = False
    is_estimate: bool = True


@dataclass(slots=True)
class MemoryBudget:
    """One user's month. `calls` are receipts by call, `turns` those of turns before their first call; `turn_of` says of
    which turn a call is."""

    calls: dict[str, _Receipt] = field(default_factory=dict)
    turns: dict[str, _Receipt] = field(default_factory=dict)
    turn_of: dict[str, str | None] = field(default_factory=dict)
    noted_percent: int = 0

    @property
    def spent(self) -> CallCost:
        """What was settled."""
        return _summed([one for one in self.calls.values() if one.is_settled])

    def reached(self, plan: Plan) -> tuple[LimitType, int, int] | None:
        """The ceiling that is reached, what is spent of it, and where it lies."""
        spent, all_of_it = self.spent, _summed([*self.calls.values(), *self.turns.values()])
        cents, tokens = plan.monthly_cost_limit_cents, plan.monthly_token_limit
        if cents is not None and (all_of_it.cost_usd or 0) * 100 >= cents:
            return LimitType.MONTHLY_COST, math.ceil((spent.cost_usd or 0) * 100), cents
        if tokens is not None and all_of_it.tokens >= tokens:
            return LimitType.MONTHLY_TOKENS, spent.tokens, tokens
        return None

    def hold_turn(self, turn_id: str, bound: CallCost) -> None:
        """For its first call."""
        self.turns[turn_id] = _Receipt(bound)

    def hold_call(
        self, invocation_id: str, turn_id: str | None, bound: CallCost, plan: Plan
    ) -> tuple[LimitType, int, int] | None:
        """The ceiling that keeps it from being reserved; None when it is."""
        if invocation_id in self.calls:
            return None
        of_turn = self.turns.pop(turn_id or "", None)
        if (reached := self.reached(plan)) is not None:
            if of_turn is not None:
                self.turns[turn_id or ""] = of_turn
            return reached
        self.calls[invocation_id] = _Receipt(bound)
        self.turn_of[invocation_id] = turn_id
        return None

    def settle(self, invocation_id: str, cost: CallCost | None, *, is_estimate: bool, plan: Plan) -> int | None:
        """The share of the budget that is reached by it, 80 or 100 percent, once for each."""
        receipt = self.calls.get(invocation_id)
        if receipt is None or (receipt.is_settled and not receipt.is_estimate):
            return None
        self.calls[invocation_id] = _Receipt(cost or NOTHING, is_settled=True, is_estimate=is_estimate)
        if cost is None:
            return None
        spent, shares = self.spent, [0.0]
        if plan.monthly_cost_limit_cents:
            shares.append(float((spent.cost_usd or 0) * 100) / plan.monthly_cost_limit_cents)
        if plan.monthly_token_limit:
            shares.append(spent.tokens / plan.monthly_token_limit)
        percent = 100 if max(shares) >= 1 else 80 if max(shares) >= 0.8 else 0
        if percent <= self.noted_percent:
            return None
        self.noted_percent = percent
        return percent

    def close(self, turn_id: str) -> None:
        """The turn has ended: nothing of it stays reserved."""
        self.turns.pop(turn_id, None)
        for invocation_id, receipt in self.calls.items():
            if self.turn_of[invocation_id] == turn_id:
                receipt.is_settled = True


def _summed(receipts: list[_Receipt]) -> CallCost:
    cost = sum((one.cost.cost_usd or Decimal(0) for one in receipts), Decimal(0))
    return CallCost(cost, sum(one.cost.tokens for one in receipts))
