"""What run a trace is of, changed over HTTP."""

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForTraces
from server.edges.http.trace_routes import trace_json
from server.ports.run_labels import MOST_LABELS
from server.protocol.base import WireModel

MAX_BODY_BYTES = 64 << 10
"""Many times the longest labels."""

routes = APIRouter(prefix=API, tags=["traces"], max_body_size=MAX_BODY_BYTES)


class LabelChanges(WireModel):
    """Labels to set, and with null to take off; a program is the label `program`."""

    labels: Annotated[dict[str, str | None], Field(max_length=4 * MOST_LABELS)]


@routes.patch("/traces/{trace_id}")
async def relabel(trace_id: str, changes: LabelChanges, caller: CurrentCaller, services: ForTraces) -> dict[str, Any]:
    """Change what run a trace is said to be of."""
    return {"trace": trace_json(await services.library.label(caller, trace_id, changes.labels))}
