"""Where handles are, over HTTP: what a click on a citation needs to move the chart there."""

import re
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query

from server.edges.http.services import CurrentCaller, ForTraces
from server.errors import BadRequest
from traces.analysis.places import places
from traces.model import Trace

routes = APIRouter(prefix="/traces", tags=["traces"])

MAX_HANDLES = 200
"""Handles resolved at once: more than an answer cites."""
ADDRESS = re.compile(r"#?(?:(p[0-9]{1,12})\.)?([fpns][0-9]{1,12})(?:\..{1,100})?")
"""A handle, alone or as the subject of a figure's address (`p1.f12.self`), with the thread that is its scope."""
Handles = Annotated[str, Query(description="at most 200 handles or addresses of figures, separated by commas")]


@routes.get("/{trace_id}/places")
async def all_places(
    trace_id: str, caller: CurrentCaller, services: ForTraces, handles: Handles = ""
) -> dict[str, Any]:
    """For each handle its profile, call path and moment, or why there is none, in order."""
    requested = handles.split(",") if handles else []
    if len(requested) > MAX_HANDLES:
        raise BadRequest(f"{len(requested)} handles are too many: at most {MAX_HANDLES} at once.", field="handles")
    _, opened = await services.library.open(caller, trace_id)
    answer: dict[str, Any] = await services.workers.ask(opened, places_json, requested)
    return answer


def places_json(trace: Trace, requested: list[str]) -> dict[str, Any]:
    """`{places}`: a row for each requested text, which is its `address`; what is none has a `problem`."""
    parsed = [ADDRESS.fullmatch(text.strip()[:200]) for text in requested]
    handles = [text[:40] if match is None else match[2] for text, match in zip(requested, parsed, strict=True)]
    scopes = [None if match is None else match[1] for match in parsed]
    rows = []
    for text, found in zip(requested, places(trace, handles, scopes=scopes), strict=True):
        rows.append({"address": text[:200]} | asdict(found))
    return {"places": rows}
