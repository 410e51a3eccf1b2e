"""What this process counts of itself, for a monitor."""

import hmac

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from server.edges.http.admin import administrator
from server.edges.http.services import ForServer, access_token, caller_of

routes = APIRouter(tags=["health"])

EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"
"""https://prometheus.io/docs/instrumenting/exposition_formats/"""


@routes.get("/metrics", response_class=PlainTextResponse)
async def metrics(request: Request, services: ForServer) -> PlainTextResponse:
    """Prometheus' text format, for an administrator or the bearer of the monitor's own token. Raises NotAuthenticated,
    NotAllowed."""
    expected, given = services.metrics_token, access_token(request)
    if expected is None or given is None or not hmac.compare_digest(given.encode(), expected.encode()):
        await administrator(await caller_of(request))
    return PlainTextResponse(services.metrics(), media_type=EXPOSITION)
