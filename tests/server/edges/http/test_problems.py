"""What the edges answer to an error goes by its class and the classes above it, in any order of the table."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

import pytest

from limits.errors import LimitsError, UnknownAccount, UnknownPlan, UnknownUser
from limits.refusals import Decision, LimitType
from rendering.errors import InvalidOption, MissingFont, RenderingError
from server.adapters.supabase.identity import REFUSALS
from server.edges.http.problems import ROOTS, STATUSES, problem_of
from server.edges.ws.answers import PROTOCOL_CODES
from server.errors import (
    BadRequest,
    Busy,
    ConfigError,
    Conflict,
    DatabaseUnavailable,
    ExecutorUnreachable,
    LimitExceeded,
    ModelFailed,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    NotSupported,
    PromptUnavailable,
    ServerError,
    ServiceUnavailable,
    TooManyAtOnce,
    TurnInProgress,
    WorkerFailed,
    by_class,
)
from server.turns.turn_failures import CODES
from traces.errors import DamagedTrace, TraceError, TraceTooLarge, UnknownHandle, UnrecognisedTrace

TABLES: list[Mapping[type[Exception], object]] = [STATUSES, PROTOCOL_CODES, CODES, REFUSALS]


def with_kinds(root: type[Exception]) -> Iterator[type[Exception]]:
    yield root
    for kind in root.__subclasses__():
        yield from with_kinds(kind)


def raised(kind: type[Exception]) -> Exception:
    """An error of this class, whatever its constructor takes."""
    return kind.__new__(kind)


def test_the_nearest_class_of_an_error_answers() -> None:
    assert by_class(STATUSES, raised(TooManyAtOnce)) == 429
    assert by_class(STATUSES, raised(Busy)) == 503
    assert by_class(STATUSES, raised(UnknownHandle)) == 404
    assert by_class(STATUSES, raised(DamagedTrace)) == 422
    assert by_class(STATUSES, raised(MissingFont)) == 500
    assert by_class(PROTOCOL_CODES, raised(TooManyAtOnce)) == "busy"
    assert by_class(CODES, raised(DamagedTrace)) == ("trace_unreadable", False)


def test_a_kind_that_nobody_listed_is_answered_as_the_kind_above_it() -> None:
    class Contradiction(BadRequest):
        pass

    assert by_class(STATUSES, Contradiction("no")) == 400
    assert by_class(PROTOCOL_CODES, Contradiction("no")) == "bad_field"


def test_a_foreign_error_has_no_answer() -> None:
    assert by_class(STATUSES, ValueError("no")) is None
    assert by_class(PROTOCOL_CODES, raised(ServerError)) is None


@pytest.mark.parametrize("table", TABLES)
def test_the_order_of_a_table_changes_no_answer(table: Mapping[type[Exception], object]) -> None:
    backwards = dict(reversed(list(table.items())))
    kinds = {kind for listed in table for kind in with_kinds(listed)}
    assert len(kinds) >= len(table)
    assert all(by_class(backwards, raised(kind)) == by_class(table, raised(kind)) for kind in kinds)


def test_every_error_of_ours_has_a_status() -> None:
    assert {kind for root in ROOTS for kind in with_kinds(root) if by_class(STATUSES, raised(kind)) is None} == set()


ANSWERED = {
    400: {LimitsError, BadRequest},
    401: {NotAuthenticated},
    403: {NotAllowed},
    404: {UnknownHandle, UnknownAccount, UnknownPlan, UnknownUser, NotFound},
    409: {TurnInProgress, Conflict},
    413: {TraceTooLarge},
    415: {UnrecognisedTrace},
    422: {TraceError, InvalidOption},
    429: {LimitExceeded, TooManyAtOnce},
    500: {RenderingError, ConfigError, ServerError},
    501: {NotSupported},
    502: {ModelFailed},
    503: {Busy, ExecutorUnreachable, PromptUnavailable, ServiceUnavailable, WorkerFailed, DatabaseUnavailable},
}


def test_clients_can_rely_on_the_statuses() -> None:
    listed = {status: {kind for kind, of in STATUSES.items() if of == status} for status in set(STATUSES.values())}
    assert listed == ANSWERED


@pytest.mark.parametrize(
    ("left", "seconds"), [(timedelta(days=2), 2 * 86_400), (timedelta(hours=-1), 1), (None, 86_400)]
)
def test_a_limit_says_when_to_try_again(left: timedelta | None, seconds: int) -> None:
    resets_at = None if left is None else datetime.now(UTC) + left
    decision = Decision(
        allowed=False, plan_name="free", messages_used=1, messages_limit=1, resets_at=resets_at,
        limit_type=LimitType.MONTHLY_SESSIONS, used=5, limit=5,
    )  # fmt: skip
    after = int(problem_of(LimitExceeded(decision), instance="/api/chat").headers["Retry-After"])
    assert 0 <= seconds - after < 3_600
