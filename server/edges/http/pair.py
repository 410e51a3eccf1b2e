"""Two traces in one request: a multipart form with the files `before` and `after`, streamed, hashed, bounded."""

import hashlib
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import anyio.to_thread
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from server.edges.http.uploads import Upload, plain_name
from server.errors import BadRequest
from traces.errors import TraceTooLarge

FIELDS = ("before", "after")


@dataclass(slots=True)
class _Part:
    """One file that is being received."""

    file: IO[bytes]
    name: str | None = None
    written: int = 0
    digest: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    def append(self, data: bytes) -> None:
        self.digest.update(data)
        self.file.write(data)


@asynccontextmanager
async def received_pair(request: Request, *, scratch: Path, max_bytes: int) -> AsyncIterator[tuple[Upload, Upload]]:
    """The two files, as long as the context lasts. Raises BadRequest for another kind of body or a missing file,
    TraceTooLarge as soon as one of them passes the bound."""
    kind, options = parse_options_header(request.headers.get("content-type"))
    boundary = options.get(b"boundary", b"")
    if kind != b"multipart/form-data" or not boundary:
        raise BadRequest("Send a multipart form with the files `before` and `after`.", field="content-type")
    async with AsyncExitStack() as stack:
        parts = {
            name: _Part(stack.enter_context(tempfile.NamedTemporaryFile(dir=scratch, prefix="pair-")))  # noqa: SIM115
            for name in FIELDS
        }
        form = _Form(boundary)
        async for chunk in request.stream():
            for name, file_name, data in form.contents(chunk):
                part = parts.get(name)
                if part is None:
                    raise BadRequest(
                        f"The form has a field {name[:40]!r}; it takes `before` and `after`.", field="body"
                    )
                part.name = part.name or plain_name(file_name)
                part.written += len(data)
                if part.written > max_bytes:
                    raise TraceTooLarge(
                        f"{part.name} is larger than the {max_bytes / 1e6:,.0f} MB this server takes. "
                        "Record a shorter trace."
                    )
                await anyio.to_thread.run_sync(part.append, data)
        for name, part in parts.items():
            if part.name is None:
                raise BadRequest(f"The form has no file `{name}`.", field=name)
            await anyio.to_thread.run_sync(part.file.flush)
        before, after = (
            Upload(Path(part.file.name), part.name or name, part.digest.hexdigest(), part.written)
            for name, part in parts.items()
        )
        yield before, after


class _Form:
    """The fields of a multipart body, piece by piece."""

    def __init__(self, boundary: bytes) -> None:
        self._header, self._value, self._disposition = bytearray(), bytearray(), b""
        self._field, self._file_name = "", ""
        self._pieces: list[tuple[str, str, bytes]] = []
        self._parser = MultipartParser(
            boundary,
            {
                "on_header_field": lambda data, start, end: self._header.extend(data[start:end]),
                "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
                "on_header_end": self._header_ends,
                "on_headers_finished": self._headers_end,
                "on_part_data": lambda data, start, end: self._pieces.append(
                    (self._field, self._file_name, bytes(data[start:end]))
                ),
            },
        )

    def contents(self, chunk: bytes) -> list[tuple[str, str, bytes]]:
        """Field, file name and data of what this piece of the body holds. Raises BadRequest for a malformed body."""
        try:
            self._parser.write(chunk)
        except FormParserError as error:
            raise BadRequest("The multipart body is malformed.", field="body") from error
        pieces, self._pieces = self._pieces, []
        return pieces

    def _header_ends(self) -> None:
        if self._header.lower() == b"content-disposition":
            self._disposition = bytes(self._value)
        self._header.clear()
        self._value.clear()

    def _headers_end(self) -> None:
        _, options = parse_options_header(self._disposition)
        self._field = options.get(b"name", b"").decode("utf-8", "replace")
        self._file_name = options.get(b"filename", b"").decode("utf-8", "replace")
