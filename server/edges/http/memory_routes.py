"""What the caller's account remembers: read, edited with the version that was read, with its changes."""

import re
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Header, Query, Request
from pydantic import Field
from starlette.responses import JSONResponse, Response

from server.agent.memory.fact_likeness import in_conflict
from server.edges.http.api_address import API
from server.edges.http.problems import problem
from server.edges.http.services import CurrentCaller, ForMemory
from server.errors import BadRequest
from server.ports.core_memory import MOST_CHARACTERS, Memory, MemoryChange, MemoryChanged, Verdict
from server.ports.memories import MOST_TEXT, MemoryKind, MemoryRow, Sought
from server.protocol.base import WireModel
from server.protocol.client import Identifier
from server.protocol.server import MemoryChanged as DecidedMessage

MOST_EXPORTED = 100_000
MAX_BODY_BYTES = 64 << 10
"""Many times the longest text that is kept."""

routes = APIRouter(prefix=API, tags=["memory"], max_body_size=MAX_BODY_BYTES)


class CoreMemoryText(WireModel):
    """Facts, one a line."""

    text: Annotated[str, Field(max_length=4 * MOST_CHARACTERS)]


class ConflictView(WireModel):
    """Two facts of which one may stand for the other."""

    older: str
    newer: str


class CoreMemoryView(WireModel):
    """`version` is what a change names; `writes` says who decides on what an answer proposes."""

    text: str
    version: int
    updated_at: datetime | None
    most_characters: int
    writes: Literal["ask", "auto", "off"]
    conflicts: list[ConflictView]

    @classmethod
    def of(cls, memory: Memory, writes: Literal["ask", "auto", "off"]) -> Self:
        return cls(
            text=memory.text,
            version=memory.version,
            updated_at=memory.updated_at,
            most_characters=MOST_CHARACTERS,
            writes=writes,
            conflicts=[ConflictView(older=one, newer=other) for one, other in in_conflict(memory.facts)],
        )


class MemoryDecision(WireModel):
    """`text` is the person's own for `edit`."""

    proposal_id: Identifier
    decision: Literal["keep", "edit", "no"]
    text: Annotated[str, Field(max_length=1000)] | None = None


class MemoryText(WireModel):
    text: Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]


class MemoryView(WireModel):
    """`mine` is false for what all of the account may read; `near` is how near it is to the query, from 0 to 1;
    `supersededBy` names a newer one that it does not go with."""

    memory_id: str
    kind: MemoryKind
    text: str
    source: str
    created_at: datetime
    mine: bool
    trace_id: str | None
    trace: str | None
    session_id: str | None
    superseded_by: str | None
    near: float | None = None

    @classmethod
    def of(cls, memory: MemoryRow, *, near: float | None = None) -> Self:
        return cls(
            memory_id=memory.memory_id,
            kind=memory.kind,
            text=memory.text,
            source=memory.source,
            created_at=memory.created_at,
            mine=memory.is_own,
            trace_id=memory.trace_id,
            trace=memory.trace,
            session_id=memory.session_id,
            superseded_by=memory.superseded_by,
            near=None if near is None else round(near, 3),
        )


class MemoryChangeView(WireModel):
    """`decision`: `keep`, `edit` or `auto` of a proposal, `undo`, or `written` by hand. `byUser` said what it brought,
    null once they are gone; `mine` is false for another member's."""

    version: int
    before: str
    after: str
    decision: str
    decided_at: datetime
    proposed_in_turn: str | None
    mine: bool
    by_user: str | None

    @classmethod
    def of(cls, change: MemoryChange, user_id: str) -> Self:
        return cls(
            version=change.version,
            before=change.before,
            after=change.after,
            decision=change.decision,
            decided_at=change.decided_at,
            proposed_in_turn=change.proposed_in_turn,
            mine=change.by_user == user_id,
            by_user=change.by_user,
        )


@routes.get("/memory/core")
async def core(caller: CurrentCaller, services: ForMemory, response: Response) -> CoreMemoryView:
    """The facts that stand in every prompt; `ETag` is their version."""
    memory = await services.memory.read(caller)
    response.headers["ETag"] = tag(memory)
    return CoreMemoryView.of(memory, services.memory.writes)


@routes.put("/memory/core", response_model=CoreMemoryView)
async def change_core(
    body: CoreMemoryText,
    caller: CurrentCaller,
    services: ForMemory,
    request: Request,
    if_match: Annotated[str, Header()] = "",
) -> Response:
    """Facts in place of the version that `If-Match` names. 409 when another one stands: the answer has both."""
    try:
        memory = await services.memory.write(caller, body.text, version=version_of(if_match))
    except MemoryChanged as error:
        return memory_overtaken(error, services.memory.writes, body.text, request.url.path)
    view = CoreMemoryView.of(memory, services.memory.writes).model_dump(mode="json", by_alias=True)
    return JSONResponse(view, headers={"ETag": tag(memory)})


