"""A turn as it stands, folded from its events: what a late listener is shown and what is stored at the end are the
same thing.
"""

import uuid
from dataclasses import dataclass, field
from typing import assert_never

from server.ports.conversations import NewMessage, Sender
from server.protocol.events import (
    Interrupted,
    ModelChunkAppend,
    ModelChunkStart,
    ModelReading,
    ModelResponseEnd,
    ModelTextReset,
    SessionTitle,
    ToolError,
    ToolProgress,
    ToolResult,
    ToolStart,
    TurnCancelled,
    TurnEnd,
    TurnEvent,
    TurnFailed,
    TurnStarted,
    ViewerAction,
)
from server.protocol.server import TurnSnapshot
from server.protocol.wire_values import AskedOfPage, SnapshotMessage, SnapshotTool
from server.turns.lifecycle import State, seen_in
from server.turns.turn_pictures import picture_path

NOT_FINISHED = "Stopped before it had finished."
SEQS_PER_ATTEMPT = 1_000_000
"""Each attempt numbers its events in a block of its own, which is reserved by the attempt's number in `chat_turns`: far
more than the events of one turn (33 flushes a second)."""

_ROWS = uuid.UUID("6d6f9e0a-6f0b-4d52-9d0e-6a1c3f1f7b11")
"""Name space of the ids of tool rows: the same turn and call always give the same id."""


@dataclass(slots=True)
class _Text:
    message_id: str
    text: str = ""


@dataclass(slots=True)
class _Tool:
    start: ToolStart
    end: ToolResult | ToolError | None = None


@dataclass(slots=True)
class TurnView:
    """Give it every event, in order. `end` is the event that ended the turn, after which nothing changes it; `state` is
    what the events so far make of it, `asked_of_page` what it waits for; `model` and `prompt_version` are known from
    `turn_started` on.
    """

    turn_id: str
    session_id: str
    seq: int = 0
    attempt: int = 0
    model: str | None = None
    prompt_version: str | None = None
    title: str | None = None
    state: State = State.ACCEPTED
    end: TurnEnd | None = None
    asked_of_page: AskedOfPage | None = None
    _items: dict[str, _Text | _Tool] = field(default_factory=dict)

    @classmethod
    def at_start(cls, turn_id: str, session_id: str, attempt: int) -> "TurnView":
        """The view of an attempt before its first event."""
        return cls(turn_id, session_id, seq=max(attempt - 1, 0) * SEQS_PER_ATTEMPT, attempt=attempt)

    @classmethod
    def left_behind(cls, turn_id: str, session_id: str, attempts: int, published: TurnSnapshot | None) -> "TurnView":
        """Of a turn that had so many attempts and gets no other: what was published of it, numbered on in the next
        block, so that no number comes twice."""
        if published is None or published.turn_id != turn_id:
            return cls.at_start(turn_id, session_id, attempts + 1)
        view = cls.of_snapshot(published)
        view.seq, view.attempt = attempts * SEQS_PER_ATTEMPT, attempts + 1
        return view

    @classmethod
    def of_snapshot(cls, snapshot: TurnSnapshot) -> "TurnView":
        """What the snapshot was taken of; only the code of a failed tool is not in it."""
        view = cls(snapshot.turn_id, snapshot.session_id, snapshot.seq, snapshot.attempt, state=State.RUNNING)
        view.asked_of_page = snapshot.interrupt
        items: list[SnapshotMessage | SnapshotTool] = [*snapshot.messages, *snapshot.tools]
        for item in sorted(items, key=lambda item: item.position):
            if isinstance(item, SnapshotMessage):
                view._items[f"text {item.message_id}"] = _Text(item.message_id, item.text)
            else:
                view._items[f"tool {item.tool_call_id}"] = _of_card(item)
        return view

    def apply(self, event: TurnEvent) -> None:
        """Take in what follows; after the end nothing does."""
        if not self.state.has_ended:
            self.seq, self.state = max(self.seq, event.seq), seen_in(self.state, event)
            self.asked_of_page = _asked_by(event)
            self._take_in(event)

    def _take_in(self, event: TurnEvent) -> None:
        match event:
            case TurnStarted():
                self.attempt, self.model, self.prompt_version = event.attempt, event.model, event.prompt_version
            case ModelChunkStart() | ModelChunkAppend():
                message = self._message(event.message_id)
                message.text = message.text[: event.offset] + event.chunk
            case ModelTextReset():
                message = self._message(event.message_id)
                message.text = message.text[: event.offset]
            case ToolStart():
                self._items[f"tool {event.tool_call_id}"] = _Tool(event)
            case ToolResult() | ToolError():
                tool = self._items.get(f"tool {event.tool_call_id}")
                if isinstance(tool, _Tool):
                    tool.end = event
            case SessionTitle():
                self.title = event.title
            case ViewerAction() | ModelReading() | ToolProgress() | Interrupted():
                pass
            case ModelResponseEnd() | TurnCancelled() | TurnFailed():
                self.end = event
            case _:
                assert_never(event)

    @property
    def is_fresh(self) -> bool:
        """Whether this attempt has published nothing yet."""
        return self.seq % SEQS_PER_ATTEMPT == 0

    def begin_anew(self) -> None:
        """Nothing of what this attempt has published counts any more; its next event has the number after the next, as
        the snapshot that says so has a number, too."""
        self._items.clear()
        self.title = None
        self.asked_of_page = None
        self.seq += 1

    @property
    def replaces(self) -> bool:
        """Whether a later attempt has published nothing yet: what the earlier one published is to be replaced first."""
        return self.seq > 0 and self.seq % SEQS_PER_ATTEMPT == 0

    @property
    def delivered_anything(self) -> bool:
        """Whether any text or tool result reached the person."""
        return any(item.text.strip() if isinstance(item, _Text) else item.end for item in self._items.values())

    @property
    def last_message_id(self) -> str | None:
        """The newest message that holds text."""
        texts = [item.message_id for item in self._items.values() if isinstance(item, _Text) and item.text.strip()]
        return texts[-1] if texts else None

    def snapshot(self) -> TurnSnapshot:
        """The turn up to its end event, which is not part of it."""
        messages, tools = [], []
        for position, item in enumerate(self._items.values()):
            if isinstance(item, _Text):
                messages.append(SnapshotMessage(message_id=item.message_id, position=position, text=item.text))
            else:
                tools.append(_card(item, position))
        return TurnSnapshot(
            turn_id=self.turn_id,
            session_id=self.session_id,
            attempt=self.attempt,
            seq=self.seq if self.end is None else self.end.seq - 1,
            messages=messages,
            tools=tools,
            interrupt=self.asked_of_page,
        )

    def messages(self, account_id: str) -> tuple[NewMessage, ...]:
        """The rows to be stored, in order: texts, and for each tool call its request and its outcome (also when it
        was cut short).
        """
        rows: list[NewMessage] = []
        for item in self._items.values():
            if isinstance(item, _Tool):
                rows += self._tool_rows(item, account_id)
            elif item.text.strip():
                rows.append(NewMessage(message_id=item.message_id, sender=Sender.MODEL, text=item.text))
        return tuple(rows)

    def _message(self, message_id: str) -> _Text:
        item = self._items.setdefault(f"text {message_id}", _Text(message_id))
        assert isinstance(item, _Text)
        return item

    def _tool_rows(self, tool: _Tool, account_id: str) -> list[NewMessage]:
        start, end = tool.start, tool.end
        call = f"{self.turn_id}/{start.tool_call_id}"
        request = NewMessage(
            message_id=str(uuid.uuid5(_ROWS, f"{call}/request")),
            sender=Sender.TOOL_REQUEST,
            text=start.message,
            tool_name=start.tool_name,
            tool_call_id=start.tool_call_id,
            tool_args=start.args,
        )
        if isinstance(end, ToolResult):
            extra: dict[str, object] = {
                "result_type": end.result_type,
                "truncated": end.truncated,
                "ui_payload": end.ui_payload,
                "number": end.number,
            }
            table = {"table": end.table.model_dump(mode="json", by_alias=True)} if end.table else {}
            outcome = NewMessage(
                message_id=str(uuid.uuid5(_ROWS, f"{call}/outcome")),
                sender=Sender.TOOL_RESULT,
                text=end.text_content,
                image_path=picture_path(account_id, self.turn_id, end.tool_call_id) if end.image_url else None,
                tool_name=end.tool_name,
                tool_call_id=end.tool_call_id,
                tool_status=end.status,
                metadata={name: value for name, value in extra.items() if value} | table,
            )
        else:
            outcome = NewMessage(
                message_id=str(uuid.uuid5(_ROWS, f"{call}/outcome")),
                sender=Sender.TOOL_ERROR,
                text=end.message if end else NOT_FINISHED,
                tool_name=start.tool_name,
                tool_call_id=start.tool_call_id,
                tool_status="error",
                metadata={"code": end.code if end else "execution"},
            )
        return [request, outcome]


