"""Objects as files of a folder, through obstore: the same calls as its S3 store, each put written aside and renamed."""

from collections.abc import AsyncIterator
from pathlib import Path

from obstore.store import LocalStore

from server.errors import NotFound
from server.ports.objects import object_key


class FolderObjects:
    """ObjectStore under one folder, made when absent; readable by its owner alone."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._store = LocalStore(folder)

    async def put(self, bucket: str, path: str, data: bytes | Path) -> None:
        await self._store.put_async(object_key(bucket, path), data)

    async def get(self, bucket: str, path: str) -> bytes:
        try:
            found = await self._store.get_async(object_key(bucket, path))
        except FileNotFoundError:
            raise NotFound(f"There is no object {path}.") from None
        return bytes(await found.bytes_async())

    async def stream(self, bucket: str, path: str) -> AsyncIterator[bytes]:
        try:
            found = await self._store.get_async(object_key(bucket, path))
        except FileNotFoundError:
            raise NotFound(f"There is no object {path}.") from None
        async for chunk in found.stream(min_chunk_size=1 << 20):
            yield bytes(chunk)

    async def paths(self, bucket: str) -> AsyncIterator[str]:
        async for found in self._store.list(prefix=bucket):
            for one in found:
                yield one["path"].removeprefix(f"{bucket}/")

    async def delete(self, bucket: str, path: str) -> None:
        key = object_key(bucket, path)
        try:
            await self._store.delete_async(key)
        except FileNotFoundError:
            return

    async def address(self, bucket: str, path: str) -> None:
        """None: this server alone has it."""
