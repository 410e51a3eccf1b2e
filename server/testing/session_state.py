"""A session in memory, with its turns and messages, and which turn stands in which one's place."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from limits.refusals import Decision, LimitType
from server.adapters.storable import known_id, new_id, not_found, storable_json, storable_text
from server.errors import BadRequest
from server.ports.conversations import (
    FoundSession,
    MessageRow,
    NewMessage,
    Sender,
    SessionRow,
    SessionSearch,
    TurnKind,
    TurnRequest,
    TurnRow,
    TurnStatus,
)
from server.ports.traces import TraceRow
from server.testing.account_state import Standing


@dataclass(slots=True)
class MemorySession:
    """A session with everything in it. `counted` is whose session it took, in which month, for which turn."""

    row: SessionRow
    turns: dict[str, TurnRow] = field(default_factory=dict)
    messages: list[MessageRow] = field(default_factory=list)
    counted: tuple[Standing, tuple[int, datetime | None], str] | None = None
    feedback: dict[tuple[str, str], int] = field(default_factory=dict)

    @property
    def messages_counted(self) -> int:
        return sum(
            (turn.kind is not TurnKind.REGENERATE)
            + (turn.status in (TurnStatus.ACCEPTED, TurnStatus.RUNNING, TurnStatus.COMPLETED))
            for turn in self.turns.values()
        )

    @property
    def has_unended_turn(self) -> bool:
        return any(not turn.status.has_ended for turn in self.turns.values())

    def count(self, standing: Standing, turn_id: str, *, messages: int) -> Decision | None:
        """Count the session with its first turn; why it may not begin."""
        if self.counted is not None:
            return None
        ceiling = standing.sessions_limit
        if ceiling is not None and standing.sessions_used >= ceiling:
            kind = LimitType.LIFETIME_ANALYSES if standing.counts_lifetime else LimitType.MONTHLY_SESSIONS
            return standing.refuse(kind, standing.sessions_used, ceiling, messages=messages)
        if standing.counts_lifetime:
            standing.lifetime_sessions += 1
            self.counted = (standing, (standing.generation, None), turn_id)
        else:
            standing.monthly_sessions += 1
            self.counted = (standing, (standing.generation, standing.period_end), turn_id)
        return None

    def is_empty_since(self, moment: datetime) -> bool:
        """Whether it was opened before, and nothing was asked in it, or only refused."""
        return not self.turns and self.row.created_at < moment

    @property
    def superseded(self) -> set[str]:
        """Turns whose place another took, with what had followed them; one that failed takes nobody's place."""
        order = list(self.turns)
        return {
            gone
            for place, turn in enumerate(self.turns.values())
            if turn.supersedes is not None and turn.status is not TurnStatus.FAILED
            for gone in order[order.index(turn.supersedes) : place]
        }

    @property
    def next_position(self) -> int:
        return max((message.position for message in self.messages), default=0) + 1

    def found(self, search: SessionSearch, trace: TraceRow) -> list[FoundSession]:
        """Empty where the session is not what is looked for."""
        text = storable_text(search.text).lower()
        passage = next(
            (
                message.text
                for message in reversed(self.messages if text else [])
                if message.turn_id is not None
                and message.turn_id not in self.superseded
                and message.sender in (Sender.USER, Sender.MODEL)
                and text in message.text.lower()
            ),
            None,
        )
        labels = dict(trace.run.labels) | ({} if trace.run.program is None else {"program": trace.run.program})
        has_text = (
            passage is not None
            or text in (self.row.title or "").lower()
            or text in trace.name.lower()
            or any(text in (value.lower(), f"{key}:{value}".lower()) for key, value in labels.items())
        )
        if search.archived not in (None, self.row.is_archived) or not has_text:
            return []
        return [FoundSession(self.row, trace.name, passage)]

    def release(self, turn_id: str) -> None:
        """Give the session back that this turn took, unless another turn stands in for it."""
        if self.counted is None or self.counted[2] != turn_id:
            return
        standing, counted_in, _ = self.counted
        generation, period_end = counted_in
        gone = (TurnStatus.FAILED, TurnStatus.CANCELLED)
        heir = next((turn.turn_id for turn in self.turns.values() if turn.status not in gone), None)
        if heir is not None:
            self.counted = (standing, counted_in, heir)
            return
        self.counted = None
        if generation != standing.generation:
            return
        if period_end is None:
            standing.lifetime_sessions -= 1
        elif standing.period_end == period_end:
            standing.monthly_sessions -= 1

    def append(self, turn_id: str | None, message: NewMessage, now: datetime) -> MessageRow:
        """The message as it is stored, at the next position."""
        row = MessageRow(
            message_id=str(new_id(message.message_id, "message", "messageId")),
            sender=message.sender,
            text=storable_text(message.text),
            image_path=message.image_path,
            tool_name=message.tool_name,
            tool_call_id=message.tool_call_id,
            tool_args=storable_json(message.tool_args),
            tool_status=message.tool_status,
            metadata=storable_json(message.metadata),
            session_id=self.row.session_id,
            turn_id=turn_id,
            position=self.next_position,
            created_at=now,
        )
        self.messages.append(row)
        return row

    @property
    def versions(self) -> dict[str, tuple[str, ...]]:
        """Of the turns that stand in another's place: those they replaced, oldest first."""
        found: dict[str, tuple[str, ...]] = {}
        for turn_id, turn in self.turns.items():
            earlier: list[str] = []
            replaced = turn.supersedes
            while replaced is not None:
                earlier.insert(0, replaced)
                replaced = self.turns[replaced].supersedes
            if earlier and turn.status is not TurnStatus.FAILED and turn_id not in self.superseded:
                found[turn_id] = tuple(earlier)
        return found


def superseding(session: MemorySession, request: TurnRequest) -> TurnRequest:
    """The request as it is kept: with the prompt that is answered again, and in the place of what a failed one left."""
    if (request.kind is TurnKind.PROMPT) != (request.supersedes is None):
        raise BadRequest(
            "An answer given again, or a prompt that is edited, takes the place of a turn; a new prompt does not."
        )
    if request.supersedes is None:
        return request
    replaced = session.turns.get(str(known_id(request.supersedes, "turn")))
    if replaced is None:
        raise not_found("question")
    if replaced.turn_id in session.superseded:
        raise BadRequest("Another version has taken the place of this question.")
    failed = replaced.status is TurnStatus.FAILED
    return replace(
        request,
        prompt=replaced.prompt if request.kind is TurnKind.REGENERATE else request.prompt,
        supersedes=(replaced.supersedes if failed else None) or replaced.turn_id,
    )


def is_id(text: str) -> bool:
    """Whether it is a UUID in its usual text form."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
