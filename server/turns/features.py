"""What a plan gives to the agent, and what it leaves out."""

from dataclasses import dataclass

from limits.administration import PlanRecords
from limits.plans import OverBudget


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """`hidden_tools` are neither offered nor can be called. `models` are those that a prompt may ask for, the default
    first; None: those of the server's settings. A turn that has used `turn_tokens` calls no more tools;
    once the month is spent `analyst_over_budget` says that the built-in analyst answers."""

    hidden_tools: frozenset[str] = frozenset()
    models: tuple[str, ...] | None = None
    turn_tokens: int | None = None
    analyst_over_budget: bool = False


async def features(plans: PlanRecords | None, plan_name: str) -> Features:
    """Those of that plan; of a plan that is gone, and where there are no plans, the server's own."""
    found = [] if plans is None else [plan for plan in await plans.plans() if plan.name == plan_name]
    if not found:
        return Features()
    return Features(
        hidden_tools=frozenset(found[0].hidden_tools),
        models=found[0].chat_models or None,
        turn_tokens=found[0].turn_token_limit,
        analyst_over_budget=found[0].over_budget is OverBudget.BUILT_IN,
    )
