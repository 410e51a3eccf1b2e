"""A stored trace as another tool's file."""

import re
import tempfile
from collections.abc import Iterator
from typing import IO

from fastapi import APIRouter
from starlette.responses import StreamingResponse

from server.edges.http.answers.export_answer import write_export
from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForUploads
from server.edges.http.trace_routes import index_of
from traces.export.targets import Target

routes = APIRouter(prefix=f"{API}/traces", tags=["traces"])

ENDINGS: dict[Target, str] = {
    "speedscope": "speedscope.json.gz",
    "chrome": "trace.json.gz",
    "collapsed": "collapsed.txt.gz",
    "pprof": "pb.gz",
}
PIECE_BYTES = 256 << 10


@routes.get("/{trace_id}/export", response_class=StreamingResponse)
async def exported(
    trace_id: str,
    caller: CurrentCaller,
    services: ForUploads,
    format: Target = "speedscope",  # noqa: A002
    profile: str | None = None,
) -> StreamingResponse:
    """The trace, or one profile of it, as a compressed file of another format; 400 for what that format cannot hold."""
    chosen = index_of(profile, "profile")
    row, opened = await services.library.open(caller, trace_id)
    file = tempfile.NamedTemporaryFile(dir=services.scratch, prefix="export-")  # noqa: SIM115 closed when it was sent
    try:
        await services.workers.ask(opened, write_export, format, chosen, file.name)
    except BaseException:
        file.close()
        raise
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", row.name)[:60].strip("-.") or "trace"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}.{ENDINGS[format]}"',
        "Cache-Control": "private, no-store",
    }
    return StreamingResponse(_pieces(file), media_type="application/gzip", headers=headers)


def _pieces(file: "tempfile._TemporaryFileWrapper[bytes] | IO[bytes]") -> Iterator[bytes]:
    """The file, which goes when it was sent or its reader left."""
    with file:
        while piece := file.read(PIECE_BYTES):
            yield piece
