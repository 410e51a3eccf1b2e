"""From the agent to the relay: numbers a turn's events and coalesces its text, so that a fast model costs one frame
per flush.
"""

import asyncio
from collections.abc import Sequence

from server.cleaning import HALF, REPLACEMENT, clean_json
from server.ports.relay import Relay
from server.protocol.events import ModelChunkAppend, ModelChunkStart, TurnEvent
from server.turns.view_of_turn import TurnView

FLUSH_S = 0.02
"""After text that was sent, how long more text may wait; with what an executor joins 30 ms, below what an eye sees as a
pause."""

MAX_CHUNK_CHARACTERS = 16_000
"""Text that waits is sent when it has grown so long: one frame stays far below what any client takes."""


class RelaySink:
    """A TurnSink. Events go out in the order they came; `view` holds what went out. Of a later attempt, a snapshot
    goes out first."""

    def __init__(self, relay: Relay, view: TurnView, *, flush_s: float = FLUSH_S) -> None:
        self.view = view
        self._relay = relay
        self._flush_s = flush_s
        self._text: ModelChunkAppend | None = None
        self._order = asyncio.Lock()
        self._timer: asyncio.Task[None] | None = None
        self._due = 0.0
        self._replaces = False

    def restore(self, events: Sequence[TurnEvent]) -> None:
        """Take up what an earlier attempt has published and this one keeps: before anything is emitted. Later it takes
        back what was, in favour of these events: a snapshot goes out before the next one."""
        if not self.view.is_fresh:
            self._text = None
            self.view.begin_anew()
            self._replaces = True
        for event in events:
            self.view.apply(event)

    async def emit(self, event: TurnEvent) -> None:
        event = _sendable(event)
        async with self._order:
            if isinstance(event, ModelChunkAppend):
                if self._text is not None and _follows(self._text, event):
                    event = event.model_copy(
                        update={"offset": self._text.offset, "chunk": self._text.chunk + event.chunk}
                    )
                else:
                    await self._flush()
                self._text = event
                if (wait_s := self._due - asyncio.get_running_loop().time()) <= 0:
                    await self._flush()
                elif self._timer is None:
                    self._timer = asyncio.create_task(self._flush_later(wait_s))
            else:
                await self._flush()
                await self._send(event)

    async def close(self) -> None:
        """Send what waits. Nothing may be emitted afterwards but the end of the turn."""
        async with self._order:
            await self._flush()
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    async def _flush_later(self, wait_s: float) -> None:
        await asyncio.sleep(wait_s)
        async with self._order:
            self._timer = None
            await self._flush()

    async def _flush(self) -> None:
        text, self._text = self._text, None
        if text is not None:
            await self._send(text)

    async def _send(self, event: TurnEvent) -> None:
        if isinstance(event, ModelChunkStart | ModelChunkAppend):
            self._due = asyncio.get_running_loop().time() + self._flush_s
        if self.view.replaces or self._replaces:
            self._replaces = False
            await self._relay.publish(self.view.snapshot())
        stamped = event.model_copy(
            update={"turn_id": self.view.turn_id, "session_id": self.view.session_id, "seq": self.view.seq + 1}
        )
        self.view.apply(stamped)
        await self._relay.publish(stamped)


def _sendable(event: TurnEvent) -> TurnEvent:
    """The event without what cannot be sent: whoever made it should have cleaned its texts, and one that did not must
    take nobody's socket down. Text keeps its length, by which the next event's offset goes."""
    if isinstance(event, ModelChunkStart | ModelChunkAppend):
        if HALF.search(event.chunk) is None:
            return event
        return event.model_copy(update={"chunk": HALF.sub(REPLACEMENT, event.chunk)})
    content = event.model_dump()
    cleaned = clean_json(content)
    return event if cleaned == content else type(event).model_validate(cleaned)


def _follows(text: ModelChunkAppend, event: ModelChunkAppend) -> bool:
    fits = len(text.chunk) + len(event.chunk) <= MAX_CHUNK_CHARACTERS
    return fits and text.message_id == event.message_id and text.offset + len(text.chunk) == event.offset
