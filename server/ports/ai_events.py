"""What a run of the graph emits: values of our own, without anything of the wire.

Exactly one `Done` or `Failed` ends a run, after every `UsageReport`; nothing follows it. What carries JSON
(`arguments`, `table`, `citations`) has Python names for keys, as the values of the wire have before they are sent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Json = Mapping[str, Any]

CANCELLED = "cancelled"
"""`Failed.code` of a run that was stopped by whoever asked for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """A model begins to answer, or takes over from another."""

    attempt: int
    model: str
    prompt_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextStart:
    """The first text of a message; `offset` is in characters."""

    message_id: str
    offset: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """More text of a message, at this offset."""

    message_id: str
    offset: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReset:
    """What follows the offset is replaced."""

    message_id: str
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRead:
    """How much of its prompt the model has read."""

    tokens_read: int
    tokens_in_all: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallStart:
    """A tool is called; `doing` says so to people."""

    tool_call_id: str
    tool_name: str
    arguments: Json
    doing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallProgress:
    """What a call does that takes long, and how many of its steps are done, where they can be counted."""

    tool_call_id: str
    tool_name: str
    doing: str
    done: int | None = None
    in_all: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallResult:
    """What came of it, capped and redacted. `text` is what the model reads; `number` counts the results of the
    conversation."""

    tool_call_id: str
    tool_name: str
    status: Literal["success", "success_with_warning"]
    result_type: Literal["text", "image", "table"]
    text: str
    image_url: str | None = None
    table: Json | None = None
    ui_payload: Json | None = None
    truncated: bool = False
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallFailed:
    """Why nothing came of it."""

    tool_call_id: str
    tool_name: str
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewerDriven:
    """The agent drives the viewer; None is left as it is there."""

    action: str
    handle: str | None = None
    window: Json | None = None
    view: str | None = None
    profile: str | None = None
    pattern: str | None = None
    trace_id: str | None = None
    filter: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTitled:
    """A name for the conversation."""

    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptAsked:
    """The run waits for the page, at most so many `seconds`: it ends here, and goes on in another attempt."""

    interrupt_id: str
    tool_call_id: str
    tool_name: str
    arguments: Json
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReport:
    """What the run has used so far; a later report replaces it. Null is not known, and never guessed."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    model_calls: int = 0
    tool_calls: int = 0
    cost: float | None = None
    model: str | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantFinal:
    """The finished answer; its text and tool results came before. `notes` are what the person is to know of the
    way there, by kind."""

    message_id: str
    text: str
    model: str
    prompt_version: str
    citations: Sequence[Json] = ()
    checks: Sequence[Json] = ()
    suggestions: Sequence[str] = ()
    sources: Sequence[Json] = ()
    used_facts: Sequence[str] = ()
    title: str | None = None
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The run is over, with an answer or with a question to the page."""

    answer: AssistantFinal | None = None
    usage: UsageReport = UsageReport()
    asked: InterruptAsked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The run is over without an answer. `message` is for people; `error` and `where` are for the log: a type and
    places in the code."""

    code: str
    message: str
    retryable: bool
    error: str = ""
    where: str = ""


StreamedEvent = (
    RunStarted
    | TextStart
    | TextDelta
    | TextReset
    | PromptRead
    | ToolCallStart
    | ToolCallProgress
    | ToolCallResult
    | ToolCallFailed
    | ViewerDriven
    | SessionTitled
)
"""What is shown while a run goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What an earlier attempt has emitted and this one keeps; before anything else. Later it takes back what this
    attempt has emitted: another executor has taken over, and keeps these events."""

    events: Sequence[StreamedEvent]


RunEnd = Done | Failed
AiEvent = StreamedEvent | Restored | InterruptAsked | UsageReport | AssistantFinal | RunEnd
