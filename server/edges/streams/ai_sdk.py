"""The UI message stream of AI SDK 5 to 7: server-sent events, ended by `[DONE]`.

An answer is one message whose id is the turn's. Tools are `dynamic` (the client does not declare them) and
`providerExecuted` (it never runs them, and sends nothing by itself when they have ended).
"""

from typing import Any, ClassVar, assert_never

from server.edges.streams.appended_parts import APPROVAL, Asked, Part, TextAdded, ToolBegan, ToolEnded
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
from server.protocol.wire_values import OutsideSource

DONE = b"data: [DONE]\n\n"


class AiSdkFrames:
    """Of one answer."""

    headers: ClassVar[dict[str, str]] = {
        "Content-Type": "text/event-stream; charset=utf-8",
        "x-vercel-ai-ui-message-stream": "v1",
    }
    keep_alive = b": \n\n"

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses
        self._turn: TurnRow | None = None
        self._text: tuple[str, int] | None = None
        self._text_id = b""
        self._used_tools = False

    def start(self, turn: TurnRow) -> bytes:
        self._turn = turn
        ids = {"turnId": turn.turn_id, "sessionId": turn.session_id, "traceId": turn.trace_id}
        start = {"type": "start", "messageId": turn.turn_id, "messageMetadata": ids}
        return server_sent(start, {"type": "start-step"})

    def part(self, part: Part) -> bytes:
        match part:
            case TextAdded():
                return self._open_text(part) + b'data: {"type":"text-delta","id":%b,"delta":%b}\n\n' % (
                    self._text_id,
                    to_json(part.text),
                )
            case ToolBegan():
                call_id = call_id_of(self._turn, part)
                named = {"toolCallId": call_id, "toolName": part.name, "providerExecuted": True, "dynamic": True}
                opened = {"type": "tool-input-start"} | named
                self._used_tools = True
                known = {"type": "tool-input-available"} | named | {"input": part.args}
                return self._close_text() + server_sent(opened, known)
            case ToolEnded():
                return self._tool_ended(part)
            case Asked():
                return self._asked(part)
            case ViewerAction():
                action = part.model_dump(mode="json", by_alias=True, exclude={"type", "turn_id", "session_id", "seq"})
                return server_sent({"type": "data-viewer", "data": action})
            case ModelResponseEnd():
                return self._completed(part)
            case TurnCancelled():
                ended = [{"type": "finish-step"}, {"type": "abort", "reason": "turn_cancelled"}]
                return self._close_text() + server_sent(*ended) + DONE
            case TurnFailed():
                return self.refused(failure(part))
            case _:
                assert_never(part)

    def refused(self, refused: Refused) -> bytes:
        start = b"" if self._turn else server_sent({"type": "start"})
        error = [{"type": "data-error", "data": refused.details}, {"type": "error", "errorText": refused.text}]
        return start + self._close_text() + server_sent(*error) + DONE

    def _asked(self, part: Asked) -> bytes:
        """The call is the client's from here on: it answers with the tool's output, or allows it."""
        call_id = call_id_of(self._turn, part)
        if part.name == APPROVAL and takes_approvals(self._turn):
            return self._approval(part, call_id)
        named = {"toolCallId": call_id, "toolName": part.name, "providerExecuted": False, "dynamic": True}
        call = {"type": "tool-input-available"} | named | {"input": part.args}
        finish = {"type": "finish", "finishReason": "tool-calls"}
        return self._close_text() + server_sent(call, {"type": "finish-step"}, finish) + DONE

    def _approval(self, part: Asked, call_id: str) -> bytes:
        """Of AI SDK 6 and later: the call with all that would leave, and the request to allow it."""
        name = f"{part.args.get('server')}_{part.args.get('tool')}"
        named = {"toolCallId": call_id, "toolName": name, "providerExecuted": False, "dynamic": True}
        call = {"type": "tool-input-available"} | named | {"input": part.args.get("arguments")}
        request = {"type": "tool-approval-request", "approvalId": call_id, "toolCallId": call_id}
        finish = {"type": "finish", "finishReason": "tool-calls"}
        return self._close_text() + server_sent(call, request, {"type": "finish-step"}, finish) + DONE

    def _tool_ended(self, part: ToolEnded) -> bytes:
        call_id = call_id_of(self._turn, part)
        named: dict[str, Any] = {"toolCallId": call_id, "providerExecuted": True, "dynamic": True}
        if part.status == "error":
            return server_sent({"type": "tool-output-error"} | named | {"errorText": part.text})
        output = {"status": part.status, "text": part.text, "truncated": part.truncated}
        frames: list[dict[str, Any]] = [{"type": "tool-output-available"} | named | {"output": output}]
        if part.table is not None:
            frames.append({"type": "data-table", "id": call_id, "data": table_of(call_id, part.table)})
        if part.picture is not None:
            frames.append({"type": "file", "url": self._addresses.picture(part.picture), "mediaType": PICTURE})
        return server_sent(*frames)

    def _completed(self, end: ModelResponseEnd) -> bytes:
        assert self._turn is not None
        sources = [
            {
                "type": "source-url",
                "sourceId": one.handle,
                "url": self._addresses.cited(self._turn, one),
                "title": source_title(one),
            }
            for one in end.citations
            if one.kind == "trace"
        ]
        sources += [outside_source(number, one) for number, one in enumerate(end.sources, 1)]
        wire = end.model_dump(mode="json", by_alias=True, include={"checks", "usage", "suggestions", "partial"})
        checked = wire.pop("checks")
        checks = [{"type": "data-checks", "data": checked}] if checked else []
        finish = {"type": "finish", "finishReason": "stop", "messageMetadata": wire | {"answerId": end.message_id}}
        return self._close_text() + server_sent(*sources, *checks, {"type": "finish-step"}, finish) + DONE

    def _open_text(self, part: TextAdded) -> bytes:
        """Text after tools is another step."""
        if self._text == (part.message_id, part.version):
            return b""
        before = self._close_text()
        if self._used_tools:
            before += server_sent({"type": "finish-step"}, {"type": "start-step"})
            self._used_tools = False
        self._text = (part.message_id, part.version)
        text_id = part.message_id if not part.version else f"{part.message_id}.{part.version}"
        self._text_id = to_json(text_id)
        of = {"flamechat": {"messageId": part.message_id, "version": part.version}}
        return before + server_sent({"type": "text-start", "id": text_id, "providerMetadata": of})

    def _close_text(self) -> bytes:
        if self._text is None:
            return b""
        self._text = None
        return b'data: {"type":"text-end","id":%b}\n\n' % self._text_id


def outside_source(number: int, source: OutsideSource) -> dict[str, str]:
    """One of the answer's, whom it asked outside."""
    named = {"sourceId": f"outside-{number}", "title": source.name}
    if source.url is None:
        return {"type": "source-document", "mediaType": "text/plain"} | named
    return {"type": "source-url", "url": source.url} | named


def takes_approvals(turn: TurnRow | None) -> bool:
    """Whether the client has mounted `approve_call` with the context `{form: "approval"}`: a version before 6 takes a
    request for approval for an error."""
    mounted = [] if turn is None else turn.context.get("mountedTools") or []
    return any(
        isinstance(one, dict) and one.get("name") == APPROVAL and (one.get("context") or {}).get("form") == "approval"
        for one in mounted
    )
