"""Traces over HTTP: upload, list, remove, ask."""

import hashlib
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import JSONResponse, Response

from rendering.palette import PaletteName
from server.edges.http.answers.function_list_answer import functions_json
from server.edges.http.api_address import API
from server.edges.http.diff_bytes import DiffViewQuery, diff_bytes
from server.edges.http.services import CurrentCaller, ForTraces, ForUploads
from server.edges.http.trace_pages import LIMIT, MAX_LIMIT, page_of, place_of
from server.edges.http.uploads import received
from server.edges.http.view_bytes import MAX_BOXES, VIEW_VERSION, Encoding, Mode, ViewQuery, view_bytes
from server.errors import BadRequest
from server.ports.run_labels import LONGEST_TEXT as LONGEST_LABEL
from server.ports.run_labels import MOST_LABELS, RunLabels, labels_of_form, written_labels
from server.ports.traces import TraceRow, TraceSearch
from traces.analysis.window import Window
from traces.cache import ENGINE_VERSION
from traces.handles import parse_handle
from traces.transforms.vocabulary import LONGEST_TEXT, parsed_transforms

routes = APIRouter(prefix=f"{API}/traces", tags=["traces"])

TransformsText = Annotated[
    str | None, Query(max_length=LONGEST_TEXT, description="other call trees: drop-function:f3,collapse-recursion")
]


def shown_summary(row: TraceRow) -> dict[str, Any]:
    """What a list shows of a trace; its findings have a route of their own."""
    return {key: value for key, value in row.summary.items() if key not in ("findings", "program")}


def trace_json(row: TraceRow) -> dict[str, Any]:
    """A trace as clients see it."""
    return {
        "traceId": row.trace_id,
        "name": row.name,
        "format": row.format,
        "unit": row.unit,
        "durationNs": row.duration_ns,
        "sizeBytes": row.size_bytes,
        "createdAt": row.created_at.isoformat(),
        "summary": shown_summary(row),
    } | row.run.as_json()


LONGEST_QUERY = 64 << 10
"""Of a label in an address: a longer one than labels may be is refused by its name."""
Labels = Annotated[
    list[Annotated[str, Field(max_length=LONGEST_QUERY)]] | None,
    Query(max_length=MOST_LABELS + 1, description="key:value, repeated: branch:main, commit:4f2a1c0, release:4.1"),
]


@routes.post("", status_code=201)
async def upload(
    request: Request,
    caller: CurrentCaller,
    services: ForUploads,
    upload_id: Annotated[str | None, Query(alias="upload", pattern="^[A-Za-z0-9_-]{1,64}$")] = None,
    label: Labels = None,
) -> JSONResponse:
    """Store a trace: the raw body with `?name=`, or a multipart field `file`. gzip, zstd and zip are opened. With an id
    of the sender's in `?upload=`, `GET /uploads` meanwhile reports its progress. `?label=`, or a form's field
    `labels` as JSON, says what run it is of."""
    given = written_labels(label or ())
    async with received(request, scratch=services.scratch, max_bytes=services.max_upload_bytes) as file:
        run = labels_of_form(file.labels, given)
        with services.uploads.hold(caller, upload_id, file):
            row = await services.library.add(caller, file.path, name=file.name, sha256=file.sha256, run=run)
    if services.gate_checks is not None:
        await services.gate_checks.note(caller, row.trace_id)
    return JSONResponse({"trace": trace_json(row)}, 201, {"Location": f"/api/v1/traces/{row.trace_id}"})


@routes.get("")
async def all_traces(
    caller: CurrentCaller,
    services: ForTraces,
    limit: Annotated[int | None, Query(ge=1, le=MAX_LIMIT)] = None,
    cursor: Annotated[str | None, Query(max_length=200)] = None,
    label: Labels = None,
    program: Annotated[str | None, Query(max_length=LONGEST_LABEL)] = None,
    since: datetime | None = None,
    q: Annotated[str | None, Query(max_length=LONGEST_LABEL, description="in a name, program or label")] = None,
) -> dict[str, Any]:
    """The caller's traces, newest first: all with their summaries, or with a limit or a search a page of what a list
    shows, and in `next` the cursor of the following one."""
    searches = any(one is not None for one in (label, program, since, q))
    if limit is None and not searches:
        if cursor is not None:
            raise BadRequest("A cursor needs a limit.", field="cursor")
        return {"traces": [trace_json(row) for row in await services.library.rows(caller)]}
    run = written_labels(label or ())
    named = RunLabels(run.labels, program or run.program)
    moment = since.replace(tzinfo=UTC) if since is not None and since.tzinfo is None else since
    criteria, most = TraceSearch(run=named, since=moment, text=q or None), limit or LIMIT
    return page_of(await services.library.search(caller, criteria, limit=most + 1, after=place_of(cursor)), most)


@routes.get("/{trace_id}")
async def one_trace(trace_id: str, caller: CurrentCaller, services: ForTraces) -> dict[str, Any]:
    return {"trace": trace_json(await services.library.row(caller, trace_id))}


