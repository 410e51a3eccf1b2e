"""What a month of model calls holds and has cost, in memory, by the rules of `supabase/migrations/*_budgets.sql`."""

import math
from dataclasses import dataclass, field
from decimal import Decimal

from limits.refusals import LimitType
from limits.spending import SpendingLimits
from server.ports.invocations import CallCost

NOTHING = CallCost(Decimal(0), 0)


@dataclass(slots=True)
class _Receipt:
    cost: CallCost
    is_settled: bool = False
    is_estimate: bool = True


@dataclass(slots=True)
class MemoryBudget:
    """One user's month, or one account's. `calls` are receipts by call, `turns` those of turns before their first call;
    `turn_of` says of which turn a call is."""

    calls: dict[str, _Receipt] = field(default_factory=dict)
    turns: dict[str, _Receipt] = field(default_factory=dict)
    turn_of: dict[str, str | None] = field(default_factory=dict)
    noted: set[tuple[LimitType, int, int]] = field(default_factory=set)
    """The limit, where it lay, and the share that was reached."""

    @property
    def spent(self) -> CallCost:
        """What was settled."""
        return _summed([one for one in self.calls.values() if one.is_settled])

    def reached(self, limits: SpendingLimits) -> tuple[LimitType, int, int] | None:
        """The ceiling that is reached, what is spent of it, and where it lies."""
        spent, all_of_it = self.spent, _summed([*self.calls.values(), *self.turns.values()])
        cents, tokens = limits.monthly_cost_limit_cents, limits.monthly_token_limit
        if cents is not None and (all_of_it.cost_usd or 0) * 100 >= cents:
            return LimitType.MONTHLY_COST, math.ceil((spent.cost_usd or 0) * 100), cents
        if tokens is not None and all_of_it.tokens >= tokens:
            return LimitType.MONTHLY_TOKENS, spent.tokens, tokens
        return None

    def hold_turn(self, turn_id: str, bound: CallCost) -> None:
        """For its first call."""
        self.turns[turn_id] = _Receipt(bound)

    def give_back(self, turn_id: str | None) -> CallCost | None:
        """What was reserved for the turn's first call, which is reserved no longer."""
        receipt = self.turns.pop(turn_id or "", None)
        return None if receipt is None else receipt.cost

    def hold_call(self, invocation_id: str, turn_id: str | None, bound: CallCost) -> None:
        """For a call that is about to be sent."""
        self.calls[invocation_id] = _Receipt(bound)
        self.turn_of[invocation_id] = turn_id

    def settle(
        self, invocation_id: str, cost: CallCost | None, limits: SpendingLimits, *, is_estimate: bool
    ) -> list[tuple[LimitType, int, int, int]]:
        """What is reached by it of each limit, once for each: the limit, 80 or 100 percent, what is used, where it
        lies."""
        receipt = self.calls.get(invocation_id)
        if receipt is None or (receipt.is_settled and not receipt.is_estimate):
            return []
        self.calls[invocation_id] = _Receipt(cost or NOTHING, is_settled=True, is_estimate=is_estimate)
        if cost is None:
            return []
        spent, found = self.spent, []
        for limit_type, used, limit in (
            (LimitType.MONTHLY_COST, (spent.cost_usd or Decimal(0)) * 100, limits.monthly_cost_limit_cents),
            (LimitType.MONTHLY_TOKENS, Decimal(spent.tokens), limits.monthly_token_limit),
        ):
            percent = 0 if not limit else 100 if used >= limit else 80 if used * 5 >= limit * 4 else 0
            known = {of for kind, lies, of in self.noted if (kind, lies) == (limit_type, limit)}
            if limit and percent and percent > max(known, default=0):
                self.noted.add((limit_type, limit, percent))
                found.append((limit_type, percent, math.ceil(used), limit))
        return found

    def close(self, turn_id: str) -> None:
        """The turn has ended: nothing of it stays reserved."""
        self.turns.pop(turn_id, None)
        for invocation_id, receipt in self.calls.items():
            if self.turn_of[invocation_id] == turn_id:
                receipt.is_settled = True


def _summed(receipts: list[_Receipt]) -> CallCost:
    cost = sum((one.cost.cost_usd or Decimal(0) for one in receipts), Decimal(0))
    return CallCost(cost, sum(one.cost.tokens for one in receipts))
