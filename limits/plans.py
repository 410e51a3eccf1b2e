"""A plan's ceilings, and what of them may be changed. `None` is unlimited."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum

from limits.errors import InvalidPlan

FALLBACK_PLAN = "free"
"""Binds whoever has no subscription in good standing, so it cannot be retired."""

NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")

MODEL_NAME = re.compile(r"[^\s,]{1,100}")


class SessionsPeriod(StrEnum):
    """What a plan's ceiling of conversations is counted over."""

    LIFETIME = "lifetime"  #: since the user exists; never renewed
    MONTHLY = "monthly"  #: since the current month of the subscription began


class OverBudget(StrEnum):
    """What becomes of prompts once the month's budget for language models is spent."""

    REFUSE = "refuse"  #: they are refused
    BUILT_IN = "built_in"  #: the built-in analyst answers them


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A row of `subscription_plans`. A retired plan goes on for those who are on it and takes nobody new. The agent
    does without `hidden_tools`. Prompts are answered by the first of `chat_models` and may ask for the others; without
    any, the server's settings decide. Costs are of model calls whose price is known; a turn that has used more than
    `turn_token_limit` asks the model once more, without tools. A user's keys for programs share their requests a
    minute; renders are pictures over HTTP."""

    name: str
    display_name: str
    price_monthly_cents: int = 0
    chat_messages_per_session: int | None = None
    chat_sessions_limit: int | None = None
    chat_sessions_period: SessionsPeriod | None = None
    monthly_upload_limit: int | None = None
    total_trace_limit: int | None = None
    retention_days: int | None = None
    monthly_cost_limit_cents: int | None = None
    monthly_token_limit: int | None = None
    turn_token_limit: int | None = None
    api_keys_limit: int | None = None
    api_requests_per_minute: int | None = None
    monthly_render_limit: int | None = None
    over_budget: OverBudget = OverBudget.REFUSE
    allow_public_sharing: bool = False
    hidden_tools: tuple[str, ...] = ()
    chat_models: tuple[str, ...] = ()
    is_retired: bool = False


LOCAL_PLAN = Plan(name="local", display_name="Local")
"""The plan of the one user of a server on one machine: everything unlimited. Its row is seeded with the others."""

CHANGEABLE = frozenset(field.name for field in fields(Plan)) - {"name", "is_retired"}


def checked(plan: Plan) -> Plan:
    """The plan itself. Raises InvalidPlan when its numbers contradict each other or cannot be."""
    if not NAME.fullmatch(plan.name):
        raise InvalidPlan(f"{plan.name!r} is no name for a plan: use up to 40 of a-z, 0-9, - and _, a letter first.")
    if not plan.display_name.strip():
        raise InvalidPlan("A plan needs a display name.")
    counts = ("chat_messages_per_session", "chat_sessions_limit", "monthly_upload_limit", "total_trace_limit")
    of_programs = ("api_keys_limit", "monthly_render_limit")
    budgets = ("monthly_cost_limit_cents", "monthly_token_limit")
    for name in (*counts, *budgets, *of_programs, "price_monthly_cents"):
        value = getattr(plan, name)
        if value is not None and not 0 <= value < 1 << 31:
            raise InvalidPlan(f"{name} cannot be {value}: it is a number from 0, or unlimited.")
    if plan.retention_days is not None and not 1 <= plan.retention_days <= 36_500:
        raise InvalidPlan("retention_days is a number from 1 to 36500, or unlimited.")
    for name in ("turn_token_limit", "api_requests_per_minute"):
        _from_one(name, getattr(plan, name))
    if not all(NAME.fullmatch(tool) for tool in plan.hidden_tools):
        raise InvalidPlan("hidden_tools are names of tools, such as query_trace.")
    if not all(MODEL_NAME.fullmatch(model) for model in plan.chat_models):
        raise InvalidPlan("chat_models are names of models, such as gpt-5, the plan's default first.")
    if (plan.chat_sessions_limit is None) != (plan.chat_sessions_period is None):
        raise InvalidPlan("chat_sessions_limit and chat_sessions_period go together: a ceiling says of which period.")
    return plan


def _from_one(name: str, value: int | None) -> None:
    """Raises InvalidPlan."""
    if value is not None and not 1 <= value < 1 << 31:
        raise InvalidPlan(f"{name} is a number from 1, or unlimited.")


def changed(plan: Plan, changes: Mapping[str, object]) -> Plan:
    """The plan with these fields changed; unlimited sessions have no period. Raises InvalidPlan."""
    unknown = sorted(set(changes) - CHANGEABLE)
    if unknown:
        raise InvalidPlan(f"{', '.join(unknown)} cannot be changed.")
    values = dict(changes)
    if values.get("chat_sessions_limit", 0) is None:
        values["chat_sessions_period"] = None
    if "hidden_tools" in values:
        values["hidden_tools"] = tuple(sorted(set(values["hidden_tools"])))  # type: ignore[call-overload]
    if "chat_models" in values:
        values["chat_models"] = tuple(dict.fromkeys(values["chat_models"]))  # type: ignore[call-overload]
    return checked(replace(plan, **values))  # type: ignore[arg-type]
