"""Amazon S3's HTTP interface as far as objects need it, over a dictionary: a stand-in, not a bucket.

It checks what a request is signed for, not the signature. Large objects come in parts and are there when they are
completed. `refuse` has it answer with a code of S3's, as often as a test says.
"""

import asyncio
import hashlib
import re
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import quote_plus
from xml.sax.saxutils import escape, unescape

from starlette.applications import Starlette
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.edges.http.serving import HttpServer, bound_socket
from tests.cloud.faults import CutConnection
from tests.cloud.supabase_server import Cutting

BUCKET = "flamechat-test"
REGION = "eu-central-1"
KEY_ID = "AKIDOFATEST"
LISTED_AT_ONCE = 3
STATUS = {
    "SlowDown": 503,
    "InternalError": 500,
    "AccessDenied": 403,
    "SignatureDoesNotMatch": 403,
    "NoSuchBucket": 404,
    "QuotaExceeded": 400,
    "PermanentRedirect": 301,
}


@dataclass(slots=True)
class S3Server:
    """`objects` by key. `cuts` are downloads that break off after half of their body. Downloads after the first
    `hold_after` wait for `let_go`, and each releases `waiting`."""

    url: str
    objects: dict[str, bytes] = field(default_factory=dict)
    parts: dict[str, dict[int, bytes]] = field(default_factory=dict)
    refusals: deque[str] = field(default_factory=deque)
    always: str | None = None
    cuts: int = 0
    requests: list[tuple[str, str]] = field(default_factory=list)
    is_read_only: bool = False
    hold_after: int | None = None
    waiting: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    let_go: asyncio.Event = field(default_factory=asyncio.Event)

    def settings(self, prefix: str = "/team") -> dict[str, str]:
        """Of a server that keeps its files here, as environment variables."""
        return {
            "FLAMECHAT_OBJECTS": f"s3://{BUCKET}{prefix}",
            "AWS_ENDPOINT_URL": self.url,
            "AWS_REGION": REGION,
            "AWS_ACCESS_KEY_ID": KEY_ID,
            "AWS_SECRET_ACCESS_KEY": "secret of a test",
        }

    def refuse(self, code: str, *, times: int = 1) -> None:
        self.refusals.extend([code] * times)

    async def answer(self, request: Request) -> Response:
        key = request.path_params.get("key", "")
        self.requests.append((request.method, key))
        code = self.refusals.popleft() if self.refusals else self.always
        if code is None:
            code = self._refusal(request)
        if code is not None:
            return _error(code)
        query = request.query_params
        match request.method:
            case "PUT" if "uploadId" in query:
                body = self.parts[query["uploadId"]][int(query["partNumber"])] = await request.body()
                return Response(headers={"ETag": _etag(body)})
            case "PUT":
                self.objects[key] = await request.body()
                return Response(headers={"ETag": _etag(self.objects[key])})
            case "POST" if "delete" in query:
                found = re.findall(r"<Key>(.*?)</Key>", (await request.body()).decode(), re.DOTALL)
                for one in found:
                    self.objects.pop(unescape(one), None)
                return _xml("DeleteResult", "".join(f"<Deleted><Key>{one}</Key></Deleted>" for one in found))
            case "POST" if "uploads" in query:
                upload = hashlib.sha256(f"{key} {len(self.parts)}".encode()).hexdigest()
                self.parts[upload] = {}
                return _xml("InitiateMultipartUploadResult", f"<UploadId>{upload}</UploadId>")
            case "POST" if "uploadId" in query:
                numbers = [int(found) for found in re.findall(rb"<PartNumber>(\d+)<", await request.body())]
                parts = self.parts.pop(query["uploadId"])
                self.objects[key] = b"".join(parts[number] for number in numbers)
                return _xml("CompleteMultipartUploadResult", f"<ETag>{_etag(self.objects[key])}</ETag>")
            case "DELETE":  # of an upload in parts that is given up
                self.parts.pop(query["uploadId"], None)
                return Response(status_code=204)
            case _:
                return self._list(request) if key == "" else await self._download(request, key)

    async def _download(self, request: Request, key: str) -> Response:
        if self.hold_after is not None and sum(key != "" for _, key in self.requests) > self.hold_after:
            self.waiting.release()
            await self.let_go.wait()
        return self._get(request, key)

    def _refusal(self, request: Request) -> str | None:
        if request.path_params["bucket"] != BUCKET:
            return "NoSuchBucket"
        signed = request.headers.get("authorization", "")
        if f"Credential={KEY_ID}/" not in signed:
            return "AccessDenied"
        if f"/{REGION}/s3/aws4_request" not in signed:
            return "PermanentRedirect"
        if self.is_read_only and request.method not in {"GET", "HEAD"}:
            return "AccessDenied"
        return None

    def _get(self, request: Request, key: str) -> Response:
        if key not in self.objects:
            return _error("NoSuchKey", 404)
        content, status = self.objects[key], 200
        headers = {"ETag": _etag(content), "Last-Modified": "Mon, 02 Feb 2026 10:00:00 GMT"}
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("range", ""))
        if asked is not None:
            first, last = int(asked[1]), int(asked[2] or len(content) - 1)
            headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
            content, status = content[first : last + 1], 206
        if self.cuts:
            self.cuts -= 1
            return _Half(content, status, headers)
        return Response(content, status, headers)

    def _list(self, request: Request) -> Response:
        prefix, after = request.query_params.get("prefix", ""), request.query_params.get("continuation-token", "")
        found = sorted(key for key in self.objects if key.startswith(prefix) and key > after)
        page = found[:LISTED_AT_ONCE]
        is_encoded = request.query_params.get("encoding-type") == "url"
        encoded = quote_plus if is_encoded else str
        contents = "".join(
            f"<Contents><Key>{escape(encoded(key))}</Key><LastModified>2026-02-02T10:00:00.000Z</LastModified>"
            f"<ETag>{_etag(self.objects[key])}</ETag><Size>{len(self.objects[key])}</Size></Contents>"
            for key in page
        )
        more = f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if len(found) > len(page) else ""
        encoding = "<EncodingType>url</EncodingType>" if is_encoded else ""
        return _xml(
            "ListBucketResult", f"{encoding}<IsTruncated>{str(bool(more)).lower()}</IsTruncated>{more}{contents}"
        )


