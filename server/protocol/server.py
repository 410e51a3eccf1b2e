"""What a server sends on `/api/v1/chat`, besides the turn events."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from server.protocol.base import PROTOCOL_VERSION, WireModel
from server.protocol.events import TurnEvent
from server.protocol.wire_values import (
    AskedOfPage,
    HistoryMessage,
    LimitsView,
    MemoryState,
    Opening,
    ProposedFact,
    RunningTurn,
    SnapshotMessage,
    SnapshotTool,
)


class ConnectionAck(WireModel):
    type: Literal["connection_ack"] = "connection_ack"
    session_id: str
    protocol: int = PROTOCOL_VERSION
    opening: Opening
    history: list[HistoryMessage]
    limits: LimitsView
    running: RunningTurn | None = None
    memory: MemoryState | None = None
    ignored_tools: list[str] = Field(default_factory=list)
    """Mounted tools that this server does not know, or not in that version."""


class WaitingForModel(WireModel):
    """A prompt was accepted; `position` is its place in the queue when others run first, `requestId` finds it in the
    log."""

    type: Literal["waiting_for_model"] = "waiting_for_model"
    turn_id: str
    position: int | None = None
    request_id: str | None = None


class TurnSnapshot(WireModel):
    """Replaces what the client holds of that turn; live events continue from `seq` + 1."""

    type: Literal["turn_snapshot"] = "turn_snapshot"
    turn_id: str
    session_id: str
    attempt: int
    seq: int
    messages: list[SnapshotMessage]
    tools: list[SnapshotTool]
    interrupt: AskedOfPage | None = None


class MemoryProposed(ProposedFact):
    """A turn has proposed that something is remembered: of the session, after the turn's end."""

    type: Literal["memory_proposed"] = "memory_proposed"


class MemoryChanged(WireModel):
    """What is remembered is another version now; `proposal_id` was decided on, and how, where a decision did it."""

    type: Literal["memory_changed"] = "memory_changed"
    version: int
    proposal_id: str | None = None
    decision: Literal["keep", "edit", "no", "auto"] | None = None


class GateChanged(WireModel):
    """A gate of the account has judged an upload, or could not, for the `problem` that it names: said once, to whoever
    is in a conversation of that account."""

    type: Literal["gate_changed"] = "gate_changed"
    result_id: str
    gate_id: str
    gate_name: str
    trace_id: str
    outcome: Literal["held", "broken", "not decidable"] | None = None
    problem: str | None = None


class LimitsChanged(WireModel):
    """80 or 100 `percent` of a budget for language models are reached, said once: to the person, or where `account_id`
    names one to the members of that account, and to administrators. Costs are in cents. `user_id` made the call."""

    type: Literal["limits_changed"] = "limits_changed"
    limit_type: Literal["monthly_cost", "monthly_tokens"]
    percent: Literal[80, 100]
    used: int
    limit: int
    plan_name: str
    resets_at: datetime
    user_id: str
    account_id: str | None = None
    message: str


class Pong(WireModel):
    type: Literal["pong"] = "pong"
    nonce: str


class ProtocolError(WireModel):
    """The message was not accepted; the socket stays open."""

    type: Literal["protocol_error"] = "protocol_error"
    code: Literal[
        "turn_in_progress",
        "not_supported",
        "bad_field",
        "unknown_type",
        "bad_json",
        "not_found",
        "not_allowed",
        "busy",
    ]
    message: str
    field: str | None = None


class ChatError(WireModel):
    """Refuses a prompt, or stops a turn in the graph: the client disables its input and shows how to upgrade."""

    type: Literal["chat_error"] = "chat_error"
    error_code: Literal["limit_exceeded", "internal_error", "config_error"]
    limit_type: (
        Literal["session_messages", "lifetime_analyses", "monthly_sessions", "monthly_cost", "monthly_tokens"] | None
    ) = None
    message: str
    used: int | None = None
    limit: int | None = None
    plan_name: str | None = None
    resets_at: datetime | None = None


AccountMessage = GateChanged | LimitsChanged | MemoryChanged
"""What every member of an account may know."""

ServerMessage = (
    ConnectionAck
    | WaitingForModel
    | TurnSnapshot
    | MemoryProposed
    | MemoryChanged
    | GateChanged
    | LimitsChanged
    | Pong
    | ProtocolError
    | ChatError
    | TurnEvent
)
SERVER_MESSAGE: TypeAdapter[ServerMessage] = TypeAdapter(Annotated[ServerMessage, Field(discriminator="type")])
