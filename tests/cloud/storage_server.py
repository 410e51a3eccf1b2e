"""Supabase Storage's HTTP interface (supabase/storage, routes of `object`), over a dictionary.

Errors have the older form: HTTP 400 with the real code in the body. As the real server does, it reads `Authorization`
alone, takes only names that its own check lets pass, and lets a signed address expire. What it answers is held to the
real one by test_storage_contract.py.
"""

import re
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jwt
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.cloud.faults import Faults
from tests.cloud.people import ProjectKeys
from tests.cloud.policies import Policies

BUCKETS = {"traces": "", "ai-snapshots": "image/png"}
"""With the one kind that each takes, or any, as the migrations make them."""

NAME = re.compile(r"[\w/!.*'() &$@=;:+,?-]+", re.ASCII)
"""Names that Storage takes: the characters of S3 that are safe, and some that need care."""


@dataclass(slots=True)
class StorageServer:
    """`objects` by bucket and path. `requests` are (method, path) in order."""

    keys: ProjectKeys
    policies: Policies
    faults: Faults
    objects: dict[tuple[str, str], tuple[bytes, str]] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    largest_piece: int = 0
    now: Callable[[], float] = time.time

    def routes(self) -> list[Route]:
        return [
            Route("/object/sign/{bucket}/{path:path}", self.sign, methods=["POST"]),
            Route("/object/sign/{bucket}/{path:path}", self.get_signed, methods=["GET"]),
            Route("/object/list/{bucket}", self.list, methods=["POST"]),
            Route("/object/authenticated/{bucket}/{path:path}", self.get, methods=["GET"]),
            Route("/object/{bucket}/{path:path}", self.get_public, methods=["GET"]),
            Route("/object/{bucket}/{path:path}", self.put, methods=["POST", "PUT"]),
            Route("/object/{bucket}", self.remove, methods=["DELETE"]),
            Route("/bucket", self.buckets, methods=["GET"]),
        ]

    async def put(self, request: Request) -> Response:
        claims = await self._arrive(request)
        if isinstance(claims, Response):
            return claims
        key = (request.path_params["bucket"], request.path_params["path"])
        if not await self.policies.may_write(claims, *key):
            return _refusal(403, "Unauthorized", "new row violates row-level security policy")
        if not NAME.fullmatch(key[1]):
            return _refusal(400, "InvalidKey", f"Invalid key: {key[1]}")
        if key[0] not in BUCKETS:
            return _no_bucket()
        if key in self.objects and request.headers.get("x-upsert") != "true" and request.method == "POST":
            return _refusal(409, "Duplicate", "The resource already exists")
        kind = request.headers.get("content-type", "")
        if kind.startswith("multipart/form-data"):
            content, kind = await _first_file(request)
        else:
            pieces = [piece async for piece in request.stream()]
            self.largest_piece = max([self.largest_piece, *map(len, pieces)])
            content = b"".join(pieces)
        if BUCKETS[key[0]] not in ("", kind):
            return _refusal(415, "invalid_mime_type", f"mime type {kind} is not supported")
        if int(request.headers.get("content-length", len(content))) < len(content):
            return _refusal(400, "Error", "more than was announced")
        self.objects[key] = (content, kind)
        await self.policies.stored(*key)
        return JSONResponse({"Key": "/".join(key), "Id": str(uuid.uuid4())})

    async def get(self, request: Request) -> Response:
        claims = await self._arrive(request)
        if isinstance(claims, Response):
            return claims
        return await self._read(request, claims)

    async def get_public(self, request: Request) -> Response:
        """For public buckets, too, of which there is none: a token that is refused reads that there is no bucket."""
        claims = await self._arrive(request)
        if isinstance(claims, Response):
            return _no_bucket() if _is_refusal(claims) else claims
        return await self._read(request, claims)

    async def _read(self, request: Request, claims: dict[str, Any]) -> Response:
        key = (request.path_params["bucket"], request.path_params["path"])
        if key not in self.objects or not await self.policies.may_read(claims, *key):
            return _refusal(404, "not_found", "Object not found")
        return _content(*self.objects[key])

    async def sign(self, request: Request) -> Response:
        claims = await self._arrive(request)
        if isinstance(claims, Response):
            return claims
        key = (request.path_params["bucket"], request.path_params["path"])
        if key not in self.objects or not await self.policies.may_read(claims, *key):
            return _refusal(404, "not_found", "Object not found")
        lasts = int((await request.json())["expiresIn"])
        if lasts < 1:
            return _malformed("body/expiresIn must be >= 1")
        signed = {"url": "/".join(key), "iat": int(self.now()), "exp": int(self.now()) + lasts}
        token = jwt.encode(signed, self.keys.secret, "HS256")
        return JSONResponse({"signedURL": f"/object/sign/{'/'.join(key)}?token={token}"})

    async def get_signed(self, request: Request) -> Response:
        key = (request.path_params["bucket"], request.path_params["path"])
        if "token" not in request.query_params:
            return _malformed("querystring must have required property 'token'")
        try:
            claims = jwt.decode(
                request.query_params["token"],
                self.keys.secret,
                algorithms=["HS256"],
                options={"verify_exp": False, "verify_iat": False},
            )
        except jwt.PyJWTError:
            return _refusal(400, "InvalidJWT", "Invalid Compact JWS")
        if claims["exp"] <= self.now():
            return _refusal(400, "InvalidJWT", '"exp" claim timestamp check failed')
        if claims["url"] != "/".join(key):
            return _refusal(400, "InvalidSignature", "Invalid signature")
        if key not in self.objects:
            return _refusal(404, "not_found", "Object not found")
        return _content(*self.objects[key])

    async def list(self, request: Request) -> Response:
        claims = await self._arrive(request)
        if isinstance(claims, Response):
            return claims
        bucket, asked = request.path_params["bucket"], await request.json()
        if "prefix" not in asked:
            return _malformed("body must have required property 'prefix'")
        if asked.get("limit", 1) < 1:
            return _malformed("body/limit must be >= 1")
        if asked.get("offset", 0) < 0:
            return _malformed("body/offset must be >= 0")
        prefix = asked["prefix"].strip("/")
        prefix = f"{prefix}/" if prefix else ""
        names = [
            path.removeprefix(prefix)
            for found, path in sorted(self.objects)
            if found == bucket and path.startswith(prefix) and await self.policies.may_read(claims, found, path)
        ]
        ids = {name.split("/")[0]: None if "/" in name else str(uuid.uuid4()) for name in names}
        offset, limit = asked.get("offset", 0), asked.get("limit", 100)
        page = list(ids.items())[offset : offset + limit]
        return JSONResponse([{"name": name, "id": id_, "metadata": id_ and {}} for name, id_ in page])

    async def remove(self, request: Request) -> Response:
        claims = await self._arrive(request)
        if isinstance(claims, Response):
            return claims
        bucket, removed = request.path_params["bucket"], []
        paths = (await request.json())["prefixes"]
        if not paths:
            return _malformed("body/prefixes must NOT have fewer than 1 items")
        for path in paths:
            if claims["role"] == "service_role" and self.objects.pop((bucket, path), None) is not None:
                await self.policies.removed(bucket, path)
                removed.append({"bucket_id": bucket, "name": path})
        return JSONResponse(removed)

    async def buckets(self, request: Request) -> Response:
        claims = await self._arrive(request)
        if isinstance(claims, Response):
            return claims
        seen = BUCKETS if claims["role"] == "service_role" else ()
        return JSONResponse([{"id": name, "name": name, "public": False} for name in seen])

    async def _arrive(self, request: Request) -> dict[str, Any] | Response:
        """The claims of the caller's token, or the refusal."""
        self.requests.append((request.method, request.url.path))
        fault = await self.faults.meet("storage")
        if fault is not None:
            return fault
        return self._claims(request)

    def _claims(self, request: Request) -> dict[str, Any] | Response:
        if "authorization" not in request.headers:
            return _malformed("headers must have required property 'authorization'")
        token = re.sub("^Bearer ", "", request.headers["authorization"])
        if token.count(".") != 2:
            return _refusal(403, "Unauthorized", "Invalid Compact JWS")
        try:
            return {"role": "anon"} | self.keys.read(token)
        except jwt.ExpiredSignatureError:
            return _refusal(403, "Unauthorized", '"exp" claim timestamp check failed')
        except jwt.PyJWTError:
            return _refusal(403, "Unauthorized", "signature verification failed")


async def _first_file(request: Request) -> tuple[bytes, str]:
    """Of a multipart body, as the clients send it."""
    async with request.form() as form:
        for value in form.values():
            if not isinstance(value, str):
                return await value.read(), value.content_type or "application/octet-stream"
    return b"", "application/octet-stream"


def _content(content: bytes, kind: str) -> Response:
    pieces = (content[start : start + 65_536] for start in range(0, len(content), 65_536))
    return StreamingResponse(pieces, media_type=kind, headers={"Content-Length": str(len(content)), "ETag": '"e"'})


def _is_refusal(answer: Response) -> bool:
    """Rather than a fault that a test has planned."""
    return answer.status_code == 400


def _no_bucket() -> JSONResponse:
    return _refusal(404, "Bucket not found", "Bucket not found")


def _malformed(message: str) -> JSONResponse:
    return _refusal(400, "Error", message)


def _refusal(status: int, error: str, message: str) -> JSONResponse:
    return JSONResponse({"statusCode": str(status), "error": error, "message": message}, 400)
