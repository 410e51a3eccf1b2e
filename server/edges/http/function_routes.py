"""One function over HTTP: who calls it, what it calls, how long its calls took; the arguments and flows of a call."""

from typing import Any

from fastapi import APIRouter

from server.edges.http.answers.function_answer import arguments_json, flows_json, function_json, has_arguments
from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForTraces
from server.edges.http.trace_routes import TransformsText, index_of

routes = APIRouter(prefix=f"{API}/traces", tags=["traces"])


@routes.get("/{trace_id}/function")
async def one_function(
    trace_id: str,
    caller: CurrentCaller,
    services: ForTraces,
    frame: str | None = None,
    profile: str | None = None,
    transforms: TransformsText = None,
) -> dict[str, Any]:
    """Callers and callees of a function in a thread, the eight heaviest of each, and how long its calls took; without a
    function those of the heaviest."""
    chosen = index_of(profile, "profile")
    _, opened = await services.library.open(caller, trace_id)
    answer: dict[str, Any] = await services.workers.ask(opened, function_json, frame, chosen, transforms)
    return answer


@routes.get("/{trace_id}/call")
async def one_call(
    trace_id: str, caller: CurrentCaller, services: ForTraces, call: str | None = None
) -> dict[str, Any]:
    """The arguments of a call, at most 30 of 300 characters, read from the upload; `recorded` says whether the file has
    some."""
    _, opened = await services.library.open(caller, trace_id)
    if call is None or not await services.workers.ask(opened, has_arguments, call):
        return {"recorded": False, "arguments": []}
    async with services.library.upload(caller, trace_id) as upload:  # only now: it is copied from where it is stored
        return {"recorded": True, "arguments": await services.workers.ask(opened, arguments_json, call, upload)}


@routes.get("/{trace_id}/flows")
async def flows_of_call(
    trace_id: str, caller: CurrentCaller, services: ForTraces, call: str | None = None
) -> dict[str, Any]:
    """The arrows of flows that leave a call or arrive at it, the earliest 50."""
    _, opened = await services.library.open(caller, trace_id)
    if call is None:
        return {"count": 0, "arrows": []}
    answer: dict[str, Any] = await services.workers.ask(opened, flows_json, call)
    return answer
