"""The one table from an error to what a failed turn says of it."""

from server.errors import (
    BadRequest,
    Busy,
    DatabaseUnavailable,
    ExecutorUnreachable,
    LimitExceeded,
    ModelFailed,
    NotFound,
    PromptUnavailable,
    ServerError,
    ServiceUnavailable,
    WorkerFailed,
    by_class,
)
from server.protocol.events import TurnFailed
from traces.errors import TraceError

DATABASE_UNAVAILABLE = "database_unavailable"
NOT_SET_UP = "This server cannot answer as it is set up; whoever runs it can change that."
"""For people, before the reason, which is for whoever runs it."""

CODES: dict[type[Exception], tuple[str, bool]] = {
    LimitExceeded: ("limit_exceeded", False),
    PromptUnavailable: ("config_error", False),
    WorkerFailed: ("worker_failed", True),
    Busy: ("busy", True),
    ExecutorUnreachable: ("executor_unreachable", True),
    ServiceUnavailable: ("service_unavailable", True),
    DatabaseUnavailable: (DATABASE_UNAVAILABLE, True),
    NotFound: ("not_found", False),
    BadRequest: ("bad_request", False),
    TraceError: ("trace_unreadable", False),
    ServerError: ("server_error", True),
}
"""By class: the code, and whether the same prompt may succeed later. ModelFailed carries its own."""


def turn_failure(error: Exception) -> TurnFailed:
    """The event that ends a turn for this error. A text that was not written for people is not shown."""
    if isinstance(error, ModelFailed):
        return TurnFailed(code=error.code, message=str(error), retryable=error.retryable)
    answer = by_class(CODES, error)
    if answer is not None:
        code, retryable = answer
        message = f"{NOT_SET_UP} {error}" if isinstance(error, PromptUnavailable) else str(error)
        return TurnFailed(code=code, message=message, retryable=retryable)
    message = f"The server failed unexpectedly ({type(error).__name__}); its log says where. Try again."
    return TurnFailed(code="internal_error", message=message, retryable=True)
