"""How far an upload is that was received and is not stored yet: whoever sends it may ask."""

from typing import Literal

from fastapi import APIRouter

from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForUploads, UploadServices
from server.edges.http.uploads import Upload
from server.protocol.base import WireModel

routes = APIRouter(prefix=f"{API}/uploads", tags=["traces"])


class UploadView(WireModel):
    """`place` is the one in the line while it waits, `bytes_read` what the importer has read of `bytes`; null where
    that does not apply or is not known."""

    upload_id: str
    stage: Literal["waiting", "reading", "storing"]
    place: int | None
    bytes_read: int | None
    bytes: int


@routes.get("")
async def under_way(caller: CurrentCaller, services: ForUploads) -> dict[str, list[UploadView]]:
    """The caller's uploads that were sent with `?upload=<id>`, are complete and not yet stored, as far as they came
    to this process."""
    return {"uploads": [await _view(upload_id, one, services) for upload_id, one in services.uploads.of(caller)]}


async def _view(upload_id: str, upload: Upload, services: UploadServices) -> UploadView:
    how_far = await services.workers.importing(upload.path)
    if how_far is None:
        return UploadView(upload_id=upload_id, stage="storing", place=None, bytes_read=None, bytes=upload.size)
    return UploadView(
        upload_id=upload_id,
        stage="reading" if how_far.place is None else "waiting",
        place=how_far.place,
        bytes_read=how_far.bytes_read,
        bytes=upload.size,
    )
