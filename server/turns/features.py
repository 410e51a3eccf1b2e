"""What a plan leaves out of the agent."""

from limits.administration import PlanRecords


async def hidden_tools(plans: PlanRecords, plan_name: str) -> frozenset[str]:
    """Names of the tools that are neither offered nor can be called on that plan; none for a plan that is gone."""
    return next((frozenset(plan.hidden_tools) for plan in await plans.plans() if plan.name == plan_name), frozenset())
