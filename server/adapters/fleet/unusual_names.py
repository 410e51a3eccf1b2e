"""Objects whose names obstore can neither list nor fetch: S3 allows empty parts, `..` and control characters in them.

One such name, which anybody may give who writes to a bucket, would end the listing of all others. So a bucket of S3
that has one is listed by requests of our own, signed with the keys of the environment (AWS Signature Version 4,
"Create a signed AWS API request"): the names come percent-encoded.
"""

import hashlib
import hmac
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from typing import Self
from urllib.parse import quote, unquote, urlsplit

import httpx

from server.adapters.trusted_certificates import trusted_certificates

SAFE = "-_.~"
EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()
TIMEOUT_S = 60


def is_unusual(name: str) -> bool:
    """Whether obstore would refuse a name, or take another for it: it drops a slash at either end."""
    return any(part in ("", ".", "..") for part in name.split("/")) or re.search(r"[\x00-\x1f\x7f]", name) is not None


@dataclass(frozen=True, slots=True)
class ListedObject:
    """`path` is its name below the prefix."""

    path: str
    size: int
    e_tag: str
    last_modified: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRequests:
    """GET requests to a bucket of S3 below a prefix. Their errors are httpx's."""

    bucket: str
    prefix: str
    base: str
    region: str
    key_id: str
    secret: str
    session: str | None

    @classmethod
    def of(cls, address: str, environment: Mapping[str, str] = os.environ) -> Self | None:
        """None for another provider, and where the environment has no keys."""
        parts = urlsplit(address)
        key_id, secret = environment.get("AWS_ACCESS_KEY_ID"), environment.get("AWS_SECRET_ACCESS_KEY")
        if parts.scheme not in ("s3", "s3a") or not (key_id and secret):
            return None
        region = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or "us-east-1"
        endpoint = environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL")
        return cls(
            bucket=parts.netloc,
            prefix=unquote(parts.path).strip("/"),
            base=(endpoint or f"https://s3.{region}.amazonaws.com").rstrip("/"),
            region=region,
            key_id=key_id,
            secret=secret,
            session=environment.get("AWS_SESSION_TOKEN"),
        )

    async def objects(self) -> AsyncIterator[ListedObject]:
        """All below the prefix, in the bucket's order."""
        below = f"{self.prefix}/" if self.prefix else ""
        query = {"list-type": "2", "encoding-type": "url", "prefix": below}
        while True:
            async with self._get("", query) as response:
                text = (await response.aread()).decode()
            is_encoded = _field("EncodingType", text) == "url"
            for found in re.findall(r"<Contents>(.*?)</Contents>", text, re.DOTALL):
                key = unescape(_field("Key", found))
                name = unquote(key.replace("+", " ")) if is_encoded else key
                changed = datetime.fromisoformat(_field("LastModified", found))
                yield ListedObject(
                    name.removeprefix(below), int(_field("Size", found)), unescape(_field("ETag", found)), changed
                )
            query["continuation-token"] = unescape(_field("NextContinuationToken", text))
            if not query["continuation-token"]:
                return

    @asynccontextmanager
    async def content(self, path: str) -> AsyncIterator[httpx.Response]:
        """An object's bytes, as they come. Raises FileNotFoundError."""
        async with self._get(f"{self.prefix}/{path}" if self.prefix else path, {}) as response:
            yield response

    @asynccontextmanager
    async def _get(self, key: str, query: Mapping[str, str]) -> AsyncIterator[httpx.Response]:
        signed_path = f"{urlsplit(self.base).path}/{self.bucket}" + (f"/{quote(key, safe=SAFE + '/')}" if key else "")
        asked = "&".join(f"{quote(name, safe=SAFE)}={quote(query[name], safe=SAFE)}" for name in sorted(query))
        sent_path = "/".join(
            part.replace(".", "%2E") if part in (".", "..") else part for part in signed_path.split("/")
        )
        parts = urlsplit(self.base)
        url = f"{parts.scheme}://{parts.netloc}{sent_path}" + (f"?{asked}" if asked else "")
        headers = self._headers(parts.netloc, signed_path, asked, datetime.now(UTC))
        async with (
            httpx.AsyncClient(verify=trusted_certificates(), timeout=TIMEOUT_S, trust_env=False) as client,
            client.stream("GET", url, headers=headers) as response,
        ):
            if key and response.status_code == httpx.codes.NOT_FOUND:
                raise FileNotFoundError(key)
            response.raise_for_status()
            yield response

    def _headers(self, host: str, path: str, query: str, now: datetime) -> dict[str, str]:
        day, moment = f"{now:%Y%m%d}", f"{now:%Y%m%dT%H%M%SZ}"
        headers = {"host": host, "x-amz-content-sha256": EMPTY_SHA256, "x-amz-date": moment}
        if self.session:
            headers["x-amz-security-token"] = self.session
        names = ";".join(headers)
        lines = [*(f"{name}:{value}" for name, value in headers.items()), ""]
        request = "\n".join(["GET", path, query, *lines, names, EMPTY_SHA256])
        scope = f"{day}/{self.region}/s3/aws4_request"
        to_sign = "\n".join(["AWS4-HMAC-SHA256", moment, scope, hashlib.sha256(request.encode()).hexdigest()])
        key = f"AWS4{self.secret}".encode()
        for part in (day, self.region, "s3", "aws4_request"):
            key = hmac.digest(key, part.encode(), "sha256")
        signature = hmac.digest(key, to_sign.encode(), "sha256").hex()
        credential = f"Credential={self.key_id}/{scope}, SignedHeaders={names}, Signature={signature}"
        return headers | {"authorization": f"AWS4-HMAC-SHA256 {credential}"}


def _field(name: str, of: str) -> str:
    found = re.search(rf"<{name}>(.*?)</{name}>", of, re.DOTALL)
    return "" if found is None else found[1]
