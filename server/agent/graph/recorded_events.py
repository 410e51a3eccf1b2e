"""The events that a step of the graph has sent, kept with the step: whoever goes on after a crash knows what people
have seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import structlog
from pydantic import ValidationError

from server.agent.graph.state import TurnContext, TurnState
from server.agent.turn import TurnSink
from server.protocol.events import (
    TURN_EVENT,
    ModelChunkAppend,
    ModelChunkStart,
    ModelReading,
    ModelTextReset,
    ToolProgress,
    TurnEvent,
    TurnStarted,
)

log = structlog.get_logger(__name__)


class Node(Protocol):
    async def __call__(self, state: TurnState, context: TurnContext) -> dict[str, Any]: ...


class EventRecorder:
    """A TurnSink that records what it passes on to another one, the text of each message once."""

    def __init__(self, sink: TurnSink) -> None:
        self._sink = sink
        self._kept: list[TurnEvent | str] = []
        self._texts: dict[str, _MessageText] = {}

    async def emit(self, event: TurnEvent) -> None:
        if isinstance(event, ModelChunkStart | ModelChunkAppend | ModelTextReset):
            if event.message_id not in self._texts:
                self._texts[event.message_id] = _MessageText()
                self._kept.append(event.message_id)
            self._texts[event.message_id].put(event.offset, "" if isinstance(event, ModelTextReset) else event.chunk)
        elif not isinstance(event, TurnStarted | ModelReading | ToolProgress):  # each attempt says its own
            self._kept.append(event)
        await self._sink.emit(event)

    def restore(self, events: Sequence[TurnEvent]) -> None:
        self._sink.restore(events)

    def taken(self) -> list[dict[str, Any]]:
        """The events since the last time as JSON, the text of each message in one piece."""
        kept, texts = self._kept, self._texts
        self._kept, self._texts = [], {}
        complete = [
            ModelChunkStart(message_id=one, offset=0, chunk="".join(texts[one].pieces)) if isinstance(one, str) else one
            for one in kept
        ]
        return [event.model_dump(mode="json") for event in complete]


@dataclass(slots=True)
class _MessageText:
    """A message's text in the pieces that it came in."""

    pieces: list[str] = field(default_factory=list)
    length: int = 0

    def put(self, offset: int, piece: str) -> None:
        """The piece stands in place of all from the offset on."""
        if offset < self.length:
            self.pieces = ["".join(self.pieces)[:offset]]
            self.length = offset
        self.pieces.append(piece)
        self.length += len(piece)


def recorded(node: Node) -> Node:
    """The node, with the events that it sent in its update."""

    async def recording(state: TurnState, context: TurnContext) -> dict[str, Any]:
        update = await node(state, context)
        sink = context.sink
        return update | {"recorded_events": sink.taken()} if isinstance(sink, EventRecorder) else update

    return recording


def recorded_before(state: dict[str, Any]) -> list[TurnEvent]:
    """The events that earlier steps have sent, as far as this version knows them: in a rolling deploy a newer one may
    have recorded them."""
    found = (_known(event) for event in state.get("recorded_events", []))
    return [event for event in found if event is not None]


def _known(event: dict[str, Any]) -> TurnEvent | None:
    """Without fields that a newer version added; None for an event that this one does not know."""
    try:
        return TURN_EVENT.validate_python(event)
    except ValidationError:
        pass
    try:
        return TURN_EVENT.validate_python(event, extra="ignore")
    except ValidationError:
        log.warning("recorded_event_passed_over", type=event.get("type"))
        return None
