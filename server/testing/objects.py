"""Objects in a dictionary."""

from collections.abc import AsyncIterator
from pathlib import Path

import anyio.to_thread

from server.errors import NotFound
from server.ports.objects import object_key


class MemoryObjects:
    """The in-memory twin of ObjectStore."""

    def __init__(self) -> None:
        self._objects: dict[str, bytes] = {}

    async def put(self, bucket: str, path: str, data: bytes | Path) -> None:
        key = object_key(bucket, path)
        self._objects[key] = data if isinstance(data, bytes) else await anyio.to_thread.run_sync(data.read_bytes)

    async def get(self, bucket: str, path: str) -> bytes:
        try:
            return self._objects[object_key(bucket, path)]
        except KeyError:
            raise NotFound(f"There is no object {path}.") from None

    async def stream(self, bucket: str, path: str) -> AsyncIterator[bytes]:
        data = await self.get(bucket, path)
        for start in range(0, len(data), 1 << 20):
            yield data[start : start + (1 << 20)]

    async def paths(self, bucket: str) -> AsyncIterator[str]:
        for key in list(self._objects):
            if key.startswith(f"{bucket}/"):
                yield key.removeprefix(f"{bucket}/")

    async def delete(self, bucket: str, path: str) -> None:
        self._objects.pop(object_key(bucket, path), None)

    async def address(self, bucket: str, path: str) -> None:
        """None: this server alone has it."""
