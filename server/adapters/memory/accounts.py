"""Users, their accounts, plans and counters in memory: what the twins of Conversations and TraceRecords share. The
rules are those of `supabase/migrations/*_limits.sql`, held by the same contract suites; months are 30 days here."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from limits.decisions import Decision, LimitType
from limits.plans import LOCAL_PLAN, Plan, SessionsPeriod
from server.adapters.storable import not_found
from server.ports.clock import Clock
from server.ports.identity import Caller

MONTH = timedelta(days=30)


@dataclass(slots=True)
class Standing:
    """One user: his plan and what he has used of it."""

    plan: Plan
    period_end: datetime
    lifetime_sessions: int = 0
    monthly_sessions: int = 0
    monthly_uploads: int = 0

    @property
    def counts_lifetime(self) -> bool:
        return self.plan.chat_sessions_period is SessionsPeriod.LIFETIME

    @property
    def sessions_used(self) -> int:
        return self.lifetime_sessions if self.counts_lifetime else self.monthly_sessions

    @property
    def resets_at(self) -> datetime | None:
        return self.period_end if self.plan.chat_sessions_period is SessionsPeriod.MONTHLY else None

    def refuse(self, limit_type: LimitType, used: int, limit: int, *, messages: int = 0) -> Decision:
        monthly = limit_type in (LimitType.MONTHLY_SESSIONS, LimitType.MONTHLY_UPLOADS)
        return Decision(
            allowed=False,
            plan_name=self.plan.name,
            messages_used=messages,
            messages_limit=self.plan.chat_messages_per_session,
            limit_type=limit_type,
            used=used,
            limit=limit,
            resets_at=self.period_end if monthly else None,
        )


@dataclass(slots=True)
class MemoryAccounts:
    """Who there is. A caller who is not here finds nothing."""

    clock: Clock
    _standings: dict[str, Standing] = field(default_factory=dict)
    _members: set[tuple[str, str]] = field(default_factory=set)

    def add(self, caller: Caller, plan: Plan = LOCAL_PLAN) -> None:
        """Make the user, as the owner of his account; again: put him on another plan."""
        self._members.add((caller.account_id, caller.user_id))
        if caller.user_id in self._standings:
            self._standings[caller.user_id].plan = plan
        else:
            self._standings[caller.user_id] = Standing(plan=plan, period_end=self.clock.now() + MONTH)

    def are_of(self, caller: Caller, account_id: str) -> bool:
        """Whether the caller is a member of the account."""
        return (account_id, caller.user_id) in self._members

    def standing(self, user_id: str) -> Standing:
        """Where the user stands, in the period that contains now. Raises NotFound."""
        standing = self._standings.get(user_id)
        if standing is None:
            raise not_found("user")
        while standing.period_end <= self.clock.now():
            standing.period_end += MONTH
            standing.monthly_sessions = standing.monthly_uploads = 0
        return standing
