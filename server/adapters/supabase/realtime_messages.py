"""What a Realtime listener is sent of one session: events of its turns, merged and bounded, as broadcasts."""

from collections import deque
from typing import Any

from server.protocol.events import ModelChunkAppend, ModelChunkStart, TurnEvent, TurnFailed
from server.protocol.server import AccountMessage, ChatError, MemoryProposed, TurnSnapshot
from server.turns.lifecycle import ends_turn

EVERY_S = 0.25
SLOWEST_S = 1.0
SLOWER_AFTER = 40
"""Broadcasts of one turn at full pace (10 s of text); after as many again they are sent more slowly, down to
SLOWEST_S."""

MAX_PAYLOAD_CHARACTERS = 200_000
"""Of one broadcast. Realtime takes 256 kB on the smallest plan."""

MAX_WAITING_CHARACTERS = 400_000
"""Of one session. Past it everything that waits is left out: a client that catches up gets it in one piece."""


class Backlog:
    """`add` what happens, in order; `message` takes the next broadcast out. Every `ai_response` says after which event
    it follows, so a client sees when something was left out or lost."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._waiting: deque[tuple[TurnEvent | TurnSnapshot, int]] = deque()
        self._errors: deque[ChatError] = deque()
        self._characters = 0
        self._last_sent: dict[str, int] = {}
        self._sent = 0
        self.due_at = 0.0

    @property
    def is_empty(self) -> bool:
        return not self._waiting and not self._errors

    @property
    def is_urgent(self) -> bool:
        """Whether more than text waits."""
        return bool(self._errors) or any(not isinstance(one, ModelChunkAppend) for one, _ in self._waiting)

    @property
    def is_done(self) -> bool:
        """Whether every turn of which something was sent has ended."""
        return self.is_empty and not self._last_sent

    def add(self, event: TurnEvent | TurnSnapshot) -> None:
        if isinstance(event, TurnSnapshot):
            self.forget(event.turn_id)
        self._last_sent.setdefault(event.turn_id, event.seq - 1)
        if isinstance(event, TurnFailed) and event.code == "limit_exceeded":
            self.refuse(ChatError(error_code="limit_exceeded", limit_type="session_messages", message=event.message))
        size = _size_of(event)
        last = self._waiting[-1][0] if self._waiting else None
        if isinstance(event, ModelChunkAppend) and last is not None and _continues(last, event):
            assert isinstance(last, ModelChunkStart | ModelChunkAppend)
            merged = last.model_copy(update={"chunk": last.chunk + event.chunk, "seq": event.seq})
            self._waiting[-1] = (merged, self._waiting[-1][1] + len(event.chunk))
            self._characters += len(event.chunk)
        else:
            self._waiting.append((event, size))
            self._characters += size
        if self._characters > MAX_WAITING_CHARACTERS:
            self.clear()

    def refuse(self, error: ChatError) -> None:
        """Queue a `chat_error`, before what else waits."""
        self._errors.append(error)

    def forget(self, turn_id: str) -> None:
        """Send no more of a turn."""
        self._last_sent.pop(turn_id, None)
        self._waiting = deque(kept for kept in self._waiting if kept[0].turn_id != turn_id)
        self._characters = sum(size for _, size in self._waiting)

    def clear(self) -> None:
        """Leave out all that waits."""
        for event, _ in self._waiting:
            self._mark_sent(event)
        self._waiting.clear()
        self._characters = 0

    def message(self, now: float) -> dict[str, Any] | None:
        """The next broadcast, as the HTTP interface takes it: of one turn, within the bound of a payload. None when
        nothing waits that fits."""
        if self._errors:
            return self._broadcast("chat_error", self._errors.popleft().model_dump(mode="json", by_alias=True))
        events: list[TurnEvent | TurnSnapshot] = []
        characters = 0
        while self._waiting:
            event, size = self._waiting[0]
            if size > MAX_PAYLOAD_CHARACTERS:
                if events:
                    break
                self._mark_sent(event)
            elif events and (event.turn_id != events[0].turn_id or characters + size > MAX_PAYLOAD_CHARACTERS):
                break
            else:
                events.append(event)
                characters += size
            self._waiting.popleft()
            self._characters -= size
        if not events:
            return None
        after = self._last_sent[events[0].turn_id]
        self._sent += 1
        self.due_at = now + min(SLOWEST_S, EVERY_S * (1 + self._sent // SLOWER_AFTER))
        self._mark_sent(events[-1])
        payload = {"after": after, "events": [event.model_dump(mode="json", by_alias=True) for event in events]}
        return self._broadcast("ai_response", payload)

    def _mark_sent(self, event: TurnEvent | TurnSnapshot) -> None:
        if ends_turn(event):
            del self._last_sent[event.turn_id]
            self._sent, self.due_at = 0, 0.0
        else:
            self._last_sent[event.turn_id] = event.seq

    def _broadcast(self, event: str, payload: dict[str, Any]) -> dict[str, Any]:
        return {"topic": f"chat:{self._session_id}", "event": event, "payload": payload, "private": True}


def to_account(account_id: str, message: AccountMessage) -> dict[str, Any]:
    """A broadcast to the members of an account."""
    payload = message.model_dump(mode="json", by_alias=True)
    return {"topic": f"account:{account_id}", "event": message.type, "payload": payload, "private": True}


def to_session(session_id: str, message: MemoryProposed) -> dict[str, Any]:
    """A broadcast to those who may read a conversation."""
    payload = message.model_dump(mode="json", by_alias=True)
    return {"topic": f"chat:{session_id}", "event": message.type, "payload": payload, "private": True}


def _continues(last: TurnEvent | TurnSnapshot, event: ModelChunkAppend) -> bool:
    return (
        isinstance(last, ModelChunkStart | ModelChunkAppend)
        and last.turn_id == event.turn_id
        and last.message_id == event.message_id
        and last.offset + len(last.chunk) == event.offset
        and len(last.chunk) + len(event.chunk) < MAX_PAYLOAD_CHARACTERS // 2
    )


def _size_of(event: TurnEvent | TurnSnapshot) -> int:
    return len(event.chunk) + 200 if isinstance(event, ModelChunkStart | ModelChunkAppend) else len(event.to_wire())
