"""What a graph that runs elsewhere asks for its run, by the token of that run alone: no person, no key for programs."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header
from starlette.requests import HTTPConnection
from starlette.responses import Response, StreamingResponse

from server.edges.http.api_address import API
from server.edges.http.run_services import RunServices
from server.edges.http.services import services_of
from server.errors import BadRequest
from server.ports.invocations import CallCost
from server.protocol.client import Identifier
from server.protocol.events import TurnEvent
from server.protocol.run_steps import (
    CallEnd,
    CallRecorded,
    CallStart,
    RunSetup,
    StepFailed,
    StepName,
    StepRequest,
)

MAX_BODY_BYTES = 32 << 20
"""A state has the conversation and the results of all its tools."""

MOST_DOLLARS = 1_000_000
"""Of one call."""

routes = APIRouter(prefix=API, tags=["runs"], max_body_size=MAX_BODY_BYTES)


def _runs(connection: HTTPConnection) -> RunServices:
    return services_of(connection).runs


ForRuns = Annotated[RunServices, Depends(_runs)]


def _run_token(authorization: Annotated[str, Header()] = "") -> str | None:
    """The token of the header; a cookie counts for nothing here."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


RunToken = Annotated[str | None, Depends(_run_token)]


@routes.get("/runs/{run_id}")
async def setup(run_id: Identifier, token: RunToken, services: ForRuns) -> RunSetup:
    """What the model calls of the run need."""
    return await services.deployed.setup(run_id, token)


@routes.post("/runs/{run_id}/steps/{step}", response_class=StreamingResponse)
async def make_step(
    run_id: Identifier, step: StepName, body: StepRequest, token: RunToken, services: ForRuns
) -> StreamingResponse:
    """Make a step: a line of JSON for each event, then one with `update` or `failed`."""
    events = await services.deployed.step(
        run_id, token, step, body.state, models=body.models, page_result=body.page_result
    )
    return StreamingResponse(_lines(events), media_type="application/x-ndjson")


@routes.post("/runs/{run_id}/invocations", status_code=204)
async def begin_call(run_id: Identifier, body: CallStart, token: RunToken, services: ForRuns) -> None:
    """Keep the row of a model call that is about to be made, and hold what it may come to."""
    bound = CallCost(_dollars(body.bound_cost_usd), body.bound_tokens)
    await services.deployed.begin(run_id, token, body.invocation, bound)


@routes.put("/runs/{run_id}/invocations")
async def record_call(run_id: Identifier, body: CallEnd, token: RunToken, services: ForRuns) -> CallRecorded:
    """Keep what came of a model call, and settle it."""
    estimate = None
    if body.estimate_tokens is not None:
        estimate = CallCost(_dollars(body.estimate_cost_usd), body.estimate_tokens)
    return CallRecorded(budget_percent=await services.deployed.record(run_id, token, body.invocation, estimate))


@routes.get("/runs/{run_id}/pictures/{name}.png", response_class=Response)
async def picture(run_id: Identifier, name: str, token: RunToken, services: ForRuns) -> Response:
    """A picture that a tool call of the turn has drawn."""
    return Response(await services.deployed.picture(run_id, token, name), media_type="image/png")


async def _lines(events: AsyncGenerator[TurnEvent | dict[str, Any] | StepFailed]) -> AsyncIterator[str]:
    async with aclosing(events):
        async for one in events:
            if isinstance(one, StepFailed):
                line = {"failed": one.model_dump(by_alias=True)}
            elif isinstance(one, dict):
                line = {"update": one}
            else:
                line = {"event": one.model_dump(mode="json")}
            yield json.dumps(line) + "\n"


def _dollars(written: str | None) -> Decimal | None:
    try:
        value = None if written is None else Decimal(written)
    except InvalidOperation:
        raise BadRequest("The cost is no number.", field="cost") from None
    if value is not None and not (value.is_finite() and 0 <= value <= MOST_DOLLARS):
        raise BadRequest("The cost is no amount.", field="cost")
    return value
