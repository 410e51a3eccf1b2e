"""Users, their accounts, plans and counters in memory: what the twins of Conversations and TraceRecords share. The
rules are those of `supabase/migrations/*_limits.sql`, checked by the same contract suites; months are 30 days here."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from limits.plans import LOCAL_PLAN, Plan, SessionsPeriod
from limits.refusals import Decision, LimitType
from limits.spending import BudgetNotice, SpendingLimits, smallest
from server.adapters.storable import not_found
from server.errors import NotAllowed
from server.ports.clock import Clock
from server.ports.identity import Caller
from server.ports.teams import Role
from server.testing.budgets import MemoryBudget

MONTH = timedelta(days=30)

NOT_MONTHLY = frozenset(
    (LimitType.SESSION_MESSAGES, LimitType.LIFETIME_ANALYSES, LimitType.TOTAL_TRACES, LimitType.API_KEYS)
)

SEEDED = {
    "free": Plan(
        name="free",
        display_name="Free",
        chat_messages_per_session=25,
        chat_sessions_limit=5,
        chat_sessions_period=SessionsPeriod.LIFETIME,
        monthly_upload_limit=10,
        retention_days=30,
        api_keys_limit=2,
        api_requests_per_minute=60,
        monthly_render_limit=500,
    ),
    "pro": Plan(
        name="pro",
        display_name="Pro",
        price_monthly_cents=1500,
        chat_messages_per_session=50,
        chat_sessions_limit=30,
        chat_sessions_period=SessionsPeriod.MONTHLY,
        total_trace_limit=1000,
        allow_public_sharing=True,
        api_keys_limit=20,
        api_requests_per_minute=600,
    ),
    "local": LOCAL_PLAN,
}
"""The plans that the migrations bring."""


@dataclass(slots=True)
class Standing:
    """One user: their plan and what they have used of it."""

    plan: Plan
    period_end: datetime
    lifetime_sessions: int = 0
    monthly_sessions: int = 0
    monthly_uploads: int = 0
    monthly_renders: int = 0
    granted_sessions: int = 0
    budget: MemoryBudget = field(default_factory=MemoryBudget)
    generation: int = 0
    """How often the counters were reset: what was counted before that is given back to nobody."""

    @property
    def sessions_limit(self) -> int | None:
        limit = self.plan.chat_sessions_limit
        return None if limit is None else limit + self.granted_sessions

    @property
    def counts_lifetime(self) -> bool:
        return self.plan.chat_sessions_period is SessionsPeriod.LIFETIME

    @property
    def sessions_used(self) -> int:
        return self.lifetime_sessions if self.counts_lifetime else self.monthly_sessions

    @property
    def resets_at(self) -> datetime | None:
        return self.period_end if self.plan.chat_sessions_period is SessionsPeriod.MONTHLY else None

    def refuse(
        self, limit_type: LimitType, used: int, limit: int, *, messages: int = 0, of_account: bool = False
    ) -> Decision:
        monthly = limit_type not in NOT_MONTHLY
        return Decision(
            allowed=False,
            plan_name=self.plan.name,
            messages_used=messages,
            messages_limit=self.plan.chat_messages_per_session,
            limit_type=limit_type,
            used=used,
            limit=limit,
            resets_at=self.period_end if monthly else None,
            of_account=of_account,
        )


@dataclass(slots=True)
class MemoryAccounts:
    """The users. A caller who is none of them finds nothing."""

    clock: Clock
    plans: dict[str, Plan] = field(default_factory=lambda: dict(SEEDED))
    _standings: dict[str, Standing] = field(default_factory=dict)
    roles: dict[tuple[str, str], Role] = field(default_factory=dict)
    """By account and user, in the order they came."""
    since: dict[tuple[str, str], datetime] = field(default_factory=dict)
    owners_decide: set[str] = field(default_factory=set)
    """Accounts in which they alone decide what is remembered."""
    limits: dict[str, SpendingLimits] = field(default_factory=dict)
    """By the id of the user or the account whose they are."""
    account_budgets: dict[str, MemoryBudget] = field(default_factory=dict)
    notices: list[BudgetNotice] = field(default_factory=list)
    keys_of: Callable[[str], int] = lambda _: 0
    """How many keys for programs a user has that work."""

    def add(self, caller: Caller, plan: Plan = LOCAL_PLAN) -> None:
        """Make the user, as the owner of their account, or a member of one that has an owner; again: put them on
        another plan."""
        has_owner = any(account == caller.account_id for account, _ in self.roles)
        self.join(caller.user_id, caller.account_id, Role.MEMBER if has_owner else Role.OWNER)
        self.plans[plan.name] = plan
        if caller.user_id in self._standings:
            self._standings[caller.user_id].plan = plan
        else:
            self._standings[caller.user_id] = Standing(plan=plan, period_end=self.clock.now() + MONTH)

    def join(self, user_id: str, account_id: str, role: Role) -> None:
        """Make the user a member; who is one has the greater of both roles then."""
        had = self.roles.get((account_id, user_id))
        if had is None or had.rank < role.rank:
            self.roles[account_id, user_id] = role
        self.since.setdefault((account_id, user_id), self.clock.now())

    def are_of(self, caller: Caller, account_id: str) -> bool:
        """Whether the caller is a member of the account."""
        return (account_id, caller.user_id) in self.roles

    def role(self, user_id: str, account_id: str) -> Role:
        """Raises NotFound for who is no member."""
        found = self.roles.get((account_id, user_id))
        if found is None:
            raise not_found("account")
        return found

    def require(self, user_id: str, account_id: str, role: Role) -> Role:
        """The user's role, if it is at least this one. Raises NotFound, NotAllowed."""
        found = self.role(user_id, account_id)
        if found.rank < role.rank:
            raise NotAllowed(
                "Only an owner of the account may do that."
                if role is Role.OWNER
                else "You are a viewer of this account and only read in it. An owner can make you a member."
            )
        return found

    def owns(self, caller: Caller) -> bool:
        """Whether the caller is an owner of the account they act for."""
        return self.roles.get((caller.account_id, caller.user_id)) is Role.OWNER

    def leave(self, caller: Caller) -> None:
        """End the caller's membership of the account they act for."""
        self.roles.pop((caller.account_id, caller.user_id), None)

    def change_plan(self, plan: Plan) -> None:
        """Make the plan of that name what this one says, for everybody who is on it."""
        self.plans[plan.name] = plan
        for standing in self._standings.values():
            if standing.plan.name == plan.name:
                standing.plan = plan

    def budgets_of(self, user_id: str, account_id: str) -> list[tuple[MemoryBudget, SpendingLimits, bool]]:
        """The user's and the account's, with what bounds each, and whether it is the account's."""
        standing, own = self.standing(user_id), self.limits.get(user_id, SpendingLimits())
        of_user = SpendingLimits(
            monthly_cost_limit_cents=smallest(standing.plan.monthly_cost_limit_cents, own.monthly_cost_limit_cents),
            monthly_token_limit=smallest(standing.plan.monthly_token_limit, own.monthly_token_limit),
        )
        of_account = self.account_budgets.setdefault(account_id, MemoryBudget())
        return [(standing.budget, of_user, False), (of_account, self.limits.get(account_id, SpendingLimits()), True)]

    def over_budget(self, user_id: str, account_id: str) -> Decision | None:
        """The refusal of the first budget that is reached."""
        for budget, limits, of_account in self.budgets_of(user_id, account_id):
            if (over := budget.reached(limits)) is not None:
                return self.standing(user_id).refuse(*over, of_account=of_account)
        return None

    @property
    def user_ids(self) -> list[str]:
        """In the order they came."""
        return list(self._standings)

    def standing(self, user_id: str) -> Standing:
        """Where the user stands, in the period that contains now. Raises NotFound."""
        standing = self._standings.get(user_id)
        if standing is None:
            raise not_found("user")
        while standing.period_end <= self.clock.now():
            standing.period_end += MONTH
            standing.monthly_sessions = standing.monthly_uploads = standing.monthly_renders = 0
            standing.budget = MemoryBudget()
            if not standing.counts_lifetime:
                standing.granted_sessions = 0
        return standing
