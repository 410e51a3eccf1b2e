"""Between what a run emits and what listeners of a turn are sent: the one table, both ways."""

from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any, cast

from pydantic import BaseModel

from server.agent.turn import PageQuestion, TurnAnswer
from server.ports.ai_events import (
    AssistantFinal,
    Failed,
    InterruptAsked,
    PromptRead,
    RunEnd,
    RunStarted,
    SessionTitled,
    StreamedEvent,
    TextDelta,
    TextReset,
    TextStart,
    ToolCallFailed,
    ToolCallProgress,
    ToolCallResult,
    ToolCallStart,
    UsageReport,
    ViewerDriven,
)
from server.protocol.events import (
    ModelChunkAppend,
    ModelChunkStart,
    ModelReading,
    ModelTextReset,
    SessionTitle,
    ToolError,
    ToolProgress,
    ToolResult,
    ToolStart,
    TurnEvent,
    TurnFailed,
    TurnStarted,
    ViewerAction,
)
from server.protocol.wire_values import AskedOfPage, Check, Citation, OutsideSource, Usage

PAIRS: dict[type[Any], tuple[type[Any], dict[str, str]]] = {
    RunStarted: (TurnStarted, {}),
    TextStart: (ModelChunkStart, {"text": "chunk"}),
    TextDelta: (ModelChunkAppend, {"text": "chunk"}),
    TextReset: (ModelTextReset, {}),
    PromptRead: (ModelReading, {}),
    ToolCallStart: (ToolStart, {"arguments": "args", "doing": "message"}),
    ToolCallProgress: (ToolProgress, {"doing": "message"}),
    ToolCallResult: (ToolResult, {"text": "text_content"}),
    ToolCallFailed: (ToolError, {}),
    ViewerDriven: (ViewerAction, {}),
    SessionTitled: (SessionTitle, {}),
}
"""Of each event its kin on the wire, and the names that differ there."""

_NAMES = {
    ours: [(one.name, names.get(one.name, one.name)) for one in fields(ours)] for ours, (_, names) in PAIRS.items()
}
_OURS: dict[type[Any], type[Any]] = {wire: ours for ours, (wire, _) in PAIRS.items()}


def wire_of(event: StreamedEvent) -> TurnEvent:
    """The event as listeners are sent it, before it is numbered."""
    wire, _ = PAIRS[type(event)]
    return cast("TurnEvent", wire(**{theirs: getattr(event, ours) for ours, theirs in _NAMES[type(event)]}))


def run_event_of(event: TurnEvent) -> StreamedEvent:
    """The event of a run that listeners are sent so. Raises KeyError for one that is no part of a run: an end, and the
    question to a page, have functions of their own."""
    ours = _OURS[type(event)]
    return cast("StreamedEvent", ours(**{name: _plain(getattr(event, theirs)) for name, theirs in _NAMES[ours]}))


def _plain(value: Any) -> Any:
    return value.model_dump() if isinstance(value, BaseModel) else value


def asked_of(question: PageQuestion) -> InterruptAsked:
    """What a run asks of the page."""
    return InterruptAsked(
        interrupt_id=question.interrupt_id,
        tool_call_id=question.tool_call_id,
        tool_name=question.tool_name,
        arguments=question.args,
        seconds=question.seconds,
    )


def asked_on_wire(asked: InterruptAsked, *, now: datetime) -> AskedOfPage:
    """The same with the time when it is too late to answer."""
    return AskedOfPage(
        interrupt_id=asked.interrupt_id,
        tool_call_id=asked.tool_call_id,
        tool_name=asked.tool_name,
        args=dict(asked.arguments),
        expires_at=now + timedelta(seconds=asked.seconds),
    )


def final_of(answer: TurnAnswer) -> tuple[UsageReport, AssistantFinal]:
    """What a run emits of a finished answer."""
    usage = UsageReport(**answer.usage.model_dump())
    return usage, AssistantFinal(
        message_id=answer.message_id,
        text=answer.text,
        model=answer.model,
        prompt_version=answer.prompt_version,
        citations=tuple(one.model_dump() for one in answer.citations),
        checks=tuple(one.model_dump() for one in answer.checks),
        suggestions=answer.suggestions,
        sources=tuple(one.model_dump() for one in answer.sources),
        used_facts=answer.used_facts,
        title=answer.title,
        notes=answer.notes,
    )


def outcome_of(end: RunEnd) -> TurnAnswer | TurnFailed | None:
    """What becomes of the turn; None where it waits for the page."""
    if isinstance(end, Failed):
        return TurnFailed(code=end.code, message=end.message, retryable=end.retryable)
    if end.answer is None:
        return None
    answer = end.answer
    return TurnAnswer(
        message_id=answer.message_id,
        text=answer.text,
        usage=Usage(**{one.name: getattr(end.usage, one.name) for one in fields(UsageReport)}),
        citations=tuple(Citation.model_validate(one) for one in answer.citations),
        checks=tuple(Check.model_validate(one) for one in answer.checks),
        suggestions=tuple(answer.suggestions),
        sources=tuple(OutsideSource.model_validate(one) for one in answer.sources),
        used_facts=tuple(answer.used_facts),
        title=answer.title,
        model=answer.model,
        prompt_version=answer.prompt_version,
        notes=answer.notes,
    )