@routes.get("/memory/core/changes")
async def changes(caller: CurrentCaller, services: ForMemory) -> dict[str, list[MemoryChangeView]]:
    """How the facts came to be, newest first: at most 100."""
    found = await services.memory.changes(caller)
    return {"changes": [MemoryChangeView.of(one, caller.user_id) for one in found]}


@routes.get("/memory/export")
async def export(caller: CurrentCaller, services: ForMemory) -> dict[str, Any]:
    """All that is remembered, as one document: the facts and how they came to be, what the caller answered at first,
    what else is found by meaning, and which documents there are."""
    memory, onboarding = await services.memory.read(caller), await services.memory.onboarding.look(caller, ())
    found = await services.memory.changes(caller)
    memories: list[MemoryRow] = []
    if services.memory.search is not None:
        memories = await services.search.listed(caller, limit=MOST_EXPORTED)
    return {
        "core": {"facts": list(memory.facts), "version": memory.version},
        "changes": [MemoryChangeView.of(one, caller.user_id).model_dump(mode="json", by_alias=True) for one in found],
        "answers": {question: text for question, text in onboarding.answers.items() if text},
        "initialText": onboarding.initial_text,
        "memories": [MemoryView.of(one).model_dump(mode="json", by_alias=True) for one in memories],
        "documents": await _document_names(caller, services),
    }


async def _document_names(caller: CurrentCaller, services: ForMemory) -> list[dict[str, Any]]:
    if services.memory.knowledge is None:
        return []
    found = await services.memory.knowledge.documents(caller)
    return [
        {"name": one.name, "sha256": one.sha256, "sizeBytes": one.size_bytes, "createdAt": one.created_at.isoformat()}
        for one in found
        if not one.is_ours
    ]


@routes.post("/memory/decisions")
async def decide(body: MemoryDecision, caller: CurrentCaller, services: ForMemory) -> DecidedMessage:
    """Decide on what an answer proposed, as `decide_memory` does on a socket: for clients that have none."""
    done = await services.memory.decide(caller, body.proposal_id, Verdict(body.decision), body.text)
    return DecidedMessage(version=done.memory.version, proposal_id=body.proposal_id, decision=done.decision.value)


@routes.get("/memory")
async def search(
    caller: CurrentCaller,
    services: ForMemory,
    query: Annotated[str, Query(max_length=2_000)] = "",
    kinds: Annotated[list[MemoryKind] | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> dict[str, list[MemoryView]]:
    """What is remembered beyond the facts of every prompt, the nearest first; without a query the newest."""
    sought = Sought(query=query, kinds=frozenset(kinds or ()))
    found = await services.search.search(caller, sought, limit=limit)
    return {"memories": [MemoryView.of(one.memory, near=one.near) for one in found]}


@routes.patch("/memory/{memory_id}")
async def rewrite(memory_id: str, body: MemoryText, caller: CurrentCaller, services: ForMemory) -> MemoryView:
    """Another text for one."""
    return MemoryView.of(await services.search.rewrite(caller, memory_id, body.text))


@routes.delete("/memory/{memory_id}", status_code=204)
async def forget(memory_id: str, caller: CurrentCaller, services: ForMemory) -> None:
    """Forget one."""
    await services.search.forget(caller, memory_id)


@routes.delete("/memory")
async def forget_all(
    caller: CurrentCaller, services: ForMemory, whose: Annotated[Literal["mine", "account"], Query(alias="all")]
) -> dict[str, int]:
    """Forget all that is the caller's own, or all that is the account's, which takes its owner; the facts of every
    prompt stay."""
    return {"forgotten": await services.search.forget_all(caller, whose)}


def memory_overtaken(
    error: MemoryChanged, writes: Literal["ask", "auto", "off"], text: str, instance: str
) -> JSONResponse:
    """409, with what stands now and what was to be written."""
    stands = CoreMemoryView.of(error.memory, writes).model_dump(mode="json", by_alias=True)
    answer = problem(409, "Memory changed", str(error), instance=instance, current=stands, yours={"text": text})
    answer.headers["ETag"] = tag(error.memory)
    return answer


def tag(memory: Memory) -> str:
    """The entity tag of a version."""
    return f'"v{memory.version}"'


def version_of(if_match: str) -> int:
    """The version that a header names. Raises BadRequest."""
    found = re.fullmatch(r'\s*(?:W/)?"?v?(\d{1,9})"?\s*', if_match)
    if found is None:
        raise BadRequest(
            'A change names the version it was made from: If-Match: "v3", as the ETag of GET has it.', field="If-Match"
        )
    return int(found[1])
