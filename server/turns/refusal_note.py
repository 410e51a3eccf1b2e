"""What a session keeps of a refused prompt: one `system_event` for each limit and period, however often it is asked."""

import uuid

from limits.refusals import Decision, refusal_text
from server.ports.conversations import NewMessage, Sender

PROMPT_REFUSED = "prompt_refused"
"""`event` in the note's metadata."""


def refusal_note(session_id: str, decision: Decision) -> NewMessage:
    """The note, whose id is that of every refusal by the same ceiling in the same period. Raises ValueError for an
    accepted decision."""
    resets_at = None if decision.resets_at is None else decision.resets_at.isoformat()
    ceiling = f"{session_id}/{PROMPT_REFUSED}/{decision.limit_type}/{decision.limit}/{resets_at}"
    return NewMessage(
        message_id=str(uuid.uuid5(uuid.NAMESPACE_OID, ceiling)),
        sender=Sender.SYSTEM_EVENT,
        text=refusal_text(decision),
        metadata={
            "event": PROMPT_REFUSED,
            "code": "limit_exceeded",
            "limitType": decision.limit_type,
            "used": decision.used,
            "limit": decision.limit,
            "planName": decision.plan_name,
            "resetsAt": resets_at,
        },
    )
