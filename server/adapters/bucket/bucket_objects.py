"""Objects in somebody's bucket, through obstore. Both of our buckets are folders of it, below its address's prefix.

A large file goes up in parts and is there when the last one is; a request that may succeed later is asked again. Whose
bucket it is, how to sign and where it is come from the environment, by the providers' own names (`AWS_...`,
`GOOGLE_...`, `AZURE_...`), or from the machine's own role.
"""

import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import anyio
import structlog
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import AzureStore, GCSStore, S3Store, from_url

from server.errors import ConfigError, NotFound, ServiceUnavailable
from server.ports.objects import check_bucket_address, object_key
from traces.bounds import MAX_UPLOAD_BYTES

PIECE_BYTES = 1 << 20
CONNECT_S = 5
SILENT_S = 30
"""Between two pieces of an answer."""

RETRIES = 4
RETRIED_FOR_S = 20

AWAY = "The store of files does not answer. Try again in a minute."
REFUSED = (
    "The store of files refused this. Trying again does not help: whoever runs this server finds the reason in its log."
)
PASSING = frozenset({"SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout", "ServerBusy", "503", "500"})
"""What a provider says that may pass. Anything else that it says does not."""

_CODE = re.compile(r"<Code>\s*(\w{1,60})\s*</Code>")
_STATUS = re.compile(r"status(?: code)?: (\d{3})\b")
_REGION = re.compile(r"redirect without LOCATION|PermanentRedirect|AuthorizationHeaderMalformed", re.IGNORECASE)
_NO_KEYS = re.compile(r"169\.254\.169\.254|metadata\.google\.internal")
"""Where a machine of the provider's says its role: asked when the environment has no keys."""

_NO_BUCKET = re.compile(r"NoSuchBucket|ContainerNotFound|bucket does not exist", re.IGNORECASE)

Store = S3Store | GCSStore | AzureStore

log = structlog.get_logger(__name__)


class BucketObjects:
    """ObjectStore in the bucket of an address, `s3://bucket/prefix`. `max_bytes` bounds what a download may be.

    Raises ConfigError for an address that is none; nothing is asked of the bucket yet.
    """

    def __init__(self, url: str, *, max_bytes: int = MAX_UPLOAD_BYTES, retried_for_s: float = RETRIED_FOR_S) -> None:
        self._store = _store(url, retried_for_s)
        self._max_bytes = max_bytes

    async def put(self, bucket: str, path: str, data: bytes | Path) -> None:
        key = object_key(bucket, path)
        if isinstance(data, Path):
            await anyio.Path(data).stat()  # a missing file is no missing bucket
        try:
            await self._store.put_async(key, data)
        except (BaseError, FileNotFoundError) as error:
            raise _unavailable(error, "put") from error

    async def get(self, bucket: str, path: str) -> bytes:
        return b"".join([piece async for piece in self.stream(bucket, path)])

    async def stream(self, bucket: str, path: str) -> AsyncIterator[bytes]:
        key = object_key(bucket, path)
        try:
            found = await self._store.get_async(key)
            if found.meta["size"] > self._max_bytes:
                raise ServiceUnavailable(
                    f"The store gave more than {self._max_bytes:,} bytes, which no object has.", service="storage"
                )
            async for piece in found.stream(min_chunk_size=PIECE_BYTES):
                yield bytes(piece)
        except FileNotFoundError as error:
            if _NO_BUCKET.search(str(error)):
                raise _unavailable(error, "get") from error
            raise NotFound(f"There is no object {path}.") from None
        except BaseError as error:
            raise _unavailable(error, "get") from error

    async def delete(self, bucket: str, path: str) -> None:
        key = object_key(bucket, path)
        try:
            await self._store.delete_async(key)
        except FileNotFoundError as error:
            if _NO_BUCKET.search(str(error)):
                raise _unavailable(error, "delete") from error
        except BaseError as error:
            raise _unavailable(error, "delete") from error

    async def paths(self, bucket: str) -> AsyncIterator[str]:
        try:
            async for found in self._store.list(prefix=bucket):
                for one in found:
                    yield one["path"].removeprefix(f"{bucket}/")
        except (BaseError, FileNotFoundError) as error:
            raise _unavailable(error, "list") from error

    async def address(self, bucket: str, path: str) -> None:
        """None: this server gives them out, so the page needs no other origin."""


def _store(url: str, retried_for_s: float) -> Store:
    check_bucket_address(url)
    try:
        store = from_url(
            url,
            client_options={
                "connect_timeout": timedelta(seconds=CONNECT_S),
                "read_timeout": timedelta(seconds=SILENT_S),
                "timeout": timedelta(hours=1),
                "allow_http": True,  # only an endpoint that its owner names is not https
            },
            retry_config={"max_retries": RETRIES, "retry_timeout": timedelta(seconds=retried_for_s)},
        )
    except (BaseError, ValueError) as error:
        raise ConfigError(f"FLAMECHAT_OBJECTS cannot be used ({type(error).__name__}): {_first_line(error)}") from None
    assert isinstance(store, Store)
    return store


def _unavailable(error: Exception, what: str) -> ServiceUnavailable:
    """Logged with the provider's code, and never with its answer: that may name keys."""
    said = str(error)
    code = _found(_CODE, said) or _found(_STATUS, said)
    if _REGION.search(said):
        code = code or "another region"
    if _NO_KEYS.search(said):
        code = "no keys"
    if _NO_BUCKET.search(said):
        code = "NoSuchBucket"
    is_refused = isinstance(error, PermissionDeniedError | UnauthenticatedError | FileNotFoundError)
    is_passing = not is_refused and (code is None or code in PASSING)
    log.warning("bucket_away" if is_passing else "bucket_refused", what=what, code=code, error=type(error).__name__)
    unavailable = ServiceUnavailable(AWAY if is_passing else REFUSED, service="storage")
    unavailable.said = ", ".join(part for part in (what, code, type(error).__name__) if part)
    return unavailable


def _found(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return None if found is None else found[1]


def _first_line(error: Exception) -> str:
    return " ".join(str(error).partition("Debug source")[0].split())[:200]
