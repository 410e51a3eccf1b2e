"""What model calls were and cost: of one's own turns, and everybody's for administrators."""

import base64
import binascii
from dataclasses import asdict, fields
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from pydantic import Field
from starlette.responses import Response

from server.edges.http.admin import administrator
from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForPlans
from server.edges.invocation_views import ANALYST_NOTE, as_csv, row_of
from server.errors import BadRequest
from server.ports.invocations import (
    Invocation,
    InvocationCursor,
    InvocationFilter,
    Outcome,
    PromptOutcome,
    Purpose,
    Spend,
    SpendBy,
)
from server.protocol.base import WireModel

routes = APIRouter(prefix=API, tags=["accounts"])
admin_routes = APIRouter(prefix=f"{API}/admin", tags=["admin"], dependencies=[Depends(administrator)])

MOST_ROWS = 500
Id = Annotated[str | None, Query(max_length=36)]


class InvocationView(WireModel):
    """One attempt of a model call. Tokens, cost and times are null where they are not known; `endedAt` is null while it
    runs; `flags` is what was decided for its turn, null for what is as for everybody."""

    invocation_id: str
    account_id: str
    user_id: str
    session_id: str | None
    turn_id: str | None
    attempt: int
    call_number: int
    try_number: int
    purpose: Purpose
    executor: str
    provider: str | None
    model_asked: str
    model_answered: str | None
    provider_request_id: str | None
    request_id: str | None
    request_trace_id: str | None
    api_key_id: str | None
    observation_trace_id: str | None
    graph_run_id: str | None
    graph_name: str | None
    graph_version: str | None
    prompt_version: str | None
    prompt_hash: str | None
    prompt_hash_version: str | None
    input_tokens: int | None
    cached_input_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    pictures: int
    tools_offered: int
    tool_calls: int | None
    cost_usd: float | None
    price_version: str | None
    first_token_ms: float | None
    duration_ms: float | None
    outcome: Outcome
    error_code: str | None
    started_at: datetime
    ended_at: datetime | None
    flags: str | None

    @classmethod
    def of(cls, invocation: Invocation) -> "InvocationView":
        return cls.model_validate(row_of(invocation))


class InvocationPage(WireModel):
    """Newest first; `next` is the cursor of what follows, null at the end."""

    invocations: list[InvocationView]
    next: str | None


class SpendView(WireModel):
    """Sums of one `key`. `costUsd` is that of the calls whose cost is known, null where it is of none;
    `unpricedCalls` are not in it."""

    key: str
    calls: int
    failed_calls: int
    unpriced_calls: int
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    reasoning_tokens: int
    cost_usd: float | None


class PromptOutcomeView(WireModel):
    """How the turns of one version of the prompt came out. `verifiedShare` is of the claims that their answers make,
    null without any; seconds are from the prompt to the stored end."""

    prompt_version: str
    turns: int
    completed: int
    median_seconds: float
    p95_seconds: float
    claims: int
    verified_share: float | None
    thumbs_up: int
    thumbs_down: int


class SpendReport(WireModel):
    """Days are in UTC and complete. `note` says what is in no row; `outcomes` are those of each version of the prompt,
    where the report is by it."""

    by: SpendBy
    since: datetime | None
    until: datetime | None
    spend: list[SpendView]
    note: str
    outcomes: list[PromptOutcomeView] = Field(default_factory=list)


@routes.get("/me/invocations")
async def my_invocations(
    caller: CurrentCaller, services: ForPlans, turn: Annotated[str, Query(max_length=36)]
) -> dict[str, list[InvocationView]]:
    """The caller's own model calls of a turn in their order; none where the built-in analyst answered."""
    turn_id = await services.conversation.own_turn_id(caller, turn)
    found = await services.invocations.of_turn(caller, turn_id)
    return {"invocations": [InvocationView.of(one) for one in found]}


