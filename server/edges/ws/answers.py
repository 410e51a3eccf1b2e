"""From what went wrong to what the client is sent: a message (the socket stays open) or a close code."""

from enum import IntEnum
from typing import Literal

from pydantic import ValidationError

from server.cleaning import half_escape
from server.errors import (
    BadRequest,
    Busy,
    ConfigError,
    DatabaseBusy,
    LimitExceeded,
    NotAllowed,
    NotFound,
    NotSupported,
    PromptUnavailable,
    ServerError,
    TurnInProgress,
    by_class,
)
from server.protocol.server import ChatError, ProtocolError
from traces.errors import TraceError


class CloseCode(IntEnum):
    """Why the server closes a socket; docs/protocol.md says what a client does."""

    NOT_AUTHENTICATED = 4401  #: no identity, or a false or expired one
    NOT_YOURS = 4403  #: the trace or session is another's, or does not exist
    TOO_LATE = 4408  #: no good start_analysis came in time
    IDLE = 4410  #: nothing happened for long, and no turn runs
    TOO_MANY = 4429  #: the user has as many sockets open as allowed
    TOO_LARGE = 1009  #: a message over the bound (RFC 6455, 7.4.1)
    GOING_AWAY = 1001  #: the client does not read (RFC 6455, 7.4.1)
    COME_BACK = 1012  #: the server lost sight of a turn: join again (RFC 6455's registry: Service Restart)
    TRY_LATER = 1013  #: identity or database cannot be reached now (RFC 6455's registry: Try Again Later)


PROTOCOL_CODES: dict[
    type[Exception], Literal["turn_in_progress", "not_supported", "bad_field", "not_found", "not_allowed", "busy"]
] = {
    BadRequest: "bad_field",
    NotAllowed: "not_allowed",
    NotFound: "not_found",
    NotSupported: "not_supported",
    TurnInProgress: "turn_in_progress",
    Busy: "busy",
    DatabaseBusy: "busy",
}
"""Of the errors that leave the socket open and end nothing, by class."""


def answer_to(error: ServerError | TraceError) -> ProtocolError | ChatError:
    """What a client reads of an error of ours."""
    code = by_class(PROTOCOL_CODES, error)
    if code is not None:
        field = error.field if isinstance(error, BadRequest) else None
        return ProtocolError(code=code, message=str(error), field=field)
    if isinstance(error, LimitExceeded):
        decision = error.decision
        return ChatError(
            error_code="limit_exceeded",
            limit_type=None if decision.limit_type is None else decision.limit_type.value,
            message=str(error),
            used=decision.used,
            limit=decision.limit,
            plan_name=decision.plan_name,
            resets_at=decision.resets_at,
        )
    is_config = isinstance(error, ConfigError | PromptUnavailable)
    return ChatError(error_code="config_error" if is_config else "internal_error", message=str(error))


def answer_to_malformed(error: ValidationError, text: str) -> ProtocolError:
    """What a client reads of a message that is not one of ours: the first thing wrong with it, by field."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] in {"json_invalid", "dict_type"} and not first["loc"]:
        return ProtocolError(code="bad_json", message=half_escape(text) or "The message is not a JSON object.")
    if first["type"] in {"union_tag_invalid", "union_tag_not_found"}:
        return ProtocolError(
            code="unknown_type", message="The message has no type that this server knows.", field="type"
        )
    field = ".".join(str(part) for part in first["loc"][1:])
    return ProtocolError(
        code="bad_field", message=f"{field}: {first['msg']}" if field else first["msg"], field=field or None
    )
