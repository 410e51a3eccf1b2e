"""A search over all threads of a trace, over HTTP: how much matches in each, and a list over all of them."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from server.edges.http.answers.thread_search_answer import Syntax, search_json
from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForTraces

routes = APIRouter(prefix=f"{API}/traces", tags=["traces"])

MOST_MATCHES = 1_000
Words = Annotated[str, Query(description="text in names or files, or an expression", max_length=500)]


@routes.get("/{trace_id}/thread-search")
async def thread_search(
    trace_id: str,
    caller: CurrentCaller,
    services: ForTraces,
    words: Words = "",
    syntax: Syntax = "text",
    limit: Annotated[int, Query(ge=1, le=MOST_MATCHES)] = 500,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> dict[str, Any]:
    """Threads with functions whose name or file has the words, any case, and a list of these over all threads. In
    the syntax `regex` the words are a regular expression as Python has them."""
    _, opened = await services.library.open(caller, trace_id)
    answer: dict[str, Any] = await services.workers.ask(opened, search_json, words, syntax, limit, offset)
    return answer
