"""A turn as clients read it that can only append: texts, tool calls with their outcomes, and how it ended.

Our events set text at an offset and may take some back; a snapshot may stand for any number of them. What comes out is
only what the client does not have yet. Text of blanks alone waits, since it is not stored. A text of which something
was sent that no longer counts is sent again from its start, as its next version.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from server.protocol.events import (
    ModelChunkAppend,
    ModelChunkStart,
    ModelResponseEnd,
    ModelTextReset,
    ToolError,
    ToolResult,
    ToolStart,
    TurnCancelled,
    TurnEvent,
    TurnFailed,
    ViewerAction,
)
from server.protocol.server import TurnSnapshot
from server.protocol.wire_values import SnapshotMessage, SnapshotTool, Table


@dataclass(frozen=True, slots=True)
class TextAdded:
    """`version` counts up where a text replaces what was sent of the same message."""

    message_id: str
    version: int
    text: str


@dataclass(frozen=True, slots=True)
class ToolBegan:
    call_id: str
    name: str
    args: dict[str, object]
    message: str


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """`text` is what the model was given."""

    call_id: str
    name: str
    status: str
    text: str
    truncated: bool = False
    picture: str | None = None
    table: Table | None = None


Part = TextAdded | ToolBegan | ToolEnded | ViewerAction | ModelResponseEnd | TurnCancelled | TurnFailed


@dataclass(slots=True)
class _Text:
    """`text` is what counts, `sent` what the client has of this version."""

    text: str = ""
    sent: str = ""
    version: int = 0


@dataclass(slots=True)
class TurnParts:
    """Of one listener."""

    _texts: dict[str, _Text] = field(default_factory=dict)
    _began: set[str] = field(default_factory=set)
    _ended: set[str] = field(default_factory=set)

    def take(self, event: TurnEvent | TurnSnapshot) -> Iterator[Part]:
        """What the client gets of it."""
        match event:
            case ModelChunkStart() | ModelChunkAppend():
                yield from self._add(event.message_id, event.offset, event.chunk)
            case ModelTextReset():
                if (known := self._texts.get(event.message_id)) is not None:
                    known.text = known.text[: event.offset]
            case ToolStart() | ToolResult() | ToolError():
                yield from self._tool(event)
            case ModelResponseEnd() | TurnCancelled() | TurnFailed():
                yield from self._settled()
                yield event
            case TurnSnapshot():
                items: list[SnapshotMessage | SnapshotTool] = [*event.messages, *event.tools]
                for item in sorted(items, key=lambda item: item.position):
                    yield from self._seen(item)
            case ViewerAction():
                yield event
            case _:
                return

    def _tool(self, event: ToolStart | ToolResult | ToolError) -> Iterator[Part]:
        named = (event.tool_call_id, event.tool_name)
        match event:
            case ToolStart():
                yield from self._settled()
                yield from self._begin(ToolBegan(*named, event.args, event.message))
            case ToolError():
                yield from self._end(ToolEnded(*named, "error", event.message))
            case ToolResult():
                text, truncated = event.text_content, event.truncated
                yield from self._end(ToolEnded(*named, event.status, text, truncated, event.image_url, event.table))

    def _seen(self, item: SnapshotMessage | SnapshotTool) -> Iterator[Part]:
        if isinstance(item, SnapshotMessage):
            known = self._texts.setdefault(item.message_id, _Text())
            known.text = item.text
            yield from _news(item.message_id, known)
            return
        named = (item.tool_call_id, item.tool_name)
        yield from self._begin(ToolBegan(*named, item.args, item.message))
        if item.status != "running":
            text = item.text_content or ""
            yield from self._end(ToolEnded(*named, item.status, text, item.truncated, item.image_url, item.table))

    def _add(self, message_id: str, offset: int, chunk: str) -> Iterator[Part]:
        known = self._texts.get(message_id)
        if known is None:
            known = self._texts[message_id] = _Text()
        if offset == len(known.text) == len(known.sent) and (known.sent or not chunk.isspace()):
            known.text = known.sent = known.text + chunk
            yield TextAdded(message_id, known.version, chunk)
            return
        known.text = known.text[:offset] + chunk
        yield from _news(message_id, known)

    def _begin(self, tool: ToolBegan) -> Iterator[Part]:
        if tool.call_id not in self._began:
            self._began.add(tool.call_id)
            yield tool

    def _end(self, tool: ToolEnded) -> Iterator[Part]:
        if tool.call_id not in self._ended:
            self._ended.add(tool.call_id)
            yield tool

    def _settled(self) -> Iterator[Part]:
        """Texts that were taken back and have not grown again are shorter than what was sent."""
        for message_id, known in self._texts.items():
            if known.text != known.sent and known.sent:
                yield _replaced(message_id, known)


def _news(message_id: str, known: _Text) -> Iterator[Part]:
    if known.text == known.sent or known.sent.startswith(known.text) or known.text.isspace():
        return
    if known.text.startswith(known.sent):
        added, known.sent = known.text[len(known.sent) :], known.text
        yield TextAdded(message_id, known.version, added)
    else:
        yield _replaced(message_id, known)


def _replaced(message_id: str, known: _Text) -> TextAdded:
    known.version, known.sent = known.version + 1, known.text
    return TextAdded(message_id, known.version, known.text)