class _AnyKey(PathConvertor):
    """A path that may have line ends."""

    regex = "(?s:.*)"


register_url_convertor("object_key", _AnyKey())


class _Half(Response):
    """Promises all of its body and sends half."""

    async def __call__(self, scope: object, receive: object, send: object) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})  # type: ignore[operator]
        half = bytes(self.body)[: len(self.body) // 2]
        await send({"type": "http.response.body", "body": half, "more_body": True})  # type: ignore[operator]
        raise CutConnection


def _etag(content: bytes) -> str:
    return f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}"'


def _xml(name: str, inner: str) -> Response:
    return Response(f'<?xml version="1.0" encoding="UTF-8"?><{name}>{inner}</{name}>', media_type="application/xml")


def _error(code: str, status: int | None = None) -> Response:
    text = f"<Error><Code>{code}</Code><AWSAccessKeyId>{KEY_ID}</AWSAccessKeyId><Message>refused</Message></Error>"
    return Response(text, status or STATUS[code], media_type="application/xml")


@asynccontextmanager
async def s3_server() -> AsyncIterator[S3Server]:
    """Serve an empty bucket until the block ends."""
    with bound_socket("127.0.0.1", 0) as listening:
        s3 = S3Server(f"http://127.0.0.1:{listening.getsockname()[1]}")
        methods = ["GET", "HEAD", "PUT", "POST", "DELETE"]
        routes = [Route(path, s3.answer, methods=methods) for path in ("/{bucket}", "/{bucket}/{key:object_key}")]
        server = HttpServer(Cutting(Starlette(routes=routes)))
        serving = asyncio.create_task(server.serve([listening]))
        try:
            yield s3
        finally:
            server.should_exit = True
            await serving