def _asked_by(event: TurnEvent) -> AskedOfPage | None:
    """What the turn waits for after this event: whatever follows an `interrupt` means that it goes on."""
    if not isinstance(event, Interrupted):
        return None
    return AskedOfPage.model_validate(event.model_dump(include=set(AskedOfPage.model_fields)))


def _card(tool: _Tool, position: int) -> SnapshotTool:
    start, end = tool.start, tool.end
    card = SnapshotTool(
        tool_call_id=start.tool_call_id,
        tool_name=start.tool_name,
        position=position,
        args=start.args,
        message=start.message,
        status="running",
    )
    match end:
        case None:
            return card
        case ToolError():
            return card.model_copy(update={"status": "error", "result_type": "text", "text_content": end.message})
        case ToolResult():
            shown = ("status", "result_type", "text_content", "image_url", "table", "ui_payload", "truncated")
            return card.model_copy(update={name: getattr(end, name) for name in shown})
        case _:
            assert_never(end)


def _of_card(card: SnapshotTool) -> _Tool:
    named = {"tool_call_id": card.tool_call_id, "tool_name": card.tool_name}
    tool = _Tool(ToolStart(**named, args=card.args, message=card.message))
    if card.status == "error":
        tool.end = ToolError(**named, code="execution", message=card.text_content or "")
    elif card.status != "running":
        tool.end = ToolResult(
            **named,
            status=card.status,
            result_type=card.result_type or "text",
            text_content=card.text_content or "",
            image_url=card.image_url,
            table=card.table,
            ui_payload=card.ui_payload,
            truncated=card.truncated,
        )
    return tool


def attempt_of(seq: int) -> int:
    """The attempt whose block holds this number."""
    return seq // SEQS_PER_ATTEMPT + 1
