"""Documents that answers cite: the account's, put there by its members, and Flamechat's own."""

from datetime import datetime
from typing import Annotated, Self

from fastapi import APIRouter, Query, Request

from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForKnowledge
from server.errors import NotFound
from server.ports.knowledge import MOST_BYTES, Document, Passage
from server.protocol.base import WireModel

routes = APIRouter(prefix=API, tags=["knowledge"], max_body_size=MOST_BYTES)


class DocumentView(WireModel):
    """`ours` for Flamechat's own documentation, which cannot be removed."""

    document_id: str
    name: str
    version: str
    sha256: str
    size_bytes: int
    created_at: datetime
    ours: bool

    @classmethod
    def of(cls, document: Document) -> Self:
        return cls(
            document_id=document.document_id,
            name=document.name,
            version=document.version,
            sha256=document.sha256,
            size_bytes=document.size_bytes,
            created_at=document.created_at,
            ours=document.is_ours,
        )


class PassageView(WireModel):
    """A part of a document, as an answer cites it by its handle."""

    handle: str
    document: str
    heading: str
    text: str
    ours: bool

    @classmethod
    def of(cls, passage: Passage) -> Self:
        return cls(
            handle=passage.handle,
            document=passage.document,
            heading=passage.heading,
            text=passage.text,
            ours=passage.is_ours,
        )


@routes.get("/knowledge")
async def documents(caller: CurrentCaller, services: ForKnowledge) -> dict[str, list[DocumentView]]:
    """The account's documents, and ours."""
    return {"documents": [DocumentView.of(one) for one in await services.knowledge.documents(caller)]}


@routes.post("/knowledge", status_code=201)
async def add(
    request: Request, caller: CurrentCaller, services: ForKnowledge, name: Annotated[str, Query(max_length=120)]
) -> DocumentView:
    """The body, Markdown or plain text of at most 1 MB, in place of the account's document of that name."""
    return DocumentView.of(await services.knowledge.add(caller, name, await request.body()))


@routes.delete("/knowledge/{document_id}", status_code=204)
async def remove(document_id: str, caller: CurrentCaller, services: ForKnowledge) -> None:
    """Remove one of the account's."""
    await services.knowledge.remove(caller, document_id)


@routes.get("/knowledge/search")
async def search(
    caller: CurrentCaller,
    services: ForKnowledge,
    query: Annotated[str, Query(min_length=1, max_length=2_000)],
    limit: Annotated[int, Query(ge=1, le=20)] = 5,
) -> dict[str, list[PassageView]]:
    """The parts that a question means, the nearest first."""
    found = await services.knowledge.search(caller, query, limit=limit)
    return {"passages": [PassageView.of(one) for one in found]}


@routes.get("/knowledge/passages/{handle}")
async def passage(handle: str, caller: CurrentCaller, services: ForKnowledge) -> PassageView:
    """What an answer cites."""
    found = await services.knowledge.cited(caller, [handle])
    if not found:
        raise NotFound("There is no such passage.")
    return PassageView.of(found[0])
