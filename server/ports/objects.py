"""Where bytes are kept: uploads and pictures."""

import re
from collections.abc import AsyncIterator
from pathlib import Path, PurePosixPath
from typing import Protocol

from server.errors import BadRequest, ConfigError

TRACES_BUCKET = "traces"
PICTURES_BUCKET = "ai-snapshots"

_BUCKET_ADDRESS = re.compile(r"(s3|gs|az)://[\w.-]+(/[^?#]*)?")


class ObjectStore(Protocol):
    """Objects by bucket and path (`<account id>/<name>`). A put is atomic; paths that climb out are
    refused with BadRequest. Every method raises ServiceUnavailable when a store elsewhere does not answer."""

    async def put(self, bucket: str, path: str, data: bytes | Path) -> None:
        """Store bytes or a file's content, replacing what was there."""
        ...

    async def get(self, bucket: str, path: str) -> bytes:
        """The bytes of the object. Raises NotFound."""
        ...

    def stream(self, bucket: str, path: str) -> AsyncIterator[bytes]:
        """The object in pieces. Raises NotFound at the first."""
        ...

    async def delete(self, bucket: str, path: str) -> None:
        """Remove it; removing what is not there is no error."""
        ...

    def paths(self, bucket: str) -> AsyncIterator[str]:
        """Everything in a bucket, in any order; what is put or deleted meanwhile may or may not be among it."""
        ...

    async def address(self, bucket: str, path: str) -> str | None:
        """Where anyone may fetch it for some minutes; None when only this server can give it. Raises NotFound."""
        ...


def object_key(bucket: str, path: str) -> str:
    """`bucket/path`. Raises BadRequest for a path that is empty, absolute, climbs out or is not in its plainest
    form.
    """
    parts = PurePosixPath(path).parts
    if (
        not parts
        or "/".join(parts) != path
        or any(part in {"..", "/"} or "\\" in part or "\0" in part for part in parts)
    ):
        raise BadRequest("An object's path must stay inside its bucket.", field="path")
    return f"{bucket}/{path}"


def check_bucket_address(url: str) -> None:
    """Raises ConfigError for what is no address of a provider's bucket; it may hold a secret, so it is not shown."""
    if not _BUCKET_ADDRESS.fullmatch(url):
        raise ConfigError(
            "FLAMECHAT_OBJECTS must be s3://bucket/prefix, gs://bucket/prefix or az://container/prefix; keys "
            "are the environment's (AWS_..., GOOGLE_..., AZURE_...)."
        )