@routes.delete("/{trace_id}", status_code=204)
async def remove(trace_id: str, caller: CurrentCaller, services: ForTraces) -> None:
    """Remove a trace with its conversations, pictures and bytes."""
    await services.library.remove(caller, trace_id)


@routes.get("/{trace_id}/summary")
async def summary(trace_id: str, caller: CurrentCaller, services: ForTraces) -> dict[str, Any]:
    return shown_summary(await services.library.row(caller, trace_id))


@routes.get("/{trace_id}/functions")
async def functions(
    trace_id: str,
    caller: CurrentCaller,
    services: ForTraces,
    sort_by: Annotated[Literal["self", "total"], Query(alias="sortBy")] = "self",
    limit: Annotated[int, Query(ge=1, le=1000)] = 15,
    offset: Annotated[int, Query(ge=0)] = 0,
    profile: str | None = None,
    transforms: TransformsText = None,
) -> dict[str, Any]:
    """Functions by self or total value; recursion is counted once. `transforms` of the answer is there where some were
    asked for."""
    _, opened = await services.library.open(caller, trace_id)
    answer: dict[str, Any] = await services.workers.ask(
        opened, functions_json, index_of(profile, "profile"), transforms, sort_by=sort_by, limit=limit, offset=offset
    )
    return answer


@routes.get("/{trace_id}/view")
async def view(
    request: Request,
    trace_id: str,
    caller: CurrentCaller,
    services: ForTraces,
    mode: Mode | Literal["diff"] = "time_order",
    profile: str | None = None,
    frame: str | None = None,
    start: float | None = None,
    end: float | None = None,
    max_boxes: Annotated[int, Query(alias="maxBoxes", ge=1, le=MAX_BOXES)] = MAX_BOXES,
    before: Annotated[str | None, Query(description="the other trace of a diff")] = None,
    before_profile: Annotated[str | None, Query(alias="beforeProfile")] = None,
    compare: Literal["values", "shares"] = "values",
    transforms: TransformsText = None,
    palette: PaletteName = "file",
) -> Response:
    """The boxes of a chart (see view_bytes). `start` and `end`, on the profile's axis, go together. A `diff` shows what
    changed from the trace `before` to this one (see diff_bytes); it takes no transforms."""
    if mode == "diff" and transforms:
        raise BadRequest("A comparison is of the recordings as they are: leave transforms out.", field="transforms")
    if (before is None) == (mode == "diff"):
        raise BadRequest("A diff needs the trace that was before, and only a diff takes one.", field="before")
    if (start is None) != (end is None):
        raise BadRequest("start and end go together.", field="start" if start is None else "end")
    if (frame is None) == (mode == "sandwich"):
        raise BadRequest("A sandwich needs a frame, and only a sandwich takes one.", field="frame")
    chosen = index_of(profile, "profile")
    row = await services.library.row(caller, trace_id)
    encoding = _encoding(request.headers.get("accept-encoding", ""))
    what = row.sha256
    query: ViewQuery | DiffViewQuery
    if mode == "diff":
        what += (await services.library.row(caller, before or "")).sha256
        first = index_of(before_profile, "profile")
        query = DiffViewQuery(profile=chosen, before_profile=first, compare=compare, max_boxes=max_boxes)
    else:
        query = ViewQuery(
            mode=mode,
            profile=chosen,
            frame=index_of(frame, "frame"),
            window=None if start is None or end is None else Window(start, end),
            max_boxes=max_boxes,
            transforms=parsed_transforms(transforms),
            palette=palette,
        )
    version = hashlib.sha256(f"{what} {ENGINE_VERSION} {VIEW_VERSION} {query} {encoding}".encode()).hexdigest()[:32]
    headers = {"ETag": f'"{version}"', "Cache-Control": "private, no-cache", "Vary": "Accept-Encoding"}
    if f'"{version}"' in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    _, opened = await services.library.open(caller, trace_id)
    if isinstance(query, DiffViewQuery):
        _, other = await services.library.open(caller, before or "")
        content = await services.workers.ask(opened, diff_bytes, other, query, encoding)
    else:
        content = await services.workers.ask(opened, view_bytes, query, encoding)
    if encoding != "identity":
        headers["Content-Encoding"] = encoding
    return Response(content, media_type="application/octet-stream", headers=headers)


def index_of(handle: str | None, kind: Literal["profile", "frame"]) -> int | None:
    """The number behind a handle of that kind. Raises BadRequest for another kind, UnknownHandle for no handle."""
    if handle is None:
        return None
    parsed = parse_handle(handle)
    if parsed.kind != kind:
        raise BadRequest(f"{handle} is not a {kind}: its handle looks like {kind[0]}0.", field=kind)
    return parsed.index


def _encoding(accepted: str) -> Encoding:
    offered = {part.partition(";")[0].strip().lower() for part in accepted.split(",")}
    return "zstd" if "zstd" in offered else "gzip" if "gzip" in offered else "identity"
