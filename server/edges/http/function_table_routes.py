"""The functions of a thread, of all threads added up or of each, over HTTP: what the page's table sorts and filters."""

import hashlib
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from server.edges.http.answers.function_table_answer import Each, table_bytes
from server.edges.http.api_address import API
from server.edges.http.content_encoding import accepted
from server.edges.http.services import CurrentCaller, ForTraces
from server.edges.http.trace_routes import TransformsText, index_of
from server.edges.http.view_bytes import Encoding
from server.errors import BadRequest
from traces.analysis.window import Window
from traces.cache import ENGINE_VERSION

routes = APIRouter(prefix=f"{API}/traces", tags=["traces"])

TABLE_VERSION = "1"
"""Changes with the answer's content, so that no client is answered that what it has is still right."""
TableProfile = Annotated[
    str | None, Query(description="a profile's handle, `all` for all added up, `each` for a row a thread")
]


@routes.get("/{trace_id}/function-table")
async def function_table(
    request: Request,
    trace_id: str,
    caller: CurrentCaller,
    services: ForTraces,
    profile: TableProfile = None,
    start: float | None = None,
    end: float | None = None,
    transforms: TransformsText = None,
) -> Response:
    """Every function of a thread (or of all, or of each), as columns of equal length, heaviest by self first;
    with transforms those of the changed call trees."""
    window = window_of(start, end)
    chosen = _chosen(profile)
    row = await services.library.row(caller, trace_id)
    encoding = encoding_of(request)
    asked = f"functions {row.sha256} {ENGINE_VERSION} {TABLE_VERSION} {chosen} {window} {transforms} {encoding}"
    headers = headers_of(asked, encoding)
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    _, opened = await services.library.open(caller, trace_id)
    content = await services.workers.ask(opened, table_bytes, chosen, window, transforms, encoding)
    return Response(content, media_type="application/json", headers=headers)


def _chosen(profile: str | None) -> int | Each | None:
    match profile:
        case "all" | "each":
            return profile
        case _:
            return index_of(profile, "profile")


def window_of(start: float | None, end: float | None) -> Window | None:
    """Raises BadRequest for one without the other, InvalidQuestion for an empty one."""
    if (start is None) != (end is None):
        raise BadRequest("start and end go together.", field="start" if start is None else "end")
    return None if start is None or end is None else Window(start, end)


def encoding_of(request: Request) -> Encoding:
    """What a worker compresses an answer with."""
    found = accepted(request.headers.get("accept-encoding", ""), ("zstd", "gzip"))
    return "zstd" if found == "zstd" else "gzip" if found == "gzip" else "identity"


def headers_of(asked: str, encoding: Encoding) -> dict[str, str]:
    """Those of an answer that stays right for as long as what was asked is the same."""
    version = hashlib.sha256(asked.encode()).hexdigest()[:32]
    headers = {"ETag": f'"{version}"', "Cache-Control": "private, no-cache", "Vary": "Accept-Encoding"}
    return headers if encoding == "identity" else headers | {"Content-Encoding": encoding}
