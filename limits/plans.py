"""A plan's ceilings. `None` is unlimited."""

from dataclasses import dataclass
from enum import StrEnum


class SessionsPeriod(StrEnum):
    LIFETIME = "lifetime"
    MONTHLY = "monthly"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A row of `subscription_plans`."""

    name: str
    display_name: str
    price_monthly_cents: int = 0
    chat_messages_per_session: int | None = None
    chat_sessions_limit: int | None = None
    chat_sessions_period: SessionsPeriod | None = None
    monthly_upload_limit: int | None = None
    total_trace_limit: int | None = None
    retention_days: int | None = None
    allow_public_sharing: bool = False


LOCAL_PLAN = Plan(name="local", display_name="Local")
"""The plan of the one user of a server on one machine: everything unlimited. Its row is seeded with the others."""
