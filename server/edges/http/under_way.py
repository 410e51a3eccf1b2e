"""How far an upload is that was received and is not stored yet: whoever sends it may ask."""

from typing import Literal

from fastapi import APIRouter

from server.edges.http.services import CurrentCaller, CurrentServices
from server.protocol.base import WireModel

routes = APIRouter(prefix="/uploads", tags=["traces"])


class UploadView(WireModel):
    """`place` is the one in the line while it waits, `bytes_read` what the importer has read of `bytes`; null where
    that does not apply or is not known."""

    stage: Literal["waiting", "reading", "storing"]
    place: int | None
    bytes_read: int | None
    bytes: int


@routes.get("/{upload_id}")
async def under_way(upload_id: str, caller: CurrentCaller, services: CurrentServices) -> UploadView:
    """Where an upload stands that was sent with `?upload=<id>`. 404 before it is whole and after it is stored, and in
    another process than the one that takes it."""
    upload = services.uploads.find(caller, upload_id)
    size = upload.path.stat().st_size
    how_far = await services.workers.importing(upload.path)
    if how_far is None:
        return UploadView(stage="storing", place=None, bytes_read=None, bytes=size)
    stage: Literal["waiting", "reading"] = "reading" if how_far.place is None else "waiting"
    return UploadView(stage=stage, place=how_far.place, bytes_read=how_far.bytes_read, bytes=size)
