"""Objects in the project's Storage, by its HTTP interface: files go up and come down in pieces, never all of it in
memory.

Paths and answers follow supabase/storage (`/object/...`): a missing object is answered 404 by newer servers and 400
with `"statusCode": "404"` in the body by older ones.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import anyio
import httpx
import structlog

from server.cleaning import clean
from server.errors import NotFound, ServiceUnavailable
from server.ports.objects import PICTURES_BUCKET, object_key
from traces.bounds import MAX_UPLOAD_BYTES

PIECE_BYTES = 1 << 20
MAX_PICTURE_BYTES = 64 << 20
"""What `get` takes into memory: far more than any picture we draw."""

TRIES = 3
WAIT_S = 0.25
"""Before the second try; twice as long before the third."""

MAX_WORDS_BYTES = 64 << 10
"""Of an answer that is no object."""

MAX_PAGE_BYTES = 8 << 20
"""Of a list of LISTED_AT_ONCE objects, with what Storage says of each."""

WRONG = (
    "The store of files answers with something else than files. Whoever runs this server finds the reason in its log."
)
AWAY = "The store of files does not answer. Try again in a minute."
REFUSED = (
    "The store of files refused this. Trying again does not help: whoever runs this server finds the reason in its log."
)
REQUEST_IDS = ("sb-request-id", "x-request-id", "cf-ray")
"""Headers by which the project's own logs find a request, the nearest first."""

READ = "object/authenticated"
"""Plain `object` serves public buckets, too: to a key that Storage refuses it says that there is no such bucket."""

MAX_SHOWN = 300
SIGNED_S = 600
LISTED_AT_ONCE = 1000
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 522, 524})
"""Answers after which the same request may succeed. Every request here may be repeated: puts replace."""


log = structlog.get_logger(__name__)


class SupabaseObjects:
    """ObjectStore over a client of the project, which the caller closes. `max_bytes` bounds what a download may be."""

    def __init__(self, client: httpx.AsyncClient, *, max_bytes: int = MAX_UPLOAD_BYTES, wait_s: float = WAIT_S) -> None:
        self._client = client
        self._max_bytes = max_bytes
        self._wait_s = wait_s

    async def put(self, bucket: str, path: str, data: bytes | Path) -> None:
        url = _url("object", bucket, path)
        kind = "image/png" if bucket == PICTURES_BUCKET else "application/octet-stream"
        size = len(data) if isinstance(data, bytes) else (await anyio.Path(data).stat()).st_size
        headers = {"x-upsert": "true", "Content-Type": kind, "Content-Length": str(size)}

        def request() -> httpx.Request:
            content = data if isinstance(data, bytes) else _Pieces(data)
            return self._client.build_request("POST", url, content=content, headers=headers)

        stored = await self._asked(request, path)
        if "Key" not in _object_of(stored):
            raise _misunderstood(stored)

    async def get(self, bucket: str, path: str) -> bytes:
        url = _url(READ, bucket, path)
        return await self._asked(lambda: self._client.build_request("GET", url), path, MAX_PICTURE_BYTES)

    async def stream(self, bucket: str, path: str) -> AsyncIterator[bytes]:
        url, passed = _url(READ, bucket, path), 0
        try:
            async with self._answer(lambda: self._client.build_request("GET", url), path) as answer:
                async for piece in answer.aiter_bytes(PIECE_BYTES):
                    passed += len(piece)
                    if passed > self._max_bytes:
                        raise _too_large(self._max_bytes)
                    yield piece
        except _MayPass as passing:
            raise _unavailable(passing.__cause__) from passing

    async def delete(self, bucket: str, path: str) -> None:
        object_key(bucket, path)
        body = {"prefixes": [path]}
        url = f"/storage/v1/object/{quote(bucket)}"
        await self._asked(lambda: self._client.build_request("DELETE", url, json=body), path)

    async def paths(self, bucket: str) -> AsyncIterator[str]:
        """Folder by folder: Storage lists one at a time, its folders without an id, in pages."""
        folders = [""]
        while folders:
            folder, offset = folders.pop(), 0
            while page := await self._listed(bucket, folder, offset):
                offset += len(page)
                for one in page:
                    path = f"{folder}{one['name']}"
                    if one["id"] is None:
                        folders.append(f"{path}/")
                    else:
                        yield path

    async def _listed(self, bucket: str, folder: str, offset: int) -> list[dict[str, str | None]]:
        body = {"prefix": folder, "limit": LISTED_AT_ONCE, "offset": offset, "sortBy": {"column": "name"}}
        url = f"/storage/v1/object/list/{quote(bucket)}"
        answer = await self._asked(lambda: self._client.build_request("POST", url, json=body), folder, MAX_PAGE_BYTES)
        try:
            found = json.loads(answer)
        except ValueError as error:
            raise _misunderstood(answer) from error
        if not isinstance(found, list) or not all(
            isinstance(one, dict) and one.keys() >= {"name", "id"} for one in found
        ):
            raise _misunderstood(answer)
        return found

    async def address(self, bucket: str, path: str) -> str | None:
        """Signed anew at each call, for SIGNED_S seconds."""
        url = _url("object/sign", bucket, path)
        body = {"expiresIn": SIGNED_S}
        answer = await self._asked(lambda: self._client.build_request("POST", url, json=body), path)
        signed = _object_of(answer).get("signedURL")
        if not isinstance(signed, str) or not signed.startswith("/"):
            raise _misunderstood(answer)
        return f"{str(self._client.base_url).rstrip('/')}/storage/v1{signed}"

    async def _asked(self, request: Callable[[], httpx.Request], path: str, max_bytes: int = MAX_WORDS_BYTES) -> bytes:
        """The body of a good answer, all of it; asked again also when it breaks off."""
        for number in range(1, TRIES + 1):
            try:
                async with self._answer(request, path, tries=1) as answer:
                    body = bytearray()
                    async for piece in answer.aiter_bytes():
                        body += piece
                        if len(body) > max_bytes:
                            raise _too_large(max_bytes)
                    return bytes(body)
            except _MayPass as passing:
                if number == TRIES:
                    raise _unavailable(passing.__cause__) from passing
            await self._wait(number)
        raise AssertionError("unreachable")

    @asynccontextmanager
    async def _answer(
        self, request: Callable[[], httpx.Request], path: str, *, tries: int = TRIES
    ) -> AsyncIterator[httpx.Response]:
        """A good answer, its body unread; asked again while the failure may pass. Raises NotFound, and
        ServiceUnavailable (a _MayPass when another try may help)."""
        answer = await self._sent(request, tries)
        try:
            if answer.is_error:
                if answer.status_code in PASSING:
                    _log_refusal(answer, _object_of(await _beginning_of(answer)))
                    raise _MayPass
                body = await _beginning_of(answer)
                refused = _object_of(body)
                is_404 = answer.status_code == 404 or str(refused.get("statusCode")) == "404"
                if is_404 and not _names_bucket(refused):
                    raise NotFound(f"There is no object {path}.")
                raise _refused(answer, refused or {"message": body.decode("utf-8", "replace")})
            yield answer
        except httpx.HTTPError as error:
            raise _MayPass from error
        finally:
            await answer.aclose()

    async def _sent(self, request: Callable[[], httpx.Request], tries: int) -> httpx.Response:
        for number in range(1, tries + 1):
            try:
                answer = await self._client.send(request(), stream=True)
            except httpx.HTTPError as error:
                if number == tries:
                    raise _MayPass from error
            else:
                if number == tries or answer.status_code not in PASSING:
                    return answer
                await answer.aclose()
            await self._wait(number)
        raise AssertionError("unreachable")

    async def _wait(self, number: int) -> None:
        await asyncio.sleep(self._wait_s * 2 ** (number - 1))


