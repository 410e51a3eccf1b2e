"""What the encoders of the protocols share: which answer a client gets to what was refused, and our addresses."""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import msgspec

from server.edges.streams.appended_parts import Asked, Part, ToolBegan, ToolEnded
from server.edges.ws.answers import answer_to
from server.errors import ServerError
from server.ports.conversations import TurnRow
from server.protocol.events import TurnFailed
from server.protocol.server import ChatError
from server.protocol.wire_values import Citation, Table
from traces.errors import TraceError

PICTURE = "image/png"


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a prompt was refused or a turn failed; `details` are the fields of our own message."""

    code: str
    message: str
    details: dict[str, Any]

    @property
    def text(self) -> str:
        """For protocols whose errors are one text: the code comes first, for programs."""
        return f"{self.code}: {self.message}"


class Frames(Protocol):
    """One answer in one protocol. It begins with `start`, ends with the part that ends the turn, or with `refused`."""

    headers: ClassVar[dict[str, str]]
    keep_alive: bytes
    """What may be sent at any time, and says nothing."""

    def start(self, turn: TurnRow) -> bytes: ...

    def part(self, part: Part) -> bytes: ...

    def refused(self, refused: Refused) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Addresses:
    """Of this server, as the client reaches it."""

    origin: str

    def picture(self, path: str) -> str:
        return f"{self.origin}{path}" if path.startswith("/") else path

    def cited(self, turn: TurnRow, citation: Citation) -> str:
        """The place in the viewer."""
        return f"{self.origin}/t/{turn.trace_id}/{turn.session_id}#{citation.handle}"


def source_title(citation: Citation) -> str:
    place = "" if citation.file is None else citation.file + ("" if citation.line is None else f":{citation.line}")
    return f"{citation.name} ({place})" if place else citation.name


def call_id_of(turn: TurnRow | None, part: ToolBegan | ToolEnded | Asked) -> str:
    """Our calls are numbered in each turn, and clients keep theirs by conversation."""
    assert turn is not None, "a turn begins with its start"
    return f"{turn.turn_id}/{part.call_id}"


def table_of(call_id: str, table: Table) -> dict[str, Any]:
    return {"toolCallId": call_id, "columns": table.columns, "rows": table.rows}


def refusal(error: ServerError | TraceError) -> Refused:
    """As the socket's `protocol_error` and `chat_error` have it."""
    answer = answer_to(error)
    details = answer.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"type"})
    code = answer.error_code if isinstance(answer, ChatError) else answer.code
    return Refused(code, str(error), {"code": code} | details)


def failure(event: TurnFailed) -> Refused:
    details = {"code": event.code, "message": event.message, "retryable": event.retryable}
    return Refused(event.code, event.message, details)


def to_json(value: Any) -> bytes:
    return msgspec.json.encode(value)


def server_sent(*values: Any) -> bytes:
    """Each an event of `text/event-stream` (HTML Standard, 9.2)."""
    return b"".join(b"data: " + to_json(value) + b"\n\n" for value in values)
