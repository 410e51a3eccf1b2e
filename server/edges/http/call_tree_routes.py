"""A call tree over HTTP, a level at a time: what a call path calls, or who calls a function."""

import re
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from server.agent.tools.contract.transforming import changed_by
from server.edges.http.function_table_routes import window_of
from server.edges.http.services import CurrentCaller, ForTraces
from server.edges.http.trace_routes import TransformsText, index_of
from server.errors import BadRequest
from server.quoting import clamp
from traces.analysis.tree_children import TreeLevel, tree_children
from traces.analysis.window import Window
from traces.handles import ALL, ProfileChoice
from traces.model import Trace
from traces.transforms.vocabulary import parsed_transforms

routes = APIRouter(prefix="/traces", tags=["traces"])

LONGEST_NAME = 2_000
"""Of a row; a longer name is sent without its middle."""
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


def levels_json(
    trace: Trace,
    profile: ProfileChoice,
    node: str | None,
    path: tuple[int, ...],
    window: Window | None,
    transforms: str | None,
    *,
    inverted: bool,
    limit: int,
    offset: int,
) -> dict[str, Any]:
    """`{levels, unit, scopeTotal, counted}`. Raises UnknownHandle, InvalidQuestion, NoTimes."""
    of = profile if profile is None or profile == ALL else f"p{profile}"
    trace = changed_by(trace, parsed_transforms(transforms).upright, of).trace
    found = tree_children(
        trace,
        profile=profile,
        below=node,
        callers_of=path,
        inverted=inverted,
        window=window,
        limit=limit,
        offset=offset,
    )
    return {
        "levels": [_level(trace, level) for level in found.levels],
        "unit": found.unit,
        "scopeTotal": found.scope_total,
        "counted": found.counted,
    }


def _level(trace: Trace, level: TreeLevel) -> dict[str, Any]:
    rows = [
        {
            "node": row.node,
            "frame": f"f{row.frame}",
            "name": clamp(trace.frame_name(row.frame), LONGEST_NAME),
            "file": clamp(trace.frame_file(row.frame) or "", LONGEST_NAME) or None,
            "line": trace.frame_line(row.frame),
            "self": row.self_value,
            "total": row.total_value,
            "count": row.count,
            "hasChildren": row.has_children,
        }
        for row in level.rows
    ]
    return {"rows": rows, "moreRows": level.more_rows, "moreValue": level.more_value}
