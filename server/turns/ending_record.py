"""How a turn ends: what is stored of it, and what its listeners are sent afterwards."""

import uuid
from dataclasses import replace

from server.agent.turn import TurnAnswer
from server.ports.conversations import NewMessage, Sender, TurnEnding
from server.protocol.events import ModelResponseEnd, SessionTitle, TurnCancelled, TurnEnd, TurnEvent, TurnFailed
from server.turns.lifecycle import status_at_end
from server.turns.view_of_turn import TurnView

Outcome = TurnAnswer | TurnCancelled | TurnFailed


STORED_OF_END = {"usage", "citations", "checks", "suggestions", "sources", "used_facts"}
"""Fields of the end that are kept with the answer."""


def ending_of(view: TurnView, account_id: str, outcome: Outcome) -> tuple[TurnEnding, tuple[TurnEvent, ...]]:
    """What is stored, and what is sent after it: how the turn ended, with everything it had said until then. Raises
    ValueError when it has ended already."""
    messages = view.messages(account_id)
    end = _end_event(outcome)
    ending = TurnEnding(
        status=status_at_end(view.state, end),
        model=view.model,
        prompt_version=view.prompt_version,
        delivered_anything=view.delivered_anything,
    )
    match outcome:
        case TurnAnswer():
            end_metadata = end.model_dump(mode="json", by_alias=True, include=STORED_OF_END) | {
                "model": outcome.model,
                "promptVersion": outcome.prompt_version,
            }
            notes = (_system_event(view.turn_id, text, {"event": event}) for event, text in outcome.notes.items())
            completed = replace(
                ending,
                messages=(*_with_metadata(messages, outcome.message_id, end_metadata), *notes),
                title=outcome.title,
                model=outcome.model,
                prompt_version=outcome.prompt_version,
                input_tokens=outcome.usage.input_tokens,
                output_tokens=outcome.usage.output_tokens,
                cost_usd=outcome.usage.cost,
            )
            is_new = outcome.title is not None and outcome.title != view.title
            return completed, (SessionTitle(title=outcome.title), end) if is_new else (end,)
        case TurnCancelled():
            kept = _with_metadata(messages, view.last_message_id, {"partial": True})
            note = _system_event(view.turn_id, "Stopped.", {"event": "turn_cancelled"})
            return replace(ending, messages=(*kept, note)), (end,)
        case TurnFailed():
            kept = _with_metadata(messages, view.last_message_id, {"partial": True})
            note = _system_event(view.turn_id, outcome.message, {"event": "turn_failed", "code": outcome.code})
            return replace(ending, messages=(*kept, note), error_code=outcome.code), (end,)


def _end_event(outcome: Outcome) -> TurnEnd:
    """What listeners are sent of it."""
    if not isinstance(outcome, TurnAnswer):
        return outcome
    return ModelResponseEnd(
        message_id=outcome.message_id,
        usage=outcome.usage,
        citations=list(outcome.citations),
        checks=list(outcome.checks),
        suggestions=list(outcome.suggestions),
        sources=list(outcome.sources),
        used_facts=list(outcome.used_facts),
    )


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
