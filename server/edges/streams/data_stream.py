"""assistant-ui's data stream: lines of a code and JSON. Why it is written here and not by `assistant-stream`:
docs/decisions/0019-frames-of-our-own.md.
"""

from typing import Any, ClassVar, assert_never

from server.edges.streams.appended_parts import Asked, Part, TextAdded, ToolBegan, ToolEnded
from server.edges.streams.frames import (
    PICTURE,
    Addresses,
    Refused,
    call_id_of,
    failure,
    source_title,
    table_of,
    to_json,
)
from server.ports.conversations import TurnRow
from server.protocol.events import ModelResponseEnd, TurnCancelled, TurnFailed, ViewerAction


class DataStreamFrames:
    """Of one answer."""

    headers: ClassVar[dict[str, str]] = {"Content-Type": "text/plain; charset=utf-8", "x-vercel-ai-data-stream": "v1"}
    keep_alive = b"2:[]\n"

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses
        self._turn: TurnRow | None = None
        self._versions: dict[str, int] = {}

    def start(self, turn: TurnRow) -> bytes:
        self._turn = turn
        return _line("f", {"messageId": turn.turn_id})

    def part(self, part: Part) -> bytes:
        match part:
            case TextAdded():
                return self._replaced(part) + _line("0", part.text)
            case ToolBegan():
                call_id = call_id_of(self._turn, part)
                args = to_json(part.args).decode()
                began = _line("b", {"toolCallId": call_id, "toolName": part.name})
                return began + _line("c", {"toolCallId": call_id, "argsTextDelta": args, "isFinal": True})
            case ToolEnded():
                return self._tool_ended(part)
            case Asked():
                return _end("tool-calls")
            case ViewerAction():
                action = part.model_dump(mode="json", by_alias=True, exclude={"type", "turn_id", "session_id", "seq"})
                return _data("viewer", action)
            case ModelResponseEnd():
                return self._completed(part)
            case TurnCancelled():
                return _end("other")
            case TurnFailed():
                return self.refused(failure(part))
            case _:
                assert_never(part)

    def _replaced(self, part: TextAdded) -> bytes:
        """Of a text that is sent once more: the text part before this one does not count."""
        before = self._versions.get(part.message_id, 0)
        self._versions[part.message_id] = part.version
        return b"" if part.version == before else _data("replaced", {"messageId": part.message_id})

    def refused(self, refused: Refused) -> bytes:
        return _data("error", refused.details) + _line("3", refused.text) + _end("error")

    def _tool_ended(self, part: ToolEnded) -> bytes:
        call_id = call_id_of(self._turn, part)
        if part.status == "error":
            return _line("a", {"toolCallId": call_id, "result": part.text, "isError": True})
        result = {"status": part.status, "text": part.text, "truncated": part.truncated}
        frames = _line("a", {"toolCallId": call_id, "result": result})
        if part.table is not None:
            frames += _data("table", table_of(call_id, part.table))
        if part.picture is not None:
            frames += _line("k", {"data": self._addresses.picture(part.picture), "mimeType": PICTURE})
        return frames

    def _completed(self, end: ModelResponseEnd) -> bytes:
        assert self._turn is not None
        frames = b""
        for one in (citation for citation in end.citations if citation.kind == "trace"):
            url = self._addresses.cited(self._turn, one)
            frames += _line("h", {"sourceType": "url", "id": one.handle, "url": url, "title": source_title(one)})
        for number, source in enumerate(end.sources, 1):
            named = {"id": f"outside-{number}", "title": source.name}
            if source.url is not None:
                frames += _line("h", {"sourceType": "url", "url": source.url} | named)
            else:
                frames += _data("source", named)
        if end.checks:
            checks = end.model_dump(mode="json", by_alias=True, include={"checks"})["checks"]
            frames += _data("checks", checks)
        return frames + _end("stop", end.usage.input_tokens or 0, end.usage.output_tokens or 0)


def _line(code: str, value: Any) -> bytes:
    return code.encode() + b":" + to_json(value) + b"\n"


def _data(name: str, data: Any) -> bytes:
    return _line("aui-data", {"name": name, "data": data})


def _end(reason: str, read: int = 0, written: int = 0) -> bytes:
    usage = {"inputTokens": read, "outputTokens": written}
    step = _line("e", {"finishReason": reason, "usage": usage, "isContinued": False})
    return step + _line("d", {"finishReason": reason, "usage": usage})
