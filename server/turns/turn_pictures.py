"""Pictures made during a turn: where each lies, and the address a client fetches it from."""

import hashlib
import re

from server.agent.turn import TurnInput
from server.errors import NotFound, ServiceUnavailable
from server.ports.objects import PICTURES_BUCKET, ObjectStore

_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,64}")


def picture_path(account_id: str, turn_id: str, tool_call_id: str) -> str:
    """Path in the pictures bucket. A call id comes from a model provider: one that is not plain is replaced by its
    hash.
    """
    return f"{account_id}/{turn_id}/{_plain(tool_call_id)}.png"


def picture_address(image_path: str) -> str:
    """Where a client of this server fetches the picture at a path of the bucket."""
    turn_id, name = image_path.split("/")[-2:]
    return f"/api/v1/pictures/{turn_id}/{name}"


class StoredPictures:
    """The agent's `Pictures` over an object store."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    async def save(self, turn: TurnInput, tool_call_id: str, png: bytes) -> str:
        """Store a picture; returns its address."""
        path = picture_path(turn.caller.account_id, turn.turn_id, tool_call_id)
        await self._objects.put(PICTURES_BUCKET, path, png)
        return picture_address(path)

    async def load(self, turn: TurnInput, tool_call_id: str) -> bytes | None:
        """The stored picture, or None when it has gone, or cannot be had now: the tool's words remain."""
        try:
            return await self._objects.get(
                PICTURES_BUCKET, picture_path(turn.caller.account_id, turn.turn_id, tool_call_id)
            )
        except (NotFound, ServiceUnavailable):
            return None


def _plain(tool_call_id: str) -> str:
    if _PLAIN.fullmatch(tool_call_id):
        return tool_call_id
    return hashlib.sha256(tool_call_id.encode()).hexdigest()[:32]
