"""Plans and users over HTTP, for administrators."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import AfterValidator, Field

from limits.administration import Author
from limits.plans import OverBudget, Plan, SessionsPeriod
from limits.refusals import LimitType
from limits.usage import Forecast
from server.agent.tools.all_tools import known_tool
from server.edges.http.accounts import PlanView, UsageView
from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForPlans, caller_of
from server.errors import NotAllowed
from server.ports.identity import Caller
from server.protocol.base import WireModel

MAX_BODY_BYTES = 64 << 10

Reason = Annotated[str, Field(max_length=2000)] | None
Ceiling = Annotated[int, Field(ge=0, lt=1 << 31)] | None

ModelName = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\s,]+$")]
ToolName = Annotated[str, AfterValidator(known_tool)]


class PlanChanges(WireModel):
    """What is absent stays; null is unlimited."""

    display_name: Annotated[str, Field(min_length=1, max_length=100)] = ""
    price_monthly_cents: Annotated[int, Field(ge=0, lt=1 << 31)] = 0
    chat_messages_per_session: Ceiling = None
    chat_sessions_limit: Ceiling = None
    chat_sessions_period: SessionsPeriod | None = None
    monthly_upload_limit: Ceiling = None
    total_trace_limit: Ceiling = None
    retention_days: Ceiling = None
    monthly_cost_limit_cents: Ceiling = None
    monthly_token_limit: Ceiling = None
    turn_token_limit: Annotated[int, Field(ge=1, lt=1 << 31)] | None = None
    api_keys_limit: Ceiling = None
    api_requests_per_minute: Annotated[int, Field(ge=1, lt=1 << 31)] | None = None
    monthly_render_limit: Ceiling = None
    over_budget: OverBudget = OverBudget.REFUSE
    allow_public_sharing: bool = False
    hidden_tools: tuple[ToolName, ...] = ()
    chat_models: tuple[ModelName, ...] = ()
    reason: Reason = None

    @property
    def changes(self) -> dict[str, object]:
        return self.model_dump(exclude_unset=True, exclude={"reason"})


class NewPlan(PlanChanges):
    name: str
    display_name: Annotated[str, Field(min_length=1, max_length=100)]


class Why(WireModel):
    reason: Reason = None


class PlanChoice(Why):
    plan: str


class Grant(Why):
    sessions: int


class ForecastView(WireModel):
    """How many of `users` could not begin something, now and then; and then by which limit. How many of their
    conversations take no more messages, now and then."""

    users: int
    reached_now: int
    reached_then: int
    by_limit: dict[LimitType, int]
    full_now: int
    full_then: int

    @classmethod
    def of(cls, forecast: Forecast) -> "ForecastView":
        return cls.model_validate(asdict(forecast))


class UserPage(WireModel):
    """Some of the users; `next_offset` is where the others begin, null when these are the last."""

    users: list[UsageView]
    next_offset: int | None


class ChangeView(WireModel):
    changed_at: datetime
    changed_by: str | None
    user_id: str | None
    plan_name: str | None
    action: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    reason: str | None


async def administrator(caller: Annotated[Caller, Depends(caller_of)]) -> None:
    """Raises NotAllowed."""
    if not caller.is_administrator:
        raise NotAllowed("Only an administrator of this server may do that.")


routes = APIRouter(
    prefix=f"{API}/admin", tags=["admin"], dependencies=[Depends(administrator)], max_body_size=MAX_BODY_BYTES
)


@routes.get("/plans")
async def plans(services: ForPlans) -> dict[str, list[PlanView]]:
    """All plans, retired ones too."""
    return {"plans": [PlanView.of(plan) for plan in await services.administration.plans()]}


@routes.get("/plans/{name}")
async def plan(name: str, services: ForPlans) -> dict[str, PlanView]:
    return {"plan": PlanView.of(await services.administration.plan(name))}


@routes.post("/plans", status_code=201)
async def create_plan(new: NewPlan, caller: CurrentCaller, services: ForPlans) -> dict[str, PlanView]:
    made = Plan(**new.model_dump(exclude={"reason"}))
    return {"plan": PlanView.of(await services.administration.create_plan(made, _author(caller, new.reason)))}


@routes.patch("/plans/{name}")
async def change_plan(name: str, change: PlanChanges, caller: CurrentCaller, services: ForPlans) -> dict[str, PlanView]:
    """Binds the next prompt of everybody who is on the plan."""
    author = _author(caller, change.reason)
    return {"plan": PlanView.of(await services.administration.change_plan(name, change.changes, author))}


@routes.post("/plans/{name}/forecast")
async def foresee_change(name: str, change: PlanChanges, services: ForPlans) -> dict[str, ForecastView]:
    """What that change would do; changes nothing."""
    return {"forecast": ForecastView.of(await services.administration.foresee_change(name, change.changes))}


@routes.post("/plans/{name}/retire")
async def retire_plan(name: str, why: Why, caller: CurrentCaller, services: ForPlans) -> dict[str, PlanView]:
    """It takes nobody new; who is on it stays."""
    author = _author(caller, why.reason)
    return {"plan": PlanView.of(await services.administration.retire_plan(name, author))}


@routes.get("/users")
async def users(
    services: ForPlans,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> UserPage:
    """Where users stand, oldest first."""
    found = await services.administration.usages(limit=limit + 1, offset=offset)
    users = [UsageView.of(usage) for usage in found[:limit]]
    return UserPage(users=users, next_offset=offset + limit if len(found) > limit else None)


@routes.get("/users/{user_id}")
async def user(user_id: str, services: ForPlans) -> dict[str, UsageView]:
    return {"user": UsageView.of(await services.administration.usage(user_id))}


@routes.put("/users/{user_id}/plan")
async def put_on_plan(
    user_id: str, choice: PlanChoice, caller: CurrentCaller, services: ForPlans
) -> dict[str, UsageView]:
    """The counters are kept."""
    author = _author(caller, choice.reason)
    return {"user": UsageView.of(await services.administration.put_on_plan(user_id, choice.plan, author))}


@routes.post("/users/{user_id}/plan/forecast")
async def foresee_plan(user_id: str, choice: PlanChoice, services: ForPlans) -> dict[str, ForecastView]:
    """What that plan would mean for the user; changes nothing."""
    return {"forecast": ForecastView.of(await services.administration.foresee_plan(user_id, choice.plan))}


@routes.post("/users/{user_id}/grant")
async def grant(user_id: str, given: Grant, caller: CurrentCaller, services: ForPlans) -> dict[str, UsageView]:
    """Sessions on top of the plan."""
    author = _author(caller, given.reason)
    return {"user": UsageView.of(await services.administration.grant_sessions(user_id, given.sessions, author))}


@routes.post("/users/{user_id}/reset")
async def reset(user_id: str, why: Why, caller: CurrentCaller, services: ForPlans) -> dict[str, UsageView]:
    """All counters at zero."""
    author = _author(caller, why.reason)
    return {"user": UsageView.of(await services.administration.reset_usage(user_id, author))}


@routes.get("/changes")
async def changes(services: ForPlans, limit: Annotated[int, Query(ge=1, le=500)] = 100) -> dict[str, list[ChangeView]]:
    """The audit, newest first."""
    found = await services.administration.changes(limit=limit)
    return {"changes": [ChangeView.model_validate(asdict(change)) for change in found]}


def _author(caller: Caller, reason: str | None) -> Author:
    return Author(user_id=caller.user_id, reason=reason)
