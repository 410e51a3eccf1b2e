"""Views whose address is too long, over HTTP: their long parts are kept under a short id, and read by links."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForTraces
from server.edges.http.shared import Reader
from server.ports.kept_views import LONGEST_SEARCH, LONGEST_TRANSFORMS
from server.protocol.base import WireModel

MAX_BODY_BYTES = 64 << 10
"""Many times the longest parts."""

routes = APIRouter(prefix=API, tags=["views"], max_body_size=MAX_BODY_BYTES)


class ViewParts(WireModel):
    """As the address has them: `transforms=` and `find=`."""

    transforms: Annotated[str, Field(max_length=LONGEST_TRANSFORMS)] = ""
    find: Annotated[str, Field(max_length=LONGEST_SEARCH)] = ""


@routes.post("/traces/{trace_id}/views", status_code=201)
async def keep(trace_id: str, body: ViewParts, caller: CurrentCaller, services: ForTraces) -> dict[str, str]:
    """Keep them; `viewId` is the same for the same parts. Of a trace the 200 that were used last stay."""
    return {"viewId": await services.keeping.keep(caller, trace_id, body.transforms, body.find)}


@routes.get("/traces/{trace_id}/views/{view_id}")
async def kept(trace_id: str, view_id: str, caller: CurrentCaller, services: ForTraces) -> dict[str, str]:
    parts = await services.keeping.read(caller, trace_id, view_id)
    return {"transforms": parts.transforms, "find": parts.find}


@routes.get("/shared/{token}/views/{view_id}")
async def shared_view(view_id: str, reader: Reader, services: ForTraces) -> dict[str, str]:
    """The same as for a trace of one's own."""
    return await kept(reader.row.trace_id, view_id, reader.caller, services)
