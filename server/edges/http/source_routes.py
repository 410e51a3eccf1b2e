"""The lines of a function's source over HTTP, from the one folder that the settings name. Not behind links: they show a
trace, not files of the server."""

from typing import Any

import anyio.to_thread
from fastapi import APIRouter

from server.agent.tools.sources.source_files import excerpt
from server.edges.http.answers.frame_answer import place_of_frame
from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForTraces
from server.quoting import plain

routes = APIRouter(prefix=f"{API}/traces", tags=["traces"])

LINES_AROUND = 6
LONGEST_LINE = 300


@routes.get("/{trace_id}/source")
async def source(trace_id: str, caller: CurrentCaller, services: ForTraces, frame: str | None = None) -> dict[str, Any]:
    """The lines around a function where a folder of sources is set and a file of it fits; `file` is null otherwise.
    `line` is null where the trace names none: then the lines are the file's first."""
    _, opened = await services.library.open(caller, trace_id)
    folder = services.source_folder
    nothing: dict[str, Any] = {"folder": folder is not None, "file": None, "line": None, "lines": [], "others": []}
    if folder is None or frame is None:
        return nothing
    file, line = await services.workers.ask(opened, place_of_frame, frame)
    found = None if file is None else await anyio.to_thread.run_sync(excerpt, folder, file, line, LINES_AROUND)
    if found is None:
        return nothing
    lines = [
        {"number": at, "text": plain(text.expandtabs(4), LONGEST_LINE)}
        for at, text in enumerate(found.lines, found.first)
    ]
    others = [plain(other) for other in found.others]
    return nothing | {"file": plain(found.file), "line": line, "lines": lines, "others": others}
