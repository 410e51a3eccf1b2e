"""AG-UI 1.0: server-sent events of a run. What it has no event for (checks, viewer, tables, pictures, sources) are
`CUSTOM` events.
"""

from typing import Any, ClassVar, assert_never

from server.edges.streams.appended_parts import Asked, Part, TextAdded, ToolBegan, ToolEnded
from server.edges.streams.frames import (
    PICTURE,
    Addresses,
    Refused,
    call_id_of,
    failure,
    server_sent,
    source_title,
    table_of,
    to_json,
)
from server.ports.conversations import TurnRow
from server.protocol.events import ModelResponseEnd, TurnCancelled, TurnFailed, ViewerAction


class AgUiFrames:
    """Of one run."""

    headers: ClassVar[dict[str, str]] = {"Content-Type": "text/event-stream; charset=utf-8"}
    keep_alive = b": \n\n"

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses
        self._run = {"threadId": "", "runId": ""}
        self._turn: TurnRow | None = None
        self._text: tuple[str, int] | None = None
        self._text_id = b""

    def run_as(self, thread_id: str, run_id: str) -> None:
        """The client's own ids, which its events carry."""
        self._run = {"threadId": thread_id, "runId": run_id}

    def start(self, turn: TurnRow) -> bytes:
        self._turn = turn
        ids = {"turnId": turn.turn_id, "sessionId": turn.session_id, "traceId": turn.trace_id}
        return server_sent({"type": "RUN_STARTED"} | self._run, _custom("turn", ids))

    def part(self, part: Part) -> bytes:
        match part:
            case TextAdded():
                return self._open_text(
                    part
                ) + b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":%b,"delta":%b}\n\n' % (
                    self._text_id,
                    to_json(part.text),
                )
            case ToolBegan():
                call_id = call_id_of(self._turn, part)
                opened = {"type": "TOOL_CALL_START", "toolCallId": call_id, "toolCallName": part.name}
                args = {"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": to_json(part.args).decode()}
                ended = {"type": "TOOL_CALL_END", "toolCallId": call_id}
                return self._close_text() + server_sent(opened, args, ended)
            case ToolEnded():
                return self._close_text() + self._tool_ended(part)
            case Asked():
                pending: dict[str, Any] = {"type": "success", "pendingToolCallIds": [call_id_of(self._turn, part)]}
                finished = {"type": "RUN_FINISHED", "outcome": pending} | self._run
                return self._close_text() + server_sent(finished)
            case ViewerAction():
                action = part.model_dump(mode="json", by_alias=True, exclude={"type", "turn_id", "session_id", "seq"})
                return server_sent(_custom("viewer", action))
            case ModelResponseEnd():
                return self._completed(part)
            case TurnCancelled():
                stopped: dict[str, Any] = {"type": "RUN_FINISHED", "outcome": {"type": "cancelled"}}
                return self._close_text() + server_sent(stopped | self._run)
            case TurnFailed():
                return self.refused(failure(part))
            case _:
                assert_never(part)

    def refused(self, refused: Refused) -> bytes:
        started = [] if self._turn else [{"type": "RUN_STARTED"} | self._run]
        error = {"type": "RUN_ERROR", "message": refused.message, "code": refused.code}
        return self._close_text() + server_sent(*started, _custom("error", refused.details), error)

    def _tool_ended(self, part: ToolEnded) -> bytes:
        call_id = call_id_of(self._turn, part)
        result = {
            "type": "TOOL_CALL_RESULT",
            "messageId": f"{call_id}/result",
            "toolCallId": call_id,
            "content": part.text,
            "role": "tool",
        }
        frames: list[dict[str, Any]] = [result]
        if part.table is not None:
            frames.append(_custom("table", table_of(call_id, part.table)))
        if part.picture is not None:
            picture = {"toolCallId": call_id, "url": self._addresses.picture(part.picture), "mediaType": PICTURE}
            frames.append(_custom("file", picture))
        if part.status != "success":
            frames.append(_custom("tool-status", {"toolCallId": call_id, "status": part.status}))
        return server_sent(*frames)

    def _completed(self, end: ModelResponseEnd) -> bytes:
        assert self._turn is not None
        frames: list[dict[str, Any]] = []
        if end.citations or end.sources:
            sources: list[dict[str, str | None]] = [
                {"id": one.handle, "url": self._addresses.cited(self._turn, one), "title": source_title(one)}
                for one in end.citations
                if one.kind == "trace"
            ]
            sources += [
                {"id": f"outside-{number}", "url": one.url, "title": one.name}
                for number, one in enumerate(end.sources, 1)
            ]
            frames.append(_custom("sources", sources))
        wire = end.model_dump(mode="json", by_alias=True, include={"checks", "usage", "suggestions", "partial"})
        checks = wire.pop("checks")
        if checks:
            frames.append(_custom("checks", checks))
        result = wire | {"answerId": end.message_id}
        finished = {"type": "RUN_FINISHED", "result": result} | self._run
        return self._close_text() + server_sent(*frames, finished)

    def _open_text(self, part: TextAdded) -> bytes:
        """Of a text that is sent once more, the message before it is named: it does not count."""
        if self._text == (part.message_id, part.version):
            return b""
        before = self._close_text()
        self._text = (part.message_id, part.version)
        text_id = _text_id(part.message_id, part.version)
        self._text_id = to_json(text_id)
        if part.version:
            replaced = {"messageId": _text_id(part.message_id, part.version - 1), "by": text_id}
            before += server_sent(_custom("replaced", replaced))
        return before + server_sent({"type": "TEXT_MESSAGE_START", "messageId": text_id, "role": "assistant"})

    def _close_text(self) -> bytes:
        if self._text is None:
            return b""
        self._text = None
        return b'data: {"type":"TEXT_MESSAGE_END","messageId":%b}\n\n' % self._text_id


def _text_id(message_id: str, version: int) -> str:
    return f"{message_id}.{version}" if version else message_id


def _custom(name: str, value: Any) -> dict[str, Any]:
    return {"type": "CUSTOM", "name": name, "value": value}
