"""A call tree over HTTP, a level at a time: what a call path calls, or who calls a function."""

import re
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from server.edges.http.answers.call_tree_answer import levels_json
from server.edges.http.api_address import API
from server.edges.http.function_table_routes import window_of
from server.edges.http.services import CurrentCaller, ForTraces
from server.edges.http.trace_routes import TransformsText, index_of
from server.errors import BadRequest
from traces.handles import ALL

routes = APIRouter(prefix=f"{API}/traces", tags=["traces"])

MOST_ROWS = 1_000
CALLERS = re.compile(r"f[0-9]{1,10}(\.f[0-9]{1,10})*")
Callers = Annotated[
    str | None, Query(description="a function, its caller, that one's, and so on: `f7.f3`", max_length=50_000)
]
TreeProfile = Annotated[str | None, Query(description="a profile's handle, or `all` for all added up")]
Order = Literal["callees", "callers"]
Limit = Annotated[int, Query(ge=1, le=MOST_ROWS)]
Offset = Annotated[int, Query(ge=0)]


@routes.get("/{trace_id}/call-tree")
async def call_tree_level(
    trace_id: str,
    caller: CurrentCaller,
    services: ForTraces,
    profile: TreeProfile = None,
    order: Order = "callees",
    node: str | None = None,
    callers: Callers = None,
    limit: Limit = 200,
    offset: Offset = 0,
    start: float | None = None,
    end: float | None = None,
    transforms: TransformsText = None,
) -> dict[str, Any]:
    """What the call path `node` calls (without one: where stacks begin), or in the order `callers` the functions by
    what they spent themselves, or who called what `callers` names; then the levels below while each is one row.
    Transforms change the tree; `order` alone says which way it is read."""
    if callers is not None and not CALLERS.fullmatch(callers):
        raise BadRequest("callers are functions with points between them: f7.f3.", field="callers")
    chosen = ALL if profile == "all" else index_of(profile, "profile")
    path = tuple(int(one[1:]) for one in callers.split(".")) if callers else ()
    window = window_of(start, end)
    _, opened = await services.library.open(caller, trace_id)
    answer: dict[str, Any] = await services.workers.ask(
        opened,
        levels_json,
        chosen,
        node,
        path,
        window,
        transforms,
        inverted=order == "callers",
        limit=limit,
        offset=offset,
    )
    return answer