def _object_of(body: bytes) -> dict[str, object]:
    """An answer's JSON object; an empty one for anything else."""
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


class _Pieces:
    """A file's content, read anew whenever the request is sent: again with another key, if the first is refused."""

    def __init__(self, file: Path) -> None:
        self._file = file

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with await anyio.open_file(self._file, "rb") as reading:
            while piece := await reading.read(PIECE_BYTES):
                yield piece


def _url(what: str, bucket: str, path: str) -> str:
    return f"/storage/v1/{what}/{quote(object_key(bucket, path))}"


def _too_large(max_bytes: int) -> ServiceUnavailable:
    return ServiceUnavailable(f"The store gave more than {max_bytes:,} bytes, which no object has.", service="storage")


async def _beginning_of(answer: httpx.Response) -> bytes:
    """The first bytes of a refusal, which may be a proxy's page."""
    body = bytearray()
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > MAX_WORDS_BYTES:
            break
    return bytes(body)


def _names_bucket(refused: dict[str, object]) -> bool:
    """Whether not the object is missing but its bucket, which the migrations make."""
    return "bucket" in str(refused.get("error") or refused.get("message") or "").lower()


def _log_refusal(answer: httpx.Response, refused: dict[str, object]) -> str:
    """One line with what Storage says, for whoever runs the server; returns it in words. No path and no key."""
    words = clean(" ".join(str(refused.get("message") or refused.get("error") or "").split()))[:MAX_SHOWN]
    request_id = next((answer.headers[name] for name in REQUEST_IDS if name in answer.headers), None)
    log.warning(
        "storage_refused",
        method=answer.request.method,
        what=answer.request.url.path.split("/")[4] if answer.request.url.path.count("/") > 3 else "",
        status=answer.status_code,
        code=str(refused.get("statusCode") or refused.get("code") or "")[:40] or None,
        message=words or None,
        request_id=request_id,
    )
    return f"{answer.status_code}" + (f", {words}" if words else "") + (f", request {request_id}" if request_id else "")


def _refused(answer: httpx.Response, refused: dict[str, object]) -> ServiceUnavailable:
    error = ServiceUnavailable(REFUSED, service="storage")
    error.said = _log_refusal(answer, refused)
    return error


def _misunderstood(answer: bytes) -> ServiceUnavailable:
    """For a good answer that is none of Storage's: a proxy's page, another service at its address."""
    fields = ", ".join(sorted(_object_of(answer)))  # never their values: one may be a signed address
    began = clean(" ".join((fields.encode() or answer)[:MAX_SHOWN].decode("utf-8", "replace").split()))
    log.warning("storage_misunderstood", began=began)
    error = ServiceUnavailable(WRONG, service="storage")
    error.said = f"200, {began}"
    return error


def _unavailable(cause: BaseException | None) -> ServiceUnavailable:
    log.warning("storage_away", error=None if cause is None else type(cause).__name__, tries=TRIES)
    return ServiceUnavailable(AWAY, service="storage")


class _MayPass(ServiceUnavailable):
    """The store is away, perhaps for a moment."""

    def __init__(self) -> None:
        super().__init__(AWAY, service="storage")
