"""What a turn emits. Numbered by whoever relays them: an event is made with `seq` 0 and stamped on its way out.

Exactly one of `model_response_end`, `turn_cancelled`, `turn_failed` ends every turn; nothing follows it.
"""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from server.protocol.base import WireModel
from server.protocol.wire_values import AskedOfPage, Check, Citation, OutsideSource, Table, Usage, Window


class _Event(WireModel):
    """Built at the first use: nobody sends one as a request's body, and a command that answers one question emits half
    of the kinds (to build all takes 40 ms)."""

    model_config = ConfigDict(defer_build=True)

    turn_id: str = ""
    session_id: str = ""
    seq: int = 0


class TurnStarted(_Event):
    type: Literal["turn_started"] = "turn_started"
    attempt: int
    model: str
    prompt_version: str


class ModelChunkStart(_Event):
    """First text of a message. Text is applied at `offset` (in characters), so a replay is harmless."""

    type: Literal["model_chunk_start"] = "model_chunk_start"
    message_id: str
    offset: int
    chunk: str


class ModelChunkAppend(_Event):
    type: Literal["model_chunk_append"] = "model_chunk_append"
    message_id: str
    offset: int
    chunk: str


class ModelTextReset(_Event):
    """Truncate the message at `offset`: a retried or resumed model call replaces what follows."""

    type: Literal["model_text_reset"] = "model_text_reset"
    message_id: str
    offset: int


class ModelReading(_Event):
    """How much of its prompt the model has read, where its endpoint says so: nothing is said yet."""

    type: Literal["model_reading"] = "model_reading"
    tokens_read: int
    tokens_in_all: int


class ToolStart(_Event):
    type: Literal["tool_start"] = "tool_start"
    tool_call_id: str
    tool_name: str
    args: dict[str, Any]
    message: str


class ToolProgress(_Event):
    """What a tool does that has run for two seconds, said each second: `message` is for people, and where the steps can
    be counted `done` of `in_all` are behind it."""

    type: Literal["tool_progress"] = "tool_progress"
    tool_call_id: str
    tool_name: str
    message: str
    done: int | None = None
    in_all: int | None = None


class ToolResult(_Event):
    """`text_content` is what the model saw; `number` counts the results of the conversation: addresses of figures name
    it."""

    type: Literal["tool_result"] = "tool_result"
    tool_call_id: str
    tool_name: str
    status: Literal["success", "success_with_warning"]
    result_type: Literal["text", "image", "table"]
    text_content: str
    image_url: str | None = None
    table: Table | None = None
    ui_payload: dict[str, Any] | None = None
    truncated: bool = False
    number: int | None = None


class ToolError(_Event):
    type: Literal["tool_error"] = "tool_error"
    tool_call_id: str
    tool_name: str
    code: Literal[
        "validation", "execution", "unavailable", "redaction_failed", "timeout", "memory_not_said", "would_leak"
    ]
    message: str


class ViewerAction(_Event):
    """The agent drives the viewer. `show` brings a thing, a window or a view into sight; `select`, `zoom`, `highlight`,
    `set_view`, `compare` and `set_filter` do that one thing. `trace_id` is the other trace, before which this one is
    the after; `filter` is a transform of the call tree as a link has it, empty for none."""

    type: Literal["viewer_action"] = "viewer_action"
    action: Literal["show", "select", "zoom", "highlight", "set_view", "compare", "set_filter"]
    handle: str | None = None
    window: Window | None = None
    view: Literal["time_order", "left_heavy", "sandwich", "diff"] | None = None
    profile: str | None = None
    pattern: str | None = None
    trace_id: str | None = None
    filter: str | None = None


class Interrupted(_Event, AskedOfPage):
    """The turn waits for the page: it acts, and answers with `resume`. Nothing of this attempt follows; what does
    begins with a snapshot."""

    type: Literal["interrupt"] = "interrupt"


class SessionTitle(_Event):
    type: Literal["session_title"] = "session_title"
    title: str


class ModelResponseEnd(_Event):
    """`used_facts` are the remembered facts that the answer goes by."""

    type: Literal["model_response_end"] = "model_response_end"
    message_id: str
    usage: Usage
    citations: list[Citation]
    checks: list[Check]
    suggestions: list[str]
    partial: bool = False
    sources: list[OutsideSource] = Field(default_factory=list)
    used_facts: list[str] = Field(default_factory=list)


class TurnCancelled(_Event):
    """`message_id` names the partial answer that was kept, if there was any."""

    type: Literal["turn_cancelled"] = "turn_cancelled"
    message_id: str | None = None


class TurnFailed(_Event):
    type: Literal["turn_failed"] = "turn_failed"
    code: str
    message: str
    retryable: bool


TurnEvent = (
    TurnStarted
    | ModelChunkStart
    | ModelChunkAppend
    | ModelTextReset
    | ModelReading
    | ToolStart
    | ToolProgress
    | ToolResult
    | ToolError
    | ViewerAction
    | Interrupted
    | SessionTitle
    | ModelResponseEnd
    | TurnCancelled
    | TurnFailed
)
TurnEnd = ModelResponseEnd | TurnCancelled | TurnFailed
TURN_EVENT: TypeAdapter[TurnEvent] = TypeAdapter(
    Annotated[TurnEvent, Field(discriminator="type")], config=ConfigDict(defer_build=True)
)
