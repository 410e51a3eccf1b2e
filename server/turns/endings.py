"""How a turn ends: what is stored of it, and what its listeners are told afterwards."""

import uuid
from dataclasses import replace

from server.agent.turn import TurnAnswer
from server.ports.conversations import NewMessage, Sender, TurnEnding, TurnStatus
from server.protocol.events import ModelResponseEnd, SessionTitle, TurnCancelled, TurnEvent, TurnFailed
from server.turns.view_of_turn import TurnView

Outcome = TurnAnswer | TurnCancelled | TurnFailed


def ending_of(view: TurnView, account_id: str, outcome: Outcome) -> tuple[TurnEnding, tuple[TurnEvent, ...]]:
    """What is stored, and what is told after it: how the turn ended, with everything it had said until then."""
    messages = view.messages(account_id)
    ending = TurnEnding(
        status=TurnStatus.COMPLETED,
        model=view.model,
        prompt_version=view.prompt_version,
        delivered_anything=view.delivered_anything,
    )
    match outcome:
        case TurnAnswer():
            told = ModelResponseEnd(
                message_id=outcome.message_id,
                usage=outcome.usage,
                citations=list(outcome.citations),
                checks=list(outcome.checks),
                suggestions=list(outcome.suggestions),
            )
            beside = told.model_dump(
                mode="json", by_alias=True, include={"usage", "citations", "checks", "suggestions"}
            ) | {"model": outcome.model, "promptVersion": outcome.prompt_version}
            notes = (_system_event(view.turn_id, text, {"event": event}) for event, text in outcome.notes.items())
            completed = replace(
                ending,
                messages=(*_with_metadata(messages, outcome.message_id, beside), *notes),
                title=outcome.title,
                model=outcome.model,
                prompt_version=outcome.prompt_version,
                input_tokens=outcome.usage.input_tokens,
                output_tokens=outcome.usage.output_tokens,
                cost_usd=outcome.usage.cost,
            )
            untold = outcome.title is not None and outcome.title != view.title
            return completed, (SessionTitle(title=outcome.title), told) if untold else (told,)
        case TurnCancelled():
            kept = _with_metadata(messages, view.last_message_id, {"partial": True})
            note = _system_event(view.turn_id, "Stopped.", {"event": "turn_cancelled"})
            return replace(ending, status=TurnStatus.CANCELLED, messages=(*kept, note)), (outcome,)
        case TurnFailed():
            kept = _with_metadata(messages, view.last_message_id, {"partial": True})
            note = _system_event(view.turn_id, outcome.message, {"event": "turn_failed", "code": outcome.code})
            failed = replace(ending, status=TurnStatus.FAILED, messages=(*kept, note), error_code=outcome.code)
            return failed, (outcome,)


def _with_metadata(
    messages: tuple[NewMessage, ...], message_id: str | None, extra: dict[str, object]
) -> tuple[NewMessage, ...]:
    return tuple(
        replace(message, metadata=message.metadata | extra) if message.message_id == message_id else message
        for message in messages
    )


def _system_event(turn_id: str, text: str, metadata: dict[str, object]) -> NewMessage:
    message_id = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{turn_id}/{metadata['event']}"))
    return NewMessage(message_id=message_id, sender=Sender.SYSTEM_EVENT, text=text, metadata=metadata)
