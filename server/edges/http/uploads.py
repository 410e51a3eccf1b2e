"""An upload that is being received: streamed to a file of bounded size, hashed as it passes, gone afterwards."""

import hashlib
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO

import anyio.to_thread
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from server.errors import BadRequest
from server.ports.identity import Caller
from traces.errors import TraceTooLarge

WRITE_BYTES = 1 << 20
"""Bytes written at once, in a thread: enough that changing threads costs nothing."""

MAX_NAME_CHARACTERS = 200
MULTIPART_OVERHEAD_BYTES = 64 << 10
"""What boundaries, part headers and small other fields may add to a multipart body."""
MAX_LABELS_BYTES = 32 << 10
"""Of the field `labels`, some times what labels may take."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A complete upload. The file lives as long as the context it came from. `labels` is a form's field, as it came."""

    path: Path
    name: str
    sha256: str
    size: int
    labels: bytes = b""


@asynccontextmanager
async def received(request: Request, *, scratch: Path, max_bytes: int) -> AsyncIterator[Upload]:
    """Take the body of a request: a multipart `file` field, or the raw bytes with `?name=`.

    Raises TraceTooLarge as soon as the bound is passed, BadRequest for a multipart body without a file.
    """
    kind, options = parse_options_header(request.headers.get("content-type"))
    asked_name = request.query_params.get("name")
    multipart = _FilePart(options.get(b"boundary", b"")) if kind == b"multipart/form-data" else None
    announced = int(request.headers.get("content-length", "0"))
    if announced > max_bytes + (MULTIPART_OVERHEAD_BYTES if multipart else 0):
        raise _too_large(plain_name(asked_name), max_bytes)
    with tempfile.NamedTemporaryFile(dir=scratch, prefix="upload-") as file:
        digest, written, pending = hashlib.sha256(), 0, bytearray()
        async for chunk in request.stream():
            pending += chunk if multipart is None else multipart.content_of(chunk)
            if written + len(pending) > max_bytes:
                raise _too_large(plain_name(asked_name or (multipart.file_name if multipart else None)), max_bytes)
            if len(pending) >= WRITE_BYTES:
                written += await anyio.to_thread.run_sync(_append, file, digest, bytes(pending))
                pending.clear()
        written += await anyio.to_thread.run_sync(_append, file, digest, bytes(pending))
        await anyio.to_thread.run_sync(file.flush)
        if multipart is not None and multipart.file_name is None:
            raise BadRequest("The form has no field `file` with a file in it.", field="file")
        name = plain_name(asked_name or (multipart.file_name if multipart else None))
        yield Upload(Path(file.name), name, digest.hexdigest(), written, multipart.labels if multipart else b"")


class UploadsUnderWay:
    """Uploads that this process has received completely, by their sender and the id that they gave them."""

    def __init__(self) -> None:
        self._uploads: dict[tuple[str, str], Upload] = {}

    @contextmanager
    def hold(self, caller: Caller, upload_id: str | None, upload: Upload) -> Iterator[None]:
        """Let its sender find it as long as the context lasts; without an id nobody asks."""
        key = (caller.user_id, upload_id or "")
        if upload_id is None or key in self._uploads:
            yield
            return
        self._uploads[key] = upload
        try:
            yield
        finally:
            del self._uploads[key]

    def of(self, caller: Caller) -> list[tuple[str, Upload]]:
        """The caller's, by their ids, in the order of their arrival."""
        return [(upload_id, one) for (user_id, upload_id), one in self._uploads.items() if user_id == caller.user_id]


def plain_name(name: str | None) -> str:
    """A file's name as it is stored and shown: without folders and control characters, of bounded length."""
    last = PurePath((name or "").replace("\\", "/")).name
    shown = "".join(character for character in last if character.isprintable()).strip()
    return shown[:MAX_NAME_CHARACTERS] or "trace"


class _FilePart:
    """The content of the `file` field of a multipart body, piece by piece, and `labels` as a field; others are passed
    over."""

    def __init__(self, boundary: bytes) -> None:
        if not boundary:
            raise BadRequest("A multipart body needs its boundary in the Content-Type.", field="content-type")
        self.file_name: str | None = None
        self._inside = self._in_labels = False
        self._labels = bytearray()
        self._header, self._value, self._disposition = bytearray(), bytearray(), b""
        self._content = bytearray()
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._part_begins,
                "on_header_field": lambda data, start, end: self._header.extend(data[start:end]),
                "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
                "on_header_end": self._header_ends,
                "on_headers_finished": self._headers_end,
                "on_part_data": self._part_data,
            },
        )

    def content_of(self, chunk: bytes) -> bytes:
        """What of this piece of the body belongs to the file. Raises BadRequest for a malformed body."""
        try:
            self._parser.write(chunk)
        except FormParserError as error:
            raise BadRequest("The multipart body is malformed.", field="body") from error
        if len(self._labels) > MAX_LABELS_BYTES:
            raise BadRequest(f"The field labels has more than {MAX_LABELS_BYTES:,} bytes.", field="labels")
        content = bytes(self._content)
        self._content.clear()
        return content

    @property
    def labels(self) -> bytes:
        """What the field `labels` had, nothing where there was none."""
        return bytes(self._labels)

    def _part_begins(self) -> None:
        self._disposition = b""

    def _header_ends(self) -> None:
        if self._header.lower() == b"content-disposition":
            self._disposition = bytes(self._value)
        self._header.clear()
        self._value.clear()

    def _headers_end(self) -> None:
        _, options = parse_options_header(self._disposition)
        self._inside = self.file_name is None and options.get(b"name") == b"file"
        if self._inside:
            self.file_name = options.get(b"filename", b"").decode("utf-8", "replace")
        self._in_labels = options.get(b"name") == b"labels"

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        if self._inside:
            self._content += data[start:end]
        elif self._in_labels:
            self._labels += data[start:end]


def _append(file: IO[bytes], digest: "hashlib._Hash", data: bytes) -> int:
    digest.update(data)
    return file.write(data)


def _too_large(name: str, max_bytes: int) -> TraceTooLarge:
    return TraceTooLarge(
        f"{name} is larger than the {max_bytes / 1e6:,.0f} MB this server takes. Record a shorter trace."
    )
