"""How a turn's failure is named to its client, and whether the same prompt may succeed later."""

import pytest

from server.errors import (
    BadRequest,
    Busy,
    DatabaseUnavailable,
    ModelFailed,
    NotFound,
    PromptUnavailable,
    ServerError,
    ServiceUnavailable,
    WorkerFailed,
)
from server.turns.turn_failures import NOT_SET_UP, turn_failure
from traces.errors import DamagedTrace


@pytest.mark.parametrize(
    ("error", "code", "may_succeed_later"),
    [
        (ModelFailed("Down.", code="model_unreachable", retryable=True), "model_unreachable", True),
        (ModelFailed("No key.", code="model_refused", retryable=False), "model_refused", False),
        (PromptUnavailable("No prompt."), "config_error", False),
        (WorkerFailed("Out of memory."), "worker_failed", True),
        (Busy("All at work.", retry_after_s=30), "busy", True),
        (ServiceUnavailable("Storage is away.", service="storage"), "service_unavailable", True),
        (DatabaseUnavailable("It is away."), "database_unavailable", True),
        (NotFound("No such trace."), "not_found", False),
        (BadRequest("No such frame."), "bad_request", False),
        (DamagedTrace("It breaks off."), "trace_unreadable", False),
        (ServerError("It failed."), "server_error", True),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_failure_says_its_code_and_whether_trying_again_may_help(
    error: Exception, code: str, *, may_succeed_later: bool
) -> None:
    failed = turn_failure(error)
    assert (failed.code, failed.retryable) == (code, may_succeed_later)
    assert failed.message.removeprefix(f"{NOT_SET_UP} ") == str(error)
    assert failed.message.startswith(NOT_SET_UP) == isinstance(error, PromptUnavailable)


def test_what_was_not_written_for_people_is_not_shown() -> None:
    failed = turn_failure(KeyError("a secret"))
    assert "a secret" not in failed.message
    assert "KeyError" in failed.message
