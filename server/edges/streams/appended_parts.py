"""A turn as clients read it that can only append: texts, tool calls with their outcomes, and how it ended.

Our events set text at an offset and may take some back; a snapshot may stand for any number of them. What comes out is
only what the client does not have yet. Text of blanks alone waits, since it is not stored. A text of which something
was sent that no longer counts is sent again from its start, as its next version.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from server.protocol.events import (
    Interrupted,
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
from server.protocol.wire_values import AskedOfPage, SnapshotMessage, SnapshotTool, Table

APPROVAL = "approve_call"


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


@dataclass(frozen=True, slots=True)
class Asked:
    """The turn waits for the client's answer to this call; what follows comes with that."""

    call_id: str
    name: str
    args: dict[str, object]


Part = TextAdded | ToolBegan | ToolEnded | Asked | ViewerAction | ModelResponseEnd | TurnCancelled | TurnFailed


@dataclass(slots=True)
class _Text:
    """`text` is what counts, `sent` what the client has of this version."""

    text: str = ""
    sent: str = ""
    version: int = 0


@dataclass(slots=True)
class TurnParts:
    """Of one listener. One who has just answered a question has everything before that call, and the outcomes of
    `answers`."""

    answers: frozenset[str] = frozenset()
    answered: AskedOfPage | None = None
    _texts: dict[str, _Text] = field(default_factory=dict)
    _began: set[str] = field(default_factory=set)
    _ended: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Who has allowed a call has it, and not yet its outcome."""
        if self.answered is not None and self.answered.tool_name == APPROVAL:
            self._began.add(self.answered.tool_call_id)
            self.answers -= {self.answered.tool_call_id}

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
                yield from self._snapshot(event)
            case ViewerAction() | Interrupted():
                yield from self._of_viewer(event)
            case _:
                return

    def _of_viewer(self, event: ViewerAction | Interrupted) -> Iterator[Part]:
        if isinstance(event, Interrupted):
            yield from self._settled()
            yield from self._ask(event)
        else:
            yield event

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

    def _snapshot(self, snapshot: TurnSnapshot) -> Iterator[Part]:
        items: list[SnapshotMessage | SnapshotTool] = [*snapshot.messages, *snapshot.tools]
        for item in sorted(items, key=lambda item: item.position):
            yield from self._seen(item, before=self._place_of_answer(snapshot))
        if snapshot.interrupt is not None:
            yield from self._ask(snapshot.interrupt)

    def _place_of_answer(self, snapshot: TurnSnapshot) -> int:
        call = None if self.answered is None else self.answered.tool_call_id
        return next((tool.position for tool in snapshot.tools if tool.tool_call_id == call), -1)

    def _ask(self, asked: AskedOfPage) -> Iterator[Part]:
        if self.answered is None or self.answered.interrupt_id != asked.interrupt_id:
            yield Asked(asked.tool_call_id, asked.tool_name, asked.args)

    def _seen(self, item: SnapshotMessage | SnapshotTool, *, before: int) -> Iterator[Part]:
        if isinstance(item, SnapshotMessage):
            if item.position < before:
                self._texts.setdefault(item.message_id, _Text(item.text, item.text))
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
        if tool.call_id not in self._began and tool.call_id not in self.answers:
            self._began.add(tool.call_id)
            yield tool

    def _end(self, tool: ToolEnded) -> Iterator[Part]:
        if tool.call_id not in self._ended and tool.call_id not in self.answers:
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