@admin_routes.get("/invocations", response_model=InvocationPage)
async def invocations(
    services: ForPlans,
    since: datetime | None = None,
    until: datetime | None = None,
    account: Id = None,
    user: Id = None,
    session: Id = None,
    turn: Id = None,
    model: Annotated[str | None, Query(max_length=200)] = None,
    purpose: Purpose | None = None,
    outcome: Outcome | None = None,
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = 100,
    cursor: Annotated[str | None, Query(max_length=200)] = None,
    form: Annotated[Literal["json", "csv"], Query(alias="format")] = "json",
) -> InvocationPage | Response:
    """Everybody's model calls, newest first; `format=csv` is the same page as a table, whose next cursor is in the
    header `X-Next-Cursor`."""
    chosen = InvocationFilter(
        since=with_zone(since, "since"),
        until=with_zone(until, "until"),
        account_id=account,
        user_id=user,
        session_id=session,
        turn_id=turn,
        model=model,
        purpose=purpose,
        outcome=outcome,
    )
    after = None if cursor is None else place_of(cursor)
    found = await services.invocations.page(chosen, limit=limit + 1, after=after)
    shown = found[:limit]
    following = cursor_of(shown[-1]) if len(found) > limit else None
    if form == "csv":
        names = [one.name for one in fields(Invocation)]
        table = _table(as_csv(names, map(row_of, shown)), "invocations")
        table.headers.update({} if following is None else {"X-Next-Cursor": following})
        return table
    return InvocationPage(invocations=[InvocationView.of(one) for one in shown], next=following)


@admin_routes.get("/spend", response_model=SpendReport)
async def spend(
    services: ForPlans,
    by: SpendBy = SpendBy.DAY,
    since: datetime | None = None,
    until: datetime | None = None,
    form: Annotated[Literal["json", "csv"], Query(alias="format")] = "json",
) -> SpendReport | Response:
    """What model calls came to over complete days (UTC), those of `since` and `until` included."""
    since, until = with_zone(since, "since"), with_zone(until, "until")
    found = await services.invocations.spend(by, since=since, until=until)
    if form == "csv":
        return _table(as_csv([one.name for one in fields(Spend)], map(row_of, found)), f"spend-by-{by}")
    rows = [SpendView.model_validate(row_of(one)) for one in found]
    outcomes = []
    if by is SpendBy.PROMPT:
        outcomes = [_outcome(one) for one in await services.invocations.prompt_outcomes(since=since, until=until)]
    return SpendReport(by=by, since=since, until=until, spend=rows, note=ANALYST_NOTE, outcomes=outcomes)


def _outcome(one: PromptOutcome) -> PromptOutcomeView:
    values = asdict(one)
    verified = values.pop("verified_claims")
    return PromptOutcomeView(**values, verified_share=verified / one.claims if one.claims else None)


def with_zone(at: datetime | None, field: str) -> datetime | None:
    """The time as it is. Raises BadRequest for one without a zone: whose midnight it is nobody knows."""
    if at is not None and at.tzinfo is None:
        raise BadRequest(f"{field} needs a zone: 2026-01-31T00:00:00Z.", field=field)
    return at


def cursor_of(invocation: Invocation) -> str:
    """What follows this row, in a form that no client reads."""
    place = f"{invocation.started_at.isoformat()}/{invocation.invocation_id}"
    return base64.urlsafe_b64encode(place.encode()).decode().rstrip("=")


def place_of(cursor: str) -> InvocationCursor:
    """Raises BadRequest."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        at, _, invocation_id = base64.b64decode(padded, altchars=b"-_", validate=True).decode().partition("/")
        started_at = datetime.fromisoformat(at)
    except (binascii.Error, ValueError) as error:
        raise BadRequest("This cursor is none that a list of model calls gave.", field="cursor") from error
    if started_at.tzinfo is None or len(invocation_id) != len("00000000-0000-0000-0000-000000000000"):
        raise BadRequest("This cursor is none that a list of model calls gave.", field="cursor")
    return InvocationCursor(started_at, invocation_id)


def _table(text: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)
